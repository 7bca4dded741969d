"""Operators for PyTorch, with gradients: cholesky, cho_solve, solve_triangular, logdet, cholesky_inverse, eigh, eigvalsh.

Factors are lower triangles here, as in torch.linalg. Dimensions of batches stand in front. The operators are registered
by torch.library, so that torch.compile and torch.func.vmap see one operation. The formulas of the gradients are built
of the same operators, so that gradients have gradients. On a GPU only cholesky waits, to raise LinAlgError. A solve with
a singular triangle gives infinities or NaN, as in torch.linalg.
"""
import torch
from torch import Tensor

from . import eigen as _eigen
from . import factor as _factor
from . import small_device
from . import solve as _solve


def lean(x):
    """Whether small_device may serve this tensor. An operator runs where autograd records nothing."""
    return x.is_cuda and type(x) is Tensor


def is_single(x):
    """Whether the factor of this tensor has contiguous columns, as torch.linalg's has: lower triangles by columns are
    the fastest ones on a GPU."""
    return x.is_cuda and x.ndim == 2


def adjoint(x):
    return x.mH


def symmetric_half(x):
    """Φ: the lower triangle with half of the diagonal."""
    return x.tril() - x.diagonal(dim1=-2, dim2=-1).diag_embed() / 2


def reduced(x, shape):
    """The sum over the dimensions of a batch that were broadcast."""
    return x.sum_to_size(shape) if x.shape != shape else x


def batch_shape(a, b):
    return torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])


# ----------------------------------------------------------------------------------------------------- cholesky

@torch.library.custom_op("trigon::cholesky", mutates_args=())
def cholesky(a: Tensor) -> Tensor:
    """The lower factor L of a = LLᴴ. Raises LinAlgError if a matrix is not positive definite."""
    c = small_device.factor(a, True, False, True) if lean(a) else None
    if c is None:
        c = _factor.cholesky(a.detach().contiguous(), lower=True, check_finite=False)
    return c.mT.contiguous().mT if is_single(a) else c


@cholesky.register_fake
def _(a):
    return a.new_empty(a.shape).mT if is_single(a) else torch.empty_like(a, memory_format=torch.contiguous_format)


def _cholesky_backward(ctx, grad):
    (c,) = ctx.saved_tensors
    middle = symmetric_half(adjoint(c) @ grad)
    middle = middle + adjoint(middle)
    # L⁻ᴴ·M·L⁻¹ = L⁻ᴴ·(L⁻ᴴ·Mᴴ)ᴴ, and M is Hermitian.
    left = solve_triangular(c, middle, 2)
    return solve_triangular(c, adjoint(left).contiguous(), 2) / 2


cholesky.register_autograd(_cholesky_backward,
                           setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output))


# --------------------------------------------------------------------------------------------- solve_triangular

@torch.library.custom_op("trigon::solve_triangular", mutates_args=())
def solve_triangular(c: Tensor, b: Tensor, trans: int = 0) -> Tensor:
    """Solves op(c)·x = b for lower triangles c and matrices b. op(c) is c, cᵀ or cᴴ: trans is 0, 1 or 2."""
    lean_result = small_device.solve_triangular(c, b, trans, True, False, False, None) if lean(c) else None
    x, _ = lean_result or _solve.solve_triangular(c.detach(), b.detach().contiguous(), trans, lower=True,
                                                  check_finite=False, check=None)
    return x.contiguous()


@solve_triangular.register_fake
def _(c, b, trans=0):
    return b.new_empty((*batch_shape(c, b), *b.shape[-2:]))


def _keep_solution(ctx, inputs, output):
    ctx.trans = inputs[2] if len(inputs) > 2 else 0
    ctx.shapes = inputs[0].shape, inputs[1].shape
    ctx.save_for_backward(inputs[0], output if ctx.needs_input_grad[0] else None)


def _solve_triangular_backward(ctx, grad):
    c, x = ctx.saved_tensors
    trans = ctx.trans
    if trans == 1 and c.is_complex():
        grad_b = solve_triangular(c.conj().resolve_conj(), grad, 0)  # the adjoint of cᵀ is conj(c)
    else:
        grad_b = solve_triangular(c, grad, 2 if trans == 0 else 0)
    grad_c = None
    if ctx.needs_input_grad[0]:
        product = -grad_b @ adjoint(x)  # the gradient of op(c)
        grad_c = product if trans == 0 else product.mT if trans == 1 else adjoint(product)
        grad_c = reduced(grad_c.tril(), ctx.shapes[0])
    return grad_c, reduced(grad_b, ctx.shapes[1]), None


solve_triangular.register_autograd(_solve_triangular_backward, setup_context=_keep_solution)


# --------------------------------------------------------------------------------------------------- cho_solve

@torch.library.custom_op("trigon::cho_solve", mutates_args=())
def cho_solve(c: Tensor, b: Tensor) -> Tensor:
    """Solves a·x = b with the lower factor c of a. b has matrices, one column for each right-hand side."""
    x = small_device.cho_solve(c, b, True, False) if lean(c) else None
    if x is None:
        x = _solve.cho_solve((c.detach(), True), b.detach().contiguous(), check_finite=False)
    return x.contiguous()


@cho_solve.register_fake
def _(c, b):
    return b.new_empty((*batch_shape(c, b), *b.shape[-2:]))


def _cho_solve_backward(ctx, grad):
    c, x = ctx.saved_tensors
    grad_b = cho_solve(c, grad)
    grad_c = None
    if ctx.needs_input_grad[0]:
        outer = grad_b @ adjoint(x)
        grad_c = reduced(-((outer + adjoint(outer)) @ c).tril(), ctx.shapes[0])
    return grad_c, reduced(grad_b, ctx.shapes[1])


