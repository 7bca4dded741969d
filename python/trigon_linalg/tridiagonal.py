"""Eigenvalues and eigenvectors of real symmetric tridiagonal matrices: eigh_tridiagonal."""
import numpy as np

from .arrays import LETTERS, promote
from .calls import ONE, Call
from .dlpack import take_all
from .eigen import index_range, require_solver, value_range
from .errors import not_converged
from .hosted import space_of


def require_diagonals(d, e):
    for x, name in (d, "d"), (e, "e"):
        if x.ndim != 1:
            raise ValueError(f"{name} has shape {x.shape}, must have one dimension")
        if x.dtype.kind == "c":
            raise TypeError(f"{name} is of type {x.dtype}, must be real")
    if e.shape[0] != max(d.shape[0] - 1, 0):
        raise ValueError(f"e has length {e.shape[0]}, must have {max(d.shape[0] - 1, 0)}: one less than d")


def chosen(select, select_range, n):
    """What is asked for, as keywords of Call.stebz."""
    if select in ("a", "all"):
        return {}
    if select in ("v", "value"):
        return {"values": value_range(select_range, "select_range")}
    if select in ("i", "index"):
        return {"places": index_range(select_range, n, "select_range")}
    raise ValueError(f"select is {select!r}, must be 'a', 'v' or 'i'")


class Problem:
    """A tridiagonal matrix. The library overwrites d, or only reads both diagonals."""

    def __init__(self, space, d, e):
        self.space, self.d, self.e = space, d, e
        self.call = Call(space, LETTERS[d.dtype], ONE, 1)

    def operand(self, x, written):
        return self.space.operand(x[:, None], False, written)

    def check(self):
        info = int(self.space.on_host(self.call.infos)[0])
        if info:
            raise not_converged(info, None)

    def values(self, part):
        n = self.d.shape[0]
        w = self.space.empty((n,), self.d.dtype, "C")
        found = self.call.stebz(self.operand(self.d, False), self.operand(self.e, False), self.operand(w, True),
                                **(part or {"places": (0, n - 1)}))
        self.check()
        return w[:found]

    def vectors(self, part):
        n = self.d.shape[0]
        w = self.space.own(self.d, order="C")
        v = self.space.empty((n, n), self.d.dtype, "F")
        self.call.stedc(self.operand(w, True), self.operand(self.e, False), self.space.operand(v, False, True))
        self.check()
        first, last = part.get("places", (0, n - 1))
        if "values" in part:
            low, high = np.searchsorted(self.space.on_host(w), part["values"], side="right")
            first, last = int(low), int(high) - 1
        return w[first:last + 1], v[:, first:last + 1]


def eigh_tridiagonal(d, e, *, eigvals_only=False, select="a", select_range=None, check_finite=True, device=None):
    """The eigenvalues w, which ascend, and the eigenvectors v[:, i] of a real symmetric tridiagonal matrix: (w, v).

    d is its diagonal, and e has the elements beside the diagonal. With eigvals_only the result is w alone. select="i"
    asks for the values at the places select_range=(first, last), counted from 0, and select="v" for those in
    select_range=(low, high]. Raises LinAlgError if there is no convergence. `device` is that of cholesky.
    """
    (d, e), space, give = take_all((d, "d"), (e, "e"), host=space_of(device))
    require_diagonals(d, e)
    part = chosen(select, select_range, d.shape[0])
    d, e = promote(d, e)
    require_solver(space, d.dtype)
    if check_finite:
        space.require_finite(d, "d")
        space.require_finite(e, "e")
    if d.shape[0] == 0:
        w = space.empty((0,), d.dtype, "C")
        return give(w) if eigvals_only else (give(w), give(space.empty((0, 0), d.dtype, "F")))
    problem = Problem(space, space.own(d, order="C"), space.own(e, order="C"))
    if eigvals_only:
        return give(problem.values(part))
    w, v = problem.vectors(part)
    return give(w), give(v)
