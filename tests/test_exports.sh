#!/bin/sh
# The shared library exports the functions of the public header and nothing else. Usage: test_exports.sh LIBRARY HEADER
set -eu
exported=$(nm --dynamic --defined-only "$1" | awk '{print $3}' | sort)
declared=$(grep -o 'trigon_[a-z0-9_]*(' "$2" | tr -d '(' | sort -u)
[ "$(echo "$declared" | wc -l)" -ge 70 ] || { echo "the header's functions were not found"; exit 1; }
if [ "$exported" != "$declared" ]; then
  echo "exported and declared differ:"
  echo "$exported" >exported.txt
  echo "$declared" | diff exported.txt - || true
  exit 1
fi
echo "$(echo "$exported" | wc -l) passed, 0 failed"
