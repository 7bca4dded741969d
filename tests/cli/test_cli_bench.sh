#!/bin/sh
# test_cli_bench.sh TRIGON - the command bench: usage, lists of sizes, CSV, table, picture, trace, a device.
. "$(dirname "$0")/bench_support.sh"

# ------------------------------------------------------------------------------------------------------ usage --
run 2 bench && has err "which routine?"
run 2 bench nothing && has err "unknown routine 'nothing'" && has err "potri"
run 2 bench potrf --m 4 && has err "potrf has no size m: it takes --n"
run 2 bench trsm --k 4 && has err "trsm has no size k"
run 2 bench potrf --n m && has err "potrf has no size m"
run 2 bench gemm --m n --n k --k m && has err "equal to itself"
run 2 bench trsm --type x && has err "'s', 'd', 'c' or 'z'"
run 2 bench trsm --type "" && has err "'s', 'd', 'c' or 'z'"
run 2 bench trsm --vs magma && has err "'native', 'direct', 'trsv', 'gemm' or 'none'"
run 2 bench trsm --vs native,direct && has err "at most one of"
run 2 bench trsm --m 8 --n 2 --vs trsv && has err "--vs trsv: TRSV takes the place of trsm"
run 2 bench trsm --m 8 --n 1 --variant RLNN --vs trsv && has err "with side L"
run 2 bench trsm --m 5000000000 --n 1 --vs trsv && has err "--m: '5000000000'"
for library in "" cpu: cpu64: 'libblis.so.4?stop=8'; do
  run 2 bench trsm --native "$library" && has err "--native: LIBRARY, cpu:LIBRARY or cpu64:LIBRARY is expected" &&
    has err "not '$library'"
done
run 2 bench trsm --native libblis.so.4 --backend cuda:0 && has err "--native names a BLAS for the CPU, not for"
run 2 bench trsm --only fast && has err "'trigon', 'native' or 'gemm'"
run 2 bench trsm --only native --plot p.svg && has err "not with --only native"
run 2 bench trsm --seconds 0 && has err "--seconds"
run 2 bench trsm --seconds 1001 && has err "--seconds"
run 2 bench trsm --seconds 1x && has err "--seconds"
for value in 0 x 1x 65 -1 1, 1,20 1,-1 1,5x ''; do
  run 2 bench trsm --beside "$value" && has err "--beside: N or N,NICE is expected, with N from 1 to 64"
done
run 2 bench trsm --variant LL && has err "'LL' is no variant of trsm"
run 2 bench syrk --type z --variant LC && has err "'LC' is no variant of syrk for type z"
run 2 bench herk --type z --variant LT && has err "'LT' is no variant of herk for type z"
run 2 bench trsm --repeat 0 && has err "--repeat"
run 2 bench trsm --repeat 5x && has err "--repeat"
run 2 bench trsm --plot picture.png && has err "ends in .svg"
run 1 bench trsm --plot missing/picture.svg && has err "missing"
run 1 bench trsm --backend nothing && has err "nothing"
run 1 bench potrf --n 100000000 --repeat 1 && has err "GB of memory"
for list in "" 0 x 5x 5,,6 5, ,5 5:6 5:6:7 5:6:*1 5:6:+0 6:5:+1 5:: 1:1000000000:+1 99999999999; do
  run 2 bench potrf --n "$list" && has err "--n: '$list'"
done

# ------------------------------------------------------------------------------------------------------ lists --
csv potrf --n 5,8:32:*2,7:13:+3 --vs none
column 7 5 8 16 32 7 10 13
column 6 "" "" "" "" "" "" ""
csv trsm --m 4,6 --n m --vs none
column 6 4 6
column 7 4 6
csv gemm --m 3 --n 4,5 --k n --vs none
column 7 4 5
column 8 4 5
csv gemm --m 3,2 --n 4,5 --k 7 --vs none
column 6 3 3 2 2
column 7 4 5 4 5
csv syrk --n 6 --k 2 --vs none
column 6 6
column 7 6
csv syrk --m 6 --k 2 --vs none
column 7 6

