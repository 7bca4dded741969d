#!/bin/sh
# test_cli_batch.sh TRIGON - the command bench for batches: usage, sizes, rows to compare with, schedules, the summary.
. "$(dirname "$0")/bench_support.sh"

# compared ARGUMENTS...: as csv, with other rows to compare with. The file summary gets the summary.
compared() {
  csv "$@"
  sed -n 's|^trigon bench: note: native /|native /|p' err >summary
}

# The summary has the geometric mean of the ratios, and the lowest one. With one call a row, the ratio of a batch is the
# time of the faster rival divided by Trigon's.
agrees() {
  that "each row of Trigon has the ratio to the faster rival, and the summary agrees: $(cat summary)" awk -F, '
    function near(x, y) { return x > 0.998 * y && x < 1.002 * y }
    NR == FNR { summary = $0; next }
    $4 == "trigon" { close_batch(); match($15, /;ratio=[0-9.e+-]+/); ratio = substr($15, RSTART + 7, RLENGTH - 7) + 0
                     own = $10; best = 0; has_ratio = RLENGTH > 0 }
    $4 != "trigon" && (!best || $10 < best) { best = $10 }
    function close_batch() {
      if (!own || !best) { bad = bad || (own && has_ratio); return }
      bad = bad || !near(ratio, best / own)
      rows++
      sum += log(ratio)
      if (rows == 1 || ratio < low) low = ratio
    }
    END {
      close_batch()
      split(summary, word, " ")
      bad = bad || !rows || word[8] != rows || !near(word[6], exp(sum / rows)) || !near(word[11], low)
      exit bad
    }' summary rows
}

# ------------------------------------------------------------------------------------------------------ usage --
run 2 bench potrf_batch --sizes uniform:0 && has err "an order from 1 to 1000000"
run 2 bench potrf_batch --sizes normal:9 && has err "'normal:9' is neither fixed:N, uniform:N, skewed:N nor a file"
run 2 bench potrf_batch --batch 0 && has err "--batch: a number from 1 to"
run 2 bench potrf_batch --variant N && has err "--variant: L or U"
run 2 bench potrf_batch --seconds 0 && has err "--seconds: a number above 0"
run 2 bench potrf_batch --repeat x && has err "--repeat: a number from 1 to"
run 0 bench potrf_batch --help && has out "Times a batch"
for sizes in fixed:3x fixed:3x0 fixed:x3 uniform:3x2y fixed:3x-1 fixed:3xx2 fixed:0x3 skewed:3x9999999999; do
  run 2 bench potrf_batch --sizes $sizes && has err "or ORDERxCOUNT, not '${sizes#*:}'"
done

# ------------------------------------------------------------------------------------------------------ sizes --
printf 'columns,rows\n7,9\n40,40\n1,3\n' >fronts.csv
gzip -k fronts.csv
csv potrf_batch --sizes fixed:9,uniform:30,skewed:50,fronts.csv,fronts.csv.gz --batch 20 --type dz --variant U
column 2 d z d z d z d z d z
column 7 9 9 "$(sed -n 3p rows | cut -d, -f7)" "$(sed -n 4p rows | cut -d, -f7)" 50 50 40 40 40 40
column 9 20 20 20 20 20 20 3 3 3 3
csv potrf_batch --sizes fixed:9x30,fixed:12,uniform:1x7,skewed:20x101 --batch 20 --type s
column 7 9 12 1 20
column 9 30 20 7 101
that "the row names the sizes" [ "$(sed 's/.*;*sizes=\([^;]*\);.*/\1/' rows | head -n 1)" = fixed:9x30 ]
printf 'columns,rows\n7,9\n0,4\n' >bad.csv
run 2 bench potrf_batch --sizes bad.csv && has err "bad.csv, line 3: no number of columns from 1 to 1000000"
printf 'rows\n7\n' >bad.csv
run 2 bench potrf_batch --sizes bad.csv && has err "bad.csv does not begin with the line columns,rows"

