#!/usr/bin/env python3
"""Times trigon_?syevd and trigon_?heevd on one GPU beside torch.linalg.eigh, which calls cuSOLVER, in turns.

  bench/eigen_torch.py [--library build/release/src/libtrigon.so] [--backend cuda:0] [--types d] [--sizes 1024,4096]
                       [--jobs NV] [--spectra random,clustered] [--repeats 3] > FILE.csv

Jobs are N (values), V (vectors), P (vectors of the lowest fifth of the values), G and H (values, and vectors, of a
generalized problem). torch.linalg has no P, G and H: their rows stand alone.

Prints rows of `trigon bench --csv`. A time is the median of wall clock times from the call to the end of its work; both
sides get the same matrix, in device memory. The error of a row is the larger one of max ||A z - w z|| / (n u ||A||) and
max |Z' Z - I| / (n u), and for values alone the difference from the other side's values over u ||A||. A clustered
spectrum has half of its values within n u of 1, and the others evenly between -1 and 1.
"""
import argparse
import ctypes
import sys
import time

import torch

TYPES = {"s": torch.float32, "d": torch.float64, "c": torch.complex64, "z": torch.complex128}
JOBS = {"N": 151, "V": 152, "P": 152, "G": 151, "H": 152}
LOWER, INDICES = 122, 163


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--library", default="build/release/src/libtrigon.so")
    p.add_argument("--backend", default="cuda:0")
    p.add_argument("--types", default="d")
    p.add_argument("--sizes", default="512,1024,2048,4096,8192")
    p.add_argument("--jobs", default="NV")
    p.add_argument("--spectra", default="random,clustered")
    p.add_argument("--repeats", type=int, default=3)
    return p.parse_args()


class Trigon:
    def __init__(self, library, backend):
        self.lib = ctypes.CDLL(library)
        self.lib.trigon_message.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        why = ctypes.create_string_buffer(400)
        if self.lib.trigon_create(backend.encode(), ctypes.byref(self.context), why, 400) != 0:
            sys.exit(why.value.decode())

    def must(self, status):
        if status != 0:
            sys.exit(self.lib.trigon_message(self.context).decode())

    def solve(self, letter, job, a, w, info):
        """Overwrites a, whose lower triangle is read as that of a column-major matrix."""
        solver = getattr(self.lib, "trigon_%s%sevd" % (letter, "he" if letter in "cz" else "sy"))
        n = ctypes.c_int64(a.shape[0])
        self.must(solver(self.context, JOBS[job], LOWER, n, ctypes.c_void_p(a.data_ptr()), n,
                         ctypes.c_void_p(w.data_ptr()), ctypes.c_void_p(info.data_ptr())))
        self.must(self.lib.trigon_finish(self.context, None))

    def solve_part(self, letter, count, a, w, info):
        """The vectors of the lowest values."""
        solver = getattr(self.lib, "trigon_%s%sevdx" % (letter, "he" if letter in "cz" else "sy"))
        n, real = ctypes.c_int64(a.shape[0]), ctypes.c_float if letter in "sc" else ctypes.c_double
        self.must(solver(self.context, JOBS["P"], INDICES, LOWER, n, ctypes.c_void_p(a.data_ptr()), n, real(0), real(1),
                         ctypes.c_int64(1), ctypes.c_int64(count), None, ctypes.c_void_p(w.data_ptr()),
                         ctypes.c_void_p(info.data_ptr())))
        self.must(self.lib.trigon_finish(self.context, None))

    def solve_generalized(self, letter, job, a, b, w, info):
        """Overwrites a and b."""
        solver = getattr(self.lib, "trigon_%s%sgvd" % (letter, "he" if letter in "cz" else "sy"))
        n = ctypes.c_int64(a.shape[0])
        self.must(solver(self.context, 1, JOBS[job], LOWER, n, ctypes.c_void_p(a.data_ptr()), n,
                         ctypes.c_void_p(b.data_ptr()), n, ctypes.c_void_p(w.data_ptr()),
                         ctypes.c_void_p(info.data_ptr())))
        self.must(self.lib.trigon_finish(self.context, None))

    def workspace(self, letter, job, n):
        size = ctypes.c_int64()
        self.must(self.lib.trigon_eigen_workspace(self.context, ord(letter), JOBS[job], ctypes.c_int64(n),
                                                  ctypes.byref(size)))
        return size.value


