#!/bin/sh
# test_gpu_scripts.sh - scripts/bench-gpu adds up what trigon and ncu print, scripts/gpu-bars, scripts/batch-bars and
# scripts/fp64-bars judge each bar, scripts/bench-compare tells rows of other data or modes from others,
# scripts/bench-turns compares two builds. A script takes the place of trigon and of ncu. scripts/gpu-check runs
# other kinds of GPUs, and measures batches, emulated products and matrices in host memory, here small ones.
. "$(dirname "$0")/scripts_support.sh"

# ------------------------------------------------------------------------------------------------------- gpu-bars --
printf '# a comment\nroutine,type,variant,m,n,predicted_ms,bar_ms\ntrsm,d,LLNN,1024,1,0.02,0.04\n' >bars.csv
printf 'trsm,d,LLNN,2048,2048,,1.1g\npotrf,d,L,,512,,0.5\npotri,d,L,,512,0.3,\n' >>bars.csv
{
  echo "$columns"
  row trsm trigon LLNN 1024 1 0.03 1 0.01 "host_ms=1;floor_ratio=3"
  row trsm native LLNN 1024 1 0.09 1 0.01
  row trsm trigon LLNN 1024 1 9 1 0.01 "host_ms=1;hard=1" # other data
  row trsm trigon LLNN 2048 2048 1.2 1
  row trsm gemm LLNN 2048 2048 2 1 # 1.1 times half of GEMM's time is 1.1
  row potri trigon L "" 512 7 1
} >times.csv
export BARS=bars.csv
script gpu-bars times.csv
that "exit status $status" [ $status -eq 1 ] && that "errors" empty err
squeezed() { sed 's/  */ /g' out >words; has words "$1"; }
squeezed "trsm,d,LLNN,1024,1 0.03 0.09 3.00 0.01 3.00 0.02 0.04 pass"
squeezed "trsm,d,LLNN,2048,2048 1.2 - - - - - 1.1 MISS"
squeezed "potri,d,L,,512 7 - - - - 0.3 -"
has out "1 of 2 bars reached; 1 rows were not measured"
sed 's/,1[.]2,/,1.09,/' times.csv >better.csv
{ echo "$columns"; row potrf trigon L "" 512 0.4 1; } >more.csv
script gpu-bars better.csv more.csv times.csv
that "exit status $status" [ $status -eq 0 ] && has out "3 of 3 bars reached; 0 rows"
script gpu-bars times.csv bars.csv
that "exit status $status" [ $status -eq 2 ] && has out "no result of trigon bench"
script gpu-bars nothing.csv
that "exit status $status" [ $status -eq 2 ] && has err "cannot read nothing.csv"
# An order between two bars of 0.04 and 0.16: 0.08 divided by 0.9, and by the half of its rate that GEMM keeps.
printf 'trsm,d,LLNN,1024,1,,0.04\ntrsm,d,LLNN,4096,1,,0.16\n' >bars.csv
{ echo "$columns"; row trsm trigon LLNN 2048 1 0.09 1; row trsm trigon LLNN 8192 1 9 1; } >between.csv
script gpu-bars between.csv
that "exit status $status" [ $status -eq 0 ] && has out "0 of 1 rows between the bars pass"
squeezed "trsm,d,LLNN,2048,1 0.09 100% 0.08889 MISS"
{ row trsm gemm LLNN 1024 1 1 1; row trsm gemm LLNN 2048 1 4 1; row trsm gemm LLNN 4096 1 4 1; } >>between.csv
script gpu-bars between.csv
squeezed "trsm,d,LLNN,2048,1 0.09 50% 0.1778 pass"
unset BARS
script gpu-bars times.csv # the project's own bars
that "exit status $status" [ $status -le 1 ] && has out "bars reached"

