"""The keyword `device`: GPUs compute NumPy arrays. The simulated GPU stands in for real ones."""
import gc
import os
import signal
import time
import weakref

import numpy as np
import pytest
import scipy.linalg as sl

import trigon_linalg as tl
from trigon_linalg import calls, contexts, hosted, library

from simulated_gpu import folder
from support import in_threads

pytestmark = pytest.mark.skipif(folder() is None, reason="no plugin of the simulated GPU")

ONE, TWO = "sim:0", "sim:0-1"
N = 530  # from 512 on the GPUs compute


@pytest.fixture(autouse=True)
def memory_of_gpus():
    yield
    for device in (ONE, TWO):
        hosted.release(device)


def matrix(rows, columns, dtype, seed=1):
    generator = np.random.default_rng(seed)
    a = generator.standard_normal((rows, columns))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * generator.standard_normal((rows, columns))
    return a.astype(dtype)


def positive(n, dtype, seed=1):
    a = matrix(n, n, dtype, seed)
    return a @ a.conj().T / n + np.eye(n, dtype=dtype)


def triangle(n, dtype, seed=2):
    return matrix(n, n, dtype, seed) / n + 2 * np.eye(n, dtype=dtype)


def close(got, due, a, bound=None):
    """The difference is small, relative to the largest element, for the precision of `a`."""
    assert got.shape == due.shape
    bound = bound or 30 * N * np.finfo(a.dtype).eps
    assert np.abs(got - due).max() <= bound * max(1, np.abs(due).max())


def moved(device):
    """The bytes that crossed the link to the GPUs and back, since the last question."""
    counts = hosted.traffic(device)
    return counts["in"] + counts["out"]


@pytest.mark.parametrize("dtype, lower", [(np.float32, True), (np.float64, False), (np.complex64, False),
                                          (np.complex128, True)])
def test_factors(dtype, lower):
    a = positive(N, dtype)
    before = a.copy()
    due = sl.cholesky(a.astype(np.result_type(dtype, np.float64)), lower=lower)
    moved(TWO)
    close(tl.cholesky(a, lower, device=TWO), due, a)
    assert moved(TWO) > 0, "no GPU has computed"
    c, low = tl.cho_factor(np.asfortranarray(a), lower, device=TWO)
    assert low == lower
    close(np.tril(c) if lower else np.triu(c), due, a)
    assert np.array_equal(a, before)
    assert tl.logdet(a, lower, device=TWO) == pytest.approx(np.linalg.slogdet(a)[1], rel=1e-5)


@pytest.mark.parametrize("dtype, order", [(np.float32, "F"), (np.float64, "C"), (np.complex64, "F"),
                                          (np.complex128, "C")])
def test_solves_and_inverses(dtype, order):
    a = np.array(positive(N, dtype), order=order)
    b = np.array(matrix(N, 40, dtype, 3), order=order)
    wide = np.result_type(dtype, np.float64)
    due = np.linalg.solve(a.astype(wide), b.astype(wide))
    moved(TWO)
    close(tl.posv(a, b, device=TWO), due, a)
    assert moved(TWO) > 0
    factor = tl.cho_factor(a, device=TWO)
    close(tl.cho_solve(factor, b, device=TWO), due, a)
    close(tl.cho_solve(factor, b[:, 0].copy(), device=TWO), due[:, 0], a)
    inverse = np.linalg.inv(a.astype(wide))
    close(tl.inv(a, device=TWO), inverse, a)
    close(tl.cholesky_inverse(factor, device=TWO), inverse, a)


@pytest.mark.parametrize("dtype, lower, trans", [(np.float64, False, 0), (np.float64, True, 1), (np.complex64, False, 2),
                                                 (np.complex64, True, 0)])
