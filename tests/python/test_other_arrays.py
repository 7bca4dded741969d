"""Arrays of other libraries, by DLPack."""
import numpy as np
import pytest
from support import close, seeded, spd

import trigon_linalg as tl

strict = pytest.importorskip("array_api_strict")
if int(np.__version__.split(".")[0]) < 2:
    pytest.skip("array_api_strict needs NumPy 2", allow_module_level=True)


def test_the_result_has_the_callers_type():
    a = spd(seeded(60), 5, np.float64, (2,))
    given = strict.asarray(a)
    for got, want in ((tl.cholesky(given), tl.cholesky(a)), (tl.inv(given), tl.inv(a)),
                      (tl.posv(given, np.ones(5)), tl.posv(a, np.ones(5))), (tl.gemm(given, given), a @ a),
                      (tl.cho_factor(given)[0], tl.cho_factor(a)[0])):
        assert type(got) is type(given)
        assert close(np.from_dlpack(got), want, np.float64)
    assert np.array_equal(np.from_dlpack(given), a)
    for got, want in zip(tl.cholesky([given[0, ...], given[1, ...]]), tl.cholesky(a)):
        assert type(got) is type(given) and close(np.from_dlpack(got), want, np.float64)


class Elsewhere:
    """An array of a device that the package does not know."""

    def __dlpack__(self, **_):
        raise AssertionError("must not be called")

    def __dlpack_device__(self):
        return 7, 0  # Vulkan


def test_an_array_of_another_device_is_refused_by_name():
    with pytest.raises(ValueError, match="b lives on a device of DLPack's kind 7"):
        tl.posv(np.eye(2), Elsewhere())
