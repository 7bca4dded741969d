#!/bin/sh
# test_cli_fp64.sh TRIGON - the option --fp64 of bench, solve, factor and invert, and the option --spread of bench:
# wrong values, what the rows and reports tell about emulated products, and that the results stay right.
. "$(dirname "$0")/bench_support.sh"

# ------------------------------------------------------------------------------------------------------ usage --
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n4\n1\n5\n' >small.mtx
for command in "bench gemm" "solve small.mtx" "factor small.mtx -o L.npy" "invert small.mtx -o I.npy"; do
  # shellcheck disable=SC2086 # words are meant to be split
  {
    run 2 $command --fp64 && has err "option '--fp64' needs a value"
    for value in "" float double_float INT8 int9 int8x; do
      run 2 $command --fp64 "$value" && has err "--fp64: 'native', 'double-float', 'int8' or 'auto' is expected" &&
        has err "not '$value'"
    done
    for accuracy in "" 1 21 -3 14x 0x9 Fast guaranteed:14 99999999999999999999; do
      run 2 $command --fp64 "int8:$accuracy" && has err "number of moduli from 2 to 20" && has err "not '$accuracy'"
    done
    run 2 $command --fp64 native:14 && has err "--fp64: native has no accuracy: 'native:14'"
    run 2 $command --fp64 double-float:fast && has err "--fp64: double-float has no accuracy: 'double-float:fast'"
    that "no file" absent L.npy && that "no file" absent I.npy
  }
done
run 2 bench potrf_batch --fp64 int8 && has err "unknown option '--fp64'"
for value in "" x 1x -1 51 nan inf; do
  run 2 bench gemm --spread "$value" && has err "--spread: a number from 0 to 50 is expected for type d, not '$value'"
done
run 2 bench gemm --type z --spread 50.1 && has err "--spread: a number from 0 to 50 is expected for type z, not '50.1'"
for value in 5.1 50; do # floats overflow sooner than doubles
  run 2 bench gemm --type s --spread $value &&
    has err "--spread: a number from 0 to 5 is expected for type s, not '$value'"
  run 2 bench potrf --type zdc --spread $value &&
    has err "--spread: a number from 0 to 5 is expected for type c, not '$value'" && that "output" empty out
done

# ------------------------------------------------------------------------------------------------------ bench --
# key NAME EXPECTED...: the values of a key in the detail of Trigon's rows, in order.
key() {
  name=$1
  shift
  values=$(awk -F, '$4 == "trigon" { print ";" $15 ";" }' rows | sed "s/.*;$name=\([^;]*\);.*/\1/" | tr '\n' ' ')
  that "$name is '$values', expected '$*'" [ "$values" = "$* " ]
}

# every_mode BACKEND: the keys of each mode and accuracy.
every_mode() {
  for mode in int8:guaranteed int8:fast int8:15; do
    csv gemm --m 40,65 --n 50 --k 60 --fp64 $mode --backend "$1"
    key fp64 $mode $mode && key products 1 1 && key emulated 1 1 && key tiles 1 1 && key fell_back 0 0
    that "it takes 12 to 16 moduli, and keeps 50 bits" awk -F, '$4 == "trigon" {
      match($15, /moduli=[0-9]+/); moduli = substr($15, RSTART + 7, RLENGTH - 7)
      match($15, /bits=[0-9.]+/); bits = substr($15, RSTART + 5, RLENGTH - 5)
      if (moduli < 12 || moduli > 16 || bits < 48 || bits > 64) exit 1 }' rows
    that "Trigon and native tell their errors, gemm does not" awk -F, '
      ($15 ~ /(^|;)over=[0-9.e-]+(;|$)/) != ($4 != "gemm") { exit 1 }' rows
    that "the errors are small" awk -F, '
      match($15, /over=[0-9.e-]+/) && substr($15, RSTART + 5, RLENGTH - 5) + 0 > 2e-14 { exit 1 }' rows
    that "the others say nothing about modes" awk -F, '$4 != "trigon" && $15 ~ /fp64|moduli/ { exit 1 }' rows
  done
  csv gemm --m 40 --fp64 int8 --type s,c,z --vs native --backend "$1" # without an accuracy: guaranteed
  key fp64 int8:guaranteed int8:guaranteed int8:guaranteed && key emulated 1 1 1
  csv gemm --m 40 --fp64 int8:9 --type s --backend "$1"
  key moduli 9
  csv gemm --m 40 --n 50 --k 60 --fp64 double-float --type d,z,s --vs none --backend "$1"
  key fp64 double-float double-float double-float && key moduli 0 0 0 && key bits 48.0 48.0 0.0 && key emulated 1 1 0
  lacks rows int8_floor
  csv gemm --m 40 --fp64 native --vs none --backend "$1"
  key fp64 native && key moduli 0 && key products 0 && key emulated 0
  csv gemm --m 40 --fp64 auto:fast --vs none --backend "$1"
  key fp64 auto:fast
  csv gemm --m 40 --spread 20 --fp64 int8 --vs none --backend "$1" # too far apart for 20 moduli
  key spread 20 && key fell_back 1 && key emulated 0 && key moduli 0
}
every_mode cpu
csv gemm --m 40 --fp64 int8:7 --only native
that "native alone is not in a mode" awk -F, '$15 !~ /^over=[0-9.e-]+$/ { exit 1 }' rows
csv trsm,trmm,potrf,syrk --m 100 --n m --k m --fp64 int8 --vs native --backend 'cpu?stop=16' --type dz
that "products are emulated" awk -F, '$4 == "trigon" && $15 !~ /;products=[1-9][0-9]*;emulated=[1-9]/ { exit 1 }' rows
that "only products are compared" awk -F, '$15 ~ /over=/ { exit 1 }' rows
csv trsm --m 100 --n 10 --fp64 int8 --vs none --backend cpu # too small to be divided
key products 0 && key emulated 0
run 0 bench gemm --m 40 --repeat 1 --fp64 int8:14 && has out "%      int8:14: 1 of 1 products were emulated, with" &&
  has out "%      trigon: the largest error over |C| + |A||B| is " && has out "%      native: the largest error over"
