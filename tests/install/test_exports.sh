#!/bin/sh
# test_exports.sh - both libraries define the functions of the public header and no other global symbol.
# In the shared library these functions have the version of the library's soname.
# Usage: test_exports.sh SHARED STATIC HEADER
set -eu
declared=$(grep -o 'trigon_[a-z0-9_]*(' "$3" | tr -d '(' | sort -u)
[ "$(echo "$declared" | wc -l)" -ge 70 ] || { echo "the header's functions were not found"; exit 1; }
number=$(readelf --dynamic "$1" | sed -n 's/.*soname: \[libtrigon\.so\.\(.*\)\]/\1/p')
[ -n "$number" ] || { echo "$1 has no soname"; exit 1; }
versioned=$({ echo "TRIGON_$number"; echo "$declared" | sed "s/\$/@@TRIGON_$number/"; } | sort)
checked=0
compare() { # compare LIBRARY SYMBOLS EXPECTED
  if [ "$2" != "$3" ]; then
    echo "$1: defined (<) and declared (>) differ:"
    echo "$2" >defined.txt
    echo "$3" | diff defined.txt - || true
    exit 1
  fi
  checked=$((checked + $(echo "$2" | wc -l)))
}
compare "$1" "$(nm --dynamic --defined-only "$1" | awk '{print $3}' | sort)" "$versioned"
static=$(nm --extern-only --defined-only "$2" | awk 'NF == 3 {print $3}' | grep -v '^__odr_asan\|^DW\.ref' | sort)
compare "$2" "$static" "$declared"
echo "$checked passed, 0 failed"
