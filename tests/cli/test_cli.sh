#!/bin/sh
# test_cli.sh TRIGON - the commands solve, factor, invert and info, and what all commands have in common.
. "$(dirname "$0")/cli_support.sh"

# ------------------------------------------------------------------------------------------------- the inputs --
printf '%%%%MatrixMarket matrix array real general\n2 2\n4\n2\n2\n5\n' >a.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n10\n16\n' >b.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n' >b3.mtx
printf '%%%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n' >wide.mtx
printf '%%%%MatrixMarket matrix array real general\n2 2\n4\n2\n1\n5\n' >skew.mtx
printf '%%%%MatrixMarket matrix array real general\n2 2\n4\n2\n2.0000000000000004\n5\n' >nearly.mtx
printf '%%%%MatrixMarket matrix array complex hermitian\n2 2\n2 0\n0 1\n2 0\n' >h.mtx
printf '%%%%MatrixMarket matrix array complex symmetric\n2 2\n2 0\n0 1\n2 0\n' >cs.mtx
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n4\n2\n' >cut.mtx
{
  printf '%%%%MatrixMarket matrix coordinate real symmetric\n20 20 20\n'
  i=1
  while [ $i -le 20 ]; do
    if [ $i -eq 17 ]; then echo "$i $i -1"; else echo "$i $i $i"; fi
    i=$((i + 1))
  done
} >indefinite.mtx

zeros='\000\000\000\000\000\000'
f1="$zeros\\360\\077" f3="$zeros\\010\\100" f4="$zeros\\020\\100" f_nan="$zeros\\370\\177"
f_inf="$zeros\\360\\177"
npy '<f8' 2 2 "$f4$f1$f1$f3" >a.npy
npy '<f8' 2 2 "$f4$f_nan$f_nan$f3" >nan.npy
npy '<f8' 2 2 "$f4$f1$f1$f_inf" >inf.npy
npy '<f8' 2 2 "$f4$f1$f_nan$f3" >low.npy
npy '<f8' 2 1 "$f1$f_nan" >b_nan.npy
npy '<f4' 2 2 '\000\000\200\100\000\000\200\077\000\000\200\077\000\000\100\100' >single.npy

# ---------------------------------------------------------------------------------------------------- general --
run 2 && has err "which command?" && has err "try 'trigon --help'"
run 0 --help && has out "trigon solve A [B] [-o X]"
run 0 --version && has out "trigon 0."
run 0 help bench && has out "usage: trigon bench"
run 2 help nothing
run 2 nothing && has err "unknown command 'nothing'"
run 2 --nothing && has err "unknown option '--nothing'"
for command in solve factor invert bench tune run info; do
  run 0 $command --help && has out "usage: trigon $command" && has out "--help" && that "errors" empty err
  run 2 $command --nothing && has err "trigon $command: unknown option '--nothing'" &&
    has err "try 'trigon $command --help'" && that "output" empty out
done
run 2 solve a.mtx --backend && has err "option '--backend' needs a value"
run 2 solve a.mtx --quiet=1 && has err "option '--quiet' takes no value"
run 2 solve a.mtx b.mtx a.mtx && has err "unexpected argument 'a.mtx'"
run 2 solve && has err "which matrix?"
run 2 info something
if [ -w /dev/full ]; then
  for arguments in "--help" "--version" "info" "solve a.mtx" "solve --help" "bench potrf --n 8 --repeat 1 --csv"; do
    last="trigon $arguments >/dev/full"
    "$trigon" $arguments >/dev/full 2>err
    that "exit status $?" [ $? -eq 1 ]
    has err "cannot write to standard output"
  done
else
  skip "no /dev/full here"
fi

# ------------------------------------------------------------------------------------------------------- info --
run 0 info && has out "trigon     0." && has out "register kernels of our own" && has out "thread" &&
  has out "cuda:0" && has out "hip:0" && has out ".npy"
run 1 info --backend cpu:libnothing.so && has out "cpu:libnothing.so not available"
run 0 info --rows cpu && has out "version 2" && has out "potrf " && has out "kind " && lacks out "zlib"
run 2 info --rows cpu --backend cpu && has err "--rows"
mkdir no_plugins
given=${TRIGON_BACKEND_PATH-}
export TRIGON_BACKEND_PATH=$work/no_plugins
run 0 info && has out "cuda:0     not available: " && has out "hip:0      not available: " && has out "no_plugins" &&
  lacks out "cuda:1" && lacks out "hip:1"
run 1 info --backend cuda:3 && has out "cuda:3     not available: "
run 1 info --rows cuda:3 && has err "cuda:3: " && that "output" empty out
for command in "solve a.mtx" "factor a.mtx -o none.mtx" "invert a.mtx -o none.mtx" "bench potrf --n 4"; do
  run 1 $command --backend cuda:0 && has err "cuda:0" && that "output" empty out && that "no file" absent none.mtx
