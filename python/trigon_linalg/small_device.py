"""Tensors of PyTorch on a GPU, one matrix each: what most calls need, and nothing else.

Each function here returns None if the arguments need the general way: other types, layouts that are neither row-major
nor column-major, wrong shapes, batches. The general way then does what is right or raises. No argument is overwritten.
Nobody asks whether a tensor requires a gradient: the callers do. A function waits for the GPU only to check: with
check_finite for its arguments, with check for one info after its calls.
"""
import torch

from . import contexts
from .errors import not_positive_definite, singular
from .library import (CLEAR, CONJTRANS, KEEP, LEFT, LOWER, MIRROR, NONUNIT, NOTRANS, RIGHT, ROUTINES, TRANS, UNIT,
                      UPPER, Matrix, check_diagonal, copy_triangle)

TABLE = {torch.float32: ROUTINES["s"], torch.float64: ROUTINES["d"], torch.complex64: ROUTINES["c"],
         torch.complex128: ROUTINES["z"]}
raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
if raw_stream is None:
    def raw_stream(device):
        return torch.cuda.current_stream(device).cuda_stream


def is_capturing(device):
    """Whether the current stream of this device is captured in a graph."""
    if device == torch.cuda.current_device():
        return torch.cuda.is_current_stream_capturing()
    with torch.cuda.device(device):
        return torch.cuda.is_current_stream_capturing()


def context_of(x):
    device = x.get_device()
    stream = raw_stream(device)
    # The legacy default stream, 0, cannot be captured.
    return contexts.on_stream(f"cuda:{device}", stream, stream != 0 and is_capturing(device))


def layout(a, n):
    """Whether a square matrix is row-major, and its leading dimension: 0 if it is neither row- nor column-major."""
    step, across = a.stride()
    if across == 1 and step >= n:
        return True, step
    return False, across if step == 1 and across >= n else 0


def matrix(a):
    """The routines, the order and the layout of a square matrix, or None."""
    routines = TABLE.get(a.dtype)
    shape = a.shape
    if routines is None or len(shape) != 2 or shape[0] != shape[1] or not shape[0] or a.is_conj() or a.is_neg():
        return None
    n = shape[0]
    row, ld = layout(a, n)
    return (routines, n, row, ld) if ld else None


def require_finite(a, name):
    if not torch.isfinite(a).all():
        raise ValueError(f"{name} must not contain infs or NaNs")


def info_for(a):
    return torch.empty((), dtype=torch.int64, device=a.device)


def run(context, status):
    if status:
        raise context.failure(status)


def uplo(lower, row):
    return LOWER if bool(lower) != row else UPPER


def stored(a, taken):
    """The column-major matrix in the memory of `a`: a or its transpose."""
    routines, n, _, ld = taken
    return Matrix(a.data_ptr(), ord(routines.letter), n, n, ld)


def as_lower(a, taken, context, lower, other):
    """A copy of a triangle whose memory is that of a lower, column-major one: such triangles are the fastest ones.

    A lower triangle becomes column-major, an upper one row-major. `other` says what becomes of the other triangle.
    """
    routines, n, row, _ = taken
    c = torch.empty((n, n), dtype=a.dtype, device=a.device)
    op = TRANS if row == bool(lower) else NOTRANS
    to = Matrix(c.data_ptr(), ord(routines.letter), n, n, n)
    run(context, copy_triangle(context.handle, LOWER, op, other, stored(a, taken), to))
    return c.mT if lower else c


def factor(a, lower, check_finite, check):
    """The factor, whose other triangle is zero; with its info if `check` is false."""
    taken = matrix(a)
    if taken is None:
        return None
    if check_finite:
        require_finite(a, "a")
    routines, n, *_ = taken
    info = info_for(a)
    context = context_of(a)
    c = as_lower(a, taken, context, lower, CLEAR)
    run(context, routines.potrf(context.handle, LOWER, n, c.data_ptr(), n, info.data_ptr()))
    if not check:
        return c, info
    require_positive(info)
    return c


def require_nonzero(info):
    found = info.item()
    if found:
        raise singular(found)


def require_positive(info):
    found = info.item()
    if found:
        raise not_positive_definite(found)


def right_side(b, like, n, row_of_a):
    """The memory of the solution with b in it, its number of columns, its layout and leading dimension, or None.

    A complex solution has the layout of the matrix on the left, so that no conjugation is needed.
    """
    shape = b.shape
    if b.dtype != like.dtype or b.device != like.device or not 1 <= len(shape) <= 2 or shape[0] != n:
        return None
    if b.is_conj() or b.is_neg():
        return None
    k = shape[1] if len(shape) == 2 else 1
    if not k:
        return None
    if len(shape) == 1:
        x = b.clone(memory_format=torch.contiguous_format)
        return (x, 1, True, 1) if row_of_a and b.is_complex() else (x, 1, False, n)
    if b.is_complex():
        if row_of_a:
            return b.clone(memory_format=torch.contiguous_format), k, True, k
        return b.mT.clone(memory_format=torch.contiguous_format).mT, k, False, n
    x = b.clone()
    step, across = x.stride()
    if across == 1 and step >= k > 1:
        return x, k, True, step
    return (x, k, False, max(n, across)) if step == 1 and (k == 1 or across >= n) else None


