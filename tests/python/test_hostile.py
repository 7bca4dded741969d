"""Random calls, most of them wrong: each returns or raises, none crashes, and arguments stay what they were.

What may be overwritten may change, but not if the arguments are refused. An error begins with the argument's name.
"""
import re
from collections import Counter

import numpy as np
from support import seeded

import trigon_linalg as tl

CALLS = 3000
NAMED = re.compile(r"(a|b|c|out|trans|trans_a|trans_b|side|alpha|beta|jitter|assume_a)\b")  # how an error begins
KINDS = ("dtype", "shape", "device", "foreign", "read-only", "strides", "not finite", "not SPD", "list", "Ragged",
         "read-only Ragged", "overlap", "no array")


class Foreign:
    """An array of another library, on the CPU or elsewhere."""

    def __init__(self, array, device):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        if self.device is None:
            raise RuntimeError("deleted")
        return self.device, 0

    def __dlpack__(self, **_):
        assert self.device == 1
        return self.array.__dlpack__()


def numbers(random, shape, seen):
    """An array of any dtype. Most square matrices are positive definite."""
    a = random.standard_normal(shape) * 10.0 ** random.integers(-3, 4)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        if random.random() < 0.8:
            a = a + np.eye(shape[-1]) * 20
        elif random.random() < 0.5:
            seen["not SPD"] += 1
            a = a + a.swapaxes(-1, -2) - np.eye(shape[-1])
    dtype = random.choice(["f4", "f8", "c8", "c16", "i4", "f2", "?", ">f8", "O", "U3", "g"],
                          p=[.2, .3, .15, .15, .05, .03, .02, .03, .02, .02, .03])
    seen["dtype"] += dtype in ("f2", "?", ">f8", "O", "U3", "g")
    a = np.asarray(a).astype(dtype)
    if a.dtype.kind in "fc" and a.size and random.random() < 0.1:
        seen["not finite"] += 1
        with np.errstate(over="ignore"):
            a.flat[random.integers(0, a.size)] = random.choice([np.nan, np.inf, -np.inf, 1e300, 0, 5e-324])
    return a


def any_shape(random, seen):
    n = int(random.integers(0, 8))
    batch = tuple(random.integers(0, 3, random.integers(0, 3))) if random.random() < 0.3 else ()
    if random.random() < 0.6:
        return (*batch, n, n)
    seen["shape"] += 1
    return tuple(random.integers(0, 6, random.integers(0, 4)))


def any_ragged(random, seen):
    """Square or other matrices, or vectors, in a buffer of any dtype that may be read-only, or not finite."""
    seen["Ragged"] += 1
    rows, columns = random.integers(0, 5, (2, random.integers(0, 4)))
    kind = random.integers(0, 6)
    columns = np.ones_like(rows) if kind == 0 else columns if kind == 1 else rows
    total = int((rows * columns).sum())
    buffer = (random.standard_normal(total) + 3).astype(random.choice(["f4", "f8", "c8", "c16"]))
    for start, n in zip(np.cumsum(rows ** 2) - rows ** 2, rows):
        if kind > 2:
            buffer[start:start + n * n:n + 1] += 20
    if total and random.random() < 0.1:
        buffer[random.integers(0, total)] = random.choice([np.nan, np.inf])
    if random.random() < 0.2:
        seen["read-only Ragged"] += 1
        buffer.flags.writeable = False
    return tl.Ragged.vectors(buffer, rows) if kind == 0 else tl.Ragged(buffer, rows, columns)


def any_array(random, seen, depth=0):
    a = numbers(random, any_shape(random, seen), seen)
    way = random.integers(0, 14)
    if way == 0 and a.ndim > 1:
        return a.swapaxes(-1, -2)
    if way in (1, 2, 3) and a.ndim:
        seen["strides"] += 1
        repeated = np.repeat(a, 2, axis=-1)[..., ::2]
        return (a[..., ::-1], repeated, np.broadcast_to(a, (2, *a.shape)))[way - 1]
    if way == 4:
        seen["read-only"] += 1
        a.flags.writeable = False
    elif way == 5:
        return np.asfortranarray(a)
    elif way == 6 and a.dtype.kind != "O":
        return a.tolist()
    elif way == 7 and depth == 0:
        seen["list"] += 1
        return [any_array(random, seen, 1) for _ in range(random.integers(0, 4))]
    elif way == 8 and depth == 0:
        return any_ragged(random, seen)
    elif way == 9 and random.random() < 0.3:
        seen["no array"] += 1
        return any_of(random, None, "matrix", {}, np.float64(2), object(), np.ma.array(a))
    elif way == 10 and random.random() < 0.3:
        seen["device"] += 1
        return Foreign(a, any_of(random, 7, 4, None))
    elif way == 11 and a.dtype.kind in "fciu" and a.dtype.isnative and random.random() < 0.5:
        seen["foreign"] += 1
        return Foreign(a, 1)
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
    (tl.cholesky_inverse, 1, ("lower", "overwrite_c", "check_finite")),
    (tl.solve_triangular, 2, ("trans", "lower", "unit_diagonal", "overwrite_b", "check_finite", "check")),
    (tl.posv, 2, ("lower", "overwrite_a", "overwrite_b", "check_finite", "check", "jitter")),
    (lambda c, b, lower=False, **keys: tl.cho_solve((c, lower), b, **keys), 2,
     ("lower", "overwrite_b", "check_finite")),
    (tl.gemm, 2, ("alpha", "beta", "trans_a", "trans_b", "overwrite_c")),
    (tl.symm, 2, ("alpha", "beta", "side", "lower", "hermitian", "overwrite_c")),
    (tl.syrk, 1, ("alpha", "beta", "trans", "lower", "hermitian", "overwrite_c")),
    (tl.trmm, 2, ("alpha", "side", "lower", "trans", "unit_diagonal", "overwrite_b")),
)


