#!/bin/sh
# installed_packages.sh - installs the packages, uses them, removes them. test_debian.sh calls it in a copy of the
# machine. Usage: installed_packages.sh PACKAGES SOURCE
# shellcheck disable=SC2154 # install_support.sh's variables
set -eu
. "$(dirname "$0")/../install/install_support.sh" # $build is the folder of the packages
packages=$build
arch=$(dpkg-architecture --query DEB_HOST_MULTIARCH)
lib=/usr/lib/$arch
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive TRIGON_BLAS_LOG=1 OMP_NUM_THREADS=2
unset LD_LIBRARY_PATH LD_PRELOAD TRIGON_BLAS_UNDER TRIGON_BACKEND_PATH PKG_CONFIG_PATH

install_packages() { logged "dpkg --install $*" dpkg --install "$@"; }
# choose NAME...: all programs find Trigon as NAME, for example libblas.so.3.
choose() {
  for library; do
    logged "$library cannot be chosen" update-alternatives --set "$library-$arch" "$lib/trigon/$library"
  done
}
chosen() { # prints the files that programs load as BLAS and LAPACK
  for library in libblas.so.3 liblapack.so.3 libblas64.so.3 liblapack64.so.3; do
    readlink -f "$lib/$library" || true
  done
}

# computes_with WHO COMMAND...: the program is right, and WHO has computed, Trigon or other.
computes_with() {
  who=$1
  shift
  said=$("$@" 2>"$place/log") || { cat "$place/log"; fail "$*: $said"; }
  that "$*: $said" [ "$said" = right ]
  calls=$(awk '$1 == "trigon:" && $2 ~ /(gemm|potrf)/ && $3 > 0 { found++ } END { print found + 0 }' "$place/log")
  case $who in
  Trigon) that "$*: Trigon has not computed" [ "$calls" -ge 2 ] ;;
  other) that "$*: Trigon has computed" [ ! -s "$place/log" ] ;;
  esac
}
numpy='
import numpy
a = numpy.cos(numpy.arange(40000.0) ** 2).reshape(200, 200)
s = a @ a.T + 200 * numpy.eye(200)
l = numpy.linalg.cholesky(s)
print("right" if numpy.allclose(l @ l.T, s) and abs(numpy.linalg.det(l @ numpy.linalg.inv(l)) - 1) < 1e-9 else "wrong")'
programs_compute_with() { # programs_compute_with WHO
  computes_with "$1" "$place/blas_user"
  if [ -n "$has_numpy" ]; then computes_with "$1" /usr/bin/python3 -c "$numpy"; fi
}

# Other people's programs, built over whatever BLAS the machine has.
cc -rdynamic "$source/tests/packaging/blas_user.c" -o "$place/blas_user" -l:liblapack.so.3 -l:libblas.so.3 -lm
sed 's/\bint\b/long/g; s/long main/int main/' "$source/tests/packaging/blas_user.c" >"$place/blas64_user.c"
cc -rdynamic "$place/blas64_user.c" -o "$place/blas64_user" -l:liblapack64.so.3 -l:libblas64.so.3 -lm
has_numpy=''
if [ "$(dpkg-query --show --showformat='${db:Status-Status}' python3-numpy 2>/dev/null)" = installed ]; then
  has_numpy=yes
else
  echo "skipped: no python3-numpy; NumPy is left out"
fi
before=$(chosen)
find_files() { find /etc /usr /var/lib -xdev -name '*trigon*' | sort; }
find_files >"$place/before"
programs_compute_with other

