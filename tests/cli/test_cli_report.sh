#!/bin/sh
# test_cli_report.sh TRIGON - the command's reports: --json, log-determinants, --jitter, hints, and failures of output.
. "$(dirname "$0")/cli_support.sh"
manual=$source_folder/man/trigon.1

printf '%%%%MatrixMarket matrix array real general\n2 2\n4\n2\n2\n5\n' >a.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n10\n16\n' >b.mtx
printf '%%%%MatrixMarket matrix array complex hermitian\n2 2\n2 0\n0 1\n2 0\n' >h.mtx
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n1\n1\n1\n' >semidefinite.mtx
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n1\n' >indefinite.mtx
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n1e300\n0\n1e300\n' >large.mtx
printf '%%%%MatrixMarket matrix array real symmetric\n0 0\n' >empty.mtx
printf '%%%%MatrixMarket matrix array real symmetric\n2 2\n-1\n0\n-5\n' >negative.mtx
tridiagonal 2000 >t2000.mtx
f4_1='\000\000\200\077' f4_3='\000\000\100\100' f4_4='\000\000\200\100'
npy '<f4' 2 2 "$f4_4$f4_1$f4_1$f4_3" >single.npy

# valid: the file out must be one JSON object without NaN. python3 or jq reads the object.
valid() {
  checks=$((checks + 1))
  if command -v python3 >/dev/null; then
    python3 -c 'import json, sys
def refuse(constant): raise ValueError(constant)
sys.exit(not isinstance(json.load(open("out", encoding="utf-8"), parse_constant=refuse), dict))' 2>>err ||
      fail "$last: python3 finds no JSON object in out"
  elif command -v jq >/dev/null; then
    jq -es 'length == 1 and (.[0] | type == "object")' out >/dev/null 2>>err ||
      fail "$last: jq finds no JSON object in out"
  else
    skip "no python3 and no jq: JSON is not read"
  fi
}

# number KEY: prints the number of that member, or nothing if there is no such member.
number() { sed -n "s/^ *\"$1\": \\([-+0-9.e]*\\),*\$/\\1/p" out; }

# is_close NUMBER VALUE: the text must be this number, to ten digits; 0 exactly. An empty text is no number.
is_close() {
  awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; s = b < 0 ? -b : b; exit a == "" || d > 1e-10 * s }'
}

# close KEY VALUE: the member must be this number.
close() { that "$1 is '$(number "$1")', not $2" is_close "$(number "$1")" "$2"; }
for pair in "0 1e-16" "1e-16 0" " 0" "5.96e-8 5.97e-8" "1 -1" "3.5001e-10 3.5e-10"; do
  last="the numbers '$pair'"
  that "they pass for close" eval "! is_close '${pair% *}' '${pair#* }'"
done
last="close numbers" && that "2.5e-10 and 2.50000000001e-10" is_close 2.5e-10 2.50000000001e-10

# members KEY...: the object must have exactly these keys, in this order. The manual must describe each of these keys,
# and the keys of inner objects.
sed -n '/^\.SH JSON/,/^\.SH [^J]/p' "$manual" >json_keys
members() {
  keys=$(sed -n 's/^  "\([A-Za-z0-9_]*\)": .*/\1/p' out | tr '\n' ' ')
  that "the keys are '$keys'" [ "$keys" = "$* " ]
  for key in $(sed -n 's/^ *"\([A-Za-z0-9_]*\)": .*/\1/p' out | sort -u); do
    that "the manual does not tell of $key" grep -q "^\.BR* .*\b$key\b" json_keys
  done
}

# ------------------------------------------------------------------------------------------------------- JSON --
common="command version A order type uplo jitter jitter_added"
times="backend fp64 fp64_calls reading_seconds copying_seconds seconds gflops log_determinant"
judged="roundoff limit ok"
run 0 solve a.mtx --json && valid && that "errors" empty err &&
  members $common B right_hand_sides $times backward_error $judged forward_error output &&
  has out '"command": "solve"' && has out '"A": "a.mtx"' && has out '"order": 2' && has out '"type": "d"' &&
  has out '"B": null' && has out '"right_hand_sides": 1' && has out '"backend": "cpu"' && has out '"ok": true' &&
  has out '"output": null' && has out '"jitter": 0' && close roundoff 1.1102230246251565e-16 && lacks out "null,null"
