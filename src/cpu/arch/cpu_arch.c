/* cpu_arch.c - the list of the kinds of CPUs. */
#include "cpu_arch.h"

#include <string.h>

/* The best first. */
static const cpu_arch *const kinds[] = {
#if defined(__x86_64__)
    &cpu_arch_avx512,
    &cpu_arch_avx2,
#elif defined(__aarch64__)
    &cpu_arch_neon,
#endif
    &cpu_arch_portable,
};

const cpu_arch *cpu_arch_find(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if ((!*name || strcmp(name, kinds[i]->name) == 0) && kinds[i]->runs_here()) return kinds[i];
  return NULL;
}