# ---------------------------------------------------------------------------------------------- several routines --
run 2 bench trsm,nothing && has err "unknown routine 'nothing'"
run 2 bench trsm, && has err "unknown routine ''"
run 2 bench trsm,potrf --k 4 && has err "none of trsm,potrf has a size k"
run 2 bench trsm,potrf --variant RUTU,NN && has err "'NN' is no variant of"
csv trsm,potrf,syrk --m 5,6 --n m --k 3 --vs none # the order is m for all routines
column 1 trsm trsm potrf potrf syrk syrk
column 7 5 6 5 6 5 6
column 8 "" "" "" "" 3 3
csv potrf,trsm --n 5,6 --vs none # the order is n if there is no m
column 6 "" "" 5 6
column 7 5 6 5 6
csv potrf,trsm --m 5,6 --n 2,3 --vs none
column 6 "" "" 5 5 6 6
column 7 5 6 2 3 2 3
csv trsm,trmm --m 5,6 --n 2 --vs none
column 6 5 6 5 6
column 7 2 2 2 2
csv gemm,syrk --m 5 --n m --k m --vs none
column 7 5 5
column 8 5 5
csv trsm,trsm,potrf --m 4 --n m --variant RUTU,u,LLNN --vs none # each routine takes only its own variants
column 1 trsm trsm potrf
column 5 RUTU LLNN U
csv trsm,potrf --m 4 --n m --variant RUTU --vs none
column 5 RUTU L
run 0 bench trsm,potrf --m 8 --n m --repeat 1 && has out "% trsm LLNN, type d" && has out "% potrf L, type d"

# --------------------------------------------------------------------------------------- which BLAS native calls --
run 0 bench gemm --m 16 --repeat 1 --native /none.so && has out "% without native: " &&
  has out "/none.so: cannot open" && has out "gemm Gflop/s" && lacks out "native Gflop/s" && that "errors" empty err
for vs in native direct trsv; do
  csv trsm --m 16 --n 1 --vs $vs,gemm --native cpu64:/none.so
  column 4 trigon gemm
  has err "bench: note: without native: " && has err "/none.so: cannot open"
  run 1 bench trsm --m 16 --n 1 --vs $vs --only native --native /none.so && has err "--only native: " &&
    has err "/none.so: cannot open" && that "output" empty out
done

# The loader finds files that are no libraries before it looks for the installed libraries.
mkdir no_blas
for name in libopenblas.so.0 libblis.so.4; do echo "no library" >no_blas/$name; done
kept=${LD_LIBRARY_PATH-}
export LD_LIBRARY_PATH="$work/no_blas${kept:+:$kept}"
run 0 bench gemm --m 16 --repeat 1 && has out "gemm Gflop/s" && lacks out "native Gflop/s" &&
  has out "% without native: neither libopenblas.so.0 nor libblis.so.4 can be loaded; --native LIBRARY names another"
rm no_blas/libblis.so.4
run 0 bench gemm --m 16 --repeat 1
that "BLIS, if it is installed" grep -q "% native: cpu:libblis.so.4, BLIS\|% without native: neither" out
if [ -n "$kept" ]; then LD_LIBRARY_PATH=$kept; else unset LD_LIBRARY_PATH; fi

# ----------------------------------------------------------------------------------------------- eigenproblems --
run 2 bench syevd --variant V && has err "'V' is no variant of syevd" && has err "letters as in VL"
run 2 bench syevd --m 4 && has err "syevd has no size m: it takes --n"
csv syevd --n 5,30 --type sdcz --variant all --vs none
column 5 NU NU NL NL VU VU VL VL NU NU NL NL VU VU VL VL NU NU NL NL VU VU VL VL NU NU NL NL VU VU VL VL
for vs in native direct; do
  csv syevd --n 30 --type dz --variant vl,nu --vs $vs
  if grep -q ',native,' rows; then
    column 4 trigon native trigon native trigon native trigon native
    that "native is LAPACK's routine itself" [ "$(grep -c ',native,.*,call=direct' rows)" -eq 4 ]
  else
    skip "no BLAS: native is left out"
  fi
done
run 2 bench syevdx --n 30 --k 31 && has err "--k: syevdx of order 30 has no 31 values"
csv syevdx,sygvd --n 5,30 --k 4 --type sdcz --variant all --vs none
column 1 $(yes syevdx | head -n 32) $(yes sygvd | head -n 32)
that "the sizes are n and k" awk -F, '$6 != "" || ($1 == "syevdx") != ($8 == 4) { exit 1 }' rows
for vs in native direct; do
  csv syevdx,sygvd --n 30 --k 7 --type sdcz --variant vl,nu --vs $vs
  if grep -q ',native,' rows; then
    that "native is LAPACK's routine" [ "$(grep -c ',native,.*,call=direct' rows)" -eq 16 ]
  fi
