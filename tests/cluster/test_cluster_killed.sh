#!/bin/sh
# test_cluster_killed.sh - if one of four processes is killed, mpirun ends the others within 30 seconds, and tells it.
# Usage: test_cluster_killed.sh MPIRUN PROGRAM
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
begun=$(date +%s)
timeout --kill-after=5 50 "$1" -np 4 "$2" >"$log" 2>&1
status=$? seconds=$(($(date +%s) - begun))
fail() { cat "$log"; echo "FAILED: $1"; exit 1; }
grep -q 'calls are under way' "$log" || fail "the processes have not computed"
[ "$status" -ne 0 ] || fail "the job has succeeded"
[ "$seconds" -le 30 ] || fail "the job has ended after $seconds seconds"
grep -q 'passed, ' "$log" && fail "the other processes have come to their end"
echo "4 passed, 0 failed: the job has ended after $seconds seconds"
