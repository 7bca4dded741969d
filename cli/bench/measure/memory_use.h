/* memory_use.h - how much memory is free, and how much a piece of work takes (Linux). */
#ifndef TRIGON_CLI_BENCH_MEMORY_USE_H
#define TRIGON_CLI_BENCH_MEMORY_USE_H

#include <stdint.h>

/* Bytes that can be allocated without swapping; half of the memory if the system does not say. */
double memory_available(void);

/* The resident memory at the moment from which its peak is watched, or -1 if the peak cannot be watched. */
typedef struct memory_mark {
  int64_t resident;
} memory_mark;

/* Starts to watch. Free memory that the allocator keeps is returned to the system first, because its use would not
 * show. */
memory_mark memory_mark_now(void);

/* Bytes by which the resident memory has grown at its peak since `begin`, or -1. */
int64_t memory_peak_since(memory_mark begin);

#endif
