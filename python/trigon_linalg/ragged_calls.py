"""The functions of the package for ragged batches, each by one call of a variable-size batch routine."""
import numpy as np

from .arrays import HOST, LETTERS
from .calls import ONE, RAGGED, Call
from .errors import not_positive_definite, singular
from .options import require_jitter
from .ragged import Ragged, operand, require_finite, require_square, same_type, take_batch, views

TRIES = 6


def new_call(packed):
    return Call(HOST, LETTERS[packed.dtype], RAGGED, len(packed))


def deliver(packed, shapes):
    return packed if shapes is None else views(packed, shapes)


def require_writable(packed, name):
    if not packed.buffer.flags.writeable:
        raise ValueError(f"{name} has a read-only buffer")


def into(packed, out, name):
    """Puts the matrices into the Ragged `out`, in which the result is then computed."""
    if not isinstance(out, Ragged):
        raise TypeError(f"out is of type {type(out).__name__}, must be a Ragged")
    if not out.structure.same(packed.structure) or out.dtype != packed.dtype:
        raise ValueError(f"out must have the sizes and the dtype of {name}")
    require_writable(out, "out")
    if out.buffer is not packed.buffer:
        if np.may_share_memory(out.buffer, packed.buffer):
            raise ValueError(f"out overlaps {name}")
        np.copyto(out.buffer, packed.buffer)
    return out


class Factors:
    """The factors of a ragged batch, with infos."""

    def __init__(self, given, lower, overwrite, check_finite, out, check, jitter):
        if jitter is not None:
            jitter = require_jitter(jitter)
        packed, self.shapes = take_batch(given, "a", False)
        require_square(packed, "a")
        if check_finite:
            require_finite(packed, "a")
        original = packed
        if out is not None:
            if jitter is not None:
                original = packed.copy()
            packed = into(packed, out, "a")
        elif jitter is not None or (self.shapes is None and not (overwrite and packed.buffer.flags.writeable)):
            packed = packed.copy()
        self.packed = packed
        self.call = new_call(packed)
        self.call.potrf(operand(packed), lower)
        self.infos = self.call.infos
        if jitter is not None:
            self.add_jitter(original, lower, jitter)
        if check:
            for number in np.flatnonzero(self.infos):
                raise not_positive_definite(int(self.infos[number]), (int(number),))

    def add_jitter(self, original, lower, jitter):
        for number in map(int, np.flatnonzero(self.infos)):
            for power in range(TRIES):
                again = original[number].copy()
                HOST.add_to_diagonal(again, jitter * 10.0 ** power)
                call = Call(HOST, self.call.routines.letter, ONE, 1)
                call.potrf(HOST.operand(again, True, True), lower)
                if not call.infos[0]:
                    self.packed[number][...] = again
                    self.infos[number] = 0
                    break

    def spoil(self, packed):
        for number in map(int, np.flatnonzero(self.infos)):
            packed[number][...] = np.nan


def factor(a, lower, overwrite_a, check_finite, out, check, jitter, clean):
    factors = Factors(a, lower, overwrite_a, check_finite, out, check, jitter)
    packed = factors.packed
    if clean:
        np.copyto(packed.buffer, 0, where=packed.structure.other_triangle(bool(lower)))
    result = deliver(packed, factors.shapes)
    return result if check else (result, factors.infos)


def logdet(factors):
    packed, _ = take_batch(factors, "a", False)
    require_square(packed, "a")
    structure = packed.structure
    diagonal = np.abs(packed.buffer[structure.diagonal()]).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * np.bincount(structure.owners(), weights=np.log(diagonal), minlength=len(packed))


def zeros_on_diagonal(packed):
    """For each matrix the place of the first zero on its diagonal, counted from 1, or 0."""
    structure = packed.structure
    infos = np.zeros(len(packed), np.int64)
    zeros = np.flatnonzero(packed.buffer[structure.diagonal()] == 0)[::-1]
    infos[structure.owners()[zeros]] = structure.places()[zeros] + 1  # the last assignment stays: the first zero
    return infos


def require_nonsingular(packed):
    infos = zeros_on_diagonal(packed)
    for number in np.flatnonzero(infos):
        raise singular(int(infos[number]), (int(number),))


