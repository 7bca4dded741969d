#!/bin/sh
# test_netlib_eigen.sh DROPIN - LAPACK's own tests of the generalized symmetric eigenproblem, as Debian's liblapack-test
# has them, over the drop-in library. sep.in is left out: single residuals of it are above the threshold with routines
# that the host computes. TRIGON_BLAS_ROUTES=none, because the host computes small orders else. The log shows that
# Trigon has computed.
set -eu
dropin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 total=0
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TRIGON_BLAS_ROUTES=none

found=''
for folder in /usr/lib/*/lapack; do [ ! -x "$folder/xeigtstd" ] || found=$folder; done
if [ -z "$found" ]; then
  echo "skipped: there is no liblapack-test"
  exit 77
fi

# passes TYPE INPUT LEAST: at least so many lines tell that tests passed, and none that one failed.
passes() {
  LD_PRELOAD=$dropin TRIGON_BLAS_LOG=1 "$found/xeigtst$1" <"$found/$2.in" >"$2.out" 2>log ||
    echo "exit status $?" >>"$2.out"
  if grep -E 'failed|\*\*\*|undefined symbol|exit status' "$2.out" ||
    [ "$(grep -cE 'passed the (threshold|tests)' "$2.out")" -lt "$3" ]; then
    echo "FAILED: $2 in $1"
    failed=$((failed + 1))
  fi
  calls=$(awk '$1 == "trigon:" && $2 ~ /(ev|gv|evd|gvd|gst)_$/ { n++; calls += $3; if ($3 == 0) bad = 1 }
    END { print (n < 2 || bad ? 0 : calls) }' log)
  if [ "$calls" -eq 0 ]; then
    echo "FAILED: $2 in $1: a symbol has computed nothing"
    failed=$((failed + 1))
  fi
  total=$((total + calls))
}

for type in s d c z; do
  passes "$type" "${type}sg" 1
done
echo "$total calls computed by Trigon"
[ "$failed" -eq 0 ]
