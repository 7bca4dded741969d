#!/bin/sh
# test_cublas.sh - the plugin for NVIDIA GPUs needs no cuBLAS to load, and finds cuBLAS 13 or 12 when a context is made.
# FOLDER has replacements of cuBLAS: 13/libcublas.so.13, 12/libcublas.so.12, lacking/libcublas.so.13.
# Usage: test_cublas.sh LOAD_CUBLAS FOLDER PLUGIN...
set -eu
program=$1 folder=$2
shift 2
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
passed=0
fail() { echo "FAILED: $1" >&2; exit 1; }

# says TEXT PATH [LIBRARY]: the whole output of the program, if LD_LIBRARY_PATH is PATH.
says() {
  output=$(LD_LIBRARY_PATH=$2 "$program" ${3+"$3"} 2>&1) || fail "$output"
  [ "$output" = "$1" ] || fail "expected: $1; got: $output"
  passed=$((passed + 1))
}
ends='
the handle ends'

# --- Each place of the table has its routine. cuBLAS 13 is preferred, but not to one that the process has already.
says "cuBLAS 13.99.7$ends" "$folder/13"
says "cuBLAS 13.99.7$ends" "$folder/12:$folder/13"
says "cuBLAS 12.99.7$ends" "$folder/13" "$folder/12/libcublas.so.12"

# --- Files that the loader refuses hide the cuBLAS of this machine.
mkdir "$work/broken" "$work/old"
echo "this is no library" >"$work/broken/libcublas.so.13"
cp "$work/broken/libcublas.so.13" "$work/broken/libcublas.so.12"
cp "$work/broken/libcublas.so.13" "$work/old"
cp "$folder/12/libcublas.so.12" "$work/old"
says "cuBLAS 12.99.7$ends" "$work/old"
cd "$work/broken"
advice='install nvidia-cublas by pip, or name its folder in LD_LIBRARY_PATH'
says "cuBLAS does not load: ./libcublas.so.13: file too short; ./libcublas.so.12: file too short; $advice" .
says "cuBLAS lacks the function cublasCher2k_v2_64" "$folder/lacking"

# --- The run path: the folders of NVIDIA's packages for pip. The program has the run path of the wheel's plugin.
mkdir -p "$work/site/trigon_linalg/trigon" "$work/site/nvidia/cublas/lib" "$work/site/nvidia/cu13/lib"
cp "$program" "$work/site/trigon_linalg/trigon/program"
program=$work/site/trigon_linalg/trigon/program
cp "$folder/12/libcublas.so.12" "$work/site/nvidia/cublas/lib"
if ldconfig -p 2>/dev/null | grep -q 'libcublas[.]so[.]13'; then
  echo "skipped: this machine has a cuBLAS 13; the test of NVIDIA's package of cuBLAS 12 alone is left out"
else
  says "cuBLAS 12.99.7$ends" ""
  rm "$work/site/nvidia/cublas/lib/libcublas.so.12"
  says "cuBLAS does not load: libcublas.so.13: cannot open shared object file: No such file or directory; \
libcublas.so.12: cannot open shared object file: No such file or directory; $advice" ""
fi
cp "$folder/13/libcublas.so.13" "$work/site/nvidia/cu13/lib"
says "cuBLAS 13.99.7$ends" ""

# --- The plugins need libraries of the system alone: CUDA's runtime is inside.
system='libc|libm|libdl|librt|libpthread|libstdc[+][+]|libgcc_s|ld-linux[-a-z0-9_]*'
for plugin; do
  needed=$(readelf -d "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  others=$(echo "$needed" | grep -vE "^($system)[.]so") || true
  [ -z "$others" ] || fail "$plugin needs $others"
  echo "$needed" | grep -q '^libc[.]so' || fail "readelf names no C library among: $needed"
  passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