def trsm(routines, context, A, B, lower, op, unit=False):
    """Overwrites B. If B is row-major, both sides are transposed. right_side spares op=2 its untransposed case."""
    a, n, a_row, lda = A
    x, k, row, ldb = B
    transposed = (op != 0) != (a_row != row)
    code = NOTRANS if not transposed else CONJTRANS if op == 2 and routines.complex else TRANS
    rows, columns = (k, n) if row else (n, k)
    run(context, routines.trsm(context.handle, RIGHT if row else LEFT, uplo(lower, a_row), code,
                               UNIT if unit else NONUNIT, rows, columns, routines.one, a.data_ptr(), lda,
                               x.data_ptr(), ldb))


def first_zero(context, a, taken):
    """The place of the first zero on the diagonal, counted from 1, or 0: a tensor."""
    info = info_for(a)
    run(context, check_diagonal(context.handle, stored(a, taken), info.data_ptr()))
    return info


def system(a, b, name, check_finite):
    """What matrix(a) and right_side(b, ...) tell; None twice if one of them does."""
    taken = matrix(a)
    B = right_side(b, a, taken[1], taken[2]) if taken else None
    if B is None:
        return None, None
    if check_finite:
        require_finite(a, name)
        require_finite(b, "b")
    return taken, B


def solve_triangular(a, b, op, lower, unit, check_finite, check):
    """The solution; with its info if `check` is false, or None instead of the info if `check` is None."""
    taken, B = system(a, b, "a", check_finite)
    if B is None:
        return None
    routines, n, row, ld = taken
    context = context_of(a)
    info = first_zero(context, a, taken) if check is not None and not unit else None
    trsm(routines, context, (a, n, row, ld), B, lower, op, unit)
    if check:
        if info is not None:
            require_nonzero(info)
        return B[0]
    if check is False and unit:
        info = torch.zeros((), dtype=torch.int64, device=a.device)
    return B[0], info


def potrs(taken, c, B, lower):
    routines, n, row, ld = taken
    x, k, b_row, ldb = B
    context = context_of(c)
    if b_row or (row and routines.complex):
        for op in (0, 2) if lower else (2, 0):
            trsm(routines, context, (c, n, row, ld), B, lower, op)
    else:
        run(context, routines.potrs(context.handle, uplo(lower, row), n, k, c.data_ptr(), ld, x.data_ptr(), ldb))
    return x


def cho_solve(c, b, lower, check_finite):
    taken, B = system(c, b, "c", check_finite)
    if B is None:
        return None
    return potrs(taken, c, B, lower)


def posv(a, b, lower, check_finite, check):
    """The solution; with its info if `check` is false."""
    if matrix(a) is None:
        return None
    if check_finite:
        require_finite(b, "b")
    factored = factor(a, lower, check_finite, False)
    x = cho_solve(factored[0], b, lower, False) if factored else None
    if x is None:
        return None
    return checked(x, factored[1], check)


def checked(x, info, check):
    """Raises if the info tells a failure, or makes x NaN then and returns the info, too."""
    if check:
        require_positive(info)
        return x
    return x.masked_fill_(info != 0, float("nan")), info


def inverse_from(c, taken, context, lower):
    """Overwrites a triangle that as_lower() has made with both triangles of the inverse, and tells the info."""
    routines, n, *_ = taken
    info = info_for(c)
    x = Matrix(c.data_ptr(), ord(routines.letter), n, n, n)
    run(context, routines.potri(context.handle, LOWER, n, c.data_ptr(), n, info.data_ptr()))
    run(context, copy_triangle(context.handle, LOWER, NOTRANS, MIRROR, x, x))
    # The same numbers by rows. Of complex ones it would be the conjugate.
    return (c.mT if lower and not routines.complex else c), info


def cholesky_inverse(c, lower, check_finite, check):
    """The inverse; with its info if `check` is false."""
    taken = matrix(c)
    if taken is None:
        return None
    if check_finite:
        require_finite(c, "c")
    context = context_of(c)
    x, info = inverse_from(as_lower(c, taken, context, lower, KEEP), taken, context, lower)
    if not check:
        return x, info
    require_nonzero(info)
    return x


def inv(a, lower, check_finite, check):
    """The inverse of a positive definite matrix; with its info if `check` is false."""
    factored = factor(a, lower, check_finite, False)
    if factored is None:
        return None
    x, _ = inverse_from(factored[0], matrix(a), context_of(a), lower)
    return checked(x, factored[1], check)