# ----------------------------------------------------------------------------------------------------- batch-bars --
# batch ROUTINE TYPE SIZES MAX N MS GFLOPS [MORE]: a row of a batch.
batch() { echo "$1_batch,$2,cuda:0,trigon,L,64,$5,,5000,$6,$7,1e-16,,0.01,sizes=$3;max=$4;floor_ratio=3${8-}"; }
printf '# a comment\nroutine,type,sizes,max,n,predicted_ms,bar\npotrf_batch,d,uniform:64,0,,0.05,0.06\n' >bars.csv
printf 'potrf_batch,d,uniform:64,1,,,0.03\npotrf_batch,s,uniform:64,0,,,1.5*potrf_batch/d\n' >>bars.csv
printf 'potrs_batch,d,fixed:64,0,16,,0.2\npotri_batch,d,uniform:9,0,,,0.1\n' >>bars.csv
printf 'potrf_batch,d,some.csv,0,,,1\n' >>bars.csv
{
  echo "$columns"
  batch potrf d uniform:64 0 64 9 1 ";schedule=ssde"
  batch potrf d uniform:64 0 64 0.06 100
  batch potrf d uniform:64 1 64 0.031 200
  batch potrf s uniform:64 0 64 0.04 150
  batch potrf d /a/folder/some.csv 0 64 1 1
  batch potrs d fixed:64 0 1 9 1
  batch potrs d fixed:64 0 16 0.21 1
} >times.csv
export BARS=bars.csv
script batch-bars times.csv
that "exit status $status" [ $status -eq 1 ] && that "errors" empty err
squeezed "potrf_batch,d,uniform:64,0, 0.06 0.01 6.00 0.05 0.06 pass"
squeezed "potrf_batch,d,uniform:64,1, 0.031 0.01 3.10 - 0.03 MISS"
squeezed "potrf_batch,s,uniform:64,0, 0.04 0.01 4.00 - 0.04 pass"
squeezed "potrs_batch,d,fixed:64,0,16 0.21 0.01 21.00 - 0.2 MISS"
has out "3 of 5 bars reached; 1 rows were not measured"
sed 's/,0[.]031,/,0.03,/; s/,0[.]21,/,0.2,/' times.csv >better.csv
script batch-bars better.csv
that "exit status $status" [ $status -eq 0 ] && has out "5 of 5 bars reached"
sed 's/,150,/,149,/' better.csv >slow.csv # a rate just below that of the bar, in the same time
script batch-bars slow.csv
that "exit status $status" [ $status -eq 1 ] && squeezed "potrf_batch,s,uniform:64,0, 0.04 0.01 4.00 - 0.03973 MISS"
script batch-bars bars.csv
that "exit status $status" [ $status -eq 2 ] && has out "no result of trigon bench"
unset BARS
script batch-bars times.csv # the project's own bars
that "exit status $status" [ $status -le 1 ] && has out "bars reached"

# ------------------------------------------------------------------------------------------------------ fp64-bars --
# product IMPL N MS DETAIL: a row of a product. Its speed is 2000/MS Gflop/s.
product() { echo "gemm,d,cuda:0,$1,NN,$2,$2,$2,1,$3,$((2000 / $3)),1e-16,1073741824,0.5,$4"; }
{
  echo "routine,type,m,n,k,fp64,spread,measure,goal,bar"
  for bar in tflops,0.6,0.5 over,,2 fell_back,,0 native,,2 ms,3,3.5 itself,,2.6 gib,,1; do
    echo "gemm,d,64,64,64,int8:14,1,$bar"
  done
  printf '# a comment\npotrf,d,,64,,auto:guaranteed,0,ms,,1\n'
} >bars.csv
{
  echo "$columns"
  product trigon 64 9 "spread=1;over=5e-16;fp64=int8:14;fell_back=0;stop=8" | sed 's/cuda:0/cuda:0?stop=8/'
  product native 64 77 "spread=1;over=7"
  product trigon 64 4 "host_ms=1;spread=1;over=5e-16;fp64=int8:14;fell_back=0;int8_floor_ms=2"
  product native 64 8 "host_ms=1;spread=1;over=2e-16"
  product trigon 64 1 "over=5e-16;fp64=int8:14;fell_back=0"
  product trigon 64 10 "spread=1;fp64=native;fell_back=0"
} >times.csv
export BARS=bars.csv
script fp64-bars times.csv
that "exit status $status" [ $status -eq 1 ] && that "errors" empty err
squeezed "gemm,d,64,64,64,int8:14,1 tflops 0.5 0.6 0.5 2.00 pass"
squeezed "gemm,d,64,64,64,int8:14,1 over 2.5 - 2 2.00 MISS"
squeezed "gemm,d,64,64,64,int8:14,1 fell_back 0 - 0 2.00 pass"
squeezed "gemm,d,64,64,64,int8:14,1 native 2 - 2 2.00 pass"
squeezed "gemm,d,64,64,64,int8:14,1 ms 4 3 3.5 2.00 MISS"
squeezed "gemm,d,64,64,64,int8:14,1 itself 2.5 - 2.6 2.00 MISS"
squeezed "gemm,d,64,64,64,int8:14,1 gib 1 - 1 2.00 pass"
has out "4 of 7 bars reached; 1 were not measured"
sed 's/over=2e-16/over=3e-16/; s/,1,10,200,/,1,12,200,/; s/,1,4,/,1,3.5,/; s/int8_floor_ms/other/' times.csv >better.csv
script fp64-bars better.csv
that "exit status $status" [ $status -eq 0 ] && has out "7 of 7 bars reached" && squeezed "ms 3.5 3 3.5 7.00 pass"
sed 's/tflops/speed/' bars.csv >unknown.csv
BARS=unknown.csv script fp64-bars times.csv
that "exit status $status" [ $status -eq 2 ] && has out "unknown measure speed"
script fp64-bars bars.csv
that "exit status $status" [ $status -eq 2 ] && has out "no result of trigon bench"
unset BARS
script fp64-bars times.csv # the project's own bars
that "exit status $status" [ $status -le 1 ] && has out "bars reached"

