/* openblas_memory.h - the address space that OpenBLAS takes. OpenBLAS 0.3.21 asks for a buffer until it gets one: a process
 * whose address space is limited (RLIMIT_AS, `ulimit -v`) hangs. Without such a limit nothing here does anything. */
#ifndef TRIGON_OPENBLAS_MEMORY_H
#define TRIGON_OPENBLAS_MEMORY_H

#include "../backend.h"

/* Whether the process's address space is limited. */
bool address_space_is_limited(void);

/* TRIGON_NO_MEMORY if the limit leaves no room for so many buffers of OpenBLAS, and `more` bytes. */
trigon_status openblas_room(int buffers, int64_t more, reason *why);

/* TRIGON_NO_MEMORY if `library`, a name as for dlopen, is an OpenBLAS and the limit leaves no room for what it takes when
 * it is loaded and at its first call. A file that is not found is left to the loader. */
trigon_status openblas_room_to_load(const char *library, reason *why);

#endif
