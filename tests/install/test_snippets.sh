#!/bin/sh
# test_snippets.sh - each block of C in the documents, and each program in a man page, compiles and runs.
# The compiler uses an installation and must not warn. The program must print snippets/BLOCK.out. BLOCK is the name of
# the document and the block's number in it, as in gpu-1. A block without main is lines of a function. The program
# around these lines is snippets/BLOCK.c, which includes BLOCK.inc. Usage: test_snippets.sh BUILD SOURCE
set -eu
. "$(dirname "$0")/install_support.sh"
snippets=$source/tests/install/snippets

install_build
mkdir "$place/blocks"
for page in "$source"/*.md "$source"/docs/*.md "$source"/examples/*/*.md; do
  awk -v block="$place/blocks/$(basename "$page" .md)-" '
    /^```/ { inside = !inside; c = inside && $0 == "```c"; count += c; next }
    c { print > (block count ".inc"); next }
    inside && /^(#include|int main| *trigon_[a-z_]+\()/ {
      print FILENAME ":" FNR ": C in a block that is not ```c"
      failed = 1
    }
    END { exit failed }' "$page" || fail "a block of C would not be tested"
done
for page in "$source"/man/*; do
  awk -v block="$place/blocks/$(basename "$page")-" '
    /^\.fi/ && lines ~ /int main\(/ { count++; printf "%s", lines > (block count ".inc") }
    /^\.(nf|fi)/ { lines = ""; next }
    { gsub(/\\e/, "\\"); lines = lines $0 "\n" }' "$page"
done

# The README says that its first block is examples/posv.c. The block lacks the first line, which describes the program.
sed 1d "$source/examples/posv.c" | diff "$place/blocks/README-1.inc" - ||
  fail "the README's program is not examples/posv.c"
pass

for lines in "$place"/blocks/*.inc; do
  block=$(basename "$lines" .inc)
  sed -i 's/"cuda:0[^"]*"/"cpu"/' "$lines" # the machine of the tests need not have a GPU
  program=$snippets/$block.c
  if grep -q '\<main(' "$lines"; then
    program=$place/$block.c
    cp "$lines" "$program"
  fi
  that "$block is no program, and there is no $program around it" [ -s "$program" ]
  # shellcheck disable=SC2046 # pkg-config's words are meant to be split
  logged "$block does not compile" cc -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$place/blocks" "$program" \
    -o "$place/$block" $(pkg-config --cflags --libs trigon)
  "$place/$block" >"$place/printed" || fail "$block: exit status $?"
  diff "$snippets/$block.out" "$place/printed" || fail "$block prints something else than $block.out"
  pass
done
for file in "$snippets"/*; do
  block=$(basename "${file%.*}")
  that "$file belongs to no block of a document" [ -s "$place/blocks/$block.inc" ]
done
finish
