"""What an argument is: its type, shape and layout, and what may be done with its memory."""
import ctypes
import math

import numpy as np

from . import contexts

# The precision of each dtype, by LAPACK's letter. Dtypes of foreign byte order are other keys.
LETTERS = {np.dtype(kind): letter for kind, letter in (("f4", "s"), ("f8", "d"), ("c8", "c"), ("c16", "z"))}
DTYPES = {letter: dtype for dtype, letter in LETTERS.items()}
SMALL = 4096   # elements; up to this number bytes are searched faster than NumPy's all() starts
CHUNK = 1 << 15  # elements whose mask stays in the first-level cache

may_share_memory = np.may_share_memory
byref = ctypes.byref
from_buffer = ctypes.c_char.from_buffer


def pointer(a):
    """The address of a C-contiguous writable array, as an argument of a C function.

    This is the cheapest way to an address that ctypes offers. The result keeps the array alive.
    """
    return byref(from_buffer(a))


def address(a):
    return a.__array_interface__["data"][0]


def is_finite(a):
    """Whether all elements are finite.

    No sum of elements is formed: NumPy would warn of overflow, and the BLAS behind its dot products may hang in the
    child of a fork.
    """
    if a.size <= SMALL:
        return b"\0" not in np.isfinite(a).tobytes("A")
    flat = a.ravel("K")
    finite = np.empty(CHUNK, bool)
    for start in range(0, flat.size, CHUNK):
        part = flat[start:start + CHUNK]
        if not np.isfinite(part, out=finite[:part.size]).all():
            return False
    return True


def require_finite(a, name):
    if not is_finite(a):
        raise ValueError(f"{name} must not contain infs or NaNs")


def convert(a, name):
    """The array in one of the four types, in this machine's byte order. Integers become doubles, as in SciPy."""
    if a.dtype in LETTERS:
        return a
    kind, size = a.dtype.kind, a.dtype.itemsize
    if kind in "fc" and (kind, size) in (("f", 4), ("f", 8), ("c", 8), ("c", 16)):
        return a.astype(a.dtype.newbyteorder("="))
    if kind in "biu":
        return a.astype(np.float64)
    if kind == "f" and size == 2:
        return a.astype(np.float32)
    raise TypeError(f"{name} has dtype {a.dtype}, must be float32, float64, complex64, complex128, or integer")


def promote(*arrays):
    """The arrays in their common type."""
    dtype = np.result_type(*(a.dtype for a in arrays))
    return [a if a.dtype == dtype else a.astype(dtype) for a in arrays]


