"""Arrays of NVIDIA GPUs: tensors of PyTorch, arrays of CuPy, and everything that CuPy can wrap.

A call runs in the caller's current stream. Results and infos are allocated by the caller's library. The rest of the
package sees a DeviceArray, which looks like a NumPy array as far as the package looks.
"""
import math
import sys
from types import SimpleNamespace

import numpy as np

from . import arrays, contexts
from .arrays import LETTERS

SPACES = {}


class DeviceArray:
    """An array of a GPU behind the attributes of NumPy's that the package reads. Strides count bytes."""

    def __init__(self, owner, module):
        self.owner = owner
        self.module = module
        self.shape = tuple(owner.shape)
        self.ndim = len(self.shape)
        self.size = int(np.prod(self.shape))
        self.dtype = module.dtype(owner)
        self.itemsize = self.dtype.itemsize
        self.strides = module.strides(owner)
        self.pointer = module.pointer(owner)
        self.flags = SimpleNamespace(aligned=self.pointer % self.itemsize == 0, writeable=True)

    def __getitem__(self, key):
        return DeviceArray(self.owner[key], self.module)

    def __setitem__(self, key, value):
        self.owner[key] = value

    def astype(self, dtype):
        return DeviceArray(self.module.astype(self.owner, dtype), self.module)


def materialized(x):
    """The tensor with the conjugation and the negation that PyTorch has put off.

    Where PyTorch traces an operator, resolve_conj() would drop the conjugation.
    """
    x = x.resolve_neg()
    return x.conj().conj_physical() if x.is_conj() else x


class Torch:
    """What the package asks of PyTorch."""

    def __init__(self):
        self.torch = torch = sys.modules["torch"]
        self.types = {torch.float32: "f4", torch.float64: "f8", torch.complex64: "c8", torch.complex128: "c16"}
        self.native = {np.dtype(name): kind for kind, name in self.types.items()}
        self.native[np.dtype("i8")] = torch.int64
        self.namespace = torch

    def dtype(self, x):
        if x.dtype not in self.types:
            raise TypeError(f"a tensor has dtype {x.dtype}, must be float32, float64, complex64 or complex128")
        return np.dtype(self.types[x.dtype])

    def plain(self, x, name):
        if x.requires_grad:
            raise ValueError(f"{name} is a tensor that requires a gradient: call the function of the same name in "
                             "trigon_linalg.torch, or detach the tensor")
        return materialized(x)

    def is_own(self, x):
        return True

    def is_read_only(self, x):
        return False

    def device(self, x):
        return x.device.index or 0

    def strides(self, x):
        return tuple(s * x.element_size() for s in x.stride())

    def pointer(self, x):
        return x.data_ptr()

    def stream(self, device):
        from .small_device import is_capturing, raw_stream
        stream = raw_stream(device)
        return stream, stream != 0 and is_capturing(device)

    def astype(self, x, dtype):
        return x.to(self.native[dtype])

    def zeros(self, shape, dtype, device):
        return self.torch.zeros(shape, dtype=self.native[dtype], device=f"cuda:{device}")

    def upload(self, array, device):
        # From pinned memory, which PyTorch keeps until the copy has ended: so nobody waits.
        return self.torch.from_numpy(array).pin_memory().to(f"cuda:{device}", non_blocking=True)

    def are_plain(self, arrays, device):
        """Whether the tensors need no plain(), and live on this device."""
        if set(map(type, arrays)) != {self.torch.Tensor}:
            return False
        kinds = {(x.device, x.dtype, x.requires_grad, x.is_conj(), x.is_neg()) for x in arrays}
        return all(x.type == "cuda" and x.index == device and dtype in self.types and not any(put_off)
                   for x, dtype, *put_off in kinds)

    def views(self, buffer, starts, shapes):
        """Row-major matrices and vectors that begin at `starts` in a buffer."""
        view, begin = self.torch.as_strided, buffer.storage_offset()
        return [view(buffer, shape, (1,) if len(shape) == 1 else (shape[1], 1), begin + start)
                for shape, start in zip(shapes, starts)]

    def clone(self, x):
        return x.clone()

    def copy(self, to, source):
        to.copy_(source)

    def broadcast(self, x, shape):
        return self.torch.broadcast_to(x, shape)

    def finite(self, x):
        return bool(self.torch.isfinite(x).all())

    def on_host(self, x):
        return x.cpu().numpy()

    def diagonal(self, x):
        return x.diagonal(dim1=-2, dim2=-1)

    def swapped(self, x):
        return x.mT

    def keep_triangle(self, x, lower):
        x.tril_() if lower else x.triu_()

    def conjugate(self, x):
        x.conj_physical_()

    def mirror(self, x, lower):
        strict = x.tril(-1) if lower else x.triu(1)
        x.copy_((x.tril() if lower else x.triu()) + strict.mT.conj_physical())

    def log_abs(self, x):
        return x.abs().double().log()

    def spoil(self, x, failed):
        x.masked_fill_(failed[..., None, None], float("nan"))

    def nan_where(self, failed, x):
        return x.masked_fill(failed, float("nan"))


