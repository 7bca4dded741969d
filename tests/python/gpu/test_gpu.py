"""Tensors of PyTorch, on the CPU and on a GPU, arrays of CuPy, and the operators of trigon_linalg.torch.

Run on a machine with a GPU, PyTorch and CuPy: scripts/gpu-check python FOLDER. The results are judged by residuals.
"""
import sys
import traceback

import numpy as np
import torch
from gpu_support import DEVICES, TYPES, check_close, positive
from hosted_tests import *  # noqa: F403 - main() runs all names that begin with test_
from jax_tests import *  # noqa: F403
from ragged_tests import *  # noqa: F403

import trigon_linalg as tl
import trigon_linalg.torch as operators


def each(sizes=(1, 7, 64, 300), batches=((), (3,))):
    for device in DEVICES:
        for dtype in TYPES:
            for n in sizes:
                for batch in batches:
                    yield device, dtype, n, batch


def test_factors():
    for device, dtype, n, batch in each():
        a = positive(n, dtype, device, batch)
        kept = a.clone()
        c = tl.cholesky(a, lower=True)
        assert type(c) is torch.Tensor and c.device == a.device and torch.equal(a, kept)
        check_close(c @ c.mH, a, dtype, f"cholesky {device} {dtype} {n} {batch}")
        upper = tl.cholesky(a)
        check_close(upper.mH @ upper, a, dtype, "cholesky, upper")
        eye = torch.eye(n, dtype=dtype, device=device)
        check_close(tl.cholesky_inverse(c, lower=True) @ a, eye.expand_as(a), dtype, "cholesky_inverse")
        logdet = tl.logdet(a)
        assert logdet.shape == batch and logdet.device == a.device
        check_close(logdet, torch.linalg.slogdet(a)[1], dtype, "logdet", n * n)


def test_solves():
    for device, dtype, n, batch in each():
        a = positive(n, dtype, device, batch)
        b = torch.randn(*batch, n, 5, dtype=dtype, device=device)
        c = tl.cholesky(a, lower=True)
        check_close(a @ tl.cho_solve((c, True), b), b, dtype, f"cho_solve {device} {dtype} {n} {batch}")
        check_close(a @ tl.posv(a, b), b, dtype, "posv")
        for trans, op in enumerate((c, c.mT, c.mH)):
            x = tl.solve_triangular(c, b, trans, lower=True)
            check_close(op @ x, b, dtype, f"solve_triangular {trans}")


def test_eigenproblems():
    for device, dtype, n, batch in each(sizes=(1, 7, 64, 300, 700)):
        a = positive(n, dtype, device, batch)
        w, v = tl.eigh(a)
        assert w.device == a.device and v.device == a.device and w.dtype == a.real.dtype
        check_close(a @ v, v * w[..., None, :].to(dtype), dtype, f"eigh {device} {dtype} {n} {batch}", n)
        check_close(v.mH @ v, torch.eye(n, dtype=dtype, device=device).expand_as(a), dtype, "eigh, orthogonality", n)
        check_close(tl.eigvalsh(a), w, dtype, "eigvalsh", n)


def test_products():
    for device in DEVICES:
        for dtype in TYPES:
            a, b = (torch.randn(40, 40, dtype=dtype, device=device) for _ in range(2))
            check_close(tl.gemm(a, b), a @ b, dtype, "gemm")


def test_errors():
    for device in DEVICES:
        a = -torch.eye(4, dtype=torch.float64, device=device)
        for call in (lambda: tl.cholesky(a), lambda: tl.posv(a, a)):
            try:
                call()
            except np.linalg.LinAlgError:
                continue
            raise AssertionError("no LinAlgError for a matrix that is not positive definite")
        try:
            tl.cholesky(torch.eye(3, device=device, dtype=torch.float64).requires_grad_())
        except ValueError as error:
            assert "gradient" in str(error)
        else:
            raise AssertionError("a tensor that requires a gradient is taken")
        c, info = tl.cholesky(a, check=False)
        assert int(info) == 1
    try:
        tl.cho_solve((torch.eye(3).double().cuda(), True), torch.ones(3, 1).double())
    except (ValueError, TypeError):
        return
    raise AssertionError("tensors of two devices are taken")


