"""Arrays of JAX on a GPU. test_gpu.py runs these tests, too, in processes of their own: JAX brings its own CUDA."""
import importlib.util
import os
import subprocess
import sys

PROGRAM = """
import sys
import jax, jax.numpy as jnp, numpy as np, trigon_linalg as tl
jax.config.update("jax_enable_x64", sys.argv[1] == "double")
dtype = np.float64 if sys.argv[1] == "double" else np.float32
random = np.random.default_rng(5)


def results(a, b, overwrite):
    over_a, over_b, over_c = {"overwrite_a": overwrite}, {"overwrite_b": overwrite}, {"overwrite_c": overwrite}
    yield tl.cholesky(a)
    yield tl.cholesky(a[0], lower=True, **over_a)
    yield tl.posv(a, b, **over_a, **over_b)
    yield tl.cho_solve(tl.cho_factor(a[0]), b[0], **over_b)
    yield tl.solve_triangular(a[0], b[0], lower=True, **over_b)
    yield tl.inv(a, **over_a)
    yield tl.cholesky_inverse(tl.cholesky(a[1]), **over_c)
    yield tl.gemm(a, b, beta=1, c=b, **over_c)
    yield tl.syrk(a[0])
    yield tl.trmm(a[0], b[0], **over_b)


for n in 1, 7, 300:
    g = random.standard_normal((2, n, n)).astype(dtype)
    a, b = g @ g.mT / n + np.eye(n, dtype=dtype), random.standard_normal((2, n, 3)).astype(dtype)
    # The arguments are results of work that may be under way.
    jax_a, jax_b = jnp.asarray(a) * 2 / 2, jnp.asarray(b) * 2 / 2
    assert jax_a.devices().pop().platform == "gpu", "JAX has no GPU"
    for number, (got, want) in enumerate(zip(results(jax_a, jax_b, True), results(a, b, False))):
        assert isinstance(got, jax.Array) and got.devices() == jax_a.devices() and got.dtype == dtype, (n, number)
        error = np.abs(np.asarray(got) - want).max() / np.abs(want).max()
        assert error <= 30 * n * np.finfo(dtype).eps * 50, (n, number, error)
    assert np.array_equal(jax_a, a) and np.array_equal(jax_b, b), f"order {n}: an immutable array was overwritten"
try:
    tl.cholesky(-jnp.eye(4, dtype=dtype))
    raise AssertionError("no exception")
except tl.LinAlgError:
    pass
c, infos = tl.cholesky(jnp.stack([jnp.eye(4, dtype=dtype), -jnp.eye(4, dtype=dtype)]), check=False)
assert infos.get().tolist() == [0, 1]  # an array of CuPy, on the GPU
"""


def test_jax():
    if importlib.util.find_spec("jax") is None:
        print("JAX is not installed; its test is left out")
        return
    for precision in "double", "single":
        result = subprocess.run([sys.executable, "-c", PROGRAM, precision], capture_output=True, text=True, timeout=200,
                                check=False, env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
        assert result.returncode == 0, result.stderr[-2000:]
