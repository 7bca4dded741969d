"""Arrays of other libraries: what they are for the package, and how a result becomes the caller's type again."""
import sys

import numpy as np

from .arrays import HOST, Space, convert, from_object

CPU = 1  # kDLCPU
CUDA_DEVICES = 2, 13  # kDLCUDA, kDLCUDAManaged


class Taken:
    """An argument: the array that computes, where it lives, and `give`, which makes the caller's type of a result."""

    __slots__ = ("array", "space", "give")

    def __init__(self, array, space, give):
        self.array = array
        self.space = space
        self.give = give


def unchanged(result):
    return result


def take(x, name, convert_type=True, host=HOST):
    """The argument as a NumPy array that shares the caller's memory, or as an array of a device.

    `host` is the space of arrays in host memory.
    """
    if type(x) is np.ndarray or isinstance(x, (np.ndarray, np.generic, list, tuple, int, float, complex)):
        a, space, give = from_object(x, name), host, unchanged
    elif lives_on_gpu(x, name):
        from . import cuda
        if host is not HOST:
            raise ValueError(f"{name} lives on a GPU, and device is for arrays in host memory")
        return cuda.take(x, name)
    elif hasattr(x, "__dlpack_device__"):
        kind = device_kind(x, name)
        if kind != CPU:
            raise ValueError(f"{name} lives on a device of DLPack's kind {int(kind)}, must live on the CPU or on a GPU")
        a, space, give = view_on_host(x, name), host, giver(x)
    else:
        a, space, give = from_object(x, name), host, unchanged
    return Taken(convert(a, name) if convert_type else a, space, give)


def lives_on_gpu(x, name):
    """Whether x is an array of a GPU."""
    # Tensors of PyTorch come first, because they raise if they are asked for an attribute that they cannot serve.
    if torch_tensor(x):
        return x.is_cuda
    if hasattr(x, "__cuda_array_interface__"):
        return True
    return hasattr(x, "__dlpack_device__") and device_kind(x, name) in CUDA_DEVICES


def no_memory(x, name, error):
    return TypeError(f"{name} of type {type(x).__name__} offers no memory by DLPack: {error}")


def device_kind(x, name):
    try:
        return x.__dlpack_device__()[0]
    except Exception as error:  # each library has its own, e.g. for arrays that were deleted or lie on several devices
        raise no_memory(x, name, error) from None


def view_on_host(x, name):
    if torch_tensor(x):
        if x.requires_grad:
            raise ValueError(f"{name} is a tensor that requires a gradient: call the function of the same name in "
                             "trigon_linalg.torch, or detach the tensor")
        from . import cuda

        return cuda.materialized(x).numpy()
    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as error:
        raise no_memory(x, name, error) from None


def torch_tensor(x):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def lean(*tensors):
    """The module small_device if all arguments are plain tensors of a GPU without gradients, else None."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    for x in tensors:
        if type(x) is not torch.Tensor or not x.is_cuda or x.requires_grad:
            return None
    from . import small_device
    return small_device


def giver(x):
    """A function that hands a NumPy array over to the library of x, without a copy."""
    if torch_tensor(x):
        return sys.modules["torch"].from_numpy
    if hasattr(x, "__array_namespace__"):
        namespace = x.__array_namespace__()
        if hasattr(namespace, "from_dlpack"):
            return namespace.from_dlpack
    module = sys.modules.get(type(x).__module__.partition(".")[0])
    return getattr(module, "from_dlpack", unchanged)


def take_all(*pairs, host=HOST):
    """Takes arguments that one call computes with. Returns their arrays, their space, and `give`."""
    taken = [take(x, name, host=host) for x, name in pairs]
    first = taken[0]
    for other, (_, name) in zip(taken[1:], pairs[1:]):
        if other.space is not first.space:
            raise ValueError(f"{name} lives on another device than {pairs[0][1]}")
    give = next((t.give for t in taken if t.give is not unchanged), unchanged)
    return [t.array for t in taken], first.space, give


def take_out(out, space):
    """The array behind `out`, which is written."""
    if isinstance(out, np.ndarray) and isinstance(space, Space):
        return out
    if not hasattr(out, "__dlpack_device__") and not hasattr(out, "__cuda_array_interface__"):
        raise TypeError(f"out is of type {type(out).__name__}, must be an array like the result")
    host = space if isinstance(space, Space) else HOST
    taken = take(out, "out", convert_type=False, host=host)
    if taken.space is not space:
        raise ValueError("out lives on another device than the arguments")
    return taken.array
