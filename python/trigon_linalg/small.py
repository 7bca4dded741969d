"""Small NumPy matrices: what most calls need, and nothing else.

A call of order 4 takes a few microseconds, most of them in Python. Each function here returns None if the arguments
need the general way: other types, layouts that are not contiguous, wrong shapes, batches. The general way then does
what is right or raises. In all functions `memory` is an array or its transpose, whichever is C-contiguous.
"""
from numpy import array, copyto, count_nonzero, isfinite, zeros

from .arrays import LETTERS, SMALL, address, masks, may_share_memory, pointer, require_finite
from .contexts import cpu
from .errors import not_positive_definite, singular
from .library import CONJTRANS, LEFT, LOWER, NONUNIT, NOTRANS, RIGHT, ROUTINES, TRANS, UNIT, UPPER
from .options import TRANS as TRANS_CODES

ZERO = zeros(())  # an array spares copyto the conversion of a number
TABLE = {dtype: ROUTINES[letter] for dtype, letter in LETTERS.items()}


def order_of(a):
    """The order of a small square matrix, else 0."""
    if a.ndim == 2 and a.size <= SMALL:
        n, m = a.shape
        if n == m:
            return n
    return 0


def may_overlap(a, b):
    """Arrays that own their memory overlap only if they are one array. This is cheaper to ask than addresses."""
    return a is b or (not (a.base is None and b.base is None) and may_share_memory(a, b))


def input_pointer(memory):
    try:
        return pointer(memory)
    except TypeError:  # read-only
        return address(memory)


def factor(a, lower, overwrite, check_finite, clean):
    routines = TABLE.get(a.dtype)
    n = order_of(a)
    flags = a.flags
    row = flags.c_contiguous
    if routines is None or not n or not (row or flags.f_contiguous):
        return None
    if overwrite and not (flags.writeable and flags.aligned):
        return None
    if check_finite and b"\0" in isfinite(a).tobytes("A"):
        require_finite(a, "a")
    memory = a if row else a.T
    inside = (not lower) != row  # whether the triangle is the lower one of `memory`
    if not overwrite:
        if clean:
            given, memory = memory, zeros((n, n), a.dtype)
            copyto(memory, given, where=masks(n, inside)[0])
        else:
            memory = memory.copy()
    context = cpu()
    status = routines.potrf(context.handle, UPPER if inside else LOWER, n, pointer(memory), n, context.info_pointer)
    if status:
        raise context.failure(status)
    if context.info.value:
        raise not_positive_definite(context.info.value)
    if overwrite and clean:
        copyto(memory, ZERO, where=masks(n, inside)[1])
    return memory if row else memory.T


def right_side(b, n, overwrite, columns):
    """The memory of the solution with b in it, and whether it is row-major, or None. b has 1 dimension or more.

    `columns` asks for column-major memory, if b is copied anyway. Vectors are column-major.
    """
    if not b.size or b.shape[0] != n:
        return None
    flags = b.flags
    if b.ndim == 1:
        row = False
        memory = b
        if not flags.c_contiguous:
            return None
    elif b.ndim == 2:
        row = flags.c_contiguous and b.shape[1] > 1
        if not row and not flags.f_contiguous:
            return None
        memory = b if row else b.T
    else:
        return None
    if overwrite:
        return (memory, row) if flags.writeable and flags.aligned else None
    if row and columns:
        return array(memory.T, order="C"), False
    return memory.copy(), row


