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
# Trigon computes with kernels of its own, unless an option says otherwise.
has out ", register kernels of our own" && has out ": Trigon computes with kernels of its own; for OpenBLAS, set"
only_default_is_own() { [ "$(grep -c "register kernels of our own\|computes with kernels of its own" out)" -eq 2 ]; }
advised=$(sed -n 's/.*set OPENBLAS_CORETYPE=\([A-Za-z0-9]*\) .*/\1/p' out)
run 0 info --backend cpu:libopenblas.so.0
that "one that is loaded by name, too" [ "$(grep -c "$advice" out)" -eq 2 ]
that "that library is as it is" only_default_is_own
for options in leaf=vendor native=1 'leaf=vendor&stop=64'; do
  run 0 info --backend "cpu?$options"
  that "the kernels of OpenBLAS" only_default_is_own
  that "the same advice" [ "$(grep -c "$advice" out)" -eq 2 ]
done
run 0 bench potrf --n 8 --repeat 1 && has out "% $advice" && that "errors" empty err
run 0 bench potrf --n 8 --repeat 1 --backend 'cpu?trace=1' && has out "% $advice"
run 0 bench potrf --n 8 --repeat 1 --csv && lacks out "advice" && has err "bench: note: OpenBLAS uses its kernels" &&
  that "one line" [ "$(wc -l <err)" -eq 1 ]
if has_sim; then run 0 bench potrf --n 8 --repeat 1 --vs none --backend sim:0 && lacks out "advice"; fi
export OPENBLAS_CORETYPE="$advised"
run 0 info && has out " $advised " && lacks out "advice" && lacks out "kernels of our own"
run 0 bench potrf --n 8 --repeat 1 && lacks out "advice"
unset OPENBLAS_CORETYPE

finish
