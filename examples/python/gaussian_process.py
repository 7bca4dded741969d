"""Exact Gaussian process regression, and the gradient of its marginal likelihood.

    python examples/python/gaussian_process.py [--quick] [--torch]

The logarithm of the marginal likelihood of data y with the covariance K is
    -1/2·(yᵀK⁻¹y + log det K + n·log 2π),
and its derivative by a parameter t is 1/2·(αᵀ·dK/dt·α - trace(K⁻¹·dK/dt)) with α = K⁻¹y. One Cholesky factorization
serves all terms: cho_solve gives α, cholesky_inverse gives K⁻¹, logdet gives the determinant.
"""
import math
import sys

import numpy as np

import trigon_linalg as tl


def squared_distances(x, z):
    return (x[:, None] - z[None, :]) ** 2


def likelihood(x, y, log_scale, log_length, log_noise):
    """The logarithm of the marginal likelihood and its gradient by the three parameters."""
    scale, length, noise = (math.exp(2 * t) for t in (log_scale, log_length, log_noise))
    distances = squared_distances(x, x) / length
    kernel = scale * np.exp(-distances / 2)
    factor = tl.cho_factor(kernel + noise * np.eye(len(x)), lower=True, overwrite_a=True)
    alpha = tl.cho_solve(factor, y)
    value = -(y @ alpha + tl.logdet(factor) + len(x) * math.log(2 * math.pi)) / 2
    inverse = tl.cholesky_inverse(factor)
    weight = np.outer(alpha, alpha) - inverse
    # The derivatives of K by the three parameters are 2·kernel, kernel·distances and 2·noise·I.
    gradient = np.array([(weight * kernel).sum(), (weight * kernel * distances).sum() / 2, noise * np.trace(weight)])
    return value, gradient


def fit(x, y, steps, rate=0.02):
    """Climbs along the gradient, with steps whose size adapts to each parameter (Rprop)."""
    parameters = np.array([0.0, 0.0, -1.0])
    size, before = np.full(3, rate), np.zeros(3)
    for _ in range(steps):
        value, gradient = likelihood(x, y, *parameters)
        size = np.clip(np.where(gradient * before > 0, size * 1.2, size * 0.5), 1e-6, 0.5)
        parameters = parameters + size * np.sign(gradient)
        before = gradient
    return parameters, value


def predict(x, y, at, log_scale, log_length, log_noise):
    """Mean and standard deviation at new places."""
    scale, length, noise = (math.exp(2 * t) for t in (log_scale, log_length, log_noise))
    kernel = scale * np.exp(-squared_distances(x, x) / (2 * length)) + noise * np.eye(len(x))
    across = scale * np.exp(-squared_distances(x, at) / (2 * length))
    c = tl.cholesky(kernel, lower=True, overwrite_a=True)
    half = tl.solve_triangular(c, across, lower=True)
    mean = half.T @ tl.solve_triangular(c, y, lower=True)
    return mean, np.sqrt(np.maximum(scale - (half ** 2).sum(axis=0), 0))


def torch_likelihood(x, y, parameters):
    """The same with PyTorch, which derives the gradient from the operators of trigon_linalg.torch."""
    import torch
    from trigon_linalg import torch as tlt
    scale, length, noise = torch.exp(2 * parameters)
    kernel = scale * torch.exp(-(x[:, None] - x[None, :]) ** 2 / (2 * length))
    c = tlt.cholesky(kernel + noise * torch.eye(len(x), dtype=x.dtype))
    alpha = tlt.cho_solve(c, y[:, None])[:, 0]
    return -(y @ alpha + tlt.logdet(c) + len(x) * math.log(2 * math.pi)) / 2


def main():
    quick = "--quick" in sys.argv
    random = np.random.default_rng(1)
    n = 150 if quick else 1500
    x = np.sort(random.uniform(-5, 5, n))
    y = np.sin(2 * x) + 0.1 * random.standard_normal(n)
    value, gradient = likelihood(x, y, 0.1, -0.2, -1.0)
    step = 1e-5
    for k in range(3):
        shifted = np.array([0.1, -0.2, -1.0])
        shifted[k] += step
        upper = likelihood(x, y, *shifted)[0]
        shifted[k] -= 2 * step
        numerical = (upper - likelihood(x, y, *shifted)[0]) / (2 * step)
        assert abs(numerical - gradient[k]) < 1e-4 * max(1, abs(gradient[k])), (k, numerical, gradient[k])
    parameters, value = fit(x, y, 20 if quick else 60)
    at = np.linspace(-4.5, 4.5, 50)
    mean, deviation = predict(x, y, at, *parameters)
    error = np.abs(mean - np.sin(2 * at)).max()
    print(f"log likelihood {value:.1f}, noise {math.exp(parameters[2]):.3f}, largest error {error:.3f}, "
          f"largest deviation {deviation.max():.3f}")
    assert error < 0.3
    if "--torch" in sys.argv:
        try:
            import torch
        except ImportError:
            print("PyTorch is not installed: its version is left out")
        else:
            t = torch.tensor([0.1, -0.2, -1.0], dtype=torch.float64, requires_grad=True)
            torch_likelihood(torch.from_numpy(x), torch.from_numpy(y), t).backward()
            assert np.allclose(t.grad.numpy(), gradient, rtol=1e-6)
    print("ok")


if __name__ == "__main__":
    main()
