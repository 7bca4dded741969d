#!/bin/sh
# test_wheels.sh TRIGON - NumPy and SciPy as their wheels have them, with a BLAS of their own, compute with Trigon
# through the command run. TRIGON_WHEELS is a Python that has the wheels; the default is python3.
trigon=$1
python=${TRIGON_WHEELS:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

that() { # that WHAT COMMAND...
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; fi
}

bundles='
import glob, os, sys, numpy, scipy
for package in numpy, scipy:
    folder = os.path.dirname(package.__file__) + ".libs"
    if not glob.glob(folder + "/libscipy_openblas*"): sys.exit(1)
'
if ! "$python" -c "$bundles" 2>"$work/err"; then
  echo "skipped: $python has no NumPy and SciPy with a BLAS of their own (scripts/setup suites fetches them)"
  exit 77
fi

cat >"$work/compute.py" <<'END'
import numpy as np
import scipy.linalg as la

X = np.random.default_rng(1).standard_normal((300, 300))
S = X @ X.T + 300 * np.eye(300)
B = X[:, :20].copy()
L = np.linalg.cholesky(S)
assert np.allclose(L @ L.T, S)
assert np.allclose(S @ la.cho_solve(la.cho_factor(S), B), B)
assert np.allclose(L @ la.solve_triangular(L, B, lower=True), B)
assert np.allclose(np.linalg.solve(S, B), la.solve(S, B))
for bad in lambda: np.linalg.cholesky(-S), lambda: la.cho_factor(-S):
    try:
        bad()
    except np.linalg.LinAlgError:
        continue
    raise SystemExit("no LinAlgError")
END
that "the computations are right" "$trigon" run --log -- "$python" "$work/compute.py" 2>"$work/log"
for symbol in scipy_dpotrf_ scipy_dpotrs_ scipy_dtrtrs_ scipy_dpotrf_64_ scipy_cblas_dgemm64_ scipy_cblas_dsyrk64_; do
  calls=$(awk -v symbol=$symbol '$2 == symbol { print $3 }' "$work/log")
  that "Trigon has computed no $symbol" [ "${calls:-0}" -gt 0 ]
done
[ "$failed" -eq 0 ] || cat "$work/log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
