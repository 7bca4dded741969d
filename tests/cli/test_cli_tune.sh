#!/bin/sh
# test_cli_tune.sh TRIGON - the command tune, and what info says about tuning tables.
# The times are too short for good tables. The tests are about what is written, and whether a context reads it.
. "$(dirname "$0")/cli_support.sh"
unset TRIGON_TUNING
export XDG_CONFIG_HOME="$work/config"
export OMP_NUM_THREADS=1

# ------------------------------------------------------------------------------------------------------- usage --
run 2 tune --time 0 && has err "--time: seconds are expected"
run 2 tune --time soon && has err "not 'soon'"
run 2 tune --time 1e9
run 2 tune --routine gemm,axpy && has err "--routine: 'axpy' has no row"
run 2 tune --routine ge
run 2 tune --type q && has err "'s', 'd', 'c' or 'z'"
run 2 tune --backend 'cpu?leaf=packed' && has err "tune finds what 'leaf=' decides"
run 2 tune extra && has err "unexpected argument"
run 1 tune --backend nothing && has err "nothing"
run 1 tune --time 1 -o missing/t.table && has err "cannot write into the folder missing"
last="trigon tune with TRIGON_TUNING=none"
TRIGON_TUNING=none "$trigon" tune --time 1 >out 2>err
that "exit status $?" [ $? -eq 1 ] && has err "use --output"
that "no folder of settings" absent config

# Folders that cannot be made. Root may write everywhere but in the file systems of the kernel and below files.
# unmade FOLDER REASON COMMAND...: the command, perhaps by another user, cannot make the folder trigon in this folder.
unmade() {
  folder=$1 reason=$2
  shift 2
  last="trigon tune with XDG_CONFIG_HOME=$folder"
  XDG_CONFIG_HOME=$folder "$@" tune --time 1 >out 2>err
  that "exit status $?" [ $? -eq 1 ]
  has err ".table: cannot make the folder $folder$reason" && that "output" empty out
}
: >plain
unmade "$work/plain" "/trigon: Not a directory" "$trigon"
mkdir -m 555 closed
if [ "$(id -u)" -ne 0 ]; then
  unmade "$work/closed" "/trigon: Permission denied" "$trigon"
elif chmod 755 . && setpriv --reuid 65534 --regid 65534 --clear-groups "$trigon" --version >/dev/null 2>&1; then
  unmade "$work/closed" "/trigon: Permission denied" setpriv --reuid 65534 --regid 65534 --clear-groups "$trigon"
else
  skip "root, and no other user can run the command: no folder that must not be written"
fi

# --------------------------------------------------------------------------------- the table, and who reads it --
run 0 info --json && has out '"tuning_file": "'"$work/config/trigon/" && has out "table: built in"
run 0 tune --time 2 --routine trsm --type d && has out "written to $work/config/trigon/" && that "errors" empty err
table=$(sed -n 's/^written to //p' out)
that "a file" [ -s "$table" ]
has "$table" "written by trigon tune" && has "$table" "trsm d w2048: " && has "$table" "# processor: " &&
  has "$table" "# backend: cpu"
sed '/^written to /d' out >shown
that "the command shows the table" cmp -s shown "$table"
run 0 info && has out "table: $table" && lacks out "advice: the tuning"
run 0 bench trsm --m 40 --n 5 --repeat 1 && has out "table: $table"
cp "$table" kept.table
run 0 bench potrf --n 40 --repeat 1 --backend "cpu?tuning=kept.table" && has out "table: kept.table"
run 0 tune --time 1 --routine lauum --type s -q -o - && has out "lauum s w2048: " && that "errors" empty err
run 0 tune --time 1 --routine lauum --type s -o - && has out "lauum s w2048: " && has err "written to standard output"
run 0 tune --time 0.1 --routine potrf --type d -o - && has out "potrf d w2048: too little time"
run 1 tune --time 0.1 --routine potrf --type d -q -o little.table && that "output" empty out &&
  has err "too little time: nothing was measured, and little.table is not written" && that "no file" absent little.table

