"""Tensors of PyTorch on a GPU, one matrix each: what most calls need, and nothing else.

Each function here returns None if the arguments need the general way: other types, layouts that are neither row-major
nor column-major, wrong shapes, batches. The general way then does what is right or raises. No argument is overwritten.
Nobody asks whether a tensor requires a gradient: the callers do. A function waits for the GPU only to check: with
check_finite for its arguments, with check for one info after its calls.
"""
import torch

from . import contexts
from .errors import not_positive_definite, singular
from .library import CONJTRANS, LEFT, LOWER, NONUNIT, NOTRANS, RIGHT, ROUTINES, TRANS, UNIT, UPPER

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


def factor(a, lower, check_finite, clean, check):
    """The factor; with its info if `check` is false. If `clean` is true, the other triangle is zero."""
    taken = matrix(a)
    if taken is None:
        return None
    if check_finite:
        require_finite(a, "a")
    routines, n, *_ = taken
    c = a.clone() if not clean else a.tril() if lower else a.triu()
    row, ld = layout(c, n)
    if not ld:
        return None
    info = info_for(c)
    context = context_of(c)
    run(context, routines.potrf(context.handle, uplo(lower, row), n, c.data_ptr(), ld, info.data_ptr()))
    if not check:
        return c, info
    require_positive(info)
    return c


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


def first_zero(c):
    """The place of the first zero on the diagonal, counted from 1, or 0: a tensor."""
    n = c.shape[0]
    places = torch.arange(1, n + 1, device=c.device)
    return torch.where(c.diagonal() == 0, places, n + 1).min() % (n + 1)


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
    trsm(routines, context_of(a), (a, n, row, ld), B, lower, op, unit)
    x = B[0]
    if check is None:
        return x, None
    if not check:
        return x, (torch.zeros((), dtype=torch.int64, device=a.device) if unit else first_zero(a))
    if not unit and not (a.diagonal() != 0).all():
        raise singular(int(first_zero(a)))
    return x


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
    factored = factor(a, lower, check_finite, False, False)
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


def mirrored(x, lower):
    """A matrix with both triangles of a Hermitian matrix that has one triangle.

    The conjugate is computed at once: where PyTorch traces an operator, it drops one that it has put off.
    """
    place = torch.arange(x.shape[0], device=x.device)
    inside = place[:, None] >= place if lower else place[:, None] <= place
    return torch.where(inside, x, x.mT.conj_physical())


def inverse_of_factor(c, lower):
    """The inverse and its info, in new memory; c is overwritten. None if c has another layout."""
    taken = matrix(c)
    if taken is None:
        return None
    routines, n, row, ld = taken
    info = info_for(c)
    context = context_of(c)
    run(context, routines.potri(context.handle, uplo(lower, row), n, c.data_ptr(), ld, info.data_ptr()))
    return mirrored(c, lower), info


def cholesky_inverse(c, lower, check_finite, check):
    if matrix(c) is None:
        return None
    if check_finite:
        require_finite(c, "c")
    inverse = inverse_of_factor(c.clone(), lower)
    if inverse is None:
        return None
    if check and inverse[1].item():
        raise singular(inverse[1].item())
    return inverse[0]


def inv(a, lower, check_finite, check):
    """The inverse of a positive definite matrix; with its info if `check` is false."""
    factored = factor(a, lower, check_finite, False, False)
    inverse = inverse_of_factor(factored[0], lower) if factored else None
    return checked(inverse[0], factored[1], check) if inverse else None
