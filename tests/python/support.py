"""What the tests of the Python package share: matrices, layouts, and residuals in higher precision."""
import threading

import numpy as np

DTYPES = np.float32, np.float64, np.complex64, np.complex128


def seeded(*seed):
    return np.random.default_rng([20240, *seed])


def general(random, shape, dtype):
    a = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * random.standard_normal(shape)
    return a.astype(dtype)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def spd(random, n, dtype, batch=()):
    a = general(random, (*batch, n, n), dtype)
    return (a @ adjoint(a) + n * np.eye(n)).astype(dtype)


def triangle(random, n, dtype, lower, batch=()):
    """A triangle of a moderate condition, with rubbish in the other triangle."""
    a = general(random, (*batch, n, n), dtype) / max(1, n)
    return (a + 2 * np.eye(n)).astype(dtype)


def cut(a, lower, unit=False):
    """The triangle alone, with zeros in the other."""
    t = np.tril(a) if lower else np.triu(a)
    if unit:
        n = a.shape[-1]
        t[..., range(n), range(n)] = 1
    return t


def half(a, lower):
    """The triangle that counts, with NaN in the other one."""
    other = ~np.tri(a.shape[-1], dtype=bool)
    return np.where(other if lower else np.swapaxes(other, -1, -2), np.nan, a).astype(a.dtype)


def in_threads(function, count):
    """Runs the function in so many threads at once, and waits for them."""
    threads = [threading.Thread(target=function) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wide(a):
    return a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)


def apply(a, op):
    return a if op == 0 else np.swapaxes(a, -1, -2) if op == 1 else adjoint(a)


def close(got, want, dtype, factor=30):
    """Whether the difference is a small multiple of n·u·‖want‖."""
    if got.size == 0:
        return got.shape == want.shape
    u = np.finfo(dtype).eps / 2
    n = max(got.shape[-2:]) if got.ndim > 1 else len(got)
    scale = float(np.abs(want).max())
    return got.shape == want.shape and float(np.abs(wide(got) - want).max()) <= factor * max(n, 2) * u * max(scale, 1)


def layouts(a):
    """The same values in different memory: C, F, a part of a larger array, reversed strides, read-only, unaligned."""
    yield "C", np.array(a, order="C")
    fortran = np.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype).swapaxes(-1, -2)
    fortran[...] = a
    yield "F", fortran
    larger = np.full((*a.shape[:-2], a.shape[-2] + 3, a.shape[-1] + 2), np.nan, a.dtype)
    part = larger[..., 1:-2, 1:-1]
    part[...] = a
    yield "part", part
    apart = np.full((*a.shape[:-1], 2 * a.shape[-1]), np.nan, a.dtype)[..., ::2]
    apart[...] = a
    yield "every second", apart
    backwards = np.empty_like(a)[..., ::-1, ::-1]
    backwards[...] = a
    yield "reversed", backwards
    constant = np.array(a)
    constant.flags.writeable = False
    yield "read-only", constant
    raw = np.empty(a.nbytes + 1, np.uint8)[1:]
    unaligned = raw.view(a.dtype).reshape(a.shape)
    unaligned[...] = a
    yield "unaligned", unaligned
    yield "other bytes", a.astype(a.dtype.newbyteorder())
