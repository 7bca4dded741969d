"""sklearn_gpr.py - scikit-learn's Gaussian process: a fit of 1500 points, without and with an optimizer's steps.

Prints a name and milliseconds a line: the median of REPEATS runs in this process."""
import os
import statistics
import time

import numpy
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

repeats = int(os.environ["REPEATS"])
random = numpy.random.default_rng(1)
x = random.random((1500, 8))
y = numpy.sin(3 * x.sum(axis=1)) + 0.1 * random.standard_normal(len(x))
kernel = RBF(1.0) + WhiteKernel(0.01)
times = []
for _ in range(repeats + 1):
    model = GaussianProcessRegressor(kernel=kernel, optimizer=None)
    start = time.perf_counter()
    model.fit(x, y)
    model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True)
    times.append(1000 * (time.perf_counter() - start))
print(f"sklearn_gpr_fit {statistics.median(times[1:]):.3f}")  # the first run starts threads and touches memory
