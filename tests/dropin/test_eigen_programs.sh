#!/bin/sh
# test_eigen_programs.sh DROPIN - the eigenproblems of NumPy, SciPy and R, and of LAPACKE, are computed by Trigon over
# the drop-in library. LAPACKE's drivers are not among the drop-in's symbols: those of liblapacke call the symbols of
# Fortran, which are. TRIGON_BLAS_ROUTES=none, so that Trigon computes all orders. A program that is missing is skipped;
# without any of them the exit status is 77.
set -eu
dropin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 ran=0
python=/usr/bin/python3
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 TRIGON_BLAS_ROUTES=none

# computes SYMBOLS COMMAND...: the command succeeds, and Trigon has computed these symbols.
computes() {
  symbols=$1
  shift
  ran=$((ran + 1))
  if ! LD_PRELOAD=$dropin TRIGON_BLAS_LOG=1 "$@" >"$work/out" 2>"$work/log"; then
    echo "FAILED: $*"
    tail -n 20 "$work/out" "$work/log"
    failed=$((failed + 1))
  fi
  for symbol in $symbols; do
    calls=$(awk -v symbol="$symbol" '$1 == "trigon:" && $2 == symbol { print $3 }' "$work/log")
    if [ "${calls:-0}" -eq 0 ]; then
      echo "FAILED: Trigon has computed no $symbol of $*"
      failed=$((failed + 1))
    fi
  done
}

of_types() { # of_types DRIVER...: the symbols of a driver in the four types
  for driver; do echo "ssy${driver}_ dsy${driver}_ che${driver}_ zhe${driver}_"; done
}

if "$python" -c 'import scipy' 2>/dev/null; then
  computes "$(of_types ev evd evr evx gv gvd)" "$python" "$here/eigen_programs.py" scipy
  if "$python" -c 'import ctypes; ctypes.CDLL("liblapacke.so.3")' 2>/dev/null; then
    computes "$(of_types ev evd evr evx gv gvd)" "$python" "$here/eigen_programs.py" lapacke
  else
    echo "skipped: there is no liblapacke.so.3"
  fi
else
  echo "skipped: $python has no SciPy (python3-scipy)"
fi
if command -v Rscript >/dev/null; then
  computes "dsyevr_ zheev_" Rscript --vanilla -e '
    set.seed(1); X <- matrix(rnorm(1600), 40); A <- X + t(X)
    e <- eigen(A); H <- A + 1i * (X - t(X)); f <- eigen(H)
    stopifnot(max(abs(A %*% e$vectors - e$vectors %*% diag(e$values))) < 1e-11,
              max(abs(H %*% f$vectors - f$vectors %*% diag(f$values))) < 1e-11,
              all.equal(eigen(A, only.values = TRUE)$values, e$values))'
else
  echo "skipped: there is no Rscript"
fi
[ "$ran" -gt 0 ] || exit 77
echo "$ran programs, $failed failures"
[ "$failed" -eq 0 ]
