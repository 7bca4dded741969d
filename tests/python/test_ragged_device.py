"""Ragged batches on a GPU: the simulated GPU computes them, and its memory is not the host's."""
import numpy as np
import pytest
import simulated_gpu
from simulated_gpu import Array, array
from support import DTYPES, adjoint, apply, close, cut, general, seeded, spd, triangle, wide

import trigon_linalg as tl

ORDERS = [3, 0, 1, 20, 7, 7, 41, 0, 2, 0]
pytestmark = pytest.mark.skipif(simulated_gpu.folder() is None, reason="no plugin of the simulated GPU")


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    yield simulated_gpu.install(monkeypatch)


def batch(random, dtype, orders=ORDERS):
    return [spd(random, n, dtype) for n in orders]


def device(arrays):
    return [array(a) for a in arrays]


def on_host(result):
    """The matrices of a result in the host's memory; the result lives on the GPU, in one buffer."""
    if isinstance(result, list):
        assert all(type(x) is Array for x in result) and len({id(x.memory) for x in result if x.layout.size}) <= 1
    else:
        assert type(result.buffer) is Array
    return [x.get() for x in result]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_factors_and_inverses_agree_with_the_host(dtype, lower):
    a = batch(seeded(90), dtype)
    for given in (device(a), tl.Ragged.pack(device(a))):
        factors = tl.cholesky(given, lower)
        assert type(factors) is type(given)
        for c, matrix in zip(on_host(factors), a):
            assert close(c, tl.cholesky(matrix, lower), dtype)
        assert all(np.array_equal(x, y) for x, y in zip((x.get() for x in given), a))
        values = tl.logdet(given, lower)
        assert type(values) is Array and np.allclose(values.get(), tl.logdet(a, lower), rtol=1e-4)
        assert np.allclose(tl.logdet((factors, lower)).get(), values.get(), rtol=1e-5)
        for inverse in (tl.inv(given, lower=lower), tl.cholesky_inverse(factors, lower)):
            for x, matrix in zip(on_host(inverse), a):
                assert close(wide(matrix) @ wide(x), np.eye(len(x)), dtype, 300) and close(x, adjoint(x), dtype)


@pytest.mark.parametrize("lower", (False, True))
def test_orders_that_blocks_of_threads_share(lower):
    a = batch(seeded(98), np.float64, (130, 1, 300, 65))
    for c, matrix in zip(on_host(tl.cholesky(device(a), lower)), a):
        assert close(c, tl.cholesky(matrix, lower), np.float64)
    assert np.allclose(tl.logdet(device(a), lower).get(), tl.logdet(a, lower))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_solutions_have_the_kind_of_the_right_sides(dtype, lower):
    random = seeded(91)
    a = batch(random, dtype)
    factors = tl.cho_factor(device(a), lower)
    vectors = [general(random, n, dtype) for n in ORDERS]
    columns = [general(random, (n, k % 4), dtype) for k, n in enumerate(ORDERS)]
    mixed = [b if number % 2 else c for number, (b, c) in enumerate(zip(vectors, columns))]
    for right in (vectors, columns, mixed):
        for b in (device(right), tl.Ragged.pack(device(right))):
            for x in (tl.posv(device(a), b, lower), tl.cho_solve(factors, b)):
                assert type(x) is type(b)
                for matrix, solution, y in zip(a, on_host(x), right):
                    assert solution.shape == y.shape or (right is mixed and solution.ndim == 2)
                    assert close(wide(matrix) @ wide(solution), y.reshape(solution.shape), dtype, 300)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_triangles(dtype, lower):
    random = seeded(92)
    t = [triangle(random, n, dtype, lower) for n in ORDERS]
    b = [general(random, n, dtype) for n in ORDERS]
    for op in (0, 1, 2):
        for x, m, right in zip(on_host(tl.solve_triangular(device(t), device(b), op, lower, op == 1)), t, b):
            assert close(apply(wide(cut(m, lower, op == 1)), op) @ wide(x), right, dtype)
    kind = "lower triangular" if lower else "upper triangular"
    for x, m in zip(on_host(tl.inv(device(t), assume_a=kind)), t):
        assert close(wide(cut(m, lower)) @ wide(x), np.eye(len(m)), dtype, 100) and np.array_equal(x, cut(x, lower))


def test_memory_is_used_as_asked():
    a = batch(seeded(93), np.float64)
    packed, out = (tl.Ragged.pack(device(a)) for _ in range(2))
    assert tl.cholesky(packed, out=out) is out and close(out[3].get(), tl.cholesky(a[3]), np.float64)
    with pytest.raises(ValueError, match="out lives on another device than a"):
        tl.cholesky(packed, out=tl.Ragged.pack(a))
    c = tl.cholesky(packed, overwrite_a=True)
    assert c.buffer is packed.buffer
    b = tl.Ragged.pack(device([np.ones(n) for n in ORDERS]))
    assert tl.cho_solve((c, False), b, overwrite_b=True).buffer is b.buffer
    assert close(a[3] @ b[3].get(), np.ones(20), np.float64, 300)
    rectangles = tl.Ragged(array(np.arange(8.0)), [2, 0], [4, 3])
    assert rectangles.shapes == [(2, 4), (0, 3)] and rectangles[0].shape == (2, 4)
    with pytest.raises(ValueError, match="out overlaps a"):
        tl.cholesky(tl.Ragged(packed.buffer[1:5], [2]), out=tl.Ragged(packed.buffer[:4], [2]), check_finite=False)


