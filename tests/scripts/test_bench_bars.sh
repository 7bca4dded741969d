#!/bin/sh
# test_bench_bars.sh - scripts/bench-bars computes geometric means, finds small and missing rows, and judges each bar.
# scripts/bench-cpu runs each process in turns and writes medians.
. "$(dirname "$0")/../cli/cli_support.sh"
bars=$source_folder/scripts/bench-bars

# begin: starts a file of results. row ROUTINE TYPE BUILD VARIANT M N K MS [DETAIL]: adds a row. The build is "trigon"
# or the native library's. The rate is 1000/MS.
columns="routine,type,backend,impl,variant,m,n,k,batch,ms,gflops,error,extra_bytes,floor_ms,detail"
begin() { echo "$columns" >results.csv; }
row() {
  impl=native
  [ "$3" != trigon ] || impl=trigon
  echo "$1,$2,$3,$impl,$4,$5,$6,$7,1,$8,$(echo "$8" | awk '{ print 1000 / $1 }'),1e-17,0,,${9-}" >>results.csv
}
# potri ORDER OURS NATIVE: both rows of a POTRI.
potri() { row potri d trigon L "" "$1" "" "$2"; row potri d openmp L "" "$1" "" "$3"; }

# judge STATUS SET: judges the file; the exit status must be STATUS.
judge() {
  last="bench-bars $2"
  bash "$bars" results.csv "$2" >out 2>err
  status=$?
  that "exit status $status, expected $1" [ $status -eq "$1" ]
  that "errors" empty err
}
# verdict NAME ROWS MEAN LEAST UNDER WORD: the line of a bar.
verdict() {
  line=$(grep "^$1 " out)
  values=$(echo "${line#"$1"}" | awk '{ print $1 "/" $3, $4, $6, $(NF - 1), $NF }')
  that "the line is '$line', expected $*" [ "$values" = "$2 $3 $4 $5 $6" ]
}

# ------------------------------------------------------------------------------------------------- wrong usage --
last=usage
bash "$bars" >out 2>err
that "exit status $?" [ $? -eq 2 ] && has err "FILE.csv... avx2|avx512|prescott|threads|beside"
echo "a,b" >results.csv
judge 2 avx2 && has out "no result of trigon bench --csv"
begin
bash "$bars" results.csv sse >out 2>err
that "exit status $?" [ $? -eq 2 ]
bash "$bars" nothing.csv avx2 >out 2>err
that "exit status $?" [ $? -eq 2 ] && has err "cannot read nothing.csv"

# -------------------------------------------------------------------------------------------- means and verdicts --
# The ratios are 2, 1, 1, 2: the mean is the square root of 2, between the bars.
begin
potri 512 1 2; potri 1024 3 3; potri 2048 5 5; potri 4096 7 14
judge 0 avx2 && verdict DPOTRI 4/4 1.414 1.000 0 pass && has out "dpotri L 1024"
has out "all measured bars reached" && has out "not measured: DGEMM, squares; DGEMM, k or n = 64; DTRSM, grid T"
judge 1 avx512 && verdict DPOTRI 4/4 1.414 1.000 0 FAIL && has out "1 of the measured bars missed"

# A small row fails the bar although the mean is high enough.
begin
potri 512 1 9; potri 1024 100 96; potri 2048 1 9; potri 4096 1 9
judge 1 avx512 && verdict DPOTRI 4/4 5.143 0.960 1 FAIL && has out "under 0.97: dpotri L 1024                0.960"
begin
potri 512 1 9; potri 1024 100 98; potri 2048 1 9; potri 4096 1 9
judge 0 avx512 && verdict DPOTRI 4/4 5.170 0.980 0 pass && lacks out "under 0.97"

# A row without a partner is missing, on either side.
begin
potri 512 1 2; potri 1024 1 2
row potri d trigon L "" 2048 "" 1
row potri d openmp L "" 4096 "" 1
judge 1 avx2 && verdict DPOTRI 2/4 2.000 2.000 0 FAIL && has out "missing: dpotri L 2048 (native)" &&
  has out "missing: dpotri L 4096 (ours)"
begin
row potri d trigon L "" 2048 "" 1 # nothing has a partner
judge 1 avx2 && has out "missing: dpotri L 2048 (native)"
that "it fails" grep -q '^DPOTRI .*FAIL$' out

# Native is the faster build of each row. A ratio is the median of the ratios of the turns, not the ratio of medians.
begin
potri 512 2 4
row potri d pthread L "" 512 "" 3
row potri d trigon L "" 1024 "" 2 "turn_ms=2/4/1"
row potri d openmp L "" 1024 "" 4 "turn_ms=3/6/4"
row potri d pthread L "" 1024 "" 5 "turn_ms=5/5/5"
judge 0 avx2 && verdict DPOTRI 2/4 1.500 1.500 0 pass

