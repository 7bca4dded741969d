"""eigh_tridiagonal, against SciPy, and against the matrix that the diagonals make."""
import numpy as np
import pytest
import scipy.linalg as sl
from support import seeded

import trigon_linalg as tl

REAL = np.float32, np.float64


def diagonals(n, dtype):
    random = seeded(n)
    return random.standard_normal(n).astype(dtype), random.standard_normal(max(n - 1, 0)).astype(dtype)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n", (0, 1, 2, 33, 70))
def test_values_and_vectors_are_those_of_the_matrix(dtype, n):
    d, e = diagonals(n, dtype)
    t = np.diag(d) + np.diag(e, 1) + np.diag(e, -1) if n else np.zeros((0, 0), dtype)
    w, v = tl.eigh_tridiagonal(d, e)
    assert w.dtype == dtype and v.dtype == dtype and v.shape == (n, n)
    bound = 30 * np.finfo(dtype).eps * max(n, 1)
    assert np.abs(t @ v - v * w).max(initial=0) <= bound * np.abs(w).max(initial=1)
    assert np.abs(v.T @ v - np.eye(n)).max(initial=0) <= bound
    assert np.allclose(tl.eigh_tridiagonal(d, e, eigvals_only=True), w, atol=bound * np.abs(w).max(initial=1))


@pytest.mark.parametrize("select, part", (("i", (3, 9)), ("i", (0, 0)), ("v", (-0.5, 1.25)), ("v", (50, 60)), ("a", None)))
def test_a_part_is_that_of_scipy(select, part):
    d, e = diagonals(40, np.float64)
    want = sl.eigh_tridiagonal(d, e, eigvals_only=True, select=select, select_range=part)
    assert np.allclose(tl.eigh_tridiagonal(d, e, eigvals_only=True, select=select, select_range=part), want)
    w, v = tl.eigh_tridiagonal(d, e, select=select, select_range=part)
    assert np.allclose(w, want) and v.shape == (40, len(want))


def test_the_arguments_keep_their_values_and_may_be_strided_lists_or_integers():
    d, e = np.arange(12.0)[::2], np.ones(10)[::2]
    before = d.copy(), e.copy()
    w, _ = tl.eigh_tridiagonal(d, e)
    assert np.array_equal(d, before[0]) and np.array_equal(e, before[1])
    assert np.allclose(w, tl.eigh_tridiagonal([0, 2, 4, 6, 8, 10], [1] * 5)[0])


REFUSED = {
    "d has shape (2, 2), must have one": lambda: tl.eigh_tridiagonal(np.eye(2), [1]),
    "e has length 3, must have 1": lambda: tl.eigh_tridiagonal([1.0, 2], [1.0, 2, 3]),
    "must be real": lambda: tl.eigh_tridiagonal(np.ones(2, complex), np.ones(1)),
    "select is 'x'": lambda: tl.eigh_tridiagonal([1.0, 2], [1.0], select="x"),
    "select_range is (1, 2)": lambda: tl.eigh_tridiagonal([1.0, 2], [1.0], select="i", select_range=(1, 2)),
    "nan": lambda: tl.eigh_tridiagonal([1.0, np.nan], [1.0]),
}


@pytest.mark.parametrize("words", REFUSED)
def test_bad_arguments_are_named(words):
    with pytest.raises((ValueError, TypeError)) as error:
        REFUSED[words]()
    assert words.lower() in str(error.value).lower()
