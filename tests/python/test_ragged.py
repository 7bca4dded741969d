"""Ragged batches: lists of arrays, and packed buffers."""
import numpy as np
import pytest
from support import DTYPES, apply, close, cut, general, seeded, spd, triangle, wide

import trigon_linalg as tl

ORDERS = [3, 0, 1, 40, 7, 7, 100, 0, 2]


def batch(random, dtype, orders=ORDERS):
    return [spd(random, n, dtype) for n in orders]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_every_function_agrees_with_one_matrix_at_a_time(dtype, lower):
    random = seeded(20)
    a = batch(random, dtype)
    packed = tl.Ragged.pack(a)
    factors = tl.cholesky(a, lower)
    assert isinstance(factors, list) and len({id(c.base) for c in factors if c.size}) == 1
    for got, want in zip(factors, a):
        assert close(got, tl.cholesky(want, lower), dtype)
    for got, want in zip(tl.cholesky(packed, lower), factors):
        assert close(got, want, dtype)
    assert all(np.array_equal(x, y) for x, y in zip(packed, a))
    values = tl.logdet(a, lower)
    assert np.allclose(values, [tl.logdet(x, lower) for x in a], rtol=1e-4)
    assert np.allclose(tl.logdet((factors, lower)), values, rtol=1e-6)
    for inverse in (tl.inv(a, lower=lower), tl.inv(packed, lower=lower), tl.cholesky_inverse(factors, lower)):
        for x, y in zip(a, inverse):
            assert close(wide(x) @ wide(y), np.eye(len(x)), dtype, 300)
    vectors = [general(random, n, dtype) for n in ORDERS]
    columns = [general(random, (n, k % 4), dtype) for k, n in enumerate(ORDERS)]
    fortran = [np.asfortranarray(b) for b in columns]
    mixed = [b if number % 2 else c for number, (b, c) in enumerate(zip(vectors, columns))]
    for b in (vectors, columns, fortran, mixed, tl.Ragged.pack(vectors), tl.Ragged.pack(columns)):
        for x in (tl.posv(a, b, lower), tl.posv(packed, b, lower), tl.cho_solve((factors, lower), b)):
            assert type(x) is type(b)
            for matrix, solution, right in zip(a, x, b):
                assert close(wide(matrix) @ wide(solution), right, dtype, 300)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", (0, 1, 2))