# refused SIZES TEXT: the sizes are refused with this text, and nothing is printed, though good ones stand before them.
refused() {
  for format in --csv ""; do
    run 2 bench potrf_batch --sizes "fixed:3x2,$1" --repeat 1 $format && has err "--sizes: $2" &&
      that "output" empty out
  done
}
# broken TEXT LINES: a file with these lines behind the heading is refused with this text.
broken() {
  printf "columns,rows\\n$2" >bad.csv
  refused bad.csv "bad.csv$1"
}
unread="is neither fixed:N, uniform:N, skewed:N nor a file that can be read"
refused missing.csv "'missing.csv' $unread: No such file or directory"
refused fronts.csv/x "'fronts.csv/x' $unread: Not a directory"
refused "" "'' is neither"
refused . "cannot read .: Is a directory"
refused uniform:3y "an order from 1 to 1000000"
broken ", line 3: no number of rows behind the number of columns: '7'" '40,40\n7\n'
broken ", line 2: no number of rows behind the number of columns: '7,'" '7,'
broken ", line 2: no number of rows behind the number of columns: '7;9'" '7;9\n40,40\n'
broken ", line 2: no number of rows behind the number of columns: '7,9x'" '7,9x\n'
broken ", line 2: no number of rows behind the number of columns: '7,0'" '7,0\n'
broken ", line 3: no number of columns from 1 to 1000000: ''" '7,9\n\n'
broken ", line 2: no number of columns from 1 to 1000000: '1000001,9'" '1000001,9\n'
broken ", line 3: the line has more than 198 characters" "7,9\\n$(printf %0300d 1),3\\n"
broken " has no matrices" ''
awk 'BEGIN {
  print "columns,rows"
  for (i = 1; i <= 4000; i++) print i * 7919 % 997 + 1 "," i * 31 % 1009 + 1
}' | gzip >many.csv.gz
head -c 9000 many.csv.gz >cut.csv.gz
cut_line=$(gzip -dc cut.csv.gz 2>/dev/null | awk 'END { print NR }')
refused cut.csv.gz "cut.csv.gz, line "
has err ": the file is truncated: its compressed data have no end"
last="the number of the line"
that "it is about $cut_line" awk -v due="$cut_line" '
  NR == 1 { sub(/.*line /, ""); if ($1 + 0 < due - 1 || $1 + 0 > due + 1) exit 1 }' err
head -c -8 many.csv.gz >cut.csv.gz
printf '\001\002\003\004\005\006\007\010' >>cut.csv.gz # a wrong checksum
refused cut.csv.gz "cut.csv.gz: the compressed data are damaged"
printf 'columns,rows\r\n7,9,more\r\n40,40' >fine.csv # ends of lines as on Windows, a third column, no last end
csv potrf_batch --sizes fine.csv
column 9 2
run 0 bench potrf_batch --sizes uniform:20 --batch 5 --max && has out "uniform:20" && has out " ok"
run 2 bench potrs_batch --nrhs 0 && has err "--nrhs: a number from 1 to"
# Batches that bench cannot measure, in whatever place the name is.
measured="potrf_batch, potrs_batch, posv_batch, trtri_batch, potri_batch, syevd_batch, trsm_batch, trmm_batch, \
syrk_batch, herk_batch, gemm_batch"
for name in symm_batch lauum_batch nothing_batch _batch trsm,potrf_batch potrf_batch,trsm; do
  run 2 bench $name --sizes fixed:3 && has err "no batch '$name' to measure; one of $measured is expected"
  run 2 bench --m 5 $name --csv && has err "no batch '$name' to measure; one of $measured is expected"
done
run 1 bench trsm --m 5 --backend cpu:some_batch && has err "some_batch" && lacks err "no batch"
csv potrs_batch --sizes fixed:9,uniform:30 --batch 20 --nrhs 3 --type dz
column 1 potrs_batch potrs_batch potrs_batch potrs_batch
column 6 9 9 "$(sed -n 3p rows | cut -d, -f6)" "$(sed -n 4p rows | cut -d, -f6)"
column 7 3 3 3 3
for routine in posv trtri potri; do
  csv ${routine}_batch --sizes uniform:30 --batch 20 --type sc --variant U
  column 1 ${routine}_batch ${routine}_batch
  column 9 20 20
  ! has_sim || csv ${routine}_batch --sizes uniform:30 --batch 20 --backend sim:0
