#!/bin/sh
# test_cli_memory.sh TRIGON - each allocation of each command fails in turn (fail_allocation.c).
# The command must print a message, exit with 1 and leave no file behind. In a build with sanitizers the command must
# not leak memory.
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

# all_fail ARGUMENTS...: runs the command once for each of its allocations. The last run, in which no allocation fails,
# must succeed.
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
    # An allocation for progress or for a note may fail, and the command still succeeds.
    if [ $status -eq 0 ]; then continue; fi
    [ $status -eq 1 ] || fail "$last: exit status $status"
    grep -q "out of memory" err || fail "$last: the message does not say out of memory"
    for file in X.* .trigon*; do if [ -e "$file" ]; then fail "$last: $file is left behind"; fi; done
    if [ $number -gt 500 ]; then fail "$last: more than 500 allocations" && break; fi
  done
  that "more than one allocation failed" [ $number -gt 2 ]
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
all_fail bench gemm --m 9 --fp64 int8 --spread 1 --repeat 1
all_fail solve A.mtx --fp64 int8 --json
all_fail bench potrs_batch --sizes fixed:4x2,uniform:3 --batch 3 --vs native,native-loop --repeat 1
# The time is too short to measure anything, so that a file would stay as it is, and the command would fail.
all_fail tune --time 0.001 --routine potrf --type d -o -
if has_sim; then
  # The first measurement is made even without time.
  all_fail tune --backend sim:0 --time 0.001 --routine trtri_batch --type d --largest 16 --batch 2 -o -
fi
if command -v gnuplot >/dev/null; then
  # With two rows, bench would draw the row that it measured before a failure.
  all_fail bench potrf --n 5 --repeat 1 --plot X.svg
else
  skip "gnuplot is not installed"
fi
finish