def test_triangles(dtype, lower, trans):
    a, b = triangle(N, dtype), matrix(N, 70, dtype, 3)
    t = (np.tril if lower else np.triu)(a)
    op = {0: t, 1: t.T, 2: t.conj().T}[trans]
    moved(ONE)
    close(tl.solve_triangular(a, b, trans, lower, device=ONE), np.linalg.solve(op, b), t)
    close(tl.trmm(a, b, trans=trans, lower=lower, device=ONE), op @ b, t)
    close(tl.trmm(a, b.T.copy(), side=1, trans=trans, lower=lower, device=ONE), b.T @ op, t)
    assert moved(ONE) > 0
    close(tl.inv(a, assume_a="lower triangular" if lower else "upper triangular", device=ONE), np.linalg.inv(t), t)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_products(dtype):
    a, b, c = (matrix(N, N, dtype, seed) for seed in (1, 2, 3))
    moved(TWO)
    close(tl.gemm(a, b, 2, 0.5, c, trans_a="C", device=TWO), 2 * a.conj().T @ b + 0.5 * c, a)
    close(np.tril(tl.syrk(a, lower=True, hermitian=True, device=TWO)), np.tril(a @ a.conj().T), a)
    h = np.tril(a) + np.tril(a, -1).conj().T
    h[range(N), range(N)] = h.diagonal().real
    close(tl.symm(h, b, lower=True, hermitian=True, device=TWO), h @ b, a)
    assert moved(TWO) > 0


def test_same_bits_for_all_numbers_of_gpus():
    a, b = positive(N, np.float64), matrix(N, 64, np.float64)
    assert np.array_equal(tl.posv(a, b, device=ONE), tl.posv(a, b, device=TWO))
    assert np.array_equal(tl.inv(a, device=ONE), tl.inv(a, device="sim:0-3"))
    hosted.release("sim:0-3")


def test_results_in_the_callers_memory():
    a = positive(N, np.float64)
    due = sl.cholesky(a, lower=True)
    out = np.full((N, N), np.nan)
    assert tl.cholesky(a, True, out=out, device=TWO) is out
    close(out, due, a)
    own = a.copy()
    c = tl.cholesky(own, True, overwrite_a=True, device=TWO)
    assert np.shares_memory(c, own)
    close(own, due, a)
    b = matrix(N, 40, np.float64)
    x = b.copy()
    assert np.shares_memory(tl.cho_solve((c, True), x, overwrite_b=True, device=TWO), x)
    close(x, np.linalg.solve(a, b), a)


def test_failures():
    a = positive(N, np.float64)
    a[399, 399] = -1
    with pytest.raises(tl.LinAlgError, match="400-th leading minor") as error:
        tl.cholesky(a, device=TWO)
    assert error.value.info == 400
    assert tl.cholesky(a, check=False, device=TWO)[1] == 400
    x, info = tl.posv(a, matrix(N, 40, np.float64), check=False, device=TWO)
    assert info == 400 and np.isnan(x).all()
    nearly = np.ones((N, N))
    close(tl.cholesky(nearly, True, jitter=1e-6, device=TWO)[:, 0], np.ones(N), nearly, 1e-4)
    t = triangle(N, np.float64)
    t[9, 9] = 0
    with pytest.raises(tl.LinAlgError, match="diagonal 9"):
        tl.solve_triangular(t, np.ones((N, 40)), device=TWO)
    with pytest.raises(ValueError, match="infs or NaNs"):
        tl.cholesky(np.full((N, N), np.nan), device=TWO)


def test_stacks_and_small_matrices_are_computed_by_the_cpu():
    stack = np.stack([positive(5, np.float64, seed) for seed in range(4)])
    moved(TWO)
    close(tl.cholesky(stack, True, device=TWO), np.linalg.cholesky(stack), stack[0])
    close(tl.inv(stack[0], device=TWO), np.linalg.inv(stack[0]), stack[0])
    assert moved(TWO) == 0


