#!/bin/sh
# Both libraries define the functions of the public header and no other global symbol.
# Usage: test_exports.sh SHARED STATIC HEADER
set -eu
declared=$(grep -o 'trigon_[a-z0-9_]*(' "$3" | tr -d '(' | sort -u)
[ "$(echo "$declared" | wc -l)" -ge 70 ] || { echo "the header's functions were not found"; exit 1; }
checked=0
compare() { # compare LIBRARY SYMBOLS
  if [ "$2" != "$declared" ]; then
    echo "$1: defined (<) and declared (>) differ:"
    echo "$2" >defined.txt
    echo "$declared" | diff defined.txt - || true
    exit 1
  fi
  checked=$((checked + $(echo "$2" | wc -l)))
}
compare "$1" "$(nm --dynamic --defined-only "$1" | awk '{print $3}' | sort)"
compare "$2" "$(nm --extern-only --defined-only "$2" | awk 'NF == 3 {print $3}' | grep -v '^__odr_asan\|^DW\.ref' | sort)"
echo "$checked passed, 0 failed"
