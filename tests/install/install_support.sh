# install_support.sh - functions that the tests of an installation share.
# Tests source this file with BUILD SOURCE as $1 and $2. Each test works in a folder of its own, $place, which is
# removed at the end. The first failure ends the test.
# shellcheck disable=SC2034 # the tests use them
build=$1 source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
passed=0

fail() { echo "FAILED: $*" >&2; exit 1; }
pass() { passed=$((passed + 1)); }
finish() { echo "$passed passed, 0 failed"; }

# that DESCRIPTION COMMAND...: the command must succeed.
that() {
  description=$1
  shift
  "$@" || fail "$description"
  pass
}

# logged DESCRIPTION COMMAND...: the command must succeed. Its output is printed only if it fails.
logged() {
  description=$1
  shift
  "$@" >"$place/log" 2>&1 || { cat "$place/log"; fail "$description"; }
}

# has TEXT WORDS...: the text must contain each of the words.
has() {
  text=$1
  shift
  for words; do
    case $text in *"$words"*) pass ;; *) fail "'$words' expected in: $text" ;; esac
  done
}

# tells PROGRAM BACKEND WORDS...: the program's output for the backend must contain the words.
tells() {
  told=$("$1" "$2") || fail "$1 $2: exit status $?"
  shift 2
  has "$told" "$@"
}

# install_build: installs the build in $place/usr. The libraries are in $lib. pkg-config and the loader search $lib.
install_build() {
  cmake --install "$build" --prefix "$place/usr" >/dev/null
  lib=$(dirname "$(find "$place/usr" -name libtrigon.a)")
  export LD_LIBRARY_PATH="$lib" PKG_CONFIG_PATH="$lib/pkgconfig"
}
