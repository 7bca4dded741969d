#!/bin/sh
# test_install.sh - users' programs build and run against an installation of Trigon.
# The test installs a build into an empty folder. The README's program uses the installation by pkg-config and by the
# CMake package, shared and static, in C and C++. (test_static_link.sh links static programs by pkg-config.)
# Usage: test_install.sh BUILD SOURCE
set -eu
. "$(dirname "$0")/install_support.sh"

expect() { # expect LABEL COMMAND...: the command must print the solution
  label=$1
  shift
  output=$("$@") || fail "$label: exit status $?"
  that "$label: printed '$output'" [ "$output" = "info 0, x = 1 2" ]
}

install_build
for file in include/trigon.h include/trigon_eigen.h include/trigon_cluster.h bin/trigon \
  share/man/man1/trigon.1 share/man/man1/trigon-tune.1 \
  share/man/man3/trigon.3 share/man/man3/trigon_dsyevd.3 share/man/man3/trigon_eigen.h.3 \
  share/bash-completion/completions/trigon share/zsh/site-functions/_trigon; do
  that "$file is not installed" [ -s "$place/usr/$file" ]
done

# While the major version is 0, a new minor version may break programs. So programs ask for a minor version.
version=$(pkg-config --modversion trigon)
case $version in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac
has "$(readelf -d "$lib/libtrigon.so")" "soname: [libtrigon.so.$abi]"

program=$source/examples/posv.c # the README's program
# shellcheck disable=SC2046 # pkg-config's words are meant to be split
cc "$program" -o "$place/shared" $(pkg-config --cflags --libs trigon)
expect "pkg-config, shared" "$place/shared"

logged "the CMake client does not build" cmake -S "$source/tests/install/client" -B "$place/client" \
  -DCMAKE_PREFIX_PATH="$place/usr" -DPROGRAM="$program"
logged "the CMake client does not build" cmake --build "$place/client"
for program in c_trigon c_trigon_static cpp_trigon cpp_trigon_static; do
  expect "CMake, $program" "$place/client/$program"
done

# The other headers in C17 and in C++11, without a warning.
printf '#include <%s>\n' trigon_eigen.h trigon_cluster.h >"$place/header.c"
for language in c=c17 c++=c++11; do
  # shellcheck disable=SC2046 # pkg-config's words are meant to be split
  logged "the other headers in ${language#*=}" cc -x "${language%=*}" -std="${language#*=}" -Wall -Wextra -Wpedantic \
    -Werror -fsyntax-only $(pkg-config --cflags trigon) "$place/header.c"
done

# The installed command runs from every folder.
unset LD_LIBRARY_PATH
that "the installed command does not run" "$place/usr/bin/trigon" --version >/dev/null
that "the simulated GPU is installed" [ -z "$(find "$place/usr" -name 'libtrigon-sim*')" ]
finish