cho_solve.register_autograd(_cho_solve_backward, setup_context=_keep_solution)


# ------------------------------------------------------------------------------------------------------ logdet

@torch.library.custom_op("trigon::logdet", mutates_args=())
def logdet(c: Tensor) -> Tensor:
    """The logarithm of the determinant of the matrix whose lower factor is c."""
    diagonal = c.diagonal(dim1=-2, dim2=-1)
    return 2 * diagonal.abs().log().sum(-1)


@logdet.register_fake
def _(c):
    return c.new_empty(c.shape[:-2], dtype=c.real.dtype if c.is_complex() else c.dtype)


def _logdet_backward(ctx, grad):
    (c,) = ctx.saved_tensors
    diagonal = c.diagonal(dim1=-2, dim2=-1)
    return (2 * grad[..., None] / diagonal.conj()).diag_embed()


logdet.register_autograd(_logdet_backward,
                         setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]))


# --------------------------------------------------------------------------------------------- cholesky_inverse

@torch.library.custom_op("trigon::cholesky_inverse", mutates_args=())
def cholesky_inverse(c: Tensor) -> Tensor:
    """The inverse of the matrix whose lower factor is c."""
    inverse = small_device.cholesky_inverse(c, True, False, False) if lean(c) else None
    if inverse is None:
        inverse = _solve.inverse_of_factor(c.detach().contiguous(), True, False, False, None, False)
    return inverse[0].contiguous()


@cholesky_inverse.register_fake
def _(c):
    return torch.empty_like(c, memory_format=torch.contiguous_format)


def _cholesky_inverse_backward(ctx, grad):
    c, inverse = ctx.saved_tensors
    # d(A⁻¹) = -A⁻¹·dA·A⁻¹, and dA = dL·Lᴴ + L·dLᴴ.
    middle = inverse @ (grad + adjoint(grad)) @ inverse
    return -(middle @ c).tril()


cholesky_inverse.register_autograd(
    _cholesky_inverse_backward,
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0], output))


# -------------------------------------------------------------------------------------------------------- eigh

def real_type(x):
    return x.real.dtype if x.is_complex() else x.dtype


@torch.library.custom_op("trigon::eigh", mutates_args=())
def eigh(a: Tensor) -> tuple[Tensor, Tensor]:
    """The values w and the vectors v of a symmetric or Hermitian matrix, a = v·diag(w)·vᴴ, from its lower triangle.

    As in torch.linalg.eigh, gradients of v are finite only if no value is repeated, and must not depend on the phases of
    the vectors.
    """
    return _eigen.eigh(a.detach().contiguous(), check_finite=False)


@eigh.register_fake
def _(a):
    return a.new_empty(a.shape[:-1], dtype=real_type(a)), a.new_empty(a.shape).mT


def _eigh_backward(ctx, grad_w, grad_v):
    w, v = ctx.saved_tensors
    # dw = diag(vᴴ·da·v), and vᴴ·dv = (vᴴ·da·v) / (w_j - w_i) off the diagonal. On the diagonal vᴴ·dv is imaginary: a
    # change of phase, on which nothing depends.
    gaps = w[..., None, :] - w[..., :, None]
    gaps.diagonal(dim1=-2, dim2=-1).fill_(torch.inf)
    middle = (adjoint(v) @ grad_v) / gaps + grad_w.diag_embed()
    grad = v @ middle @ adjoint(v)
    return (grad + adjoint(grad)) / 2


eigh.register_autograd(_eigh_backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*output))


@torch.library.custom_op("trigon::eigvalsh", mutates_args=())
def eigvalsh(a: Tensor) -> Tensor:
    """The values of a symmetric or Hermitian matrix, from its lower triangle. A gradient computes the vectors, too."""
    return _eigen.eigvalsh(a.detach().contiguous(), check_finite=False)


@eigvalsh.register_fake
def _(a):
    return a.new_empty(a.shape[:-1], dtype=real_type(a))


def _eigvalsh_backward(ctx, grad):
    (a,) = ctx.saved_tensors
    _, v = eigh(a)
    return (v * grad[..., None, :]) @ adjoint(v)


eigvalsh.register_autograd(_eigvalsh_backward,
                           setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]))


# -------------------------------------------------------------------------------------------------------- vmap

def _in_front(x, dim, size):
    return x.movedim(dim, 0) if dim is not None else x.unsqueeze(0).expand(size, *x.shape)


def _one_argument(operator):
    def batched(info, in_dims, x):
        return operator(_in_front(x, in_dims[0], info.batch_size)), 0
    return batched


def _two_results(operator):
    def batched(info, in_dims, x):
        return operator(_in_front(x, in_dims[0], info.batch_size)), (0, 0)
    return batched


def _two_arguments(operator):
    def batched(info, in_dims, c, b, *rest):
        c, b = (_in_front(x, dim, info.batch_size) for x, dim in zip((c, b), in_dims))
        # The mapped dimension stands in front of both batches, which must have equally many dimensions.
        while c.ndim < b.ndim:
            c = c.unsqueeze(1)
        while b.ndim < c.ndim:
            b = b.unsqueeze(1)
        return operator(c, b, *rest), 0
    return batched


for _operator in (cholesky, logdet, cholesky_inverse, eigvalsh):
    _operator.register_vmap(_one_argument(_operator))
eigh.register_vmap(_two_results(eigh))
for _operator in (solve_triangular, cho_solve):
    _operator.register_vmap(_two_arguments(_operator))