run 0 solve a.mtx b.mtx -o x.mtx --json && valid && has out '"B": "b.mtx"' && has out '"forward_error": null' &&
  has out '"output": "x.mtx"' && near x.mtx 1.125 2.75
run 0 factor a.mtx --uplo upper -o u.mtx --json && valid && members $common $times residual $judged output &&
  has out '"uplo": "upper"' && has out '"output": "u.mtx"'
run 0 invert a.mtx -o i.mtx --json && valid && members $common $times residual $judged condition_number output &&
  close condition_number 3.0625
run 0 solve h.mtx --json && valid && has out '"type": "z"'
run 0 solve single.npy --json && valid && has out '"type": "s"' && close roundoff 5.9604644775390625e-08
run 0 solve empty.mtx --json && valid && has out '"order": 0' && close log_determinant 0
run 0 solve a.mtx --json -q && valid && that "errors" empty err
run 0 solve single.npy b.mtx --json -q && valid && has out '"type": "d"' && that "notes" empty err

# Failures are reported only on standard error. Results that were computed before are still printed.
run 1 solve missing.mtx --json && that "output" empty out && has err "missing.mtx"
run 1 solve indefinite.mtx --json && that "output" empty out && has err "not positive definite"
run 2 solve --json && that "output" empty out
# No file may grow beyond 1 KiB, so the command computes the factor and cannot write the factor.
last="trigon factor t2000.mtx -o full.npy --json under ulimit -f"
(
  trap '' XFSZ
  ulimit -f 1
  "$trigon" factor t2000.mtx -o full.npy --json 2>err
  echo $? >status
) | cat >out
that "exit status $(cat status)" [ "$(cat status)" -eq 1 ]
valid && has out '"ok": true' && lacks out '"output"' && has err "full.npy: cannot write" &&
  that "no file" absent full.npy

# Names with quotation marks, control bytes, UTF-8, and bytes that are not UTF-8.
name=$(printf 'q"b\\s\tn\ne\001\302\265.mtx')
cp a.mtx "$name"
run 0 solve "$name" --json && valid && has out '"A": "q\"b\\s\u0009n\u000ae\u0001µ.mtx"'
name=$(printf 'x\377y\300\200z\355\240\200\364\220\200\200\360\237\230\200\342\202.mtx')
if cp a.mtx "$name" 2>/dev/null; then
  u='\ufffd'
  run 0 solve "$name" --json && valid &&
    has out "\"A\": \"x${u}y$u${u}z$u$u$u$u$u$u$u😀$u$u.mtx\""
else
  skip "this file system takes no names that are not UTF-8"
fi

# Each of these characters is invisible: DEL, U+009B, U+200E, U+061C, U+2028.
name=$(printf 'd\177c\302\233r\342\200\216a\330\234s\342\200\250.mtx')
cp a.mtx "$name"
run 0 solve "$name" --json && valid && has out '"A": "d\u007fc\u009br\u200ea\u061cs\u2028.mtx"'
run 0 solve "$name" && has out 'd\x7fc\xc2\x9br\xe2\x80\x8ea\xd8\x9cs\xe2\x80\xa8.mtx: 2'
library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libopenblas\.so\.0 .*=> //p' | head -n 1)
if [ -n "$library" ]; then
  ln -s "$library" "$(printf 'lib\033[31m,"\302\233.so.0')"
  run 0 bench potrf --n 4 --repeat 1 --vs none --csv --backend "$(printf 'cpu:./lib\033[31m,"\302\233.so.0')" &&
    has out ',"cpu:./lib\x1b[31m,""\xc2\x9b.so.0",'
else
  skip "no libopenblas.so.0 for a link with such a name"
fi

# The name of a standard stream is "-". Standard output cannot take both the object and the output.
run 0 solve - b.mtx --json <a.mtx && valid && has out '"A": "-"' && has out '"B": "b.mtx"'
run 0 solve a.mtx - --json <b.mtx && valid && has out '"B": "-"'
for command in solve factor invert; do
  run 2 $command missing.mtx --json -o - && has err "--json and '-o -' both take standard output" &&
    that "output" empty out
