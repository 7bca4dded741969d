#!/bin/sh
# test_nvidia_driver.sh - the message if the driver for NVIDIA GPUs is missing or too old.
# libcuda.so.1 in FOLDER replaces a driver that is too old. Usage: test_nvidia_driver.sh LOAD_LIBRARY LIBTRIGON FOLDER
set -eu
program=$1 library=$2 folder=$3
says() {
  output=$("$program" "$library" / cuda:0) || { echo "FAILED: $output"; exit 1; }
  case $output in *"$1"*) ;; *) echo "FAILED: \"$1\" expected in: $output"; exit 1 ;; esac
}
unset TRIGON_BACKEND_PATH
if "$program" libcuda.so.1 / none 2>&1 | grep -q "cannot load"; then
  says "there is no device cuda:0: no NVIDIA driver was found"
else
  echo "skipped: this machine has an NVIDIA driver; the test without a driver is left out"
fi
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export DRIVER_VERSION=11040
says "there is no device cuda:0: the NVIDIA driver is too old, it serves CUDA 11.4, and CUDA 1"
says ".0 is needed"
echo "passed"