done
csv potrf,syevd --n 30 --vs native
that "POTRF goes through a context" awk -F, '$1 == "potrf" && /call=/ { exit 1 }' rows
csv syevd --n 30 --vs native --native cpu64:libopenblas64.so.0
column 4 trigon
that "why native is left out" grep -q "without native: .*\(32-bit integers\|cannot open\)" err
run 0 bench syevd --n 30 --repeat 1 --vs none && has out "% syevd VL, type d" && has out "  ok"

# ------------------------------------------------------------------------------------------------------ trace --
csv trsm --m 40 --n 10 --vs none --backend 'cpu?stop=8&trace=1'
that "the trace counts 4 GEMMs and 5 leaves" grep -q ';gemm_calls=4;gemm_blocks=4;gemm_flops=12800;trsm_calls=5;' rows
run 0 bench trsm --m 40 --n 10 --vs none --repeat 1 --backend 'cpu?stop=8&trace=1' && has out "80.0 % of the flops"

# --------------------------------------------------------------------------------------------------- a device --
# on_sim ROUTINE SIZES...: the output must have a row for Trigon and a row for the ceiling. The simulated GPU has no
# native routines.
on_sim() {
  csv "$@" --backend sim:0 --vs native,gemm
  column 3 sim:0 sim:0
  column 4 trigon gemm
  that "the row has the memory that the context holds" awk -F, '$13 < 2097152 { exit 1 }' rows
  that "the row has the host's time, which differs from the timer's" \
    awk -F, '{ sub("host_ms=", "", $15); if ($15 + 0 <= $10) exit 1 }' rows
  that "gemm tells the rate of copies and the time of a launch" \
    awk -F, '$4 == "gemm" && $15 !~ /;copy_gbs=[0-9.e+]+;launch_ms=[0-9.e+-]+$/ { exit 1 }' rows
  that "the row has a floor" awk -F, '$14 <= 0 { exit 1 }' rows
}
if has_sim; then
  run 1 bench syevd --n 8 --repeat 1 --backend sim:0:host && has err "this context has no eigensolver yet"
  on_sim syevd --n 33 --variant VL
  on_sim syevdx --n 33 --k 5 --variant VU
  on_sim sygvd --n 33 --variant NL
  on_sim gemm --m 19 --n 21 --k 17
  on_sim trmm --m 45 --n 5 --variant RUTN
  on_sim trsm --m 45 --n 5
  that "the triangle's tiles are judged" grep -q ';refused_tiles=0/1$' rows
  on_sim trsm --m 145 --n 5 --hard
  that "hard tiles are refused" grep -q ';hard=1;refused_tiles=3/3$' rows
  on_sim syrk --n 45 --k 9
  on_sim her2k --n 45 --k 9 --type z
  on_sim symm --m 45 --n 9
  on_sim potrf --n 53 --type s
  on_sim potrs --m 53 --n 3
  on_sim posv --m 53 --n 3 --type c
  on_sim trtri --n 53
  on_sim lauum --n 53
  on_sim potri --n 53
  run 0 bench trsm --m 30 --n 7 --repeat 2 --backend 'sim:0?stop=8&trace=1' && has out "% without native: " &&
    has out "native=1" && has out "trsm      " && lacks out "ratio" && that "errors" empty err
  csv trsm,potrf --n 24 --backend sim:0 --vs native,gemm
  column 4 trigon gemm trigon gemm
  run 0 bench potrf --n 24 --backend sim:0 --vs none && lacks out "native" # the default number of calls
  run 1 bench trsm --m 1000 --n m --repeat 1 --vs none --backend 'sim:0?memory=8M' &&
    has err "making operands: trigon_alloc: argument 1 (bytes): sim:0"
  run 1 bench potrf --n 24 --backend sim:0 --only native && has err "--only native: " && has err "native=1"
  run 2 bench potrf --n 24 --backend sim:0 --vs direct && has err "only the routines of a BLAS for the CPU"
  fails bench trsm --m 40 --n m --vs none --repeat 3
fi
if has_sim && [ -e "$TRIGON_BACKEND_PATH-native/libtrigon-sim.so" ]; then
  kept=$TRIGON_BACKEND_PATH
  TRIGON_BACKEND_PATH=$TRIGON_BACKEND_PATH-native
  csv gemm,syevd --n 24 --backend sim:0 --vs native # Trigon's own solver would not be native
  column 1 gemm gemm syevd
  column 4 trigon native trigon
  has err "without native: no context hands syevd to the library of a GPU"
  TRIGON_BACKEND_PATH=$kept
