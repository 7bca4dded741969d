#!/bin/sh
# test_cli_files.sh TRIGON - the input and output files of solve, factor and invert, and the messages about files.
. "$(dirname "$0")/cli_support.sh"
chmod 755 "$work" # some commands run as another user

array='%%MatrixMarket matrix array real general'
printf '%s\n2 2\n4\n2\n2\n5\n' "$array" >a.mtx
printf '%s\n2 1\n10\n16\n' "$array" >b.mtx
zeros='\000\000\000\000\000\000'
f1="$zeros\\360\\077" f3="$zeros\\010\\100" f4="$zeros\\020\\100" f_nan="$zeros\\370\\177"
npy '<f8' 2 2 "$f4$f1$f1$f3" >a.npy
npy '<f8' 2 '' "$f4$f1" >b.npy
escape=$(printf '\033')

# ------------------------------------------------------------------------------------- checked before the work --
# Each of these errors is found before A is read. The tests show this because A does not exist.
refused() {
  run 1 solve missing.mtx -o "$1" && has err "$1: $2" && lacks err missing.mtx
}
mkdir folder.mtx shut
ln -s /dev/full full.mtx
ln -s circle.mtx around.mtx
ln -s around.mtx circle.mtx
ln -s nowhere/x.mtx lost.mtx
refused full.mtx "cannot write: not a regular file"
refused circle.mtx "cannot write: Too many levels of symbolic links"
refused folder.mtx "cannot write: is a folder"
refused lost.mtx "cannot write into the folder nowhere: No such file or directory"
refused nowhere/x.mtx "cannot write into the folder nowhere: No such file or directory"
mkfifo pipe.mtx
refused pipe.mtx "cannot write: not a regular file" # by its name; then through links of /proc without a name
last="trigon solve missing.mtx -o /dev/stdout --format mtx | cat"
{ "$trigon" solve missing.mtx -o /dev/stdout --format mtx 2>err; echo $? >status; } | cat >out
that "exit status $(cat status)" [ "$(cat status)" -eq 1 ]
has err "/dev/stdout: cannot write: not a regular file" && that "output" empty out
run 1 solve missing.mtx -o "" --format mtx && has err "the output: its name is empty"
: >mounted.mtx
if [ "$(id -u)" -eq 0 ] && mount --bind a.mtx mounted.mtx 2>/dev/null; then
  refused mounted.mtx "cannot write: is a mount point, which cannot be replaced"
  umount mounted.mtx
else
  skip "files cannot be mounted here"
fi

# A file that is a standard stream is not replaced, because all other output to the stream would be lost.
stream=""
# keeps PATH REASON: the stream $stream writes to log.txt. The command must not change what log.txt has, and must say
# REASON.
keeps() {
  last="trigon solve a.mtx -o $1 --format mtx $stream>>log.txt"
  echo precious >log.txt
  case $stream in
  "") "$trigon" solve missing.mtx -o "$1" --format mtx >>log.txt 2>err ;;
  2) "$trigon" solve missing.mtx -o "$1" --format mtx 2>>log.txt >out ;;
  5) "$trigon" solve missing.mtx -o "$1" --format mtx 5>>log.txt >out 2>err ;;
  esac
  that "exit status $?" [ $? -eq 1 ]
  [ "$stream" = 2 ] && sed 1d log.txt >err
  has err "$1: cannot write: $2" && lacks err missing.mtx
  that "log.txt is unchanged" [ "$(head -n 1 log.txt)" = precious ]
}
for path in /dev/stdout /dev/fd/1 log.txt; do keeps $path "is standard output; '-o - --format mtx' writes"; done
# What the message proposes is possible: it keeps the format, and does not lead to another refusal.
for command in "solve a.mtx" "factor a.mtx" "invert a.mtx"; do
  for name in x.npy "x.npy --format npy" "x.mtx.gz" "pipe.npy" ".npy" "folder.mtx/.npy"; do
    format=${name#*.} && format=${format##* }
    case $name in folder*) format=npy ;; esac
    path=${name%% *}
    [ "$path" != pipe.npy ] || mkfifo -m 600 pipe.npy
    [ "$path" = pipe.npy ] || : >"$path"
    last="trigon $command -o $name, as standard output or a pipe"
    if [ -p "$path" ]; then "$trigon" $command -o $name >out 2>err; else "$trigon" $command -o $name >"$path" 2>err; fi
    that "exit status $?" [ $? -eq 1 ]
    has err "; '-o - --format $format' writes to standard output, also into a pipe"
    if [ -p "$path" ]; then continue; fi
    "$trigon" $command -o - --format $format >"$path" 2>err
    that "exit status $?" [ $? -eq 0 ]
    run 0 $command -o "second.$format" && that "the same bytes" cmp -s "$path" "second.$format"
    : >"$path"
    last="trigon $command -o $name --json, to the file of the output"
    "$trigon" $command -o $name --json >"$path" 2>err
    that "exit status $?" [ $? -eq 1 ]
    has err "; --json takes standard output: give the output a regular file" && lacks err "-o -"
    rm -f "$path" "second.$format"
    run 0 $command -o $name && rm "$path"
  done
  rm -f pipe.npy
