#!/bin/sh
# test_static_link.sh SOURCE CC - pkg-config's flags link a program with archives of LAPACK and of the BLAS.
# LAPACK needs one more archive. Each archive must come before the archives that it needs.
set -eu
source=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo 'int main(void) { return 0; }' >main.c
if ! "$compiler" -static main.c -o main 2>/dev/null; then
  echo "skipped: the C library has no archive"
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
cmake -S "$source" -B build "-DCMAKE_C_COMPILER=$compiler" -DTRIGON_CUDA=OFF -DTRIGON_HIP=OFF -DTRIGON_SIM=OFF \
  -DTRIGON_TESTS=OFF "-DBLAS_LIBRARIES=$work/libblas.a" \
  "-DLAPACK_LIBRARIES=$work/liblapack.a;$work/libtools.a;$work/libblas.a" >log 2>&1 || {
  cat log >&2
  exit 1
}
if grep 'no program linked by' log; then exit 1; fi
grep "^Libs.private: $work/liblapack.a $work/libtools.a $work/libblas.a " build/trigon.pc
echo "2 passed, 0 failed"
