#!/bin/sh
# test_forked_python.sh - children of Python's multiprocessing compute the bits of their parent.
# Usage: test_forked_python.sh LIBRARY
set -eu
if ! python3 -c 'import ctypes, multiprocessing; multiprocessing.get_context("fork")' 2>/dev/null; then
  echo "skipped: no python3 with ctypes and multiprocessing"
  exit 0
fi
exec python3 "${0%.sh}.py" "$1"
