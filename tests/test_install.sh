#!/bin/sh
# Installs a build into an empty folder and builds the README's program against it, as users do: through pkg-config and
# the CMake package, shared and static, C and C++. Then a user's project that has Trigon inside: who finds the parts for
# GPUs? Usage: test_install.sh BUILD SOURCE
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

tells() { # tells PROGRAM BACKEND WORDS...: what it prints of the backend has the words
  output=$("$1" "$2") || fail "$1 $2: exit status $?"
  shift 2
  for words; do
    case $output in *"$words"*) passed=$((passed + 1)) ;; *) fail "'$words' expected in: $output" ;; esac
  done
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
[ -z "$(find "$place/usr" -name 'libtrigon-sim*')" ] || fail "the simulated GPU is installed"

# A project that has Trigon inside. The simulated GPU, where it is built, stands for a real one's part.
unset TRIGON_BACKEND_PATH
user=$place/user
cmake -S "$source/tests/client/project" -B "$user" -DCMAKE_BUILD_TYPE=Release -DTRIGON_SOURCE="$source" \
  -DCMAKE_INSTALL_PREFIX="$place/own" -DCMAKE_INSTALL_LIBDIR=lib >"$place/log" 2>&1 &&
  cmake --build "$user" --parallel 2 --target over_shared over_user over_static >>"$place/log" 2>&1 ||
  { cat "$place/log"; fail "the project with Trigon inside does not build"; }
for folder in "$user"/*.folder; do
  [ ! -e "$folder" ] || [ "$(cat "$folder")" = "$user/lib/trigon" ] || fail "$folder: $(cat "$folder")"
done
# Of long paths the ends are told.
beside=$user/lib/trigon beside_user=$user/user/trigon installed=$place/own/lib/trigon part=libtrigon-sim.so
tells "$user/over_shared" sim:0 "there is neither " "/user/lib/trigon/$part nor " "/own/lib/trigon/$part"
tells "$user/over_user" sim:0 "there is neither " "/user/user/trigon/$part nor " "/own/lib/trigon/$part"
tells "$user/over_static" sim:0 "there is no " "/own/lib/trigon/$part"
mkdir -p "$beside" "$beside_user" "$installed"
if [ -e "$build/parts/$part" ]; then
  cp "$build/parts/$part" "$installed"
  for program in over_shared over_user over_static; do tells "$user/$program" sim:0 "simulated"; done
  mv "$installed/$part" "$beside"
  tells "$user/over_shared" sim:0 "simulated"
  tells "$user/over_user" sim:0 "there is neither"
  mv "$beside/$part" "$beside_user"
  tells "$user/over_user" sim:0 "simulated"
  TRIGON_BACKEND_PATH=$beside tells "$user/over_user" sim:0 "/user/lib/trigon/$part (TRIGON_BACKEND_PATH is set)"
else
  echo "skipped: no simulated GPU; whether parts are found is left out"
fi

# A part that is there and cannot be loaded: the loader's words, and not that there is none elsewhere.
echo 'int absent(void); int absent(void) { return 1; }' | cc -x c -shared -fPIC - -o "$place/libabsent.so"
echo 'int absent(void); int trigon_part_create(void); int trigon_part_create(void) { return absent(); }' |
  cc -x c -shared -fPIC - -o "$beside/libtrigon-cuda.so" -L"$place" -labsent
rm "$place/libabsent.so"
tells "$user/over_shared" cuda:0 "/user/lib/trigon/libtrigon-cuda.so: it needs what does not load: libabsent.so: " \
  "(LD_LIBRARY_PATH"

# A part of other sources, whatever else it may be, is not called.
printf '%s\n' 'const char trigon_part_build[] = "cuda 0.1.0+other";' 'void trigon_part_create(void) { *(int *)0 = 0; }' |
  cc -x c -shared -fPIC - -o "$beside/libtrigon-cuda.so"
tells "$user/over_shared" cuda:0 "/user/lib/trigon/libtrigon-cuda.so is built from other sources than this library: " \
  "cuda 0.1.0+other, not cuda "
echo "$passed passed, 0 failed"
