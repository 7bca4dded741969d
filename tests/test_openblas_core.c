/* test_openblas_core.c - the advice if OpenBLAS uses kernels of an older CPU.
 *
 * OpenBLAS's name for the CPU tells which kernels it uses. */
#include <string.h>

#include "check.h"
#include "cpu/openblas_core.h"

static const char debian[] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY USE_OPENMP Prescott MAX_THREADS=64";

/* The advice must contain these words. If `words` is empty, there must be no advice. */
static void expect(const char *core, const char *config, vector_level cpu, const char *words) {
  char text[256] = "not written", what[400];
  openblas_advice(core, config, cpu, text, sizeof text);
  snprintf(what, sizeof what, "%s on level %d: \"%s\" expected in \"%s\"", core, (int)cpu, words, text);
  check(*words ? strstr(text, words) != NULL : !*text, what);
}

static void test_levels(void) {
  static const char *const sse[] = {"Prescott", "Core2", "Nehalem", "Opteron", "Barcelona", "generic", "PRESCOTT"};
  static const char *const avx[] = {"Sandybridge", "Bulldozer", "Piledriver", "SANDYBRIDGE"};
  static const char *const avx2[] = {"Haswell", "Zen", "Excavator", "ZEN"};
  static const char *const avx512[] = {"SkylakeX", "Cooperlake", "SapphireRapids", "Sapphirerapids"};
  static const struct {
    const char *const *cores;
    int count;
    vector_level level;
    const char *name;
  } groups[] = {{sse, 7, VECTORS_SSE, "(SSE)"},
                {avx, 4, VECTORS_AVX, "(AVX)"},
                {avx2, 4, VECTORS_AVX2, "(AVX2)"},
                {avx512, 4, VECTORS_AVX512, ""}};
  static const char *const values[] = {[VECTORS_AVX] = "has AVX: set OPENBLAS_CORETYPE=Sandybridge before",
                                       [VECTORS_AVX2] = "has AVX2: set OPENBLAS_CORETYPE=Haswell before",
                                       [VECTORS_AVX512] = "has AVX-512: set OPENBLAS_CORETYPE=SkylakeX before"};
  for (int g = 0; g < 4; g++)
    for (int i = 0; i < groups[g].count; i++)
      for (vector_level cpu = VECTORS_UNKNOWN; cpu <= VECTORS_AVX512; cpu++) {
        const bool less = cpu > groups[g].level;
        expect(groups[g].cores[i], debian, cpu, less ? values[cpu] : "");
        if (less) expect(groups[g].cores[i], debian, cpu, groups[g].cores[i]);
        if (less) expect(groups[g].cores[i], debian, cpu, groups[g].name);
      }
}

static void test_others(void) {
  static const char *const unknown[] = {"Unknown", "", "ARMV8", "NEOVERSEN1", "POWER9", "Zen5"};
  for (int i = 0; i < 6; i++) expect(unknown[i], debian, VECTORS_AVX512, "");
  expect("Prescott", "OpenBLAS 0.2.20 DYNAMIC_ARCH", VECTORS_AVX512, "OPENBLAS_CORETYPE=Haswell");
  expect("Prescott", "DYNAMIC_ARCH NO_AFFINITY", VECTORS_AVX512, "OPENBLAS_CORETYPE=Haswell");
  expect("Haswell", "OpenBLAS 0.2.20 DYNAMIC_ARCH", VECTORS_AVX512, "");
  expect("Haswell", "OpenBLAS 1.0.0 DYNAMIC_ARCH", VECTORS_AVX512, "OPENBLAS_CORETYPE=SkylakeX");
  expect("NEHALEM", "OpenBLAS 0.3.21 NEHALEM", VECTORS_AVX2, "a build with DYNAMIC_ARCH");
  char cut[20];
  openblas_advice("Prescott", debian, VECTORS_AVX2, cut, sizeof cut);
  check(strlen(cut) == sizeof cut - 1, "a text that is too long is cut");
}

int main(void) {
  test_levels();
  test_others();
  return checked();
}
