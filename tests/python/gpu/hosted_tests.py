"""NumPy arrays that real GPUs compute (the keyword `device`). test_gpu.py runs these tests, too.

tests/python/test_hosted.py asks for more, of the simulated GPU.
"""
import numpy as np
import torch

import trigon_linalg as tl

N, COLUMNS = 1500, 70  # several tiles of the least block
HOST_TYPES = np.float32, np.float64, np.complex64, np.complex128


def hosts():
    """One GPU, and both if there are two."""
    return ["cuda:0"] + (["cuda:0-1"] if torch.cuda.device_count() > 1 else [])


def host_matrix(rows, columns, dtype, seed):
    generator = np.random.default_rng(seed)
    a = generator.standard_normal((rows, columns))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * generator.standard_normal((rows, columns))
    return a.astype(dtype)


def host_positive(dtype):
    a = host_matrix(N, N, dtype, 1)
    return a @ a.conj().T / N + np.eye(N, dtype=dtype)


def host_close(x, y, what):
    assert x.shape == y.shape
    error, limit = np.abs(x - y).max() / np.abs(y).max(), 30 * N * np.finfo(x.dtype).eps
    assert error <= limit, f"{what}: error {error:.2e} above {limit:.2e}"


def test_hosted_factors_solves_and_inverses():
    for device in hosts():
        for dtype in HOST_TYPES:
            a, b = host_positive(dtype), host_matrix(N, COLUMNS, dtype, 2)
            tl.hosted.traffic(device)
            c = tl.cholesky(a, True, device=device)
            assert tl.hosted.traffic(device)["in"] > 0, "no GPU has computed"
            host_close(c @ c.conj().T, a, "cholesky")
            host_close(a @ tl.posv(a, b, device=device), b, "posv")
            host_close(a @ tl.cho_solve((c, True), b, device=device), b, "cho_solve")
            host_close(a @ tl.inv(a, device=device), np.eye(N, dtype=dtype), "inv")
            t = np.tril(a)
            host_close(t @ tl.solve_triangular(a, b, lower=True, device=device), b, "solve_triangular")
            host_close(tl.trmm(a, b, lower=True, device=device), t @ b, "trmm")
            host_close(tl.gemm(a, b, device=device), a @ b, "gemm")


def test_hosted_bits_are_the_same():
    a = host_positive(np.float64)
    want = tl.inv(a, device="cuda:0")
    for device in hosts():
        pinned = tl.hosted.empty((N, N), device=device)
        pinned[...] = a
        assert np.array_equal(tl.inv(pinned, device=device), want), f"{device}, pinned: other bits"
        assert np.array_equal(tl.inv(a, device=device), want), f"{device}: other bits"


def test_hosted_failures():
    a = host_positive(np.float64)
    a[999, 999] = -1
    for device in hosts():
        assert tl.cholesky(a, check=False, device=device)[1] == 1000
        try:
            tl.cholesky(a, device=device)
        except tl.LinAlgError as error:
            assert error.info == 1000
        else:
            raise AssertionError(f"{device}: no error")
