#!/bin/sh
# test_dependencies.sh - libtrigon.so needs the C library alone, and is small.
# Usage: test_dependencies.sh LIBRARY CONFIGURATION. In a debug build the size is not looked at.
set -eu
library=$1 configuration=$2
most_bytes=4194304
fail() { echo "FAILED: $*" >&2; exit 1; }

# Before glibc 2.34 libdl and libpthread are files of their own.
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
others=$(echo "$needed" | grep -vE '^(libc|libm|libdl|libpthread|ld-linux[-a-z0-9_]*)[.]so[.]') || true
[ -z "$others" ] || fail "$library needs other libraries than the C library's: $others"
echo "$needed" | grep -q '^libc[.]so' || fail "readelf names no C library among: $needed"

if [ "$configuration" = Debug ]; then
  echo "skipped: a debug build; the size is left out"
else
  stripped=$(mktemp)
  trap 'rm -f "$stripped"' EXIT
  strip -o "$stripped" "$library"
  bytes=$(wc -c <"$stripped")
  echo "stripped: $bytes bytes"
  [ "$bytes" -le $most_bytes ] || fail "$library has $bytes bytes without symbols, and may have $most_bytes"
fi
echo "passed"