done
# Eigenproblems: the variant has the job, too, and LAPACK's routine has another name for complex types.
run 2 bench syevd_batch --variant L && has err "--variant: V or N and then L or U is expected for type d, not 'L'"
run 2 bench syevd_batch --variant "" && has err "--variant: V or N and then L or U is expected for type d, not ''"
run 2 bench syevd_batch --vs native-loop && has err "--vs native-loop: no context hands syevd to a library"
csv syevd_batch --sizes fixed:4x9,uniform:30 --batch 20 --type sdcz
column 1 $(yes syevd_batch | head -n 8)
column 5 $(yes VL | head -n 8)
csv syevd_batch --sizes uniform:40 --batch 9 --variant NU --type dz --vs native
column 5 NU NU NU NU
column 4 trigon native trigon native
! has_sim || csv syevd_batch --sizes fixed:5,uniform:40 --batch 3 --max --backend sim:0
# Routines of the BLAS: every flag, columns and inner sizes of their own. The letters of a variant may end early.
for variant in LLNN LUTU RLCN RUNU LUCN RLTU; do
  for routine in trsm trmm; do
    csv ${routine}_batch --sizes fixed:9x4,uniform:30x9 --type sdcz --variant $variant --nrhs 5
    column 5 $(yes $variant | head -n 8)
    column 7 $(yes 5 | head -n 8)
  done
done
csv trsm_batch --sizes uniform:30x9 --type d --variant R
column 5 RLNN
column 6 "$(cut -d, -f7 rows)"
for variant in LN UT; do
  csv syrk_batch --sizes uniform:30x9 --type sdcz --variant $variant --k 5
  column 8 5 5 5 5
done
for variant in UN LC; do csv herk_batch --sizes uniform:30x9 --type sdcz --variant $variant --k 40; done
for variant in NN TN NT CC; do
  csv gemm_batch --sizes uniform:30x9,fixed:7x2 --type dz --variant $variant --k 5 --nrhs 3
  column 7 3 3 3 3
  column 8 5 5 5 5
