/* cpu_arch.h - what Trigon knows of kinds of CPUs: their register kernels, and their rows of the tuning table.
 *
 * A kind is a file of this folder. Nothing else asks which processor this is. */
#ifndef TRIGON_CPU_ARCH_H
#define TRIGON_CPU_ARCH_H

#include <stdbool.h>

#include "core/type.h"
#include "cpu/eigen/small/small_solver.h"
#include "cpu/kernels/packed/packed.h"

/* Rows of a tuning table (core/tuning/tuning.h), and how trigon_describe names the machines that they were made for. */
typedef struct cpu_rows {
  const char *made_for, *text;
} cpu_rows;

typedef struct cpu_arch {
  const char *name; /* for the option arch= */
  bool (*runs_here)(void);
  const kernels *const *kernels; /* register kernels by the index of the type */
  const small_solvers *eigen;
  /* Rows that were measured on such CPUs, read after cpu_rows_packed. NULL: its kernels were never measured. Then an
   * installed BLAS takes large calls. */
  const cpu_rows *rows;
} cpu_arch;

/* Register kernels everywhere. */
extern const cpu_rows cpu_rows_packed;
/* For a BLAS that was loaded by name: its own routines. */
extern const cpu_rows cpu_rows_any_blas;
/* For an installed BLAS on a processor whose kernels were never measured: small calls need no BLAS. */
extern const cpu_rows cpu_rows_found_blas;

#if defined(__x86_64__)
extern const cpu_arch cpu_arch_avx512, cpu_arch_avx2;
#elif defined(__aarch64__)
extern const cpu_arch cpu_arch_neon;
#endif
extern const cpu_arch cpu_arch_portable;

/* The kind with this name, or the best one that runs here if the name is "". NULL: it does not run here. */
const cpu_arch *cpu_arch_find(const char *name);

#endif
