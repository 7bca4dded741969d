#!/bin/sh
# test_options.sh - the table of options, include/trigon.h and docs/options.md name the same options, and
# scripts/options finds each difference.
# Usage: test_options.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

fail() { echo "FAILED: $1"; exit 1; }

"$source/scripts/options" "$source" || fail "the project's own options differ"
passed=$((passed + 1))

# finds WORDS FILE EXPRESSION: scripts/options complains with these words after sed has changed the file.
finds() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/src/api" "$work/tree/include" "$work/tree/docs"
  for file in src/api/context_name.c include/trigon.h docs/options.md; do cp "$source/$file" "$work/tree/$file"; done
  sed "$3" "$source/$2" >"$work/tree/$2"
  ! cmp -s "$source/$2" "$work/tree/$2" || fail "sed changes nothing: $3"
  if "$source/scripts/options" "$work/tree" 2>"$work/told"; then fail "no complaint: $3"; fi
  grep -qF -- "$1" "$work/told" || fail "the complaint lacks \"$1\": $(cat "$work/told")"
  passed=$((passed + 1))
}

finds 'include/trigon.h has: stop split leaf tuning blas arch' include/trigon.h '/^ \*   threads=N/d'
finds 'the table has: stop split leaf tuning blas arch' src/api/context_name.c '/{"threads", /d'
finds 'says of threads: ""; the table says: "on the CPU"' include/trigon.h \
  's/threads=N         on the CPU: /threads=N         /'
finds 'says of gemm: "on devices"; the table says: ""' src/api/context_name.c \
  's/{"gemm", ON_DEVICES/{"gemm", ON_CPU | ON_DEVICES/'
finds 'docs/options.md differs' docs/options.md 's/dataflow leaves/leaves/'
finds 'rows of the table can be read' src/api/context_name.c 's/{"trace", ON_CPU | ON_DEVICES/{"trace", 7/'
echo "$passed passed, 0 failed"
