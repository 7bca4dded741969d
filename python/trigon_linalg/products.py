"""Products: gemm, symm, syrk, trmm. As in BLAS, NaN and infinity are no errors here."""
import numpy as np

from .arrays import LETTERS, promote, require_matrices
from .calls import ONE, Call
from .dlpack import take_all, take_out
from .hosted import space_of
from .options import on_the_right, trans_code
from .solve import RightSides, is_row_major, new_call, square_operand


def scalar(value, name, dtype, real=False):
    """A scalar that the arrays' type can hold. A Hermitian update takes real scalars only."""
    try:
        number = complex(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}, must be a number") from None
    if number.imag == 0:
        return number.real
    if real or dtype.kind != "c":
        raise ValueError(f"{name} is {value!r}, must be real")
    return number


def take_products(*pairs, device=None):
    """The arrays of a product in their common type. Without c there is one less."""
    present = [(x, name) for x, name in pairs if x is not None or name != "c"]
    arrays, space, give = take_all(*present, host=space_of(device))
    for a, (_, name) in zip(arrays, present):
        require_matrices(a, name, square=False)
    return promote(*arrays), space, give


class Result:
    """C of a product: new memory, or `out`, or c that may be overwritten."""

    def __init__(self, space, c, shape, dtype, overwrite_c, out, order, inputs):
        if c is not None and c.shape != shape:
            try:
                c = space.broadcast(c, shape)
            except ValueError:
                raise ValueError(f"c has shape {c.shape}, must be {shape}") from None
            overwrite_c = False
        self.space = space
        self.out = out
        self.target = None
        if out is not None:
            self.target = take_out(out, space)
            space.require_out(self.target, shape, dtype, [("c", c)] if c is not None else [])
            for name, a in inputs:
                if space.overlaps(self.target, a):
                    raise ValueError(f"out overlaps {name}")
        if overwrite_c and c is not None and any(space.overlaps(c, a) for _, a in inputs):
            overwrite_c = False
        for candidate in (self.target, c if overwrite_c else None):
            self.C = None if candidate is None else space.operand(candidate, order != "F", True)
            if self.C is not None:
                self.x = candidate
                if c is not None and candidate is not c and not space.same_memory(candidate, c):
                    space.copy(candidate, c)
                return
        self.x = space.empty(shape, dtype, order)
        if c is not None:
            space.copy(self.x, c)
        self.C = space.operand(self.x, order != "F", True)

    def result(self, give):
        if self.target is None:
            return give(self.x)
        if not self.space.same_memory(self.x, self.target):
            self.space.copy(self.target, self.x)
        return self.out


def batch_of(*pairs):
    try:
        return np.broadcast_shapes(*(a.shape[:-2] for _, a in pairs))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in pairs)
        raise ValueError(f"{shapes}: the batches of these shapes do not fit") from None


def effective(a, op):
    rows, cols = a.shape[-2:]
    return (cols, rows) if op else (rows, cols)


def split(arrays, c):
    return arrays if c is not None else (*arrays, None)


def gemm(a, b, alpha=1.0, beta=0.0, c=None, *, trans_a=0, trans_b=0, overwrite_c=False, out=None, device=None):
    """alpha·op(a)·op(b) + beta·c. op is the matrix itself, its transpose or its adjoint: 0, 1, 2, or "N", "T", "C".

    `device` names GPUs that compute arrays in host memory.
    """
    ops = trans_code(trans_a, "trans_a"), trans_code(trans_b, "trans_b")
    arrays, space, give = take_products((a, "a"), (b, "b"), (c, "c"), device=device)
    a, b, c = split(arrays, c)
    (m, inner), (k, n) = effective(a, ops[0]), effective(b, ops[1])
    if inner != k:
        raise ValueError(f"b has shape {b.shape}, must have {inner} {'columns' if ops[1] else 'rows'}, because a has "
                         f"shape {a.shape}")
    alpha, beta = scalar(alpha, "alpha", a.dtype), scalar(beta, "beta", a.dtype)
    batch = batch_of(("a", a), ("b", b), *([("c", c)] if c is not None else []))
    # The layout in which no operand has to be conjugated without being transposed.
    order = "C"
    for x, op in ((a, ops[0]), (b, ops[1])):
        if op == 2 and a.dtype.kind == "c":
            order = "C" if is_row_major(space, x) else "F"
    result = Result(space, c, (*batch, m, n), a.dtype, overwrite_c, out, order, (("a", a), ("b", b)))
    A, B = square_operand(space, a, batch), square_operand(space, b, batch)
    call = new_call(space, a, batch)
    if c is None:
        beta = 0
    if not call.gemm(A, B, result.C, ops, inner, alpha, beta):
        # No flag says "conjugate without transpose": such operands are conjugated first.
        operands = []
        for x, op in ((a, ops[0]), (b, ops[1])):
            if op == 2:
                x = space.own(x)
                space.conjugate_in_place(x)
            operands.append(square_operand(space, x, batch))
        call.gemm(*operands, result.C, [min(op, 1) for op in ops], inner, alpha, beta)
    return result.result(give)


