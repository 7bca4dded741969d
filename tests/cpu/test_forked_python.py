"""100 children that multiprocessing forks compute the bits of their parent, which has computed with threads.

Usage: test_forked_python.py LIBRARY."""

import ctypes
import multiprocessing
import sys

NOTRANS, TRANS, LOWER = 111, 112, 122  # as in trigon.h
ORDER, CHILDREN, AT_ONCE = 300, 100, 5
SECONDS = 60  # after so long a child hangs


def load(path):
    library = ctypes.CDLL(path)
    size, pointer = ctypes.c_int64, ctypes.c_void_p
    library.trigon_create.argtypes = [ctypes.c_char_p, ctypes.POINTER(pointer), pointer, ctypes.c_size_t]
    library.trigon_dgemm.argtypes = [pointer, ctypes.c_int, ctypes.c_int, size, size, size, ctypes.c_double, pointer,
                                     size, pointer, size, ctypes.c_double, pointer, size]
    library.trigon_dpotrf.argtypes = [pointer, ctypes.c_int, size, pointer, size, ctypes.POINTER(size)]
    return library


def create(library):
    context = ctypes.c_void_p()
    if library.trigon_create(b"cpu?blas=none", ctypes.byref(context), None, 0) != 0:
        sys.exit("trigon_create failed")
    return context


def doubles(values):
    return (ctypes.c_double * len(values))(*values)


def compute(library, context):
    """The bytes of A·Aᵀ + n·I, and of its factor."""
    n = ORDER
    A = doubles([(i * 7919 % 1009) / 1009 - 0.5 for i in range(n * n)])
    C = doubles([float(n) if i % (n + 1) == 0 else 0.0 for i in range(n * n)])
    status = library.trigon_dgemm(context, NOTRANS, TRANS, n, n, n, 1.0, A, n, A, n, 1.0, C, n)
    product, info = bytes(C), ctypes.c_int64(-1)
    if status != 0 or library.trigon_dpotrf(context, LOWER, n, C, n, ctypes.byref(info)) != 0 or info.value != 0:
        sys.exit("a call failed")
    return product + bytes(C)


def child(library, context, expected):
    sys.exit(0 if compute(library, context or create(library)) == expected else 1)


def main():
    library = load(sys.argv[1])
    context = create(library)
    expected = compute(library, context)
    fork = multiprocessing.get_context("fork")
    passed = failed = 0
    for first in range(0, CHILDREN, AT_ONCE):
        # Some children have a context of their own.
        group = [fork.Process(target=child, args=(library, context if i % 2 else None, expected))
                 for i in range(first, first + AT_ONCE)]
        for process in group:
            process.start()
        for process in group:
            process.join(SECONDS)
            if process.exitcode == 0:
                passed += 1
                continue
            failed += 1
            print("FAILED: a child of multiprocessing computes other bits, or hangs: exit code", process.exitcode)
            process.kill()
        if compute(library, context) != expected:
            sys.exit("FAILED: the parent computes other bits after a fork")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