def solve_triangular(a, b, trans, lower, unit, overwrite, check_finite):
    dtype = a.dtype
    routines = TABLE.get(dtype)
    n = order_of(a)
    flags = a.flags
    row = flags.c_contiguous
    op = TRANS_CODES.get(trans) if isinstance(trans, (int, str)) else None
    if routines is None or not n or not (row or flags.f_contiguous) or op is None or not flags.aligned:
        return None
    if b.dtype is not dtype or not b.ndim:
        return None
    if overwrite and may_overlap(a, b):
        return None
    if routines.complex and op == 2 and not row:
        return None  # a vector is column-major here; the general way chooses
    if check_finite:
        if b"\0" in isfinite(a).tobytes("A"):
            require_finite(a, "a")
        if not b.size <= SMALL or b"\0" in isfinite(b).tobytes("A"):
            require_finite(b, "b")
    if not unit and count_nonzero(a.diagonal()) != n:
        return None  # the general way raises
    side = right_side(b, n, overwrite, False)
    if side is None:
        return None
    memory, b_row = side
    transposed = (op != 0) != (row != b_row)
    if routines.complex and op == 2 and not transposed:
        return None
    context = cpu()
    if b_row:
        side, m, columns = RIGHT, memory.size // n, n
    else:
        side, m, columns = LEFT, n, memory.size // n
    code = NOTRANS if not transposed else CONJTRANS if op == 2 and routines.complex else TRANS
    status = routines.trsm(context.handle, side, LOWER if (not lower) == row else UPPER, code,
                           UNIT if unit else NONUNIT, m, columns, routines.one, input_pointer(a if row else a.T), n,
                           pointer(memory), m)
    if status:
        raise context.failure(status)
    return memory if b_row or b.ndim == 1 else memory.T


def factored(a, b, lower, overwrite_a, overwrite_b, check_finite, posv):
    """cho_solve, or posv: the routine's name is POTRS or POSV. Only layouts that one call serves."""
    dtype = a.dtype
    routines = TABLE.get(dtype)
    n = order_of(a)
    flags = a.flags
    row = flags.c_contiguous
    if routines is None or not n or not (row or flags.f_contiguous) or not flags.aligned:
        return None
    if b.dtype is not dtype or not b.ndim:
        return None
    if routines.complex and row and n > 1:
        return None
    if (overwrite_b or overwrite_a) and may_overlap(a, b) or overwrite_a and not flags.writeable:
        return None
    if check_finite:
        if b"\0" in isfinite(a).tobytes("A"):
            require_finite(a, "a" if posv else "c")
        if not b.size <= SMALL or b"\0" in isfinite(b).tobytes("A"):
            require_finite(b, "b")
    side = right_side(b, n, overwrite_b, True)
    if side is None or side[1]:
        return None
    x = side[0]
    uplo = LOWER if (not lower) == row else UPPER
    memory = a if row else a.T
    context = cpu()
    if posv:
        if not overwrite_a:
            memory = memory.copy()
        status = routines.posv(context.handle, uplo, n, x.size // n, pointer(memory), n, pointer(x), n,
                               context.info_pointer)
    else:
        status = routines.potrs(context.handle, uplo, n, x.size // n, input_pointer(memory), n, pointer(x), n)
    if status:
        raise context.failure(status)
    if posv and context.info.value:
        raise not_positive_definite(context.info.value)
    return x if b.ndim == 1 else x.T


def inverse(a, lower, overwrite, check_finite, is_factor):
    """Both triangles of the inverse of a matrix, or of the matrix with this factor."""
    routines, n, flags = TABLE.get(a.dtype), order_of(a), a.flags
    row = flags.c_contiguous
    if routines is None or not n or not (row or flags.f_contiguous):
        return None
    if overwrite and not (flags.writeable and flags.aligned):
        return None
    if check_finite and b"\0" in isfinite(a).tobytes("A"):
        require_finite(a, "c" if is_factor else "a")
    memory = a if row else a.T
    if not overwrite:
        memory = memory.copy()
    inside = (not lower) != row
    uplo = UPPER if inside else LOWER
    first = pointer(memory)
    context = cpu()
    if not is_factor:
        status = routines.potrf(context.handle, uplo, n, first, n, context.info_pointer)
        if status:
            raise context.failure(status)
        if context.info.value:
            raise not_positive_definite(context.info.value)
    status = routines.potri(context.handle, uplo, n, first, n, context.info_pointer)
    if status:
        raise context.failure(status)
    if context.info.value:
        raise singular(context.info.value)
    copyto(memory, memory.T.conj() if routines.complex else memory.T, where=masks(n, inside)[1])
    return memory if row else memory.T
