"""Solves and inverses: solve_triangular, cho_solve, posv, inv, cholesky_inverse."""
import numpy as np
from numpy import ndarray

from . import ragged_calls, small
from .arrays import LETTERS, promote, require_matrices
from .calls import ONE, STRIDED, Call
from .dlpack import lean, take, take_all, take_out
from .errors import singular
from .factor import Factorization, checked_out, deliver, place, prepared
from .hosted import require_no_device, space_of
from .options import trans_code
from .ragged import is_ragged


def solution_shape(a, b, names, right=False):
    """The batch and the shape of the solution, the latter with a last dimension of columns, also for a vector.

    As in SciPy, b of one dimension is one vector, and any other b is a matrix or a stack of matrices. The dimensions
    of batches in `a` and in b are broadcast.
    """
    if b.ndim == 0:
        raise ValueError(f"{names[1]} has shape (), must have at least 1 dimension")
    n = a.shape[-1]
    rows, columns, batch = (b.shape[0], 1, ()) if b.ndim == 1 else (b.shape[-2], b.shape[-1], b.shape[:-2])
    if right and (b.ndim == 1 or columns != n):
        raise ValueError(f"{names[1]} has shape {b.shape}, must be a matrix of {n} columns, as {names[0]} has")
    if not right and rows != n:
        raise ValueError(f"{names[1]} has shape {b.shape}, must have {n} rows, as {names[0]} has")
    try:
        batch = np.broadcast_shapes(a.shape[:-2], batch)
    except ValueError:
        raise ValueError(f"{names[1]} has shape {b.shape}, whose batch does not fit {names[0]} of shape "
                         f"{a.shape}") from None
    return batch, (*batch, rows, columns)


class RightSides:
    """What is solved for: b in memory that the solution overwrites."""

    def __init__(self, space, a, b, overwrite, out, a_row, names=("a", "b"), right=False):
        self.space = space
        self.vector = b.ndim == 1
        self.batch, shape = solution_shape(a, b, names, right)
        columns = b[:, None] if self.vector else b
        self.out = out
        self.target = None if out is None else self.checked(out, a, b, shape, names)
        complex_type = b.dtype.kind == "c"
        prefer_row = a_row if complex_type else False
        order = ("C" if a_row else "F") if complex_type else "K"  # so that no conjugation is needed
        for candidate in (self.target, b if overwrite and not space.overlaps(a, b) else None):
            if candidate is None:
                continue
            view = candidate[..., None] if self.vector else candidate
            self.B = space.operand(view, prefer_row, True) if view.shape == shape else None
            if self.B is not None:
                self.x = view
                if candidate is not b and not space.same_memory(candidate, b):
                    space.copy(view, columns)
                return
        self.x = space.own(columns, shape, order)
        self.B = space.operand(self.x, prefer_row, True)

    def checked(self, out, a, b, shape, names):
        target = take_out(out, self.space)
        self.space.require_out(target, shape[:-1] if self.vector else shape, b.dtype, [(names[1], b)])
        if self.space.overlaps(target, a):
            raise ValueError(f"out overlaps {names[0]}")
        return target

    def result(self, give):
        x = self.x[..., 0] if self.vector else self.x
        if self.target is None:
            return give(x)
        if not self.space.same_memory(x, self.target):
            self.space.copy(self.target, x)
        return self.out


def square_operand(space, a, batch):
    """The operand of the matrices on the left, once for each matrix of the batch."""
    return space.input_operand(space.broadcast(a, (*batch, *a.shape[-2:])))


def new_call(space, a, batch):
    return Call(space, LETTERS[a.dtype], STRIDED if batch else ONE, int(np.prod(batch)))


