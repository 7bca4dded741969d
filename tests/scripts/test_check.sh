#!/bin/sh
# test_check.sh - scripts/check finds each offence. Each rule is broken once, alone, in a tree of a few files.
# Usage: test_check.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
passed=0

# write PATH: makes a file of the tree from standard input.
write() {
  mkdir -p "$tree/$(dirname "$1")"
  cat >"$tree/$1"
}

# write_header PATH GUARD LINE...
write_header() {
  path=$1 guard=$2
  shift 2
  { printf '#ifndef %s\n#define %s\n' "$guard" "$guard"; printf '%s\n' "$@" '#endif'; } | write "$path"
}

# repeated COUNT TEXT: prints COUNT lines with TEXT.
repeated() { awk -v count="$1" -v text="$2" 'BEGIN { while (count--) print text }'; }

# A tree without offence, in which each layer includes the one below it.
tree=$work/sound
mkdir -p "$tree/scripts" "$tree/man"
git -C "$tree" init --quiet
cp "$source/scripts/check" "$source/scripts/check-includes" "$tree/scripts"
cp "$source/.clang-format" "$tree"
write_header include/trigon.h TRIGON_H 'int trigon_free(void);'
write_header src/core/view.h TRIGON_VIEW_H '#include <trigon.h>'
write_header src/core/options.h TRIGON_OPTIONS_H '#include "view.h"'
write_header src/algo/algo.h TRIGON_ALGO_H '#include "../core/view.h"'
write_header src/gpu/vendor/vendor.h TRIGON_VENDOR_H '#include <stddef.h>'
write_header src/gpu/kernels/launchers.h TRIGON_LAUNCHERS_H '#include "core/view.h"' '#include "gpu/vendor/vendor.h"'
write_header src/gpu/kernels/step/slab.h TRIGON_SLAB_H '#include "gpu/kernels/launchers.h"'
write_header src/gpu/gpu.h TRIGON_GPU_H '#include "core/view.h"' '#include "kernels/launchers.h"'
write_header src/api/context.h TRIGON_CONTEXT_H '#include "../algo/algo.h"'
write_header cli/command.h TRIGON_CLI_COMMAND_H '#include <trigon.h>'
echo '`trigon_free` and trigon::trigon_static' | write README.md
write_header cli/bench/job.h TRIGON_CLI_BENCH_JOB_H '#include <trigon.h>'
for engine in cpu gpu; do printf '#include "core/view.h"\n' | write src/$engine/${engine}_create.c; done
printf '#include "build.h"\n#include "core/view.h"\n' | write tests/test_view.c

# checks STATUS COMPLAINT: scripts/check must exit with STATUS and print only COMPLAINT. A clean tree has no complaint.
checks() {
  status=0
  "$tree/scripts/check" >"$work/out" 2>"$work/err" || status=$?
  grep '^check: ' "$work/err" >"$work/complaints" || true
  if [ "$status" -ne "$1" ] || [ "$(cat "$work/complaints")" != "${2:+check: $2}" ]; then
    printf 'FAILED: expected status %s and "%s"; status %s, and\n' "$1" "$2" "$status"
    cat "$work/out" "$work/err"
    exit 1
  fi
  passed=$((passed + 1))
}

# offends COMPLAINT WRITE...: the command WRITE makes a file from standard input. Then scripts/check must print
# COMPLAINT.
offends() {
  complaint=$1
  shift
  tree=$work/broken
  cp -R "$work/sound" "$tree"
  "$@"
  checks 1 "$complaint"
  rm -rf "$tree"
}

checks 0 ''

# Formatting and sizes. Lengths count characters, not bytes. A line or file at the limit is allowed.
limit() { sed -n "s/^$1=\([0-9]*\).*/\1/p" "$source/scripts/check"; }
columns=$(limit columns) lines=$(limit lines)
long=$(repeated $((columns - 6)) · | tr -d '\n')
repeated "$lines" "/* $long */" | write tests/fits.c
checks 0 ''
offends "clang-format would change files: clang-format -i FILE" write tests/a.c <<C
int  a;
C
offends "lines are longer than $columns columns" write tests/a.c <<C
/* $long· */
C
offends "lines are longer than $columns columns" write scripts/a <<SH
#    $long··
SH
for file in tests/a.c tests/a.inc tests/a.cu tests/a.sh scripts/a .ci/a; do
  repeated $((lines + 1)) '/* */' >"$work/lines"
  offends "$file has $((lines + 1)) lines, at most $lines: look for the missing idea" write "$file" <"$work/lines"
