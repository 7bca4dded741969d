"""Ragged batches of tensors of PyTorch and arrays of CuPy on a GPU. test_gpu.py runs these tests, too."""
import numpy as np
import torch
from gpu_support import TYPES, check_close, positive

import trigon_linalg as tl

ORDERS = 1, 3, 64, 0, 300, 7, 129


def ragged(dtype=torch.float64):
    return [positive(n, dtype, "cuda") for n in ORDERS]


def ones(dtype=torch.float64):
    return [torch.ones(n, dtype=dtype, device="cuda") for n in ORDERS]


def check_each(got, want, dtype, what):
    assert len(got) == len(want)
    for x, y in zip(got, want):
        assert x.is_cuda and x.shape == y.shape, f"{what}: shape {tuple(x.shape)}, not {tuple(y.shape)}"
        if x.numel():
            check_close(x, y, dtype, f"{what}, order {len(x)}", len(x))


def given_twice(dtype):
    """The matrices as a list, and as a Ragged."""
    a = ragged(dtype)
    return a, (a, tl.Ragged.pack(a))


def test_ragged_factors():
    for dtype in TYPES:
        a, both = given_twice(dtype)
        for given in both:
            for lower in (False, True):
                c = tl.cholesky(given, lower)
                cut = torch.tril if lower else torch.triu
                assert all(torch.equal(x, cut(x)) for x in c), "the other triangle is not zero"
                check_each([x @ x.mH if lower else x.mH @ x for x in c], a, dtype, "cholesky of a ragged batch")


def test_ragged_results_are_views_of_one_buffer():
    assert len({x.untyped_storage().data_ptr() for x in tl.cholesky(ragged()) if x.numel()}) == 1
    packed = tl.Ragged.pack(ragged())
    assert tl.cholesky(packed, overwrite_a=True).buffer is packed.buffer
    part = tl.Ragged(torch.tensor([0.0, 1, 1, 0, 0, 1], dtype=torch.float64, device="cuda")[1:], [1, 2])
    assert [x.shape for x in tl.cholesky(part)] == [(1, 1), (2, 2)]


def test_ragged_solves():
    for dtype in TYPES:
        a, both = given_twice(dtype)
        vectors = ones(dtype)
        columns = [torch.ones(n, k % 4, dtype=dtype, device="cuda") for k, n in enumerate(ORDERS)]
        for given in both:
            factors = tl.cho_factor(given, lower=True)
            for b in (vectors, columns):
                for x in (tl.posv(given, b), tl.cho_solve(factors, b)):
                    check_each([m @ y for m, y in zip(a, x)], b, dtype, "a solve of a ragged batch")


def test_ragged_triangles():
    for dtype in TYPES:
        t, b = [x.tril() for x in ragged(dtype)], ones(dtype)
        for trans, op in enumerate((lambda x: x, lambda x: x.mT, lambda x: x.mH)):
            x = tl.solve_triangular(t, b, trans, lower=True)
            check_each([op(m) @ y for m, y in zip(t, x)], b, dtype, "solve_triangular of a ragged batch")


def test_ragged_inverses():
    for dtype in TYPES:
        a, both = given_twice(dtype)
        eyes = [torch.eye(n, dtype=dtype, device="cuda") for n in ORDERS]
        for given in both:
            for x in (tl.inv(given), tl.cholesky_inverse(tl.cholesky(given, lower=True), lower=True)):
                check_each([m @ y for m, y in zip(a, x)], eyes, dtype, "an inverse of a ragged batch")
        t = [x.triu() for x in a]
        x = tl.inv(t, assume_a="upper triangular")
        check_each([m @ y for m, y in zip(t, x)], eyes, dtype, "inverses of triangles of a ragged batch")


def test_ragged_logdet():
    for dtype in TYPES:
        a, both = given_twice(dtype)
        want = torch.stack([torch.linalg.slogdet(x)[1].double() for x in a])
        for given in both:
            check_close(tl.logdet(given), want, dtype, "logdet of a ragged batch", 300)


def test_ragged_failures():
    a = ragged()
    a[2] = -a[2]
    try:
        tl.cholesky(a)
    except np.linalg.LinAlgError as error:
        assert error.index == (2,) and error.info == 1
    else:
        raise AssertionError("no LinAlgError for a ragged batch with a matrix that is not positive definite")
    x, infos = tl.posv(a, ones(), check=False)
    assert infos.is_cuda and infos.tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert [bool(y.isnan().any()) for y in x] == [False, False, True] + 4 * [False]


def test_ragged_calls_wait_for_nothing():
    a, b = ragged(), ones()
    plain = {"check": False, "check_finite": False}
    t = [x.tril() for x in a]
    calls = (lambda: tl.cholesky(a, **plain), lambda: tl.posv(a, b, **plain), lambda: tl.inv(a, **plain),
             lambda: tl.logdet(a, **plain), lambda: tl.solve_triangular(t, b, lower=True, **plain),
             lambda: tl.inv(t, assume_a="lower triangular", **plain))
    for call in calls:
        call()
    torch.cuda.set_sync_debug_mode("error")
    try:
        for call in calls:
            call()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_ragged_stream():
    stream = torch.cuda.Stream()
    packed = tl.Ragged.pack(ragged())
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        later = tl.Ragged(packed.buffer * 4, ORDERS)
        c = tl.cholesky(later, lower=True, check=False, check_finite=False)[0]
        products = [x @ x.mH for x in c]
    stream.synchronize()
    check_each(products, [4 * x for x in packed], torch.float64, "a ragged batch in the caller's stream")


def test_ragged_graph():
    packed = tl.Ragged.pack(ragged())
    plain = {"lower": True, "check": False, "check_finite": False}
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        tl.cholesky(packed, **plain)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        c, _ = tl.cholesky(packed, **plain)
    packed.buffer.mul_(4)
    graph.replay()
    torch.cuda.synchronize()
    check_each([x @ x.mH for x in c], list(packed), torch.float64, "a graph of a ragged batch")


def test_many_ragged_matrices():
    orders = np.random.default_rng(1).integers(0, 65, 5000)
    blocks = [positive(n, torch.float32, "cuda") for n in range(65)]
    packed = tl.Ragged.pack([blocks[n] for n in orders])
    c = tl.cholesky(packed, lower=True)
    check_each([x @ x.mH for x in c][::50], [blocks[n] for n in orders][::50], torch.float32, "5000 matrices")


def test_ragged_cupy():
    import cupy

    a = [cupy.asarray(positive(n, torch.float64, "cpu").numpy()) for n in ORDERS]
    b = [cupy.ones(n) for n in ORDERS]
    for given in (a, tl.Ragged.pack(a)):
        x, infos = tl.posv(given, b, check=False)
        assert isinstance(infos, cupy.ndarray) and not infos.any()
        for matrix, solution, right in zip(a, x, b):
            assert isinstance(solution, cupy.ndarray) and bool(cupy.allclose(matrix @ solution, right))
        values = tl.logdet(given)
        assert np.allclose(cupy.asnumpy(values), [np.linalg.slogdet(cupy.asnumpy(m))[1] for m in a])
    infos = tl.solve_triangular([cupy.eye(2), cupy.zeros((3, 3))], [cupy.ones(2), cupy.ones(3)], check=False)[1]
    assert infos.tolist() == [0, 1]
