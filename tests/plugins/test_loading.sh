#!/bin/sh
# test_loading.sh - a program loads libtrigon at run time.
# The program loads libtrigon again and again, by a relative path, and with more rights than its user.
# Usage: test_loading.sh LOAD_LIBRARY LIBTRIGON FOREIGN_PLUGIN [SIM_PLUGIN]
set -eu
program=$1 library=$2 foreign=$3 plugin=${4:-}
work=$(cd "$(mktemp -d)" && pwd -P) # messages have paths without symbolic links
trap 'rm -rf "$work"' EXIT
unset TRIGON_BACKEND_PATH
passed=0
fail() { echo "FAILED: $1" >&2; exit 1; }
skip() { echo "skipped: $1"; }

# says WORDS COMMAND...: the command's output must contain the words.
says() {
  words=$1
  shift
  output=$("$@" 2>&1) || fail "$*: $output"
  case $output in *"$words"*) passed=$((passed + 1)) ;; *) fail "$*: \"$words\" expected in: $output" ;; esac
}

# never_says WORDS COMMAND...: the command's output must not contain the words.
never_says() {
  words=$1
  shift
  output=$("$@" 2>&1) || fail "$*: $output"
  case $output in *"$words"*) fail "$*: $output" ;; *) passed=$((passed + 1)) ;; esac
}

# --- Again and again. After libtrigon has loaded a library, libtrigon stays loaded.
for name in cpu:libblis.so.4 cpu64:libopenblas64.so.0; do
  output=$("$program" "$library" / "$name" 10) || fail "$name ten times: $output"
  if echo "$output" | head -n 1 | grep -q "No such file"; then
    skip "$output"
    continue
  fi
  [ "$(echo "$output" | grep -c "bit integers")" -eq 10 ] || fail "$name ten times: $output"
  passed=$((passed + 1))
done

# --- In a namespace of its own, and in a program that the loader starts as a command. libtrigon must not take such a
# program for a statically linked program.
if grep -q __asan_init "$library"; then
  skip "the address sanitizer works in the program's namespace alone"
else
  says "libnosuch.so: cannot open" "$program" "$library" / cpu:libnosuch.so 0
fi
loader=$(grep -aom 1 '/lib[^ ]*/ld-linux[a-z0-9_.-]*' "$program" || true)
if [ -x "$loader" ]; then
  says "libnosuch.so: cannot open" "$loader" "$program" "$library" / cpu:libnosuch.so
else
  skip "the loader is not found"
fi

# --- By a relative path, in a program that then goes to another folder. A plugin in that folder must not be loaded.
mkdir -p "$work/near/trigon" "$work/elsewhere/trigon" "$work/elsewhere/relative"
cp -L "$library" "$work/near/libtrigon.so"
cp "$foreign" "$work/elsewhere/trigon/libtrigon-sim.so"
cp "$foreign" "$work/elsewhere/relative/libtrigon-sim.so"
cd "$work/near"
by_dot() { "$program" ./libtrigon.so ../elsewhere sim:0; }
by_environment() { LD_LIBRARY_PATH=. "$program" libtrigon.so ../elsewhere sim:0; }
for way in by_dot by_environment; do
  never_says "foreign" $way
  # The begin of the path depends on TMPDIR, and the length of messages is limited.
  says "/near/trigon/libtrigon-sim.so nor" $way
done
if [ -n "$plugin" ]; then
  cp "$plugin" "$work/near/trigon/libtrigon-sim.so"
  for way in by_dot by_environment; do says "simulated" $way; done
fi

# A relative folder in the environment is refused.
export TRIGON_BACKEND_PATH=relative
says 'TRIGON_BACKEND_PATH is "relative", must be an absolute path' "$program" "$library" "$work/elsewhere" sim:0
unset TRIGON_BACKEND_PATH

# --- A program with more rights than its user loads nothing that the user's environment names. The test makes such a
# program by a second group of the user; root has all groups.
if [ "$(id -u)" -eq 0 ]; then group=65534; else group=$(id -G | tr ' ' '\n' | grep -vxm 1 "$(id -g)" || true); fi
cp "$program" "$work/with_rights"
if [ -z "$plugin" ]; then
  skip "no simulated GPU; the test of a program with more rights than its user is left out"
elif [ -z "$group" ] || ! chgrp "$group" "$work/with_rights" || ! chmod g+s "$work/with_rights" ||
  [ "$("$work/with_rights" "$library" / cpu | grep -c "more rights")" -ne 1 ]; then
  skip "no second group, or $work takes no set-group-ID programs; the test of such a program is left out"
else
  mkdir "$work/named"
  cp "$plugin" "$work/named/libtrigon-sim.so"
  export TRIGON_BACKEND_PATH="$work/named"
  says "simulated" "$program" "$library" / sim:0
  says "no plugin for sim:0: there is " "$work/with_rights" "$library" / sim:0
fi
echo "$passed passed, 0 failed"
