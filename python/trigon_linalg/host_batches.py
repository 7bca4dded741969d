"""What ragged batches in the host's memory need, by NumPy. device_batches.py has the same for batches on a GPU."""
import numpy as np
from numpy import ndarray

from .arrays import HOST, LETTERS, Operand, address, convert, is_finite, masks
from .calls import RAGGED, Call


def other_triangle(structure, lower):
    """Which elements of the buffer are in the triangle that the factor leaves free. One byte for an element."""
    def compute():
        orders = structure.rows.tolist()
        if not orders:
            return np.zeros(0, bool)
        of_order = {n: masks(n, lower)[1].ravel() for n in set(orders)}
        return np.concatenate([of_order[n] for n in orders])
    return structure.remember(("other", lower), compute)


class HostBatches:
    """The home of ragged batches whose buffers are NumPy arrays."""

    space = HOST

    def check(self, buffer):
        if not isinstance(buffer, ndarray) or buffer.dtype not in LETTERS:
            what = buffer.dtype if isinstance(buffer, ndarray) else type(buffer).__name__
            raise TypeError(f"buffer is {what}, must be an array of float32, float64, complex64 or complex128")
        if buffer.ndim != 1 or not buffer.flags.c_contiguous or not buffer.flags.aligned:
            raise ValueError(f"buffer has shape {buffer.shape}, must be contiguous with one dimension")

    def size(self, buffer):
        return buffer.size

    def dtype(self, buffer):
        return buffer.dtype

    def adopt(self, arrays, name):
        """The arrays as arrays that concatenate() takes."""
        if not {a.dtype for a in arrays} <= LETTERS.keys():
            arrays = [convert(a, f"{name}[{number}]") for number, a in enumerate(arrays)]
        return arrays

    def concatenate(self, arrays):
        return np.concatenate(arrays, axis=None) if arrays else np.zeros(0)

    def views(self, packed, shapes):
        """The matrices as views of the buffer, in a list."""
        buffer, dtype = packed.buffer, packed.dtype
        starts = (packed.structure.starts * buffer.itemsize).tolist()
        return [ndarray(shape, dtype, buffer, start) for shape, start in zip(shapes, starts)]

    def clone(self, buffer):
        return buffer.copy()

    def astype(self, buffer, dtype):
        return buffer.astype(dtype)

    def copy(self, to, source):
        np.copyto(to, source)

    def overlaps(self, a, b):
        return np.may_share_memory(a, b)

    def is_writable(self, buffer):
        return buffer.flags.writeable

    def is_finite(self, a):
        return is_finite(a)

    def item(self, a):
        """A matrix of a batch as the functions of `space` take it."""
        return a

    def operand(self, packed):
        """The Operand of all matrices. Real vectors are column-major, so that one call solves for them."""
        structure = packed.structure
        row = packed.is_row_major
        ld = structure.leading if row else structure.heights
        pointers = structure.starts * packed.buffer.itemsize + address(packed.buffer)
        result = Operand(packed.buffer, address(structure.rows), address(structure.cols), row,
                         (address(pointers), address(ld)))
        result.keep = pointers, packed
        return result

    def call(self, packed):
        return Call(HOST, LETTERS[packed.dtype], RAGGED, len(packed))

    def clear_other_triangle(self, packed, lower):
        np.copyto(packed.buffer, 0, where=other_triangle(packed.structure, bool(lower)))

    def no_infos(self, count):
        return np.zeros(count, np.int64)

    def zeros_on_diagonal(self, packed):
        """For each matrix the place of the first zero on its diagonal, counted from 1, or 0."""
        structure = packed.structure
        infos = self.no_infos(len(packed))
        zeros = np.flatnonzero(packed.buffer[structure.diagonal()] == 0)[::-1]
        infos[structure.owners()[zeros]] = structure.places()[zeros] + 1  # the last assignment stays: the first zero
        return infos

    def spoil(self, packed, infos):
        """Makes the results NaN that belong to matrices that failed."""
        for number in map(int, np.flatnonzero(infos)):
            packed[number][...] = np.nan

    def logdet(self, packed):
        structure = packed.structure
        diagonal = np.abs(packed.buffer[structure.diagonal()]).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return 2 * np.bincount(structure.owners(), weights=np.log(diagonal), minlength=len(packed))

    def nan_where_failed(self, infos, values):
        return np.where(infos, np.nan, values)


HOST_BATCHES = HostBatches()
