"""Finds libtrigon, loads it, and declares its functions for ctypes."""
import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path

SONAME = "libtrigon.so.0.1"
VERSION = 0, 1  # the header that the declarations below were written from

NOTRANS, TRANS, CONJTRANS = 111, 112, 113
UPPER, LOWER = 121, 122
NONUNIT, UNIT = 131, 132
LEFT, RIGHT = 141, 142
VALUES, VECTORS = 151, 152  # what an eigensolver finds
ALL, INTERVAL, INDICES = 161, 162, 163  # which of the values
KEEP, CLEAR, MIRROR = 0, 1, 2  # what becomes of the other triangle


class Scalar(ctypes.Structure):
    """trigon_scalar, which the complex routines take by value."""

    _fields_ = [("re", c_double), ("im", c_double)]


class Matrix(ctypes.Structure):
    """trigon_matrix, by value: column-major."""

    _fields_ = [("data", c_void_p), ("type", c_int), ("rows", c_int64), ("cols", c_int64), ("ld", c_int64)]


class Fp64Report(ctypes.Structure):
    """trigon_fp64_report."""

    _fields_ = [("mode", c_int), ("moduli", c_int), ("bits", c_double), ("products", c_int64), ("emulated", c_int64),
                ("tiles", c_int64), ("not_finite", c_int64), ("unproved", c_int64), ("why", c_char_p)]


def candidates():
    """The names under which the library is looked for, the first that counts first."""
    chosen = os.environ.get("TRIGON_LIBRARY")
    if chosen:
        return [chosen]  # whoever names a library does not want another one
    inside = Path(__file__).parent / SONAME
    return [str(inside)] * inside.exists() + [SONAME]


def load():
    failures = []
    for name in candidates():
        try:
            library = ctypes.CDLL(name)
            library.trigon_version_number.restype = c_int
            number = library.trigon_version_number()
        except (OSError, AttributeError) as error:
            failures.append(f"{name}: {error}")
            continue
        if divmod(number // 100, 100) == VERSION:
            return library
        failures.append(f"{name}: version {number // 10000}.{number // 100 % 100}, not {VERSION[0]}.{VERSION[1]}")
    raise ImportError("trigon_linalg cannot load the library Trigon. Set the environment variable TRIGON_LIBRARY to "
                      f"the path of {SONAME}. Tried: " + "; ".join(failures))


C = load()


def declare(name, *arguments, result=c_int):
    function = getattr(C, name)
    function.argtypes = arguments
    function.restype = result
    return function


POINTER_TO_INT = POINTER(c_int64)
create = declare("trigon_create", c_char_p, POINTER(c_void_p), c_char_p, c_size_t)
destroy = declare("trigon_destroy", c_void_p, result=None)
reserve = declare("trigon_reserve", c_void_p, c_int64)
finish = declare("trigon_finish", c_void_p, POINTER_TO_INT)
message = declare("trigon_message", c_void_p, result=c_char_p)
describe = declare("trigon_describe", c_void_p, result=c_char_p)
advice = declare("trigon_advice", c_void_p, result=c_char_p)
version = declare("trigon_version", result=c_char_p)
set_threads = declare("trigon_set_threads", c_void_p, c_int)
set_fp64 = declare("trigon_set_fp64", c_void_p, c_int, c_int)
set_workspace = declare("trigon_set_workspace", c_void_p, c_void_p, c_int64)
alloc = declare("trigon_alloc", c_void_p, c_int64, POINTER(c_void_p))
free = declare("trigon_free", c_void_p, c_void_p)
traffic = declare("trigon_traffic", c_void_p, *[POINTER_TO_INT] * 3)
set_stream = declare("trigon_set_stream", c_void_p, c_void_p)
check_diagonal = declare("trigon_check_diagonal", c_void_p, Matrix, c_void_p)
copy_triangle = declare("trigon_copy_triangle", c_void_p, c_int, c_int, c_int, Matrix, Matrix)
last_fp64 = declare("trigon_last_fp64", c_void_p, POINTER(Fp64Report))

# The argument lists behind the context, a letter for each argument: f a flag or another int, i a 64-bit integer, p an
# address, s a scalar of the type, r a real scalar. The forms are that of one matrix, of matrices a stride apart, and of
# matrices of different sizes.
SIGNATURES = {
    "potrf": ("fipip", "fiipiip", "fiipppp"),
    "potrs": ("fiipipi", "fiiipiipii", "fiippppppp"),
    "posv": ("fiipipip", "fiiipiipiip", "fiippppppp"),
    "potri": ("fipip", "ffiipiip", "ffiipppp"),
    "trtri": ("ffipip", "ffiipiip", "ffiipppp"),
    "lauum": ("fipi", None, None),
    "logdet": ("ipip", None, None),
    "trmm": ("ffffiispipi", "ffffiiispiipii", "ffffippsppppp"),
    "trsm": ("ffffiispipi", "ffffiiispiipii", "ffffippsppppp"),
    "syrk": ("ffiispispi", "ffiiispiispii", "ffippsppsppp"),
    "herk": ("ffiirpirpi", "ffiiirpiirpii", "ffipprpprppp"),
    "symm": ("ffiispipispi", None, None),
    "hemm": ("ffiispipispi", None, None),
    "gemm": ("ffiiispipispi", "ffiiiispiipiispii", "ffipppsppppsppp"),
    "syevdx": ("fffipirriippp", None, None),
    "syevd": (None, "ffiipiipip", None),
    "sygst": ("ffipipi", None, None),
    "stedc": ("fipppip", None, None),
    "stebz": ("firriippppp", None, None),
}
COMPLEX_ALONE = "herk", "hemm"
REAL_ALONE = "stedc", "stebz"
HERMITIAN_NAMES = {"syevd": "heevd", "syevdx": "heevdx", "sygst": "hegst"}  # of the complex types
FORMS = "", "_strided", "_batch"


class Routines:
    """The functions of one precision: .potrf, .potrf_strided, .potrf_batch, ... `one`, `zero` are its scalars."""

    def __init__(self, letter):
        real = {"s": c_float, "c": c_float, "d": c_double, "z": c_double}[letter]
        self.letter = letter
        self.complex = letter in "cz"
        kinds = {"f": c_int, "i": c_int64, "p": c_void_p, "r": real, "s": Scalar if self.complex else real}
        for name, forms in SIGNATURES.items():
            if name in (REAL_ALONE if self.complex else COMPLEX_ALONE):
                continue
            for signature, suffix in zip(forms, FORMS):
                if signature is not None:
                    spelled = HERMITIAN_NAMES.get(name, name) if self.complex else name
                    function = declare(f"trigon_{letter}{spelled}{suffix}", c_void_p,
                                       *(kinds[kind] for kind in signature))
                    setattr(self, name + suffix, function)
        if not self.complex:  # a real Hermitian matrix is symmetric
            for suffix in FORMS:
                setattr(self, "herk" + suffix, getattr(self, "syrk" + suffix))
            self.hemm = self.symm
        self.one = self.scalar(1)
        self.zero = self.scalar(0)

    def scalar(self, value):
        """What the functions take for a number: a trigon_scalar, or a float."""
        if not self.complex:
            return float(value)
        value = complex(value)
        return Scalar(value.real, value.imag)


ROUTINES = {letter: Routines(letter) for letter in "sdcz"}
