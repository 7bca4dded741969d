"""Ragged batches: many matrices of different sizes in one buffer."""
from itertools import chain

import numpy as np
from numpy import ndarray

from .arrays import LETTERS, Operand, address, convert, is_finite, masks


class Structure:
    """The sizes of the matrices, and where each begins. Buffers of the same structure share what is derived from it."""

    def __init__(self, rows, cols, vector):
        self.rows = rows
        self.cols = cols
        self.vector = vector
        sizes = rows * cols
        ends = np.cumsum(sizes)
        self.starts = ends - sizes
        self.total = int(ends[-1]) if len(ends) else 0
        self.square = rows is cols or bool((rows == cols).all())
        self.derived = {}

    def __len__(self):
        return len(self.rows)

    def same(self, other):
        return self is other or (len(self) == len(other) and self.vector == other.vector and
                                 bool((self.rows == other.rows).all() and (self.cols == other.cols).all()))

    def remember(self, key, compute):
        if key not in self.derived:
            self.derived[key] = compute()
        return self.derived[key]

    def leading(self):
        """Leading dimensions of row-major matrices, which a batch wants to be at least 1."""
        return self.remember("leading", lambda: np.maximum(self.cols, 1))

    def heights(self):
        return self.remember("heights", lambda: np.maximum(self.rows, 1))

    def other_triangle(self, lower):
        """Which elements of the buffer are in the triangle that the factor leaves free. One byte for an element."""
        def compute():
            if not len(self):
                return np.zeros(0, bool)
            return np.concatenate([masks(n, lower)[1].ravel() for n in self.rows.tolist()])
        return self.remember(("other", lower), compute)

    def owners(self):
        """For each diagonal element the number of its matrix."""
        return self.remember("owners", lambda: np.repeat(np.arange(len(self)), self.rows))

    def places(self):
        """For each diagonal element its place on the diagonal, from 0."""
        return self.remember("places", lambda: np.arange(int(self.rows.sum())) -
                             np.repeat(np.cumsum(self.rows) - self.rows, self.rows))

    def diagonal(self):
        """Where in the buffer the diagonals are."""
        return self.remember("diagonal", lambda: np.repeat(self.starts, self.rows) +
                             self.places() * np.repeat(self.rows + 1, self.rows))


def sizes(values, name):
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"{name} must be a list of integers")
    array = np.ascontiguousarray(array, np.int64)
    if array.size and array.min() < 0:
        raise ValueError(f"{name} contains {array.min()}, must not be negative")
    return array


class Ragged:
    """Matrices of different sizes, one behind the other in one buffer, each row-major and without gaps.

    Ragged(buffer, orders) holds square matrices, Ragged(buffer, rows, columns) any matrices, and
    Ragged.vectors(buffer, lengths) vectors. Ragged.pack(arrays) copies arrays into a buffer. An item is a view of the
    buffer: ragged[3] is matrix 3.
    """

    __slots__ = ("buffer", "structure")

    def __init__(self, buffer, rows, columns=None):
        rows = sizes(rows, "rows")
        columns = rows if columns is None else sizes(columns, "columns")
        if len(columns) != len(rows):
            raise ValueError(f"columns has {len(columns)} entries, must have {len(rows)}, as rows has")
        self.structure = Structure(rows, columns, False)
        self.buffer = self.checked(buffer)

    def checked(self, buffer):
        if not isinstance(buffer, ndarray) or buffer.dtype not in LETTERS:
            what = buffer.dtype if isinstance(buffer, ndarray) else type(buffer).__name__
            raise TypeError(f"buffer is {what}, must be an array of float32, float64, complex64 or complex128")
        if buffer.ndim != 1 or not buffer.flags.c_contiguous or not buffer.flags.aligned:
            raise ValueError(f"buffer has shape {buffer.shape}, must be contiguous with one dimension")
        if buffer.size != self.structure.total:
            raise ValueError(f"buffer has {buffer.size} elements, must have {self.structure.total}")
        return buffer

    @classmethod
    def of(cls, buffer, structure):
        self = cls.__new__(cls)
        self.structure = structure
        self.buffer = self.checked(buffer)
        return self

    @classmethod
    def vectors(cls, buffer, lengths):
        lengths = sizes(lengths, "lengths")
        return cls.of(buffer, Structure(lengths, np.ones_like(lengths), True))

    @classmethod
    def pack(cls, arrays):
        return pack(list(arrays), "arrays")[0]

    def copy(self):
        return Ragged.of(self.buffer.copy(), self.structure)

    @property
    def dtype(self):
        return self.buffer.dtype

    @property
    def shapes(self):
        rows, cols = self.structure.rows.tolist(), self.structure.cols.tolist()
        return [(n,) for n in rows] if self.structure.vector else list(zip(rows, cols))

    def __len__(self):
        return len(self.structure)

    def __getitem__(self, number):
        structure = self.structure
        count = len(structure)
        if not -count <= number < count:
            raise IndexError(f"index {number} is out of range for {count} matrices")
        start, rows, cols = (int(x[number]) for x in (structure.starts, structure.rows, structure.cols))
        return self.buffer[start:start + rows * cols].reshape((rows,) if structure.vector else (rows, cols))

    def __iter__(self):
        return iter(views(self, self.shapes))

    def __repr__(self):
        return f"Ragged of {len(self)} {'vectors' if self.structure.vector else 'matrices'}, {self.dtype}"


