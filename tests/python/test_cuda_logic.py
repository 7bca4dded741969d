"""The way for arrays of a GPU, with memory of the host in their place: layouts, flags, copies and errors, no GPU.

A fake of CuPy is NumPy itself. scripts for machines with a GPU run the same functions on real arrays.
"""
from types import SimpleNamespace

import numpy as np
import pytest
from support import DTYPES, adjoint, apply, close, cut, general, seeded, spd, triangle

import trigon_linalg as tl
from trigon_linalg import contexts, cuda, library


class OnGpu:
    """An array that says that it lives on a GPU."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {"version": 3}


class FakeCupy(cuda.Cupy):
    def __init__(self):
        self.cupy = np

    def plain(self, x, name):
        return x.array

    def device(self, x):
        return 0

    def pointer(self, x):
        return x.__array_interface__["data"][0]

    def stream(self, device):
        return 0, False

    def zeros(self, shape, dtype, device):
        return np.zeros(shape, dtype)

    def on_host(self, x):
        return np.asarray(x)


@pytest.fixture(autouse=True)
def fake(monkeypatch):
    monkeypatch.setattr(cuda, "SPACES", {"cupy": (FakeCupy(), {})})
    monkeypatch.setattr(contexts, "named", lambda name: contexts.cpu())
    monkeypatch.setattr(library, "set_stream", lambda handle, stream: 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", "CF")
def test_functions_agree_with_the_host(dtype, order):
    random = seeded(70)
    for n, batch, lower in ((5, (), True), (70, (), False), (6, (3,), False), (6, (2, 3), True)):
        a = np.array(spd(random, n, dtype, batch), order=order)
        b = general(random, (*batch, n, 3), dtype)
        c = tl.cholesky(OnGpu(a), lower)
        assert close(c, tl.cholesky(a, lower), dtype)
        for right in (b, np.asfortranarray(b), b[(0,) * len(batch)][:, 0]):
            for x in (tl.posv(OnGpu(a), OnGpu(right), lower), tl.cho_solve((OnGpu(c), lower), OnGpu(right))):
                two = x[..., None] if right.ndim == 1 else x
                want = right[:, None] if right.ndim == 1 else right
                assert close(a @ two, np.broadcast_to(want, two.shape), dtype, 300)
            for op in (0, 1, 2):
                t = triangle(random, n, dtype, lower, batch)
                x = tl.solve_triangular(OnGpu(t), OnGpu(right), op, lower)
                two = x[..., None] if right.ndim == 1 else x
                want = right[:, None] if right.ndim == 1 else right
                assert close(apply(cut(t, lower), op) @ two, np.broadcast_to(want, two.shape), dtype, 100)
        x = tl.inv(OnGpu(a), lower=lower)
        assert close(a @ x, np.broadcast_to(np.eye(n), a.shape), dtype, 300) and close(x, adjoint(x), dtype)
        assert np.allclose(tl.logdet(OnGpu(a)), tl.logdet(a), rtol=1e-4)
        assert close(tl.gemm(OnGpu(a), OnGpu(b), trans_a=2), adjoint(a) @ b, dtype)
        assert close(tl.syrk(OnGpu(b), lower=lower, hermitian=True), cut(b @ adjoint(b), lower), dtype)


def test_infos_jitter_and_errors():
    stack = np.stack([np.eye(3), np.diag([1.0, -1, 1])])
    x, infos = tl.posv(OnGpu(stack), OnGpu(np.ones(3)), check=False)
    assert list(infos) == [0, 2] and np.isnan(x[1]).all() and (x[0] == 1).all()
    with pytest.raises(tl.LinAlgError, match="2-th leading minor of matrix 1"):
        tl.cholesky(OnGpu(stack))
    assert np.isfinite(tl.cholesky(OnGpu(np.ones((3, 3))), jitter=1e-8)).all()
    with pytest.raises(ValueError, match="b lives on another device than a"):
        tl.posv(OnGpu(stack), np.ones(3))
    with pytest.raises(ValueError, match="a must not contain infs or NaNs"):
        tl.cholesky(OnGpu(stack * np.nan))
    with pytest.raises(TypeError, match="a: an array has dtype int64"):
        tl.cholesky(OnGpu(np.eye(3, dtype=np.int64)))
    out = OnGpu(np.zeros((2, 3, 3)))
    assert tl.cholesky(OnGpu(stack + 2 * np.eye(3)), out=out) is out and out.array[0, 0, 0] == 3 ** 0.5


class Immutable(OnGpu):
    """As JAX's arrays: read-only, with a namespace that takes results."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {"version": 3, "data": (0, True)}

    def __array_namespace__(self):
        return SimpleNamespace(from_dlpack=Immutable)


def test_read_only_arrays_are_not_overwritten_and_results_have_their_type():
    a, b = spd(seeded(78), 5, np.float64), np.ones((5, 2))
    given, right = Immutable(a.copy()), Immutable(b.copy())
    x = tl.posv(given, right, overwrite_a=True, overwrite_b=True)
    c = tl.cholesky(given, overwrite_a=True)
    assert isinstance(x, Immutable) and isinstance(c, Immutable)
    assert close(x.array, tl.posv(a, b), np.float64) and close(c.array, tl.cholesky(a), np.float64)
    assert np.array_equal(given.array, a) and np.array_equal(right.array, b)
    with pytest.raises(ValueError, match="out is read-only"):
        tl.cholesky(given, out=given)
    assert np.array_equal(given.array, a)
