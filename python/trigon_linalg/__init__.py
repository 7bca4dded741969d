"""Dense linear algebra on triangular, symmetric and Hermitian matrices: the library Trigon for Python.

The functions have the names and keywords of SciPy. Dimensions of batches stand in front. docs/python.md in the project
is the guide.
"""
from . import hosted, library
from .contexts import info, set_threads
from .eigen import eigh, eigvalsh
from .errors import LinAlgError
from .factor import cho_factor, cholesky, logdet
from .precision import last_fp64, set_fp64
from .products import gemm, symm, syrk, trmm
from .ragged import Ragged
from .solve import cho_solve, cholesky_inverse, inv, posv, solve_triangular
from .tridiagonal import eigh_tridiagonal

__version__ = library.version().decode()
__all__ = ["LinAlgError", "Ragged", "cho_factor", "cho_solve", "cholesky", "cholesky_inverse", "eigh",
           "eigh_tridiagonal", "eigvalsh", "gemm", "hosted", "info", "inv", "last_fp64", "logdet", "posv", "set_fp64",
           "set_threads", "solve_triangular", "symm", "syrk", "trmm"]
