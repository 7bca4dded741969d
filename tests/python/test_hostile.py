"""Random calls, most of them wrong: each returns or raises, none crashes, and inputs stay what they were."""
import numpy as np
from support import seeded

import trigon_linalg as tl

CALLS = 3000
EXPECTED = ValueError, TypeError, NotImplementedError, np.linalg.LinAlgError, IndexError


def any_array(random, depth=0):
    kind = random.integers(0, 16)
    shape = tuple(random.integers(0, 6, random.integers(0, 4)))
    if kind < 9:
        n = int(random.integers(0, 8))
        batch = tuple(random.integers(0, 3, random.integers(0, 3))) if random.random() < 0.3 else ()
        shape = (*batch, n, n) if random.random() < 0.8 else shape
    dtype = random.choice(["f4", "f8", "c8", "c16", "i4", "f2", "?", ">f8", "O", "U3", "g"],
                          p=[.2, .3, .15, .15, .05, .03, .02, .03, .02, .02, .03])
    a = random.standard_normal(shape) * 10.0 ** random.integers(-3, 4)
    a = a + np.eye(shape[-1]) * 20 if len(shape) > 1 and shape[-1] == shape[-2] and random.random() < 0.8 else a
    a = np.asarray(a).astype(dtype)
    if a.dtype.kind in "fc" and a.size and random.random() < 0.1:
        with np.errstate(over="ignore"):
            a.flat[random.integers(0, a.size)] = random.choice([np.nan, np.inf, -np.inf, 1e300, 0, 5e-324])
    way = random.integers(0, 12)
    if way == 0 and a.ndim > 1:
        a = a.swapaxes(-1, -2)
    elif way == 1 and a.ndim:
        a = a[..., ::-1]
    elif way == 2 and a.ndim:
        a = np.repeat(a, 2, axis=-1)[..., ::2]
    elif way == 3:
        a.flags.writeable = False
    elif way == 4 and a.ndim:
        a = np.broadcast_to(a, (2, *a.shape))
    elif way == 5:
        a = np.asfortranarray(a)
    elif way == 6 and a.dtype.kind != "O":
        return a.tolist()
    elif way == 7 and depth == 0:
        return [any_array(random, 1) for _ in range(random.integers(0, 4))]
    elif way == 8 and depth == 0:
        orders = random.integers(0, 5, random.integers(0, 4))
        return tl.Ragged(random.standard_normal(int((orders ** 2).sum())), orders)
    elif way == 9 and random.random() < 0.2:
        return random.choice([None, "matrix", {}, np.float64(2), object()])
    return a


def any_of(random, *values):
    return values[random.integers(0, len(values))]


def any_keywords(random, names):
    values = {
        "lower": (0, 1, True, False), "overwrite_a": (0, 1), "overwrite_b": (0, 1), "overwrite_c": (0, 1),
        "check_finite": (0, 1), "check": (0, 1), "trans": (0, 1, 2, "N", "T", "C", 3, None),
        "trans_a": (0, 1, 2, -1), "trans_b": (0, 1, 2, "q"), "unit_diagonal": (0, 1), "side": (0, 1, "L", "right", 5),
        "jitter": (None, None, 1e-6, 0, float("nan"), "x"), "alpha": (1.0, 0, 2j, "a", np.nan), "beta": (0, 1.0, 1j),
        "hermitian": (0, 1), "assume_a": ("pos", "lower triangular", "gen", None)}
    return {name: any_of(random, *values[name]) for name in names if random.random() < 0.4}


FUNCTIONS = (
    (tl.cholesky, 1, ("lower", "overwrite_a", "check_finite", "check", "jitter")),
    (tl.cho_factor, 1, ("lower", "overwrite_a", "check_finite", "check", "jitter")),
    (tl.inv, 1, ("lower", "overwrite_a", "check_finite", "check", "jitter", "assume_a")),
    (tl.logdet, 1, ("lower", "check_finite", "check", "jitter")),
    (tl.cholesky_inverse, 1, ("lower", "check_finite")),
    (tl.solve_triangular, 2, ("trans", "lower", "unit_diagonal", "overwrite_b", "check_finite", "check")),
    (tl.posv, 2, ("lower", "overwrite_a", "overwrite_b", "check_finite", "check", "jitter")),
    (lambda c, b, lower=False, **keys: tl.cho_solve((c, lower), b, **keys), 2,
     ("lower", "overwrite_b", "check_finite")),
    (tl.gemm, 2, ("alpha", "beta", "trans_a", "trans_b")),
    (tl.symm, 2, ("alpha", "beta", "side", "lower", "hermitian")),
    (tl.syrk, 1, ("alpha", "beta", "trans", "lower", "hermitian")),
    (tl.trmm, 2, ("alpha", "side", "lower", "trans", "unit_diagonal", "overwrite_b")),
)


def arrays_in(arguments):
    for x in arguments:
        if isinstance(x, tl.Ragged):
            yield x.buffer
        elif isinstance(x, list):
            yield from arrays_in(x)
        elif isinstance(x, np.ndarray):
            yield x


def test_3000_random_and_hostile_calls():
    random = seeded(40)
    returned = 0
    for number in range(CALLS):
        function, count, names = FUNCTIONS[random.integers(0, len(FUNCTIONS))]
        arguments = [any_array(random) for _ in range(count)]
        if count == 2 and random.random() < 0.6 and isinstance(arguments[0], np.ndarray) and arguments[0].ndim > 1:
            shape = (*arguments[0].shape[:-2], arguments[0].shape[-1], int(random.integers(0, 4)))
            arguments[1] = random.standard_normal(shape if random.random() < 0.7 else shape[-2:-1])
        elif count == 2 and random.random() < 0.1:
            arguments[1] = arguments[0]
        keywords = any_keywords(random, names)
        if random.random() < 0.15:
            keywords["out"] = any_array(random) if random.random() < 0.5 else arguments[-1]
            if function in (tl.logdet,):
                del keywords["out"]
        free = keywords.get("overwrite_a") or keywords.get("overwrite_b") or "out" in keywords
        kept = [] if free else [(a, a.tobytes()) for a in arrays_in(arguments) if a.dtype.kind != "O"]
        try:
            with np.errstate(all="ignore"):
                function(*arguments, **keywords)
            returned += 1
        except EXPECTED:
            pass
        for a, before in kept:
            assert a.tobytes() == before, (number, function, keywords)
    assert returned > CALLS // 5, returned