done
run 2 solve a.mtx -o x.NPY &&
  has err "x.NPY: expected a name that ends in .npy, .mtx or .mtx.gz, or the option --format"
stream=2
for path in /dev/stderr /dev/fd/2 log.txt; do keeps $path "is standard error"; done
stream=5
keeps /dev/fd/5 "is open as file descriptor 5"

# The message has the reason, however long the name is.
long=$(printf '%0200d/' 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0)
run 1 solve missing.mtx -o "${long}x.mtx" && has err "cannot write into the folder 000" &&
  has err "No such file or directory"
run 1 solve missing.mtx -o "$long${long}x.mtx" && has err "cannot write: File name too long"
run 1 solve "$long${long}x.mtx" && has err "cannot open: File name too long"
run 1 solve "${long}x.mtx" && has err "x.mtx: cannot open: No such file or directory"

# An output that replaces a file keeps the file's owner and mode.
if [ "$(id -u)" -eq 0 ]; then
  for mode in 0 640 777; do
    cp a.mtx owned.mtx && chown 65534:65533 owned.mtx && chmod $mode owned.mtx
    run 0 solve a.mtx b.mtx -o owned.mtx
    that "owner and mode are kept" [ "$(stat -c '%u %g %a' owned.mtx)" = "65534 65533 $mode" ]
  done
else
  cp a.mtx owned.mtx && chmod 640 owned.mtx
  run 0 solve a.mtx b.mtx -o owned.mtx
  that "the mode is kept" [ "$(stat -c %a owned.mtx)" = 640 ]
  skip "this user cannot give files to another user"
fi

# Links are followed, even if they lead to nothing.
mkdir there
ln -s there/new.mtx first.mtx
ln -s first.mtx second.mtx
run 0 solve a.mtx b.mtx -o second.mtx && near there/new.mtx 1.125 2.75
that "the links stay" [ -L first.mtx ] && that "the links stay" [ -L second.mtx ]
ln -s "$work/there/other.mtx" absolute.mtx
run 0 solve a.mtx b.mtx -o absolute.mtx && near there/other.mtx 1.125 2.75 && that "the link stays" [ -L absolute.mtx ]

# These tests run as another user, because root may do everything.
if [ "$(id -u)" -ne 0 ]; then
  as_user=
else
  as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
if $as_user "$trigon" --version >out 2>err; then
  for_all=$trigon
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$as_user" "$for_all" >as_user.sh && chmod 755 as_user.sh
  trigon=$work/as_user.sh
  cp a.mtx there/read_only.mtx && chmod 444 there/read_only.mtx && chmod 777 there
  refused there/read_only.mtx "cannot write: Permission denied"
  chmod 555 shut
  refused shut/x.mtx "cannot write into the folder shut: Permission denied"
  if [ "$(id -u)" -eq 0 ]; then # a folder like /tmp, with another user's file
    cp a.mtx there/strange.mtx && chmod 666 there/strange.mtx && chmod 1777 there
    refused there/strange.mtx "cannot write: Operation not permitted"
  fi
  trigon=$for_all
