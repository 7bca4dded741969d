# bench_support.sh - functions that the tests of the command bench share. Tests source this file with the path of the
# command as $1.
. "$(dirname "$0")/cli_support.sh"

columns="routine,type,backend,impl,variant,m,n,k,batch,ms,gflops,error,extra_bytes,floor_ms,detail"

# unadvised: standard error must be empty, except for what depends on the machine: which BLAS native and GEMM are, why
# there is no native, and advice on OpenBLAS; and for the summary of a batch.
unadvised() {
  grep -v -e '^trigon bench: note: native: cpu' -e '^trigon bench: note: gemm: cpu' -e '^trigon bench: note: without' \
    -e '^trigon bench: note: advice: OpenBLAS uses its' \
    -e '^trigon bench: note: native / trigon' -e '^trigon bench: note: beside: ' err >others
  that "standard error has only notes on OpenBLAS and a summary" empty others
}

# csv ARGUMENTS...: runs each benchmark once, with CSV as output. The file rows gets the rows without the names.
csv() {
  run 0 bench "$@" --repeat 1 --csv
  that "the first line names the columns" [ "$(head -n 1 out)" = "$columns" ]
  sed 1d out >rows
  that "every row has 15 columns" awk -F, 'NF != 15 { exit 1 }' rows
  unadvised
}

# column NUMBER EXPECTED...: one column must have these values, in order.
column() {
  values=$(cut -d, -f "$1" rows | tr '\n' ' ')
  shift
  that "the column is '$values', expected '$*'" [ "$values" = "$* " ]
}
