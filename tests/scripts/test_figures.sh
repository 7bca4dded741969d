#!/bin/sh
# test_figures.sh - scripts/gpu-figures, hosted-figures and eigen-figures draw what the benchmarks print, and refuse the
# rest.
. "$(dirname "$0")/scripts_support.sh"
command -v gnuplot >/dev/null || { skip "gnuplot is not installed"; finish; exit; }
export LC_ALL=C # gnuplot would complain about characters

# ------------------------------------------------------------------------------------------------- hosted-figures --
# hosted BACKEND IMPL N MS: a row of a square solve
hosted() { row trsm "$2" LLNN "$3" "$3" "$4" "$((1000000 / $4))" "" "in_bytes=$3000000000" | sed "s/cuda:0/$1/"; }
{
  echo "$columns"
  hosted cuda:0:host trigon 8192 20
  hosted cuda:0:host trigon 8192 7777 # not the first
  hosted cuda:0:host trigon 4096 10
  hosted cuda:0-0 cublasxt 4096 50
} >one.csv
{ echo "$columns"; hosted cuda:2-3 trigon 4096 6; hosted cuda:0-3 trigon 4096 5; } >two.csv
DOCS=$work CARD="two cards" script hosted-figures one.csv two.csv
that "exit status $status" [ $status -eq 0 ] && that "errors" empty err
has out "drawn: $work/hosted.svg" && has hosted.svg "Trigon, two GPUs" && has hosted.svg "cuBLASXt, one GPU"
has hosted.svg "n × n, two cards" && lacks hosted.svg "cuBLASXt, two GPUs"
has out "| DTRSM, 1 GPU | 4096 | 10 | 4.1e+03, 0 | 50 |" && has out "| DTRSM, 1 GPU | 8192 | 20 | 8.19e+03, 0 | - |"
has out "| DTRSM, 2 GPUs | 4096 | 6 |" && lacks out 7777
if command -v xmllint >/dev/null; then that "well-formed" xmllint --noout hosted.svg; fi
# Without a file it measures: a script takes the place of gpu-check.
mkdir -p tree/scripts
cp "$source_folder/scripts/hosted-figures" "$source_folder/scripts/figure-panels" tree/scripts
printf '#!/bin/sh\n[ "$PARTS $1" = "figures hosted" ] && mkdir "$2" && cp "%s"/one.csv "$2/hosted-1.csv"\n' "$work" \
  >tree/scripts/gpu-check
chmod +x tree/scripts/gpu-check
last="hosted-figures without a file"
DOCS=$work WORK=$work/measured bash tree/scripts/hosted-figures >out 2>err
status=$?
that "exit status $status" [ $status -eq 0 ] && has out "| DTRSM, 1 GPU | 8192 | 20 |"
DOCS=$work WORK=$work/measured bash tree/scripts/hosted-figures >out 2>err # the folder is there: no measurement
status=$?
that "exit status $status" [ $status -eq 1 ] && has err "the measurement failed"
script hosted-figures two.csv
that "exit status $status" [ $status -eq 1 ] && has err "there are no rows of TRSM or TRMM on one GPU"
script hosted-figures nothing.csv
that "exit status $status" [ $status -eq 1 ] && has err "cannot read nothing.csv"

# ---------------------------------------------------------------------------------------------------- gpu-figures --
{
  echo "$columns"
  for m in 1024 2048; do
    for routine in trsm trmm; do
      for n in 1 64 512 $m; do
        for impl in trigon native gemm; do row $routine $impl LLNN $m $n 1 1000 0.5; done
      done
    done
    row trmm native-oop LLNN $m $m 1 1000
    for impl in trigon native gemm; do row potrf $impl L "" $m 1 1000 0.5; done
  done
} >times.csv
{
  echo "routine,type,impl,m,n,kernels,read_bytes,write_bytes"
  for m in 2048 4096; do
    for routine in trsm trmm; do
      for impl in trigon native; do echo "$routine,d,$impl,$m,$m,3,123456789,12345678"; done
    done
    echo "gemm,d,native,$m,$m,1,123456789,12345678"
  done
} >traffic.csv
DOCS=$work script gpu-figures traffic.csv times.csv times.csv
that "exit status $status" [ $status -eq 0 ] && that "errors" empty err
for picture in square thin traffic; do
  has out "drawn: $work/gpu-$picture.svg" && has gpu-$picture.svg "</svg>" && has gpu-$picture.svg "Trigon"
  if command -v xmllint >/dev/null; then that "well-formed" xmllint --noout gpu-$picture.svg; fi
done
has out "| GB read, written (kernels) | 2048 | 4096 |" && has out "| DTRMM, cuBLAS | 0.123, 0.0123 (3) |"
has gpu-square.svg "cuSOLVER" && has gpu-square.svg "cuBLAS, out of place" && has gpu-square.svg "DPOTRF"
has gpu-thin.svg "DTRSM, 512 columns" && has gpu-thin.svg "DTRMM, 1 column<" && has gpu-thin.svg "floor"
has gpu-traffic.svg "DTRMM, written" && has gpu-traffic.svg "least" && has gpu-traffic.svg "GEMM"
rm gpu-*.svg
sed '/,1,,1,/d; /potrf/d' times.csv >part.csv # panels without rows stay empty
DOCS=$work script gpu-figures part.csv
that "exit status $status" [ $status -eq 0 ] && that "no picture of bytes" absent gpu-traffic.svg
echo "$columns" >empty.csv
DOCS=$work script gpu-figures empty.csv
that "exit status $status" [ $status -eq 1 ] && has err "have no rows of trsm"

# -------------------------------------------------------------------------------------------------- eigen-figures --
{
  echo "$columns"
  for n in 512 1024; do
    for impl in trigon native; do
      row gemv $impl N $n $n 2 500 1
      row symv $impl L "" $n 1 1000 0.5
    done
    row syevd trigon NL $n $n 31 30 "" "clock=wall;spectrum=clustered"
    row syevd trigon NL $n $n 32 30 "" "clock=wall;spectrum=random"
    row syevd native NL $n $n 33 30 "" "torch=2;spectrum=random"
    row syevd trigon VL $n $n $((n / 16)) 30
  done
} >eigen.csv
DOCS=$work CARD="one card" script eigen-figures eigen.csv
that "exit status $status" [ $status -eq 0 ] && that "errors" empty err
has out "| 512 | 2, 2 | 1, 1 | 32, 33 | 32, - |" && has out "| 1024 | 2, 2 |"
has eigen.svg "DSYEVD, values and vectors" && has eigen.svg "cuSOLVER, by PyTorch" && has eigen.svg "cuBLAS"
has eigen.svg "one card" && has eigen.svg "at the rate of a copy"
if command -v xmllint >/dev/null; then that "well-formed" xmllint --noout eigen.svg; fi
# Without a file it measures.
SIZES=16,40 ROW_SECONDS=0.01 OUT=$work/new/measured.csv TRIGON=$trigon DOCS=$work script eigen-figures
that "exit status $status" [ $status -eq 0 ] && has out "written: $work/new/measured.csv" && has out "| 40 | "
that "all routines and variants" [ "$(cut -d, -f1,4,5 new/measured.csv | grep -c ',trigon,')" -eq 8 ]
SIZES=none OUT=$work/new/measured.csv TRIGON=$trigon DOCS=$work script eigen-figures
that "exit status $status" [ $status -eq 1 ] && has err "the measurement failed"
script eigen-figures empty.csv
that "exit status $status" [ $status -eq 1 ] && has err "there are no rows of SYMV or SYEVD"
finish