def is_row_major(space, a):
    A = space.operand(a, True, False)
    return A is None or A.row


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True, *,
                     out=None, check=True, device=None):
    """Solves op(a)·x = b for a triangular matrix. op(a) is a, aᵀ or aᴴ: trans is 0, 1, 2, or "N", "T", "C".

    The other triangle of `a` is not read. `a` is a matrix, a stack of matrices, a list of matrices, or a Ragged.
    Raises LinAlgError if a diagonal element is zero. With check=False the result is the pair (x, infos): an info is 0,
    or the place of the first zero on the diagonal, counted from 1. `device` is that of cholesky.
    """
    if type(a) is ndarray and type(b) is ndarray and out is None and check and device is None:
        x = small.solve_triangular(a, b, trans, lower, unit_diagonal, overwrite_b, check_finite)
        if x is not None:
            return x
    op = trans_code(trans)
    if is_ragged(a):
        require_no_device(device, "a ragged batch")
        return ragged_calls.solve_triangular(a, b, op, lower, unit_diagonal, overwrite_b, check_finite, out, check)
    if device is None and out is None and not overwrite_b and (tensors := lean(a, b)):
        x = tensors.solve_triangular(a, b, op, lower, unit_diagonal, check_finite, check)
        if x is not None:
            return x
    (a, b), space, give = take_all((a, "a"), (b, "b"), host=space_of(device))
    require_matrices(a, "a")
    a, b = promote(a, b)
    if check_finite:
        space.require_finite(a, "a")
        space.require_finite(b, "b")
    batch, _ = solution_shape(a, b, ("a", "b"))
    # check=None is for the operators of PyTorch: nobody asks for infos, and nobody waits.
    infos = None if unit_diagonal or check is None else space.zeros_on_diagonal(a)
    if check and infos is not None:
        for number in np.flatnonzero(infos):
            raise singular(int(infos.flat[number]), place(number, a.shape[:-2]))
    right = RightSides(space, a, b, overwrite_b, out, is_row_major(space, a))
    call = new_call(space, a, right.batch)
    call.trsm(square_operand(space, a, right.batch), right.B, lower=lower, op=op, unit=unit_diagonal)
    x = right.result(give)
    if check:
        return x
    infos = np.broadcast_to(0 if infos is None else infos, batch)
    return x, (infos.astype(np.int64) if batch else int(infos))


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True, *, out=None, device=None):
    """Solves a·x = b with the factor (c, lower) of `a` from cho_factor. `device` is that of cholesky."""
    c, lower = c_and_lower
    if type(c) is ndarray and type(b) is ndarray and out is None and device is None:
        x = small.factored(c, b, lower, False, overwrite_b, check_finite, False)
        if x is not None:
            return x
    if is_ragged(c):
        require_no_device(device, "a ragged batch")
        return ragged_calls.cho_solve(c, lower, b, overwrite_b, check_finite, out)
    if device is None and out is None and not overwrite_b and (tensors := lean(c, b)):
        x = tensors.cho_solve(c, b, lower, check_finite)
        if x is not None:
            return x
    (c, b), space, give = take_all((c, "c"), (b, "b"), host=space_of(device))
    require_matrices(c, "c")
    c, b = promote(c, b)
    if check_finite:
        space.require_finite(c, "c")
        space.require_finite(b, "b")
    right = RightSides(space, c, b, overwrite_b, out, is_row_major(space, c), ("c", "b"))
    new_call(space, c, right.batch).potrs(square_operand(space, c, right.batch), right.B, lower)
    return right.result(give)


def posv(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, *, out=None, check=True,
         jitter=None, device=None):
    """Solves a·x = b for a positive definite matrix: cho_factor and cho_solve in one.

    With overwrite_a the factor may overwrite `a`. With check=False the result is the pair (x, infos), and x of a matrix
    that is not positive definite is NaN. `jitter` and `device` are those of cholesky.
    """
    if type(a) is ndarray and type(b) is ndarray and out is None and check and jitter is None and device is None:
        x = small.factored(a, b, lower, overwrite_a, overwrite_b, check_finite, True)
        if x is not None:
            return x
    if is_ragged(a):
        require_no_device(device, "a ragged batch")
        return ragged_calls.posv(a, b, lower, overwrite_a, overwrite_b, check_finite, out, check, jitter)
    plain = device is None and out is None and jitter is None
    if plain and not (overwrite_a or overwrite_b) and (tensors := lean(a, b)):
        x = tensors.posv(a, b, lower, check_finite, check)
        if x is not None:
            return x
    (a, b), space, give = take_all((a, "a"), (b, "b"), host=space_of(device))
    require_matrices(a, "a")
    given = a
    a, b = promote(a, b)
    if check_finite:
        space.require_finite(a, "a")
        space.require_finite(b, "b")
    # All arguments are checked before a is overwritten, and b is overwritten only if a is positive definite.
    right = RightSides(space, a, b, False, out, True) if out is not None else solution_shape(a, b, ("a", "b"))
    overwrite_a = a is not given or (overwrite_a and not space.overlaps(a, b))
    factored = Factorization(a, space, lower, overwrite=overwrite_a, check_finite=False, check=check, jitter=jitter)
    right = RightSides(space, factored.c, b, overwrite_b, out, factored.A.row)
    new_call(space, a, right.batch).potrs(square_operand(space, factored.c, right.batch), right.B, lower)
    if not check:
        space.spoil(right.x, factored.call.infos, factored.batch)
    x = right.result(give)
    return x if check else (x, space.told(factored.call.infos, factored.batch))


def invert(space, c, A, lower, batch):
    """Both triangles of the inverse, in the memory of the factor."""
    call = new_call(space, c, batch)
    call.potri(A, lower)
    if not batch:
        space.mirror(c, lower)
    return call


