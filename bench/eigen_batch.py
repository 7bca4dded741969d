#!/usr/bin/env python3
"""Times trigon_?syevd_strided and trigon_?heevd_strided on one GPU, for batches of small matrices.

  bench/eigen_batch.py [--library build/release/src/libtrigon.so] [--backend cuda:0] [--types d] [--jobs NV]
                       [--batches 3:1048576,8:50000] [--repeats 5] > FILE.csv

A batch is ORDER:COUNT. Prints rows of `trigon bench --csv`. A time is the median between two events around a call in
a stream. The error of a row is, over all matrices, the larger one of max ||A z - w z|| / (n u ||A||) and
max |Z' Z - I| / (n u), and for values alone the difference from torch.linalg.eigvalsh over u ||A||, of 100 matrices.
"""
import argparse
import ctypes

import torch

from eigen_torch import JOBS, LOWER, TYPES, Trigon, median

BATCHES = "3:1048576,4:100000,8:50000,16:20000,32:10000,64:2000,100:500,128:500,256:100,512:20"


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--library", default="build/release/src/libtrigon.so")
    p.add_argument("--backend", default="cuda:0")
    p.add_argument("--types", default="d")
    p.add_argument("--jobs", default="NV")
    p.add_argument("--batches", default=BATCHES)
    p.add_argument("--repeats", type=int, default=5)
    return p.parse_args()


def solve(trigon, letter, job, a, w, info):
    """Overwrites a. A row-major Hermitian matrix is the conjugate of a column-major one."""
    solver = getattr(trigon.lib, "trigon_%s%sevd_strided" % (letter, "he" if letter in "cz" else "sy"))
    count, n = ctypes.c_int64(a.shape[0]), ctypes.c_int64(a.shape[1])
    trigon.must(solver(trigon.context, JOBS[job], LOWER, count, n, ctypes.c_void_p(a.data_ptr()), n,
                       ctypes.c_int64(a.shape[1] ** 2), ctypes.c_void_p(w.data_ptr()), n,
                       ctypes.c_void_p(info.data_ptr())))


def timed(call):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def error_of(a, w, z):
    n, u = a.shape[-1], torch.finfo(a.dtype).eps / 2
    norm = w.abs().amax(dim=1, keepdim=True)
    if z is None:
        return float(((w[:100] - torch.linalg.eigvalsh(a[:100].cpu()).cuda()).abs() / (u * norm[:100])).max())
    residual = float(((a @ z - z * w[:, None, :]).norm(dim=1) / (n * u * norm)).max())
    overlap = z.mH @ z - torch.eye(n, dtype=a.dtype, device="cuda")
    return max(residual, float(overlap.abs().max()) / (n * u))


def measure(trigon, o, letter, n, count, job):
    torch.manual_seed(n)
    x = torch.randn(count, n, n, dtype=TYPES[letter], device="cuda")
    a = x + x.mH
    w = torch.zeros(count, n, dtype=a.real.dtype, device="cuda")
    info = torch.zeros(count, dtype=torch.int64, device="cuda")
    times = []
    for _ in range(o.repeats + 1):
        b = a.mT.contiguous()
        times.append(timed(lambda: solve(trigon, letter, job, b, w, info)))
    error = error_of(a, w, b.mT if job == "V" else None)
    routine, ms = ("heevd" if letter in "cz" else "syevd") + "_batch", median(times[1:])
    flops = count * (4 if letter in "cz" else 1) * (4 / 3 if job == "N" else 9) * n**3
    print("%s,%s,%s,trigon,%sL,%d,%d,0,%d,%.4f,%.1f,%.2f,0,,info=%d"
          % (routine, letter, o.backend, job, n, n, count, ms, flops / ms * 1e-6, error, int(info.abs().max())),
          flush=True)


def main():
    o = options()
    trigon = Trigon(o.library, o.backend)
    stream = torch.cuda.Stream()
    torch.cuda.set_stream(stream)
    trigon.must(trigon.lib.trigon_set_stream(trigon.context, ctypes.c_void_p(stream.cuda_stream)))
    print("routine,type,backend,impl,variant,m,n,k,batch,ms,gflops,error,extra_bytes,floor_ms,detail")
    for letter in o.types:
        for batch in o.batches.split(","):
            n, count = map(int, batch.split(":"))
            for job in o.jobs:
                measure(trigon, o, letter, n, count, job)


if __name__ == "__main__":
    main()
