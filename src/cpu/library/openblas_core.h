/* openblas_core.h - whether OpenBLAS uses the vector instructions of this CPU.
 *
 * OpenBLAS detects the CPU when it is loaded. If the CPU is newer than the library, OpenBLAS uses kernels for an old
 * CPU. */
#ifndef TRIGON_OPENBLAS_CORE_H
#define TRIGON_OPENBLAS_CORE_H

#include <stdbool.h>
#include <stddef.h>

/* Vector instructions. Each level includes the levels before. */
typedef enum vector_level { VECTORS_UNKNOWN, VECTORS_SSE, VECTORS_AVX, VECTORS_AVX2, VECTORS_AVX512 } vector_level;

/* The level of this machine's CPU; VECTORS_UNKNOWN if the CPU is not an x86-64. */
vector_level vectors_of_cpu(void);

/* Writes one sentence on how to get faster kernels on a CPU of this level, or "" if there is no advice. `core` and
 * `config` are the results of openblas_get_corename and openblas_get_config. `replaced`: our own kernels compute, and
 * the sentence says so. */
void openblas_advice(const char *core, const char *config, vector_level cpu, bool replaced, char *text, size_t size);

#endif
