#!/bin/sh
# test_static_link.sh SOURCE CC BUILD - static libraries: pkg-config's flags link a program with archives of LAPACK and
# of the BLAS, and the documented command links the static library with the BLAS of the build.
# LAPACK needs one more archive. Each archive must come before the archives that it needs.
set -eu
source=$1 compiler=$2 build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: $*" >&2; exit 1; }

# ------------------------------------------------------------------------------------------- the documented command --
# The text between backquotes that has -l:libtrigon.a, which may be folded into lines.
printed=$(tr '\n' ' ' <"$source/docs/building.md" | tr '`' '\n' | grep -F -e '-l:libtrigon.a')
case $printed in
  "cc "*program.c*) ;;
  *) fail "docs/building.md has no command with program.c that links libtrigon.a: $printed" ;;
esac
cmake --install "$build" --prefix "$work/usr" >/dev/null
library=$(dirname "$(find "$work/usr" -name libtrigon.a)")
mkdir readme
cp "$source/examples/posv.c" readme/program.c
cc() { command "$compiler" "$@"; } # not itself, if the compiler is cc
(export PKG_CONFIG_PATH="$library/pkgconfig" && cd readme && eval "$printed") || fail "docs/building.md: $printed"
case $(readelf -d readme/a.out) in *libtrigon*) fail "the program needs libtrigon.so" ;; esac
output=$(LD_LIBRARY_PATH='' readme/a.out) || fail "the program that the documented command links: exit status $?"
[ "$output" = "info 0, x = 1 2" ] || fail "the program that the documented command links prints '$output'"
pass

# ------------------------------------------------------------------------------------------------------- archives --
echo 'int main(void) { return 0; }' >main.c
if ! "$compiler" -static main.c -o main 2>/dev/null; then
  echo "skipped: the C library has no archive"
  echo "$passed passed, 0 failed"
  exit 0
fi
archive() { # archive NAME CODE: makes libNAME.a
  echo "$2" >"$1.c"
  "$compiler" -c "$1.c" -o "$1.o"
  ar rcs "lib$1.a" "$1.o"
}
archive lapack 'void tools(void); void zpotrf_(void) { tools(); } void zlauum_(void) {} void ztrtri_(void) {}'
archive tools 'void dgemm_(void); void tools(void) { dgemm_(); }'
archive blas 'void dgemm_(void) {} void zherk_(void) {}'

# configure LAPACK-ARCHIVE...: configures Trigon with these archives in this order. The file log gets what CMake prints.
configure() {
  archives=$(printf '%s;' "$@")
  rm -rf configured
  cmake -S "$source" -B configured "-DCMAKE_C_COMPILER=$compiler" -DTRIGON_CUDA=OFF -DTRIGON_HIP=OFF -DTRIGON_SIM=OFF \
    -DTRIGON_TESTS=OFF "-DBLAS_LIBRARIES=$work/libblas.a" "-DLAPACK_LIBRARIES=${archives%;}" >log 2>&1 || {
    cat log >&2
    fail "cmake with $archives"
  }
}
warning='no program linked by `cc -static`'

configure "$work/liblapack.a" "$work/libtools.a" "$work/libblas.a"
if grep -F -e "$warning" log; then fail "the archives do not link"; fi
flags=$(sed -n 's/^Libs\.private: //p' configured/trigon.pc)
case "$flags " in
  "$work/liblapack.a $work/libtools.a $work/libblas.a "*) pass ;;
  *) fail "Libs.private has not the archives, in their order: $flags" ;;
esac
echo 'void zpotrf_(void); void zherk_(void); int main(void) { zpotrf_(); zherk_(); return 0; }' >calls.c
# shellcheck disable=SC2086 # the flags are meant to be split
"$compiler" -static calls.c -o calls $flags && ./calls || fail "a program does not link with $flags"
pass

# The warning comes if an archive is missing, so that its absence above proves something.
configure "$work/liblapack.a" "$work/libblas.a"
grep -qF -e "$warning" log || fail "no warning, though libtools.a is missing"
pass

echo "$passed passed, 0 failed"