# Several files have the turns of all: a row that is small in one run of three is not small.
begin
potri 512 1 0.5 && mv results.csv first.csv
begin
row potri d trigon L "" 512 "" 1 "turn_ms=1/1"
row potri d openmp L "" 512 "" 2 "turn_ms=2/3"
bash "$bars" first.csv results.csv avx2 >out 2>err
that "exit status $?, expected 0" [ $? -eq 0 ] && verdict DPOTRI 1/4 2.000 2.000 0 pass
bash "$bars" results.csv nothing.csv avx2 >out 2>err
that "exit status $?" [ $? -eq 2 ] && has err "cannot read nothing.csv"

# A row that was handed whole to the library counts 1.00 and is listed.
begin
row syrk d trigon LN 512 512 512 10 "vendor=1;turn_ms=10"
row syrk d openmp LN 512 512 512 9 "turn_ms=9"
judge 0 avx2 && verdict DSYRK 1/4 1.000 1.000 0 pass && has out "handed whole to the library: dsyrk LN 512"
begin
row syrk d trigon LN 512 512 512 10
row syrk d openmp LN 512 512 512 9
judge 1 avx2 && verdict DSYRK 1/4 0.900 0.900 1 FAIL

begin
potri 512 0 1 # a time of 0 was not measured
judge 1 avx2 && has out "missing: dpotri L 512 (ours)"

# ------------------------------------------------------------------------------------------------- which rows --
begin
for variant in LLNN RUNN; do
  for n in 512 64; do row trsm s trigon $variant 512 $n "" 10; row trsm s openmp $variant 512 $n "" 12; done
done
row trsm d trigon LLNN 64 64 "" 1
row trsm d openmp LLNN 64 64 "" 3
row potrs d trigon L 8 1 "" 1
row potrs d openmp L 8 1 "" 3
row potrs d trigon L 512 16 "" 1
row potrs d openmp L 512 16 "" 1.6
row trsm d trigon LLNN 512 1 "" 1
row trsm d openmp LLNN 512 1 "" 1.2 "call=trsv;turn_ms=1.2"
judge 0 avx2 && verdict "STRSM, grid T" 4/126 1.200 1.200 0 pass && verdict "small orders" 2/36 3.000 3.000 0 pass &&
  verdict DPOTRS 1/16 1.600 1.600 0 pass && verdict "DTRSM, one side, to DTRSV" 1/8 1.200 1.200 0 pass &&
  has out "not measured: DGEMM, squares"

# Squares and thin products have bars of their own. A batch is named by its sizes.
begin
row gemm d trigon NN 512 512 512 10; row gemm d openmp NN 512 512 512 10
row gemm d trigon NN 512 512 64 10; row gemm d openmp NN 512 512 64 20
row gemm d trigon NN 512 64 512 10; row gemm d openmp NN 512 64 512 20
for sizes in uniform:32 uniform:64; do
  row potrf_batch d trigon L "" 64 "" 1 "sizes=$sizes;max=0;turn_ms=1"
  row potrf_batch d openmp L "" 64 "" 2 "sizes=$sizes;max=0;turn_ms=2"
done
judge 0 avx2 && verdict "DGEMM, squares" 1/9 1.000 1.000 0 pass &&
  verdict "DGEMM, k or n = 64" 2/10 2.000 2.000 0 pass && verdict batches 2/6 2.000 2.000 0 pass &&
  has out "dpotrf_batch L 64 uniform:32"

# The share of DGEMM's rate: 0.85 is enough for order 1024, and not for 2048.
begin
for n in 1024 2048; do
  row trsm d trigon LLNN $n $n "" 20
  row trsm d openmp LLNN $n $n "" 40
  row gemm d trigon NN $n $n $n 17
  row gemm d openmp NN $n $n $n 17
done
judge 1 avx512
that "1024" grep -q '^DTRSM/DGEMM, 1024 .* 0.850 .* pass$' out
that "2048" grep -q '^DTRSM/DGEMM, from 2048 on .* 0.850 .* FAIL$' out
judge 0 avx2

# A call of order 1 shows what a call costs.
begin
potri 1 0.0001 0.0003
judge 0 avx2 && has out "dpotri L 1                 100 ns, openmp 300 ns"

# Other sets of bars.
begin
potri 512 1 3.4; potri 1024 1 3.4
judge 1 prescott && verdict DPOTRI 2/4 3.400 3.400 0 FAIL
begin
potri 4096 1 1.1; potri 8192 100 95
judge 0 threads && verdict DPOTRI 2/2 1.022 0.950 0 pass
begin
potri 4096 1 1.5; potri 8192 100 89
judge 1 beside && verdict "all rows" 2/0 1.155 0.890 1 FAIL