done
csv gemm_batch --sizes fixed:7x2 --nrhs n --k n
that "it has the flops of two products of order 7" awk -F, '{
  flops = 1e6 * $10 * $11
  exit !(flops > 0.999 * 4 * 343 && flops < 1.001 * 4 * 343)
}' rows
run 2 bench syrk_batch --type dz --variant LC && has err "--variant: L or U and then N, T or C is expected for type z"
run 2 bench trsm_batch --variant LLNNN && has err "L or R and then L or U and then N, T or C and then N or U"
run 2 bench syrk_batch --nrhs 3 && has err "--nrhs: syrk_batch has no right-hand sides"
run 2 bench trsm_batch --k 3 && has err "--k: trsm_batch has no inner size"
run 2 bench gemm_batch --k m && has err "--k: a number from 1 to 1073741824 is expected, or n, not 'm'"
# --------------------------------------------------------------------------------------------- the simulated GPU --
if has_sim; then
  for routine in trsm trmm syrk herk gemm; do
    csv ${routine}_batch --sizes uniform:30x5,fixed:9x3 --type sz --backend sim:0
    column 9 5 5 3 3
  done
  run 1 bench potrf_batch --backend sim:0 --vs native && has err "does not support native=1"
  run 1 bench potrf_batch --backend sim:0 --vs native-loop && has err "does not support native=1"
  run 2 bench potri_batch --backend sim:0 --vs native && \
    has err "--vs native: a vendor has no potri_batch that can be called"
  csv potrf_batch --sizes uniform:90 --batch 12 --type sdcz --backend sim:0
  column 9 12 12 12 12
  csv potrf_batch --sizes uniform:90 --batch 12 --type dz --backend "sim:0?seed=3" --schedule auto,ssde,dsse
  column 2 d d d z z z
  column 3 "sim:0?seed=3&schedule=auto" "sim:0?seed=3&schedule=ssde" "sim:0?seed=3&schedule=dsse" \
    "sim:0?seed=3&schedule=auto" "sim:0?seed=3&schedule=ssde" "sim:0?seed=3&schedule=dsse"
  that "each row names its schedule" \
    awk -F, 'split("auto ssde dsse", due, " ") && $15 !~ (";schedule=" due[(NR - 1) % 3 + 1] "$") { exit 1 }' rows
  run 0 bench posv_batch --sizes uniform:20 --batch 5 --backend sim:0 --schedule ssde &&
    has out "uniform:20               ssde       d "
  run 1 bench potrf_batch --backend sim:0 --schedule late && has err "option schedule is \"late\""
  run 1 bench potrf_batch --backend sim:0 --schedule device && has err "schedule=device: kernels launch kernels"
  run 1 bench potrf_batch --backend 'sim:0?memory=8M' --sizes fixed:500x10 && has err "allocating matrices: "
  run 1 bench potrf_batch --backend sim:0 --schedule device:112 && has err "schedule=device: kernels launch kernels"
  run 1 bench potrf_batch --backend sim:0 --schedule device:many && has err "parents"
  run 1 bench potrf_batch --backend sim:0 --schedule auto, && has err "option schedule"
  run 2 bench potrf_batch --backend sim:0 --schedule device:1234567890123456789 && has err "is no schedule"
  run 2 bench potrf_batch --backend sim:0 --schedule "$(yes ssde | head -n 13 | paste -sd, -)" &&
    has err "at most 12 rows"
  run 2 bench trtri_batch --backend sim:0 --schedule ssde && has err "--schedule: trtri_batch does not factor"
fi
run 1 bench potrf_batch --schedule ssde && has err "unknown option \"schedule=ssde\""