else
  skip "commands cannot run as another user here"
fi

# An output that is an input.
cp a.mtx same.mtx
ln -s same.mtx link.mtx
ln same.mtx hard.mtx
cp a.mtx a.kept
cp b.mtx right.mtx
for output in same.mtx link.mtx hard.mtx ./same.mtx; do
  run 1 invert same.mtx -o $output && has err "$output: the output is the file of A" && has err "--overwrite"
done
run 1 solve a.mtx right.mtx -o right.mtx && has err "right.mtx: the output is the file of B"
run 1 solve a.mtx - -o right.mtx <right.mtx && has err "right.mtx: the output is the file of B"
that "the inputs are unchanged" cmp -s same.mtx a.kept && that "the inputs are unchanged" cmp -s right.mtx b.mtx
run 0 invert same.mtx -o link.mtx --overwrite && near same.mtx 0.3125 -0.125 0.25
run 0 solve a.mtx b.mtx -o same.mtx && near same.mtx 1.125 2.75 # same.mtx is not an input here, so it is replaced

# ------------------------------------------------------------------------------------------------------ signals --
# A signal ends the command while it writes. The command leaves no file behind, and its status is the signal's.
tridiagonal 1000 >large.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n1000 2000 1\n1 1 1\n' >many.mtx
printf 'old' >old.mtx

is_writing() { set -- .trigon-*.tmp && [ -e "$1" ]; }

# writing ENV_OPTION ARGUMENTS...: starts the command in the background and stops the command while it writes. env sets
# the command's signals. $delay is the time between the file's creation and the stop. If the command ends before, the
# function tries again.
writing() {
  option=$1 tries=0
  shift
  last="trigon $*"
  while [ $tries -lt 20 ]; do
    tries=$((tries + 1))
    env --default-signal "$option" "$trigon" "$@" >out 2>err &
    process=$!
    until is_writing || ! kill -0 $process 2>/dev/null; do sleep 0.01; done
    sleep $delay
    if kill -STOP $process 2>/dev/null && is_writing; then return; fi
    kill -CONT $process 2>/dev/null
    wait $process
  done
  fail "$last was never seen writing"
}
# ended ARGUMENTS...: ends the command by $signal after each of $delays. $number is the signal's number.
ended() {
  for delay in $delays; do
    writing --default-signal=INT "$@"
    kill -$number $process
    kill -CONT $process
    wait $process 2>/dev/null
    status=$?
    that "the exit status is $status after a SIG$signal" [ $status -eq $((128 + number)) ]
    that "a temporary file is left after a SIG$signal" [ -z "$(ls -A | grep '^\.trigon')" ]
    rm -f .trigon-*
  done
}
if env --default-signal=INT true 2>/dev/null; then
  delays="0 0.01 0.03"
  for signal in INT TERM HUP; do
    case $signal in INT) number=2 ;; TERM) number=15 ;; HUP) number=1 ;; esac
    ended solve large.mtx many.mtx -o new.mtx
    ended factor large.mtx -o new.mtx
    ended invert large.mtx -o old.mtx
  done
  delays=0 # the other signals that end a process; 34 and 64 are real-time signals
  for signal in QUIT ABRT USR1 USR2 PIPE ALRM STKFLT XCPU XFSZ VTALRM PROF POLL PWR 34 64; do
    case $signal in 34 | 64) number=$signal ;; *) number=$(env kill -l $signal) ;; esac
    ended factor large.mtx -o new.mtx
  done
  that "no output" absent new.mtx
  that "the old output is unchanged" [ "$(cat old.mtx)" = old ]
  delay=0
  writing --ignore-signal=HUP factor large.mtx -o new.mtx # as under nohup
  kill -HUP $process
  kill -CONT $process
  wait $process
  that "an ignored signal does not end the command" [ $? -eq 0 ]
  that "the output is whole" [ "$(wc -l <new.mtx)" -eq $((1000 * 1000 + 2)) ]
