"""One matrix and stacks of matrices, against residuals in higher precision."""
import itertools

import numpy as np
import pytest
import scipy.linalg as sl
from support import DTYPES, adjoint, apply, close, cut, general, half, layouts, seeded, spd, triangle, wide

import trigon_linalg as tl


def some(a, count):
    """The first layouts of a."""
    return list(itertools.islice(layouts(a), count))


ORDERS = 1, 2, 33, 70
BATCHES = (), (3,), (2, 3), (0,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_cholesky_multiplies_to_the_matrix_in_every_layout(dtype, lower):
    random = seeded(1)
    for n, batch in itertools.product(ORDERS, BATCHES):
        a = spd(random, n, dtype, batch)
        for layout, given in layouts(a):
            for overwrite in (False, True):
                work = given.copy() if layout == "other bytes" else given
                if overwrite and work.flags.writeable:
                    work[...] = a
                c = tl.cholesky(work, lower, overwrite_a=overwrite)
                assert c.dtype == dtype
                assert (c == cut(c, lower)).all(), (n, batch, layout)
                product = wide(c) @ adjoint(wide(c)) if lower else adjoint(wide(c)) @ wide(c)
                assert close(product, a, dtype), (n, batch, layout, overwrite)
                if not overwrite:
                    assert np.array_equal(given, a), layout
            if n > 33 and layout == "part":
                break


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_only_the_named_triangle_is_read(dtype, lower):
    random = seeded(2)
    for n in (3, 80):
        a = spd(random, n, dtype)
        b = general(random, (n, 2), dtype)
        given = half(a, lower)
        assert close(tl.cholesky(given, lower, check_finite=False), tl.cholesky(a, lower), dtype)
        assert close(a @ tl.posv(given, b, lower, check_finite=False), b, dtype, 300)
        assert close(a @ tl.inv(given, lower=lower, check_finite=False), np.eye(n), dtype, 300)
        t = cut(triangle(random, n, dtype, lower), lower)
        garbage = half(t, lower)
        assert close(t @ tl.solve_triangular(garbage, b, lower=lower, check_finite=False), b, dtype)
        assert close(tl.trmm(garbage, b, lower=lower), t @ b, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", (0, 1, 2))
@pytest.mark.parametrize("lower", (False, True))
def test_triangles_are_solved_with_every_flag_and_layout(dtype, op, lower):
    random = seeded(3)
    for n, columns, batch, unit in itertools.product((1, 4, 70), (None, 1, 3), ((), (2,)), (False, True)):
        t = triangle(random, n, dtype, lower, batch)
        full = wide(cut(t, lower, unit))
        b = general(random, (n,) if columns is None else (*batch, n, columns), dtype)
        b2 = b[:, None] if columns is None else b
        if columns is None:
            kinds = [("C", b), ("apart", np.repeat(b, 2)[::2]), ("reversed", b[::-1].copy()[::-1])]
        else:
            kinds = list(layouts(b))
        for (_, a_given), (kind, b_given) in itertools.product(list(layouts(t))[:3], kinds if n < 70 else kinds[:2]):
            x = tl.solve_triangular(a_given, b_given, op, lower, unit)
            x2 = x[..., None] if columns is None else x
            assert close(apply(full, op) @ wide(x2), np.broadcast_to(b2, x2.shape), dtype), (n, columns, batch, kind)
            if b_given.flags.writeable and kind != "other bytes":
                work = b_given.copy("K")
                y = tl.solve_triangular(a_given, work, op, lower, unit, overwrite_b=True)
                assert close(y, x, dtype), kind
            out = np.empty_like(x)
            assert tl.solve_triangular(a_given, b_given, op, lower, unit, out=out) is out
            assert close(out, x, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
def test_factors_solve_invert_and_give_the_determinant(dtype, lower):
    random = seeded(4)
    for n, batch in itertools.product((1, 4, 70), BATCHES):
        a = spd(random, n, dtype, batch)
        for _, given in list(layouts(a))[:5 if n < 70 else 2]:
            pair = tl.cho_factor(given, lower)
            assert pair[1] is lower
            for b in (general(random, n, dtype), general(random, (*batch, n, 3), dtype),
                      np.swapaxes(general(random, (*batch, 3, n), dtype), -1, -2)):
                b2 = b[:, None] if b.ndim == 1 else b
                for x in (tl.cho_solve(pair, b), tl.posv(given, b, lower)):
                    x2 = x[..., None] if b.ndim == 1 else x
                    assert close(wide(a) @ wide(x2), np.broadcast_to(b2, x2.shape), dtype, 300)
            one = np.broadcast_to(np.eye(n), a.shape)
            for inverse in (tl.inv(given, lower=lower), tl.cholesky_inverse(pair), tl.cholesky_inverse(*pair)):
                assert close(wide(a) @ wide(inverse), one, dtype, 300)
                assert np.array_equal(inverse, adjoint(inverse))
            if a.size:
                want = np.linalg.slogdet(a)[1]
                assert np.allclose(tl.logdet(given, lower), want, rtol=1e4 * np.finfo(dtype).eps)
                assert np.allclose(tl.logdet(pair), tl.logdet(given, lower))


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles_are_inverted(dtype):
    random = seeded(5)
    for n, lower, batch in itertools.product((1, 6, 90), (False, True), ((), (4,))):
        t = triangle(random, n, dtype, lower, batch)
        x = tl.inv(t, assume_a="lower triangular" if lower else "upper triangular")
        assert close(wide(cut(t, lower)) @ wide(x), np.broadcast_to(np.eye(n), t.shape), dtype)
        assert np.array_equal(x, cut(x, lower))


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_with_every_flag_and_layout(dtype):
    random = seeded(6)
    kind_c = np.dtype(dtype).kind == "c"
    m, n, k = 5, 7, 3
    alpha, beta = (1.5 - 0.5j, 0.25j) if kind_c else (1.5, -0.5)
    for ta, tb, batch in itertools.product((0, 1, 2), (0, 1, 2), ((), (2,))):
        a = general(random, (*batch, *((m, k) if ta == 0 else (k, m))), dtype)
        b = general(random, (*batch, *((k, n) if tb == 0 else (n, k))), dtype)
        c = general(random, (*batch, m, n), dtype)
        want = alpha * (apply(wide(a), ta) @ apply(wide(b), tb))
        for (_, a1), (_, b1), (kind, c1) in itertools.product(*(some(x, 3) for x in (a, b, c))):
            assert close(tl.gemm(a1, b1, alpha, trans_a=ta, trans_b="NTC"[tb]), want, dtype)
            assert close(tl.gemm(a1, b1, alpha, beta, c1, trans_a=ta, trans_b=tb), want + beta * wide(c), dtype)
            work = c1.copy("K")
            assert close(tl.gemm(a1, b1, alpha, beta, work, trans_a=ta, trans_b=tb, overwrite_c=True),
                         want + beta * wide(c), dtype)
            assert np.array_equal(c1, c), kind


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hermitian", (False, True))
def test_symmetric_products_with_every_flag_and_layout(dtype, hermitian):
    random = seeded(7)
    flip = adjoint if hermitian else (lambda x: np.swapaxes(x, -1, -2))
    n, k = 6, 4
    for lower, op, batch in itertools.product((False, True), (0, 2 if hermitian else 1), ((), (2,))):
        a = general(random, (*batch, *((n, k) if op == 0 else (k, n))), dtype)
        c = spd(random, n, dtype, batch) if hermitian else general(random, (*batch, n, n), dtype)
        product = wide(a) @ flip(wide(a)) if op == 0 else flip(wide(a)) @ wide(a)
        for (_, a1), (_, c1) in itertools.product(some(a, 3), some(c, 4)):
            got = tl.syrk(a1, 2.0, trans=op, lower=lower, hermitian=hermitian)
            assert close(got, cut(2 * product, lower), dtype)
            got = tl.syrk(a1, 2.0, 0.5, c1, trans=op, lower=lower, hermitian=hermitian)
            assert close(got, cut(2 * product + wide(c) / 2, lower) + c - cut(c, lower), dtype)
    for lower, side, batch in itertools.product((False, True), (0, 1), ((), (2,))):
        s = general(random, (*batch, n, n), dtype)
        named = cut(s, lower)
        diagonal = named * np.eye(n)
        if hermitian:
            diagonal = diagonal.real
        whole = wide(named - named * np.eye(n)) + flip(wide(named - named * np.eye(n))) + diagonal
        b = general(random, (*batch, *((k, n) if side else (n, k))), dtype)
        c = general(random, b.shape, dtype)
        want = wide(b) @ whole if side else whole @ wide(b)
        for (_, s1), (_, b1), (_, c1) in itertools.product(*(some(x, 2) for x in (s, b, c))):
            got = tl.symm(s1, b1, 1.0, 2.0, c1, side=side, lower=lower, hermitian=hermitian)
            assert close(got, want + 2 * wide(c), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangular_products_with_every_flag(dtype):
    random = seeded(8)
    n, k = 6, 4
    alpha = 2 - 1j if np.dtype(dtype).kind == "c" else 2.0
    for lower, op, unit, side, batch in itertools.product((False, True), (0, 1, 2), (False, True), (0, 1), ((), (3,))):
        t = triangle(random, n, dtype, lower, batch)
        b = general(random, (*batch, *((k, n) if side else (n, k))), dtype)
        full = apply(wide(cut(t, lower, unit)), op)
        want = alpha * (wide(b) @ full if side else full @ wide(b))
        for (_, t1), (_, b1) in itertools.product(some(t, 2), some(b, 4)):
            for overwrite in (False, True):
                got = tl.trmm(t1, b1.copy("K"), alpha, side=side, lower=lower, trans=op, unit_diagonal=unit,
                              overwrite_b=overwrite)
                assert close(got, want, dtype)


def test_batches_are_broadcast():
    random = seeded(9)
    a = spd(random, 5, np.float64, (3, 1))
    b = general(random, (2, 5, 4), np.float64)
    x = tl.cho_solve(tl.cho_factor(a), b)
    assert x.shape == (3, 2, 5, 4) and close(a @ x, np.broadcast_to(b, x.shape), np.float64)
    assert close(tl.posv(a, b), x, np.float64)
    x = tl.solve_triangular(np.tril(a[0, 0]), b, lower=True)
    assert close(np.tril(a[0, 0]) @ x, b, np.float64)
    assert tl.gemm(a, b).shape == (3, 2, 5, 4)


def test_integers_lists_and_half_precision_become_floats():
    a = [[4, 2], [2, 3]]
    assert np.array_equal(tl.cholesky(a), sl.cholesky(a))
    assert tl.cholesky(np.array(a, np.int8)).dtype == np.float64
    assert tl.cholesky(np.array(a, np.float16)).dtype == np.float32
    assert tl.solve_triangular(np.eye(2, dtype=np.float32), np.array([1j, 2])).dtype == np.complex128
    assert tl.cholesky(np.array(a, np.float64).view(np.matrix)).shape == (2, 2)


@pytest.mark.parametrize("name", ("cholesky", "cho_factor"))
def test_defaults_are_scipys(name):
    a = spd(seeded(10), 9, np.float64)
    ours, theirs = (getattr(module, name)(a) for module in (tl, sl))
    if name == "cholesky":
        assert close(ours, theirs, np.float64)
    else:
        assert ours[1] == theirs[1] and close(np.triu(ours[0]), np.triu(theirs[0]), np.float64)
        assert np.array_equal(np.tril(ours[0], -1), np.tril(a, -1))


def test_out_takes_the_result_in_every_layout():
    random = seeded(11)
    a = spd(random, 6, np.float64, (2,))
    for _, out in list(layouts(np.zeros_like(a)))[:5]:
        assert tl.cholesky(a, out=out) is out and close(out, tl.cholesky(a), np.float64)
        assert tl.inv(a, out=out) is out and close(out, np.linalg.inv(a), np.float64, 300)
    work = a.copy()
    assert tl.cholesky(work, out=work) is work and close(work, tl.cholesky(a), np.float64)


def test_jitter_makes_a_singular_matrix_definite():
    a = np.ones((4, 4))
    with pytest.raises(tl.LinAlgError):
        tl.cholesky(a)
    kept = a.copy()
    c = tl.cholesky(a, jitter=1e-8, overwrite_a=True, lower=True)
    assert np.abs(c @ c.T - a).max() < 1e-2 and np.array_equal(a, kept)
    stack = np.stack([np.eye(4), a, -np.eye(4)])
    c, infos = tl.cholesky(stack, check=False, jitter=1e-8)
    assert list(infos) == [0, 0, 1] and np.array_equal(c[0], np.eye(4))
    assert tl.cholesky(a, jitter=1e-8, out=a) is a and np.abs(a.T @ a - kept).max() < 1e-2
    x = tl.posv(kept, np.ones(4), jitter=1e-10)
    assert np.abs(kept @ x - 1).max() < 1e-3


def test_without_check_infos_come_beside_the_result():
    stack = np.stack([np.eye(3), np.diag([1.0, -1, 1]), np.diag([1.0, 1, 0])])
    c, infos = tl.cholesky(stack, check=False)
    assert list(infos) == [0, 2, 3] and infos.dtype == np.int64
    _, lower, info = tl.cho_factor(stack[1], lower=True, check=False)
    assert lower is True and info == 2
    x, infos = tl.posv(stack, np.ones(3), check=False)
    assert list(infos) == [0, 2, 3] and np.array_equal(x[0], np.ones(3)) and np.isnan(x[1:]).all()
    x, infos = tl.inv(stack, check=False)
    assert list(infos) == [0, 2, 3] and np.isnan(x[1:]).all() and np.array_equal(x[0], np.eye(3))
    values, infos = tl.logdet(stack, check=False)
    assert values[0] == 0 and np.isnan(values[1:]).all()
    x, infos = tl.cholesky_inverse(np.stack([2 * np.eye(3), np.diag([1.0, 0, 1])]), check=False)
    assert infos.tolist() == [0, 2] and np.allclose(x[0], np.eye(3) / 4)
    x, info = tl.cholesky_inverse(np.diag([1.0, 1, 0]), check=False)
    assert info == 3
    x, infos = tl.solve_triangular(np.stack([np.eye(3), np.diag([1.0, 0, 0])]), np.ones(3), check=False)
    assert list(infos) == [0, 2] and np.array_equal(x[0], np.ones(3))


def test_emulated_products_keep_their_accuracy():
    random = seeded(12)
    a, b = general(random, (256, 256), np.float64), general(random, (256, 256), np.float64)
    with tl.set_fp64("int8"):
        got = tl.gemm(a, b)
        report = tl.last_fp64()
    assert report["products"] > 0 and close(got, wide(a) @ wide(b), np.float64)
    tl.gemm(a, b)
    assert tl.last_fp64()["mode"] == 0
