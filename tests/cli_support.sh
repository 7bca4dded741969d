# cli_support.sh - what the tests of the command share; sourced with the path of the command as $1.
# Works in a folder of its own that is removed at the end. Every check is counted; `finish` prints the counts.
trigon=$1
source_folder=$(cd "$(dirname "$0")/.." && pwd)
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

# run STATUS ARGUMENTS...: the command must exit with that status; its output is in the files out and err.
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

# has FILE TEXT: the file holds that text. lacks: it does not.
has() {
  checks=$((checks + 1))
  grep -qF -e "$2" "$1" || fail "$last: '$2' is not in $1"
}
lacks() {
  checks=$((checks + 1))
  if grep -qF -e "$2" "$1"; then fail "$last: '$2' is in $1"; fi
}

# that DESCRIPTION COMMAND...: the shell command succeeds.
that() {
  description=$1
  shift
  checks=$((checks + 1))
  "$@" || fail "$last: $description"
}
empty() { [ ! -s "$1" ]; }
absent() { [ ! -e "$1" ]; }

# near FILE VALUE...: the numbers in a Matrix Market array file, to 1e-9.
near() {
  file=$1
  shift
  checks=$((checks + 1))
  echo "$@" | awk -v file="$file" '
    function distance(a, b) { return a > b ? a - b : b - a }
    { for (i = 1; i <= NF; i++) want[++wanted] = $i }
    END {
      while ((getline line < file) > 0)
        if (line !~ /^%/ && ++lines > 1) { # the first is the size
          count = split(line, v, " ")
          for (i = 1; i <= count; i++) have[++got] = v[i]
        }
      bad = got != wanted
      for (i = 1; i <= wanted; i++) if (distance(have[i], want[i]) > 1e-9) bad = 1
      exit bad
    }' || fail "$last: $file is not $*"
}

# npy TYPE ROWS COLS DATA: a NumPy file, version 1.0, C order, written by hand; DATA is for printf. Without COLS, it has
# one dimension.
npy() {
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2, $3), }"
  printf "$4"
}

# tridiagonal N: a matrix of that order, -1 beside the diagonal of 4; too large for one leaf on the simulated GPU.
tridiagonal() {
  echo "%%MatrixMarket matrix coordinate real symmetric"
  echo "$1 $1 $(($1 * 2 - 1))"
  awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) { print i, i, 4; if (i < n) print i + 1, i, -1 } }'
}

# Whether the simulated GPU is there; if not, what needs it is skipped.
has_sim() {
  [ -n "${TRIGON_BACKEND_PATH:-}" ] && [ -e "$TRIGON_BACKEND_PATH/libtrigon-sim.so" ] && return
  skip "no libtrigon-sim.so in TRIGON_BACKEND_PATH (${TRIGON_BACKEND_PATH:-not set})"
  return 1
}

# fails ARGUMENTS...: what the command asks of the simulated GPU fails, the first request of a kind, later ones, until
# there is none to fail and the command succeeds. It must say so, with nothing left behind (none.mtx).
fails() {
  for kind in alloc:1 copy:1 event:1 stream:1 blas:2 launch:11 lost:17; do # and how far it is to the next
    step=${kind#*:} number=1 status=1
    while [ $status -ne 0 ] && [ $number -lt 2000 ]; do
      rm -f none.mtx
      "$trigon" "$@" --backend "sim:0?fail=${kind%:*}:$number" >out 2>err
      status=$? last="trigon $* with ${kind%:*}:$number failing"
      if [ $status -ne 0 ]; then
        that "exit status $status" [ $status -eq 1 ]
        has err " failed" && that "no file" absent none.mtx
      fi
      number=$((number + step))
    done
    that "some fail, and then none" [ $number -gt $((step + 1)) ] && that "an end" [ $status -eq 0 ]
  done
}

skip() {
  skips=$((skips + 1))
  echo "SKIPPED: $*"
}

finish() {
  echo "$checks checks, $failures failed, $skips skipped"
  [ $failures -eq 0 ]
}