def test_a_failed_matrix_is_named():
    a = batch(seeded(94), np.float64)
    a[4] = -np.eye(7)
    with pytest.raises(tl.LinAlgError, match="1-th leading minor of matrix 4 is not positive definite") as caught:
        tl.cholesky(device(a))
    assert caught.value.info == 1 and caught.value.index == (4,)
    a[4] = np.diag([1.0, 1, 0, 1, 0, 1, 1])
    with pytest.raises(tl.LinAlgError, match="singular matrix 4: resolution failed at diagonal 2"):
        tl.solve_triangular(device(a), device([np.ones(n) for n in ORDERS]))
    with pytest.raises(tl.LinAlgError, match="singular matrix 4"):
        tl.inv(device(a), assume_a="lower triangular")


@pytest.mark.parametrize("dtype", DTYPES)
def test_without_check_nobody_waits_and_infos_stay_on_the_gpu(dtype, gpu, monkeypatch):
    a = batch(seeded(95), dtype)
    a[4] = np.diag([1, 1, 0, 1, 0, 1, 1]).astype(dtype)
    b = device([np.ones(n, dtype) for n in ORDERS])
    given = device(a)
    want = [0] * 4 + [3] + [0] * 5
    with monkeypatch.context() as patch:
        for waits in ("on_host", "finite"):
            patch.setattr(gpu, waits, None)
        plain = {"check": False, "check_finite": False}
        results = [tl.cholesky(given, **plain), tl.posv(given, b, **plain), tl.inv(given, **plain),
                   tl.logdet(given, **plain), tl.solve_triangular(given, b, **plain),
                   tl.inv(given, assume_a="lower triangular", **plain)]
        unit = tl.solve_triangular(given, b, unit_diagonal=True, **plain)[1]
    for _, infos in results:
        assert type(infos) is Array and list(infos.get()) == want
    assert not unit.get().any()
    for x in (results[1][0], results[2][0], [results[3][0][number] for number in range(len(a))], results[5][0]):
        x = [np.atleast_1d(y.get()) for y in x]
        assert np.isnan(x[4]).all() and all(np.isfinite(y).all() for number, y in enumerate(x) if number != 4)


@pytest.mark.parametrize("zeros", ([], [0], [3], [4], [22, 23], [0, 3, 24, 30], [80]))
def test_the_first_zero_on_a_diagonal_is_found(zeros):
    t = [np.eye(n) for n in ORDERS]
    diagonals = np.ones(sum(ORDERS))
    diagonals[zeros] = 0
    want, start = [], 0
    for n, matrix in zip(ORDERS, t):
        np.fill_diagonal(matrix, diagonals[start:start + n])
        found = np.flatnonzero(diagonals[start:start + n] == 0)
        want.append(found[0] + 1 if len(found) else 0)
        start += n
    _, infos = tl.solve_triangular(device(t), device([np.ones(n) for n in ORDERS]), check=False)
    assert list(infos.get()) == want


def test_jitter_is_added_to_the_given_matrices():
    a = batch(seeded(96), np.float64)
    a[4] = np.ones((7, 7))
    for given, keywords in ((device(a), {}), (tl.Ragged.pack(device(a)), {"overwrite_a": True}),
                            (out := tl.Ragged.pack(device(a)), {"out": out})):
        factors, infos = tl.cholesky(given, jitter=1e-10, check=False, **keywords)
        c = on_host(factors)
        assert not infos.get().any() and np.allclose(c[4].T @ c[4], a[4], atol=1e-6)
        assert close(c[6], tl.cholesky(a[6]), np.float64)


def test_bad_batches_are_refused_by_name():
    eye = array(np.eye(2))
    for call, message in (
            (lambda: tl.cholesky([eye, array(np.ones((2, 3)))]), r"a\[1\] has shape \(2, 3\), must be square"),
            (lambda: tl.cholesky([eye, array(np.full((2, 2), np.nan))]), r"a\[1\] must not contain infs or NaNs"),
            (lambda: tl.cholesky([eye, np.eye(2)]), r"a\[1\] lives on another device than a\[0\]"),
            (lambda: tl.cholesky([np.eye(2), eye]), r"a\[1\] lives on another device than a\[0\]"),
            (lambda: tl.posv([eye], [np.ones(2)]), "b lives on another device than a"),
            (lambda: tl.posv([eye], [array(np.ones(3))]), r"b\[0\] has 3 rows, must have 2"),
            (lambda: tl.cholesky([eye, array(np.ones((1, 2, 2)))]), r"a\[1\] has shape \(1, 2, 2\)"),
            (lambda: tl.Ragged(array(np.zeros(5)), [2]), "buffer has 5 elements, must have 4"),
            (lambda: tl.Ragged(array(np.zeros(8))[::2], [2]), "must be contiguous"),
            (lambda: tl.Ragged(array(np.zeros((2, 2))), [2]), "with one dimension")):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="dtype int64"):
        tl.Ragged(array(np.zeros(4, int)), [2])
    assert len(tl.cholesky(tl.Ragged(array(np.zeros(0)), []))) == 0
    single, double = (array(np.eye(2, dtype=dtype)) for dtype in (np.float32, np.float64))
    assert [x.dtype for x in tl.posv([single, double], [single, single])] == [np.float64] * 2


def test_a_capture_needs_a_ragged_that_was_computed_before(gpu):
    packed = tl.Ragged.pack(device([np.eye(2), 4 * np.eye(3)]))
    plain = {"check": False, "check_finite": False}
    tl.cholesky(packed, **plain)
    gpu.captured = True
    gpu.stream = lambda device: (7, True)  # another stream than before
    uploads = []
    gpu.upload = lambda *arguments: uploads.append(arguments)
    factors, _ = tl.cholesky(packed, **plain)
    assert close(factors[1].get(), 2 * np.eye(3), np.float64) and not uploads
    with pytest.raises(RuntimeError, match="can be captured only if it is a Ragged"):
        tl.cholesky(device([np.eye(2)]), **plain)
