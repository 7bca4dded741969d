"""Bad input: the error names the argument, and nothing is changed."""
import numpy as np
import pytest
from support import seeded, spd

import trigon_linalg as tl

A = spd(seeded(30), 4, np.float64)
B = np.ones((4, 2))
READ_ONLY = np.eye(4)
READ_ONLY.flags.writeable = False



class Strange:
    """An object of another library, which raises where it is asked for its memory."""

    class Error(TypeError):
        def __init__(self, first, second):
            super().__init__(f"{first} {second}")

    def __init__(self, device):
        if device:
            self.__dlpack_device__ = self.refuse

    def refuse(self):
        raise RuntimeError("no memory")

    def __array__(self, *_, **__):
        raise Strange.Error("traced", "here")


BAD = {
    "a is no array: traced here": lambda: tl.cholesky(Strange(False)),
    "a of type Strange offers no memory by DLPack: no memory": lambda: tl.cholesky(Strange(True)),
    "a has shape (3,), must have at least 2": lambda: tl.cholesky(np.ones(3)),
    "a has shape (), must have at least 2": lambda: tl.cholesky(1.0),
    "a has shape (2, 3), must be square": lambda: tl.cholesky(np.ones((2, 3))),
    "a has dtype object": lambda: tl.cholesky(np.array([[None]])),
    "a has dtype <U1": lambda: tl.cholesky(np.array([["x"]])),
    "a has dtype datetime64": lambda: tl.cholesky(np.zeros((1, 1), "M8[s]")),
    "a has dtype float128": lambda: tl.cholesky(np.eye(2, dtype=np.longdouble)),
    "a must not contain infs or NaNs": lambda: tl.cholesky(np.full((2, 2), np.nan)),
    "a must not contain infs": lambda: tl.cholesky(np.diag([1, np.inf])),
    "a must not contain": lambda: tl.inv(np.diag([1.0] * 100 + [np.nan])),
    "a is a masked array": lambda: tl.cholesky(np.ma.eye(2) if hasattr(np.ma, "eye") else np.ma.array(np.eye(2))),
    "b has shape (3,), must have 4 rows": lambda: tl.posv(A, np.ones(3)),
    "b has shape (), must have at least 1": lambda: tl.posv(A, 1.0),
    "b has shape (), must have at least 1 dim": lambda: tl.posv(A, np.array(1.0)),
    "a has dtype object, must": lambda: tl.gemm(None, A),
    "b has dtype object": lambda: tl.symm(A, None),
    "b must not contain infs or NaNs": lambda: tl.posv(A, np.full(4, np.nan)),
    "c must not contain infs or NaNs": lambda: tl.cho_solve((np.full((4, 4), np.inf), True), np.ones(4)),
    "c has shape (4, 2), must be square": lambda: tl.cho_solve((B, True), np.ones(4)),
    "b has shape (5, 2), must have 4 rows, as c has": lambda: tl.cho_solve((A, True), np.ones((5, 2))),
    "b has shape (2, 4, 2), whose batch does not fit a": lambda: tl.posv(np.stack([A] * 3), np.stack([B] * 2)),
    "trans is 3, must be one of": lambda: tl.solve_triangular(A, B, 3),
    "trans is 'X', must be": lambda: tl.solve_triangular(A, B, "X"),
    "trans is [], must be": lambda: tl.solve_triangular(A, B, []),
    "side is 2, must be": lambda: tl.trmm(A, B, side=2),
    "assume_a is 'gen'": lambda: tl.inv(A, assume_a="gen"),
    "b has dtype object, must": lambda: tl.posv(A, np.array([None] * 4)),
    "jitter is 'x', must be positive": lambda: tl.cholesky(A, jitter="x"),
    "jitter is -1.0, must be positive": lambda: tl.cholesky(A, jitter=-1.0),
    "out is of type list": lambda: tl.cholesky(A, out=[]),
    "out has shape (4, 2), must be (4, 4)": lambda: tl.cholesky(A, out=B.copy()),
    "out has dtype float32, must be float64": lambda: tl.cholesky(A, out=np.zeros((4, 4), np.float32)),
    "out is read-only": lambda: tl.cholesky(A, out=READ_ONLY),
    "out overlaps a": lambda: overlapping(),
    "alpha is 1j, must be real": lambda: tl.gemm(A, B, 1j),
    "alpha is 'x', must be a number": lambda: tl.gemm(A, B, "x"),
    "beta is 1j, must be real": lambda: tl.syrk(A + 0j, 1.0, 1j, A + 0j, hermitian=True),
    "trans is 2, must be 0 or 1": lambda: tl.syrk(A + 0j, trans=2),
    "b has shape (2, 4), must have 4 rows": lambda: tl.gemm(A, B.T),
    "a (2, 4, 4), b (3, 4, 2): the batches": lambda: tl.gemm(np.stack([A] * 2), np.stack([B] * 3)),
    "c has shape (3, 3), must be (4, 2)": lambda: tl.gemm(A, B, c=np.ones((3, 3))),
    "b has shape (4, 2), must be a matrix of 4 columns": lambda: tl.trmm(A, B, side=1),
    "mode is 'int9'": lambda: tl.set_fp64("int9"),
    "accuracy is 21": lambda: tl.set_fp64("int8", 21),
    "n is -1, must be": lambda: tl.set_threads(-1),
    "n is 1.5, must be": lambda: tl.set_threads(1.5),
}


