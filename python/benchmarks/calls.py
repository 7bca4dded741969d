"""Times calls of trigon_linalg beside SciPy's, in turns in one process: single matrices on one thread, ragged batches
with the threads that a program has by default, and on one thread for comparison (without a bar).

    OPENBLAS_NUM_THREADS=1 python python/benchmarks/calls.py [--csv FILE]

In a round each of the two runs for about a millisecond, one after the other, so that a busy machine disturbs both. A
row shows the round whose ratio is the median. The exit status is 1 if a row misses its bar.
"""
import argparse
import csv
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("OMP_NUM_THREADS", None)
os.environ.setdefault("TRIGON_TUNING", "none")

import numpy as np  # noqa: E402
import scipy.linalg as sl  # noqa: E402

import trigon_linalg as tl  # noqa: E402

ORDERS = 4, 8, 16, 32, 64
ROUNDS = 41


def seconds(function, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        function()
    return (time.perf_counter() - start) / repeats


def compare(ours, theirs, rounds=ROUNDS):
    """The times of the round with the median ratio, in seconds: both share what disturbs the machine."""
    for function in (ours, theirs):
        seconds(function, 3)
    repeats = [max(1, int(1e-3 / max(seconds(f, 3), 1e-9))) for f in (ours, theirs)]
    pairs = [(seconds(ours, repeats[0]), seconds(theirs, repeats[1])) for _ in range(rounds)]
    return sorted(pairs, key=lambda pair: pair[0] / pair[1])[rounds // 2]


def spd(random, n, dtype):
    a = random.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * random.standard_normal((n, n))
    return (a @ a.conj().T + n * np.eye(n)).astype(dtype)


def single_calls(random, dtype):
    """Rows: name, order, ours, theirs, bar."""
    for n in ORDERS:
        a = spd(random, n, dtype)
        b, many = random.standard_normal(n).astype(dtype), random.standard_normal((n, 8)).astype(dtype)
        c = sl.cholesky(a, lower=True)
        f = np.asfortranarray(c)
        pair = c, True
        column = b.copy()
        ones = np.eye(n).astype(dtype)

        def restored(function):  # in place: the factor of the identity is the identity, so a call can be repeated
            return lambda: function(ones, lower=True, overwrite_a=True)

        yield "cholesky", n, lambda: tl.cholesky(a, lower=True), lambda: sl.cholesky(a, lower=True), 0.8
        yield "cholesky upper", n, lambda: tl.cholesky(a), lambda: sl.cholesky(a), 0.8
        yield "cho_factor", n, lambda: tl.cho_factor(a), lambda: sl.cho_factor(a), 0.8
        yield "cho_solve", n, lambda: tl.cho_solve(pair, b), lambda: sl.cho_solve(pair, b), 0.8
        yield "cho_solve 8 columns", n, lambda: tl.cho_solve(pair, many), lambda: sl.cho_solve(pair, many), 0.8
        yield ("solve_triangular", n, lambda: tl.solve_triangular(c, b, lower=True),
               lambda: sl.solve_triangular(c, b, lower=True), 0.8)
        yield ("solve_triangular 8 columns", n, lambda: tl.solve_triangular(c, many, lower=True),
               lambda: sl.solve_triangular(c, many, lower=True), 0.8)
        yield "posv", n, lambda: tl.posv(a, b), lambda: sl.solve(a, b, assume_a="pos"), 0.8
        yield "inv", n, lambda: tl.inv(a), lambda: sl.inv(a), 0.8
        yield ("cholesky overwrite_a", n, restored(tl.cholesky), restored(sl.cholesky), 0.6)
        yield ("cho_factor overwrite_a", n, restored(tl.cho_factor), restored(sl.cho_factor), 0.6)
        # Both solve with a factor near the identity, so that the overwritten vector stays of its size.
        near = np.asfortranarray(ones + 1e-9 * f)
        yield ("cho_solve overwrite_b", n, lambda: tl.cho_solve((near, True), column, overwrite_b=True),
               lambda: sl.cho_solve((near, True), column, overwrite_b=True), 0.6)
        yield ("solve_triangular overwrite_b", n,
               lambda: tl.solve_triangular(near, column, lower=True, overwrite_b=True),
               lambda: sl.solve_triangular(near, column, lower=True, overwrite_b=True), 0.6)


def ragged_calls(random, count):
    orders = random.integers(1, 33, count)
    matrices = [spd(random, n, np.float64) for n in orders]
    packed = tl.Ragged.pack(matrices)

    def loop():
        return [sl.cholesky(a, lower=True) for a in matrices]

    # In place: the factor of the identity is the identity, so the call can be repeated. No time depends on values.
    ones = [np.eye(n) for n in orders]
    in_place = tl.Ragged.pack(ones)
    yield ("ragged cho_factor, packed, overwrite_a", count,
           lambda: tl.cho_factor(in_place, lower=True, overwrite_a=True),
           lambda: [sl.cholesky(a, lower=True) for a in ones], 1 / 20)
    yield "ragged cholesky, packed", count, lambda: tl.cholesky(packed, lower=True), loop, 1 / 20
    yield "ragged cholesky, list", count, lambda: tl.cholesky(matrices, lower=True), loop, 1 / 4


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", help="write the rows to this file, too")
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    tl.set_threads(1)
    random = np.random.default_rng(1)
    rows = []
    print(f"{'call':52} {'order':>6} {'trigon us':>10} {'scipy us':>10} {'ratio':>6} {'bar':>6}")
    for name, n, ours, theirs, bar in single_calls(random, options.dtype):
        rows.append(row(name, n, compare(ours, theirs, options.rounds), bar))
    for threads in (1, 0):
        tl.set_threads(threads)
        for name, n, ours, theirs, bar in ragged_calls(np.random.default_rng(1), 10000):
            label = f"{name}, {'one thread' if threads else 'all threads'}"
            rows.append(row(label, n, compare(ours, theirs, 5), bar if threads == 0 else float("inf")))
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["call", "order", "dtype", "trigon_us", "scipy_us", "ratio", "bar"])
            writer.writerows([r[0], r[1], options.dtype, *(f"{x:.4g}" for x in r[2:])] for r in rows)
    missed = [r for r in rows if r[4] > r[5]]
    print(f"{len(rows)} rows, {len(missed)} above their bar")
    sys.exit(bool(missed))


def row(name, n, times, bar):
    ours, theirs = (1e6 * t for t in times)
    print(f"{name:52} {n:6} {ours:10.2f} {theirs:10.2f} {ours / theirs:6.3f} {bar:6.3f}"
          + ("  MISSED" if ours > bar * theirs else ""), flush=True)
    return name, n, ours, theirs, ours / theirs, bar


if __name__ == "__main__":
    main()