def test_streams():
    stream = torch.cuda.Stream()
    a = positive(500, torch.float64, "cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        later = a * 2
        c = tl.cholesky(later, lower=True, check_finite=False)
        product = c @ c.mH
    stream.synchronize()
    check_close(product, 2 * a, torch.float64, "a call in the caller's stream")


def test_cupy():
    import cupy

    rng = np.random.default_rng(1)
    for kind in "fdFD":
        g = rng.standard_normal((3, 90, 90)) + (1j * rng.standard_normal((3, 90, 90)) if kind in "FD" else 0)
        a = cupy.asarray((g @ g.swapaxes(-1, -2).conj() + 90 * np.eye(90)).astype(kind))
        c = tl.cholesky(a, lower=True)
        assert isinstance(c, cupy.ndarray)
        error = float(abs(c @ c.swapaxes(-1, -2).conj() - a).max() / abs(a).max())
        assert error < 3000 * np.finfo(kind).eps, error
        x = tl.cho_solve((c, True), a)
        assert float(abs(x - cupy.eye(90)).max()) < 3000 * np.finfo(kind).eps


def operator_inputs(dtype, device, batch=()):
    n = 6
    c = tl.cholesky(positive(n, dtype, device, batch), lower=True)
    b = torch.randn(*batch, n, 3, dtype=dtype, device=device)
    return positive(n, dtype, device, batch), c, b


def grads(*tensors):
    return tuple(x.detach().clone().requires_grad_() for x in tensors)


def test_gradients():
    for device in DEVICES:
        for dtype in (torch.float64, torch.complex128):
            for batch in ((), (2,)):
                a, c, b = operator_inputs(dtype, device, batch)
                symmetric = lambda x: (x + x.mH) / 2
                triangle = lambda x: x.tril()
                check = torch.autograd.gradcheck
                assert check(lambda x: operators.cholesky(symmetric(x)), grads(a))
                assert check(lambda x: operators.cholesky_inverse(triangle(x)), grads(c))
                assert check(lambda x: operators.logdet(triangle(x)), grads(c))
                assert check(lambda x, y: operators.cho_solve(triangle(x), y), grads(c, b))
                for trans in range(3):
                    assert check(lambda x, y: operators.solve_triangular(triangle(x), y, trans), grads(c, b))
        a, c, b = operator_inputs(torch.float64, device)
        assert torch.autograd.gradgradcheck(lambda x: operators.cholesky((x + x.mH) / 2), grads(a))


def test_operators():
    for device in DEVICES:
        for dtype in (torch.float64, torch.complex64):
            for batch in ((), (2,)):
                a, c, b = operator_inputs(dtype, device, batch)
                for operator, inputs in ((operators.cholesky, (a,)), (operators.cholesky_inverse, (c,)),
                                         (operators.logdet, (c,)), (operators.cho_solve, (c, b)),
                                         (operators.solve_triangular, (c, b, 2))):
                    tensors = [x.detach().clone().requires_grad_() if isinstance(x, torch.Tensor) else x for x in inputs]
                    torch.library.opcheck(operator, tuple(tensors))


def test_vmap():
    for device in DEVICES:
        a, c, b = operator_inputs(torch.float64, device, (4,))
        check_close(torch.func.vmap(operators.cholesky)(a), operators.cholesky(a), torch.float64, "vmap of cholesky")
        x = torch.func.vmap(operators.cho_solve, in_dims=(0, None))(c, b[0])
        check_close(x, operators.cho_solve(c, b[0].expand(4, 6, 3)), torch.float64, "vmap of cho_solve")


def likelihood(a, y):
    c = operators.cholesky(a)
    return (y * operators.cho_solve(c, y)).sum() + operators.logdet(c)


def test_compile():
    for device in DEVICES:
        a, _, b = operator_inputs(torch.float64, device)
        compiled = torch.compile(likelihood, fullgraph=True)
        check_close(compiled(a, b), likelihood(a, b), torch.float64, "torch.compile")


def test_graph():
    a, _, b = operator_inputs(torch.float64, "cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            c, info = tl.cholesky(a, lower=True, check=False, check_finite=False)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        c, info = tl.cholesky(a, lower=True, check=False, check_finite=False)
    a.mul_(4)
    graph.replay()
    torch.cuda.synchronize()
    check_close(c @ c.mH, a, torch.float64, "a graph that is replayed")


def main():
    failed = 0
    chosen = [(name, f) for name, f in globals().items() if name.startswith("test_")]
    for name, function in chosen:
        try:
            function()
            print(f"{name}: passed", flush=True)
        except Exception:
            failed += 1
            print(f"{name}: FAILED", flush=True)
            traceback.print_exc(limit=-6)
            sys.stderr.flush()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
