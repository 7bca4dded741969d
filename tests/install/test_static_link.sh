#!/bin/sh
# test_static_link.sh - the static library needs the C library alone: docs/building.md's commands link a program that
# has no shared library at all, and a program of which only Trigon is static. Usage: test_static_link.sh BUILD SOURCE
set -eu
. "$(dirname "$0")/install_support.sh"
install_build
unset LD_LIBRARY_PATH # no program here needs libtrigon.so

# documented WORDS: the command of the page, between backquotes, that has these words. A line may end inside it.
documented() { tr '\n' ' ' <"$source/docs/building.md" | tr '`' '\n' | grep '^cc ' | grep -F -e "$1"; }

# solves COMMAND: the command makes the file a.out of program.c, which prints the solution.
solves() {
  (cd "$place" && eval "$1") >"$place/log" 2>&1 || { cat "$place/log"; fail "it does not link: $1"; }
  output=$("$place/a.out") || fail "the program of $1: exit status $?"
  that "the program of $1 prints '$output'" [ "$output" = "info 0, x = 1 2" ]
}
needed() { readelf -d "$place/a.out" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

cp "$source/examples/posv.c" "$place/program.c"
others=$(pkg-config --static --libs-only-l trigon | tr ' ' '\n' | grep -vE '^(|-ltrigon|-ldl|-lpthread|-lm)$') || true
that "pkg-config --static names other libraries than the C library's: $others" [ -z "$others" ]

command=$(documented -l:libtrigon.a) || fail "docs/building.md has no command with -l:libtrigon.a"
solves "$command"
that "the program needs libtrigon.so" [ -z "$(needed | grep trigon)" ]
that "the program needs no shared C library" [ -n "$(needed | grep '^libc[.]')" ]

if ! echo 'int main(void) { return 0; }' | cc -static -x c - -o "$place/a.out" 2>/dev/null; then
  echo "skipped: the C library has no archive; programs without shared libraries are left out"
  finish
  exit
fi
command=$(documented "cc -static program.c") || fail "docs/building.md has no command with cc -static"
solves "$command"
that "the program is not static" [ -z "$(readelf -l "$place/a.out" | grep INTERP)" ]

# Such a program has the context "cpu". For other contexts the program gives the reason.
project=$source/tests/install/client/project
# shellcheck disable=SC2046 # pkg-config's words are meant to be split
logged "cc -static does not link" cc -static "$project/describe.c" "$project/main.c" -o "$place/describe" \
  $(pkg-config --cflags --libs --static trigon)
tells "$place/describe" cpu "register kernels"
export TRIGON_BACKEND_PATH="$build/plugins"
for backend in cpu:libblis.so.4 cpu64:libopenblas64.so.0 cuda:0 sim:0; do
  tells "$place/describe" $backend "linked statically" 'context "cpu"'
done
finish
