"""Threads, forks, and the life of contexts."""
import gc
import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from support import in_threads, seeded, spd

import trigon_linalg as tl
from trigon_linalg import contexts


def test_each_thread_has_a_context_of_its_own():
    a = [spd(seeded(50, n), n, np.float64) for n in (5, 60, 150)]
    want = [tl.cholesky(x) for x in a]
    found, wrong = [], []

    def work():
        found.append(contexts.cpu())
        for _ in range(10):
            for x, y in zip(a, want):
                if not np.allclose(tl.cholesky(x), y):
                    wrong.append(x)

    in_threads(work, 6)
    assert not wrong and len(set(map(id, found))) == 6
    del found
    gc.collect()


def test_the_number_of_threads_reaches_every_context():
    try:
        tl.set_threads(1)
        assert "1 thread" in tl.info()["description"] and tl.info()["threads"] == 1
        seen = []
        thread = threading.Thread(target=lambda: seen.append(tl.info()["description"]))
        thread.start()
        thread.join()
        assert "1 thread" in seen[0]
    finally:
        tl.set_threads(0)


def child(queue, a):
    queue.put(float(np.abs(tl.cholesky(a)).sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_computes_after_a_fork():
    a = spd(seeded(51), 400, np.float64)
    want = float(np.abs(tl.cholesky(a)).sum())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=child, args=(queue, a)) for _ in range(2)]
    for process in children:
        process.start()
    assert all(abs(queue.get(timeout=60) - want) < 1e-6 * want for _ in children)
    for process in children:
        process.join(60)
        assert process.exitcode == 0


def test_without_a_library_the_error_says_what_to_set():
    environment = dict(os.environ, TRIGON_LIBRARY="/nowhere/libtrigon.so")
    result = subprocess.run([sys.executable, "-c", "import trigon_linalg"], env=environment, capture_output=True,
                            text=True, check=False)
    assert result.returncode == 1
    assert "ImportError: trigon_linalg cannot load the library Trigon. Set the environment variable" in result.stderr


def test_python_ends_quietly():
    program = "import threading, trigon_linalg as tl\nt = threading.Thread(target=lambda: tl.cholesky([[4.0]]))\n" \
              "t.start(); t.join(); tl.cholesky([[4.0]])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
