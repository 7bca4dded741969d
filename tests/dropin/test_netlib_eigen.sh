#!/bin/sh
# test_netlib_eigen.sh DROPIN - LAPACK's own tests of the symmetric eigenproblem's drivers, as Debian's liblapack-test
# has them, over the drop-in library: the generalized problem (sg.in) with its own orders, and both problems (sep.in)
# with orders above the leaf of divide and conquer, too. LAPACK's tester refuses orders above 66 for some seeds. se2.in
# compares the drivers' values with those of the host's two-stage drivers (xSYEV_2STAGE, ...), whose products are ours.
#
# A residual up to twice the limit does not count, as in tests/suites/lapack.sh: of the generalized problem, OpenBLAS
# and netlib's LAPACK have residuals above the limit at these orders, too (docs/dropin.md has a table). Of the tests of
# sep.in and se2.in, those of drivers that the host computes (packed, banded, tridiagonal) do not count: LAPACK's own
# inverse iteration fails there for some matrices (docs/notebook/eigen.md).
# TRIGON_BLAS_ROUTES=none, because the host computes some orders else. The log shows that Trigon has computed.
set -eu
dropin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 total=0 tests=0
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TRIGON_BLAS_ROUTES=none

found=''
for folder in /usr/lib/*/lapack; do [ ! -x "$folder/xeigtstd" ] || found=$folder; done
if [ -z "$found" ]; then
  echo "skipped: there is no liblapack-test"
  exit 77
fi

# with_orders INPUT COUNT ORDERS: the input with other orders. One block size (the host's) is enough, and the routines
# that the drivers call are not tested by themselves.
with_orders() {
  sed -e "2s/^[0-9]*/$2/" -e "3s/^[0-9 ]*V/$3 V/" -e '4s/^[0-9]*/1/' -e '5s/.*/20 V/' \
    -e '/^SE[P2]:/,$ s/^T\( .*LAPACK routines\)/F\1/' "$found/$1"
}

# The tests of sep.in and se2.in that are ours, by their numbers: SYEV and SYEVX 25 to 36, SYEVD 61 to 63, SYEVR 70 to
# 78, and the same for the other triangle behind the 78th. HEEVD and HEEVX 1 to 12, HEEV 37 to 39, HEEVR 46 to 54, and
# the same behind the 54th.
ours_of_reals='(t >= 25 && t <= 36) || (t >= 61 && t <= 63) || (t >= 70 && t <= 78)'
ours_of_complex='t <= 12 || (t >= 37 && t <= 39) || (t >= 46 && t <= 54)'

# failing IS_REAL IS_SEP: the residuals that fail, from the file out.
failing() {
  awk -v is_real="$1" -v is_sep="$2" '
    /if test ratio is less than/ { limit = $NF }
    /result +[0-9]+ +is/ {
      for (i = 1; i <= NF; i++) if ($i == "result") t = $(i + 1) + 0
      if (is_sep && is_real && t > 78) t -= 54
      if (is_sep && !is_real && t > 54) t -= 54
      counts = !is_sep || (is_real ? '"$ours_of_reals"' : '"$ours_of_complex"')
      if (counts && !($NF < 2 * limit)) print
    }' out
}

# passes TYPE INPUT: the tests ran, no residual is above twice the limit, and nothing else is told.
passes() {
  name="$2 in $1"
  case $1 in s | d) is_real=1 ;; *) is_real=0 ;; esac
  case $2 in sep | se2) is_sep=1 ;; *) is_sep=0 ;; esac
  LD_PRELOAD=$dropin TRIGON_BLAS_LOG=1 "$found/xeigtst$1" <"$2" >out 2>log || echo "exit status $?" >>out
  grep -aE 'result +[0-9]+ +is' out || true
  failing "$is_real" "$is_sep" >failures
  grep -aE '\*\*\*|undefined symbol|exit status| INFO' out log >>failures || true
  ran=$(sed -nE 's/.*\( *([0-9]+) +tests run.*/\1/p; s/.*out of +([0-9]+) +tests failed.*/\1/p' out |
    awk '{ sum += $1 } END { print sum + 0 }')
  [ "$ran" -gt 0 ] || echo "no test ran" >>failures
  calls=$(awk '$1 == "trigon:" && $2 ~ /(ev|gv|evd|evr|evx|gvd|gst)_$/ { n++; calls += $3; if ($3 == 0) bad = 1 }
    END { print (n < 2 || bad ? 0 : calls) }' log)
  [ "$calls" -gt 0 ] || echo "a symbol has computed nothing" >>failures
  if [ -s failures ]; then
    echo "FAILED: $name"
    cat failures
    failed=$((failed + 1))
  fi
  total=$((total + calls)) tests=$((tests + ran))
}

with_orders sep.in 8 '0 1 2 3 5 20 33 66' >sep
with_orders se2.in 5 '0 1 5 33 66' >se2
for type in s d c z; do
  cp "$found/${type}sg.in" sg
  with_orders "${type}sg.in" 2 '33 66' >large_sg
  for input in sg large_sg sep se2; do passes "$type" "$input"; done
done
echo "$tests tests, $total calls computed by Trigon"
[ "$failed" -eq 0 ]
