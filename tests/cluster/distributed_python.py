"""The Python module trigon_linalg.distributed over four processes, beside NumPy. Usage: mpirun -np 4 python3 FILE"""
import sys

import numpy as np
from mpi4py import MPI

from trigon_linalg import LinAlgError, distributed

comm = MPI.COMM_WORLD
passed = 0


def check(held, what):
    global passed
    if not held:
        print(f"FAILED: process {comm.rank}: {what}", flush=True)
        comm.Abort(1)
    passed += 1


def close(grid, A, due, what):
    """Compares on the first process, which has the whole matrix."""
    whole = A.gather()
    check((whole is None) == (comm.rank != 0), "gather")
    if whole is not None:
        scale = np.finfo(A.dtype).eps * A.shape[0] * 50
        check(np.abs(whole - due).max(initial=0) <= scale * max(1, np.abs(due).max(initial=0)), f"{what}, {A.dtype}")


def random(shape, dtype):
    r = np.random.default_rng(3)
    A = r.standard_normal(shape) + (1j * r.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    return A.astype(dtype)


def check_type(grid, dtype, n, block):
    R, b = random((n, n), dtype), random((n, 3), dtype)
    S = (R @ R.conj().T + n * np.eye(n)).astype(dtype)
    L = np.linalg.cholesky(S)
    A, B = (grid.scatter(x if comm.rank == 0 else None, block=block) for x in (S, b))
    check(A.local.flags.f_contiguous or A.local.size < 2, "a part is column-major")
    distributed.cholesky(A)
    if comm.rank == 0:
        close_to = np.tril(L) + np.triu(S, 1)
    close(grid, A, close_to if comm.rank == 0 else None, "cholesky")
    due = 2 * np.log(np.diag(L).real).sum()
    check(abs(distributed.logdet(A) - due) <= 1e-5 * abs(due), "logdet")
    close(grid, distributed.cho_solve(A, B), np.linalg.solve(S, b), "cho_solve")
    T = grid.scatter(np.asfortranarray(L), block=block)
    X = grid.scatter(b, block=block)
    close(grid, distributed.solve_triangular(T, X, trans="C"), np.linalg.solve(L.conj().T, b), "solve_triangular")
    X = grid.scatter(b, block=block)
    close(grid, distributed.multiply_triangular(T, X, alpha=2), 2 * L @ b, "multiply_triangular")
    P, Q = grid.scatter(R, block=block), grid.scatter(b, block=block)
    product = grid.empty((n, 3), dtype, block)
    close(grid, distributed.matmul(P, Q, product, trans_a="C", alpha=0.5), 0.5 * R.conj().T @ b, "matmul")
    close(grid, distributed.inv_triangular(T), np.linalg.inv(L), "inv_triangular")
    inverse = distributed.cholesky_inverse(A).gather()
    if comm.rank == 0:
        check(np.abs(np.tril(inverse) - np.tril(np.linalg.inv(S))).max() <= 1e-4, "cholesky_inverse")


def raises(kind, words, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except kind as error:
        check(words in str(error), f"{error} lacks {words}")
    else:
        check(False, f"no {kind.__name__}")


def check_errors(grid):
    A = grid.empty((20, 20), block=4)
    A.local[:] = np.where(A.rows[:, None] == A.cols, 1.0 - 2 * (A.rows[:, None] == 6), 0)
    raises(LinAlgError, "7-th leading minor", distributed.cholesky, A)
    A.local[:] = np.where(A.rows[:, None] == A.cols, A.rows[:, None] != 9, 0)
    raises(LinAlgError, "diagonal 9", distributed.inv_triangular, A)
    raises(ValueError, "argument", distributed.cho_solve, A, grid.empty((19, 1), block=4))
    raises(ValueError, "different routines or flags", distributed.cho_solve, A, grid.empty((20, 1), block=4),
           lower=comm.rank != 1)
    raises(AttributeError, "local", setattr, A, "local", A.local)
    raises(TypeError, "int64", grid.empty, (2, 2), int)
    raises(ValueError, "must divide", distributed.Grid, rows=3)


for rows in 1, 2, 4, None:
    with distributed.Grid(rows=rows) as grid:
        check(grid.shape[0] * grid.shape[1] == comm.size, "the grid")
        for dtype in "fdFD":
            check_type(grid, dtype, 37, 5)
        check_type(grid, "d", 3, 64)
        check_errors(grid)
counts = comm.gather(passed)
if comm.rank == 0:
    print(f"{sum(counts)} passed, 0 failed")
sys.exit(0)