class Cupy:
    """What the package asks of CuPy."""

    def __init__(self):
        try:
            import cupy
        except ImportError:
            raise ImportError("arrays of a GPU that are no tensors of PyTorch need CuPy") from None
        self.cupy = self.namespace = cupy

    def dtype(self, x):
        if x.dtype not in LETTERS:
            raise TypeError(f"an array has dtype {x.dtype}, must be float32, float64, complex64 or complex128")
        return x.dtype

    def plain(self, x, name):
        return self.cupy.asarray(x)

    def is_own(self, x):
        return isinstance(x, self.cupy.ndarray)

    def is_read_only(self, x):
        """Whether the array is another library's that may not be written. CuPy would not notice."""
        return not self.is_own(x) and bool(getattr(x, "__cuda_array_interface__", {}).get("data", (0, False))[1])

    def device(self, x):
        return x.device.id

    def strides(self, x):
        return x.strides

    def pointer(self, x):
        return x.data.ptr

    def stream(self, device):
        with self.cupy.cuda.Device(device):
            stream = self.cupy.cuda.get_current_stream()
            return stream.ptr, stream.ptr not in (0, 1) and stream.is_capturing()

    def astype(self, x, dtype):
        return x.astype(dtype)

    def zeros(self, shape, dtype, device):
        with self.cupy.cuda.Device(device):
            return self.cupy.zeros(shape, dtype)

    def upload(self, array, device):
        with self.cupy.cuda.Device(device):
            return self.cupy.asarray(array)  # through pinned memory of CuPy's: nobody waits

    def are_plain(self, arrays, device):
        """Whether the arrays need no plain(), and live on this device."""
        return (set(map(type, arrays)) == {self.cupy.ndarray} and {x.device.id for x in arrays} == {device} and
                {x.dtype for x in arrays} <= LETTERS.keys())

    def views(self, buffer, starts, shapes):
        """Row-major matrices and vectors that begin at `starts` in a buffer."""
        return [buffer[start:start + math.prod(shape)].reshape(shape) for shape, start in zip(shapes, starts)]

    def clone(self, x):
        return x.copy()

    def copy(self, to, source):
        to[...] = source

    def broadcast(self, x, shape):
        return self.cupy.broadcast_to(x, shape)

    def finite(self, x):
        return bool(self.cupy.isfinite(x).all())

    def on_host(self, x):
        return self.cupy.asnumpy(x)

    def diagonal(self, x):
        return self.cupy.diagonal(x, axis1=-2, axis2=-1)

    def swapped(self, x):
        return x.swapaxes(-1, -2)

    def keep_triangle(self, x, lower):
        x[...] = self.cupy.tril(x) if lower else self.cupy.triu(x)

    def conjugate(self, x):
        self.cupy.conjugate(x, out=x)

    def mirror(self, x, lower):
        strict = self.cupy.tril(x, -1) if lower else self.cupy.triu(x, 1)
        half = self.cupy.tril(x) if lower else self.cupy.triu(x)
        x[...] = half + strict.swapaxes(-1, -2).conj()

    def log_abs(self, x):
        return self.cupy.log(abs(x).astype(np.float64))

    def spoil(self, x, failed):
        x[self.cupy.broadcast_to(failed, x.shape[:-2])] = np.nan

    def nan_where(self, failed, x):
        return self.cupy.where(failed, np.nan, x)