# -------------------------------------------------------------------------------------------------- bench-compare --
# Rows of --hard are compared with each other, not with the others of that size.
{ echo "$columns"; row trsm trigon LLNN 64 1 2 1; row trsm trigon LLNN 64 1 5 1 "" "host_ms=1;hard=1"; } >old.csv
{ echo "$columns"; row trsm trigon LLNN 64 1 5 1 "" "hard=1;host_ms=1"; row trsm trigon LLNN 64 1 2 1; } >new.csv
script bench-compare old.csv new.csv
that "exit status $status" [ $status -eq 0 ] && has out "2 rows, 0 slower"
sed 's/64,1,,1,5/64,1,,1,6/' new.csv >slow.csv
script bench-compare old.csv slow.csv
that "exit status $status" [ $status -eq 1 ] && has out "trsm,d,cuda:0,LLNN,64,1,,1,hard: 6 ms, was 5"
# Nor are rows of one spread or mode compared with those of another.
{ echo "$columns"; row gemm trigon NN 64 64 2 1; row gemm trigon NN 64 64 5 1 "" "spread=1;fp64=int8:fast"; } >old.csv
{
  echo "$columns"
  row gemm trigon NN 64 64 5 1 "" "host_ms=1;spread=1;fp64=int8:fast"
  row gemm trigon NN 64 64 2 1
} >new.csv
script bench-compare old.csv new.csv
that "exit status $status" [ $status -eq 0 ] && has out "2 rows, 0 slower"
sed 's/fp64=int8:fast/fp64=int8:14/' new.csv >other.csv
script bench-compare old.csv other.csv
that "exit status $status" [ $status -eq 1 ] && has out "missing: gemm,d,cuda:0,NN,64,64,,1,spread=1,fp64=int8:fast"

# ------------------------------------------------------------------------------------------------------ bench-gpu --
# As trigon: one row for each routine, with the arguments in the detail.
cat >fake <<END
#!/bin/sh
[ "\$1" = bench ] || exit 1
echo "\$*" >>"$work/calls"
case "\$*" in *posv*) exit 1 ;; esac
echo "$columns"
for routine in \$(echo "\$2" | tr , ' '); do
  echo "\$routine,d,cuda:0,trigon,LLNN,2048,2048,,1,1,1,1e-18,0,,"
done
END
# As ncu: runs the program, and logs two metrics for each kernel. A row has four calls, each behind a kernel that holds
# the stream. A call has two kernels; behind the third and the fourth one more call follows.
cat >fake-ncu <<'END'
#!/bin/sh
while [ "$1" != bench ]; do
  if [ "$1" = --log-file ]; then log=$2; fi
  program=$last last=$1
  shift
