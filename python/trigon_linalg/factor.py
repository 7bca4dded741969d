"""Cholesky factorizations: cholesky, cho_factor, logdet, and what posv and inv share with them."""
import numpy as np
from numpy import ndarray

from . import ragged_calls, small
from .arrays import LETTERS, Space, require_matrices
from .calls import ONE, STRIDED, Call
from .dlpack import lean, take, take_out, unchanged
from .errors import not_positive_definite
from .hosted import require_no_device, space_of
from .options import require_jitter
from .ragged import is_ragged

TRIES = 6  # of jitter; the last adds 10^5 times the first


def place(number, batch):
    """The index of matrix `number` of a batch; None if there is one matrix alone."""
    return tuple(map(int, np.unravel_index(number, batch))) if batch else None


def checked_out(out, space, x, name):
    if out is None:
        return None
    require_matrices(x, name)
    target = take_out(out, space)
    space.require_out(target, x.shape, x.dtype, [(name, x)])
    return target


def prepared(space, x, overwrite, target):
    """The memory in which a result is computed from x: `target`, x itself, or a copy."""
    for candidate in (target, x if overwrite else None):
        if candidate is not None:
            A = space.operand(candidate, True, True)
            if A is not None:
                if candidate is not x and not space.same_memory(candidate, x):
                    space.copy(candidate, x)
                return candidate, A
    c = space.own(x)
    return c, space.operand(c, True, True)


def deliver(space, x, out, target, give):
    """The result as the caller gets it: in `out`, or in a new array of the caller's type."""
    if target is None:
        return give(x)
    if not space.same_memory(x, target):
        space.copy(target, x)
    return out


class Factorization:
    """A factor with its infos. `batch` is the shape of the batch, () for one matrix."""

    def __init__(self, x, space, lower, *, overwrite=False, check_finite=True, out=None, check=True, jitter=None,
                 clean=False):
        require_matrices(x, "a")
        if jitter is not None:
            jitter = require_jitter(jitter)
        if check_finite:
            space.require_finite(x, "a")
        self.space = space
        self.batch = x.shape[:-2]
        self.c, self.A = prepared(space, x, overwrite and jitter is None, out)
        self.call = Call(space, LETTERS[x.dtype], STRIDED if self.batch else ONE, int(np.prod(self.batch)))
        self.call.potrf(self.A, lower)
        if jitter is not None:
            self.add_jitter(x, lower, jitter)
        if check:
            self.require_success()
        if clean:
            space.clear_other_triangle(self.c, lower)

    def failed(self):
        return np.flatnonzero(self.space.on_host(self.call.infos))

    def require_success(self):
        for number in self.failed():
            info = int(self.space.on_host(self.call.infos)[number])
            raise not_positive_definite(info, place(number, self.batch))

    def add_jitter(self, x, lower, jitter):
        """Factors failed matrices anew, each from a fresh copy with more on its diagonal."""
        for number in self.failed():
            where = place(number, self.batch) or ()
            for power in range(TRIES):
                again = self.space.own(x[where])
                self.space.add_to_diagonal(again, jitter * 10.0 ** power)
                call = Call(self.space, self.call.routines.letter, ONE, 1)
                call.potrf(self.space.operand(again, True, True), lower)
                if not self.space.on_host(call.infos)[0]:
                    self.space.copy(self.c[where], again)
                    self.call.infos[number] = 0
                    break


def factor(a, lower, overwrite_a, check_finite, out, check, jitter, clean, device):
    if device is None and out is None and jitter is None and not overwrite_a and (tensors := lean(a)):
        c = tensors.factor(a, lower, check_finite, check)
        if c is not None:
            return c
    taken = take(a, "a", host=space_of(device))
    x = taken.array
    require_matrices(x, "a")
    target = checked_out(out, taken.space, x, "a")
    result = Factorization(x, taken.space, lower, overwrite=overwrite_a, check_finite=check_finite, out=target,
                           check=check, jitter=jitter, clean=clean)
    c = deliver(taken.space, result.c, out, target, taken.give)
    return c if check else (c, taken.space.told(result.call.infos, result.batch))


def cholesky(a, lower=False, overwrite_a=False, check_finite=True, *, out=None, check=True, jitter=None, device=None):
    """The Cholesky factor: U with a = UᴴU, or L with a = LLᴴ if `lower`. The other triangle is zero.

    Only the triangle of `a` that `lower` names counts. `a` is a matrix, a stack of matrices, a list of matrices, or a
    Ragged. Raises LinAlgError if a matrix is not positive definite. With check=False nothing is raised: the result is
    the pair (factor, infos), and an info is 0, or the order of the first leading minor that is not positive definite.
    With `jitter` a matrix that fails is factored again, with jitter, 10·jitter, ... 10^5·jitter added to its diagonal.
    `device` names GPUs that compute an array in host memory.
    """
    if type(a) is ndarray and out is None and check and jitter is None and device is None:
        c = small.factor(a, lower, overwrite_a, check_finite, True)
        if c is not None:
            return c
    if is_ragged(a):
        require_no_device(device, "a ragged batch")
        return ragged_calls.factor(a, lower, overwrite_a, check_finite, out, check, jitter, True)
    return factor(a, lower, overwrite_a, check_finite, out, check, jitter, True, device)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True, *, out=None, check=True, jitter=None,
               device=None):
    """The pair (c, lower) that cho_solve takes. The other triangle of c is unspecified.

    Arguments are as in cholesky. With check=False the result is the triple (c, lower, infos).
    """
    if type(a) is ndarray and out is None and check and jitter is None and device is None:
        c = small.factor(a, lower, overwrite_a, check_finite, False)
        if c is not None:
            return c, lower
    if is_ragged(a):
        require_no_device(device, "a ragged batch")
        result = ragged_calls.factor(a, lower, overwrite_a, check_finite, out, check, jitter, False)
    else:
        result = factor(a, lower, overwrite_a, check_finite, out, check, jitter, False, device)
    return (result, lower) if check else (result[0], lower, result[1])


def logdet(a, lower=False, overwrite_a=False, check_finite=True, *, check=True, jitter=None, device=None):
    """The natural logarithm of the determinant of a positive definite matrix, or of each matrix of a batch.

    `a` is the matrix, or the pair (c, lower) of cho_factor, which spares the factorization. The result is of double
    precision. With check=False the result is the pair (logdet, infos), and a failed matrix has NaN. `device` is that of
    cholesky. A factor's logarithms are summed up by the CPU.
    """
    if isinstance(a, tuple) and len(a) == 2 and not is_ragged(a):
        space_of(device)
        factors, infos = a[0], None
    else:
        factors, _, *infos = cho_factor(a, lower, overwrite_a, check_finite, check=check, jitter=jitter, device=device)
    if is_ragged(factors):
        result = ragged_calls.logdet(factors, None if check or infos is None else infos[0])
    else:
        taken = take(factors, "a")
        require_matrices(taken.array, "a")
        space = taken.space
        result = space.logdet(taken.array)
        if not check and infos is not None:
            result = space.nan_where(infos[0] != 0, result)
        if taken.give is unchanged:
            result = float(result) if taken.array.ndim == 2 else result
        else:
            result = taken.give(np.asarray(result) if isinstance(space, Space) else result)
    return result if check or infos is None else (result, infos[0])
