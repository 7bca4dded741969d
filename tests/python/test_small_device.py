"""The way for single tensors of a GPU, with a fake of PyTorch over memory of the host: layouts, flags and errors."""
import sys

import numpy as np
import pytest
from fake_torch import Tensor, torch
from support import DTYPES, adjoint, apply, close, cut, general, seeded, spd, triangle

import trigon_linalg as tl
from trigon_linalg import contexts, cuda, library


@pytest.fixture(autouse=True)
def fake(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(contexts, "named", lambda name: contexts.cpu())
    monkeypatch.setattr(library, "set_stream", lambda handle, stream: 0)

    def refuse(x, name):
        raise AssertionError(f"{name} took the general way")

    monkeypatch.setattr(cuda, "take", refuse)
    yield
    for name in ("small_device", "torch"):
        sys.modules.pop("trigon_linalg." + name, None)
        vars(tl).pop(name, None)


def layouts(a):
    yield Tensor(np.array(a, order="C"))
    yield Tensor(np.array(a, order="F"))
    larger = np.full((a.shape[0] + 1, a.shape[1] + 2), np.nan, a.dtype)
    larger[1:, 2:] = a
    yield Tensor(larger[1:, 2:])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", (2, 7, 70))
def test_single_matrices_in_every_layout(dtype, n):
    random = seeded(80)
    full, eye = spd(random, n, dtype), np.eye(n, dtype=dtype)
    for lower in (False, True):
        for a in layouts(full):
            kept = a.a.copy()
            c = tl.cholesky(a, lower)
            assert close(c.a, tl.cholesky(full, lower), dtype)
            factor, _ = tl.cho_factor(a, lower)
            assert np.array_equal(factor.a, cut(factor.a, lower))
            assert close(tl.inv(a, lower=lower).a @ full, eye, dtype, 300)
            assert close(tl.cholesky_inverse(Tensor(np.array(c.a, order="F")), lower).a @ full, eye, dtype, 300)
            for b in (general(random, n, dtype), general(random, (n, 1), dtype), general(random, (n, 3), dtype)):
                for right in layouts(b) if b.ndim == 2 else (Tensor(b),):
                    for x in (tl.posv(a, right, lower), tl.cho_solve((factor, lower), right)):
                        assert x.shape == b.shape and close(full @ x.a, b, dtype, 300)
            assert np.array_equal(a.a, kept)
        t = triangle(random, n, dtype, lower)
        for a in layouts(t):
            for b in (general(random, n, dtype), general(random, (n, 1), dtype), general(random, (n, 3), dtype)):
                for right in layouts(b) if b.ndim == 2 else (Tensor(b),):
                    for op in (0, 1, 2):
                        x = tl.solve_triangular(a, right, op, lower)
                        assert x.shape == b.shape and close(apply(cut(t, lower), op) @ x.a, b, dtype, 100)


def test_failures_and_infos():
    good, bad = Tensor(np.eye(3)), Tensor(np.diag([1.0, -1, 1]))
    singular = Tensor(np.diag([1.0, 1, 0]))
    with pytest.raises(tl.LinAlgError, match="2-th leading minor of the array"):
        tl.cholesky(bad)
    with pytest.raises(tl.LinAlgError, match="2-th leading minor of the array"):
        tl.posv(bad, good)
    assert int(tl.cholesky(bad, check=False)[1]) == 2 and int(tl.cholesky(good, check=False)[1]) == 0
    x, info = tl.inv(bad, check=False)
    assert int(info) == 2 and np.isnan(x.a).all()
    for call in (lambda: tl.solve_triangular(singular, good), lambda: tl.cholesky_inverse(singular)):
        with pytest.raises(tl.LinAlgError, match="diagonal 2"):
            call()
    assert int(tl.solve_triangular(singular, good, check=False)[1]) == 3
    assert int(tl.cholesky_inverse(singular, check=False)[1]) == 3
    x, info = tl.cholesky_inverse(good, check=False)
    assert int(info) == 0 and np.array_equal(x.a, good.a)
    assert int(tl.solve_triangular(good, good, check=False)[1]) == 0
    assert int(tl.solve_triangular(singular, good, unit_diagonal=True, check=False)[1]) == 0
    with pytest.raises(ValueError, match="b must not contain infs or NaNs"):
        tl.posv(good, Tensor(np.full(3, np.nan)))


def test_other_arguments_take_the_general_way():
    good = Tensor(np.eye(3))
    for call in (lambda: tl.cholesky(Tensor(np.eye(3), requires_grad=True)), lambda: tl.cholesky(Tensor(np.ones(3))),
                 lambda: tl.cholesky(Tensor(np.eye(6)[::2, ::2])), lambda: tl.cholesky(good, overwrite_a=True),
                 lambda: tl.posv(good, Tensor(np.ones(3, np.float32))), lambda: tl.posv(good, Tensor(np.ones(4))),
                 lambda: tl.cholesky(Tensor(np.zeros((0, 0))))):
        with pytest.raises(AssertionError, match="took the general way"):
            call()


@pytest.mark.parametrize("dtype", DTYPES)
def test_operators(dtype):
    from trigon_linalg import torch as operators

    random = seeded(81)
    a = spd(random, 6, dtype)
    b = general(random, (6, 3), dtype)
    c = operators.cholesky(Tensor(a, requires_grad=True))
    assert close(c.a @ adjoint(c.a), a, dtype)
    assert close(operators.cholesky_inverse(c).a @ a, np.eye(6, dtype=dtype), dtype, 300)
    for factor in (c, Tensor(np.asfortranarray(c.a))):
        for x, op in ((operators.cho_solve(factor, Tensor(b)), a),
                      *((operators.solve_triangular(factor, Tensor(b), k), apply(c.a, k)) for k in range(3))):
            assert close(op @ x.a, b, dtype, 100) and x.a.flags.c_contiguous
    with pytest.raises(tl.LinAlgError):
        operators.cholesky(Tensor(-a))


def test_streams_are_set_once_and_captures_have_contexts_of_their_own(monkeypatch):
    calls = []
    monkeypatch.setattr(library, "set_stream", lambda handle, stream: calls.append(stream) or 0)
    monkeypatch.setattr(contexts.cpu(), "stream", None)
    monkeypatch.setattr(contexts, "captures", {})
    monkeypatch.setattr(contexts.RelaxedCapture, "__enter__", lambda self: None)
    monkeypatch.setattr(contexts.RelaxedCapture, "__exit__", lambda self, *exception: None)
    for stream in (0, 0, 5, 5, 0):
        contexts.on_stream("cpu", stream, False)
    assert calls == [1, 5, 1]
    spare = contexts.local.spares["cpu"]
    one, same, other = (contexts.on_stream("cpu", stream, True) for stream in (5, 5, 6))
    assert one is same is spare and one is not other and one is not contexts.cpu() and calls[3:] == [5, 6]