def test_triangles(dtype, op):
    random = seeded(21)
    for lower in (False, True):
        for unit in (False, True):
            t = [triangle(random, n, dtype, lower) for n in ORDERS]
            for b in ([general(random, n, dtype) for n in ORDERS], [general(random, (n, 2), dtype) for n in ORDERS]):
                for x, m, right in zip(tl.solve_triangular(t, b, op, lower, unit), t, b):
                    assert close(apply(wide(cut(m, lower, unit)), op) @ wide(x), right, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_inverses_of_triangles(dtype, lower):
    t = [triangle(seeded(25), n, dtype, lower) for n in ORDERS]
    kind = "lower triangular" if lower else "upper triangular"
    for given in (t, tl.Ragged.pack(t)):
        inverse = tl.inv(given, assume_a=kind)
        assert type(inverse) is type(given)
        for x, m in zip(inverse, t):
            assert close(wide(cut(m, lower)) @ wide(x), np.eye(len(m)), dtype, 100) and np.array_equal(x, cut(x, lower))
    assert all(np.array_equal(x, y) for x, y in zip(given, t))
    assert tl.inv(given, assume_a=kind, overwrite_a=True).buffer is given.buffer
    assert close(given[3], tl.inv(t[3], assume_a=kind), dtype, 100)
    t[4][2, 2] = 0
    with pytest.raises(tl.LinAlgError, match="singular matrix 4: resolution failed at diagonal 2"):
        tl.inv(t, assume_a=kind)
    x, infos = tl.inv(t, assume_a=kind, check=False)
    assert list(infos) == [0, 0, 0, 0, 3, 0, 0, 0, 0] and np.isnan(x[4]).all() and np.isfinite(x[6]).all()


def test_jitter_is_added_to_the_given_matrices():
    a = batch(seeded(26), np.float64)
    a[4] = np.ones((7, 7))
    for given, keywords in ((a, {}), (tl.Ragged.pack(a), {"overwrite_a": True}),
                            (out := tl.Ragged.pack(a), {"out": out})):
        c = tl.cholesky(given, jitter=1e-10, **keywords)
        assert np.allclose(c[4].T @ c[4], a[4], atol=1e-6) and close(c[6], tl.cholesky(a[6]), np.float64)


def test_a_packed_buffer_is_overwritten_on_request():
    a = batch(seeded(22), np.float64)
    packed = tl.Ragged.pack(a)
    c = tl.cholesky(packed, overwrite_a=True)
    assert c.buffer is packed.buffer and close(packed[3], tl.cholesky(a[3]), np.float64)
    b = tl.Ragged.pack([np.ones(n) for n in ORDERS])
    x = tl.cho_solve((c, False), b, overwrite_b=True)
    assert x.buffer is b.buffer
    out = tl.Ragged.pack(a)
    out.buffer[...] = 0
    assert tl.cholesky(tl.Ragged.pack(a), out=out) is out and close(out[3], c[3], np.float64)


def test_a_failed_matrix_is_named():
    a = batch(seeded(23), np.float64)
    a[4] = -np.eye(7)
    with pytest.raises(tl.LinAlgError, match="1-th leading minor of matrix 4 is not positive definite") as caught:
        tl.cholesky(a)
    assert caught.value.info == 1 and caught.value.index == (4,)
    factors, infos = tl.cholesky(a, check=False)
    assert list(infos) == [0, 0, 0, 0, 1, 0, 0, 0, 0] and close(factors[3], tl.cholesky(a[3]), np.float64)
    inverses, infos_too = tl.cholesky_inverse([np.eye(2), np.diag([3.0, 0, 1])], check=False)
    assert infos_too.tolist() == [0, 2] and np.allclose(inverses[0], np.eye(2))
    x, infos = tl.posv(a, [np.ones(n) for n in ORDERS], check=False)
    assert np.isnan(x[4]).all() and np.isfinite(x[6]).all()
    a[4] = np.ones((7, 7))
    tl.cholesky(a, jitter=1e-10)
    a[4] = np.diag([1.0, 1, 0, 1, 0, 1, 1])
    with pytest.raises(tl.LinAlgError, match="singular matrix 4: resolution failed at diagonal 2"):
        tl.solve_triangular(a, [np.ones(n) for n in ORDERS])


def test_bad_batches_are_refused_by_name():
    a = batch(seeded(24), np.float64)
    for call, message in (
            (lambda: tl.cholesky([np.eye(2), np.ones((2, 3))]), r"a\[1\] has shape \(2, 3\), must be square"),
            (lambda: tl.cholesky([np.eye(2), np.full((2, 2), np.nan)]), r"a\[1\] must not contain infs or NaNs"),
            (lambda: tl.posv(a, [np.ones(3)]), "b has 1 items, must have 9"),
            (lambda: tl.posv(a, [np.ones(n + 1) for n in ORDERS]), r"b\[0\] has 4 rows, must have 3"),
            (lambda: tl.Ragged(np.zeros(5), [2]), "buffer has 5 elements, must have 4"),
            (lambda: tl.Ragged(np.zeros(4), [-2]), "rows contains -2"),
            (lambda: tl.cholesky([np.eye(2), np.ones((1, 2, 2))]), r"a\[1\] has shape")):
        with pytest.raises(ValueError, match=message):
            call()
    for call in (lambda: tl.Ragged([1.0], [1]), lambda: tl.Ragged(np.zeros(1, int), [1]),
                 lambda: tl.Ragged(np.zeros(1), [1.0]), lambda: tl.cho_solve((a, True), np.ones(3)),
                 lambda: tl.cholesky([np.eye(2), "x"])):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert tl.cholesky([]) == []
    assert len(tl.cholesky(tl.Ragged(np.zeros(0), []))) == 0
    assert len(tl.cholesky(tl.Ragged.vectors(np.zeros(0), []))) == 0  # no vector is no matrix that is not square


def test_items_are_views():
    packed = tl.Ragged(np.arange(13.0), [2, 3])
    packed[1][0, 0] = -1
    assert packed.buffer[4] == -1 and packed[-1].shape == (3, 3) and len(list(packed)) == 2
    with pytest.raises(IndexError):
        packed[2]
    assert tl.Ragged(np.arange(6.0), [2], [3])[0].shape == (2, 3)
    assert tl.Ragged.vectors(np.arange(6.0), [2, 4])[1].shape == (4,)
