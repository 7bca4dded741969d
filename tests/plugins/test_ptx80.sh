#!/bin/sh
# test_ptx80.sh - the plugin that arch=portable loads on an NVIDIA GPU has PTX for compute capability 8.0 alone, and no
# other plugin takes its place. The test needs no GPU.
# Usage: test_ptx80.sh DEVICE_CODE LOAD_LIBRARY LIBTRIGON CUDA_PLUGIN PTX80_PLUGIN
set -eu
device_code=$1 program=$2 library=$3 ordinary=$4 ptx80=$5
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
passed=0
fail() { echo "FAILED: $1" >&2; exit 1; }

# says WORDS NAME: the description of the context NAME, or why there is none, must contain the words.
says() {
  output=$("$program" "$library" / "$2") || fail "$2: $output"
  case $output in *"$1"*) passed=$((passed + 1)) ;; *) fail "$2: \"$1\" expected in: $output" ;; esac
}

# --- The code. The ordinary plugin shows that device_code sees code for GPUs.
code=$("$device_code" "$ptx80") || fail "$ptx80: $code"
echo "$ptx80: $code"
[ "$(echo "$code" | sed 's/: [0-9]*$//')" = "ptx 80" ] || fail "$ptx80 must have ptx 80 alone, and has: $code"
code=$("$device_code" "$ordinary") || fail "$ordinary: $code"
case $code in *"cubin 90"*) passed=$((passed + 2)) ;; *) fail "$ordinary must have cubin 90, and has: $code" ;; esac

# --- Without a file.
export TRIGON_BACKEND_PATH="$work"
cp "$ordinary" "$work/libtrigon-cuda.so"
says "there is no $work/libtrigon-cuda-ptx80.so" "cuda:0?arch=portable"
says "arch=portable needs it: build with -DTRIGON_CUDA_PTX80=ON" "cuda:0?arch=portable"

# --- With another plugin of this name, either way.
cp "$ordinary" "$work/libtrigon-cuda-ptx80.so"
says "libtrigon-cuda-ptx80.so is built from other sources than this library: cuda " "cuda:0?arch=portable"
cp "$ptx80" "$work/libtrigon-cuda.so"
says "libtrigon-cuda.so is built from other sources than this library: cuda-ptx80 " "cuda:0"

# --- With the file: the plugin itself speaks.
cp "$ptx80" "$work/libtrigon-cuda-ptx80.so"
if "$program" libcuda.so.1 / none 2>&1 | grep -q "cannot load"; then
  says "there is no device cuda:0: no NVIDIA driver was found" "cuda:0?arch=portable"
else
  echo "skipped: this machine has an NVIDIA driver; the test without a driver is left out"
fi
echo "$passed passed, 0 failed"
