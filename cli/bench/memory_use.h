/* memory_use.h - how much memory there is, and how much a piece of work takes (Linux). */
#ifndef TRIGON_CLI_BENCH_MEMORY_USE_H
#define TRIGON_CLI_BENCH_MEMORY_USE_H

#include <stdint.h>

/* Bytes that can still be taken without swapping; a guess where the system does not say. */
double memory_available(void);

/* A moment from which on the peak of resident memory is watched; resident < 0 where that cannot be done. */
typedef struct memory_mark {
  int64_t resident;
} memory_mark;

/* Starts watching. Free memory that the allocator holds back is given up first, so that what follows cannot take it
 * unseen. */
memory_mark memory_mark_now(void);

/* Bytes by which the resident memory has at most grown since, or -1. */
int64_t memory_peak_since(memory_mark begin);

#endif
