"""What ragged batches on a GPU need. host_batches.py has the same for batches in the host's memory.

NumPy makes all sizes and leading dimensions, and one copy brings them to the GPU. Where the caller's library has no
function for matrices of different sizes, a batched product of the C library does the work. With inner size 0 it sets or
scales matrices. With leading dimension n + 1 it reads diagonals. Only the functions that take lists and make views loop
over matrices.
"""
import math

import numpy as np

from .arrays import LETTERS, Operand
from .calls import RAGGED, Call
from .cuda import take
from .dlpack import lives_on_gpu
from .library import NOTRANS

INT64, DOUBLE = np.dtype(np.int64), np.dtype(np.float64)
ROWS, COLS, LEADING, HEIGHTS, STARTS, SECONDS, FIRST, STEPS, STRICT, NUMBERS, ZEROS, ONES = range(12)


def table(structure, itemsize):
    """The numbers of a batch that calls on a GPU take, a row for each kind. Addresses begin at 0 and count bytes."""
    rows, leading = structure.rows, structure.leading
    starts = structure.starts * itemsize
    result = np.empty((12, len(structure)), np.int64)
    result[ROWS] = rows
    result[COLS] = structure.cols
    result[LEADING] = leading
    result[HEIGHTS] = structure.heights
    result[STARTS] = starts
    result[SECONDS] = starts + leading * itemsize  # where the second rows begin
    result[FIRST] = np.cumsum(rows) - rows         # where the diagonals begin in a vector of all diagonals
    result[STEPS] = leading + 1                    # along a diagonal
    result[STRICT] = np.maximum(rows - 1, 0)       # the order of a triangle without the diagonal
    result[NUMBERS] = np.arange(len(structure))
    result[ZEROS] = 0
    result[ONES] = 1
    return result