def inv(a, overwrite_a=False, check_finite=True, *, assume_a="pos", lower=False, out=None, check=True, jitter=None,
        device=None):
    """The inverse of a positive definite matrix. `lower` says which triangle of `a` counts.

    With assume_a="lower triangular" or "upper triangular" the inverse of a triangular matrix. Unlike in SciPy, "pos" is
    the default, and there is no "gen". With check=False the result is the pair (inverse, infos), and the inverse of a
    matrix that has none is NaN. `device` is that of cholesky.
    """
    if type(a) is ndarray and assume_a in ("pos", "positive definite") and out is None and check and jitter is None and device is None:
        x = small.inverse(a, lower, overwrite_a, check_finite, False)
        if x is not None:
            return x
    if assume_a in ("lower triangular", "upper triangular"):
        return invert_triangle(a, assume_a == "lower triangular", overwrite_a, check_finite, out, check, device)
    if assume_a not in ("pos", "positive definite"):
        raise ValueError(f"assume_a is {assume_a!r}, must be 'pos', 'lower triangular' or 'upper triangular'")
    if is_ragged(a):
        require_no_device(device, "a ragged batch")
        return ragged_calls.inv(a, lower, overwrite_a, check_finite, out, check, jitter)
    if device is None and out is None and jitter is None and not overwrite_a and (tensors := lean(a)):
        x = tensors.inv(a, lower, check_finite, check)
        if x is not None:
            return x
    taken = take(a, "a", host=space_of(device))
    space, x = taken.space, taken.array
    target = checked_out(out, space, x, "a")
    factored = Factorization(x, space, lower, overwrite=overwrite_a, check_finite=check_finite, out=target,
                             check=check, jitter=jitter)
    invert(space, factored.c, factored.A, lower, factored.batch)
    if not check:
        space.spoil(factored.c, factored.call.infos, factored.batch)
    result = deliver(space, factored.c, out, target, taken.give)
    return result if check else (result, space.told(factored.call.infos, factored.batch))


def require_nonzero_diagonal(space, x):
    infos = space.zeros_on_diagonal(x)
    for number in np.flatnonzero(infos):
        raise singular(int(infos.flat[number]), place(number, x.shape[:-2]))


def cholesky_inverse(c, lower=False, overwrite_c=False, check_finite=True, *, out=None, check=True, device=None):
    """The inverse of the matrix whose Cholesky factor is c. c may also be the pair (c, lower) of cho_factor.

    Raises LinAlgError if a diagonal element is zero. With check=False the result is the pair (inverse, infos): an info
    is 0, or the place of the first zero on the diagonal, counted from 1; then the inverse is unspecified. `device` is
    that of cholesky.
    """
    if isinstance(c, tuple) and len(c) == 2 and not is_ragged(c):
        c, lower = c
    if type(c) is ndarray and out is None and check and device is None:
        x = small.inverse(c, lower, overwrite_c, check_finite, True)
        if x is not None:
            return x
    if is_ragged(c):
        require_no_device(device, "a ragged batch")
        return ragged_calls.cholesky_inverse(c, lower, overwrite_c, check_finite, out, check)
    if device is None and out is None and not overwrite_c and (tensors := lean(c)):
        x = tensors.cholesky_inverse(c, lower, check_finite, check)
        if x is not None:
            return x
    return inverse_of_factor(c, lower, overwrite_c, check_finite, out, check, device)


def inverse_of_factor(c, lower, overwrite_c, check_finite, out, check, device=None):
    """The general way of cholesky_inverse."""
    taken = take(c, "c", host=space_of(device))
    space, x = taken.space, taken.array
    require_matrices(x, "c")
    if check_finite:
        space.require_finite(x, "c")
    target = checked_out(out, space, x, "c")
    if check:
        require_nonzero_diagonal(space, x)
    result, A = prepared(space, x, overwrite_c, target)
    call = invert(space, result, A, lower, x.shape[:-2])
    result = deliver(space, result, out, target, taken.give)
    return result if check else (result, space.told(call.infos, x.shape[:-2]))


def invert_triangle(a, lower, overwrite_a, check_finite, out, check, device):
    if is_ragged(a):
        require_no_device(device, "a ragged batch")
        return ragged_calls.invert_triangle(a, lower, overwrite_a, check_finite, out, check)
    taken = take(a, "a", host=space_of(device))
    space, x = taken.space, taken.array
    require_matrices(x, "a")
    if check_finite:
        space.require_finite(x, "a")
    target = checked_out(out, space, x, "a")
    if check:
        require_nonzero_diagonal(space, x)
    batch = x.shape[:-2]
    result, A = prepared(space, x, overwrite_a, target)
    call = new_call(space, x, batch)
    call.trtri(A, lower)
    space.clear_other_triangle(result, lower)
    if not check:
        space.spoil(result, call.infos, batch)
    result = deliver(space, result, out, target, taken.give)
    return result if check else (result, space.told(call.infos, batch))