fi

# ------------------------------------------------------------------------------------------- a BLAS to compare with --
if ! has_openblas; then
  finish
  exit
fi
found="native: cpu:libopenblas.so.0, OpenBLAS 0."
run 0 bench potrf --n 16 --repeat 1 && has out "% $found" && has out "native Gflop/s" && that "errors" empty err
csv potrf --n 16 --vs native --backend 'cpu?threads=1&leaf=packed&blas=none' # options that native does not take
column 4 trigon native
has err "bench: note: $found"
csv potrf --n 16 --vs gemm
has err "bench: note: gemm: cpu:libopenblas.so.0, OpenBLAS"
csv potrf --n 16 --vs direct --native cpu:libopenblas.so.0 --backend cpu:libblis.so.4
has err "bench: note: $found"
csv potrf --n 16 --vs none && that "no BLAS is loaded" empty err
library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libopenblas\.so\.0 .*=> //p' | head -n 1)
run 0 bench trsm --m 16 --n 1 --repeat 1 --vs trsv --native "$library" && has out "% native: cpu:$library, OpenBLAS"
run 0 bench gemm --m 16 --repeat 1 --backend cpu:libopenblas.so.0 && lacks out "% native: " && has out " native Gflop/s"
run 0 bench gemm --m 16 --repeat 1 --vs direct --backend cpu:libopenblas.so.0 && has out " native Gflop/s"
run 1 bench gemm --m 16 --only native --native cpu64:libopenblas.so.0 && has err 'use "cpu:libopenblas.so.0"'
other() { "$trigon" info --backend "$1" >/dev/null 2>&1 || { skip "no ${1#*:}" && return 1; }; }
if other cpu64:libopenblas64.so.0; then
  run 0 bench gemm --m 16 --repeat 1 --native cpu64:libopenblas64.so.0 &&
    has out "% native: cpu64:libopenblas64.so.0, OpenBLAS"
  run 1 bench gemm --m 16 --vs direct --native cpu64:libopenblas64.so.0 && has err "only a BLAS with 32-bit integers"
fi
if other cpu:libblis.so.4; then
  run 0 bench gemm --m 16 --repeat 1 --vs direct --native libblis.so.4 && has out "% native: cpu:libblis.so.4, BLIS"
  run 1 bench potrf --n 16 --vs direct --native libblis.so.4 && has err "cpu:libblis.so.4 has no routine for potrf"
fi

# -------------------------------------------------------------------------------------------------------- CSV --
csv trsm --m 16 --n 8 --variant rutu,LLNN --type zs --vs native,gemm --backend 'cpu?stop=8&split=power'
column 1 trsm trsm trsm trsm trsm trsm trsm trsm trsm trsm trsm trsm
column 2 z z z z z z s s s s s s
column 3 $(yes 'cpu?stop=8&split=power' | head -n 12)
column 4 trigon native gemm trigon native gemm trigon native gemm trigon native gemm
column 5 RUTU RUTU RUTU LLNN LLNN LLNN RUTU RUTU RUTU LLNN LLNN LLNN
column 9 1 1 1 1 1 1 1 1 1 1 1 1
that "the row has a floor" awk -F, '$14 <= 0 { exit 1 }' rows
that "each but gemm tells its ratio to the floor" awk -F, '$4 != "gemm" {
  if (!match($15, /floor_ratio=[0-9.e+-]+/)) exit 1
  r = substr($15, RSTART + 12, RLENGTH - 12) * $14 / $10
  if (r < 0.99 || r > 1.01 || $15 !~ /floor_by=(flops|bytes)/) exit 1 }' rows