class DeviceSpace:
    """The memory of one GPU as one library allocates it: the counterpart of arrays.Space."""

    waits = False

    def __init__(self, module, device):
        self.module = module
        self.device = device
        self.batches = None  # what ragged batches need, which device_batches.py puts here

    def context(self):
        """The thread's context of the GPU, which runs later calls in the caller's current stream."""
        stream, is_captured = self.module.stream(self.device)
        return contexts.on_stream(f"cuda:{self.device}", stream, is_captured)

    def wrap(self, owner):
        return DeviceArray(owner, self.module)

    def operand(self, a, prefer_row, writable):
        return arrays.operand(a, prefer_row, writable, lambda x: x.pointer)

    def input_operand(self, a, prefer_row=True):
        return self.operand(a, prefer_row, False) or self.operand(self.own(a, a.shape, "C"), prefer_row, False)

    def empty(self, shape, dtype, order):
        if order == "C":
            return self.wrap(self.module.zeros(shape, dtype, self.device))
        owner = self.module.zeros((*shape[:-2], shape[-1], shape[-2]), dtype, self.device)
        return self.wrap(self.module.swapped(owner))

    def own(self, a, shape=None, order="K"):
        column_major = a.ndim > 1 and a.strides[-1] != a.itemsize == a.strides[-2]
        copy = self.empty(shape or a.shape, a.dtype, "F" if order == "F" or (order == "K" and column_major) else "C")
        self.module.copy(copy.owner, a.owner)
        return copy

    def copy(self, to, source):
        self.module.copy(to.owner, source.owner)

    def broadcast(self, a, shape):
        return a if a.shape == tuple(shape) else self.wrap(self.module.broadcast(a.owner, shape))

    def require_finite(self, a, name):
        if not self.module.finite(a.owner):
            raise ValueError(f"{name} must not contain infs or NaNs")

    def require_out(self, out, shape, dtype, inputs=()):
        if out.shape != tuple(shape):
            raise ValueError(f"out has shape {out.shape}, must be {tuple(shape)}")
        if out.dtype != dtype:
            raise TypeError(f"out has dtype {out.dtype}, must be {dtype}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        for name, a in inputs:
            if not self.same_memory(out, a) and self.overlaps(out, a):
                raise ValueError(f"out overlaps {name}")

    def same_memory(self, a, b):
        return a is b or (a.pointer, a.shape, a.strides) == (b.pointer, b.shape, b.strides)

    def overlaps(self, a, b):
        """Whether the ranges of addresses overlap; arrays that are interleaved count, too."""
        ranges = []
        for x in (a, b):
            low = sum(min(0, (n - 1) * step) for n, step in zip(x.shape, x.strides))
            high = sum(max(0, (n - 1) * step) for n, step in zip(x.shape, x.strides)) + x.itemsize
            ranges.append((x.pointer + low, x.pointer + high))
        return bool(a.size and b.size) and ranges[0][0] < ranges[1][1] and ranges[1][0] < ranges[0][1]

    def zeros_on_diagonal(self, a):
        zeros = self.module.on_host(self.module.diagonal(a.owner) == 0)
        if not zeros.shape[-1]:
            return np.zeros(zeros.shape[:-1], np.int64)
        return np.where(zeros.any(axis=-1), zeros.argmax(axis=-1) + 1, 0)

    def clear_other_triangle(self, a, lower):
        self.module.keep_triangle(a.owner, lower)

    def conjugate_in_place(self, a):
        self.module.conjugate(a.owner)

    def swapped(self, a):
        """The matrices' transposes, in the same memory."""
        return self.wrap(self.module.swapped(a.owner))

    def mirror(self, a, lower):
        self.module.mirror(a.owner, lower)

    def add_to_diagonal(self, a, value):
        diagonal = self.module.diagonal(a.owner) + value
        n = a.shape[-1]
        a.owner[..., range(n), range(n)] = diagonal

    def logdet(self, factor):
        return self.wrap(2 * self.module.log_abs(self.module.diagonal(factor.owner)).sum(-1))

    def nan_where(self, failed, x):
        return self.wrap(self.module.nan_where(failed, x.owner))

    def infos(self, count):
        array = self.module.zeros((count,), np.dtype(np.int64), self.device)
        return array, self.module.pointer(array)

    def on_host(self, infos):
        return self.module.on_host(infos)

    def told(self, infos, shape):
        """The infos stay on the GPU, so that nobody waits."""
        return infos.reshape(shape)

    def spoil(self, x, infos, batch):
        self.module.spoil(x.owner, (infos != 0).reshape(batch))


def take(x, name):
    """The argument as a DeviceArray, with its space."""
    from .dlpack import Taken, giver, torch_tensor, unchanged
    kind = "torch" if torch_tensor(x) else "cupy"
    if kind not in SPACES:
        SPACES[kind] = {"torch": Torch, "cupy": Cupy}[kind](), {}
    module, spaces = SPACES[kind]
    try:
        array = DeviceArray(module.plain(x, name), module)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    device = module.device(array.owner)
    if device not in spaces:
        spaces[device] = DeviceSpace(module, device)
    array.flags.writeable = not module.is_read_only(x)
    give = unchanged if module.is_own(x) else giver(x)
    return Taken(array, spaces[device], lambda result: give(result.owner))
