#!/bin/sh
# test_netlib.sh DROPIN - BLAS's, CBLAS's and LAPACK's own tests, as Debian's packages libblas-test and liblapack-test
# have them, over the drop-in library and over its host alone. Over both all tests pass, and equally many; error exits
# are among them. The library's log shows that Trigon has computed.
set -eu
dropin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0 failed=0
export OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2

that() { # that WHAT COMMAND...
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; fi
}

found=''
for folder in /usr/lib/*/blas; do
  if [ -x "$folder/xblat3d" ] && [ -x "${folder%blas}lapack/xlintstd" ]; then found=${folder%/blas}; fi
done
if [ -z "$found" ]; then
  echo "skipped: there is no libblas-test, or no liblapack-test"
  exit 0
fi
host=$(readelf --dynamic "$dropin" | sed -n 's/.*NEEDED.*\[\(libopenblas[^]]*\)\].*/\1/p')

# over LIBRARY OUTPUT PROGRAM INPUT: runs a test program over this library. Its output is printed, or in a file of its
# own.
over() {
  rm -f ./*.out
  LD_PRELOAD=$1 TRIGON_BLAS_LOG=1 "$3" <"$4" >"$2" 2>"$2.log" || echo "exit status $?" >>"$2"
  for file in *.out; do [ ! -e "$file" ] || cat "$file" >>"$2"; done
}

# verdicts FILE: the lines that tell which tests passed, without times.
verdicts() { grep -E "PASSED|FAIL|[Pp]assed|[Ff]ailed|did not pass|\*\*\*|undefined symbol|exit status" "$1" || true; }

# by_trigon LOG: how many calls Trigon has computed.
by_trigon() { awk '$1 == "trigon:" && $3 ~ /^[0-9]+$/ { calls += $3 } END { print calls + 0 }' "$1"; }

total=0
# compares NAME PROGRAM INPUT LEAST: at least so many lines tell that tests passed, and none that one failed.
compares() {
  over "$host" alone "$2" "$3"
  over "$dropin" ours "$2" "$3"
  verdicts alone >alone.verdicts
  verdicts ours >ours.verdicts
  that "$1: over Trigon as over $host alone" cmp -s alone.verdicts ours.verdicts
  cmp -s alone.verdicts ours.verdicts || diff alone.verdicts ours.verdicts | sed -n '1,10p'
  that "$1: fewer than $4 verdicts" [ "$(wc -l <ours.verdicts)" -ge "$4" ]
  calls=$(by_trigon ours.log)
  that "$1: Trigon has computed nothing" [ "$calls" -gt 0 ]
  total=$((total + calls))
}

for type in s d c z; do
  for level in 2 3; do
    compares "BLAS level $level, $type" "$found/blas/xblat$level$type" "$found/blas/${type}blat$level.in" 12
    that "BLAS level $level, $type: a test failed" sh -c '! grep -qE "FAIL|\*\*\*" ours.verdicts'
  done
  compares "LAPACK, $type" "$found/lapack/xlintst$type" "$found/lapack/${type}test.in" 80
done
# CBLAS's programs need two symbols that OpenBLAS does not have, so there is nothing to compare with.
for type in s d c z; do
  for level in 2 3; do
    what="CBLAS level $level, $type"
    over "$dropin" ours "$found/blas/x${type}cblat$level" "$found/blas/${type}in$level"
    that "$what: fewer than 18 tests passed" [ "$(grep -c PASSED ours)" -ge 18 ]
    that "$what: a test failed" sh -c '! grep -qE "FAIL|\*\*\*|undefined symbol" ours'
    that "$what: Trigon has computed nothing" [ "$(by_trigon ours.log)" -gt 0 ]
  done
done
that "no call was computed" [ "$total" -gt 0 ]
echo "$total calls computed by Trigon"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
