#!/bin/sh
# test_exports.sh - both libraries define the functions of the public headers and no other global symbol.
# In the shared library these functions have the version of the library's soname.
# Usage: test_exports.sh SHARED STATIC HEADER...
set -eu
shared=$1 static=$2
shift 2
declared=$(grep -oh 'trigon_[a-z0-9_]*(' "$@" | tr -d '(' | sort -u)
[ "$(echo "$declared" | wc -l)" -ge 70 ] || { echo "the headers' functions were not found"; exit 1; }
number=$(readelf --dynamic "$shared" | sed -n 's/.*soname: \[libtrigon\.so\.\(.*\)\]/\1/p')
[ -n "$number" ] || { echo "$shared has no soname"; exit 1; }
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
compare "$shared" "$(nm --dynamic --defined-only "$shared" | awk '{print $3}' | sort)" "$versioned"
defined=$(nm --extern-only --defined-only "$static" | awk 'NF == 3 {print $3}' | grep -v '^__odr_asan\|^DW\.ref' | sort)
compare "$static" "$defined" "$declared"
echo "$checked passed, 0 failed"