# The installation alone changes nothing.
install_packages "$packages"/*.deb
that "the installation changes the BLAS: $(chosen)" [ "$(chosen)" = "$before" ]
programs_compute_with other

# One program alone.
computes_with Trigon trigon run "$place/blas_user"
flexiblas=$(sed -n 's/^library = //p' "$lib/trigon/flexiblas/trigon.conf")
that "FlexiBLAS is told $flexiblas" [ "$flexiblas" = "$lib/trigon/libtrigon-blas.so" ]

# The choice.
choose libblas.so.3 liblapack.so.3
programs_compute_with Trigon
logged ldconfig ldconfig
that "ldconfig changes the choice" [ "$(readlink -f "$lib/libblas.so.3")" = "$lib/trigon/libblas.so.3" ]
that "ldconfig changes the choice" [ "$(readlink -f "$lib/liblapack.so.3")" = "$lib/trigon/liblapack.so.3" ]
that "ldconfig makes a link" [ ! -e "$lib/libtrigon-blas.so" ]
programs_compute_with Trigon
computes_with Trigon trigon run "$place/blas_user"
# No library takes itself for the BLAS underneath.
computes_with Trigon env TRIGON_BLAS_UNDER=libblas.so.3 "$place/blas_user"
computes_with Trigon env TRIGON_BLAS_UNDER=libblas.so.3 trigon run "$place/blas_user"

# A package that is built now depends on any BLAS.
mkdir "$place/user" "$place/user/debian"
printf 'Source: user\n\nPackage: user\nArchitecture: any\n' >"$place/user/debian/control"
depends=$(cd "$place/user" && dpkg-shlibdeps -O "$place/blas_user" 2>/dev/null)
has "$depends" "libblas3 | libblas.so.3" "liblapack3 | liblapack.so.3"
case $depends in *trigon*) fail "a package depends on Trigon by accident: $depends" ;; esac

# An upgrade keeps the choice.
dpkg-deb --raw-extract "$packages"/libtrigon-blas3_*.deb "$place/next"
sed -i 's/^Version: .*/&+next/' "$place/next/DEBIAN/control"
dpkg-deb --build "$place/next" "$place/next.deb" >/dev/null
install_packages "$place/next.deb"
has "$(dpkg-query --show libtrigon-blas3)" +next
programs_compute_with Trigon

# BLAS or LAPACK alone.
logged "back to OpenBLAS" update-alternatives --auto "libblas.so.3-$arch"
that "dpotrf is not Trigon's" [ "$("$place/blas_user" 2>/dev/null)" = right ]
logged "back to OpenBLAS" update-alternatives --auto "liblapack.so.3-$arch"
choose libblas.so.3
that "dgemm is not Trigon's" [ "$("$place/blas_user" 2>/dev/null)" = right ]

# 64-bit integers.
choose libblas64.so.3 liblapack64.so.3
computes_with Trigon "$place/blas64_user"
computes_with Trigon trigon run --int64 "$place/blas64_user"

# The removal brings back what was there before, also if nobody has chosen again.
choose libblas.so.3 liblapack.so.3
programs_compute_with Trigon
logged "libtrigon-blas3 cannot be removed" dpkg --remove libtrigon-blas3 libtrigon-blas64-3
for library in libblas.so.3 liblapack.so.3; do
  case $(update-alternatives --query "$library-$arch") in *trigon*) fail "$library: Trigon is still there" ;; esac
  case $(readlink -f "$lib/$library") in */openblas*) pass ;; *) fail "$library is not OpenBLAS: $(chosen)" ;; esac
done
programs_compute_with other

# The library, the command and the documents.
logged "trigon info" trigon info
that "there is no man page" [ -s /usr/share/man/man1/trigon.1.gz ]
that "there is no man page" [ -s /usr/share/man/man3/trigon_dpotrf.3.gz ]
# shellcheck disable=SC2046 # pkg-config's words are meant to be split
cc "$source/examples/posv.c" -o "$place/posv" $(pkg-config --cflags --libs trigon)
has "$("$place/posv")" "info 0, x = 1 2"
has "$(readelf -d "$place/posv")" "libtrigon.so.0.1"
if dpkg-query --show python3-trigon-linalg >/dev/null 2>&1; then
  # shellcheck disable=SC2016
  that "trigon_linalg does not compute" /usr/bin/python3 -c '
import numpy, trigon_linalg
a = numpy.array([[4.0, 2.0], [2.0, 5.0]])
assert numpy.allclose(trigon_linalg.cholesky(a, lower=True), [[2, 0], [1, 2]]), trigon_linalg.cholesky(a, lower=True)'
else
  echo "skipped: the sources have no python/trigon_linalg; the package for Python is left out"
fi

# Nothing is left.
installed=$(dpkg-query --show --showformat='${Package}\n' '*trigon*')
# shellcheck disable=SC2086 # one name a line
logged "dpkg --purge" dpkg --purge $installed
find_files >"$place/after"
diff "$place/before" "$place/after" || fail "files are left"
pass
programs_compute_with other
finish
