"""Arrays of JAX. They are immutable: results are new arrays, and an argument stays what it was."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import close, seeded, spd

import trigon_linalg as tl

pytest.importorskip("jax", reason="JAX is not installed")

# JAX starts threads, and would warn at the forks of other tests. So the tests run in a process of their own. Its
# argument says whether JAX has double precision, which is off by default.
PROGRAM = """
import sys
import jax, jax.numpy as jnp, numpy as np, trigon_linalg as tl
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", sys.argv[1] == "double")
import test_jax
for test in test_jax.results, test_jax.arguments_stay, test_jax.errors, test_jax.unfinished:
    test(jax, jnp)
"""


@pytest.mark.parametrize("precision", ["single", "double"])
def test_jax(precision):
    result = subprocess.run([sys.executable, "-c", PROGRAM, precision], capture_output=True, text=True, timeout=200,
                            cwd=Path(__file__).parent, check=False)
    assert result.returncode == 0, result.stderr


def operands(jax, jnp):
    """A stack of matrices and right sides, for JAX and for NumPy."""
    dtype = np.float64 if jax.config.jax_enable_x64 else np.float32
    a, b = spd(seeded(61), 5, dtype, (2,)), np.ones((2, 5, 3), dtype)
    return a, b, jnp.asarray(a), jnp.asarray(b)


def calls(a, b, **overwrite):
    """Results of every function. The keywords ask that arguments be overwritten."""
    over_a = {k: v for k, v in overwrite.items() if k == "overwrite_a"}
    over_b = {k: v for k, v in overwrite.items() if k == "overwrite_b"}
    over_c = {"overwrite_c": True} if overwrite else {}
    yield tl.cholesky(a, **over_a)
    yield tl.cholesky(a[0], lower=True, **over_a)
    yield tl.cho_factor(a, **over_a)[0]
    yield tl.inv(a, **over_a)
    yield tl.logdet(a, **over_a)
    yield tl.logdet(a[0])
    yield tl.posv(a, b, **overwrite)
    yield tl.posv(a[0], b[0, :, 0], **overwrite)
    yield tl.cho_solve(tl.cho_factor(a), b, **over_b)
    yield tl.solve_triangular(a, b, **over_b)
    yield tl.cholesky_inverse(tl.cholesky(a), **over_c)
    yield tl.gemm(a, b, beta=1, c=b, **over_c)
    yield tl.syrk(a, beta=1, c=a, **over_c)
    yield tl.symm(a[0], b[0], beta=1, c=b[0], **over_c)
    yield tl.trmm(a, b, **over_b)


def results(jax, jnp):
    a, b, jax_a, jax_b = operands(jax, jnp)
    for number, (got, want) in enumerate(zip(calls(jax_a, jax_b), calls(a, b))):
        assert isinstance(got, jax.Array), number
        assert got.dtype == a.dtype and close(np.atleast_1d(got), np.atleast_1d(want), a.dtype), number
    assert isinstance(tl.cholesky(jnp.eye(2, dtype=jnp.int32)), jax.Array)
    assert isinstance(tl.cholesky(jnp.zeros((0, 0))), jax.Array)
    c, infos = tl.cholesky(jnp.stack([jax_a[0], -jax_a[1]]), check=False)
    assert isinstance(c, jax.Array) and np.asarray(infos).tolist() == [0, 1]
    given = [jax_a[0], jnp.zeros((0, 0), a.dtype), jnp.eye(3, dtype=a.dtype)]
    right = [b[0], np.zeros((0, 2), a.dtype), jnp.ones(3, a.dtype)]
    plain, plain_right = [*map(np.asarray, given)], [*map(np.asarray, right)]
    for got, want in zip(tl.cholesky(given) + tl.posv(given, right), tl.cholesky(plain) + tl.posv(plain, plain_right)):
        assert isinstance(got, jax.Array) and close(np.asarray(got), want, a.dtype)
    assert isinstance(tl.posv(a, jax_b), jax.Array)  # NumPy's and JAX's together


def arguments_stay(jax, jnp):
    a, b, jax_a, jax_b = operands(jax, jnp)
    list(calls(jax_a, jax_b, overwrite_a=True, overwrite_b=True))
    assert np.array_equal(jax_a, a) and np.array_equal(jax_b, b)
    for out in (jax_a, jnp.zeros_like(jax_a)):
        with pytest.raises(ValueError, match="out is read-only"):
            tl.cholesky(jax_a, out=out)
    first = tl.cholesky(jax_a)
    kept = np.array(first)
    tl.inv(first, assume_a="upper triangular", overwrite_a=True)
    assert np.array_equal(first, kept)
    out = np.zeros_like(a)
    assert tl.cholesky(jax_a, out=out) is out and close(out, kept, a.dtype)


def errors(jax, jnp):
    a = jnp.eye(3)
    for transformed in (jax.jit(tl.cholesky), jax.grad(tl.logdet)):
        with pytest.raises(TypeError, match="^a is no array: .*traced"):
            transformed(a)
    with pytest.raises(TypeError, match="^b is no array: .*traced"):
        jax.jit(lambda b: tl.posv(np.eye(3), b))(jnp.ones(3))
    with pytest.raises(TypeError, match="^a of type ArrayImpl offers no memory"):
        tl.cholesky(jnp.eye(3, dtype=jnp.bfloat16))
    with pytest.raises(np.linalg.LinAlgError):
        tl.cholesky(-a)
    a.delete()
    with pytest.raises(TypeError, match="^a of type ArrayImpl offers no memory"):
        tl.cholesky(a)


def unfinished(jax, jnp):
    """JAX returns from a call before the call has computed. We wait for the argument."""
    a = jnp.asarray(spd(seeded(62), 600, np.float32))
    for _ in range(5):
        product = a @ a
        factor = tl.cholesky(product / 600)
        assert close(np.asarray(factor), np.linalg.cholesky(np.asarray(product) / 600).T, np.float32)