def overlapping():
    memory = np.zeros((5, 4))
    memory[:4] = A
    return tl.cholesky(memory[:4], out=memory[1:])


@pytest.mark.parametrize("message", BAD)
def test_the_message_names_the_argument_and_its_value(message):
    if "float128" in message and np.dtype(np.longdouble).name != "float128":
        pytest.skip("no such type here")
    kept = A.copy(), B.copy()
    with pytest.raises((ValueError, TypeError)) as caught:
        BAD[message]()
    assert message in str(caught.value)
    assert np.array_equal(A, kept[0]) and np.array_equal(B, kept[1])


def test_bad_arguments_leave_what_could_be_overwritten():
    a, b = A.copy(), B.copy()
    for call in (lambda: tl.posv(a, np.full(4, np.nan), overwrite_a=True),
                 lambda: tl.posv(a, np.ones(3), overwrite_a=True),
                 lambda: tl.posv(a, b, overwrite_a=True, out=np.zeros(3)),
                 lambda: tl.posv(a, b, overwrite_a=True, jitter="x"),
                 lambda: tl.solve_triangular(np.triu(a) * 0, b, overwrite_b=True),
                 lambda: tl.solve_triangular(a, b, 7, overwrite_b=True)):
        with pytest.raises((ValueError, TypeError, np.linalg.LinAlgError)):
            call()
        assert np.array_equal(a, A) and np.array_equal(b, B)
    with pytest.raises(tl.LinAlgError):
        tl.posv(-a, b, overwrite_b=True)
    assert np.array_equal(b, B)


def test_failures_of_the_mathematics_are_numpys_and_tell_the_minor():
    for n in (3, 100):
        a = np.eye(n)
        a[1, 1] = -1
        for function in (tl.cholesky, tl.cho_factor, tl.inv, tl.logdet, lambda x: tl.posv(x, np.ones(x.shape[-1]))):
            with pytest.raises(np.linalg.LinAlgError,
                               match="2-th leading minor of the array is not positive definite") as caught:
                function(a)
            assert isinstance(caught.value, tl.LinAlgError) and caught.value.info == 2 and caught.value.index is None
            with pytest.raises(tl.LinAlgError, match=r"2-th leading minor of matrix \(1, 0\) is not") as caught:
                function(np.stack([np.eye(n), a])[:, None])
            assert caught.value.index == (1, 0)
        a[1, 1] = 0
        for call in (lambda: tl.solve_triangular(a, np.ones(n)), lambda: tl.cholesky_inverse(a),
                     lambda: tl.inv(a, assume_a="lower triangular")):
            with pytest.raises(tl.LinAlgError, match="singular matrix: resolution failed at diagonal 1") as caught:
                call()
            assert caught.value.info == 2


def test_nothing_warns():
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        big = np.diag(np.full(100, 1e200))
        assert np.isfinite(tl.cholesky(big)).all()
        with pytest.raises(ValueError):
            tl.cholesky(np.diag([np.inf] * 100))
        with pytest.raises(ValueError):
            tl.cholesky(np.full((3, 3), np.nan))


def test_without_the_check_nan_is_a_failure_of_the_mathematics():
    a = np.full((3, 3), np.nan)
    with pytest.raises(tl.LinAlgError):
        tl.cholesky(a, check_finite=False)
    x = tl.solve_triangular(np.eye(3), np.array([1, np.nan, 1]), check_finite=False)
    assert np.isnan(x[1])
