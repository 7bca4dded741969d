"""Python 3.10 to 3.14 can read the package and the examples, and have the modules that these import."""
import ast
from pathlib import Path

import pytest

import trigon_linalg as tl

# All of these versions have these modules of the standard library. The other names are packages.
MODULES = {"ctypes", "itertools", "math", "os", "pathlib", "re", "sys", "threading", "time", "types",
           "weakref"}
PACKAGES = {"cupy", "mpi4py", "numpy", "scipy", "torch", "trigon_linalg"}
ROOT = Path(__file__).resolve().parents[2]
FILES = [*Path(tl.__file__).parent.glob("*.py"), *(ROOT / "examples/python").glob("*.py")]


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


@pytest.mark.parametrize("minor", range(10, 15))
def test_the_syntax_is_that_of_python_3(minor):
    assert len(FILES) > 20
    for path in FILES:
        ast.parse(path.read_text(encoding="utf-8"), path.name, feature_version=(3, minor))


def test_imports():
    for path in FILES:
        names = {name.partition(".")[0] for name in imported(ast.parse(path.read_text(encoding="utf-8")))}
        assert names <= MODULES | PACKAGES, path.name