# ------------------------------------------------------------------------------------------- scripts/bench-cpu --
# A command that measures nothing: native takes 6 ms each time, ours 4, 1, 3 in the three turns.
cat >fake <<'END'
#!/bin/sh
library=${0%/*}/libopenblas.so.0
case " $* " in
*" info --backend cpu?stop=8 ") echo "cpu?stop=8 register kernels"; exit ;;
*" info --backend cpu:$library ")
  echo "cpu        register kernels"
  echo "cpu:$library OpenBLAS 0.0 USE_OPENMP Zen"
  exit
  ;;
*" info --backend "*) echo "$3 not available: cannot load"; exit 1 ;;
*" --backend cpu --only native --vs direct --native $library "*" --csv ") impl=native ms=6 ;;
*" --backend cpu?stop=8 --only trigon "*) impl=trigon ms=$(sed -n 1p "$0.times"); sed -i 1d "$0.times" ;;
*) echo "wrong arguments: $*" >&2; exit 1 ;;
esac
echo "routine,type,backend,impl,variant,m,n,k,batch,ms,gflops,error,extra_bytes,floor_ms,detail"
echo "potrf,d,cpu,$impl,L,,512,,1,$ms,$(echo $ms | awk '{ print 12 / $1 }'),1e-1$ms,0,,"
END
chmod +x fake
bench_cpu() {
  last="bench-cpu $*"
  TRIGON=$work/fake WORK=$work/made BUILDS="${builds-$work/libopenblas.so.0}" OUT=$work/made.csv BACKEND='cpu?stop=8' \
    bash "$source_folder/scripts/bench-cpu" "$@" >out 2>err
  status=$?
}
printf '4\n1\n3\n' >fake.times
bench_cpu full potrf
that "exit status $status" [ $status -le 1 ] # the bar depends on the CPU
has out "ours: cpu?stop=8: register kernels" && has out "native: openblas-0.0-openmp: OpenBLAS 0.0" &&
  has out "written: $work/made.csv"
has made.csv "potrf,d,cpu,trigon,L,,512,,1,3,4,1e-11,0,,turn_ms=4/1/3"
has made.csv "potrf,d,openblas-0.0-openmp,native,L,,512,,1,6,2,1e-16,0,,turn_ms=6/6/6"
that "the file has two rows and the names" [ "$(wc -l <made.csv)" -eq 3 ]
has out "DPOTRF, 512 to 2048          1 of   3   2.000"
printf '4\n1\n3\n' >fake.times
PART=1/2 bench_cpu full potrf # the group has one piece
that "exit status $status" [ $status -le 1 ] && has out "written: $work/made.csv"
PART=2/2 bench_cpu full potrf
that "exit status $status" [ $status -eq 1 ] && has err "mode full has no piece of these groups, or no part 2/2"
PART=3/2 bench_cpu full potrf
that "exit status $status" [ $status -eq 2 ] && has err "PART=3/2 is no I/N"
builds="$work/missing.so" bench_cpu full potrf
that "exit status $status" [ $status -eq 1 ] && has err "missing.so cannot be loaded; it is left out" &&
  has err "there is no OpenBLAS to compare with"
printf '#!/bin/sh\n[ "$1" = info ] || exit 1\necho "$3 OpenBLAS"\n' >fake
bench_cpu full potrf
that "exit status $status" [ $status -eq 1 ] && has err "this failed: trigon bench potrf"
bench_cpu
that "exit status $status" [ $status -eq 2 ] && has err "quick|full|prescott|threads [GROUP...]"
bench_cpu full posv
that "exit status $status" [ $status -eq 2 ] && has err "unknown group \"posv\""

# --------------------------------------------------------------------------------------------- scripts/figure10 --
begin
for library in BLIS MKL; do
  for n in 512 64; do
    for m in 512 1024; do
      for impl in trigon native; do
        echo "trsm,d,$library,$impl,LLNN,$m,$([ $n = 512 ] && echo $m || echo $n),,1,3,4,1e-17,0,2.5," >>results.csv
      done
    done
  done
done
if command -v gnuplot >/dev/null; then
  last=figure10
  WORK=$work/made SVG=$work/figure.svg bash "$source_folder/scripts/figure10" "$work/results.csv" >out 2>err
  that "exit status $?" [ $? -eq 0 ] && has out "drawn: $work/figure.svg" && that "errors" empty err
  for text in BLIS MKL "DTRSM LLNN, n = m" "DTRSM LLNN, n = 64" 1024; do has figure.svg "$text"; done
  has figure.svg "time of the recursion over the same library"
  sed -i 's/^\(trsm,.*,trigon,.*,\)$/\1leaf=packed;threads=2/' results.csv # as OPTIONS=leaf=packed measures
  WORK=$work/made SVG=$work/packed.svg bash "$source_folder/scripts/figure10" "$work/results.csv" >out 2>err
  that "exit status $?" [ $? -eq 0 ] && has packed.svg "own kernels; dashed" && lacks packed.svg "recursion"
  begin
  WORK=$work/made SVG=$work/none.svg bash "$source_folder/scripts/figure10" "$work/results.csv" >out 2>err
  that "exit status $?" [ $? -eq 1 ] && has err "has no rows" && that "no picture" absent none.svg
else
  skip "gnuplot is not installed"
fi
finish