def from_object(x, name):
    """A NumPy array of a list, a number, or a subclass of numpy.ndarray."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, must be a plain array")
    if type(x).__module__.startswith("scipy.sparse"):
        raise TypeError(f"{name} is a sparse matrix, must be a dense array")
    try:
        a = np.asarray(x)
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError  # other libraries' kinds need other arguments
        raise kind(f"{name} is no array: {error}") from None
    return a


def require_matrices(a, name, square=True):
    """Refuses arrays that are no matrix or stack of matrices."""
    if a.ndim < 2:
        raise ValueError(f"{name} has shape {a.shape}, must have at least 2 dimensions")
    if square and a.shape[-1] != a.shape[-2]:
        raise ValueError(f"{name} has shape {a.shape}, must be square")


class Operand:
    """A matrix, or `count` matrices a stride apart, as the C library sees them. Sizes count elements.

    rows and cols are those of the NumPy matrix. If `row` is true, the memory holds the transpose, column-major.
    """

    __slots__ = ("array", "rows", "cols", "row", "args", "keep")

    def __init__(self, array, rows, cols, row, args):
        self.array = array
        self.rows = rows
        self.cols = cols
        self.row = row
        self.args = args


def leading_dimension(rows, cols, row_stride, col_stride):
    """The leading dimension if the matrix is column-major, else None. Strides count elements."""
    if rows > 1 and row_stride != 1:
        return None
    if cols <= 1:
        return max(1, rows)
    return col_stride if col_stride >= max(1, rows) else None


def batch_stride(shape, strides):
    """One stride for all dimensions of a batch, or None if one stride cannot tell them all."""
    step = None
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size == 1:
            continue
        if step is None:
            step = first = stride
        elif stride != step:
            return None
        step *= size
    return 0 if step is None else first


def operand(a, prefer_row, writable, address=address):
    """The Operand of an array with at least 2 dimensions, or None if the library cannot use its memory as it is.

    Vectors and numbers are both row-major and column-major. prefer_row says which of the two they shall be.
    """
    width = a.itemsize
    strides = a.strides
    if not a.flags.aligned or (writable and not a.flags.writeable):
        return None
    *batch, rows, cols = a.shape
    if not a.size:  # strides of an empty array say nothing
        strides = (0,) * len(batch) + (max(1, cols) * width, width)
    if any(stride % width for stride in strides):
        return None
    *steps, row_stride, col_stride = (stride // width for stride in strides)
    for row in (prefer_row, not prefer_row):
        if row:
            ld = leading_dimension(cols, rows, col_stride, row_stride)
        else:
            ld = leading_dimension(rows, cols, row_stride, col_stride)
        if ld is not None:
            break
    else:
        return None
    if not batch:
        return Operand(a, rows, cols, row, (address(a), ld))
    stride = batch_stride(batch, steps)
    extent = (ld * (rows - 1) + cols if row else ld * (cols - 1) + rows) if rows and cols else 0
    if stride is None or stride < 0 or (writable and stride < extent and math.prod(batch) > 1):
        return None
    return Operand(a, rows, cols, row, (address(a), ld, max(stride, extent) if writable else stride))


def input_operand(a, prefer_row=True):
    """The Operand of an array that is read. An array that the library cannot use as it is, is copied."""
    return operand(a, prefer_row, False) or operand(np.array(a, order="C"), prefer_row, False)


def output_operand(a, prefer_row=True):
    """The Operand of an array that is written. The array is one that own() made, or that is_usable() accepts."""
    return operand(a, prefer_row, True)


def own(a, shape=None, order="K"):
    """A fresh copy, broadcast to `shape`, of the same order, which the library can use."""
    if shape is None or shape == a.shape:
        copy = np.array(a, order=order)
        if copy.ndim == 2 or copy.flags.c_contiguous:
            return copy
        shape = a.shape  # in a batch "K" may have mixed the dimensions of the matrix with the others
    transposed = order == "F" or (order == "K" and a.ndim > 1 and a.strides[-1] != a.itemsize == a.strides[-2])
    copy = empty(shape, a.dtype, "F" if transposed else "C")
    copy[...] = a
    return copy


def empty(shape, dtype, order):
    """Memory for matrices, each row-major ("C") or column-major ("F"). It is filled with zeros."""
    if order == "C":
        return np.zeros(shape, dtype)
    return np.zeros((*shape[:-2], shape[-1], shape[-2]), dtype).swapaxes(-1, -2)


def require_out(out, shape, dtype, inputs=()):
    """Refuses an `out` that cannot take the result. Inputs are pairs of name and array that `out` must not overlap."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is of type {type(out).__name__}, must be an array like the result")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}, must be {shape}")
    if out.dtype != dtype:
        raise TypeError(f"out has dtype {out.dtype}, must be {dtype}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    for name, a in inputs:
        if not same_memory(out, a) and overlaps(out, a):
            raise ValueError(f"out overlaps {name}")


def same_memory(a, b):
    return a is b or (address(a) == address(b) and a.shape == b.shape and a.strides == b.strides)


def overlaps(a, b):
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=10000)
    except np.exceptions.TooHardError if hasattr(np, "exceptions") else np.TooHardError:
        return True


MASKS = {}


def masks(n, lower):
    """Which elements of an n × n matrix are in a triangle, and which are not. Masks of small orders are kept."""
    found = MASKS.get((n, lower))
    if found is None:
        inside = np.tri(n, dtype=bool)
        if not lower:
            inside = np.ascontiguousarray(inside.T)
        found = inside, ~inside
        if n <= BLOCK:
            MASKS[n, lower] = found
    return found