done

# Layers.
offends "src/core/a.c includes src/algo/algo.h, but the layers do not let src/core include from src/algo" \
  write src/core/a.c <<C
#include "../algo/algo.h"
C
offends "src/algo/a.c includes src/gpu/gpu.h, but the layers do not let src/algo include from src/gpu" \
  write src/algo/a.c <<C
#include "gpu/gpu.h"
C
offends "src/gpu/kernels/a.cu includes src/gpu/gpu.h, but the layers do not let src/gpu/kernels include from src/gpu" \
  write src/gpu/kernels/a.cu <<C
#include "../gpu.h"
C
offends "src/gpu/arch/a.c includes src/api/context.h, but the layers do not let src/gpu/arch include from src/api" \
  write src/gpu/arch/a.c <<C
#include "../../api/context.h"
C
room='src/gpu/kernels/products/a.h includes src/gpu/kernels/step/slab.h, but the layers do not let'
offends "$room src/gpu/kernels/products include from src/gpu/kernels/step" \
  write_header src/gpu/kernels/products/a.h TRIGON_A_H '#include "gpu/kernels/step/slab.h"'
offends "cli/a.c includes src/core/view.h, but the layers do not let cli include from src/core" write cli/a.c <<C
#include "core/view.h"
C
offends "other/a.c is in a folder without a layer; the table is in scripts/check-includes" write other/a.c <<C
int a;
C
offends 'tests/a.c includes "no_such.h", which is no file of the project' write tests/a.c <<C
#include "no_such.h"
C

# Circles: a file includes itself, directly or through other folders.
offends "files include each other in a circle: tests/a.inc > tests/a.inc" write tests/a.inc <<C
#include "a.inc"
C
offends "files include each other in a circle: src/core/view.h > src/core/options.h > src/core/view.h" \
  write_header src/core/view.h TRIGON_VIEW_H '#include "../core/../core/options.h"'

# Guards.
offends "tests/a.h must begin with the guard TRIGON_A_H" write tests/a.h <<C
int a(void);
C
offends "tests/a.h has the guard A_H, must be TRIGON_A_H or, with folders, TRIGON_FOLDER_A_H" \
  write_header tests/a.h A_H
offends "tests/a.h has the guard TRIGON_CLI_A_H, must be TRIGON_A_H or, with folders, TRIGON_FOLDER_A_H" \
  write_header tests/a.h TRIGON_CLI_A_H
offends "tests/options.h has the guard TRIGON_OPTIONS_H of src/core/options.h" \
  write_header tests/options.h TRIGON_OPTIONS_H

# Names of files. Tests may have the name of what they test.
tree=$work/sound
write_header tests/core/job.h TRIGON_CORE_JOB_H
checks 0 ''
offends "src/core/view.h has the name of simulator/view.h: give it a name of its own" \
  write_header simulator/view.h TRIGON_SIMULATOR_VIEW_H
offends "src/gpu/job.h has the name of cli/bench/job.h: give it a name of its own" \
  write_header src/gpu/job.h TRIGON_GPU_JOB_H
write_twins() { write src/core/a.c </dev/null; write cli/bench/a.c </dev/null; }
offends "src/core/a.c has the name of cli/bench/a.c: give it a name of its own" write_twins

# Functions that the library and its algorithms must not call.
offends "src/algo includes a vendor's header" write src/algo/a.c <<C
#include <cublas_v2.h>
C
offends "src/algo knows a vendor or asks for a type" write src/algo/a.c <<C
int a = TRIGON_D;
C
for ending in c inc cu cuh; do
  offends "src prints or ends the program" write src/gpu/kernels/a.$ending <<C
void a(void) { abort(); }
C
done
offends "src prints or ends the program" write_header src/core/a.h TRIGON_A_H 'static inline void a(void) { abort(); }'
offends "a document names trigon_no_such, but no public header has such a function" write README.md <<MD
\`trigon_no_such\`
MD

# A pipe whose reader ends first.
for reader in 'head -n 1' 'grep -q a' 'grep -Eq a'; do
  offends "a script pipes into a command that may end first: sed -n 1,10p and grep >/dev/null read all" \
    write scripts/a <<SH
ls | $reader
SH
done

echo "$passed passed, 0 failed"
