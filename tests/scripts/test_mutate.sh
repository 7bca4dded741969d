#!/bin/sh
# scripts/mutate: every reason in mutation-survivors.txt belongs to a mutation, and other lines are refused.
# Usage: test_mutate.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$source/scripts/mutate" --list >"$work/list"
echo "$(wc -l <"$work/list") mutations, and each reason belongs to one of them"

mkdir -p "$work/scripts" "$work/tests/scripts" "$work/tests/simulator" "$work/src"
cp "$source/scripts/mutate" "$work/scripts"
cp "$source/tests/simulator/chain_kernel.cu" "$work/tests/simulator"
cp -R "$source/src/gpu" "$work/src"

# refused LINE COMPLAINT: scripts/mutate --list fails if the file of reasons has the line, too.
refused() {
  { cat "$source/tests/scripts/mutation-survivors.txt"; echo "$1"; } >"$work/tests/scripts/mutation-survivors.txt"
  if "$work/scripts/mutate" --list >"$work/list" 2>"$work/errors"; then
    echo "FAILED: accepted $1"
    exit 1
  fi
  if [ "$(cat "$work/errors")" != "mutate: tests/scripts/mutation-survivors.txt: $2" ]; then
    echo "FAILED: expected the complaint $2, got"
    cat "$work/errors"
    exit 1
  fi
}

stale='src/gpu/gpu_leaves.c ## no such line ## TRY( -> (void)( ## reason'
refused "$stale" "the reason belongs to no mutation: $stale"
wrong_change='src/gpu/gpu_workspace.c ## TRY(drop(g, &g-> ## TRY( -> true ## reason'
refused "$wrong_change" "the reason belongs to no mutation: $wrong_change"
second=$(grep 'TRY(drop(g, &g->' "$source/tests/scripts/mutation-survivors.txt")
refused "$second" "the reason belongs to no mutation: $second"
refused 'src/gpu/gpu_leaves.c ## TRY(' 'not FILE ## PART ## OLD -> NEW ## REASON: src/gpu/gpu_leaves.c ## TRY('
echo "4 wrong lines are refused"