done
if [ -n "$given" ]; then TRIGON_BACKEND_PATH=$given; else unset TRIGON_BACKEND_PATH; fi

# ------------------------------------------------------------------------------------------------------ solve --
run 0 solve a.mtx && has out "2 × 2" && has out "1 right-hand side" && has out "Gflop/s" && has out "forward error" &&
  has out ": ok (limit 30 u)" && that "notes" empty err
run 0 solve a.mtx b.mtx -o x.mtx && near x.mtx 1.125 2.75 && lacks out "forward error"
run 0 solve -ox.mtx.gz a.mtx b.mtx && that "reads back" sh -c 'gzip -dc x.mtx.gz >unpacked.mtx' &&
  near unpacked.mtx 1.125 2.75
run 0 solve a.mtx b.mtx --output=x.npy -q && that "output" empty out && that "errors" empty err
run 0 solve a.mtx x.npy && has out ": ok"
for option in native=1 leaf=vendor; do
  run 1 solve a.mtx b.mtx --backend "cpu?$option" -o none.mtx && that "no file" absent none.mtx &&
    has err "$option needs a BLAS, and the context names none: cpu:LIBRARY, as in cpu:libopenblas.so.0?$option"
  if has_openblas; then
    run 0 solve a.mtx b.mtx --backend "cpu:libopenblas.so.0?$option" -o x.mtx && near x.mtx 1.125 2.75
  fi
done
run 0 solve a.mtx --uplo upper -- b.mtx
run 0 solve h.mtx -o x.mtx && near x.mtx 1 0 1 0 && has out "type z"
run 0 solve h.mtx b.mtx -o x.mtx && has err "B is converted from type d to z" && near x.mtx \
  6.666666666666667 5.333333333333333 10.666666666666667 -3.333333333333333
run 0 solve a.npy && has out "type d"
run 0 solve single.npy && has out "type s"
run 0 solve single.npy b.mtx && has err "A is converted from type s to d"
printf '%%%%MatrixMarket matrix array real symmetric\n0 0\n' >empty.mtx
run 0 solve empty.mtx && has out "0 × 0" && has out ": ok"
run 1 solve indefinite.mtx -o x17.mtx &&
  has err "A is not positive definite: its leading minor of order 17 fails" && that "no file" absent x17.mtx
run 1 solve wide.mtx && has err "A must be square, but is 2 × 3"
run 1 solve a.mtx b3.mtx && has err "B must have as many rows as A, 2, but is 3 × 1"
run 1 solve missing.mtx && has err "missing.mtx: "
run 1 solve cut.mtx && has err "cut.mtx:"
run 1 solve a.mtx --backend nothing && has err "nothing"
run 2 solve a.mtx --uplo left && has err "--uplo is 'lower' or 'upper', not 'left'"
run 2 solve a.mtx -o x.txt && has err "x.txt" && has err ".npy"
run 1 solve a.mtx -o missing/x.mtx && has err "cannot write into the folder missing"
mkdir folder.mtx
run 1 solve a.mtx -o folder.mtx && has err "is a folder"

# Symmetry, and values that are not numbers.
run 1 solve skew.mtx && has err "A is not symmetric: A(2,1) is 2, A(1,2) is 1" && has err "--uplo"
run 0 solve skew.mtx --uplo lower b.mtx -o x.mtx && near x.mtx 1.125 2.75
run 0 solve skew.mtx --uplo upper b.mtx -o x.mtx && near x.mtx 1.789473684210526 2.842105263157895
run 0 solve nearly.mtx && has err "note: nearly.mtx: A is symmetric only up to rounding (A(2,1)"
run 0 solve nearly.mtx -q && that "notes" empty err
run 1 solve cs.mtx && has err "A is not Hermitian: A(2,1)"
run 1 solve nan.npy && has err "A(2,1) is not a number" && lacks out "ok"
run 1 solve inf.npy && has err "A(2,2) is infinite" && lacks out "ok"
run 1 solve a.npy b_nan.npy && has err "B(2,1) is not a number" && lacks out "ok"
run 1 solve low.npy && has err "A(2,1) is not a number"
run 0 solve low.npy --uplo upper
run 1 solve low.npy --uplo lower && has err "not a number"

# --------------------------------------------------------------------------------------------- factor, invert --
run 2 factor a.mtx && has err "-o is missing"
run 2 invert a.mtx && has err "-o is missing"
run 2 factor a.mtx b.mtx -o l.mtx && has err "unexpected argument"
run 0 factor a.mtx -o l.mtx && near l.mtx 2 1 0 2 && has out ": ok" && has out "L   "
run 0 factor a.mtx --uplo upper -o u.mtx && near u.mtx 2 0 1 2 && has out "U   "
run 0 factor h.mtx -o l.mtx && near l.mtx 1.414213562373095 0 0 0.707106781186548 0 0 1.224744871391589 0
run 0 invert a.mtx -o i.mtx && near i.mtx 0.3125 -0.125 0.25 && has i.mtx "real symmetric" &&
  has out "condition number"