def views(packed, shapes):
    """The matrices as views of the buffer, in a list."""
    buffer, dtype = packed.buffer, packed.dtype
    starts = (packed.structure.starts * buffer.itemsize).tolist()
    return [ndarray(shape, dtype, buffer, start) for shape, start in zip(shapes, starts)]


def is_ragged(x):
    """Whether an argument is a ragged batch. A list of lists of numbers is a matrix, as in SciPy."""
    if isinstance(x, Ragged):
        return True
    return isinstance(x, list) and (not x or (hasattr(x[0], "ndim") and x[0].ndim >= 2))


def pack(arrays, name):
    """A Ragged with copies of the arrays, and the shapes of the arrays."""
    if not set(map(type, arrays)) <= {ndarray}:
        arrays = [from_any(a, f"{name}[{number}]") for number, a in enumerate(arrays)]
    shapes = [a.shape for a in arrays]
    dimensions = set(map(len, shapes))
    if not dimensions <= {1, 2}:
        number = next(i for i, shape in enumerate(shapes) if len(shape) not in (1, 2))
        raise ValueError(f"{name}[{number}] has shape {shapes[number]}, must be a vector or a matrix")
    vector = dimensions == {1}
    pairs = shapes if dimensions == {2} else [(*shape, 1)[:2] for shape in shapes]
    rows, cols = np.fromiter(chain.from_iterable(pairs), np.int64, 2 * len(pairs)).reshape(-1, 2).T.copy()
    if not {a.dtype for a in arrays} <= LETTERS.keys():
        arrays = [convert(a, f"{name}[{number}]") for number, a in enumerate(arrays)]
    buffer = np.concatenate(arrays, axis=None) if arrays else np.zeros(0)
    return Ragged.of(buffer, Structure(rows, cols, vector)), shapes


def from_any(a, name):
    from .dlpack import take
    array = take(a, name).array
    if not isinstance(array, ndarray):
        raise NotImplementedError(f"{name} lives on a GPU; ragged batches are computed on the CPU only")
    return array


def take_batch(x, name, copy):
    """The argument as a Ragged; the shapes of its items if it was a list, else None."""
    if isinstance(x, Ragged):
        return (x.copy() if copy else x), None
    if not isinstance(x, (list, tuple)):
        raise TypeError(f"{name} is of type {type(x).__name__}, must be a list of arrays or a Ragged")
    return pack(list(x), name)


def same_type(*batches):
    dtype = np.result_type(*(batch.dtype for batch in batches))
    return [b if b.dtype == dtype else Ragged.of(b.buffer.astype(dtype), b.structure) for b in batches]


def require_square(packed, name):
    if packed.structure.vector or not packed.structure.square:
        number = next((i for i, shape in enumerate(packed.shapes) if len(shape) != 2 or shape[0] != shape[1]), 0)
        raise ValueError(f"{name}[{number}] has shape {packed.shapes[number]}, must be square")


def require_finite(packed, name):
    if not is_finite(packed.buffer):
        number = next(i for i, a in enumerate(packed) if not is_finite(a))
        raise ValueError(f"{name}[{number}] must not contain infs or NaNs")


def operand(packed):
    """The Operand of all matrices. Real vectors are column-major, so that one call solves for them."""
    structure = packed.structure
    row = not structure.vector or packed.dtype.kind == "c"
    ld = structure.leading() if row else structure.heights()
    pointers = structure.starts * packed.buffer.itemsize + address(packed.buffer)
    result = Operand(packed.buffer, address(structure.rows), address(structure.cols), row,
                     (address(pointers), address(ld)))
    result.keep = pointers, packed
    return result

