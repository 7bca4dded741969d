#!/bin/sh
# Installs a build into an empty folder and builds the README's program against it, as users do: through pkg-config and
# the CMake package, shared and static, C and C++. Usage: test_install.sh BUILD SOURCE
set -eu
build=$1 source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
passed=0

fail() { echo "FAILED: $*" >&2; exit 1; }
expect() { # expect LABEL COMMAND...: its output is the solution
  label=$1
  shift
  output=$("$@") || fail "$label: exit status $?"
  [ "$output" = "info 0, x = 1 2" ] || fail "$label: printed '$output'"
  passed=$((passed + 1))
}

cmake --install "$build" --prefix "$place/usr" >/dev/null
lib=$(dirname "$(find "$place/usr" -name libtrigon.a)")
for file in include/trigon.h bin/trigon share/man/man1/trigon.1 share/man/man3/trigon.3; do
  [ -s "$place/usr/$file" ] || fail "$file is not installed"
  passed=$((passed + 1))
done
export LD_LIBRARY_PATH="$lib" PKG_CONFIG_PATH="$lib/pkgconfig"

# shellcheck disable=SC2046 # pkg-config's words are meant to be split
{
  cc "$source/tests/client/client.c" -o "$place/shared" $(pkg-config --cflags --libs trigon)
  expect "pkg-config, shared" "$place/shared"
  # -l:libtrigon.a: the static library, while the BLAS underneath stays as it is installed
  cc "$source/tests/client/client.c" -o "$place/static" $(pkg-config --cflags --libs --static trigon |
    sed 's/-ltrigon/-l:libtrigon.a/')
  LD_LIBRARY_PATH='' expect "pkg-config, static" "$place/static"
}
if ldd "$place/static" | grep -q libtrigon; then fail "the static program needs libtrigon.so"; fi
passed=$((passed + 1))

cmake -S "$source/tests/client" -B "$place/client" -DCMAKE_PREFIX_PATH="$place/usr" >"$place/log" 2>&1 &&
  cmake --build "$place/client" >>"$place/log" 2>&1 || { cat "$place/log"; fail "the CMake client does not build"; }
for program in c_trigon c_trigon_static cpp_trigon cpp_trigon_static; do
  expect "CMake, $program" "$place/client/$program"
done

# The command runs from where it was installed, wherever that is.
unset LD_LIBRARY_PATH
"$place/usr/bin/trigon" --version >/dev/null || fail "the installed command does not run"
passed=$((passed + 1))
echo "$passed passed, 0 failed"
