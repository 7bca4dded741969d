"""Operators of PyTorch on the CPU: eigh and eigvalsh, their gradients, vmap and torch.compile's view of them."""
import pytest

torch = pytest.importorskip("torch")

import trigon_linalg as tl  # noqa: E402
from trigon_linalg import torch as tt  # noqa: E402

TYPES = torch.float64, torch.complex128


def hermitian(dtype, *shape):
    generator = torch.Generator().manual_seed(1)
    a = torch.randn(*shape, dtype=dtype, generator=generator)
    return (a + a.mH) / 2


def invariants(a):
    """What does not depend on the phases of vectors: values, and projectors."""
    h = (a + a.mH) / 2
    w, v = tt.eigh(h)
    return w, v[..., :2] @ v[..., :2].mH, (v[..., 0].abs() ** 2).sum(-1), (v.abs() ** 2)[..., 1:]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", ((1, 1), (5, 5), (2, 3, 4, 4), (0, 3, 3), (0, 0)))
def test_values_and_vectors(dtype, shape):
    a = hermitian(dtype, *shape)
    w, v = tt.eigh(a)
    want = torch.linalg.eigh(a)
    assert torch.allclose(w, want[0]) and torch.allclose((v * w[..., None, :]) @ v.mH, a, atol=1e-12)
    assert torch.allclose(tt.eigvalsh(a), want[0])
    for x, y in zip(tl.eigh(a), (w, v)):
        assert type(x) is torch.Tensor and torch.equal(x, y)
    assert torch.equal(tl.eigvalsh(a), tt.eigvalsh(a))


@pytest.mark.parametrize("dtype", TYPES)
def test_gradients_are_those_of_finite_differences(dtype):
    for shape in ((4, 4), (2, 3, 3)):
        a = hermitian(dtype, *shape).requires_grad_()
        assert torch.autograd.gradcheck(lambda a: invariants(a)[0], a)
        assert torch.autograd.gradcheck(lambda a: invariants(a)[1:], a)
        assert torch.autograd.gradcheck(lambda a: tt.eigvalsh((a + a.mH) / 2), a)


@pytest.mark.parametrize("dtype", TYPES)
def test_gradients_are_those_of_torch(dtype):
    a = hermitian(dtype, 3, 6, 6)
    weight = hermitian(dtype, 3, 6, 6)

    def loss(eigh, a):
        w, v = eigh((a + a.mH) / 2)
        return w.exp().sum() + ((weight @ v)[..., :3].abs() ** 2).sum()

    ours, theirs = (torch.autograd.grad(loss(eigh, x), x)[0]
                    for eigh, x in ((tt.eigh, a.clone().requires_grad_()),
                                    (torch.linalg.eigh, a.clone().requires_grad_())))
    assert torch.allclose(ours, theirs)


@pytest.mark.parametrize("dtype", TYPES)
def test_operators_are_what_pytorch_asks_for(dtype):
    for shape in ((3, 3), (2, 4, 4)):
        a = hermitian(dtype, *shape)
        for operator in (tt.eigh, tt.eigvalsh):
            torch.library.opcheck(operator, (a,))
        a = a.requires_grad_()
        torch.library.opcheck(tt.eigvalsh, (a,))
    stack = hermitian(dtype, 3, 4, 4)
    for got, want in zip(torch.func.vmap(tt.eigh)(stack), tt.eigh(stack)):
        assert torch.equal(got, want)
    assert torch.equal(torch.func.vmap(tt.eigvalsh, in_dims=1)(stack.movedim(0, 1)), tt.eigvalsh(stack))


def test_a_tensor_that_requires_a_gradient_is_refused_by_the_function_for_arrays():
    with pytest.raises(ValueError, match="gradient"):
        tl.eigh(torch.eye(3, dtype=torch.float64).requires_grad_())
