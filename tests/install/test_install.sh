#!/bin/sh
# test_install.sh - users' programs build and run against an installation of Trigon.
# The test installs a build into an empty folder. The README's program uses the installation by pkg-config and by the
# CMake package, shared, static and fully static, in C and C++.
# Usage: test_install.sh BUILD SOURCE STATIC. STATIC is ON if this machine has all libraries as archives, otherwise OFF.
set -eu
. "$(dirname "$0")/install_support.sh"
static=$3

expect() { # expect LABEL COMMAND...: the command must print the solution
  label=$1
  shift
  output=$("$@") || fail "$label: exit status $?"
  that "$label: printed '$output'" [ "$output" = "info 0, x = 1 2" ]
}

install_build
for file in include/trigon.h bin/trigon share/man/man1/trigon.1 share/man/man1/trigon-tune.1 \
  share/man/man3/trigon.3 \
  share/bash-completion/completions/trigon share/zsh/site-functions/_trigon; do
  that "$file is not installed" [ -s "$place/usr/$file" ]
done

# While the major version is 0, a new minor version may break programs. So programs ask for a minor version.
version=$(pkg-config --modversion trigon)
case $version in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac
has "$(readelf -d "$lib/libtrigon.so")" "soname: [libtrigon.so.$abi]"

program=$source/examples/posv.c # the README's program
# shellcheck disable=SC2046 # pkg-config's words are meant to be split
{
  cc "$program" -o "$place/shared" $(pkg-config --cflags --libs trigon)
  expect "pkg-config, shared" "$place/shared"
  # -l:libtrigon.a links the static library, and the installed BLAS, which may be shared
  cc "$program" -o "$place/static" $(pkg-config --cflags --libs --static trigon | sed 's/-ltrigon/-l:libtrigon.a/')
  LD_LIBRARY_PATH='' expect "pkg-config, static" "$place/static"
}
case $(ldd "$place/static") in *libtrigon*) fail "the static program needs libtrigon.so" ;; esac
pass

# A program without any shared library has the context "cpu". For other contexts the program gives the reason.
if [ "$static" = ON ]; then
  project=$source/tests/install/client/project
  # shellcheck disable=SC2046
  {
    logged "cc -static does not link" \
      cc -static "$program" -o "$place/full" $(pkg-config --cflags --libs --static trigon)
    logged "cc -static does not link" cc -static "$project/describe.c" "$project/main.c" -o "$place/describe" \
      $(pkg-config --cflags --libs --static trigon)
  }
  expect "pkg-config, fully static" "$place/full"
  that "the program is not static" [ -z "$(readelf -l "$place/full" | grep INTERP)" ]
  tells "$place/describe" cpu "with LAPACK"
  export TRIGON_BACKEND_PATH="$build/plugins"
  for backend in cpu:libblis.so.4 cpu64:libopenblas64.so.0 cuda:0 sim:0; do
    tells "$place/describe" $backend "linked statically" 'context "cpu"'
  done
  unset TRIGON_BACKEND_PATH
else
  echo "skipped: the BLAS or the C library has no archive; fully static programs are left out"
fi

logged "the CMake client does not build" cmake -S "$source/tests/install/client" -B "$place/client" \
  -DCMAKE_PREFIX_PATH="$place/usr" -DPROGRAM="$program"
logged "the CMake client does not build" cmake --build "$place/client"
for program in c_trigon c_trigon_static cpp_trigon cpp_trigon_static; do
  expect "CMake, $program" "$place/client/$program"
done

# The installed command runs from every folder.
unset LD_LIBRARY_PATH
that "the installed command does not run" "$place/usr/bin/trigon" --version >/dev/null
that "the simulated GPU is installed" [ -z "$(find "$place/usr" -name 'libtrigon-sim*')" ]
finish
