"""Eigenvalues and eigenvectors, against residuals in higher precision, and against SciPy."""
import itertools

import numpy as np
import pytest
import scipy.linalg as sl
from support import DTYPES, adjoint, close, general, half, layouts, seeded, spd, wide

import trigon_linalg as tl

CASES = [(n, ()) for n in (1, 2, 33, 70)] + [(n, batch) for n in (1, 5) for batch in ((3,), (2, 3), (0,))]


def hermitian(random, n, dtype, batch=()):
    a = general(random, (*batch, n, n), dtype)
    return ((a + adjoint(a)) / 2).astype(dtype)


def check_vectors(a, w, v, dtype, b=None):
    """a·v = b·v·w, and the columns of v are orthonormal, or b-orthonormal."""
    left, right = (wide(a) @ wide(v), wide(v)) if b is None else (wide(a) @ wide(v), wide(b) @ wide(v))
    assert w.dtype == np.zeros((), dtype).real.dtype and v.dtype == dtype
    assert (np.diff(w, axis=-1) >= 0).all()
    assert close(left, right * w[..., None, :], dtype)
    one = np.broadcast_to(np.eye(v.shape[-1]), (*v.shape[:-2], v.shape[-1], v.shape[-1]))
    assert close(adjoint(wide(v)) @ right, one, dtype, 30)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_values_and_vectors_in_every_layout(dtype, lower):
    random = seeded(100)
    for n, batch in CASES:
        a = hermitian(random, n, dtype, batch)
        for layout, given in layouts(a):
            w, v = tl.eigh(given, lower=lower)
            assert w.shape == (*batch, n) and v.shape == a.shape
            check_vectors(a, w, v, dtype)
            values = tl.eigh(given, lower=lower, eigvals_only=True)
            assert close(values, w, dtype, 30) and close(tl.eigvalsh(given, lower=lower), w, dtype, 30)
            assert np.array_equal(given, a), layout
            if n > 33 and layout == "F":
                break


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_only_the_named_triangle_is_read(dtype, lower):
    random = seeded(101)
    for n in (3, 80):
        a, b = hermitian(random, n, dtype), spd(random, n, dtype)
        for order in "CF":
            given, second = (np.array(half(x, lower), order=order) for x in (a, b))
            w, v = tl.eigh(given, lower=lower, check_finite=False)
            check_vectors(a, w, v, dtype)
            w, v = tl.eigh(given, second, lower=lower, check_finite=False)
            check_vectors(a, w, v, dtype, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", "CF")
def test_vectors_overwrite_the_matrix_if_they_may(dtype, order):
    a = hermitian(seeded(102), 40, dtype)
    work = np.array(a, order=order)
    w, v = tl.eigh(work, overwrite_a=True)
    assert np.shares_memory(v, work)
    check_vectors(a, w, v, dtype)
    constant = np.array(a, order=order)
    constant.flags.writeable = False
    w, v = tl.eigh(constant, overwrite_a=True)
    assert not np.shares_memory(v, constant) and np.array_equal(constant, a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", (1, 2, 3))
def test_generalized_problems_in_every_layout(dtype, kind):
    random = seeded(103)
    for (n, batch), lower in itertools.product(((1, (3,)), (7, (2,)), (40, ())), (False, True)):
        a, b = hermitian(random, n, dtype, batch), spd(random, n, dtype, batch) / dtype(2 * n)
        for (_, a1), (_, b1) in itertools.product(*(itertools.islice(layouts(x), 3) for x in (a, b))):
            kept = np.array(b1)
            w, v = tl.eigh(a1, b1, lower=lower, type=kind)
            left = a if kind == 1 else wide(a) @ wide(b) if kind == 2 else wide(b) @ wide(a)
            right = wide(b) @ wide(v) if kind == 1 else wide(v)
            assert close(wide(left) @ wide(v), right * w[..., None, :], dtype, 300)
            middle = wide(b) @ wide(v) if kind < 3 else np.linalg.solve(b.astype(np.complex128), v)
            one = np.broadcast_to(np.eye(n), a.shape)
            assert close(adjoint(wide(v)) @ middle, one, dtype, 300)
            assert close(tl.eigvalsh(a1, b1, lower=lower, type=kind), w, dtype, 300)
            assert np.array_equal(b1, kept)
            again, other = np.array(a1), np.array(b1)
            w1, v1 = tl.eigh(again, other, lower=lower, type=kind, overwrite_a=True, overwrite_b=True)
            assert close(w1, w, dtype, 30) and np.shares_memory(v1, again)


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_of_the_spectrum(dtype):
    random = seeded(104)
    for n, b in itertools.product((5, 60), (False, True)):
        a = hermitian(random, n, dtype)
        second = spd(random, n, dtype) if b else None
        every = tl.eigvalsh(a, second)
        for first, last in ((0, 0), (1, 3), (n - 1, n - 1), (0, n - 1)):
            w, v = tl.eigh(a, second, subset_by_index=(first, last))
            assert v.shape == (n, last - first + 1) and close(w, every[first:last + 1], dtype)
            check_vectors(a, w, v, dtype, second)
            assert close(tl.eigvalsh(a, second, subset_by_index=[first, last]), w, dtype)
        middle = [(every[0] + every[1]) / 2, (every[3] + every[4]) / 2]
        w, v = tl.eigh(a, second, subset_by_value=middle)
        assert close(w, every[1:4], dtype)
        check_vectors(a, w, v, dtype, second)
        assert len(tl.eigvalsh(a, second, subset_by_value=(-np.inf, np.inf))) == n
        w, v = tl.eigh(a, second, subset_by_value=(every[-1] + 1, every[-1] + 2))
        assert w.shape == (0,) and v.shape == (n, 0)
    assert tl.eigvalsh(np.zeros((2, 5, 5), dtype), subset_by_index=(1, 2)).shape == (2, 2)
    assert tl.eigvalsh(np.zeros((0, 5, 5), dtype), subset_by_index=(1, 2)).shape == (0, 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_are_scipys(dtype):
    random = seeded(105)
    a, b = hermitian(random, 50, dtype), spd(random, 50, dtype)
    for second, kind in ((None, 1), (b, 1), (b, 2), (b, 3)):
        want = sl.eigh(a, second, eigvals_only=True, type=kind)
        assert close(tl.eigvalsh(a, second, type=kind), want, dtype, 100)
    w, v = tl.eigh(a)
    theirs = sl.eigh(a)[1]
    assert np.abs(np.abs(np.sum(v.conj() * theirs, axis=0)) - 1).max() < 1e-3  # the same lines


def test_batches_of_a_and_b_are_broadcast():
    random = seeded(106)
    a = hermitian(random, 6, np.complex128, (3, 1))
    b = spd(random, 6, np.complex128, (2,))
    for first, second in ((a, b), (a[0, 0], b), (a, b[0])):
        kept = first.copy(), second.copy()
        w, v = tl.eigh(first, second, overwrite_a=False)
        assert w.shape == (*np.broadcast_shapes(first.shape[:-2], second.shape[:-2]), 6)
        check_vectors(np.broadcast_to(first, v.shape), w, v, np.complex128, np.broadcast_to(second, v.shape))
        assert np.array_equal(first, kept[0]) and np.array_equal(second, kept[1])


def test_types_are_promoted_and_empty_matrices_have_no_values():
    w, v = tl.eigh([[2, 1], [1, 2]])
    assert np.allclose(w, [1, 3]) and w.dtype == v.dtype == np.float64
    w, v = tl.eigh(np.eye(3, dtype=np.complex64), np.eye(3))
    assert w.dtype == np.float64 and v.dtype == np.complex128
    w, v = tl.eigh(np.zeros((2, 0, 0)))
    assert w.shape == (2, 0) and v.shape == (2, 0, 0)
    assert tl.eigvalsh(5.0 * np.eye(1)).tolist() == [5.0]


def test_values_keep_to_the_ends_of_the_range():
    for scale in (1e-300, 1e300):
        w, v = tl.eigh(scale * np.array([[2.0, 1], [1, 2]]))
        assert np.allclose(w / scale, [1, 3]) and np.allclose(v.T @ v, np.eye(2))


A = np.diag([1.0, 2, 3])
BAD = {
    "a has shape (3,), must have at least 2": lambda: tl.eigh(np.ones(3)),
    "a has shape (2, 3), must be square": lambda: tl.eigvalsh(np.ones((2, 3))),
    "a must not contain infs or NaNs": lambda: tl.eigh(np.full((2, 2), np.nan)),
    "b must not contain infs": lambda: tl.eigh(A, np.diag([np.inf, 1, 1])),
    "b has shape (2, 2), must have matrices of the order of a": lambda: tl.eigh(A, np.eye(2)),
    "b has shape (2, 3, 3), whose batch does not fit": lambda: tl.eigh(np.stack([A] * 3), np.stack([A] * 2)),
    "type is 4, must be 1, 2 or 3": lambda: tl.eigh(A, A, type=4),
    "type is True": lambda: tl.eigh(A, A, type=True),
    "subset_by_index is (0, 3), must be two integers": lambda: tl.eigh(A, subset_by_index=(0, 3)),
    "subset_by_index is (1, 0)": lambda: tl.eigh(A, subset_by_index=(1, 0)),
    "subset_by_index is (0.5, 1)": lambda: tl.eigvalsh(A, subset_by_index=(0.5, 1)),
    "subset_by_index is 1, must": lambda: tl.eigvalsh(A, subset_by_index=1),
    "subset_by_value is (1, 1), must be two real": lambda: tl.eigh(A, subset_by_value=(1, 1)),
    "subset_by_value is 'x'": lambda: tl.eigh(A, subset_by_value="x"),
    "must be one of them": lambda: tl.eigh(A, subset_by_value=(0, 1), subset_by_index=(0, 1)),
    "must be None for a stack": lambda: tl.eigh(A[None], subset_by_value=(0, 1)),
    "a is a ragged batch, must be one matrix": lambda: tl.eigh([A, np.eye(2)]),
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_argument_is_named(message):
    with pytest.raises(ValueError) as error:
        BAD[message]()
    assert message in str(error.value)


def test_an_indefinite_b_is_an_error_and_a_is_kept():
    b = np.diag([1.0, -1, 1])
    work = A.copy()
    with pytest.raises(tl.LinAlgError, match="2-th leading minor of b is not positive definite") as error:
        tl.eigh(work, b, overwrite_a=True)
    assert error.value.info == 2 and np.array_equal(work, A)
    with pytest.raises(tl.LinAlgError, match="matrix 1 ") as error:
        tl.eigh(A, np.stack([np.eye(3), b]))
    assert error.value.index == (1,)


def test_a_nan_that_nobody_looked_for_is_an_error():
    a = np.stack([A, A])
    a[1, 1, 1] = np.nan
    with pytest.raises(tl.LinAlgError, match="eigenvalues of matrix 1 did not converge, or it holds a NaN") as error:
        tl.eigh(a, check_finite=False)
    assert error.value.info == 2 and error.value.index == (1,)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_stack_has_the_results_of_its_matrices(dtype):
    for n, count in ((3, 200), (12, 40), (45, 3)):
        a = hermitian(seeded(n), n, dtype, (count,))
        for order in "CF":
            given = np.asarray(a, order=order) if order == "C" else np.array(a.swapaxes(-1, -2)).swapaxes(-1, -2)
            w, v = tl.eigh(given)
            check_vectors(a, w, v, dtype)
            assert close(w, np.stack([tl.eigvalsh(x) for x in a]), dtype, 30)


def test_large_orders_and_clusters():
    random = seeded(107)
    q = np.linalg.qr(general(random, (300, 300), np.float64))[0]
    want = np.repeat([-1.0, 0, 2], 100)
    a = (q * want) @ q.T
    a = (a + a.T) / 2
    w, v = tl.eigh(a)
    check_vectors(a, w, v, np.float64)
    assert close(w, want, np.float64)