CALLS = {
    "cholesky": lambda device: tl.cholesky(np.eye(3), device=device),
    "cho_factor": lambda device: tl.cho_factor(np.eye(3), device=device),
    "cho_solve": lambda device: tl.cho_solve((np.eye(3), True), np.ones(3), device=device),
    "posv": lambda device: tl.posv(np.eye(3), np.ones(3), device=device),
    "solve_triangular": lambda device: tl.solve_triangular(np.eye(3), np.ones(3), device=device),
    "inv": lambda device: tl.inv(np.eye(3), device=device),
    "inv of a triangle": lambda device: tl.inv(np.eye(3), assume_a="lower triangular", device=device),
    "cholesky_inverse": lambda device: tl.cholesky_inverse(np.eye(3), device=device),
    "logdet": lambda device: tl.logdet(np.eye(3), device=device),
    "gemm": lambda device: tl.gemm(np.eye(3), np.eye(3), device=device),
    "symm": lambda device: tl.symm(np.eye(3), np.eye(3), device=device),
    "syrk": lambda device: tl.syrk(np.eye(3), device=device),
    "trmm": lambda device: tl.trmm(np.eye(3), np.eye(3), device=device),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_names(call):
    for wrong in ("gpu", "cuda", "cuda:x", "sim:0-", "sim:0:device", "cpu:libblis.so.4", 0, b"sim:0"):
        with pytest.raises(ValueError, match="device is"):
            call(wrong)
    with pytest.raises(RuntimeError, match="context 'sim:99:host'"):
        call("sim:99")
    with pytest.raises(ValueError, match="context 'sim:0:host.nothing=1'"):
        call("sim:0?nothing=1")
    call("cpu")
    with pytest.raises(ValueError, match="device is"):
        tl.logdet((np.eye(3), True), device="nothing")
    call("sim:0:host?seed=3")
    hosted.release("sim:0?seed=3")


def test_what_a_device_cannot_take():
    eyes = [np.eye(2), np.eye(3)]
    for call in (lambda: tl.cholesky(eyes, device=ONE), lambda: tl.cho_factor(eyes, device=ONE),
                 lambda: tl.posv(eyes, [np.ones(2), np.ones(3)], device=ONE), lambda: tl.inv(eyes, device=ONE),
                 lambda: tl.inv(eyes, assume_a="lower triangular", device=ONE),
                 lambda: tl.cholesky_inverse(eyes, device=ONE), lambda: tl.logdet(eyes, device=ONE),
                 lambda: tl.cho_solve((eyes, True), [np.ones(2), np.ones(3)], device=ONE),
                 lambda: tl.solve_triangular(eyes, [np.ones(2), np.ones(3)], device=ONE)):
        with pytest.raises(ValueError, match="must be None for a ragged batch"):
            call()


def test_pinned_memory():
    a = positive(N, np.float64)
    pinned = hosted.empty((N, N), order="F", device=TWO)
    assert pinned.flags.f_contiguous and pinned.dtype == np.float64
    pinned[...] = a
    part = pinned[:, :10]
    c = tl.cholesky(pinned, True, overwrite_a=True, device=TWO)
    assert np.shares_memory(c, pinned)
    assert np.array_equal(c, tl.cholesky(a, True, device=TWO)), "other bits than in pageable memory"
    hosted.release(TWO)
    del pinned, c
    gc.collect()
    assert part[0, 0] == pytest.approx(np.sqrt(a[0, 0])), "the memory is gone before its last array"
    assert hosted.empty((0, 3), np.complex64, device=ONE).shape == (0, 3)
    assert hosted.empty(4, device=ONE).shape == (4,)
    with pytest.raises(TypeError, match="dtype is int32"):
        hosted.empty(3, np.int32, device=ONE)
    for wrong in ("cpu", None):
        with pytest.raises(ValueError, match="must be GPUs"):
            hosted.empty(3, device=wrong)
    with pytest.raises(ValueError):
        hosted.empty(-3, device=ONE)


def test_pinned_memory_is_not_staged():
    a = positive(N, np.float64)
    pinned = hosted.empty((N, N), device=ONE)
    nothing_to_pin = "sim:3?fail=pin:1"  # another device: what fails belongs to the device
    with pytest.raises((MemoryError, RuntimeError)):
        tl.cholesky(a, True, device=nothing_to_pin)
    hosted.release(nothing_to_pin)
    pinned[...] = a
    c = tl.cholesky(pinned, True, overwrite_a=True, device=nothing_to_pin)
    hosted.release(nothing_to_pin)
    close(c, np.linalg.cholesky(a), a)


def test_pinned_memory_is_freed_once(monkeypatch):
    freed = []
    free = library.free
    monkeypatch.setattr(library, "free", lambda context, memory: freed.append(free(context, memory)) or 0)
    array = hosted.empty(100, device=ONE)
    part = array[10:20]
    del array
    gc.collect()
    assert not freed
    del part
    gc.collect()
    assert freed == [0]


def test_an_interrupt_waits_for_the_context(monkeypatch):
    waited = []
    routines = calls.ROUTINES["d"]
    potrf = routines.potrf

    def interrupted(*arguments):
        potrf(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(routines, "potrf", interrupted)
    finish = calls.finish
    monkeypatch.setattr(calls, "finish", lambda *arguments: waited.append(finish(*arguments)) or 0)
    with pytest.raises(KeyboardInterrupt):
        tl.cholesky(positive(N, np.float64), device=ONE)
    assert waited == [0]


def test_a_child_of_fork_computes_and_ends():
    a = positive(N, np.float64)
    pinned = hosted.empty(3, device=ONE)
    tl.cholesky(a, device=ONE)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            assert "sim:0:host" not in contexts.local.others
            close(tl.cholesky(a[:9, :9].copy(), True), np.linalg.cholesky(a[:9, :9]), a)
            del pinned
            gc.collect()
            status = 0
        finally:
            os._exit(status)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert status == 0
    assert "sim:0:host" in contexts.local.others and pinned.size == 3


def test_threads_of_the_cpu():
    tl.set_threads(1)
    try:
        stack = np.stack([positive(5, np.float64)] * 4)
        close(tl.cholesky(stack, True, device=ONE), np.linalg.cholesky(stack), stack)
        assert contexts.local.others["sim:0:host"].generation == contexts.generation
    finally:
        tl.set_threads(0)


def test_pinned_memory_that_another_thread_drops():
    arrays = [hosted.empty((50, 50), device=ONE) for _ in range(8)]
    errors = []

    def drop():
        try:
            arrays.pop()
            hosted.empty((20, 20), device=ONE)[...] = 1
        except Exception as error:  # the thread cannot raise it
            errors.append(error)

    in_threads(drop, 8)
    assert not errors and not arrays


def test_caps():
    a = positive(1100, np.float64)
    hosted.set_workspace(14 << 20, device=ONE)  # six tiles of 512 × 512; the whole matrix has nine
    close(tl.cholesky(a, True, device=ONE), np.linalg.cholesky(a), a)
    counts = hosted.traffic(ONE)
    assert counts["in"] > 1100 * 1101 * 4 and counts["between"] == 0
    hosted.set_workspace(1 << 20, device=ONE)
    with pytest.raises(MemoryError):
        tl.cholesky(a, True, device=ONE)
    with pytest.raises(ValueError, match="bytes"):
        hosted.set_workspace(-1, device=ONE)


def test_a_lost_gpu():
    lost = "sim:0?fail=lost:300"
    with pytest.raises(RuntimeError):
        for _ in range(20):
            tl.cholesky(positive(N, np.float64), device=lost)
    hosted.release(lost)


def test_threads_have_contexts_of_their_own():
    a, results = positive(N, np.float64), []

    def work():
        results.append(tl.cholesky(a, True, device=ONE))
        hosted.release(ONE)

    in_threads(work, 3)
    assert len(results) == 3 and all(np.array_equal(c, results[0]) for c in results)


def test_release_frees_the_context():
    tl.cholesky(positive(N, np.float64), device=ONE)
    context = weakref.ref(contexts.local.others["sim:0:host"])
    hosted.release(ONE)
    hosted.release(ONE)
    gc.collect()
    assert context() is None and "sim:0:host" not in contexts.local.others


def test_emulated_products():
    a, b = positive(N, np.float64), matrix(N, N, np.float64)
    with tl.set_fp64("int8", device="sim:0:host"):
        close(tl.gemm(a, b, device=ONE), a @ b, a)
        assert tl.last_fp64(device="sim:0:host")["emulated"] > 0


def test_the_eigensolver_of_the_cpu_alone_is_told():
    a = positive(5, np.float64)
    for function in (tl.eigh, tl.eigvalsh):
        with pytest.raises(NotImplementedError, match="this context has no eigensolver yet"):
            function(a, device=ONE)
    assert np.allclose(tl.eigvalsh(a, device="cpu"), np.linalg.eigvalsh(a))
