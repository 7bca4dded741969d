#!/bin/sh
# test_debian.sh - packaging/build-debian builds packages, and they do on a Debian what they promise.
# installed_packages.sh installs the packages into a copy of this machine's files, and uses them. This machine stays as
# it is. Usage: test_debian.sh BUILD SOURCE
# shellcheck disable=SC2154 # install_support.sh's variables
set -eu
. "$(dirname "$0")/../install/install_support.sh"
packages=$build/debian

skip() { echo "skipped: $*; the Debian packages are left out"; exit 0; }
for command in dpkg-buildpackage dh dh_python3 unshare; do
  command -v "$command" >/dev/null || skip "no $command"
done
[ "$(id -u)" = 0 ] || skip "not root"

# A copy of all files: what is written goes to memory alone, and other processes do not see the copy.
# shellcheck disable=SC2016 # the inner shell expands
copy='mount -t tmpfs none "$0" && mkdir "$0/written" "$0/work" "$0/root" &&
  mount -t overlay overlay -o "lowerdir=/,upperdir=$0/written,workdir=$0/work" "$0/root"'
mkdir "$place/copy"
unshare --mount sh -c "$copy" "$place/copy" 2>/dev/null || skip "cannot mount a copy of the file system"

logged "the packages are not built" env DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" \
  "$source/packaging/build-debian" "$packages"
for package in libtrigon0.1 libtrigon-dev trigon libtrigon-blas3 libtrigon-blas64-3; do
  that "no package $package" [ -e "$(echo "$packages/${package}"_*.deb)" ]
done
if [ -e "$source/python/trigon_linalg" ]; then
  that "no package for Python" [ -e "$(echo "$packages"/python3-trigon-linalg_*.deb)" ]
fi
has "$(dpkg-deb --field "$packages"/libtrigon-blas3_*.deb Depends Provides)" libopenblas0 "libtrigon0.1 (>= " \
  "libblas.so.3, liblapack.so.3"

# Nobody depends on the libraries of update-alternatives: a package that needs a BLAS depends on any.
dpkg-deb --control "$packages"/libtrigon-blas3_*.deb "$place/control"
that "shlibs" [ "$(cat "$place/control/shlibs")" = "libblas 3 libblas3 | libblas.so.3
liblapack 3 liblapack3 | liblapack.so.3" ]

if command -v lintian >/dev/null; then
  # This is no upload, so there is no bug that it closes.
  lintian --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs "$packages"/*.changes ||
    fail "lintian complains"
  pass
fi

# Folders may lie in other file systems, which the copy does not have.
# shellcheck disable=SC2016
unshare --mount sh -euc "$copy"'
  for folder in /proc /dev "$2" "$3"; do
    mkdir -p "$0/root$folder"
    mount --rbind "$folder" "$0/root$folder"
  done
  exec chroot "$0/root" sh "$@"' "$place/copy" "$source/tests/packaging/installed_packages.sh" "$packages" "$source" ||
  fail "the installed packages"
pass
finish
