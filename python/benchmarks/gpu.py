"""Times trigon_linalg against torch.linalg on a GPU, and prints CSV: type D, milliseconds, medians.

host_us is what a call costs on the host, for both; the ratio is torch's time over Trigon's. The rows of ragged batches
have the largest order as n and the number of matrices as columns. Their times are the host's, from call to end, because
a list keeps the host busy. torch factors the same matrices padded with the identity to the largest order.
"""
import math
import statistics
import time

import numpy as np
import torch

import trigon_linalg as tl
import trigon_linalg.torch as operators


def device_ms(call, repeat):
    call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeat):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(2_000_000)  # the host runs ahead, so that its time is not counted
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def host_us(call, repeat=50):
    call()
    times = []
    for _ in range(repeat):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        times.append(1e6 * (time.perf_counter() - begin))
    torch.cuda.synchronize()
    return statistics.median(times)


def wall_ms(call, repeat=15):
    """From the call to the end of its work. The memory of the last result is free again before the next call."""
    times = []
    for _ in range(repeat + 2):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        result = call()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
        del result
    return statistics.median(times[2:])


def ragged_calls(count=5000, most=256):
    """Orders are uniform from 1 to `most`. Matrices are the leading minors of one matrix."""
    orders = np.random.default_rng(1).integers(1, most + 1, count)
    g = torch.randn(most, most, dtype=torch.float64, device="cuda")
    a = g @ g.mT / most + torch.eye(most, dtype=torch.float64, device="cuda")
    matrices = [a[:n, :n].contiguous() for n in orders.tolist()]
    padded = torch.eye(most, dtype=torch.float64, device="cuda").repeat(count, 1, 1)
    for place, matrix in zip(padded, matrices):
        place[:len(matrix), :len(matrix)] = matrix
    packed = tl.Ragged.pack(matrices)
    plain = {"lower": True, "check_finite": False}
    theirs = {"": lambda: torch.linalg.cholesky_ex(padded), "_checked": lambda: torch.linalg.cholesky(padded)}
    for check, torch_call in theirs.items():
        keywords = {**plain, "check": bool(check)}
        for name, given in (("ragged", packed), ("list", matrices)):
            yield f"cholesky_{name}{check}", most, count, lambda: tl.cholesky(given, **keywords), torch_call


def calls(n):
    g = torch.randn(n, n, dtype=torch.float64, device="cuda")
    a = g @ g.mT / n + torch.eye(n, dtype=torch.float64, device="cuda")
    c = torch.linalg.cholesky(a)
    plain = {"check_finite": False, "check": False}
    yield "cholesky", "", lambda: tl.cholesky(a, lower=True, **plain), lambda: torch.linalg.cholesky_ex(a)
    yield ("cholesky_inverse", "", lambda: tl.cholesky_inverse(c, lower=True, **plain),
           lambda: torch.cholesky_inverse(c))
    for columns in sorted({1, 16, 128, n}):
        b = torch.randn(n, columns, dtype=torch.float64, device="cuda")
        yield ("cho_solve", columns, lambda: tl.cho_solve((c, True), b, check_finite=False),
               lambda: torch.cholesky_solve(b, c))
        yield ("solve_triangular", columns, lambda: tl.solve_triangular(c, b, lower=True, **plain),
               lambda: torch.linalg.solve_triangular(c, b, upper=False))


def main():
    print("routine,n,columns,trigon_ms,torch_ms,ratio,trigon_host_us,torch_host_us")
    ratios = {}
    for n in (256, 512, 1024, 2048, 4096, 8192):
        for name, columns, ours, theirs in calls(n):
            repeat = 15 if n <= 2048 else 5
            mine, other = device_ms(ours, repeat), device_ms(theirs, repeat)
            host = [round(host_us(f), 1) if n == 256 else "" for f in (ours, theirs)]
            ratios.setdefault(name, []).append(other / mine)
            print(f"{name},{n},{columns},{mine:.4f},{other:.4f},{other / mine:.3f},{host[0]},{host[1]}", flush=True)
    for name, n, count, ours, theirs in ragged_calls():
        mine, other = wall_ms(ours), wall_ms(theirs)
        print(f"{name},{n},{count},{mine:.4f},{other:.4f},{other / mine:.3f},,", flush=True)
    for name, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"# {name}: geometric mean {mean:.2f}, least {min(values):.2f}")
    a = torch.eye(256, dtype=torch.float64, device="cuda")
    gradient = a.clone().requires_grad_()
    print(f"# host, us: operator {host_us(lambda: operators.cholesky(a)):.1f}, with gradient "
          f"{host_us(lambda: operators.cholesky(gradient)):.1f}, torch.linalg.cholesky "
          f"{host_us(lambda: torch.linalg.cholesky(a)):.1f}, with gradient "
          f"{host_us(lambda: torch.linalg.cholesky(gradient)):.1f}, plain function "
          f"{host_us(lambda: tl.cholesky(a, lower=True)):.1f}")


if __name__ == "__main__":
    main()
