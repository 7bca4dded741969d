"""Eigenproblems as programs call them: NumPy, every driver of SciPy, and LAPACKE by columns and rows.

test_eigen_programs.sh runs it over the drop-in library, and looks in the log for the symbols that were called.
"""

import ctypes
import sys

import numpy as np
import scipy.linalg as la

TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
ORDERS = 7, 40, 66
ROWS, COLUMNS = 101, 102


def hermitian(n, dtype):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    return np.array(X + X.conj().T if np.iscomplexobj(dtype()) else (X + X.conj().T).real, dtype)


def check(A, w, V=None, B=None, expected=None):
    """A·v = w·B·v, V's columns are orthonormal for B, and w is a part of the expected values."""
    limit = 30 * A.shape[0] * np.finfo(A.dtype).eps
    if expected is not None:
        assert len(w) == len(expected) and np.abs(w - expected).max() <= limit * np.linalg.norm(A)
    if V is None:
        return
    BV = V if B is None else B @ V
    assert np.abs(A @ V - BV * w).max() <= limit * np.linalg.norm(A)
    assert np.abs(V.conj().T @ BV - np.eye(len(w))).max() <= limit


def numpy_and_scipy(n, dtype):
    A = hermitian(n, dtype)
    B = A @ A.conj().T + n * np.eye(n, dtype=dtype)
    w, V = np.linalg.eigh(A)
    check(A, w, V)
    check(A, np.linalg.eigvalsh(A), expected=w)
    for driver in "ev", "evd", "evr", "evx":
        for lower in False, True:
            check(A, *la.eigh(A, driver=driver, lower=lower), expected=w)
        check(A, la.eigh(A, driver=driver, eigvals_only=True), expected=w)
    low, high = n // 4, n // 2
    between = (w[low - 1] + w[low]) / 2, (w[high] + w[high + 1]) / 2
    for driver in "evr", "evx":
        for part in {"subset_by_index": (low, high)}, {"subset_by_value": between}:
            check(A, *la.eigh(A, driver=driver, **part), expected=w[low : high + 1])
            check(A, la.eigh(A, driver=driver, eigvals_only=True, **part), expected=w[low : high + 1])
    for driver in "gv", "gvd", "gvx":
        check(A, *la.eigh(A, B, driver=driver), B=B)


def at(x):
    return x.ctypes.data_as(ctypes.c_void_p)


def lapacke(letter, driver, n, layout):
    """One of LAPACKE's drivers, by its address in liblapacke."""
    dtype, order = TYPES[letter], "F" if layout == COLUMNS else "C"
    kind, real = ("he" if letter in "cz" else "sy"), dtype(0).real.dtype.type
    function = getattr(ctypes.CDLL("liblapacke.so.3"), f"LAPACKE_{letter}{kind}{driver}")
    scalar = ctypes.c_float if real == np.float32 else ctypes.c_double
    job, uplo, everything = (ctypes.c_char(letter) for letter in (b"V", b"L", b"A"))
    A, B = hermitian(n, dtype), None
    V, w = np.array(A, order=order), np.zeros(n, real)
    if driver in ("ev", "evd"):
        info = function(layout, job, uplo, n, at(V), n, at(w))
    elif driver in ("gv", "gvd"):
        B = A @ A.conj().T + n * np.eye(n, dtype=dtype)
        L = np.array(B, order=order)
        info = function(layout, 1, job, uplo, n, at(V), n, at(L), n, at(w))
    else:
        X, V = V, np.zeros((n, n), dtype, order)
        m, of_vectors = ctypes.c_int(0), np.zeros(2 * n, np.int32)
        ends = scalar(0), scalar(0), 1, n, scalar(0), ctypes.byref(m)
        info = function(layout, job, everything, uplo, n, at(X), n, *ends, at(w), at(V), n, at(of_vectors))
        assert m.value == n
    assert info == 0, f"{function.__name__} returns {info}"
    check(A, w, V, B, expected=np.linalg.eigvalsh(A) if B is None else None)


if sys.argv[1] == "lapacke":
    for letter in TYPES:
        for driver in "ev", "evd", "evr", "evx", "gv", "gvd":
            for layout in ROWS, COLUMNS:
                lapacke(letter, driver, 40, layout)
else:
    for dtype in TYPES.values():
        for n in ORDERS:
            numpy_and_scipy(n, dtype)