that "gemm tells the rate of copies" awk -F, '$4 == "gemm" && $15 !~ /^copy_gbs=[0-9.e+]+$/ { exit 1 }' rows
that "times and rates are positive" awk -F, '$10 <= 0 || $11 <= 0 { exit 1 }' rows
that "extra_bytes is a number or empty" awk -F, '$13 !~ /^[0-9]*$/ { exit 1 }' rows
that "the CPU has no second time" awk -F, '$15 ~ /host_ms/ { exit 1 }' rows
that "the options stand in detail" awk -F, '$4 == "trigon" && $15 !~ /;stop=8;split=power$/ { exit 1 }' rows
csv potrf --n 16 --only native # the other implementations are not measured
column 4 native
csv potrf --n 16,17 --only gemm
column 4 gemm gemm
csv potrf --n 16 --only trigon --vs native,gemm
column 4 trigon
run 0 bench potrf --n 16 --only native --repeat 1 && has out "native Gflop/s" && lacks out "ratio" && has out " ok"
run 0 bench potrf --n 64 --seconds 0.001 && has out " ok"
# The processes beside have the command's arguments, of which one is this test's own. grep's pattern does not match
# itself. With -q a process that ends meanwhile is no error.
marked=0.00123$$
beside_runs() { grep -qzx "0[.]00123$$" /proc/[0-9]*/cmdline 2>/dev/null; }
beside_ended() { ! beside_runs; }
run 0 bench potrf --n 64 --seconds $marked --beside 2,10 && has out "% beside: 2 processes that only compute, nice 10"
that "the processes beside have ended" beside_ended
"$trigon" bench potrf --n 64:1024:+1 --seconds $marked --beside 1 >/dev/null 2>&1 &
killed=$!
sleep 0.5
that "the processes beside are found while they run" beside_runs
kill -9 $killed
wait $killed 2>/dev/null || true
sleep 0.2
that "they end with a command that is killed" beside_ended
csv potrf --n 64 --only trigon --beside 1
that "the 95th percentile is not below the median" awk -F'[,;=]' '
  { late = 0; for (i = 1; i < NF; i++) if ($i == "p95_ms") late = $(i + 1); if (late < $10) exit 1 }' rows
csv trsm --m 16,40 --n 1 --vs trsv --variant LLNN,LUTU,LLCU --type sdcz
that "native is TRSV" awk -F, '$15 != ($4 == "native" ? "call=trsv" : "") { exit 1 }' rows
csv potrf --n 16
column 4 trigon native gemm
csv potrf --n 16 --vs native
that "no floor without gemm" awk -F, '$14 != "" || $15 != "" { exit 1 }' rows
# The floor is not below what the flops take at the rate of gemm.
csv trsm,potrf --m 40 --n 30
that "the floor" awk -F, '$4 == "trigon" { flops = $10 * $11 }
  $4 == "gemm" && $14 < 0.999 * flops / $11 { exit 1 }' rows
run 2 bench trsm,gemm --m 8 --hard && has err "--hard: only trsm, potrs and trtri"
csv trsm,potrs,trtri --m 70 --n 2 --hard --type sdcz --variant all
that "hard triangles are marked" awk -F, '($15 ~ /hard=1/) != ($4 != "gemm") { exit 1 }' rows
run 0 bench trsm --m 70 --n 2 --hard --repeat 1 && has out "2 of 2 diagonal tiles of order 64 have no usable inverse"
run 0 bench trsm --m 70 --n 2 --repeat 1 && lacks out "diagonal tiles" && has out "floor (ms)  ms/floor"
run 0 bench trsm --m 70 --n 2 --repeat 1 --vs native && lacks out "floor"

# rate = flops / time. The flops are those of the peers' testers; complex types have four times as many.
csv trsm --m 24 --n 10 --type d,z --vs none
that "m²n flops" awk -F, '
  { f = 24 * 24 * 10 * ($2 == "z" ? 4 : 1) / $10 * 1e-6 / $11 }
  f < 0.999 || f > 1.001 { exit 1 }' rows

# ---------------------------------------------------------------------------------- every routine and variant --
# every COUNT ROUTINE SIZES...: benchmarks all variants in all types. The stop size forces recursion.
every() {
  count=$1
  shift
  csv "$@" --variant all --type sdcz --vs native --backend 'cpu?stop=8'
  that "$(wc -l <rows) rows, expected $count" [ "$(wc -l <rows)" -eq "$count" ]
  csv "$@" --variant all --type sdcz --vs direct # the residuals show that the linked routines get the right arguments
  that "$(wc -l <rows) rows, expected $count" [ "$(wc -l <rows)" -eq "$count" ]
  that "native is called directly" awk -F, '$15 != ($4 == "native" ? "call=direct" : "") { exit 1 }' rows
}
every 52 gemm --m 19 --n 21 --k 17
every 160 trmm --m 33 --n 5
every 160 trsm --m 33 --n 5
every 32 syrk --n 35 --k 9
every 32 herk --n 35 --k 9
every 32 syr2k --n 35 --k 9
every 32 her2k --n 35 --k 9
every 32 symm --m 35 --n 9
every 32 hemm --m 35 --n 9
every 16 potrf --n 37
every 16 potrs --m 37 --n 3
every 16 posv --m 37 --n 3
every 32 trtri --n 37
every 16 lauum --n 37
every 16 potri --n 37