def syrk(a, alpha=1.0, beta=0.0, c=None, *, trans=0, lower=False, hermitian=False, overwrite_c=False, out=None,
         device=None):
    """The triangle of alpha·a·aᵀ + beta·c, or of alpha·aᵀ·a + beta·c if trans is 1 or "T".

    With `hermitian` the adjoint replaces the transpose, trans is 0 or 2, and alpha and beta are real. The other
    triangle is that of c, or zero without c. `device` is that of gemm.
    """
    op = trans_code(trans)
    arrays, space, give = take_products((a, "a"), (c, "c"), device=device)
    a, c = split(arrays, c)
    if a.dtype.kind == "c" and op == (1 if hermitian else 2):
        raise ValueError(f"trans is {trans!r}, must be {'0 or 2' if hermitian else '0 or 1'}")
    n, inner = effective(a, op)
    alpha, beta = scalar(alpha, "alpha", a.dtype, hermitian), scalar(beta, "beta", a.dtype, hermitian)
    batch = batch_of(("a", a), *([("c", c)] if c is not None else []))
    order = "C" if is_row_major(space, a) else "F"
    result = Result(space, c, (*batch, n, n), a.dtype, overwrite_c, out, order, (("a", a),))
    if c is None and result.target is not None:
        result.x[...] = 0
    new_call(space, a, batch).syrk(square_operand(space, a, batch), result.C, lower, op, inner, alpha,
                                   0 if c is None else beta, hermitian)
    return result.result(give)


def symm(a, b, alpha=1.0, beta=0.0, c=None, *, side=0, lower=False, hermitian=False, overwrite_c=False, out=None,
         device=None):
    """alpha·a·b + beta·c for a symmetric `a`, of which one triangle counts. With side=1 alpha·b·a + beta·c.

    With `hermitian` the other triangle is the conjugate. The C library has no batch of SYMM: a batch is a loop.
    `device` is that of gemm.
    """
    right = on_the_right(side)
    arrays, space, give = take_products((a, "a"), (b, "b"), (c, "c"), device=device)
    a, b, c = split(arrays, c)
    require_matrices(a, "a")
    n = b.shape[-1 if right else -2]
    if a.shape[-1] != n:
        raise ValueError(f"b has shape {b.shape}, must have {a.shape[-1]} {'columns' if right else 'rows'}, as a has")
    alpha, beta = scalar(alpha, "alpha", a.dtype), scalar(beta, "beta", a.dtype)
    batch = batch_of(("a", a), ("b", b), *([("c", c)] if c is not None else []))
    result = Result(space, c, (*batch, *b.shape[-2:]), a.dtype, overwrite_c, out,
                    "C" if is_row_major(space, b) else "F", (("a", a), ("b", b)))
    a, b = (space.broadcast(x, (*batch, *x.shape[-2:])) for x in (a, b))
    call = Call(space, LETTERS[a.dtype], ONE, 1)
    for index in np.ndindex(*batch):
        C = space.operand(result.x[index], result.C.row, True)
        order = "C" if C.row else "F"
        A, B = (with_layout(space, x[index], C.row, order) for x in (a, b))
        call.symm(A, B, C, lower, right, alpha, 0 if c is None else beta, hermitian)
    return result.result(give)


def with_layout(space, x, row, order):
    """The operand of a matrix in this layout. A matrix of the other layout is copied."""
    X = space.operand(x, row, False)
    return X if X is not None and X.row == row else space.operand(space.own(x, x.shape, order), row, False)


def trmm(a, b, alpha=1.0, *, side=0, lower=False, trans=0, unit_diagonal=False, overwrite_b=False, out=None,
         device=None):
    """alpha·op(a)·b for a triangular `a`; with side=1 alpha·b·op(a). The other triangle of `a` is not read.

    `device` is that of gemm.
    """
    op, right = trans_code(trans), on_the_right(side)
    (a, b), space, give = take_all((a, "a"), (b, "b"), host=space_of(device))
    require_matrices(a, "a")
    a, b = promote(a, b)
    alpha = scalar(alpha, "alpha", a.dtype)
    B = RightSides(space, a, b, overwrite_b, out, is_row_major(space, a), right=right)
    new_call(space, a, B.batch).trmm(square_operand(space, a, B.batch), B.B, lower=lower, op=op, unit=unit_diagonal,
                                     right=right, alpha=alpha)
    return B.result(give)


