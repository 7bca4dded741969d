"""The keyword `device`: GPUs compute arrays that live in host memory, and that may be larger than the GPUs' memory.

The context moves the data (docs/hosted.md in the project).
"""
import ctypes
import math
import re
import threading
import weakref

import numpy as np

from . import contexts, library
from .arrays import HOST, LETTERS, Space

NAME = re.compile(r"((?:cuda|hip|sim):\d+)(:host|-\d+)?(\?.*)?")


class HostedSpace(Space):
    """Host memory whose matrices a context of GPUs computes."""

    waits = True  # calls of the context return before they are done

    def __init__(self, name):
        self.name = name

    def context(self):
        return contexts.named_on_host(self.name)


CPU = Space()  # not HOST: arrays that live on a GPU are refused
spaces = {}


def space_of(device):
    """The space of arrays in host memory that `device` computes. None: the CPU."""
    if device is None:
        return HOST
    if device == "cpu":
        return CPU
    match = NAME.fullmatch(device) if isinstance(device, str) else None
    if match is None:
        raise ValueError(f"device is {device!r}, must be 'cpu', one GPU like 'cuda:0', or several like 'cuda:0-1'")
    gpus, tail, options = match.groups(default="")
    name = gpus + (tail or ":host") + options
    return spaces.setdefault(name, HostedSpace(name))


def require_no_device(device, what):
    """Refuses `device` for arguments that only one device can compute."""
    if device is not None:
        raise ValueError(f"device is {device!r}, must be None for {what}")


def gpus_of(device):
    space = space_of(device)
    if not isinstance(space, HostedSpace):
        raise ValueError(f"device is {device!r}, must be GPUs like 'cuda:0' or 'cuda:0-1'")
    return space


def empty(shape, dtype=np.float64, *, order="C", device):
    """An array in host memory that the GPUs of `device` read and write by themselves ("pinned" memory).

    Calls with `device` are faster on such arrays, because no thread has to copy them. The elements are not set. The
    memory is freed with the last array that uses it.
    """
    dtype = np.dtype(dtype)
    if dtype not in LETTERS:
        raise TypeError(f"dtype is {dtype}, must be float32, float64, complex64 or complex128")
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    size = math.prod(shape) * dtype.itemsize
    buffer = PinnedMemory.of(device).allocate(size) if size else None
    return np.ndarray(shape, dtype, buffer, order=order)


class PinnedMemory:
    """Allocates pinned memory by a context of its own: memory is freed by whatever thread drops the last array."""

    made = {}

    def __init__(self, name):
        self.context = contexts.Context(name)
        contexts.hosted.add(self.context)
        self.lock = threading.RLock()  # an allocation may start the collector of garbage, which frees

    @classmethod
    def of(cls, device):
        name = gpus_of(device).name
        made = cls.made.get(name)
        if made is None or made.context.handle is None:  # or the child of a fork has abandoned it
            made = cls.made[name] = cls(name)
        return made

    def allocate(self, size):
        memory = ctypes.c_void_p()
        with self.lock:
            self.context.require(library.alloc(self.context.handle, size, ctypes.byref(memory)))
        buffer = (ctypes.c_char * size).from_address(memory.value)
        weakref.finalize(buffer, self.free, memory).atexit = False  # the end of the process frees all of it
        return buffer

    def free(self, memory):
        if self.context.handle is None:
            return
        with self.lock:
            self.context.require(library.free(self.context.handle, memory))


def traffic(device):
    """The bytes that this thread's calls have moved since the last question, as a dictionary.

    "in" counts bytes from the host to GPUs, "out" bytes back, and "between" bytes from GPU to GPU.
    """
    context = gpus_of(device).context()
    counts = [ctypes.c_int64() for _ in range(3)]
    context.require(library.traffic(context.handle, *map(ctypes.byref, counts)))
    return dict(zip(("in", "out", "between"), (count.value for count in counts)))


def set_workspace(n, *, device):
    """Caps the memory in bytes that this thread's calls take on each GPU of `device`."""
    context = gpus_of(device).context()
    context.require(library.set_workspace(context.handle, None, int(n)))


def release(device):
    """Gives back the memory that this thread's calls hold on the GPUs of `device`. The next call takes it again.

    The cap of set_workspace and the mode of set_fp64 are forgotten.
    """
    contexts.local.others.pop(gpus_of(device).name, None)
