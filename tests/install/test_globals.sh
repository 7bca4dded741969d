#!/bin/sh
# test_globals.sh - the library has no mutable variables, except for those in this file, each with its reason.
# Usage: test_globals.sh COMPILER OBJECT...
set -eu

# library.c: the list of loaded libraries. A mutex guards it. pool.c: the workers of the process.
allowed='library.c: loaded_libraries
library.c: loading
pool.c: pool'

# mutable OBJECT...: prints the variables that can be written, as "SOURCE: NAME". Only the loader writes to
# .data.rel.ro. AddressSanitizer's own variables begin with two underscores.
mutable() {
  nm -A --defined-only --format=sysv "$@" | awk -F'|' '
    NF == 7 && $7 ~ /^\.?(data|bss|tdata|tbss|lbss|ldata|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ {
      source = $1
      sub(/\.(o|obj):.*/, "", source)
      sub(/.*\//, "", source)
      name = $1
      sub(/.*:/, "", name)
      sub(/ +$/, "", name)
      sub(/\.[0-9]+$/, "", name) # variables of functions: gcc adds a number, clang the name of the function
      sub(/.*\./, "", name)
      if (name !~ /^__/ && $4 !~ /SECTION/) print source ": " name
    }' | sort -u
}

# The test finds mutable variables in a small object.
compiler=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/globals.c" <<'C'
int zero, common __attribute__((common)), set = 1;
static int hidden, hidden_set = 2;
static _Thread_local int of_thread;
static const char *pointer = "text";
const int fine = 3;
static const char *const fine_pointers[] = {"a", "b"};
int *count(int i);
int *count(int i) {
  static int calls;
  static const int table[] = {1, 2, 3};
  calls += table[i] + hidden++ + hidden_set++ + of_thread++ + *fine_pointers[i] + *pointer++;
  return &calls;
}
C
"$compiler" -fPIC -c "$folder/globals.c" -o "$folder/globals.c.o"
expected=$(for name in calls common hidden hidden_set of_thread pointer set zero; do echo "globals.c: $name"; done)
found=$(mutable "$folder/globals.c.o")
[ "$found" = "$expected" ] || { printf 'expected:\n%s\nfound:\n%s\n' "$expected" "$found"; exit 1; }

found=$(mutable "$@")
if [ "$found" != "$allowed" ]; then
  printf 'mutable globals:\n%s\nallowed, and expected:\n%s\n' "$found" "$allowed"
  exit 1
fi
echo "$# objects passed, 0 failed"
