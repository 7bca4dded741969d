/* openblas_core.h - whether OpenBLAS uses what the CPU has. OpenBLAS finds out the CPU when it is loaded; a CPU that is
 * newer than the library gets kernels of an old one. */
#ifndef TRIGON_OPENBLAS_CORE_H
#define TRIGON_OPENBLAS_CORE_H

#include <stddef.h>

/* Vector instructions, each with those before it. */
typedef enum vector_level { VECTORS_UNKNOWN, VECTORS_SSE, VECTORS_AVX, VECTORS_AVX2, VECTORS_AVX512 } vector_level;

/* Those of this machine's CPU; VECTORS_UNKNOWN where it is not an x86-64. */
vector_level vectors_of_cpu(void);

/* Writes one sentence on how to get faster kernels on such a CPU, or "" if none are known. `core` and `config` are what
 * openblas_get_corename and openblas_get_config answer. */
void openblas_advice(const char *core, const char *config, vector_level cpu, char *text, size_t size);

#endif