done

# info
run 0 info --json && valid && members version backends zlib plots && has out '"name": "cpu"' &&
  has out '"available": true' && has out '"name": "cuda:0"' && has out '"name": "hip:0"' && that "errors" empty err
run 0 info --json --rows cpu && valid && members rows && has out '"rows": "version 2' && has out 'kind '
run 1 info --json --backend cpu:libnothing.so && valid && has out '"name": "cpu:libnothing.so"' &&
  has out '"available": false' && has out '"reason": "' && members version backends zlib plots

# -------------------------------------------------------------------------------------------- log-determinant --
run 0 solve a.mtx && has out "log-determinant   2.77258872223978 (natural logarithm)"
run 0 factor a.mtx -o l.mtx && has out "log-determinant   2.77258872223978"
run 0 invert a.mtx -o i.mtx && has out "log-determinant   2.77258872223978"
run 0 solve a.mtx --uplo upper --json && close log_determinant 2.772588722239781
run 0 factor h.mtx -o l.mtx --json && close log_determinant 1.0986122886681098
run 0 solve single.npy --json && that "$(number log_determinant) is not log 11" awk -v d="$(number log_determinant)" \
  'BEGIN { d -= 2.3978952727983707; exit d > 1e-6 || d < -1e-6 }'
# The determinant itself is beyond the range of every type. Its logarithm is the sum of the logarithms of the pivots,
# d = 4 - 1/d.
wanted=$(awk 'BEGIN { d = 4; for (i = 1; i <= 2000; i++) { s += log(d); d = 4 - 1 / d } printf "%.17g", s }')
run 0 solve t2000.mtx --json && close log_determinant "$wanted"

# ----------------------------------------------------------------------------------------------------- jitter --
# The mean of a's diagonal is 4.5.
run 0 factor a.mtx --jitter 0.1 -o l.mtx && near l.mtx 2.1095023109728985 0.9480909262799545 0 2.1333362593612892 &&
  has out "jitter            0.1 times the mean of the diagonal: 0.45 is added to the diagonal" && has out ": ok"
run 0 factor a.mtx --jitter 0.1 --uplo upper -o u.mtx --json && valid && close jitter 0.1 && close jitter_added 0.45 &&
  has out '"ok": true' && near u.mtx 2.1095023109728985 0 0.9480909262799545 2.1333362593612892
run 0 solve a.mtx --jitter 0.1 && has out ": ok" && has out "forward error"
run 0 solve a.mtx b.mtx --jitter 0.1 -o x.mtx && has out ": ok" && near x.mtx 1.11097395383286 2.528082952721886
run 0 invert h.mtx --jitter=0.5 -o i.mtx && has out ": ok" && near i.mtx 0.375 0 0 -0.125 0.375 0
run 0 solve a.mtx --jitter 0 --json && close jitter 0 && close jitter_added 0
run 0 solve a.mtx && lacks out "jitter"
run 0 solve empty.mtx --jitter 1
run 0 solve semidefinite.mtx --jitter 1e-10 && has out ": ok"
run 0 solve single.npy b.mtx --jitter 1e-10 --json && close jitter_added 3.5e-10 && has err "converted" &&
  lacks err "--jitter" # the jitter is added after the conversion to double precision
run 0 solve single.npy --jitter 1e-10 && has err "note: --jitter 1e-10 changes nothing: it is lost in rounding"
run 0 solve single.npy --jitter 1e-10 -q && that "notes" empty err
run 1 solve large.mtx --jitter 1e10 && has err "--jitter 1e10" && has err "overflows" && that "output" empty out
for wrong in -1 x "" inf nan 1e999 0x1 1e-3x " 1"; do
  run 2 solve a.mtx --jitter "$wrong" && has err "--jitter: a finite number >= 0 is expected, not '$wrong'"
done