def matrix(dtype, n, spectrum):
    g = torch.Generator(device="cuda").manual_seed(n)
    x = torch.randn(n, n, dtype=dtype, device="cuda", generator=g)
    if spectrum == "random":
        return (x + x.mH) / 2
    q, _ = torch.linalg.qr(x)
    u = torch.finfo(dtype).eps / 2
    values = torch.cat([1 + n * u * torch.linspace(0, 1, n // 2), torch.linspace(-1, 1, n - n // 2)])
    a = (q * values.to(device="cuda", dtype=dtype)) @ q.mH
    return (a + a.mH) / 2


def clocked(call):
    torch.cuda.synchronize()
    begun = time.perf_counter()
    result = call()
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begun), result


def median(x):
    return sorted(x)[len(x) // 2]


def error_of(a, w, z, other):
    n, u, norm = a.shape[0], torch.finfo(a.dtype).eps / 2, float(other.abs().max())
    if z is None:
        return float((w - other).abs().max()) / (u * norm)
    residual = float((a @ z - z * w).norm(dim=0).max()) / (n * u * norm)
    eye = torch.eye(n, dtype=a.dtype, device=a.device)
    return max(residual, float((z.mH @ z - eye).abs().max()) / (n * u))


def row(letter, backend, impl, job, n, ms, error, extra, detail):
    routine = ("he" if letter in "cz" else "sy") + {"P": "evdx", "G": "gvd", "H": "gvd"}.get(job, "evd")
    flops = (4 if letter in "cz" else 1) * (4 / 3 if job in "NG" else 9) * n**3
    print("%s,%s,%s,%s,%sL,%d,%d,0,1,%.4f,%.1f,%.2f,%d,,%s"
          % (routine, letter, backend, impl, job, n, n, ms, flops / ms * 1e-6, error, extra, detail), flush=True)


def measure(trigon, o, letter, n, job, spectrum):
    a = matrix(TYPES[letter], n, spectrum)
    w = torch.zeros(n, dtype=a.real.dtype, device="cuda")
    info = torch.zeros(1, dtype=torch.int64, device="cuda")
    ours, theirs = [], []
    for turn in range(o.repeats + 1):
        x = a.mT.contiguous()
        mine, _ = clocked(lambda: trigon.solve(letter, job, x, w, info))
        other, found = clocked(lambda: torch.linalg.eigh(a) if job == "V" else (torch.linalg.eigvalsh(a), None))
        if turn > 0:
            ours.append(mine), theirs.append(other)
    z = x.mT if job == "V" else None
    errors = error_of(a, w, z, found[0]), error_of(a, found[0], found[1], w)
    detail = "spectrum=%s info=%d clock=wall" % (spectrum, int(info))
    row(letter, o.backend, "trigon", job, n, median(ours), errors[0], trigon.workspace(letter, job, n), detail)
    row(letter, o.backend, "native", job, n, median(theirs), errors[1], 0, "spectrum=%s torch=%s clock=wall"
        % (spectrum, torch.__version__))


def measure_part(trigon, o, letter, n):
    a, count = matrix(TYPES[letter], n, "random"), n // 5
    w = torch.zeros(n, dtype=a.real.dtype, device="cuda")
    info = torch.zeros(1, dtype=torch.int64, device="cuda")
    times = []
    for turn in range(o.repeats + 1):
        x = a.mT.contiguous()
        times.append(clocked(lambda: trigon.solve_part(letter, count, x, w, info))[0])
    u, norm, w, z = torch.finfo(a.dtype).eps / 2, float(a.norm()) / n**0.5, w[:count], x.mT[:, :count]
    residual = float((a @ z - z * w).norm(dim=0).max()) / (n * u * norm)
    overlap = float((z.mH @ z - torch.eye(count, dtype=a.dtype, device="cuda")).abs().max()) / (n * u)
    error, extra = max(residual, overlap), trigon.workspace(letter, "P", n)
    row(letter, o.backend, "trigon", "P", n, median(times[1:]), error, extra, "spectrum=random lowest=%d info=%d clock=wall"
        % (count, int(info)))


def measure_generalized(trigon, o, letter, n, job):
    a, b = matrix(TYPES[letter], n, "random"), matrix(TYPES[letter], n, "random") / n**0.5
    b = b @ b.mH + torch.eye(n, dtype=a.dtype, device="cuda")
    w = torch.zeros(n, dtype=a.real.dtype, device="cuda")
    info = torch.zeros(1, dtype=torch.int64, device="cuda")
    times = []
    for turn in range(o.repeats + 1):
        x, y = a.mT.contiguous(), b.mT.contiguous()
        times.append(clocked(lambda: trigon.solve_generalized(letter, job, x, y, w, info))[0])
    z, error = x.mT, 0
    if job == "H":
        error = float((a @ z - b @ z * w).norm(dim=0).max()) / (n * torch.finfo(a.dtype).eps / 2 * float(w.abs().max()))
    row(letter, o.backend, "trigon", job, n, median(times[1:]), error, trigon.workspace(letter, job, n),
        "spectrum=random itype=1 info=%d clock=wall" % int(info))


def measure_job(trigon, o, letter, n, job):
    if job == "P":
        measure_part(trigon, o, letter, n)
    elif job in "GH":
        measure_generalized(trigon, o, letter, n, job)
    else:
        for spectrum in o.spectra.split(","):
            measure(trigon, o, letter, n, job, spectrum)


def main():
    o = options()
    trigon = Trigon(o.library, o.backend)
    print("routine,type,backend,impl,variant,m,n,k,batch,ms,gflops,error,extra_bytes,floor_ms,detail")
    for letter in o.types:
        for n in map(int, o.sizes.split(",")):
            for job in o.jobs:
                measure_job(trigon, o, letter, n, job)


if __name__ == "__main__":
    main()
