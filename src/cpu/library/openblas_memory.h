/* openblas_memory.h - whether the address space of the process has room for OpenBLAS's buffers.
 *
 * OpenBLAS 0.3.21 asks for a buffer until it gets one: a process whose address space is limited (RLIMIT_AS, `ulimit
 * -v`) hangs if it has no room. Without a limit the functions here do nothing. */
#ifndef TRIGON_OPENBLAS_MEMORY_H
#define TRIGON_OPENBLAS_MEMORY_H

#include "core/error.h"

/* Whether the process's address space is limited. */
bool address_space_is_limited(void);

/* TRIGON_NO_MEMORY if the limit leaves no room for this number of OpenBLAS's buffers and `more` bytes. */
trigon_status openblas_room(int buffers, int64_t more, reason *why);

/* TRIGON_NO_MEMORY if the limit leaves no room for an OpenBLAS: its code, and its buffers at loading and at the first
 * call. To be called before any library is loaded by name. Only the loader knows whether a library brings OpenBLAS
 * (libblas.so.3 may need libopenblas.so.0), and OpenBLAS takes buffers before the loader returns. */
trigon_status openblas_room_to_load(reason *why);

#endif
