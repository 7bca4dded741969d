"""The functions of the package for ragged batches, each by one call of a variable-size batch routine."""
import numpy as np

from .calls import ONE, Call
from .dlpack import unchanged
from .errors import not_positive_definite, singular
from .options import require_jitter
from .ragged import Ragged, require_finite, require_square, same_type, take_batch

TRIES = 6


def deliver(packed, shapes):
    if shapes is None:
        return packed
    views = packed.home.views(packed, shapes)
    return views if shapes.give is unchanged else [shapes.give(view) for view in views]


def require_writable(packed, name):
    if not packed.home.is_writable(packed.buffer):
        raise ValueError(f"{name} has a read-only buffer")


def overlap(A, B):
    return A.home is B.home and A.home.overlaps(A.buffer, B.buffer)


def into(packed, out, name):
    """Puts the matrices into the Ragged `out`, in which the result is then computed."""
    if not isinstance(out, Ragged):
        raise TypeError(f"out is of type {type(out).__name__}, must be a Ragged")
    if out.home is not packed.home:
        raise ValueError(f"out lives on another device than {name}")
    if not out.structure.same(packed.structure) or out.dtype != packed.dtype:
        raise ValueError(f"out must have the sizes and the dtype of {name}")
    require_writable(out, "out")
    if out.buffer is not packed.buffer:
        if overlap(out, packed):
            raise ValueError(f"out overlaps {name}")
        packed.home.copy(out.buffer, packed.buffer)
    return out


def take_squares(given, name, check_finite):
    """The matrices, and the shapes of the items if the argument was a list."""
    packed, shapes = take_batch(given, name)
    require_square(packed, name)
    if check_finite:
        require_finite(packed, name)
    return packed, shapes


def memory(packed, shapes, overwrite, out, name):
    """The Ragged in which a result is computed from `packed`. A list has been copied already."""
    if out is not None:
        return into(packed, out, name)
    if shapes is None and not (overwrite and packed.home.is_writable(packed.buffer)):
        return packed.copy()
    return packed


def failures(packed, infos):
    """Pairs of number and info of the matrices that failed. On a GPU this waits."""
    infos = packed.home.space.on_host(infos)
    return [(int(number), int(infos[number])) for number in np.flatnonzero(infos)]


class Factors:
    """The factors of a ragged batch, with infos."""

    def __init__(self, given, lower, overwrite, check_finite, out, check, jitter):
        if jitter is not None:
            jitter = require_jitter(jitter)
        packed, self.shapes = take_squares(given, "a", check_finite)
        # Jitter is added to the given matrices. memory() overwrites the copy of a list, and `out` may be `a` itself.
        kept = jitter is not None and (self.shapes is not None or out is not None)
        original = packed.copy() if kept else packed
        self.packed = memory(packed, self.shapes, overwrite and jitter is None, out, "a")
        self.home = self.packed.home
        self.call = self.home.call(self.packed)
        self.call.potrf(self.home.operand(self.packed), lower)
        self.infos = self.call.infos
        if jitter is not None:
            self.add_jitter(original, lower, jitter)
        if check:
            for number, info in failures(self.packed, self.infos):
                raise not_positive_definite(info, (number,))

    def add_jitter(self, original, lower, jitter):
        """Factors failed matrices anew, each from a fresh copy with more on its diagonal."""
        space = self.home.space
        for number, _ in failures(self.packed, self.infos):
            for power in range(TRIES):
                again = space.own(self.home.item(original[number]))
                space.add_to_diagonal(again, jitter * 10.0 ** power)
                call = Call(space, self.call.routines.letter, ONE, 1)
                call.potrf(space.operand(again, True, True), lower)
                if not space.on_host(call.infos)[0]:
                    space.copy(self.home.item(self.packed[number]), again)
                    self.infos[number] = 0
                    break

    def spoil(self, packed, check):
        """Makes results NaN that belong to failed matrices. With `check` none has failed."""
        if not check:
            self.home.spoil(packed, self.infos)


def factor(a, lower, overwrite_a, check_finite, out, check, jitter, clean):
    factors = Factors(a, lower, overwrite_a, check_finite, out, check, jitter)
    packed = factors.packed
    if clean:
        packed.home.clear_other_triangle(packed, lower)
    result = deliver(packed, factors.shapes)
    return result if check else (result, factors.infos)


