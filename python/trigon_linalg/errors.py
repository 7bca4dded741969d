"""The exceptions of the package, and how a status of the C library becomes one."""
import numpy as np

OK, BAD_ARGUMENT, NO_MEMORY, NOT_SUPPORTED, NOT_FOUND, DEVICE_FAILED, INCOMPLETE = range(7)


class LinAlgError(np.linalg.LinAlgError):
    """The mathematics failed: a matrix is not positive definite, or is singular.

    `info` is the number of the C library: the order of the minor, or the place on the diagonal, counted from 1. In a
    batch it is the number of the first matrix that failed, and `index` is the index of this matrix.
    """

    def __init__(self, message, info=0, index=None):
        super().__init__(message)
        self.info = info
        self.index = index


EXCEPTIONS = {BAD_ARGUMENT: ValueError, NO_MEMORY: MemoryError, NOT_SUPPORTED: NotImplementedError,
              NOT_FOUND: RuntimeError, DEVICE_FAILED: RuntimeError, INCOMPLETE: RuntimeError}


def status_error(status, message):
    """The exception for a status other than OK. The message is the C library's own."""
    return EXCEPTIONS.get(status, RuntimeError)(message)


def not_positive_definite(info, index=None, name="the array"):
    where = name if index is None else f"matrix {index_text(index)}"
    return LinAlgError(f"{info}-th leading minor of {where} is not positive definite", info, index)


def not_converged(info, index=None):
    where = "the array" if index is None else f"matrix {index_text(index)}"
    return LinAlgError(f"eigenvalues of {where} did not converge, or it holds a NaN: info is {info}", info, index)


def singular(info, index=None):
    where = "singular matrix" if index is None else f"singular matrix {index_text(index)}"
    return LinAlgError(f"{where}: resolution failed at diagonal {info - 1}", info, index)


def index_text(index):
    return str(index[0] if isinstance(index, tuple) and len(index) == 1 else index)
