#!/bin/sh
# test_offload.sh PROGRAM - TRIGON_OFFLOAD with the simulated GPU. PROGRAM is test_dropin_calls, which compares every
# symbol with the host's.
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
export TRIGON_BLAS_LOG=1

that() { # that WHAT COMMAND...
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; fi
}

# runs OFFLOAD SAMPLE: runs the program, one call of SAMPLE.
runs() { TRIGON_OFFLOAD=$1 "$program" "$2" >"$work/out" 2>"$work/log"; }

# on_gpu SYMBOL: how many calls the GPU has computed.
on_gpu() { awk -v symbol="$1" '$2 == symbol { calls += $7 } END { print calls + 0 }' "$work/log"; }
told() { grep -c "^trigon: TRIGON_OFFLOAD" "$work/log"; }

that "the GPU computes what the host does" runs sim:0,min=16 10
for symbol in dgemm_ dtrmm_ dtrsm_ cblas_dsyrk zher2k_ zhemm_ dpotrf_ dpotri_ dpotrs_ zposv_ dtrtri_ slauum_ dtrtrs_ \
  cblas_zgemm cblas_dtrsm; do
  that "the GPU has computed no $symbol" [ "$(on_gpu $symbol)" -gt 0 ]
done
that "nothing is told" [ "$(told)" -eq 0 ]

that "calls below the least order stay on the CPU" runs sim:0,min=401 40
that "a call below the least order went to the GPU" [ "$(on_gpu dgemm_)" -eq 0 ]
that "without min, no small call goes to the GPU" runs sim:0 40
that "without min, a small call went to the GPU" [ "$(on_gpu dgemm_)" -eq 0 ]

for name in sim:77 sim:0,min=x sim:0,min=-3 sim:0,colour=red nonsense cpu:no-such-library; do
  that "$name: the CPU computes" runs "$name" 200
  that "$name: this is told once" [ "$(told)" -eq 1 ]
done
[ "$failed" -eq 0 ] || cat "$work/out"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