def logdet(factors, infos):
    """The log-determinants from the factors, NaN for matrices that failed if there are infos."""
    packed, _ = take_squares(factors, "a", False)
    result = packed.home.logdet(packed)
    return result if infos is None else packed.home.nan_where_failed(infos, result)


def require_nonsingular(packed):
    for number, info in failures(packed, packed.home.zeros_on_diagonal(packed)):
        raise singular(info, (number,))


def take_pair(a, b, names, check_finite):
    """The matrices and the right-hand sides, b as memory of its own if it was a list."""
    A, _ = take_batch(a, names[0])
    B, shapes = take_batch(b, names[1])
    require_square(A, names[0])
    if A.home is not B.home:
        raise ValueError(f"{names[1]} lives on another device than {names[0]}")
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
        if isinstance(out, Ragged) and overlap(out, A):
            raise ValueError(f"out overlaps {names[0]}")
        return into(B, out, names[1])
    if fresh or (overwrite and B.home.is_writable(B.buffer) and not overlap(A, B)):
        return B
    return B.copy()


def solve_triangular(a, b, op, lower, unit, overwrite_b, check_finite, out, check):
    A, B, shapes, fresh = take_pair(a, b, ("a", "b"), check_finite)
    home = A.home
    infos = None
    if check and not unit:
        require_nonsingular(A)
    elif not check:
        infos = home.no_infos(len(A)) if unit else home.zeros_on_diagonal(A)
    X = right_sides(A, B, fresh, overwrite_b, out, ("a", "b"))
    home.call(X).trsm(home.operand(A), home.operand(X), lower=lower, op=op, unit=unit)
    result = deliver(X, shapes)
    return result if check else (result, infos)


def solve_with(factors, X, lower):
    home = factors.home
    home.call(X).potrs(home.operand(factors), home.operand(X), lower)


def cho_solve(c, lower, b, overwrite_b, check_finite, out):
    A, B, shapes, fresh = take_pair(c, b, ("c", "b"), check_finite)
    X = right_sides(A, B, fresh, overwrite_b, out, ("c", "b"))
    solve_with(A, X, lower)
    return deliver(X, shapes)


def posv(a, b, lower, overwrite_a, overwrite_b, check_finite, out, check, jitter):
    A, B, shapes, fresh = take_pair(a, b, ("a", "b"), check_finite)
    if out is not None and (not isinstance(out, Ragged) or overlap(out, A)):
        raise ValueError("out must be a Ragged that does not overlap a")
    overwrite_a = not isinstance(a, Ragged) or A.buffer is not a.buffer or (overwrite_a and not overlap(A, B))
    factors = Factors(A, lower, overwrite_a, False, None, check, jitter)
    X = right_sides(factors.packed, B, fresh, overwrite_b, out, ("a", "b"))
    solve_with(factors.packed, X, lower)
    factors.spoil(X, check)
    result = deliver(X, shapes)
    return result if check else (result, factors.infos)


def inv(a, lower, overwrite_a, check_finite, out, check, jitter):
    factors = Factors(a, lower, overwrite_a, check_finite, out, check, jitter)
    packed, home = factors.packed, factors.home
    home.call(packed).potri(home.operand(packed), lower)
    factors.spoil(packed, check)
    result = deliver(packed, factors.shapes)
    return result if check else (result, factors.infos)


def cholesky_inverse(c, lower, overwrite_c, check_finite, out, check):
    packed, shapes = take_squares(c, "c", check_finite)
    if check:
        require_nonsingular(packed)
    packed = memory(packed, shapes, overwrite_c, out, "c")
    home = packed.home
    call = home.call(packed)
    call.potri(home.operand(packed), lower)
    result = deliver(packed, shapes)
    return result if check else (result, call.infos)


def invert_triangle(a, lower, overwrite_a, check_finite, out, check):
    packed, shapes = take_squares(a, "a", check_finite)
    if check:
        require_nonsingular(packed)
    packed = memory(packed, shapes, overwrite_a, out, "a")
    home = packed.home
    call = home.call(packed)
    call.trtri(home.operand(packed), lower)
    home.clear_other_triangle(packed, lower)
    if not check:
        home.spoil(packed, call.infos)
    result = deliver(packed, shapes)
    return result if check else (result, call.infos)
