# A toolchain for building on another processor (Debian: gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu, qemu-user):
#   cmake --preset release --toolchain cmake/aarch64.cmake -B build/aarch64 -DCMAKE_SYSROOT=FOLDER
# FOLDER is the root of an AArch64 system with a C library and zlib. ctest runs the programs in QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})