done
"$last" "$@"
rows=$(echo "$2" | tr , '\n' | wc -l)
awk -v rows="$rows" '
  function line(name, metric, value) {
    printf "\"%d\",\"7\",\"%s\",\"(1, 1, 1)\",\"Raw, metrics\",\"%s\",\"byte\",\"%s\"\n", id, name, metric, value
  }
  function kernel(name, read, written) {
    line(name, "dram__bytes_read.sum", read); line(name, "dram__bytes_write.sum", written); id++
  }
  BEGIN {
    print "==PROF== Connected to process 7"
    printf "\"ID\",\"Process ID\",\"Kernel Name\",\"Grid Size\",\"Section Name\","
    print "\"Metric Name\",\"Metric Unit\",\"Metric Value\""
    kernel("a_test_before(int)", 5, 5)
    for (r = 1; r <= rows; r++)
      for (call = 1; call <= 4; call++) {
        kernel("delay_kernel(delay)", 77, 77)
        for (twice = 0; twice <= (call > 2); twice++) {
          kernel("solve(x, y)", call == 4 && !twice ? "1,000" : 9, 20 * r)
          kernel("product<double>", call == 4 && !twice ? 234 : 9, 3)
        }
      }
  }' >"$log"
END
chmod +x fake fake-ncu
export TRIGON="$work/fake" NCU="$work/fake-ncu" OOP="$work/oop"
printf '#!/bin/sh\necho "trmm,d,$1,native-oop,LLNN,$2,$3,,1,1,1,1e-18,0,,"\n' >oop
chmod +x oop
script bench-gpu times made
that "exit status $status" [ $status -eq 0 ] && has out "written: made/times.csv"
that "one line of names" [ "$(grep -c '^routine,' made/times.csv)" -eq 1 ]
has made/times.csv "$columns" && has made/times.csv "potrf,d,cuda:0,trigon"
has made/times.csv "trmm,d,cuda:0,native-oop,LLNN,512,512"
that "every piece has GEMM beside it" [ "$(grep -vc -e '--vs native,gemm' calls)" -eq 0 ]
has calls "--hard" && has calls "bench trsm,trmm --m 16384 --n m --vs native,gemm --backend cuda:0"
rm calls
TRIGON_GPU=cuda:1 script bench-gpu times made thin potrs
that "exit status $status" [ $status -eq 0 ] && that "two calls" [ "$(wc -l <calls)" -eq 2 ]
has calls "--backend cuda:1"
LIMIT=-1 script bench-gpu times made thin
that "exit status $status" [ $status -eq 0 ] && has err "thin is left out"
script bench-gpu times made nothing
that "exit status $status" [ $status -eq 1 ] && has err 'unknown piece "nothing"'
script bench-gpu times
that "exit status $status" [ $status -eq 2 ] && has err "scripts/bench-gpu times FOLDER"

script bench-gpu traffic made
that "exit status $status" [ $status -eq 0 ] && has out "written: made/traffic.csv"
printf 'routine,type,impl,m,n,kernels,read_bytes,write_bytes\n' >expected
for r in 1 2 1 1 2; do # the rows of each run: trsm, trmm; gemm; trsm, trmm
  name=trsm
  [ "$(wc -l <expected)" -ne 3 ] || name=gemm
  [ $r -eq 1 ] || name=trmm
  echo "$name,d,trigon,2048,2048,2,1234,$((20 * r + 3))" >>expected
done
that "traffic.csv: $(diff expected made/traffic.csv)" cmp -s expected made/traffic.csv
printf '#!/bin/sh\nexit 3\n' >fake-ncu
script bench-gpu traffic made
that "exit status $status" [ $status -eq 1 ] && has err "ncu failed"

# ------------------------------------------------------------------------------------------------------ bench-turns --
# Two builds. First one turn of the new build is slower, then one row of it is slower in every turn.
for build in old new; do
  mkdir -p $build/cli $build/src/trigon
  cat >$build/cli/trigon <<END
#!/bin/sh
slow=1
[ $build = old ] || [ -e later ] || slow=1.08
[ $build = old ] || touch later
echo "$columns"
echo "potrf,d,cuda:0,trigon,L,,512,,1,1,1,1e-18,0,,"
echo "potrf,d,cuda:0,trigon,L,,1024,,1,\$slow,1,1e-18,0,,"
END
  chmod +x $build/cli/trigon
