"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices: eigh, eigvalsh."""
import math

import numpy as np

from .arrays import HOST, LETTERS, promote, require_matrices
from .calls import ONE, STRIDED, Call
from .dlpack import take, take_all
from .errors import not_converged, not_positive_definite
from .factor import place, prepared
from .hosted import space_of
from .ragged import is_ragged


def index_range(subset, n, name="subset_by_index"):
    """The range that SciPy's subset_by_index says: the first and the last place, counted from 0."""
    try:
        first, last = subset
        whole = int(first) == first and int(last) == last
    except (TypeError, ValueError):
        whole = False
    if not whole or not 0 <= first <= last < n:
        raise ValueError(f"{name} is {subset!r}, must be two integers, 0 <= first <= last < {n}")
    return int(first), int(last)


def value_range(subset, name="subset_by_value"):
    """The range that SciPy's subset_by_value says: the values above the first number, up to the second."""
    try:
        low, high = map(float, subset)
        ordered = low < high
    except (TypeError, ValueError):
        ordered = False
    if not ordered:
        raise ValueError(f"{name} is {subset!r}, must be two real numbers, the lower one first")
    return low, high


def chosen(by_index, by_value, a):
    """What is asked for of the spectrum, as keywords of Call.syevd."""
    if by_index is not None and by_value is not None:
        raise ValueError("subset_by_index and subset_by_value are given, must be one of them")
    if by_value is not None:
        if a.ndim > 2:
            raise ValueError(f"subset_by_value is given, must be None for a stack: a has shape {a.shape}")
        return {"values": value_range(by_value)}
    return {} if by_index is None else {"places": index_range(by_index, a.shape[-1])}


def require_solver(space, dtype):
    """Raises the library's own error if the context that computes arrays of this space has no eigensolver."""
    if space is not HOST:
        Call(space, LETTERS[dtype], ONE, 1).solve_nothing()


def second_matrix(space, a, b, row, overwrite):
    """b as the library overwrites it. The flags of a call hold for both matrices, so that b gets the layout of a."""
    if overwrite and not space.overlaps(a, b):
        B = space.operand(b, row, True)
        if B is not None and B.row == row:
            return b
    return space.own(b, order="C" if row else "F")


def factored(space, a, b, lower, row, overwrite):
    """The Cholesky factors of all matrices in b, in the triangles that `lower` names."""
    c = second_matrix(space, a, b, row, overwrite)
    batch = b.shape[:-2]
    for index in np.ndindex(batch):
        call = Call(space, LETTERS[b.dtype], ONE, 1)
        call.potrf(space.operand(c[index], row, True), lower)
        info = int(space.on_host(call.infos)[0])
        if info:
            raise not_positive_definite(info, index if batch else None, "b")
    return c


class Problems:
    """The eigenproblems of a stack. `v` is the memory of the vectors, w that of the values."""

    def __init__(self, space, a, b, lower, kind, vectors, overwrite_a, overwrite_b, part):
        self.lower, self.kind, self.vectors, self.part = lower, kind, vectors, part
        self.space = space
        batch = a.shape[:-2]
        c = None
        if b is not None:
            batch = batches_of(a, b)
        if batch != a.shape[:-2]:
            a, overwrite_a = space.broadcast(a, (*batch, *a.shape[-2:])), False
        self.v, A = prepared(space, a, overwrite_a and (b is None or not space.overlaps(a, b)), None)
        self.row = A.row
        if b is not None:
            c = factored(space, a, b, lower, self.row, overwrite_b)
            c = space.broadcast(c, (*batch, *c.shape[-2:]))
        self.w = space.empty((*batch, a.shape[-1]), np.dtype(a.dtype.char.lower()), "C")
        first, last = part.get("places", (0, a.shape[-1] - 1))
        self.found = last - first + 1  # also of an empty stack
        if batch and a.size and c is None and not part:
            self.solve_stack(A)
        else:
            for number, index in enumerate(np.ndindex(batch) if a.size else ()):
                self.solve(number, index, None if c is None else c[index])
        if self.vectors and self.row and a.dtype.kind == "c":
            space.conjugate_in_place(self.v)

    def solve_stack(self, A):
        """All matrices by one call."""
        batch = self.v.shape[:-2]
        call = Call(self.space, LETTERS[self.v.dtype], STRIDED, math.prod(batch))
        call.syevd_stack(A, self.space.operand(self.w[..., None], False, True), self.lower, self.vectors)
        infos = self.space.on_host(call.infos)
        for number in np.flatnonzero(infos):
            raise not_converged(int(infos[number]), place(int(number), batch))

    def solve(self, number, index, factor):
        space = self.space
        call = Call(space, LETTERS[self.v.dtype], ONE, 1)
        A = space.operand(self.v[index], self.row, True)
        B = None if factor is None else space.operand(factor, self.row, False)
        if B is not None:
            call.sygst(A, B, self.lower, self.kind)
        w = space.operand(self.w[index][:, None], False, True)
        self.found = call.syevd(A, w, self.lower, self.vectors, **self.part)
        info = int(space.on_host(call.infos)[0])
        if info:
            raise not_converged(info, place(number, self.v.shape[:-2]))
        if B is not None and self.vectors and self.found:
            call.transform_back(A, B, self.lower, self.kind, self.found)

    def results(self):
        """The values; and the vectors, as columns. The memory of a row-major matrix holds them as rows."""
        w = self.w[..., :self.found]
        v = self.space.swapped(self.v) if self.row else self.v
        return w, v[..., :self.found]


