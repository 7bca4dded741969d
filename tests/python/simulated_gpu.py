"""As much of CuPy as ragged batches ask for, over memory of the simulated GPU. The host faults if it touches it.

NumPy computes on copies in the host's memory, whose layout tells where an element lies on the GPU.
"""
import ctypes
import os
from pathlib import Path

import numpy as np

from trigon_linalg import contexts, cuda

PLUGIN = "libtrigon-sim.so"
TO_DEVICE, TO_HOST = 1, 2  # cudaMemcpyKind


def folder():
    """The folder of the simulated GPU's plugin, or None."""
    places = [os.environ.get("TRIGON_BACKEND_PATH"),
              Path(os.environ.get("TRIGON_LIBRARY", ".")).resolve().parent.parent / "plugins"]
    return next((place for place in places if place and (Path(place) / PLUGIN).exists()), None)


def simulator():
    return ctypes.CDLL(str(Path(folder()) / PLUGIN))


class Memory:
    """An allocation on the GPU, with a copy in the host's memory that says nothing until fetch()."""

    def __init__(self, values):
        self.mirror = values
        self.sim = simulator()
        self.address = ctypes.c_void_p()
        if values.nbytes:
            assert self.sim.simMalloc(ctypes.byref(self.address), ctypes.c_size_t(values.nbytes)) == 0
            self.store()

    def copy(self, to, source, kind):
        if self.mirror.nbytes:
            status = self.sim.simMemcpy(ctypes.c_void_p(to), ctypes.c_void_p(source),
                                        ctypes.c_size_t(self.mirror.nbytes), kind)
            assert status == 0, status

    def store(self):
        self.copy(self.address.value, self.mirror.ctypes.data, TO_DEVICE)

    def fetch(self):
        self.copy(self.mirror.ctypes.data, self.address.value, TO_HOST)

    def __del__(self):
        if self.mirror.nbytes:
            self.sim.simFree(self.address)


class Array:
    """An array of the simulated GPU: `layout` is a view of the memory's copy on the host."""

    def __init__(self, memory, layout):
        self.memory = memory
        self.layout = layout
        self.shape, self.ndim, self.dtype, self.strides = layout.shape, layout.ndim, layout.dtype, layout.strides
        self.__cuda_array_interface__ = {"version": 3}

    @property
    def pointer(self):
        return (self.memory.address.value or 0) + self.layout.ctypes.data - self.memory.mirror.ctypes.data

    def get(self):
        self.memory.fetch()
        return self.layout.copy()

    def result(self, values):
        """What NumPy computed: a view of this memory, or new memory of the GPU."""
        if isinstance(values, np.ndarray) and values.size and np.may_share_memory(values, self.memory.mirror):
            return Array(self.memory, values)
        return array(values)

    def __getitem__(self, key):
        self.memory.fetch()
        return self.result(self.layout[host(key)])

    def __setitem__(self, key, value):
        value = host(value)
        self.memory.fetch()
        self.layout[host(key)] = value
        self.memory.store()

    def __iter__(self):
        return (self[number] for number in range(len(self)))

    __len__ = lambda self: len(self.layout)
    __bool__ = lambda self: bool(self.get())
    __int__ = lambda self: int(self.get())
    __array__ = None  # no silent copy to the host


def host(x):
    return x.get() if isinstance(x, Array) else tuple(map(host, x)) if isinstance(x, tuple) else x


def array(values):
    values = np.array(values, order="C")
    return Array(Memory(values), values)


def method(name):
    def call(self, *arguments, **keywords):
        self.memory.fetch()
        function = getattr(self.layout, name)
        result = function(*map(host, arguments), **keywords)
        return result if result is NotImplemented else self.result(result)
    return call


for _name in ("reshape", "copy", "astype", "all", "sum", "cumsum", "clip", "swapaxes", "__add__", "__radd__", "__sub__",
              "__mul__", "__rmul__", "__eq__", "__ne__", "__lt__", "__gt__", "__abs__"):
    setattr(Array, _name, method(_name))
Array.__hash__ = object.__hash__


class Namespace:
    """The module cupy."""

    ndarray = Array

    def __getattr__(self, name):
        function = getattr(np, name)

        def call(*arguments, **keywords):
            with np.errstate(all="ignore"):
                values = [[*map(host, x)] if isinstance(x, list) else host(x) for x in arguments]
                return array(function(*values, **keywords))
        return call


class SimulatedCupy(cuda.Cupy):
    """The package's way to CuPy, with the simulated GPU in CuPy's place."""

    def __init__(self):
        self.cupy = self.namespace = Namespace()
        self.captured = False

    plain = lambda self, x, name: x
    device = lambda self, x: 0
    pointer = lambda self, x: x.pointer
    stream = lambda self, device: (0, self.captured)
    on_host = lambda self, x: x.get()
    zeros = lambda self, shape, dtype, device: array(np.zeros(shape, dtype))
    upload = lambda self, values, device: array(values)
    conjugate = lambda self, x: x.__setitem__(..., np.conjugate(x.get()))
    copy = lambda self, to, source: to.__setitem__(..., source.get())
    are_plain = lambda self, arrays, device: set(map(type, arrays)) == {Array} and len({x.dtype for x in arrays}) == 1


def install(monkeypatch):
    """Makes the package take arrays of the simulated GPU. Returns the module."""
    monkeypatch.setenv("TRIGON_BACKEND_PATH", str(folder()))
    context = contexts.Context("sim:0")
    context.stream = 0  # the context's own stream, which is ordered with the legacy default stream
    monkeypatch.setattr(contexts, "named", lambda name: context)
    monkeypatch.setattr(contexts, "captured", lambda name, stream: context)
    module = SimulatedCupy()
    monkeypatch.setattr(cuda, "SPACES", {"cupy": (module, {})})
    return module