PRODUCTS = tl.gemm, tl.symm, tl.syrk


def arrays_in(*arguments):
    for x in arguments:
        if isinstance(x, tl.Ragged):
            yield x.buffer
        elif isinstance(x, Foreign):
            yield x.array
        elif isinstance(x, list):
            yield from arrays_in(*x)
        elif isinstance(x, np.ndarray):
            yield x


def overlapping(random, a, seen):
    """Arrays of the shape of `a` whose memory is partly the same."""
    seen["overlap"] += 1
    if isinstance(a, tl.Ragged):
        return a, a
    if not isinstance(a, np.ndarray) or not a.ndim or a.dtype.kind == "O":
        return a, a
    memory = np.concatenate([a, a[:random.integers(1, 3)]])
    return memory[:len(a)], memory[len(memory) - len(a):]


def any_call(random, seen):
    """A function, its arguments, its keywords, and those of the arguments that may be overwritten."""
    function, count, names = FUNCTIONS[random.integers(0, len(FUNCTIONS))]
    arguments = [any_array(random, seen) for _ in range(count)]
    first = arguments[0]
    if count == 2 and random.random() < 0.6 and isinstance(first, np.ndarray) and first.ndim > 1:
        shape = (*first.shape[:-2], first.shape[-1], int(random.integers(0, 4)))
        arguments[1] = random.standard_normal(shape if random.random() < 0.7 else shape[-2:-1])
    elif count == 2 and random.random() < 0.2:
        arguments = list(overlapping(random, first, seen))
    keywords = any_keywords(random, names)
    if function in PRODUCTS and random.random() < 0.3:
        last = arguments[-1]
        like = isinstance(last, np.ndarray) and random.random() < 0.5
        keywords["c"] = last.copy() if like else any_array(random, seen)
    if random.random() < 0.15 and function is not tl.logdet:
        keywords["out"] = any_array(random, seen) if random.random() < 0.5 else arguments[-1]
        if random.random() < 0.3:
            arguments[-1], keywords["out"] = overlapping(random, arguments[-1], seen)
    free = [keywords.get("out"), keywords.get("overwrite_a") and arguments[0],
            keywords.get("overwrite_b") and arguments[-1],
            keywords.get("overwrite_c") and (keywords.get("c") if function in PRODUCTS else arguments[0])]
    return function, arguments, keywords, free


def outcome(function, arguments, keywords):
    try:
        with np.errstate(all="ignore"):
            function(*arguments, **keywords)
    except np.linalg.LinAlgError:
        return "failed"
    except NotImplementedError:
        return "refused"
    except (ValueError, TypeError) as error:
        assert NAMED.match(str(error)), error
        return "refused"
    return "returned"


def test_3000_random_and_hostile_calls():
    random = seeded(40)
    seen, outcomes = Counter(), Counter()
    for number in range(CALLS):
        function, arguments, keywords, free = any_call(random, seen)
        given = list(arrays_in(*arguments, keywords.get("c"), keywords.get("out")))
        before = [a.tobytes() for a in given]
        result = outcome(function, arguments, keywords)
        outcomes[result] += 1
        for a, kept in zip(given, before):
            may_change = result != "refused" and any(np.may_share_memory(a, x) for x in arrays_in(*free))
            assert may_change or a.dtype.kind == "O" or a.tobytes() == kept, (number, function, keywords, result)
    assert outcomes["returned"] > CALLS // 5 and outcomes["failed"] > CALLS // 100, outcomes
    assert all(seen[kind] > CALLS // 100 for kind in KINDS), seen