else
  skip "env cannot set the handling of signals"
fi

# --------------------------------------------------------------------------------------------- hostile contents --
# A comment of megabytes that gzip compresses to a few bytes, and very many blank lines.
{
  echo "$array"
  echo "%"
  head -c 3000000 /dev/zero | tr '\0' '%'
  printf '\n1 1\n1\n'
} | gzip >comment.mtx.gz
run 1 solve comment.mtx.gz && has err "comment.mtx.gz:3: expected a line of at most 1048576 bytes"
{
  echo "$array"
  head -c 134217728 /dev/zero | tr '\0' '\n'
  printf '1 1\nx\n'
} | gzip -1 >blank.mtx.gz
# seconds COMMAND...: prints the command's processor time.
seconds() { TIMEFORMAT=%U bash -c 'time "$@" >out 2>err' - "$@" 2>&1 | tail -n 1; }
{ # the same number of bytes, in lines that the reader skips one by one
  echo "$array"
  yes "%$(printf '%062d' 0)" | head -c 134217728
  printf '1 1\nx\n'
} | gzip -1 >comments.mtx.gz
needed=$(seconds "$trigon" solve comments.mtx.gz)
has err "comments.mtx.gz:2097155: expected a number, found \"x\""
taken=$(seconds "$trigon" solve blank.mtx.gz)
has err "blank.mtx.gz:134217731: expected a number, found \"x\""
last="blank lines: $taken s, comments of as many bytes: $needed s"
echo "$last"
if grep -q __asan_init "$trigon"; then
  skip "times of a program with sanitizers"
else
  that "blank lines are cheap" awk "BEGIN { exit !($taken < 4 * $needed + 0.5) }"
fi

# -------------------------------------------------------------------------------------------- numbers and text --
printf '%s\n3 1\n1e-400\n1\n-2e-999\n' "$array" >small3.mtx
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n2 2 5\n3 3 6\n' >a3.mtx
run 0 solve a3.mtx small3.mtx -o x.mtx && near x.mtx 0 0.2 0 &&
  has err "note: small3.mtx:3: 2 numbers below the range of double precision become 0"
run 0 solve a3.mtx small3.mtx -q && that "notes" empty err
printf '%s\n1 1\n1e309\n' "$array" >great.mtx
run 1 solve great.mtx && has err "great.mtx:3: "
printf '%s\r2 2\r4\r2\r2\r5' "$array" >cr.mtx
printf '\357\273\277%s\r\n2 1\r\n1.0D+01\r\n0.16d2\r\n' "$array" >bom.mtx
run 0 solve cr.mtx bom.mtx -o x.mtx && near x.mtx 1.125 2.75
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n1 2 2\n2 2 5\n' >upper.mtx
run 0 solve upper.mtx b.mtx -o x.mtx && near x.mtx 1.125 2.75
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n1 1 4\n1 2 2\n2 1 2.5\n2 2 5\n' >clash.mtx
run 1 solve clash.mtx &&
  has err "clash.mtx: expected entries (2,1) and (1,2) of a symmetric matrix to agree, found 2.5 and 2"

npy '<i4' 2 2 '\004\000\000\000\002\000\000\000\002\000\000\000\005\000\000\000' >integers.npy
npy '|b1' 2 '' '\001\000' >truth.npy
npy '<f2' 2 2 '\000\104\000\100\000\100\000\105' >half.npy
run 0 solve integers.npy b.mtx -o x.mtx && near x.mtx 1.125 2.75 &&
  has err "note: integers.npy: its numbers (i4) are converted to double precision"
run 0 solve integers.npy -q && that "notes" empty err
run 0 solve a.mtx truth.npy -o x.mtx && near x.mtx 0.3125 -0.125 && has err "truth.npy: its numbers (b1) are converted"
run 0 solve half.npy && has out "type s" && has err "half.npy: its numbers (f2) are converted to single precision"

