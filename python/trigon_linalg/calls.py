"""One call of the C library, for one matrix, a strided batch, or a ragged batch; and how layouts become flags.

docs/row-major.md in the project derives the folding: a row-major matrix is the column-major storage of its transpose.
So a formula over row-major matrices is transposed on paper, and the routine of the transposed formula is called.
"""

from .errors import OK
from .library import (ALL, CONJTRANS, FORMS, INDICES, INTERVAL, LEFT, LOWER, NONUNIT, NOTRANS, RIGHT, ROUTINES, TRANS,
                      UNIT, UPPER, VALUES, VECTORS, finish)

ONE, STRIDED, RAGGED = range(3)


def uplo(A, lower):
    return LOWER if bool(lower) != A.row else UPPER


class Call:
    """Calls for operands of one form. `infos` is the array of `count` infos, `info` its address.

    `bound` is an upper bound of a ragged batch's orders, which saves time on a GPU. 0: no bound is known.
    """

    def __init__(self, space, letter, form, count, bound=0):
        self.space = space
        self.context = space.context()
        self.routines = ROUTINES[letter]
        self.complex = self.routines.complex
        self.form = form
        self.infos, self.info = space.infos(count)
        self.head = () if form == ONE else (count,)
        self.bounded = (count, bound) if form == RAGGED else self.head
        self.tail = (self.info,) if form == RAGGED else ()

    def run(self, name, *arguments):
        routine = getattr(self.routines, name + FORMS[self.form])
        failure, finished = None, OK
        try:
            status = routine(self.context.handle, *arguments)
            if status:
                failure = self.context.failure(status)  # before finish, which has a message of its own
        finally:  # an interrupt must not free what the context still uses
            if self.space.waits:
                finished = finish(self.context.handle, None)
        if failure or finished:
            raise failure or self.context.failure(finished)

    def potrf(self, A, lower):
        self.run("potrf", uplo(A, lower), *self.bounded, A.rows, *A.args, self.info)

    def direct(self, A, B):
        """Whether POTRS and POSV serve these layouts: they have no `side`, and would solve with conj(A)."""
        return not B.row and not (A.row and self.complex)

    def potrs(self, A, B, lower):
        if self.direct(A, B):
            self.run("potrs", uplo(A, lower), *self.bounded, B.rows, B.cols, *A.args, *B.args, *self.tail)
            return
        for op in (0, 2) if lower else (2, 0):
            self.trsm(A, B, lower=lower, op=op)

    def posv(self, A, B, lower):
        self.run("posv", uplo(A, lower), *self.bounded, B.rows, B.cols, *A.args, *B.args, self.info)

    def potri(self, A, lower):
        """The triangle of the inverse; in batches both triangles."""
        both = () if self.form == ONE else (1,)
        self.run("potri", uplo(A, lower), *both, *self.bounded, A.rows, *A.args, self.info)

    def trtri(self, A, lower, unit=False):
        self.run("trtri", uplo(A, lower), UNIT if unit else NONUNIT, *self.bounded, A.rows, *A.args, self.info)

    def trsm(self, A, B, **flags):
        self.triangular("trsm", A, B, **flags)

    def trmm(self, A, B, **flags):
        self.triangular("trmm", A, B, **flags)

    def triangular(self, name, A, B, *, lower, op, unit=False, right=False, alpha=1):
        """B = alpha·op(A)·B, B·op(A), or with the inverse of op(A). If B is row-major, both sides are transposed."""
        transposed = (op != 0) != (A.row != B.row)
        conjugated = op == 2 and self.complex
        # No flag says "conjugate without transpose". So B is conjugated instead, before the call and after.
        by_hand = conjugated and not transposed
        if by_hand:
            self.space.conjugate_in_place(B.array)
            alpha = complex(alpha).conjugate()
        code = NOTRANS if not transposed else CONJTRANS if conjugated else TRANS
        m, n = (B.cols, B.rows) if B.row else (B.rows, B.cols)
        self.run(name, RIGHT if right != B.row else LEFT, uplo(A, lower), code, UNIT if unit else NONUNIT, *self.head,
                 m, n, self.routines.scalar(alpha), *A.args, *B.args, *self.tail)
        if by_hand:
            self.space.conjugate_in_place(B.array)

    def gemm(self, A, B, C, ops, inner, alpha, beta):
        """C = alpha·op(A)·op(B) + beta·C, or False if a flag for the layouts is missing."""
        codes = []
        for X, op in ((A, ops[0]), (B, ops[1])):
            transposed = (op != 0) != (X.row != C.row)
            if op == 2 and self.complex and not transposed:
                return False
            codes.append(NOTRANS if not transposed else CONJTRANS if op == 2 and self.complex else TRANS)
        m, n = C.rows, C.cols
        if C.row:
            A, B, m, n = B, A, n, m
            codes.reverse()
        scalar = self.routines.scalar
        self.run("gemm", *codes, *self.head, m, n, inner, scalar(alpha), *A.args, *B.args, scalar(beta), *C.args,
                 *self.tail)
        return True

    def syrk(self, A, C, lower, op, inner, alpha, beta, hermitian):
        """The triangle of C = alpha·A·A' + beta·C. A' is the transpose, or the adjoint."""
        hermitian = hermitian and self.complex
        by_hand = hermitian and A.row != C.row  # the flags compute conj(C)
        if by_hand:
            self.space.conjugate_in_place(C.array)
        other = CONJTRANS if hermitian else TRANS
        code = other if (op != 0) != A.row else NOTRANS
        scalar = float if hermitian else self.routines.scalar
        self.run("herk" if hermitian else "syrk", uplo(C, lower), code, *self.head, C.rows, inner, scalar(alpha),
                 *A.args, scalar(beta), *C.args, *self.tail)
        if by_hand:
            self.space.conjugate_in_place(C.array)

    def symm(self, A, B, C, lower, right, alpha, beta, hermitian):
        """C = alpha·A·B + beta·C. B has the layout of C, and a Hermitian A, too."""
        m, n = (C.cols, C.rows) if C.row else (C.rows, C.cols)
        scalar = self.routines.scalar
        self.run("hemm" if hermitian and self.complex else "symm", RIGHT if right != C.row else LEFT, uplo(A, lower),
                 m, n, scalar(alpha), *A.args, *B.args, scalar(beta), *C.args)

    def sygst(self, A, B, lower, kind):
        """A of the standard problem, from A and the factor B of a generalized one. Both have one layout."""
        self.run("sygst", kind, uplo(A, lower), A.rows, *A.args, *B.args)

    def syevd(self, A, w, lower, vectors, *, places=None, values=None):
        """Fills w, an operand of one column, and with `vectors` the columns of A's memory. Returns how many values were found.

        The memory of a row-major matrix holds conj(A), whose values are those of A, and whose vectors are conjugate.
        `places` are the first and the last place, counted from 0; `values` are the ends of the interval (low, high].
        """
        counts, found = self.space.infos(1)
        which = ALL if places is None and values is None else INDICES if values is None else INTERVAL
        low, high = values or (0, 1)
        first, last = places or (0, 0)
        self.run("syevdx", VECTORS if vectors else VALUES, which, uplo(A, lower), A.rows, *A.args, low, high,
                 first + 1, last + 1, found, w.args[0], self.info)
        return int(self.space.on_host(counts)[0])

    def stedc(self, d, e, Z):
        """The values, in place of the diagonal d; and the vectors in Z, if it is not None."""
        self.run("stedc", VALUES if Z is None else VECTORS, d.rows, d.args[0], e.args[0],
                 *((None, 1) if Z is None else Z.args), self.info)

    def stebz(self, d, e, w, *, places=None, values=None):
        """Fills w with a part of the values. Returns how many values were found."""
        counts, found = self.space.infos(1)
        low, high = values or (0, 1)
        first, last = places or (0, 0)
        self.run("stebz", INTERVAL if values else INDICES, d.rows, low, high, first + 1, last + 1, d.args[0], e.args[0],
                 found, w.args[0], self.info)
        return int(self.space.on_host(counts)[0])

    def syevd_stack(self, A, w, lower, vectors):
        """All values of a stack, and with `vectors` the vectors, as syevd finds those of a matrix."""
        self.run("syevd", VECTORS if vectors else VALUES, uplo(A, lower), *self.head, A.rows, *A.args, w.args[0],
                 w.args[-1], self.info)

    def transform_back(self, A, B, lower, kind, count):
        """The vectors of a generalized problem, from those of the standard one, in the columns of A's memory."""
        triangle = uplo(B, lower)
        product = kind == 3
        op = NOTRANS if (triangle == LOWER) == product else CONJTRANS
        self.run("trmm" if product else "trsm", LEFT, triangle, op, NONUNIT, A.rows, count, self.routines.one, *B.args,
                 *A.args)

    def solve_nothing(self):
        """Asks whether the context has an eigensolver: for an empty matrix it answers at once."""
        self.run("syevdx", VALUES, ALL, LOWER, 0, None, 1, 0, 1, 1, 1, None, None, None)