# ------------------------------------------------------------------------------------------ table and picture --
run 0 bench trmm --m 16,32 --n 4 --vs native,gemm --repeat 2 && has out "% trmm LLNN, type d" &&
  has out "native Gflop/s (ms)" && has out "gemm Gflop/s (ms)" && has out "ratio" && that "errors" empty err
that "two rows are ok" [ "$(grep -c ' ok$' out)" -eq 3 ] # two rows and the header
run 0 bench potrf --n 16 --vs none --repeat 1 && lacks out "native"
run 0 bench potrf --n 200 && has out " ok" # the default number of calls
if command -v gnuplot >/dev/null; then
  # picture ARGUMENTS...: draws a picture, which must be well-formed XML.
  picture() {
    rm -f "it's.svg"
    run 0 bench "$@" --repeat 1 --plot "it's.svg" && has "it's.svg" "</svg>"
    unadvised
    if command -v xmllint >/dev/null; then
      that "well-formed" xmllint --noout "it's.svg"
    else
      skip "xmllint is not installed"
    fi
  }
  shows() { has "it's.svg" "<text>$1</text>"; }
  before=$(date +%Y-%m-%d)
  picture potrf --n 16:128:*2 --vs native,gemm
  after=$(date +%Y-%m-%d)
  has out "drawn in it's.svg"
  shows "Trigon" && shows "native" && shows "GEMM" && shows "n" && shows "ratio" && shows "Gflop/s"
  shows "16" && shows "32" && shows "64" && shows "128"
  has "it's.svg" "<text>dpotrf L: Trigon against native " && has "it's.svg" " and GEMM</text>"
  # The heading is folded if the processor's name is long. The day may end between the two dates.
  tr -d '\n' <"it's.svg" | sed 's/<[^>]*>/ /g' | tr -s ' ' >words
  has words "backend cpu" && has words "Trigon $("$trigon" --version | cut -d' ' -f2)"
  that "the day" grep -qF -e "$before" -e "$after" words
  picture potrf --n 16,32 --vs none
  lacks "it's.svg" "native" && lacks "it's.svg" "GEMM" && lacks "it's.svg" "ratio"
  picture trsm,potrf --m 16,32 --n m --type sz --backend 'cpu?stop=8&split=power'
  shows "strsm LLNN" && shows "ztrsm LLNN" && shows "spotrf L" && shows "zpotrf L" && shows "m = n"
  has "it's.svg" "backend cpu?stop=8&amp;split=power"
  picture trmm --m 8,16,32 --n 1,2 --vs native
  shows "dtrmm LLNN, n = 1" && shows "dtrmm LLNN, n = 2" && shows "m"
  picture trsm --m 24 --n m --csv && shows "24"

  # A user's own settings of gnuplot do not change the picture.
  mkdir home
  printf 'set terminal dumb\nset output "home/stolen"\nset grid lw 7 lc "red"\nexit status 3\n' >home/.gnuplot
  kept=${HOME-}
  export HOME="$work/home"
  picture trsm --m 24 --n m --csv && shows "24" && that "no other output" absent home/stolen && lacks "it's.svg" red
  if [ -n "$kept" ]; then HOME=$kept; else unset HOME; fi

  # After a failure nothing is drawn, and an old picture stays.
  printf 'old' >old.svg
  run 1 bench potrf --n 8,100000000 --vs none --repeat 1 --plot old.svg && has err "GB of memory" && lacks out "drawn"
  that "the old picture is unchanged" [ "$(cat old.svg)" = old ]
  if [ -w /dev/full ]; then
    last="trigon bench --plot old.svg >/dev/full"
    "$trigon" bench potrf --n 8,9 --repeat 1 --plot old.svg >/dev/full 2>err
    that "exit status $?" [ $? -eq 1 ]
    that "the old picture is unchanged" [ "$(cat old.svg)" = old ]
  fi
else
  skip "gnuplot is not installed"
fi
last="trigon bench --plot without gnuplot"
checks=$((checks + 1))
PATH=/nonexistent "$trigon" bench potrf --n 8 --plot p.svg >out 2>err
[ $? -eq 1 ] || fail "$last: exit status"
has err "gnuplot, which is not installed"
that "no file" absent p.svg

finish