run 0 bench gemm --m 40 --repeat 1 --fp64 double-float && lacks out "moduli" &&
  has out "%      double-float: 1 of 1 products were emulated, at least 48.0 bits kept"
run 0 bench gemm --m 40 --repeat 1 --spread 20 --fp64 int8 &&
  has out ': none of 1 products was emulated (no tile can be proved with 20 moduli); native: 1 of 1 tiles'
run 0 bench gemm --m 40 --repeat 1 --fp64 native && has out "%      native: no product was emulated"
run 0 bench gemm --m 40 --repeat 1 && lacks out "emulated" && lacks out "largest error"
run 1 bench gemm --m 40 --repeat 1 --fp64 int8:3 --csv && has err "not all residuals are below their limits" &&
  has out ";moduli=3;"

# ----------------------------------------------------------------------------------------------------- spread --
csv gemm,trsm --m 50 --n m --k m --spread 1.5
that "the spread is told, but not for the ceiling" awk -F, '
  ($15 ~ /(^|;)spread=1[.]5(;|$)/) != ($4 != "gemm") { exit 1 }' rows
csv potrf,trtri,posv,symm --m 50 --n m --spread 4 --type sdcz --vs none # the residuals are checked
column 1 potrf potrf potrf potrf trtri trtri trtri trtri posv posv posv posv symm symm symm symm
all=gemm,trmm,trsm,syrk,syr2k,symm,potrf,potrs,posv,trtri,lauum,potri
csv $all,herk,her2k,hemm --m 300 --n m --k m --spread 5 --type sc --vs none # the largest spread of floats
csv $all,herk,her2k,hemm --m 300 --n m --k m --spread 50 --type dz --vs none
csv gemm --m 50 --spread 0 --vs none
that "no spread" awk -F, '$15 != "" { exit 1 }' rows

# ------------------------------------------------------------------------------------- solve, factor, invert --
{
  printf '%%%%MatrixMarket matrix array real symmetric\n100 100\n'
  awk 'BEGIN { for (j = 1; j <= 100; j++) for (i = j; i <= 100; i++) print i == j ? 9 : 1 / (i + j) }'
} >t.mtx
# reports BACKEND
reports() {
  run 0 solve t.mtx --fp64 int8 --backend "$1?stop=16" && has out "products          int8:guaranteed" &&
    has out "potrf             " && has out "potrs             " && has out " products were emulated, with up to" &&
    has out "ok (limit 30 u)" && that "errors" empty err
  run 0 factor t.mtx --fp64 auto:12 --backend "$1?stop=16" -o L.npy && has out "products          auto:12" &&
    has out "potrf             " && lacks out "potrs"
  run 0 invert t.mtx --fp64 int8:fast --backend "$1?stop=16" -o I.npy --json && has out '"fp64": "int8:fast"' &&
    has out '"call": "potrf"' && has out '"call": "potri"' && has out '"mode": "int8"' && has out '"not_finite": 0' &&
    has out '"unproved": 0' && has out '"why": null' && has out '"ok": true'
  that "products are counted" [ "$(grep -cE '"(products|emulated|tiles|moduli)": [1-9][0-9]*,' out)" -eq 8 ]
  run 0 factor t.mtx --fp64 double-float --backend "$1?stop=16" -o L.npy && has out "products          double-float" &&
    has out "ok (limit 960 u)" && has out " products were emulated, at least 48.0 bits kept"
  # Residuals do not come from the products that they judge.
  run 1 factor t.mtx --fp64 int8:2 --backend "$1?stop=16" -o L.npy && has out "NOT ok" && has out "up to 2 moduli"
}
reports cpu
run 0 solve t.mtx --fp64 int8 && has out "potrf             no product was emulated: the call was native as a whole"
run 0 solve t.mtx && lacks out "products" && lacks out "potrf"
run 0 solve t.mtx --fp64 native && has out "products          native"
run 0 solve t.mtx --json && has out '"fp64": "native"' && lacks out '"call"'
run 0 factor t.mtx --fp64 auto --json -o L.npy && has out '"fp64": "auto:guaranteed"' && has out '"mode": "auto"'
run 0 solve t.mtx --fp64 int8 -q && that "output" empty out

# --------------------------------------------------------------------------------------------------- a device --
if has_sim; then
  every_mode sim:0
  reports sim:0
  fails bench gemm --m 20 --vs none --repeat 3 --fp64 int8
  fails factor small.mtx -o none.mtx --fp64 int8
fi
finish