def batches_of(a, b):
    if b.shape[-2:] != a.shape[-2:]:
        raise ValueError(f"b has shape {b.shape}, must have matrices of the order of a, which has shape {a.shape}")
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(f"b has shape {b.shape}, whose batch does not fit a of shape {a.shape}") from None


def solve(a, b, lower, vectors, overwrite_a, overwrite_b, kind, by_index, by_value, check_finite, device):
    if is_ragged(a):
        raise ValueError("a is a ragged batch, must be one matrix or a stack of matrices")
    if isinstance(kind, bool) or kind not in (1, 2, 3):
        raise ValueError(f"type is {kind!r}, must be 1, 2 or 3")
    host = space_of(device)
    if b is None:
        taken = take(a, "a", host=host)
        given = [taken.array]
        space, give = taken.space, taken.give
    else:
        given, space, give = take_all((a, "a"), (b, "b"), host=host)
    for x, name in zip(given, "ab"):
        require_matrices(x, name)
    part = chosen(by_index, by_value, given[0])
    if b is not None:
        batches_of(*given)
    arrays = promote(*given) if b is not None else given
    require_solver(space, arrays[0].dtype)
    if check_finite:
        for x, name in zip(arrays, "ab"):
            space.require_finite(x, name)
    fresh = [x is not old for x, old in zip(arrays, given)]  # a promoted argument is a copy already
    b = arrays[1] if len(arrays) > 1 else None
    problems = Problems(space, arrays[0], b, lower, kind, vectors, overwrite_a or fresh[0],
                        b is not None and (overwrite_b or fresh[1]), part)
    w, v = problems.results()
    return (give(w), give(v)) if vectors else give(w)


def eigh(a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1,
         subset_by_index=None, subset_by_value=None, check_finite=True, device=None):
    """The eigenvalues w, which ascend, and the eigenvectors v[:, i] of a symmetric or Hermitian matrix: (w, v).

    Only the triangle of `a` that `lower` names counts. With a positive definite b, the generalized problem: `type` 1 is
    a·v = w·b·v, 2 is a·b·v = w·v, 3 is b·a·v = w·v, and vᴴ·b·v (of type 3: vᴴ·b⁻¹·v) is the unit matrix. With
    eigvals_only the result is w alone. subset_by_index=(first, last) asks for the values at these places, counted from
    0, and subset_by_value=(low, high) for those in (low, high]. `a` and b are matrices or stacks. The matrices of a
    stack `a` are computed together; with b, or a subset, one after the other. With overwrite_a the vectors may overwrite `a`, and with overwrite_b the factor of b
    may overwrite b. Raises LinAlgError if b is not positive definite, or if there is no convergence. `device` is that
    of cholesky; a GPU does not take matrices in host memory yet.
    """
    return solve(a, b, lower, not eigvals_only, overwrite_a, overwrite_b, type, subset_by_index, subset_by_value,
                 check_finite, device)


def eigvalsh(a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, subset_by_index=None,
             subset_by_value=None, check_finite=True, device=None):
    """The eigenvalues of a symmetric or Hermitian matrix, or of a generalized problem. Arguments are those of eigh."""
    return solve(a, b, lower, False, overwrite_a, overwrite_b, type, subset_by_index, subset_by_value, check_finite,
                 device)
