#!/bin/sh
# test_cli_memory.sh TRIGON - every command with each of its allocations failing in turn (fail_allocation.c): it says so,
# exits 1, leaves no file behind, and leaks nothing where the sanitizers watch.
. "$(dirname "$0")/cli_support.sh"

cat >A.mtx <<'END'
%%MatrixMarket matrix coordinate real symmetric
3 3 4
1 1 4
2 2 5
3 3 6
3 1 1
END
printf '%%%%MatrixMarket matrix array complex general\n3 1\n1 0\n2 1\n3 0\n' >B.mtx

# all_fail ARGUMENTS...: until the command has no further allocation, and then it must succeed.
all_fail() {
  number=0
  while number=$((number + 1)); do
    rm -f X.npy X.mtx X.mtx.gz X.svg
    TRIGON_FAIL_ALLOCATION=$number "$trigon" "$@" >out 2>err
    status=$?
    last="allocation $number of trigon $*"
    if [ $status -ge 100 ]; then
      that "the last run succeeds" [ $status -eq 100 ]
      break
    fi
    checks=$((checks + 1))
    # An allocation that only serves comfort (progress, a note) may fail without harm.
    if [ $status -eq 0 ]; then continue; fi
    [ $status -eq 1 ] || fail "$last: exit status $status"
    grep -q "out of memory" err || fail "$last: no word of memory"
    for file in X.* .trigon*; do if [ -e "$file" ]; then fail "$last: $file is left behind"; fi; done
    if [ $number -gt 500 ]; then fail "$last: no end" && break; fi
  done
  that "there were allocations to fail" [ $number -gt 3 ]
}

all_fail solve A.mtx
all_fail solve A.mtx B.mtx -o X.npy
all_fail factor A.mtx --uplo upper -o X.mtx
all_fail factor A.mtx -o - --format npy
all_fail invert A.mtx -o X.mtx.gz
all_fail solve A.mtx --jitter 1e-6 --json
all_fail factor A.mtx --jitter 1e-6 --json -o X.npy
all_fail bench trsm --m 5 --n 3 --repeat 1
all_fail bench potri --type z --n 4 --vs native,gemm --repeat 1 --csv
if command -v gnuplot >/dev/null; then
  all_fail bench potrf --n 5 --repeat 1 --plot X.svg # one row: what was measured before a failure is drawn
else
  skip "gnuplot is not installed"
fi
finish
