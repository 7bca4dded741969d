#!/usr/bin/env bash
# r.sh DROPIN THREADS - R's own tests of BLAS and LAPACK, reg-BLAS.R and lapack.R. R's source package has them, R's
# binary package has not: scripts/setup suites brings them into the folder that TRIGON_R_TESTS names.
source "$(dirname "$0")/suite.bash"
command -v R >/dev/null || skip "there is no R (r-base-core)"
folder=${TRIGON_R_TESTS-}
for file in reg-BLAS.R lapack.R; do
  [ -e "$folder/$file" ] || skip "there is no $file in the folder TRIGON_R_TESTS (scripts/setup suites)"
done
for who in host trigon; do
  : >"$who.failures"
  for file in reg-BLAS.R lapack.R; do
    over "$who" R --vanilla <"$folder/$file" >"$who.$file.text" ||
      echo "$file ends with an error" >>"$who.failures"
  done
  cat "$who".*.text >"$who.text"
done
tests() { grep -cE '^> [^#]' "$1.text" || true; }
verdict R "$(tests host)" "$(tests trigon)"