def take_pair(a, b, names, check_finite):
    """The matrices and the right-hand sides, b as memory of its own if it was a list."""
    A, _ = take_batch(a, names[0], False)
    B, shapes = take_batch(b, names[1], False)
    require_square(A, names[0])
    if len(A) != len(B):
        raise ValueError(f"{names[1]} has {len(B)} items, must have {len(A)}, as {names[0]} has")
    unequal = np.flatnonzero(A.structure.rows != B.structure.rows)
    for number in unequal:
        raise ValueError(f"{names[1]}[{number}] has {B.structure.rows[number]} rows, must have "
                         f"{A.structure.rows[number]}, as {names[0]}[{number}] has")
    if check_finite:
        require_finite(A, names[0])
        require_finite(B, names[1])
    given = B.buffer
    A, B = same_type(A, B)
    return A, B, shapes, shapes is not None or B.buffer is not given


def right_sides(A, B, fresh, overwrite, out, names):
    """The Ragged that the solution overwrites, with B in it."""
    if out is not None:
        if isinstance(out, Ragged) and np.may_share_memory(out.buffer, A.buffer):
            raise ValueError(f"out overlaps {names[0]}")
        return into(B, out, names[1])
    writable = B.buffer.flags.writeable and not np.may_share_memory(A.buffer, B.buffer)
    return B if fresh or (overwrite and writable) else B.copy()


def solve_triangular(a, b, op, lower, unit, overwrite_b, check_finite, out, check):
    A, B, shapes, fresh = take_pair(a, b, ("a", "b"), check_finite)
    infos = np.zeros(len(A), np.int64) if unit else zeros_on_diagonal(A)
    if check and not unit:
        require_nonsingular(A)
    X = right_sides(A, B, fresh, overwrite_b, out, ("a", "b"))
    new_call(X).trsm(operand(A), operand(X), lower=lower, op=op, unit=unit)
    result = deliver(X, shapes)
    return result if check else (result, infos)


def cho_solve(c, lower, b, overwrite_b, check_finite, out):
    A, B, shapes, fresh = take_pair(c, b, ("c", "b"), check_finite)
    X = right_sides(A, B, fresh, overwrite_b, out, ("c", "b"))
    new_call(X).potrs(operand(A), operand(X), lower)
    return deliver(X, shapes)


def posv(a, b, lower, overwrite_a, overwrite_b, check_finite, out, check, jitter):
    A, B, shapes, fresh = take_pair(a, b, ("a", "b"), check_finite)
    if out is not None and (not isinstance(out, Ragged) or np.may_share_memory(out.buffer, A.buffer)):
        raise ValueError("out must be a Ragged that does not overlap a")
    overwrite_a = not isinstance(a, Ragged) or A.buffer is not a.buffer or (
        overwrite_a and not np.may_share_memory(A.buffer, B.buffer))
    factors = Factors(A, lower, overwrite_a, False, None, check, jitter)
    X = right_sides(factors.packed, B, fresh, overwrite_b, out, ("a", "b"))
    new_call(X).potrs(operand(factors.packed), operand(X), lower)
    factors.spoil(X)
    result = deliver(X, shapes)
    return result if check else (result, factors.infos)


def inv(a, lower, overwrite_a, check_finite, out, check, jitter):
    factors = Factors(a, lower, overwrite_a, check_finite, out, check, jitter)
    new_call(factors.packed).potri(operand(factors.packed), lower)
    factors.spoil(factors.packed)
    result = deliver(factors.packed, factors.shapes)
    return result if check else (result, factors.infos)


def cholesky_inverse(c, lower, overwrite_c, check_finite, out):
    packed, shapes = take_batch(c, "c", False)
    require_square(packed, "c")
    if check_finite:
        require_finite(packed, "c")
    require_nonsingular(packed)
    if out is not None:
        packed = into(packed, out, "c")
    elif shapes is None and not (overwrite_c and packed.buffer.flags.writeable):
        packed = packed.copy()
    new_call(packed).potri(operand(packed), lower)
    return deliver(packed, shapes)
