/* openblas_memory.h - the address space that OpenBLAS takes. OpenBLAS 0.3.21 asks for a buffer until it gets one: a process
 * whose address space is limited (RLIMIT_AS, `ulimit -v`) hangs. Without such a limit nothing here does anything. */
#ifndef TRIGON_OPENBLAS_MEMORY_H
#define TRIGON_OPENBLAS_MEMORY_H

#include "../core/error.h"

/* Whether the process's address space is limited. */
bool address_space_is_limited(void);

/* TRIGON_NO_MEMORY if the limit leaves no room for so many buffers of OpenBLAS, and `more` bytes. */
trigon_status openblas_room(int buffers, int64_t more, reason *why);

/* TRIGON_NO_MEMORY if the limit leaves no room for what an OpenBLAS takes when it is loaded by name and at its first call. To
 * be asked before any library is loaded: only the loader knows what a name stands for (a libblas.so.3 may need a
 * libopenblas.so.0), and it runs OpenBLAS before it returns. */
trigon_status openblas_room_to_load(reason *why);

#endif
