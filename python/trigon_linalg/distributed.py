"""Matrices that are distributed over the processes of mpi4py, computed by ScaLAPACK and Trigon (docs/cluster.md).

Every function is collective: each process of the grid calls it with the same arguments.

    grid = distributed.Grid()                  # all processes of MPI.COMM_WORLD
    C = grid.empty((n, n))                     # each process has its own part
    C.local[:] = covariance(x[C.rows][:, None], x[C.cols])
    distributed.cholesky(C)                    # in place
"""
import ctypes
import math
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_void_p

import numpy as np

from . import errors, library
from .library import CONJTRANS, LEFT, LOWER, NONUNIT, NOTRANS, RIGHT, TRANS, UNIT, UPPER, Matrix, Scalar

LIBRARY = "libscalapack-openmpi.so.2.2"
OPS = {"N": NOTRANS, "T": TRANS, "C": CONJTRANS}


class View(ctypes.Structure):
    """trigon_cluster_view."""

    _fields_ = [("tag", ctypes.c_uint64), ("local", c_void_p), ("descriptor", c_int * 9), ("ia", c_int64),
                ("ja", c_int64)]


create = library.declare("trigon_cluster_create", c_char_p, c_int, POINTER(c_void_p), c_char_p, c_size_t)
matrix_of = library.declare("trigon_cluster_matrix", POINTER(View), c_int, c_int64, c_int64, c_void_p, POINTER(c_int),
                            c_int64, c_int64, result=Matrix)
count = library.declare("trigon_cluster_count", *[c_int64] * 5, result=c_int64)
potrf = library.declare("trigon_potrf", c_void_p, c_int, Matrix, c_void_p)
potrs = library.declare("trigon_potrs", c_void_p, c_int, Matrix, Matrix)
potri = library.declare("trigon_potri", c_void_p, c_int, Matrix, c_void_p)
trtri = library.declare("trigon_trtri", c_void_p, c_int, c_int, Matrix, c_void_p)
trsm = library.declare("trigon_trsm", c_void_p, *[c_int] * 4, Scalar, Matrix, Matrix)
trmm = library.declare("trigon_trmm", c_void_p, *[c_int] * 4, Scalar, Matrix, Matrix)
gemm = library.declare("trigon_gemm", c_void_p, c_int, c_int, Scalar, Matrix, Matrix, Scalar, Matrix)
log_determinant = library.declare("trigon_logdet", c_void_p, Matrix, c_void_p)


def handle_of(comm):
    """The C handle of a communicator: an address in Open MPI, an int in MPICH."""
    from mpi4py import MPI
    kind = c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(c_int) else c_void_p
    return kind.from_address(MPI._addressof(comm))


def default_library():
    """Debian's ScaLAPACK over Open MPI. Another MPI would read its handles wrongly."""
    from mpi4py import MPI
    vendor = MPI.get_vendor()[0]
    if vendor != "Open MPI":
        raise ValueError(f"library_name is missing: mpi4py uses {vendor}, so name a ScaLAPACK over {vendor}")
    return LIBRARY


class Grid:
    """A grid of all processes of a communicator, row by row, and a context over a library of ScaLAPACK.

    Without `rows` the grid is as square as possible. library_name is a ScaLAPACK over the MPI of mpi4py; without it that
    is Debian's over Open MPI. The grid ends by close(), or with the block of a `with`.
    """

    def __init__(self, comm=None, rows=None, library_name=None):
        if comm is None:
            from mpi4py import MPI
            comm = MPI.COMM_WORLD
        self.comm = comm
        self.handle = None
        if rows is None:
            rows = next(r for r in range(math.isqrt(comm.size), 0, -1) if comm.size % r == 0)
        if rows < 1 or comm.size % rows:
            raise ValueError(f"rows is {rows}, must divide the number of processes, {comm.size}")
        name = library_name or default_library()
        self.blacs = ctypes.CDLL(name)
        self.shape = rows, comm.size // rows
        system = self.blacs.Csys2blacs_handle(handle_of(comm))
        self.context = c_int(system)
        self.blacs.Cblacs_gridinit(ctypes.byref(self.context), b"Row", *self.shape)
        self.blacs.Cfree_blacs_system_handle(system)
        self.place = divmod(comm.rank, self.shape[1])
        try:
            self.handle = self.open(f"cluster:{name}")
        except Exception:
            self.blacs.Cblacs_gridexit(self.context)
            raise

    def open(self, name):
        handle, why = c_void_p(), ctypes.create_string_buffer(1000)
        status = create(name.encode(), self.context, ctypes.byref(handle), why, len(why))
        if status != errors.OK:
            raise errors.status_error(status, why.value.decode(errors="replace"))
        return handle

    def close(self):
        if self.handle is not None:
            library.destroy(self.handle)
            self.blacs.Cblacs_gridexit(self.context)
            self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def require(self, status):
        if status != errors.OK:
            raise errors.status_error(status, library.message(self.handle).decode(errors="replace"))

    def empty(self, shape, dtype=float, block=64):
        """A distributed matrix whose elements are not set."""
        return Distributed(self, shape, np.dtype(dtype), block)

    def scatter(self, array, root=0, block=64):
        """Distributes an array that the process `root` has. The others give None."""
        shape, dtype = self.comm.bcast(None if array is None else (array.shape, array.dtype), root)
        whole = self.empty(shape, dtype, block)
        places = self.comm.gather((whole.rows, whole.cols), root)
        parts = [array[np.ix_(rows, cols)] for rows, cols in places] if self.comm.rank == root else None
        whole.local[:] = self.comm.scatter(parts, root)
        return whole


