"""The examples of docs/python.md give the results that stand there, and the programs in examples/python run."""
import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_examples_of_the_guide():
    results = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False, encoding="utf-8",
                               optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert results.attempted > 15 and results.failed == 0


@pytest.mark.parametrize("program", sorted(path.name for path in (ROOT / "examples/python").glob("*.py")))
def test_example_programs(program):
    result = subprocess.run([sys.executable, str(ROOT / "examples/python" / program), "--quick"], text=True,
                            env=dict(os.environ), capture_output=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert "ok" in result.stdout