# Products on the backend cpu have one leaf, which is never cut.
run 0 tune --time 1 --routine gemm --type d -o - && lacks out "gemm d w2048" && lacks out "too little time"
if has_openblas; then
  run 0 tune --backend cpu:libopenblas.so.0 --time 1 --routine gemm --type d -o - && has out "gemm d w2048: "
fi

# ------------------------------------------------------------------------------------- the table that was before --
cat >old.table <<'END'
# A comment.
version 2
potrf   d   w2048     90   packed      *   # the speed
potrf   d   w2048      *   vendor    128
trsm   sdcz  *       61   packed      *
trsm   sdcz  *        *   vendor   1024
invert  s   *         *   vendor      *
lauum   ds  *         *   vendor      *

team   trsm  dz   200000 # the work
team   gemm  s   *
END
cp old.table before.table
run 1 tune --time 0.1 --routine potrf --type d -o old.table &&
  that "the file is unchanged" cmp -s old.table before.table &&
  has err "too little time: nothing was measured, and old.table stays as it is"
run 0 tune --time 3 --routine lauum --type s -o old.table && that "errors" empty err
that "other rows are the old ones, comments included" [ "$(grep -c "$(sed -n 3,7p before.table | sed 's/[*]/[*]/g
  s/^/^/; s/$/$/')" old.table)" -eq 5 ]
that "both teams are kept" [ "$(grep -cxF "$(sed -n 10,11p before.table)" old.table)" -eq 2 ]
that "lauum d stays" [ "$(grep -c '^lauum d w[0-9*]* [*] vendor [*]$' old.table)" -eq 6 ]
that "the old lauum s is gone" [ "$(grep -c '^lauum s.* [*] vendor [*]$' old.table)" -eq 0 ]
lacks old.table "A comment" && has old.table "# Not measured this time" && has old.table "# lauum s w2048: "
has out "$(tail -n 1 old.table)"
run 0 info --backend "cpu?tuning=old.table" && has out "table: old.table"
cp old.table before.table # again: the rows do not become more
run 0 tune --time 3 --routine lauum --type s -q -o old.table
differing='^#\|^lauum  *s \|^team lauum s ' # what two runs may find different; a new row is padded
that "the same rows" [ "$(grep -v "$differing" old.table)" = "$(grep -v "$differing" before.table)" ]
run 0 tune --time 4 --routine trsm --type d -q -o old.table && has old.table "trsm d w2048: " &&
  has old.table "trsm s w2048 61 packed *" && has old.table "trsm d w* 61 packed *" &&
  has old.table "trsm d w1 61 packed *"
# On a machine that computes something else, the time may be too little for this shape.
measured=1
if grep -q "trsm d w2048: too little time" old.table; then measured=0; fi
that "the old row of w2048 is gone if the shape was measured" \
  [ "$(grep -c '^trsm d w2048 61 packed [*]$' old.table)" -eq $((1 - measured)) ]
run 0 info --backend "cpu?tuning=old.table" && has out "table: old.table"
that "one version" [ "$(grep -c '^version' old.table)" -eq 1 ]
printf 'potrf d * * vendor 5\n' >old.table
run 0 tune --time 3 --routine lauum --type s -o old.table && has err "old.table is no good table" &&
  has err "is too old" && lacks old.table "potrf"
printf 'version 2\npotrf d * * vendor 5\nno table\n' >old.table
run 0 tune --time 3 --routine lauum --type s -o old.table && has err "old.table is no good table" && has err "line 3" &&
  lacks old.table "potrf"
head -c 70000 /dev/zero >old.table
run 1 tune --time 1 --routine lauum --type s -o old.table && has err "old.table: is larger than a table may be"

# ---------------------------------------------------------------------------------------------- broken tables --
printf 'version 2\npotrf d * * vendor 5\ntrsm d * 8 fast *\n' >"$table"
run 0 info && has out "table: built in" && has out "advice: " &&
  has out "the tuning table is ignored: $table: line 3: \"fast\" is no leaf"
run 0 info --json && has out "the tuning table is ignored: $table: line 3: "
run 1 info --backend "cpu?tuning=$table" && has out "$table: line 3: "
run 1 bench potrf --n 8 --backend "cpu?tuning=$table" && has err "line 3" && that "output" empty out
run 0 bench potrf --n 8 --repeat 1 && has out "the tuning table is ignored"
if has_sim; then
  printf 'version 2\npotrf d * 8 vendor *\n' >broken.table
  run 1 info --backend "sim:0?tuning=broken.table" && has out "broken.table: line 2: end of the table"
  last="trigon info with TRIGON_TUNING=broken.table"
  TRIGON_TUNING=broken.table "$trigon" info --backend sim:0 >out 2>err
  has out "sim:0      simulated GPU" && that "both complain" [ "$(grep -c 'broken.table: line 2' out)" -eq 2 ]
  run 0 info --backend "sim:0?tuning=kept.table" && has out "table: kept.table, "
  run 0 tune --backend sim:0 --time 1 --routine trsm --type s -o - && has out "trsm s w2048: too little"
fi

# ------------------------------------------------------------------------------------------------ rows of GPUs --
# without_facts FILE: the lines of info --rows that a table may have.
without_facts() { grep -Ev '^(kind|limit|shape|kernel) ' "$1"; }
run 2 tune --largest 8 && has err "--largest: a number from 16 to 65536 is expected, not '8'"
run 2 tune --largest 64k && has err "not '64k'"
run 2 tune --batch 0 && has err "--batch: a number from 1 to"
run 2 tune --routine potrf_tiles && has err "'potrf_tiles' has no row"
run 1 tune --routine potrf_batch,trsm_tiles -o none.table && has err "there is nothing to choose" &&
  that "no file" absent none.table
cat >gpu.table <<'END'
version 2
potrf d * * packed 99
tile lauum 64x64   # a comment
batch potrf d 64 strips-64
batch potrf d * tiles
tile trsm 128x8
END
run 0 info --backend "cpu?tuning=gpu.table" && has out "table: gpu.table"
run 0 tune --time 3 --routine lauum --type s -q -o gpu.table && has gpu.table "tile lauum 64x64   # a comment" &&
  has gpu.table "batch potrf d 64 strips-64" && has gpu.table "potrf d * * packed 99"
if has_sim; then
  for kind in simulated hopper portable; do
    run 0 info --rows "sim:0?arch=$kind" && mv out rows && without_facts rows >rows.table
    run 0 info --rows "sim:0?arch=$kind&tuning=rows.table" && that "the same rows" cmp -s out rows
  done
  run 0 info --rows "sim:0?tuning=gpu.table" && has out "batch potrf d 64 strips-64" && has out "tile trsm 128x8" &&
    lacks out "tile trsm 128x16" && lacks out "batch potrf d 32" && has out "batch potrf c 64 strips-64"
  run 0 info --rows sim:0 && has out "kernel potrf d mma-tiles above=64 shares" && has out "shape trmm 128x64"
  printf 'version 2\nbatch potrf d 32 strips-32\n' >open.table
  run 1 info --rows "sim:0?tuning=open.table" && has err "open.table: end of the table: the row" &&
    has err "the last row must take every size"
  printf 'version 2\n\ntile trsm 128x9\n' >bad.table
  run 1 bench potrf --n 8 --backend "sim:0?tuning=bad.table" && has err "bad.table: line 3: \"128x9\"" &&
    that "output" empty out

  # Times of the simulated GPU mean nothing. But each search must end, and a context must take what was found.
  cat >gpu.table <<'END'
version 2
trsm d * * step 40
batch potrf d 64 strips-64
batch potrf d * tiles
batch posv s 64 strips-64   # kept
batch trsm d * slabs
tile trmm 64x64
tile lauum 64x64
END
  run 0 tune --backend sim:0 --time 600 --routine potrf_batch,trsm_batch --type d --largest 40 --batch 3 -o gpu.table &&
    that "errors" empty err && has gpu.table "# batch potrf d: " && has gpu.table "# batch trsm d: " &&
    lacks gpu.table "too little time"
  has gpu.table "batch posv s 64 strips-64   # kept" && has gpu.table "tile trmm 64x64" &&
    has gpu.table "trsm d * * step 40"
  that "rows that were measured are new" [ "$(grep -c '^batch trsm d [*] slabs$' gpu.table)" -le 1 ]
  run 0 info --rows "sim:0?tuning=gpu.table" && has out "tile trmm 64x64" && has out "batch posv s 64 strips-64"
  cp gpu.table before.table
  run 0 tune --backend sim:0 --time 600 --routine lauum_tiles,trsm_vectors --type d --largest 16 -q -o gpu.table &&
    has gpu.table "# tile lauum: " && has gpu.table "# tile vectors: " && has gpu.table "tile trmm 64x64"
  that "the classes stay" [ "$(grep '^batch' gpu.table)" = "$(grep '^batch' before.table)" ]
  run 0 bench potrf_batch --sizes uniform:40x5 --repeat 1 --backend "sim:0?tuning=gpu.table" &&
    has out "table: gpu.table"
  run 0 tune --backend sim:0 --time 0.001 --routine trtri_batch --type d --largest 16 --batch 2 -o - &&
    has out "# batch invert d: "
  run 0 tune --backend sim:0 --time 1 --routine lauum_tiles --type s -o - && lacks out "tile lauum"
fi

# ---------------------------------------------------------------------------------------- matrices in host memory --
run 1 tune --routine host_order -o none.table && has err "there is nothing to choose" &&
  that "no file" absent none.table
if has_sim; then
  printf 'version 2\nhost columns 7   # kept\nhost order 9\nhost tiles 4\ntrsm d * * step 40\n' >host.table
  run 0 tune --backend sim:0-1 --time 600 --largest 64 --routine host_order,host_tiles -q -o host.table
  has host.table "host columns 7   # kept" && has host.table "trsm d * * step 40" && lacks host.table "host order 9"
  that "one line of each" [ "$(grep -c '^host ' host.table)" -eq 3 ]
  has host.table "host tiles 4" && has host.table "# host tiles: matrices of this order have no tiles of other sizes"
  run 0 tune --backend sim:0:host --time 600 --largest 64 -o host.table && that "errors" empty err
  lacks host.table kept && has host.table "trsm d * * step 40" && lacks out "gemm d"
  that "both" [ "$(grep -cE '^host (order|columns) [0-9]+   # ' host.table)" -eq 2 ]
  run 0 info --backend "sim:0:host?tuning=host.table" && has out "table: host.table"
  run 1 tune --backend sim:0:host --routine host_tiles --largest 512 -o none.table
  that "no file" absent none.table

  printf 'version 2\nhost tiles 4   # kept\nhost link 1 2 3\n' >link.table
  run 0 info --rows "sim:0-1?tuning=link.table" && has out "host   link      1      2      3"
  run 0 tune --backend "sim:0-1?seed=2" --time 600 --largest 64 --routine host_link -q -o link.table
  that "errors" empty err && has link.table "host tiles 4   # kept" && lacks link.table "host link 1 2 3"
  rates='[1-9][0-9]* [1-9][0-9]* [1-9][0-9]*   # GB/s to the first GPU beside products of order 64, '
  that "one line of three rates" [ "$(grep -c "^host link $rates" link.table)" -eq 1 ]
  run 0 info --backend "sim:0-1?tuning=link.table" && has out "table: link.table"
  run 0 tune --backend sim:0:host --time 0.001 --largest 64 --routine host_link -o - &&
    has out "# host link: too little time" && lacks out "host link 1"
  run 1 tune --backend "sim:0:host?fail=pin:1" --largest 64 --routine host_link -o none.table &&
    has err "trigon tune: measuring the link: trigon_pin: " && that "no file" absent none.table
fi

# ------------------------------------------------------------------------------------------------- an interrupt --
rm -rf config
"$trigon" tune --time 30 --routine trsm --type d >out 2>err &
sleep 1
last="trigon tune, interrupted"
kill -TERM $!
wait $!
that "the signal ends the command: $?" [ $? -ge 128 ]
that "no file" [ -z "$(find config -type f 2>/dev/null)" ]
finish