class Distributed:
    """A distributed matrix. `local` is the part of this process, and `rows` and `cols` are the indices of its rows and
    columns in the whole matrix."""

    def __init__(self, grid, shape, dtype, block):
        if dtype.char not in "fdFD":
            raise TypeError(f"dtype is {dtype}, must be float32, float64, complex64 or complex128")
        if len(shape) != 2 or min(shape) < 0 or block < 1:
            raise ValueError(f"shape is {shape}, block is {block}: must be two sizes, and at least 1")
        self.grid, self.shape, self.dtype, self.block = grid, tuple(shape), dtype, block
        self.rows, self.cols = (self.indices(axis) for axis in (0, 1))
        self._local = np.empty((len(self.rows), len(self.cols)), dtype, order="F")
        self.descriptor = (c_int * 9)(1, grid.context.value, *shape, block, block, 0, 0, max(1, len(self.rows)))

    @property
    def local(self):
        """Can be written, as in A.local[:] = ..., and not be replaced, because calls need its layout."""
        return self._local

    def indices(self, axis):
        size, at, places = self.shape[axis], self.grid.place[axis], self.grid.shape[axis]
        own = np.arange(count(size, self.block, at, 0, places))
        return (own // self.block * places + at) * self.block + own % self.block

    def operand(self, view):
        """The trigon_matrix. The view must stay alive while it is used."""
        letter = ord({"f": "s", "d": "d", "F": "c", "D": "z"}[self.dtype.char])
        return matrix_of(ctypes.byref(view), letter, *self.shape, self.local.ctypes.data, self.descriptor, 1, 1)

    def gather(self, root=0):
        """The whole matrix on the process `root`, None on the others."""
        parts = self.grid.comm.gather((self.rows, self.cols, self.local), root)
        if parts is None:
            return None
        whole = np.empty(self.shape, self.dtype, order="F")
        for rows, cols, local in parts:
            whole[np.ix_(rows, cols)] = local
        return whole


def call(function, *arguments):
    """Calls a routine. Distributed matrices become operands, and other numbers than flags are scalars already."""
    grid = next(a.grid for a in arguments if isinstance(a, Distributed))
    views = [View() if isinstance(a, Distributed) else None for a in arguments]
    grid.require(function(grid.handle, *(a.operand(v) if v else a for a, v in zip(arguments, views))))


def scalar(x):
    x = complex(x)
    return Scalar(x.real, x.imag)


def uplo(lower):
    return LOWER if lower else UPPER


def cholesky(A, lower=True):
    """Overwrites one triangle of A by its Cholesky factor, and returns A. The other triangle is not touched."""
    info = c_int64()
    call(potrf, uplo(lower), A, ctypes.addressof(info))
    if info.value:
        raise errors.not_positive_definite(info.value)
    return A


def cho_solve(A, B, lower=True):
    """Overwrites B by the solution of A·X = B, where A holds the factor of cholesky, and returns B."""
    call(potrs, uplo(lower), A, B)
    return B


def cholesky_inverse(A, lower=True):
    """Overwrites the factor by the same triangle of the inverse, and returns A."""
    info = c_int64()
    call(potri, uplo(lower), A, ctypes.addressof(info))
    if info.value:
        raise errors.singular(info.value)
    return A


def inv_triangular(A, lower=True, unit_diagonal=False):
    """Overwrites a triangle by its inverse, and returns A."""
    info = c_int64()
    call(trtri, uplo(lower), UNIT if unit_diagonal else NONUNIT, A, ctypes.addressof(info))
    if info.value:
        raise errors.singular(info.value)
    return A


def on_triangle(function, A, B, lower, trans, unit_diagonal, side, alpha):
    call(function, {"L": LEFT, "R": RIGHT}[side], uplo(lower), OPS[trans], UNIT if unit_diagonal else NONUNIT,
         scalar(alpha), A, B)
    return B


def solve_triangular(A, B, lower=True, trans="N", unit_diagonal=False, side="L", alpha=1):
    """Overwrites B by the solution of op(A)·X = alpha·B (side "R": X·op(A) = alpha·B), and returns B."""
    return on_triangle(trsm, A, B, lower, trans, unit_diagonal, side, alpha)


def multiply_triangular(A, B, lower=True, trans="N", unit_diagonal=False, side="L", alpha=1):
    """Overwrites B by alpha·op(A)·B (side "R": alpha·B·op(A)), and returns B."""
    return on_triangle(trmm, A, B, lower, trans, unit_diagonal, side, alpha)


def matmul(A, B, C, trans_a="N", trans_b="N", alpha=1, beta=0):
    """Overwrites C by alpha·op(A)·op(B) + beta·C, and returns C."""
    call(gemm, OPS[trans_a], OPS[trans_b], scalar(alpha), A, B, scalar(beta), C)
    return C


def logdet(A):
    """The logarithm of the determinant, where A holds the factor of cholesky: the same on all processes."""
    number = ctypes.c_double()
    call(log_determinant, A, ctypes.addressof(number))
    return number.value
