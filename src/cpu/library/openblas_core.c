/* openblas_core.c - OpenBLAS's names for kinds of CPUs, the vector instructions of its kernels, advice to the user. */
#include "openblas_core.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const level_names[] = {
    [VECTORS_SSE] = "SSE", [VECTORS_AVX] = "AVX", [VECTORS_AVX2] = "AVX2", [VECTORS_AVX512] = "AVX-512"};

/* All kinds of x86-64 CPUs up to OpenBLAS 0.3.29, as OpenBLAS names them. A build for one kind alone has the same name
 * in capitals. */
static const struct {
  const char *core;
  vector_level level;
} cores[] = {
    {"Generic", VECTORS_SSE},
    {"Prescott", VECTORS_SSE},
    {"Core2", VECTORS_SSE},
    {"Penryn", VECTORS_SSE},
    {"Dunnington", VECTORS_SSE},
    {"Nehalem", VECTORS_SSE},
    {"Atom", VECTORS_SSE},
    {"Nano", VECTORS_SSE},
    {"Athlon", VECTORS_SSE},
    {"Opteron", VECTORS_SSE},
    {"Opteron_SSE3", VECTORS_SSE},
    {"Barcelona", VECTORS_SSE},
    {"Bobcat", VECTORS_SSE},
    {"Sandybridge", VECTORS_AVX},
    {"Bulldozer", VECTORS_AVX},
    {"Piledriver", VECTORS_AVX},
    {"Steamroller", VECTORS_AVX},
    {"Excavator", VECTORS_AVX2},
    {"Haswell", VECTORS_AVX2},
    {"Zen", VECTORS_AVX2},
    {"SkylakeX", VECTORS_AVX512},
    {"Cooperlake", VECTORS_AVX512},
    {"SapphireRapids", VECTORS_AVX512},
};

static vector_level level_of(const char *core) {
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
    if (strcasecmp(core, cores[i].core) == 0) return cores[i].level;
  return VECTORS_UNKNOWN;
}

#if defined(__x86_64__) && defined(__GNUC__)

/* The compiler's library counts only those instructions whose registers the operating system saves. SkylakeX's kernels
 * use four subsets of AVX-512. Haswell's kernels use AVX2 and fused multiply-adds. */
vector_level vectors_of_cpu(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq"))
    return VECTORS_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return VECTORS_AVX2;
  return __builtin_cpu_supports("avx") ? VECTORS_AVX : VECTORS_SSE;
}

#else

vector_level vectors_of_cpu(void) { return VECTORS_UNKNOWN; }

#endif

/* The best kind of CPU that every OpenBLAS of this version knows. AVX-512 came with OpenBLAS 0.3.0. The version number
 * came to the front of the configuration a little earlier. */
static const char *best_core(const char *config, vector_level cpu) {
  int major = 0, minor = 0;
  const bool numbered = sscanf(config, "OpenBLAS %d.%d", &major, &minor) == 2;
  if (cpu == VECTORS_AVX) return "Sandybridge";
  return cpu == VECTORS_AVX512 && numbered && (major > 0 || minor >= 3) ? "SkylakeX" : "Haswell";
}

/* How to get kernels of the best core from this OpenBLAS. */
static void get_better(const char *config, const char *best, char *text, size_t size) {
  if (strstr(config, "DYNAMIC_ARCH"))
    snprintf(text, size, "set OPENBLAS_CORETYPE=%s before the program starts", best);
  else
    snprintf(text, size, "use a build with DYNAMIC_ARCH, this one has no other kernels");
}

void openblas_advice(const char *core, const char *config, vector_level cpu, bool replaced, char *text, size_t size) {
  const vector_level used = level_of(core);
  const char *best = best_core(config, cpu);
  const bool has_better = used < level_of(best);
  char better[80] = "";
  *text = '\0';
  if (used == VECTORS_UNKNOWN || cpu <= used || !(has_better || replaced)) return;
  if (has_better) get_better(config, best, better, sizeof better);
  snprintf(text, size, "OpenBLAS uses its kernels for %s (%s), but this CPU has %s: %s%s%s", core, level_names[used],
           level_names[cpu], replaced ? "Trigon computes with kernels of its own" : "",
           replaced && has_better ? "; for OpenBLAS, " : "", better);
}
