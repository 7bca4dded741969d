#!/bin/sh
# test_abi.sh - the library keeps the interface in abi/, and scripts/abi refuses changes that break programs.
# A small library shows which changes scripts/abi refuses and allows. Usage: test_abi.sh BUILD SOURCE CC
# shellcheck disable=SC2016,SC2154 # sed's expressions; install_support.sh's variables
set -eu
. "$(dirname "$0")/install_support.sh"
cc=$3 debug=-g

"$source/scripts/abi" check "$build/abi/libtrigon.so"
pass

mkdir -p "$place/scripts" "$place/include"
cp "$source/scripts/abi" "$place/scripts"
cd "$place"

# library NUMBER [HEADER CHANGES] [SOURCE CHANGES]: makes the file `library`, a libtrigon.so.NUMBER, after sed has
# changed its header and its source.
library() {
  cat >base.h <<'H'
typedef enum trigon_status { TRIGON_OK, TRIGON_BAD_ARGUMENT } trigon_status;
typedef struct trigon_count { long calls, blocks; } trigon_count;
trigon_status trigon_trace(trigon_count *counts, long count);
int trigon_version_number(void);
H
  cat >base.c <<'C'
#include "include/trigon.h"
struct internal { int member; } internal;
trigon_status trigon_trace(trigon_count *counts, long count) {
  return counts[0].calls == count ? TRIGON_OK : TRIGON_BAD_ARGUMENT;
}
int trigon_version_number(void) { return internal.member; }
C
  sed -e "${2:-}" base.h >include/trigon.h
  sed -e "${3:-}" base.c >library.c
  echo 'NODE { global: trigon_*; local: *; };' >library.map
  "$cc" "$debug" -shared -fPIC "-Wl,-soname,libtrigon.so.$1" -Wl,--version-script=library.map library.c -o library
}
keeps() { scripts/abi check library >told 2>&1 || { cat told; fail "refused: $1"; }; pass; }
breaks() { # breaks DESCRIPTION WORDS
  ! scripts/abi check library >told 2>&1 || fail "not noticed: $1"
  has "$(cat told)" "$2"
}

library 0.1
breaks "no interface to compare with" "there is no abi/libtrigon.so.0.1.abi: scripts/abi update library"
scripts/abi update library >told
has "$(cat told)" "wrote abi/libtrigon.so.0.1.abi, 2 functions"
keeps "the same library"
library 0.1 '' 's/int member/long before, member/'
keeps "a change inside"
library 0.1 '$a int trigon_new(void);' '$a int trigon_new(void) { return 1; }'
keeps "a new function"
library 0.1 's/TRIGON_BAD_ARGUMENT/TRIGON_BAD_ARGUMENT, TRIGON_NEW/'
keeps "a new value at the end of an enum"
library 0.1 's/TRIGON_BAD_ARGUMENT/TRIGON_NEW, TRIGON_BAD_ARGUMENT/'
breaks "a new value in the middle of an enum" "from value '1' to '2'"
library 0.1 's/blocks/extra, blocks/'
breaks "a new member in the middle of a struct" "'long int extra'"
library 0.1 's/blocks/blocks, extra/'
breaks "a new member at the end of a struct, of which programs make arrays" "'long int extra'"
library 0.1 's/long count/int count/' 's/long count/int count/'
breaks "another type of an argument" "'long int' to 'int'"
library 0.1 '/version_number/d' '/version_number/d'
breaks "a function that is gone" "1 Removed function"
library 0.1 '' 's/^int trigon_version/__attribute__((visibility("hidden"))) &/'
breaks "a function that is not exported" "1 Removed function"
debug=-g0
library 0.1
breaks "no debug information" "library has no debug information"
debug=-g
library 0.2
breaks "another soname" "there is no abi/libtrigon.so.0.2.abi"
finish
