"""Ragged batches: many matrices of different sizes in one buffer."""
from itertools import chain

import numpy as np
from numpy import ndarray

from .dlpack import lives_on_gpu, take, unchanged
from .host_batches import HOST_BATCHES


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
        self.most = int(rows.max()) if len(rows) else 0
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

    @property
    def leading(self):
        """Leading dimensions of row-major matrices, which a batch wants to be at least 1."""
        return self.remember("leading", lambda: np.maximum(self.cols, 1))

    @property
    def heights(self):
        return self.remember("heights", lambda: np.maximum(self.rows, 1))

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
    buffer: ragged[3] is matrix 3. The buffer is a NumPy array, or an array of a GPU. `home` does what depends on where
    the buffer lives.
    """

    __slots__ = ("buffer", "structure", "home")

    def __init__(self, buffer, rows, columns=None):
        rows = sizes(rows, "rows")
        columns = rows if columns is None else sizes(columns, "columns")
        if len(columns) != len(rows):
            raise ValueError(f"columns has {len(columns)} entries, must have {len(rows)}, as rows has")
        self.hold(buffer, Structure(rows, columns, False))

    def hold(self, buffer, structure):
        self.structure = structure
        self.buffer, self.home = (buffer, HOST_BATCHES) if isinstance(buffer, ndarray) else home_of(buffer)
        self.home.check(self.buffer)
        size = self.home.size(self.buffer)
        if size != structure.total:
            raise ValueError(f"buffer has {size} elements, must have {structure.total}")

    @classmethod
    def of(cls, buffer, structure, home):
        """A Ragged of a buffer that needs no check."""
        self = cls.__new__(cls)
        self.buffer, self.structure, self.home = buffer, structure, home
        return self

    @classmethod
    def vectors(cls, buffer, lengths):
        lengths = sizes(lengths, "lengths")
        self = cls.__new__(cls)
        self.hold(buffer, Structure(lengths, np.ones_like(lengths), True))
        return self

    @classmethod
    def pack(cls, arrays):
        return pack(list(arrays), "arrays")[0]

    def copy(self):
        return self.with_buffer(self.home.clone(self.buffer))

    def with_buffer(self, buffer):
        """A Ragged of the same sizes, at the same place, with another buffer."""
        return Ragged.of(buffer, self.structure, self.home)

    def astype(self, dtype):
        return self if self.dtype == dtype else self.with_buffer(self.home.astype(self.buffer, dtype))

    @property
    def dtype(self):
        """NumPy's name of the type, also for arrays of a GPU."""
        return self.home.dtype(self.buffer)

    @property
    def is_row_major(self):
        """Real vectors are column-major, so that one call solves for them."""
        return not self.structure.vector or self.dtype.kind == "c"

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
        return iter(self.home.views(self, self.shapes))

    def __repr__(self):
        return f"Ragged of {len(self)} {'vectors' if self.structure.vector else 'matrices'}, {self.dtype}"


def is_ragged(x):
    """Whether an argument is a ragged batch. A list of lists of numbers is a matrix, as in SciPy."""
    if isinstance(x, Ragged):
        return True
    return isinstance(x, list) and (not x or (hasattr(x[0], "ndim") and x[0].ndim >= 2))


class Shapes(list):
    """The shapes of the caller's arrays, and `give`, which makes the caller's type of a result."""

    give = staticmethod(unchanged)


def pack(arrays, name):
    """A Ragged with copies of the arrays, and the shapes of the arrays."""
    home, give = HOST_BATCHES, unchanged
    if not set(map(type, arrays)) <= {ndarray}:
        arrays, home, give = take_arrays(arrays, name)
    shapes = Shapes([a.shape for a in arrays])
    shapes.give = give
    dimensions = set(map(len, shapes))
    if not dimensions <= {1, 2}:
        number = next(i for i, shape in enumerate(shapes) if len(shape) not in (1, 2))
        raise ValueError(f"{name}[{number}] has shape {tuple(shapes[number])}, must be a vector or a matrix")
    vector = dimensions == {1}
    pairs = shapes if dimensions == {2} else [(*shape, 1)[:2] for shape in shapes]
    rows, cols = np.fromiter(chain.from_iterable(pairs), np.int64, 2 * len(pairs)).reshape(-1, 2).T.copy()
    buffer = home.concatenate(home.adopt(arrays, name))
    return Ragged.of(buffer, Structure(rows, cols, vector), home), shapes


def home_of(buffer):
    """The buffer as its library's array, and its home."""
    if not lives_on_gpu(buffer, "buffer"):
        return buffer, HOST_BATCHES
    from .device_batches import take_buffer
    return take_buffer(buffer)


def take_arrays(arrays, name):
    """Arrays of any library as arrays of one home, the home, and what gives results. The first array tells the home."""
    if lives_on_gpu(arrays[0], f"{name}[0]"):
        from .device_batches import take_arrays
        return *take_arrays(arrays, name), unchanged
    for number, a in enumerate(arrays):
        if lives_on_gpu(a, f"{name}[{number}]"):
            raise ValueError(f"{name}[{number}] lives on another device than {name}[0]")
    taken = [take(a, f"{name}[{number}]") for number, a in enumerate(arrays)]
    give = next((t.give for t in taken if t.give is not unchanged), unchanged)
    return [t.array for t in taken], HOST_BATCHES, give


def take_batch(x, name):
    """The argument as a Ragged; the shapes of its items if it was a list, else None."""
    if isinstance(x, Ragged):
        return x, None
    if not isinstance(x, (list, tuple)):
        raise TypeError(f"{name} is of type {type(x).__name__}, must be a list of arrays or a Ragged")
    return pack(list(x), name)


def same_type(*batches):
    dtype = np.result_type(*(batch.dtype for batch in batches))
    return [batch.astype(dtype) for batch in batches]


def require_square(packed, name):
    if len(packed) and (packed.structure.vector or not packed.structure.square):
        number = next((i for i, shape in enumerate(packed.shapes) if len(shape) != 2 or shape[0] != shape[1]), 0)
        raise ValueError(f"{name}[{number}] has shape {packed.shapes[number]}, must be square")


def require_finite(packed, name):
    is_finite = packed.home.is_finite
    if not is_finite(packed.buffer):
        number = next(i for i, a in enumerate(packed) if not is_finite(a))
        raise ValueError(f"{name}[{number}] must not contain infs or NaNs")
