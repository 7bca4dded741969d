# cli_support.sh - functions that the tests of the command share.
# Tests source this file with the path of the command as $1. Each test works in a folder of its own, which is removed at
# the end. Every check is counted, and `finish` prints the counts.
trigon=$1
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
test_data=${TRIGON_TEST_DATA:-$source_folder/../shared/data}
case $trigon in /*) ;; *) trigon=$(pwd)/$trigon ;; esac
case ${TRIGON_BACKEND_PATH:-/} in /*) ;; *) export TRIGON_BACKEND_PATH="$PWD/$TRIGON_BACKEND_PATH" ;; esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0 failures=0 skips=0

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  sed 's/^/  out: /' out | head -n 20
  sed 's/^/  err: /' err | head -n 20
}

# run STATUS ARGUMENTS...: runs the command, which must exit with that status. The files out and err get the output.
run() {
  expected=$1
  shift
  last=$(printf %.300s "trigon $*")
  "$trigon" "$@" >out 2>err
  status=$?
  checks=$((checks + 1))
  [ $status -eq "$expected" ] || fail "$last: exit status $status, expected $expected"
  if grep -q 'Sanitizer\|runtime error' err; then fail "$last: a sanitizer complains"; fi
}

# has FILE TEXT: the file must contain the text. lacks FILE TEXT: the file must not contain the text.
has() {
  checks=$((checks + 1))
  grep -qF -e "$2" "$1" || fail "$last: '$2' is not in $1"
}
lacks() {
  checks=$((checks + 1))
  if grep -qF -e "$2" "$1"; then fail "$last: '$2' is in $1"; fi
}

# that DESCRIPTION COMMAND...: the shell command must succeed.
that() {
  description=$1
  shift
  checks=$((checks + 1))
  "$@" || fail "$last: $description"
}
empty() { [ ! -s "$1" ]; }
absent() { [ ! -e "$1" ]; }

# near FILE VALUE...: a Matrix Market array file must contain these numbers, to 1e-9.
near() {
  file=$1
  shift
  checks=$((checks + 1))
  echo "$@" | awk -v file="$file" '
    function distance(a, b) { return a > b ? a - b : b - a }
    { for (i = 1; i <= NF; i++) want[++wanted] = $i }
    END {
      while ((getline line < file) > 0)
        if (line !~ /^%/ && ++lines > 1) { # the first line is the size
          count = split(line, v, " ")
          for (i = 1; i <= count; i++) have[++got] = v[i]
        }
      bad = got != wanted
      for (i = 1; i <= wanted; i++) if (distance(have[i], want[i]) > 1e-9) bad = 1
      exit bad
    }' || fail "$last: $file is not $*"
}

# npy TYPE ROWS COLS DATA: prints a NumPy file of version 1.0 in C order. DATA is a format for printf. If COLS is empty,
# the file has one dimension.
npy() {
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2, $3), }"
  printf "$4"
}

# tridiagonal N: prints a matrix of order N with 4 on the diagonal and -1 beside the diagonal.
# The tests use orders that are too large for one leaf on the simulated GPU.
tridiagonal() {
  echo "%%MatrixMarket matrix coordinate real symmetric"
  echo "$1 $1 $(($1 * 2 - 1))"
  awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) { print i, i, 4; if (i < n) print i + 1, i, -1 } }'
}

# has_sim: succeeds if the simulated GPU is there. If not, prints that its tests are skipped.
has_sim() {
  [ -n "${TRIGON_BACKEND_PATH:-}" ] && [ -e "$TRIGON_BACKEND_PATH/libtrigon-sim.so" ] && return
  skip "no libtrigon-sim.so in TRIGON_BACKEND_PATH (${TRIGON_BACKEND_PATH:-not set})"
  return 1
}

# fails ARGUMENTS...: runs the command while one request to the simulated GPU fails: the first request of a kind, then
# later requests, until the command succeeds because there is no such request. The command must report each failure, and
# must not leave the output none.mtx behind.
fails() {
  # The number is the distance to the next request of the kind that fails. Behind the first 30 requests, which come from
  # all parts of a command, the distance is seven times as long: they come from the same places again and again.
  for kind in alloc:1 copy:1 event:1 stream:1 blas:2 launch:11 lost:17; do
    step=${kind#*:} number=1 status=1
    while [ $status -ne 0 ] && [ $number -lt 2000 ]; do
      rm -f none.mtx
      "$trigon" "$@" --backend "sim:0?fail=${kind%:*}:$number" >out 2>err
      status=$? last="trigon $* with ${kind%:*}:$number failing"
      if [ $status -ne 0 ]; then
        that "exit status $status" [ $status -eq 1 ]
        has err " failed" && that "no file" absent none.mtx
      fi
      number=$((number + (number < 30 ? step : 7 * step)))
    done
    that "some requests fail, and at the end no request fails" [ $number -gt $((step + 1)) ] &&
      that "the last run succeeds" [ $status -eq 0 ]
  done
}

# has_openblas: succeeds if an OpenBLAS can be loaded by its usual name. If not, prints that its tests are skipped.
has_openblas() {
  "$trigon" info --backend cpu:libopenblas.so.0 >/dev/null 2>&1 && return
  skip "no libopenblas.so.0"
  return 1
}

skip() {
  skips=$((skips + 1))
  echo "SKIPPED: $*"
}

finish() {
  echo "$checks checks, $failures failed, $skips skipped"
  [ $failures -eq 0 ]
}