# If a matrix is not positive definite, one message says so, and says what helps.
run 1 solve semidefinite.mtx && has err "A is not positive definite: its leading minor of order 2 fails" &&
  has err "check that A is symmetric positive definite, or try --jitter 1e-10" && lacks err "pivot"
run 1 factor indefinite.mtx --jitter 1e-10 -o l.mtx && has err "not positive definite with --jitter 1e-10" &&
  has err "or try a larger --jitter"
npy '<f4' 2 2 "$f4_1$f4_1$f4_1$f4_1" >semidefinite.npy
run 1 solve semidefinite.npy && has err "or try --jitter 1e-06" # rounding would lose 1e-10
run 0 solve semidefinite.npy --jitter 1e-06 && lacks err "note"
for jitter in 0 1e-10 0.5; do # no jitter helps
  run 1 solve negative.mtx --jitter $jitter && has err "A is not positive definite" && lacks err "try"
done
run 1 solve negative.mtx && has err "the mean of its diagonal is -3, not positive" && lacks err "try"

# ------------------------------------------------------------------------------------------------------ hints --
run 0 -V && cp out version && run 0 --version && that "-V and --version" cmp -s out version
that "the version: $(cat out)" grep -qx "trigon [0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*" out
run 0 help solve && cp out told && run 0 solve --help && that "both helps" cmp -s out told &&
  has out "usage: trigon solve "
for arguments in "help solve extra" "-V foo" "--version foo" "--help foo" "-h foo"; do
  run 2 $arguments && has err "unexpected argument '${arguments##* }'" && that "output" empty out
done
run 2 slove && has err "unknown command 'slove'; did you mean 'solve'?"
run 2 help benhc && has err "did you mean 'bench'?"
run 2 --verison && has err "unknown option '--verison'; did you mean '--version'?"
run 2 solve a.mtx --bakend cpu && has err "unknown option '--bakend'; did you mean '--backend'?"
run 2 solve a.mtx --jiter=1 && has err "unknown option '--jiter'; did you mean '--jitter'?"
run 2 solve a.mtx --out x.mtx && has err "did you mean '--output'?"
run 2 solve a.mtx -json && has err "did you mean '--json'?"
run 2 solve a.mtx --hepl && has err "did you mean '--help'?"
run 2 bench potrf -n 5 && has err "unknown option '-n'; did you mean '--n'?"
long=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
for wrong in frobnicate s x "" nothing $long; do
  run 2 "$wrong" && has err "unknown command '$wrong'" && lacks err "did you mean"
done
for wrong in --x -x --frobnicate --bbbbbbb; do
  run 2 solve a.mtx $wrong && has err "unknown option '$wrong'" && lacks err "did you mean"
done

# ------------------------------------------------------------------------------------------- failing output --
if [ -w /dev/full ]; then
  for arguments in "bench potrf --n 8 --repeat 1" "bench potrf --n 8 --repeat 1 --csv" "info" "info --json" \
    "solve a.mtx" "solve a.mtx --json" "bench --help" "--help"; do
    last="trigon $arguments >/dev/full"
    "$trigon" $arguments >/dev/full 2>err
    that "exit status $?" [ $? -eq 1 ]
    has err "cannot write to standard output: No space left on device"
  done
else
  skip "no /dev/full here"
fi
last="trigon info >&-"
"$trigon" info >&- 2>err
that "exit status $?" [ $? -eq 1 ]
has err "cannot write to standard output: Bad file descriptor"

# -------------------------------------------------------------------------------------------------- a device --
if has_sim; then
  run 0 factor a.mtx --backend sim:0 --jitter 0.1 -o l.mtx --json && valid && close jitter_added 0.45 &&
    near l.mtx 2.1095023109728985 0.9480909262799545 0 2.1333362593612892 && has out '"backend": "sim:0"' &&
    close log_determinant 3.0082782427225094
  run 0 solve a.mtx --backend sim:0 && has out "log-determinant   2.77258872223978"
  run 0 invert h.mtx --backend 'sim:0?warp=64&seed=3' -o i.mtx --json && close log_determinant 1.0986122886681098
  run 0 info --json --backend sim:0 && valid && has out '"name": "sim:0"' && has out '"description": "simulated GPU'
fi

finish