run 0 invert a.mtx --uplo upper -o i.mtx && near i.mtx 0.3125 -0.125 0.25
run 0 invert i.mtx -o back.mtx && near back.mtx 4 2 5
run 0 invert a.npy -o i.npy && run 0 solve i.npy && has out ": ok"
run 0 invert h.mtx -o i.mtx && has i.mtx "complex hermitian" && near i.mtx \
  0.666666666666667 0 0 -0.333333333333333 0.666666666666667 0
run 0 invert single.npy -o i.npy && run 0 solve i.npy && has out "type s"
for command in factor invert; do
  run 1 $command indefinite.mtx -o none.mtx && has err "leading minor of order 17" && that "no file" absent none.mtx
  run 1 $command nan.npy -o none.mtx && has err "not a number" && lacks out "ok" && that "no file" absent none.mtx
done

# -------------------------------------------------------------------------------------------------- a device --
tridiagonal 90 >t90.mtx
tridiagonal 400 >t400.mtx
run 0 solve a.mtx && lacks out "copying" # the CPU copies no matrix

# same ARGUMENTS...: the device and the CPU must write the same.
same() {
  run 0 "$@" -o cpu.mtx -q
  run 0 "$@" -o sim.mtx -q --backend sim:0 && that "errors" empty err
  near sim.mtx $(awk '!/^%/ && ++lines > 1' cpu.mtx)
}
if has_sim; then
  run 0 info --backend sim:0 && has out "sim:0      simulated GPU"
  run 0 info --rows sim:0 && has out "kind simulated" && has out "tile lauum 128x128 least-order=100" &&
    has out "batch potrf d 64 mma-strips-64 alone" && has out "batch trsm s 1 one-column most-order=40" &&
    has out "limit trsm-batch-blocks 1024"
  run 0 info --rows 'sim:0?arch=hopper' && has out "kind hopper" && has out "batch trsm s 1 one-column most-order=512"
  run 0 info --rows 'sim:0?arch=portable' && has out "kind portable" && lacks out "mma" && has out "batch invert d 64"
  run 0 solve a.mtx b.mtx --backend sim:0 -o x.mtx && near x.mtx 1.125 2.75 && has out "backend           sim:0" &&
    has out "copying" && has out ": ok (limit 30 u)"
  run 0 solve h.mtx --backend 'sim:0?warp=64&seed=3' -o x.mtx && near x.mtx 1 0 1 0 && has out "type z"
  run 0 solve single.npy --backend sim:1 && has out "type s" && has out ": ok"
  run 0 solve empty.mtx --backend sim:0 && has out ": ok"
  run 0 solve a.mtx b.mtx --backend 'sim:0:host?stop=1' -o x.mtx && near x.mtx 1.125 2.75 && has out ": ok"
  run 0 solve h.mtx --backend 'sim:0-2?stop=1' -o x.mtx && near x.mtx 1 0 1 0 && has out ": ok"
  run 0 invert a.mtx --backend 'sim:1-2?stop=1' -o i.mtx && near i.mtx 0.3125 -0.125 0.25
  run 0 factor a.mtx --backend sim:0 -o l.mtx && near l.mtx 2 1 0 2 && has out ": ok"
  run 0 factor a.mtx --uplo upper --backend sim:0 -o u.mtx && near u.mtx 2 0 1 2
  run 0 invert a.mtx --backend sim:0 -o i.mtx && near i.mtx 0.3125 -0.125 0.25 && has out "condition number"
  for uplo in lower upper; do
    for command in solve factor invert; do same $command t90.mtx --uplo $uplo; done
  done
  same invert h.mtx
  rm -f none.mtx
  for command in solve factor invert; do
    run 1 $command indefinite.mtx --backend sim:0 -o none.mtx && has err "leading minor of order 17" &&
      that "no file" absent none.mtx
    run 1 $command t400.mtx --backend 'sim:0?memory=3M' -o none.mtx && has err "trigon $command: A, 400 × 400" &&
      has err "does not fit" && that "no file" absent none.mtx
  done
  fails solve t90.mtx -o none.mtx
  fails factor t90.mtx -o none.mtx
  fails invert t90.mtx -o none.mtx
  run 1 solve a.mtx --backend 'sim:0?native=1' && has err "native=1"
fi

# -------------------------------------------------------------------------------------------- real matrices --
for name in bcsstk16 mhd1280b; do
  if [ -r "$test_data/$name.mtx.gz" ]; then
    run 0 solve "$test_data/$name.mtx.gz" && has out ": ok (limit 30 u)" && has out "forward error"
  else
    skip "$name.mtx.gz is not in $test_data"
  fi
done
if [ -r "$test_data/mhd1280b.mtx.gz" ]; then
  run 0 factor "$test_data/mhd1280b.mtx.gz" --uplo upper -o u.npy && has out ": ok"
  run 0 invert "$test_data/mhd1280b.mtx.gz" -o i.npy && has out ": ok"
fi

finish
