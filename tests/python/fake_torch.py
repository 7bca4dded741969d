"""As much of PyTorch as the package's way for single matrices of a GPU asks for, over NumPy arrays."""
import types

import numpy as np

torch = types.ModuleType("torch")
contiguous_format = object()


class Tensor:
    is_cuda, device = True, "cuda:0"

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
    __getitem__ = lambda self, key: Tensor(self.a[key])
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
torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0)
torch.library = types.SimpleNamespace(custom_op=lambda name, mutates_args: Operator)
