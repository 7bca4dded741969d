"""Ragged batches of tensors of a GPU, with a fake of PyTorch over memory of the host: what is asked of PyTorch."""
import sys

import numpy as np
import pytest
from fake_torch import Tensor, torch
from support import DTYPES, close, general, seeded, spd, wide

import trigon_linalg as tl
from trigon_linalg import contexts, cuda, library

ORDERS = [3, 0, 1, 40, 7, 7, 2]


@pytest.fixture(autouse=True)
def fake(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(contexts, "named", lambda name: contexts.cpu())
    monkeypatch.setattr(library, "set_stream", lambda handle, stream: 0)
    monkeypatch.setattr(cuda, "SPACES", {})
    yield
    sys.modules.pop("trigon_linalg.small_device", None)
    vars(tl).pop("small_device", None)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lists_and_buffers_of_tensors(dtype):
    random = seeded(97)
    a = [spd(random, n, dtype) for n in ORDERS]
    b = [general(random, n, dtype) for n in ORDERS]
    packed = tl.Ragged.pack([Tensor(x) for x in a])
    assert type(packed.buffer) is Tensor and packed.dtype == dtype
    for given in ([Tensor(x) for x in a], packed):
        factors = tl.cholesky(given, lower=True)
        for c, matrix in zip(factors, a):
            assert type(c) is Tensor and close(c.a, tl.cholesky(matrix, lower=True), dtype)
        for x in (tl.posv(given, [Tensor(x) for x in b]), tl.cho_solve((factors, True), [Tensor(x) for x in b])):
            for matrix, solution, right in zip(a, x, b):
                assert close(wide(matrix) @ wide(solution.a), right, dtype, 300)
        assert np.allclose(tl.logdet(given).a, tl.logdet(a), rtol=1e-4)
        for x, matrix in zip(tl.inv(given), a):
            assert close(wide(matrix) @ wide(x.a), np.eye(len(matrix)), dtype, 300)


def test_infos_and_refusals():
    a = [Tensor(np.eye(2)), Tensor(np.diag([1.0, -1, 1]))]
    b = [Tensor(np.ones(2)), Tensor(np.ones(3))]
    x, infos = tl.posv(a, b, check=False)
    assert list(infos.a) == [0, 2] and (x[0].a == 1).all() and np.isnan(x[1].a).all()
    assert np.isnan(tl.logdet(a, check=False)[0].a).tolist() == [False, True]
    assert list(tl.solve_triangular([Tensor(np.eye(2)), Tensor(np.diag([1.0, 0, 0]))], b, check=False)[1].a) == [0, 2]
    with pytest.raises(tl.LinAlgError, match="2-th leading minor of matrix 1"):
        tl.cholesky(a)
    with pytest.raises(ValueError, match=r"a\[1\] is a tensor that requires a gradient"):
        tl.cholesky([a[0], Tensor(np.eye(2), requires_grad=True)])
    with pytest.raises(TypeError, match=r"a\[1\]: a tensor has dtype int64"):
        tl.cholesky([a[0], Tensor(np.eye(2, dtype=np.int64))])
    single = Tensor(np.eye(2, dtype=np.float32))
    assert [x.dtype for x in tl.posv([single, a[0]], [single, single])] == [np.float64] * 2
