#!/usr/bin/env bash
# blas.sh DROPIN THREADS - the tests of BLAS and CBLAS of levels 1 and 2, as Debian's libblas-test has them, in the four
# types. (tests/dropin/test_netlib.sh runs levels 2 and 3.) OpenBLAS does not have two symbols that CBLAS's test of
# level 2 needs, so that test runs over Trigon alone.
source "$(dirname "$0")/suite.bash"
found=''
for folder in /usr/lib/*/blas; do [ ! -x "$folder/xblat2d" ] || found=$folder; done
[ -n "$found" ] || skip "there is no libblas-test"
host=$(readelf --dynamic "$dropin" | sed -n 's/.*NEEDED.*\[\(libopenblas[^]]*\)\].*/\1/p')

# program WHO NAME INPUT: runs a program of tests. The file WHO.text has what all programs told.
program() {
  local who=$1 name=$2 input=$3 loads=()
  [ "$who" = trigon ] || loads=(env "LD_PRELOAD=$host")
  mkdir -p "$who"
  over "$who" ${loads[@]+"${loads[@]}"} "$found/$name" <"$input" >one.text || echo "FAIL: exit status $?" >>one.text
  for file in "$who"/*.out; do [ ! -e "$file" ] || cat "$file" >>one.text; done
  rm -f "$who"/*.out
  sed "s/^/$name: /" one.text >>"$who.text"
}

for who in host trigon; do
  for type in s d c z; do
    program "$who" "xblat1$type" /dev/null
    program "$who" "xblat2$type" "$found/${type}blat2.in"
    program "$who" "x${type}cblat1" /dev/null
    [ "$who" = host ] || program "$who" "x${type}cblat2" "$found/${type}in2"
  done
  grep -E 'FAIL|\*\*\*\*\*\*\*' "$who.text" >"$who.failures" || true
done
tests() { grep -cE 'PASS' "$1.text" || true; }
verdict "blas levels 1 and 2" "$(tests host)" "$(tests trigon)"
