#!/usr/bin/env bash
# lapack.sh DROPIN THREADS TYPE - LAPACK's whole test of one type, s, d, c or z, as Debian's liblapack-test has it:
# linear equations, eigenproblems, least squares, mixed precision, packed formats.
source "$(dirname "$0")/suite.bash"
python=/usr/bin/python3
found=''
for folder in /usr/lib/*/lapack; do [ ! -x "$folder/xlintstd" ] || found=$folder; done
[ -n "$found" ] || skip "there is no liblapack-test"
[ -x "$python" ] || skip "there is no $python"
# The programs are linked with the system's BLAS, which may be another one. So the host is preloaded, too.
host=$(readelf --dynamic "$dropin" | sed -n 's/.*NEEDED.*\[\(libopenblas[^]]*\)\].*/\1/p')

# failures WHO: one line for each test that failed. A path of the tester tells only how many of its tests failed, so
# the lines are numbered. A residual below twice the limit does not count, because the order of a sum changes it by as
# much: in SBD's test 9, whose limit is 50, it is up to 45.9 over OpenBLAS and 51.0 over Trigon. A program that did not
# end well, or tells of a wrong info, has a line, too.
failures() {
  {
    awk 'FNR == 1 { near = limit = 0 }
    /if test ratio is less than/ { limit = $NF }
    /test *\(? *[0-9]+ *[),].*= *[0-9.E+-]+ *$/ && $NF < 2 * limit { near++ }
    /tests run\)/ { near = 0 }
    /out of.*tests failed/ {
      for (i = 2; i <= NF; i++) if ($i == "out") count = $(i - 1) - near
      for (i = 1; i <= count; i++) print FILENAME ":" $1, $2, "number", i
      near = 0
    }' "$1"/*.out
    grep -hE '^---- TESTING.*FAILED' "$1.text" || true
    grep -E '[Ii]llegal| INFO' "$1"/*.out || true
  } | sed 's|^[a-z]*/||' >"$1.failures"
}

# tests WHO: how many tests ran.
tests() {
  sed -nE 's/.*\( *([0-9]+) +tests run.*/\1/p; s/.*[0-9]+ +out of +([0-9]+) +tests failed.*/\1/p' "$1"/*.out |
    awk '{ sum += $1 } END { print sum + 0 }'
}

for who in host trigon; do
  mkdir -p "$who"
  ln -s "$found"/x* "$found"/*.in "$who"
  loads=()
  [ "$who" = trigon ] || loads=(env "LD_PRELOAD=$host")
  over "$who" ${loads[@]+"${loads[@]}"} "$python" "$found/lapack_testing.py" -d . -b . -r -p "$part" >"$who.text" ||
    fail "lapack_testing.py failed over $who"
  failures "$who"
done
verdict "lapack $part" "$(tests host)" "$(tests trigon)"
