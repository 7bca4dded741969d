#!/bin/sh
# test_kriging_cluster.sh - the example has the same log-likelihood on one process and on four, and predicts well.
# Usage: test_kriging_cluster.sh MPIRUN PROGRAM SCALAPACK
set -u
mpirun=$1 program=$2 library=$3
fail() { echo "FAILED: $1"; exit 1; }
run() { # run PROCESSES POINTS BLOCK: prints the log-likelihood, to nine digits
  printed=$("$mpirun" -np "$1" "$program" "$2" "$3" "$library") || fail "$*: $printed"
  echo "$printed" >&2
  echo "$printed" | sed -n 's/.*log-likelihood //p' | awk -F, '{printf "%.9g\n", $1}'
}
alone=$(run 1 500 64)
[ -n "$alone" ] || fail "no log-likelihood"
for block in 16 50; do
  together=$(run 4 500 $block)
  [ "$together" = "$alone" ] || fail "four processes, blocks of $block: $together, one process: $alone"
done
[ -n "$(run 4 2000 64)" ] || fail "2000 points"
echo "4 passed, 0 failed"