# A plugin that takes native=1 for the simulated GPU itself stands in for cuSOLVER.
if has_sim && [ -e "$TRIGON_BACKEND_PATH-native/libtrigon-sim.so" ]; then
  TRIGON_BACKEND_PATH=$TRIGON_BACKEND_PATH-native
  compared potrf_batch --sizes fixed:32x9,uniform:50x6,fixed:40x1 --type sz --backend sim:0 --vs native,native-loop
  all="trigon native native-loop" some="trigon native-loop" # the vendor's batch has matrices of one order
  column 4 $all $all $some $some $all $all && agrees
  column 3 $(echo $all $all $some $some $all $all | sed 's/native-loop/sim:0?native=1/g; s/native /sim:0?native=1 /g
    s/trigon/sim:0/g')
  compared potrf_batch --sizes uniform:50x6 --backend sim:0 --vs native # no rival, so no ratio and no summary
  column 4 trigon
  that "no summary" empty summary
  compared potrf_batch --sizes fixed:20x6 --backend "sim:0?seed=5" --schedule ssde,dsse --vs native-loop,native
  column 4 trigon trigon native-loop native
  has summary "native / trigon, schedule ssde: geometric mean " && has summary "native / trigon, schedule dsse: "
  that "a summary for each schedule" [ "$(wc -l <summary)" -eq 2 ]
  for routine in "potrs --nrhs 2" "posv --nrhs 2" trtri potri; do
    extents=${routine#"${routine%% *}"}
    compared ${routine%% *}_batch --sizes uniform:30x5 $extents --type cd --backend sim:0 --vs native-loop
    column 4 trigon native-loop trigon native-loop && agrees
  done
  for routine in trsm trmm syrk herk gemm; do # of different orders the vendor has a loop over streams
    compared ${routine}_batch --sizes uniform:20x5,fixed:9x3 --type cd --backend sim:0 --vs native,native-loop
    column 4 $all $all $all $all && agrees
  done
  run 0 bench potrf_batch --sizes fixed:20x6 --backend sim:0 --vs native,native-loop --repeat 3 &&
    has out "  ok, native-loop" && has out "% native / trigon: geometric mean " && that "errors" empty err
  fails bench potrf_batch --sizes fixed:9x1 --vs native-loop --repeat 1
else
  skip "no plugin with native=1 for the simulated GPU"
fi

# ------------------------------------------------------------------------------------------- rows to compare with --
for rivals in native native-loop native,native-loop; do
  csv potrf_batch --sizes fixed:3x2 --vs $rivals --native /none.so && has err "note: without native: " &&
    has err "/none.so: cannot open"
  column 4 trigon
  run 0 bench potrf_batch --sizes fixed:3x2 --vs $rivals --native /none.so && has out "% without native: " &&
    lacks out "ok, native" && lacks out "geometric mean" && that "errors" empty err
done
run 2 bench potrf_batch --native "" && has err "--native: LIBRARY, cpu:LIBRARY or cpu64:LIBRARY is expected"
if ! has_openblas; then # the rest needs a BLAS to compare with
  finish
  exit
fi
library=cpu:libopenblas.so.0
for routine in "potrf U" "potrs U" "posv U" "trtri UU" "potri U" "trsm RUTU" "trmm LUCN" "syrk UT" "herk UN" \
  "gemm TC"; do
  variant=${routine#* } routine=${routine% *} extents="--nrhs 3"
  case $routine in
  potrf | trtri | potri | herk) extents="" ;;
  esac
  if [ "$routine" = syrk ]; then extents="--k 5"; fi
  compared ${routine}_batch --sizes uniform:30,fixed:7x3 --batch 20 $extents --type sz --variant $variant --vs native
  column 4 trigon native trigon native trigon native trigon native && agrees
  compared ${routine}_batch --sizes uniform:30,fixed:7x3 --batch 20 $extents --type cd --vs native,native-loop
  column 4 $(yes "trigon native native-loop" | head -n 4) && agrees
  column 3 $(yes "cpu cpu $library?native=1" | head -n 4)
  has err "bench: note: native: $library, OpenBLAS"
done
compared potrf_batch --sizes fixed:9x4 --vs native-loop --backend "cpu?threads=1"
column 4 trigon native-loop && column 3 "cpu?threads=1" "$library?native=1" && agrees
compared potrf_batch --sizes fixed:9x4 --vs native-loop --backend "$library?threads=1"
column 4 trigon native-loop && column 3 "$library?threads=1" "$library?threads=1&native=1" && agrees
for threads in 1 2 7; do
  compared potrf_batch --sizes fixed:9x100 --type z --vs native --backend "cpu?threads=$threads" && agrees
  compared potrs_batch --sizes fixed:9x100 --vs native --backend "$library?threads=$threads" && agrees
done
csv potrf_batch --sizes fixed:9x4 --vs none
column 4 trigon
that "no ratio without a rival" [ "$(grep -c ratio=.*ratio= rows)" -eq 0 ] && lacks err "native"
run 0 bench potrf_batch --sizes uniform:20,fixed:3x2 --batch 5 --vs native,native-loop && has out "  ok, native" &&
  has out "  ok, native-loop" && has out "  ratio  error" && has out "% native / trigon: geometric mean " &&
  has out " of 2 rows, lowest " && that "errors" empty err
run 0 bench potrf_batch --sizes uniform:20 --batch 5 && lacks out ratio && lacks out mean
if "$trigon" info --backend cpu:libblis.so.4 >/dev/null 2>&1; then
  run 1 bench potrf_batch --sizes fixed:3x2 --vs native --native libblis.so.4 &&
    has err "--vs native: cpu:libblis.so.4 has no dpotrf_" && that "output" empty out
else
  skip "no libblis.so.4"
fi
for rivals in gemm native,gemm native, "" nativ native-loo native-loops; do
  run 2 bench potrf_batch --vs "$rivals" &&
    has err "--vs: native, native-loop or none is expected, not '${rivals#native,}'"
done
finish
