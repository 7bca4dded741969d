#!/bin/sh
# test_openblas.sh TRIGON - the advice of the command if OpenBLAS takes the CPU for an older CPU.
. "$(dirname "$0")/cli_support.sh"

library=cpu:libopenblas.so.0
"$trigon" info --backend $library >out 2>err
if ! grep -q "^$library .*OpenBLAS.*DYNAMIC_ARCH" out || ! grep -qw avx2 /proc/cpuinfo; then
  skip "no OpenBLAS that chooses among kernels, or no AVX2"
  finish
  exit
fi

# ----------------------------------------------------------------------------------------------------- advice --
advice="advice: OpenBLAS uses its kernels for Prescott (SSE), but this CPU has AVX"
export OPENBLAS_CORETYPE=Prescott
run 0 info && lacks out "$advice" # the backend cpu has no OpenBLAS
for options in "" '?leaf=vendor' '?native=1' '?leaf=vendor&stop=64'; do
  run 0 info --backend "$library$options" && has out "$advice" && has out "before the program starts"
  that "only the backend cpu has kernels of our own" [ "$(grep -c "kernels of our own" out)" -eq 1 ]
  lacks out "computes with kernels of its own"
done
advised=$(sed -n 's/.*set OPENBLAS_CORETYPE=\([A-Za-z0-9]*\) .*/\1/p' out)
run 0 info --backend "$library?leaf=packed" && has out ": Trigon computes with kernels of its own; for OpenBLAS, set"
run 0 bench potrf --n 8 --repeat 1 --backend $library && has out "% $advice" && that "errors" empty err
run 0 bench potrf --n 8 --repeat 1 --backend "$library?trace=1" && has out "% $advice"
run 0 bench potrf --n 8 --repeat 1 --csv --backend $library && lacks out "advice" && has err "bench: note: $advice" &&
  that "one line" [ "$(wc -l <err)" -eq 1 ]
# The advice on the library that Trigon is compared with.
run 0 bench potrf --n 8 --repeat 1 && has out "% $advice" && that "errors" empty err
run 0 bench potrf --n 8 --repeat 1 --csv && lacks out "advice" && has err "bench: note: $advice" &&
  that "two lines" [ "$(wc -l <err)" -eq 2 ]
run 0 bench potrf --n 8 --repeat 1 --vs none && lacks out "advice"
if has_sim; then run 0 bench potrf --n 8 --repeat 1 --vs none --backend sim:0 && lacks out "advice"; fi
export OPENBLAS_CORETYPE="$advised"
run 0 info --backend $library && has out " $advised " && lacks out "advice"
run 0 bench potrf --n 8 --repeat 1 && lacks out "advice"
unset OPENBLAS_CORETYPE

finish
