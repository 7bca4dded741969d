"""scipy_cholesky.py - SciPy's cho_factor, cho_solve and solve_triangular at order 1500, with 1500 right-hand sides.

Prints a name and milliseconds a line: the median of REPEATS runs in this process."""
import os
import statistics
import time

import numpy
import scipy.linalg

n = 1500
repeats = int(os.environ["REPEATS"])
random = numpy.random.default_rng(1)
x = random.random((n, n))
a = numpy.asfortranarray(x @ x.T + n * numpy.eye(n))
b = numpy.asfortranarray(random.random((n, n)))
factor = scipy.linalg.cho_factor(a, lower=True)


def measure(name, call):
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    print(f"{name} {statistics.median(times[1:]):.3f}")  # the first run starts threads and touches memory


measure("scipy_cho_factor", lambda: scipy.linalg.cho_factor(a, lower=True))
measure("scipy_cho_solve", lambda: scipy.linalg.cho_solve(factor, b))
measure("scipy_solve_triangular", lambda: scipy.linalg.solve_triangular(factor[0], b, lower=True))
