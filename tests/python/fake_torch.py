"""As much of PyTorch as the package's way for single matrices and ragged batches asks for, over NumPy arrays."""
import types

import numpy as np

torch = types.ModuleType("torch")
contiguous_format = object()


class Device:
    type, index = "cuda", 0


class Tensor:
    is_cuda, device = True, Device()

    def __init__(self, a, requires_grad=False):
        self.a = np.asarray(a)
        self.requires_grad = requires_grad
        self.shape, self.ndim, self.dtype = self.a.shape, self.a.ndim, self.a.dtype

    def stride(self):
        return tuple(s // self.a.itemsize for s in self.a.strides)

    def clone(self, memory_format=None):
        return Tensor(np.array(self.a, order="C" if memory_format else "K"))

    def masked_fill_(self, mask, value):
        np.copyto(self.a, value, where=mask.a)
        return self

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.a))

    def reshape(self, *shape):
        return Tensor(self.a.reshape(*shape))

    def __setitem__(self, key, value_):
        self.a[value(key)] = value(value_)

    def copy_(self, other):
        self.a[...] = other.a

    element_size = lambda self: self.a.itemsize
    storage_offset = lambda self: 0
    resolve_neg = pin_memory = cpu = lambda self: self
    numpy = lambda self: self.a
    to = lambda self, kind, non_blocking=False: self if isinstance(kind, str) else Tensor(self.a.astype(kind))
    double = lambda self: Tensor(self.a.astype("f8"))
    abs = lambda self: Tensor(np.abs(self.a))
    cumsum = lambda self, dim: Tensor(self.a.cumsum(dim))
    clip = lambda self, low, high: Tensor(self.a.clip(low, high))
    masked_fill = lambda self, mask, x: Tensor(np.where(mask.a, x, self.a))

    def log(self):
        with np.errstate(all="ignore"):
            return Tensor(np.log(self.a))

    data_ptr = lambda self: self.a.__array_interface__["data"][0]
    get_device = lambda self: 0
    is_conj = is_neg = lambda self: False
    is_complex = lambda self: self.dtype.kind == "c"
    item = lambda self: self.a.item()
    tril = lambda self: Tensor(np.tril(self.a))
    triu = lambda self: Tensor(np.triu(self.a))
    diagonal = lambda self: Tensor(np.diagonal(self.a))
    all = lambda self: Tensor(self.a.all())
    min = lambda self: Tensor(self.a.min())
    detach = lambda self: Tensor(self.a)
    mT = property(lambda self: Tensor(self.a.T))
    mH = property(lambda self: Tensor(self.a.conj().T))
    conj_physical = lambda self: Tensor(self.a.conj())
    __getitem__ = lambda self, key: Tensor(self.a[value(key)])
    __len__ = lambda self: len(self.a)
    __hash__ = object.__hash__
    __add__ = lambda self, other: Tensor(self.a + value(other))
    __sub__ = lambda self, other: Tensor(self.a - value(other))
    __mul__ = lambda self, other: Tensor(self.a * value(other))
    __gt__ = lambda self, other: Tensor(self.a > value(other))
    __lt__ = lambda self, other: Tensor(self.a < value(other))
    __bool__ = lambda self: bool(self.a)
    __int__ = lambda self: int(self.a)
    __eq__ = lambda self, other: Tensor(self.a == value(other))
    __ne__ = lambda self, other: Tensor(self.a != value(other))
    __ge__ = lambda self, other: Tensor(self.a >= value(other))
    __le__ = lambda self, other: Tensor(self.a <= value(other))
    __mod__ = lambda self, other: Tensor(self.a % value(other))


def value(x):
    return x.a if isinstance(x, Tensor) else x


class Operator:
    """A custom operator whose gradient nobody asks for."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments):
        return self.function(*arguments)

    def register(self, *_, **__):
        return None

    register_fake = register_autograd = register_vmap = register


torch.Tensor = Tensor
torch.float32, torch.float64, torch.complex64, torch.complex128, torch.int64 = map(np.dtype, ("f4", "f8", "c8", "c16",
                                                                                              "i8"))
torch.contiguous_format = contiguous_format
torch.isfinite = lambda x: Tensor(np.isfinite(x.a))
torch.empty = lambda shape, dtype, device: Tensor(np.full(shape, -7, dtype))
torch.zeros = lambda shape, dtype, device: Tensor(np.zeros(shape, dtype))
torch.arange = lambda *bounds, device: Tensor(np.arange(*bounds))
torch.where = lambda c, x, y: Tensor(np.where(c.a, value(x), value(y)))
torch.from_numpy = Tensor
torch.concatenate = lambda tensors: Tensor(np.concatenate([x.a for x in tensors]))
torch.searchsorted = lambda x, y: Tensor(np.searchsorted(x.a, y.a))
torch.as_strided = lambda x, shape, steps, start: Tensor(np.lib.stride_tricks.as_strided(
    x.a[start:], shape, [step * x.a.itemsize for step in steps]))
torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0)
torch.library = types.SimpleNamespace(custom_op=lambda name, mutates_args: Operator)