# A B of one dimension gives an X of one dimension. Matrix Market has only columns.
run 0 solve a.npy b.npy -o x.npy && that "one dimension" grep -qaF "'shape': (2,), " x.npy
run 0 solve a.npy b.npy -o x.mtx && has x.mtx "2 1"
run 0 solve a.npy b.mtx -o x.npy && that "two dimensions" grep -qaF "'shape': (2, 1), " x.npy
run 0 solve a.npy -o x.npy && that "two dimensions" grep -qaF "'shape': (2, 1), " x.npy

# ----------------------------------------------------------------------------------- standard input and output --
run 0 solve - b.mtx -o x.mtx <a.mtx && near x.mtx 1.125 2.75 && has out "standard input: 2 × 2"
gzip -c b.mtx >b.mtx.gz
run 0 solve a.mtx - -o x.mtx <b.mtx.gz && near x.mtx 1.125 2.75
run 0 solve a.mtx - -o x.mtx <b.npy && near x.mtx 1.125 -0.25
cp b.mtx ./-
run 0 solve a.mtx ./- -o x.mtx && near x.mtx 1.125 2.75
run 2 solve - - <a.mtx && has err "A and B cannot both be standard input"
run 1 solve - </dev/null && has err "standard input:1: expected"
run 0 solve a.mtx b.mtx -o - && near out 1.125 2.75 && has err ": ok (limit 30 u)" && has err "standard output: 2 × 1"
run 0 solve a.mtx b.mtx -o - -q && near out 1.125 2.75 && that "errors" empty err
run 0 factor a.mtx -o - --format npy -q && cp out piped.npy && run 0 solve a.mtx piped.npy -q
run 0 invert a.mtx -o - --format=mtx.gz -q && gzip -dc out >i.mtx && near i.mtx 0.3125 -0.125 0.25
run 0 invert a.mtx -o result.dat --format npy && that "a NumPy file" grep -qaF "'fortran_order'" result.dat
run 2 solve a.mtx --format npy && has err "--format is for the output: -o is missing"
run 2 solve a.mtx --overwrite && has err "--overwrite is for the output: -o is missing"
run 2 invert a.mtx -o - --format txt && has err "expected the format npy, mtx or mtx.gz, found 'txt'"
last="a pipe"
that "two commands in a row" sh -c '"$1" invert a.mtx -o - -q | "$1" invert - -o - -q >back.mtx' - "$trigon" &&
  near back.mtx 4 2 5
if [ -w /dev/full ]; then
  last="trigon factor a.mtx -o - >/dev/full"
  "$trigon" factor a.mtx -o - >/dev/full 2>err
  that "exit status $?" [ $? -eq 1 ]
  has err "standard output: cannot write: No space left on device"
else
  skip "no /dev/full here"
fi
last="trigon factor missing.mtx -o - with standard output closed"
"$trigon" factor missing.mtx -o - >&- 2>err
that "exit status $?" [ $? -eq 1 ]
has err "standard output: cannot write: Bad file descriptor" && lacks err missing

# ----------------------------------------------------------------------------------------------------- messages --
npy '<f8' 2 2 "$f4$f_nan$f1$f3" >high.npy # by rows, so that the NaN is A(1,2)
npy '<f8' 2 2 "$f4$f1$f_nan$f3" >low.npy
run 1 solve high.npy --uplo upper && has err "high.npy: A(1,2) is not a number"
run 1 solve low.npy --uplo lower && has err "low.npy: A(2,1) is not a number"
run 1 solve high.npy && has err "high.npy: A(1,2) is not a number"
# In a file that is declared symmetric, the message names the place as the file does.
for entry in "1 2" "2 1" "2 2"; do
  printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n%s nan\n2 2 5\n' "$entry" >place.mtx
  run 1 solve place.mtx && has err "place.mtx: A(${entry% *},${entry#* }) is not a number"
  run 1 solve place.mtx --uplo upper && has err "place.mtx: A(${entry% *},${entry#* }) is not a number"