done
script bench-turns old/cli/trigon new/cli/trigon turns potrf
that "exit status $status" [ $status -eq 0 ] && has out "2 rows in 7 turns, 0 complaints"
has turns/turns.csv "potrf,d,L,,1024,,1.0000"
sed -i 's/touch later/true/' new/cli/trigon
rm -f later
script bench-turns old/cli/trigon new/cli/trigon turns potrf
that "exit status $status" [ $status -eq 1 ] && has out "slower: potrf,d,L,,1024,: old over new 0.926" &&
  has out "potrf 2 rows, geometric mean of old over new: 0.9623 BELOW 0.995"
script bench-turns old/cli/trigon nothing turns potrf
that "exit status $status" [ $status -eq 2 ] && has err "there is no command nothing"

# ------------------------------------------------------------------------------------------------------ gpu-check --
# Its copy finds a cmake that builds nothing, and as trigon a script that calls the real one with small batches on the
# simulated GPU. There native=1 needs the plugin that stands in for a vendor's library, and `device` becomes `ssde`.
mkdir -p tree/scripts tree/bench tree/build/gpu/cli tools
for name in gpu-check gpu-hosted batch-bars fp64-bars gpu-bars; do cp "$source_folder/scripts/$name" tree/scripts; done
cp "$source_folder/bench/h200-batch-bars.csv" "$source_folder/bench/h200-fp64-bars.csv" tree/bench
cp "$source_folder/bench/hosted-1gpu-bars.csv" "$source_folder/bench/hosted-2gpus-bars.csv" tree/bench
printf '#!/bin/sh\n' >tools/cmake
printf '#!/bin/sh\necho GPU 0; echo GPU 1\n' >tools/nvidia-smi
mkdir tree/build/gpu/tests
printf '#!/bin/sh\necho "$*" >>"%s"; echo "5 passed, 0 failed"\n' "$work/calls" >tree/build/gpu/tests/sweep
printf '#!/bin/sh\necho "$*" >>"%s"; echo names; echo "row of $*"\n' "$work/calls" >tree/build/gpu/tests/time_hosted
cat >tree/build/gpu/cli/trigon <<END
#!/bin/sh
echo "\$*" >>"$work/calls"
[ "\$1" = bench ] || exit 0
small=\$(echo "\$*" | sed -E 's/(fixed|uniform|skewed):[0-9]+(x[0-9]+)?/\1:5x2/g
  s/device(:[0-9]+)?/ssde/g; s/cuda:/sim:/; :again; s/(--[mnk] ([0-9]+,)*)[0-9]{3,}/\120/; t again')
TRIGON_BACKEND_PATH=${TRIGON_BACKEND_PATH:-}-native exec "$trigon" \$small --repeat 1
END
for name in test_batches test_fp64_devices test_residue_products_gpu; do
  cp tree/build/gpu/tests/sweep tree/build/gpu/tests/$name
done
# A sanitizer that finds a mistake in the second sample.
printf '#!/bin/sh\necho "sanitizer $*" >>"%s"; case "$*" in *few) exit 1 ;; esac\n' "$work/calls" \
  >tools/compute-sanitizer
chmod +x tools/* tree/build/gpu/cli/trigon tree/build/gpu/tests/*
# check STAGE: runs a stage of the copy.
check() {
  rm -f calls
  last="gpu-check $1"
  PATH=$work/tools:$PATH bash tree/scripts/gpu-check "$1" "$work/checked" >out 2>err
  status=$?
}
# has_rows NAME COUNT: a file of this stage has so many rows.
has_rows() {
  that "$1.csv has $(wc -l <"checked/$1.csv") lines" [ "$(wc -l <"checked/$1.csv")" -eq $(($2 + 1)) ]
  that "$1.csv begins with the names" [ "$(head -n 1 "checked/$1.csv")" = "$columns" ]
}
KINDS=ada check kinds
that "exit status $status" [ $status -eq 1 ] && has out "failed: ada" && has out FAILED
has calls "--share 40 --backend cuda:0?arch=ada --backend cuda:0?arch=ada&leaf=dataflow&stop=64&gemm=own"
has calls "sanitizer --tool memcheck" && has calls "mma large" && lacks calls ampere
printf '#!/bin/sh\necho "sanitizer $*" >>"%s"\n' "$work/calls" >tools/compute-sanitizer
check kinds
that "exit status $status" [ $status -eq 0 ] && has calls "cuda:0?arch=blackwell few" && lacks out FAILED
that "each kind has a file" [ -s checked/kind-ampere.txt ] && that "also ada" [ -s checked/kind-ada.txt ]
TRIGON_GPU=hip:0 check kinds
that "exit status $status" [ $status -eq 2 ] && has err "kinds are of GPUs of NVIDIA, not of hip:0"

if has_sim && [ -e "$TRIGON_BACKEND_PATH-native/libtrigon-sim.so" ]; then
  check figures
  that "exit status $status" [ $status -eq 0 ]
  has_rows figure4 48 && has_rows figure6 54 && has_rows figure7 80 && has_rows figure7-cpu 32 && has_rows parents 20
  cp calls figures
  has out "figure6, Gflop/s:" && has calls "--schedule auto,ssde,dsse --sizes uniform:32,"
  has calls "--schedule auto,dsse,device,device:112,device:264 --vs native --sizes fixed:32,"
  has calls "--backend cpu --vs native"
  TRIGON_GPU=hip:1 check figures # the fake command knows no hip
  that "exit status $status" [ $status -eq 1 ]
  has calls "--backend hip:1 --schedule auto,ssde,dsse" && lacks calls device
  check contest
  that "exit status $status" [ $status -eq 0 ] && has_rows contest 36
  has out "native / trigon: geometric mean " && has out " of 12 rows"
  cp calls contest
  TRIGON_TEST_DATA=$work/nowhere check batches
  that "exit status $status" [ $status -eq 0 ] && has_rows batches 75
  has err "skipped: there is no $work/nowhere/fronts-bcsstk16.csv" && has out "0 of 0 bars reached"
  check fp64
  that "exit status $status" [ $status -eq 0 ] && has_rows fp64 64
  has out "of 0 bars reached" && has calls "gemm --m 4096,8192,16384 --n m --k m --fp64 int8:14 --spread 1 --vs native"
  that "every product is compared" [ "$(grep -c '^gemm.*over=' checked/fp64.csv)" -eq 56 ]
  CUDA_HOME=$work/nowhere check hosted
  that "exit status $status" [ $status -eq 0 ] && has_rows hosted-1 7 && has_rows hosted-2 7
  has err "bench/vendor_hosted.c cannot be built; it is left out" && has out "of 0 bars reached"
  has calls "--share 400 --backend cuda:0-1?stop=64"
  has calls "bench trsm,trmm --m 16384 --n m --backend cuda:0:host --vs none --repeat 3" && lacks calls 32768
  printf '#!/bin/sh\necho GPU 0\n' >tools/nvidia-smi
  CUDA_HOME=$work/nowhere PARTS="32768 fp64" check hosted
  that "exit status $status" [ $status -eq 0 ] && has_rows hosted-1 2 && has_rows hosted-1-fp64 2
  has out "skipped: one GPU, no cuda:0-1"
  has calls "--fp64 auto" && lacks calls sweep && lacks calls 16384
  CUDA_HOME=$work/nowhere PARTS=figures check hosted
  that "exit status $status" [ $status -eq 0 ] && has_rows hosted-1 12 && lacks calls sweep
  has calls "bench trsm,trmm --m 4096,8192,12288,16384,20480,24576 --n m --backend cuda:0:host"
  CUDA_HOME=$work/nowhere PARTS="pageable caps large" check hosted
  that "exit status $status" [ $status -eq 0 ] && lacks calls bench
  that "formula-1.csv has one line of names" [ "$(grep -c names checked/formula-1.csv)" -eq 1 ]
  that "formula-1.csv has $(wc -l <checked/formula-1.csv) lines" [ "$(wc -l <checked/formula-1.csv)" -eq 12 ]
  has out "row of cuda:0:host potrf 65536 0 cap=2" && has out "row of cuda:0:host posv 120000 64"
  cat figures contest | grep '^bench' | sort >called # the notebook has exactly these commands
  sed -n 's/^trigon \(bench potrf_batch .*cuda:0 .*\|bench .*--batch 5000 .*\)/\1/p' \
    "$source_folder"/docs/notebook/batches-*.md | sort >documented
  that "commands: $(diff documented called)" cmp -s documented called
fi
check nothing
that "exit status $status" [ $status -eq 2 ]
has err "the stages are sweep, devices, kinds, sanitize, bench, batches, batch-blas, fp64, figures, contest,"
finish
