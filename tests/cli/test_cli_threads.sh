#!/bin/sh
# test_cli_threads.sh TRIGON - runs the command's own threads under the thread sanitizer.
# One thread shows progress on a terminal. Other threads share the work on a large matrix.
. "$(dirname "$0")/cli_support.sh"

if ! command -v script >/dev/null; then
  skip "script is not installed: nothing is shown in a terminal"
  finish
  exit
fi
last="trigon bench in a terminal"
script -qec "'$trigon' bench potrf --n 1450 --type s --vs none --repeat 1" /dev/null >out 2>err </dev/null
status=$?
that "exit status $status" [ $status -eq 0 ]
that "progress" grep -q 'potrf L, 1450 .* \.\.\. [0-9.]* s' out
has out "  ok" && lacks out "Sanitizer"
finish