done
printf '%%%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 4 0\n1 2 0 -inf\n2 2 5 0\n' >place.mtx
run 1 solve place.mtx && has err "place.mtx: A(1,2) is infinite"
npy '<f8' 2 1 "$f1$f_nan" >b_nan.npy
run 1 solve a.npy b_nan.npy && has err "b_nan.npy: B(2,1) is not a number"
run 1 solve a.npy - <b_nan.npy && has err "standard input: B(2,1) is not a number"
printf '%s\n2 2\n1\n1.000000001\n1\n3\n' "$array" >close.mtx
run 1 solve close.mtx &&
  has err "close.mtx: A is not symmetric: A(2,1) is 1.000000001, A(1,2) is 1; they differ by 1e-09"
printf '%s\n2 2\n4\n2\n2.0000000000000004\n5\n' "$array" >nearly.mtx
run 0 solve nearly.mtx && has err "note: nearly.mtx: A is symmetric only up to rounding (A(2,1) is 2, A(1,2) is" &&
  has err "2.0000000000000004; they differ by 4.44e-16"

printf '%%%%MatrixMarket matrix array complex general\n2 2\n4 0\n1 1.000000001\n1 -1\n5 0\n' >close.mtx
run 1 solve close.mtx &&
  has err "A is not Hermitian: A(2,1) is 1+1.000000001i, A(1,2) is 1-1i; one conjugated, they differ by 1e-09"

# No byte of a name reaches the terminal as a command to the terminal.
cp a.mtx "red${escape}[31m.mtx"
clean() { that "escape bytes" sh -c '! grep -q "$1" out err' - "$escape"; }
run 0 solve "red${escape}[31m.mtx" -o "x${escape}c.mtx" &&
  has out 'red\x1b[31m.mtx: 2 × 2' && has out 'x\x1bc.mtx' && clean
that "the name itself is kept" [ -e "x${escape}c.mtx" ]
run 1 solve "none${escape}[31m.mtx" && has err 'none\x1b[31m.mtx: cannot open' && clean
run 2 solve a.mtx "--${escape}[31m" && has err '\x1b[31m' && clean
run 1 solve a.mtx --backend "cpu:lib${escape}[31m.so" && has err 'lib\x1b[31m.so' && clean
run 1 info --backend "cpu:lib${escape}[31m.so" && has out 'lib\x1b[31m.so' && clean
run 1 bench potrf --n 4 --backend "cpu:lib${escape}[31m.so" && clean
run 2 "${escape}[31m" && has err '\x1b[31m' && clean
# An umlaut stays. A control character of two bytes, half a character and a newline are replaced.
name=$(printf 'n\303\244h\302\233\377\nx.mtx')
run 1 solve "$name" && has err 'näh\xc2\x9b\xff\x0ax.mtx: cannot open'

# Progress on a terminal: a long name is cut between two characters, not inside a character.
if command -v script >/dev/null; then
  name=x$(printf '\303\244%.0s' $(seq 100))
  mkfifo "$name"
  (sleep 1 && cat a.mtx) >"$name" &
  last="trigon solve LONG_NAME in a terminal"
  script -qec "'$trigon' solve $name" /dev/null >out 2>err </dev/null
  wait $!
  that "the terminal shows progress" grep -qE 'reading x(ä){49} \.\.\. [0-9.]+ s' out
  lacks out '\x'
  if has_sim; then # matrices in host memory: the share of the work that the GPUs have got
    awk 'BEGIN {
      print "%%MatrixMarket matrix array real general\n500 500"
      for (j = 1; j <= 500; j++) for (i = 1; i <= 500; i++) print i == j ? 9 : 1 / (1 + (i > j ? i - j : j - i) ^ 2)
    }' >long.mtx
    last="trigon factor in a terminal, on GPUs"
    script -qec "'$trigon' factor long.mtx --backend 'sim:0-1?stop=8' -o long.out.mtx" /dev/null >out 2>err </dev/null
    that "the terminal shows a percentage" grep -qE 'factoring 500 × 500, [0-9]+ % \.\.\. [0-9.]+ s' out
  fi
else
  skip "script is not installed: nothing is shown in a terminal"
fi
finish
