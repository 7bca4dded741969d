"""Contexts of the C library: one for each thread and device, because a context serves one thread at a time."""
import ctypes
import os
import threading
import weakref

from . import library
from .errors import OK, status_error

hosted = weakref.WeakSet()  # contexts whose matrices are in host memory, of all threads
threads = 0     # what set_threads asked for; 0: the library's default
generation = 0  # counts calls of set_threads, so that contexts of other threads notice a new number


class Context:
    """A trigon_context with the memory that a call needs for one info."""

    def __init__(self, name):
        self.handle = None
        handle = ctypes.c_void_p()
        why = ctypes.create_string_buffer(1000)
        status = library.create(name.encode(), ctypes.byref(handle), why, len(why))
        if status != OK:
            raise status_error(status, f"context {name!r}: {why.value.decode(errors='replace')}")
        self.name = name
        self.handle = handle
        self.destroy = library.destroy  # at the end of Python the module may be gone before the context
        self.info = ctypes.c_int64()
        self.info_pointer = ctypes.byref(self.info)
        self.generation = 0
        self.fp64 = (0, 0)
        self.stream = None  # that later calls run in; None: the context's own

    def __del__(self):
        if self.handle is not None:
            self.destroy(self.handle)
            self.handle = None

    def failure(self, status):
        """The exception for the status of the last call."""
        return status_error(status, library.message(self.handle).decode(errors="replace"))

    def require(self, status):
        if status != OK:
            raise self.failure(status)

    def follow_threads(self):
        if self.name.startswith("cpu") or self in hosted:
            self.require(library.set_threads(self.handle, threads))
        self.generation = generation

    def follow_stream(self, stream):
        # 1 is the legacy default stream by its name: NULL would mean the context's own stream.
        self.require(library.set_stream(self.handle, stream or 1))
        self.stream = stream


class Local(threading.local):
    cpu = None

    def __init__(self):
        self.others = {}
        self.spares = {}


local = Local()


def cpu():
    """The calling thread's context "cpu"."""
    context = local.cpu
    if context is None:
        context = local.cpu = Context("cpu")
    if context.generation != generation:
        context.follow_threads()
    return context


def named(name):
    """The calling thread's context of this name, e.g. "cuda:0"."""
    if name == "cpu":
        return cpu()
    context = local.others.get(name)
    if context is None:
        context = local.others[name] = Context(name)
    return context


def named_on_host(name):
    """The calling thread's context of this name, e.g. "cuda:0:host", whose matrices are in host memory."""
    context = named(name)
    hosted.add(context)
    if context.generation != generation:
        context.follow_threads()
    return context


def abandon():
    """In the child of a fork: the threads of such contexts are not there, so that not even their end would come."""
    for context in hosted:
        context.handle = None
        local.others.pop(context.name, None)


os.register_at_fork(after_in_child=abandon)


# Contexts for calls that a graph captures, one for each thread and stream. Graphs use memory of these contexts, so that
# the contexts stay until the end of the program. Starting a GPU's context may wait for the GPU, which is forbidden
# during a capture. So a spare context is made before, at the first call in a stream other than the default stream:
# programs run their calls in such a stream before they capture the calls.
captures = {}
RESERVED = 1 << 30  # bytes of operands; up to this number, native arithmetic takes the same memory for all of them


class RelaxedCapture:
    """Lets this thread allocate memory of a GPU while a stream is captured."""

    def exchange(self):
        self.driver.cuThreadExchangeStreamCaptureMode(ctypes.byref(self.mode))

    def __enter__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.mode = ctypes.c_int(2)  # CU_STREAM_CAPTURE_MODE_RELAXED
        self.exchange()

    def __exit__(self, *exception):
        self.exchange()


def captured(name, stream):
    """The context for calls in a stream that is captured. The memory that the calls need is allocated here."""
    ordinary = local.others.get(name)
    fp64 = ordinary.fp64 if ordinary else (0, 0)
    key = threading.get_ident(), name, stream, fp64
    context = captures.get(key)
    if context is None:
        with RelaxedCapture():
            context = local.spares.pop(name, None) or Context(name)
            if fp64 != (0, 0):
                context.require(library.set_fp64(context.handle, *fp64))
            context.require(library.reserve(context.handle, RESERVED))
            if fp64 != (0, 0):  # constants of emulated products may still be on their way
                context.require(library.finish(context.handle, None))
            context.follow_stream(stream)
        captures[key] = context
    return context


def on_stream(name, stream, is_captured):
    """The thread's context of a GPU, with later calls in the caller's stream. 0 is the legacy default stream."""
    if is_captured:
        return captured(name, stream)
    context = named(name)
    if context.stream != stream:
        context.follow_stream(stream)
        if stream and name not in local.spares:
            local.spares[name] = Context(name)
    return context


def set_threads(n):
    """Sets how many threads share a call on the CPU, for all threads of the program. 0: the library's default."""
    global threads, generation
    number = int(n)
    if number != n or not 0 <= number <= 1024:
        raise ValueError(f"n is {n!r}, must be an integer from 0 to 1024")
    threads = number
    generation += 1


def info():
    """What computes: a dictionary with the version, the library's description of itself, and its advice."""
    context = cpu()
    return {"version": library.version().decode(), "library": library.C._name, "context": context.name,
            "description": library.describe(context.handle).decode(errors="replace"),
            "advice": library.advice(context.handle).decode(errors="replace"), "threads": threads}
