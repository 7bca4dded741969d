#!/bin/sh
# test_openblas.sh TRIGON - the advice of the command if OpenBLAS takes the CPU for an older CPU.
. "$(dirname "$0")/cli_support.sh"

run 0 info
if ! grep -q '^cpu .*OpenBLAS.*DYNAMIC_ARCH' out || ! grep -qw avx2 /proc/cpuinfo; then
  skip "no OpenBLAS that chooses among kernels, or no AVX2"
  finish
  exit
fi

# ----------------------------------------------------------------------------------------------------- advice --
advice="advice: OpenBLAS uses its kernels for Prescott (SSE), but this CPU has AVX"
export OPENBLAS_CORETYPE=Prescott
run 0 info && has out "$advice" && has out "before the program starts"
advised=$(sed -n 's/.*set OPENBLAS_CORETYPE=\([A-Za-z0-9]*\) .*/\1/p' out)
run 0 info --backend cpu:libopenblas.so.0
that "one that is loaded by name, too" [ "$(grep -c "$advice" out)" -eq 2 ]
run 0 bench potrf --n 8 --repeat 1 && has out "% $advice" && that "errors" empty err
run 0 bench potrf --n 8 --repeat 1 --backend 'cpu?trace=1' && has out "% $advice"
run 0 bench potrf --n 8 --repeat 1 --csv && lacks out "advice" && has err "bench: note: OpenBLAS uses its kernels" &&
  that "one line" [ "$(wc -l <err)" -eq 1 ]
if has_sim; then run 0 bench potrf --n 8 --repeat 1 --vs none --backend sim:0 && lacks out "advice"; fi
export OPENBLAS_CORETYPE="$advised"
run 0 info && has out " $advised " && lacks out "advice"
run 0 bench potrf --n 8 --repeat 1 && lacks out "advice"
unset OPENBLAS_CORETYPE

finish