class DeviceBatches:
    """The home of ragged batches on one GPU, as one library allocates its memory."""

    def __init__(self, space):
        self.space = space
        self.module = space.module
        self.pointer = space.module.pointer

    def check(self, buffer):
        dtype = self.dtype(buffer)
        shape = tuple(buffer.shape)
        if len(shape) != 1 or (shape[0] > 1 and self.module.strides(buffer) != (dtype.itemsize,)):
            raise ValueError(f"buffer has shape {shape}, must be contiguous with one dimension")
        if self.pointer(buffer) % dtype.itemsize:
            raise ValueError("buffer is not aligned to the size of an element")

    def size(self, buffer):
        return math.prod(buffer.shape)

    def dtype(self, buffer):
        return self.module.dtype(buffer)

    def adopt(self, arrays, name):
        """The arrays as arrays that concatenate() takes."""
        if len({a.dtype for a in arrays}) > 1:
            dtype = np.result_type(*{self.dtype(a) for a in arrays})
            arrays = [self.module.astype(a, dtype) for a in arrays]
        return arrays

    def concatenate(self, arrays):
        return self.module.namespace.concatenate([a.reshape(-1) for a in arrays])

    def views(self, packed, shapes):
        return self.module.views(packed.buffer, packed.structure.starts.tolist(), shapes)

    def clone(self, buffer):
        return self.module.clone(buffer)

    def astype(self, buffer, dtype):
        return self.module.astype(buffer, dtype)

    def copy(self, to, source):
        self.module.copy(to, source)

    def overlaps(self, a, b):
        (begin, end), (other_begin, other_end) = map(self.range, (a, b))
        return begin < other_end and other_begin < end

    def range(self, buffer):
        begin = self.pointer(buffer)
        return begin, begin + self.size(buffer) * self.dtype(buffer).itemsize

    def is_writable(self, buffer):
        return True

    def is_finite(self, a):
        return self.module.finite(a)

    def item(self, a):
        """A matrix of a batch as the functions of `space` take it."""
        return self.space.wrap(a)

    # ---------------------------------------------------------------------------------------------- operands

    def numbers(self, structure, itemsize):
        """The rows of the table on the GPU. It is copied once for each stream: other streams do not wait for the copy.

        A graph must not contain the copy, because its source may be gone when the graph runs. So a graph takes the
        table of another stream.
        """
        stream, is_captured = self.module.stream(self.space.device)
        tables = structure.remember((self, itemsize), dict)
        found = tables.get(stream)
        if found is None and is_captured:
            found = next(iter(tables.values()), None)
            if found is None:
                raise RuntimeError("a ragged batch can be captured only if it is a Ragged, and the same Ragged was "
                                   "computed before the capture")
        if found is None:
            found = tables[stream] = list(self.module.upload(table(structure, itemsize), self.space.device))
        return found

    def make_operand(self, packed, row, kinds, shift=0, scale=None):
        """An Operand of matrices whose rows, columns, starts and leading dimensions are rows of the table."""
        itemsize = packed.dtype.itemsize
        numbers = self.numbers(packed.structure, itemsize)
        rows, cols, starts, leading = (numbers[kind] for kind in kinds)
        pointers = starts + (self.pointer(packed.buffer) + shift)
        if scale is not None:
            rows = rows * scale
        at = self.pointer
        result = Operand(packed.buffer, at(rows), at(cols), row, (at(pointers), at(leading)))
        result.keep = numbers, rows, pointers, packed
        return result

    def operand(self, packed, scale=None):
        """The Operand of all matrices. `scale` has a 0 for each matrix that is to have no rows."""
        row = packed.is_row_major
        return self.make_operand(packed, row, (ROWS, COLS, STARTS, LEADING if row else HEIGHTS), scale=scale)

    def call(self, packed, letter=None):
        return Call(self.space, letter or LETTERS[packed.dtype], RAGGED, len(packed), packed.structure.most)

    def zeros_of(self, packed):
        """The address of a 0 for each matrix."""
        return self.pointer(self.numbers(packed.structure, packed.dtype.itemsize)[ZEROS])

    # ------------------------------------------------------------------------------- products that set or scale

    def clear_other_triangle(self, packed, lower):
        """0·A·Aᵀ + 0·C with inner size 0. C is the other triangle without the diagonal: a triangle of order n - 1."""
        starts, shift = (STARTS, packed.dtype.itemsize) if lower else (SECONDS, 0)
        C = self.make_operand(packed, True, (STRICT, STRICT, starts, LEADING), shift)
        self.call(packed).syrk(C, C, not lower, 0, self.zeros_of(packed), 0, 0, False)

    def spoil(self, packed, infos):
        """Makes the results NaN that belong to matrices that failed: NaN·C with inner size 0. Nobody waits."""
        C = self.operand(packed, self.module.astype(infos != 0, INT64))
        self.call(packed).gemm(C, C, C, (0, 0), self.zeros_of(packed), 0, math.nan)

    # ------------------------------------------------------------------------------------------------ diagonals

    def multiply(self, call, sizes, A, B, C, alpha=1):
        """C = alpha·A·B for each matrix. A, B, C are pairs of addresses and leading dimensions on the GPU."""
        arrays = [self.pointer(x) for x in (*sizes, *A, *B, *C)]
        scalar = call.routines.scalar
        call.run("gemm", NOTRANS, NOTRANS, *call.head, *arrays[:3], scalar(alpha), *arrays[3:7], scalar(0), *arrays[7:],
                 call.info)

    def filled_with_one(self, count, dtype):
        return self.module.zeros((count,), dtype, self.space.device) + 1

    def diagonals(self, packed):
        """All diagonals, one behind the other in one vector, as products of the number 1 and a row.

        To the C library a diagonal is a row of a matrix whose leading dimension is n + 1.
        """
        itemsize = packed.dtype.itemsize
        numbers = self.numbers(packed.structure, itemsize)
        one = self.filled_with_one(1, packed.dtype)
        result = self.module.zeros((int(packed.structure.rows.sum()),), packed.dtype, self.space.device)
        ones = numbers[ONES]
        A = numbers[ZEROS] + self.pointer(one), ones
        B = numbers[STARTS] + self.pointer(packed.buffer), numbers[STEPS]
        C = numbers[FIRST] * itemsize + self.pointer(result), ones
        self.multiply(self.call(packed), (ones, numbers[ROWS], ones), A, B, C)
        return result

    def no_infos(self, count):
        return self.module.zeros((count,), INT64, self.space.device)

    def zeros_on_diagonal(self, packed):
        """For each matrix the place of the first zero on its diagonal, counted from 1, or 0. Nobody waits.

        The first zero of a matrix is where the number of zeros so far first exceeds the number before the matrix.
        """
        if not packed.structure.most:
            return self.no_infos(len(packed))
        numbers = self.numbers(packed.structure, packed.dtype.itemsize)
        first, orders = numbers[FIRST], numbers[ROWS]
        counts = (self.diagonals(packed) == 0).cumsum(0)
        last = len(counts) - 1
        before = self.module.namespace.where(first > 0, counts[(first - 1).clip(0, last)], 0)
        place = self.module.namespace.searchsorted(counts, before + 1) - first
        return self.module.namespace.where(place < orders, place + 1, 0)

    def logdet(self, packed):
        """2·Σ log|a_ii|. Each sum is a product with a row of ones: atomic additions would round in any order."""
        count = len(packed)
        numbers = self.numbers(packed.structure, packed.dtype.itemsize)
        result = self.module.zeros((count,), DOUBLE, self.space.device)
        logarithms = self.module.log_abs(self.diagonals(packed))
        ones = self.filled_with_one(max(1, packed.structure.most), DOUBLE)
        A = numbers[ZEROS] + self.pointer(ones), numbers[ONES]
        B = numbers[FIRST] * 8 + self.pointer(logarithms), numbers[HEIGHTS]
        C = numbers[NUMBERS] * 8 + self.pointer(result), numbers[ONES]
        self.multiply(self.call(packed, "d"), (numbers[ONES], numbers[ONES], numbers[ROWS]), A, B, C, 2)
        return result

    def nan_where_failed(self, infos, values):
        return self.module.nan_where(infos != 0, values)


def home_of(space):
    if space.batches is None:
        space.batches = DeviceBatches(space)
    return space.batches


def take_buffer(buffer):
    """The buffer of a Ragged as its library's array, and its home. A read-only buffer is copied."""
    taken = take(buffer, "buffer")
    array = taken.array
    return array.owner if array.flags.writeable else array.module.clone(array.owner), home_of(taken.space)


def take_arrays(arrays, name):
    """Arrays of a GPU as arrays of their library, and their home. The first array tells the GPU and the library."""
    space = take(arrays[0], name + "[0]").space
    if not space.module.are_plain(arrays, space.device):
        arrays = [plain(a, f"{name}[{number}]", space, name) for number, a in enumerate(arrays)]
    return arrays, home_of(space)


def plain(a, name, space, batch):
    """The array as its library's own, refused if it lives elsewhere."""
    if not lives_on_gpu(a, name) or (taken := take(a, name)).space is not space:
        raise ValueError(f"{name} lives on another device than {batch}[0]")
    return taken.array.owner
