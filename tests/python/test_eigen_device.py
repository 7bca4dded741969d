"""eigh and eigvalsh on a GPU: the simulated GPU computes them, and its memory is not the host's."""
import numpy as np
import pytest
import simulated_gpu
from simulated_gpu import Array, array
from support import DTYPES, adjoint, seeded, spd

import trigon_linalg as tl

pytestmark = pytest.mark.skipif(simulated_gpu.folder() is None, reason="no plugin of the simulated GPU")


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    yield simulated_gpu.install(monkeypatch)


def tolerance(dtype, n):
    return 30 * np.finfo(dtype).eps * n


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", (False, True))
@pytest.mark.parametrize("order", "CF")
def test_values_and_vectors_are_those_of_the_matrix(dtype, lower, order):
    for n in (1, 5, 30):
        a = np.asarray(spd(seeded(n), n, dtype), order=order)
        w, v = tl.eigh(array(a), lower=lower)
        assert type(w) is Array and type(v) is Array
        w, v = w.get(), v.get()
        size = np.abs(w).max()
        assert np.all(np.diff(w) >= 0)
        assert np.abs(a @ v - v * w).max() <= tolerance(dtype, n) * size
        assert np.abs(adjoint(v) @ v - np.eye(n)).max() <= tolerance(dtype, n)
        assert np.abs(tl.eigvalsh(array(a), lower=lower).get() - w).max() <= tolerance(dtype, n) * size


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_stack_is_one_call(dtype):
    for n, count in ((3, 40), (9, 6), (25, 2)):
        a = np.stack([spd(seeded(n + i), n, dtype) for i in range(count)])
        w, v = (x.get() for x in tl.eigh(array(a)))
        size = np.abs(w).max()
        assert np.abs(a @ v - v * w[:, None, :]).max() <= tolerance(dtype, n) * size
        assert np.abs(adjoint(v) @ v - np.eye(n)).max() <= tolerance(dtype, n)
        assert np.abs(tl.eigvalsh(array(a)).get() - w).max() <= tolerance(dtype, n) * size


def test_a_generalized_problem_and_a_part_of_the_values():
    random = seeded(3)
    a, b = spd(random, 20, np.float64), spd(random, 20, np.float64)
    whole = tl.eigvalsh(a, b)
    w, v = tl.eigh(array(a), array(b), subset_by_index=(2, 5))
    assert w.get().shape == (4,) and np.allclose(w.get(), whole[2:6])
    assert np.allclose(a @ v.get(), b @ v.get() * w.get())


def test_tridiagonal_matrices():
    random = seeded(8)
    d, e = random.standard_normal(40), random.standard_normal(39)
    w, v = tl.eigh_tridiagonal(d, e)
    there, vectors = tl.eigh_tridiagonal(array(d), array(e))
    assert type(there) is Array and np.allclose(there.get(), w)
    assert np.allclose(np.abs(vectors.get()), np.abs(v))
    part = tl.eigh_tridiagonal(array(d), array(e), eigvals_only=True, select="i", select_range=(4, 6))
    assert np.allclose(part.get(), w[4:7])
    part = tl.eigh_tridiagonal(array(d), array(e), eigvals_only=True, select="v", select_range=(0, 1))
    assert np.allclose(part.get(), w[(w > 0) & (w <= 1)])


def test_values_of_an_interval():
    a = np.diag(np.arange(1.0, 41))
    w, v = tl.eigh(array(a), subset_by_value=(2.5, 7))
    assert np.allclose(w.get(), [3, 4, 5, 6, 7])
    assert np.allclose(a @ v.get(), v.get() * w.get())
    assert np.allclose(tl.eigvalsh(array(a), subset_by_value=(39, np.inf)).get(), [40])
    assert tl.eigvalsh(array(a), subset_by_value=(50, 60)).get().shape == (0,)
