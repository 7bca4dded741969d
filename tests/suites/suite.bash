# suite.bash - what the suites of other people share. A suite is a script SUITE.sh DROPIN THREADS [PART]. It sources this
# file, runs the same tests with the host's BLAS alone and with the drop-in library preloaded, and tells both counts. A
# test that fails with Trigon, and not with the host, fails the suite. The drop-in's log must show calls that Trigon has
# computed. If a package is missing, the suite is skipped (exit status 77).
set -eu -o pipefail
[ $# -ge 2 ] || { sed -n '2p' "$0" >&2; exit 2; }
dropin=$(realpath "$1") threads=$2 part=${3-}
suites=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export suites dropin part
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads LC_ALL=C.UTF-8
unset LD_PRELOAD TRIGON_NUM_THREADS TRIGON_BLAS_UNDER
wrong=0

skip() { echo "skipped: $1"; exit 77; }
fail() { echo "FAILED: $1"; wrong=$((wrong + 1)); }

# over WHO COMMAND...: runs a command over host or trigon, in a folder of this name. The log of the drop-in library is
# in the file WHO.log, with all else that the command writes to its standard error.
over() {
  local who=$1
  shift
  mkdir -p "$who"
  if [ "$who" = trigon ]; then
    (cd "$who" && env LD_PRELOAD="$dropin" TRIGON_BLAS_LOG=1 "$@") 2>>"$who.log"
  else
    (cd "$who" && "$@") 2>>"$who.log"
  fi
}

# by_trigon: how many calls Trigon has computed, as the log tells.
by_trigon() { awk '$1 == "trigon:" && $3 ~ /^[0-9]+$/ { calls += $3 } END { print calls + 0 }' trigon.log; }

# new_failures: the lines of trigon.failures that are not in host.failures.
new_failures() {
  sort -u host.failures >host.sorted
  sort -u trigon.failures >trigon.sorted
  comm -13 host.sorted trigon.sorted
}

# verdict SUITE HOST-TESTS TRIGON-TESTS: compares the files host.failures and trigon.failures, which have one line a
# failure, prints the counts, and ends the suite.
verdict() {
  local calls
  calls=$(by_trigon)
  [ "$2" -gt 0 ] || fail "no test ran over the host"
  # LAPACK's tester counts a test of eigenvalues twice if it failed. So the host may count more.
  [ "$(($3 + $(wc -l <host.failures)))" -ge "$2" ] || fail "fewer tests ran over Trigon ($3) than over the host ($2)"
  new_failures >new.failures
  sed -n "1,20s/^/with Trigon, not with the host: /p" new.failures
  [ ! -s new.failures ] || fail "$(wc -l <new.failures) new failures"
  [ "$calls" -gt 0 ] || fail "Trigon has computed nothing"
  if grep -h 'cannot be preloaded' ./*.log; then fail "the drop-in library was not loaded"; fi
  [ "$wrong" -eq 0 ] || tail -n 20 trigon.log
  echo "suite $1, threads $threads: host $2 tests, $(wc -l <host.failures) failures;" \
    "Trigon $3 tests, $(wc -l <trigon.failures) failures, $calls calls"
  exit $((wrong > 0))
}
