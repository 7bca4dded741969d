"""What the tests on a GPU share: types, devices, matrices, and errors that are judged."""
import torch

TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)
DEVICES = ("cpu", "cuda")


def positive(n, dtype, device, batch=()):
    torch.manual_seed(n)
    g = torch.randn(*batch, n, n, dtype=dtype, device=device)
    return g @ g.mH / n + torch.eye(n, dtype=dtype, device=device)


def check_close(x, y, dtype, what, size=None):
    size = size or max(1, x.shape[-1] if x.ndim else 1)
    error = (x - y).abs().max().item() / max(1e-300, y.abs().max().item())
    limit = 30 * size * torch.finfo(dtype).eps
    assert error <= limit, f"{what}: error {error:.2e} above {limit:.2e}"