BLOCK = 64  # rows whose part of the triangle is cleared by one mask


def clear_other_triangle(a, lower):
    """Sets the triangle to zero that does not belong to the factor."""
    n = a.shape[-1]
    for start in range(0, n, BLOCK):
        end = min(n, start + BLOCK)
        np.copyto(a[..., start:end, start:end], 0, where=masks(end - start, bool(lower))[1])
        if lower:
            a[..., start:end, end:] = 0
        else:
            a[..., end:, start:end] = 0


def conjugate_in_place(a):
    np.conjugate(a, out=a)


def swapped(a):
    """The matrices' transposes, in the same memory."""
    return np.swapaxes(a, -1, -2)


def mirror(a, lower):
    """Copies the triangle of a Hermitian matrix to the other triangle."""
    n = a.shape[-1]
    for start in range(0, n, BLOCK):
        end = min(n, start + BLOCK)
        block = a[start:end, start:end]
        np.copyto(block, block.conj().T.copy(), where=masks(end - start, bool(lower))[1])
        if lower:
            a[:start, start:end] = a[start:end, :start].conj().T
        else:
            a[start:end, :start] = a[:start, start:end].conj().T


def zeros_on_diagonal(a):
    """For each matrix the place of the first zero on its diagonal, counted from 1, or 0."""
    zeros = np.diagonal(a, axis1=-2, axis2=-1) == 0
    if not zeros.shape[-1]:
        return np.zeros(zeros.shape[:-1], np.int64)
    return np.where(zeros.any(axis=-1), zeros.argmax(axis=-1) + 1, 0)


def spoil(x, infos, batch):
    """Makes the results NaN that belong to matrices that failed. `batch` is the shape of the infos."""
    failed = np.broadcast_to((infos != 0).reshape(batch), x.shape[:-2])
    if failed.any():
        x[failed] = np.nan


def add_to_diagonal(a, value):
    n = a.shape[-1]
    a[..., range(n), range(n)] += value


def logdet(factor):
    """2·Σ log|a_ii| for each factor. The C library has no batch of LOGDET, and one call would save nothing."""
    diagonal = np.abs(np.diagonal(factor, axis1=-2, axis2=-1)).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * np.log(diagonal).sum(axis=-1)


def nan_where(failed, x):
    return np.where(failed, np.nan, x)


class Space:
    """Where arrays live. This one is the host's memory; hosted.py and cuda.py have others."""

    waits = False  # whether a call must be waited for before the host may touch its arrays

    operand = staticmethod(operand)
    input_operand = staticmethod(input_operand)
    own = staticmethod(own)
    clear_other_triangle = staticmethod(clear_other_triangle)
    empty = staticmethod(empty)
    conjugate_in_place = staticmethod(conjugate_in_place)
    swapped = staticmethod(swapped)
    add_to_diagonal = staticmethod(add_to_diagonal)
    broadcast = staticmethod(np.broadcast_to)
    mirror = staticmethod(mirror)
    overlaps = staticmethod(overlaps)
    require_out = staticmethod(require_out)
    same_memory = staticmethod(same_memory)
    spoil = staticmethod(spoil)
    zeros_on_diagonal = staticmethod(zeros_on_diagonal)
    logdet = staticmethod(logdet)
    nan_where = staticmethod(nan_where)
    copy = staticmethod(np.copyto)
    require_finite = staticmethod(require_finite)
    context = staticmethod(contexts.cpu)

    @staticmethod
    def infos(count):
        array = np.zeros(count, np.int64)
        return array, address(array)

    @staticmethod
    def on_host(infos):
        return infos

    @staticmethod
    def told(infos, shape):
        """The infos as a function returns them: an array of the batch's shape, or a number."""
        return infos.reshape(shape) if shape else int(infos[0])


HOST = Space()
