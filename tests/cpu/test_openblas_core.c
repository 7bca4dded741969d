/* test_openblas_core.c - the advice if OpenBLAS uses kernels of an older CPU, and whose kernels compute then.
 *
 * OpenBLAS's name for the CPU tells which kernels it uses. */
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/library/openblas_core.h"
#include "support/check.h"

static const char debian[] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY USE_OPENMP Prescott MAX_THREADS=64";

/* The advice must contain these words. If `words` is empty, there must be no advice. */
static void expect(const char *core, const char *config, vector_level level, const char *words) {
  char text[256] = "not written", what[400];
  openblas_advice(core, config, level, false, text, sizeof text);
  snprintf(what, sizeof what, "%s on level %d: \"%s\" expected in \"%s\"", core, (int)level, words, text);
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
      for (vector_level on = VECTORS_UNKNOWN; on <= VECTORS_AVX512; on++) {
        const bool less = on > groups[g].level;
        expect(groups[g].cores[i], debian, on, less ? values[on] : "");
        if (less) expect(groups[g].cores[i], debian, on, groups[g].cores[i]);
        if (less) expect(groups[g].cores[i], debian, on, groups[g].name);
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
  openblas_advice("Prescott", debian, VECTORS_AVX2, false, cut, sizeof cut);
  check(strlen(cut) == sizeof cut - 1, "a text that is too long is cut");
}

/* The advice if our own kernels compute. */
static void test_replaced(void) {
  static const struct {
    const char *core, *config;
    vector_level cpu;
    const char *text;
  } cases[] = {
      {"Prescott", debian, VECTORS_AVX2,
       "OpenBLAS uses its kernels for Prescott (SSE), but this CPU has AVX2: Trigon computes with kernels of its own; "
       "for OpenBLAS, set OPENBLAS_CORETYPE=Haswell before the program starts"},
      {"NEHALEM", "OpenBLAS 0.3.21 NEHALEM", VECTORS_AVX2,
       "OpenBLAS uses its kernels for NEHALEM (SSE), but this CPU has AVX2: Trigon computes with kernels of its own; "
       "for OpenBLAS, use a build with DYNAMIC_ARCH, this one has no other kernels"},
      {"Haswell", "OpenBLAS 0.2.20 DYNAMIC_ARCH", VECTORS_AVX512,
       "OpenBLAS uses its kernels for Haswell (AVX2), but this CPU has AVX-512: Trigon computes with kernels of its "
       "own"},
      {"Haswell", debian, VECTORS_AVX2, ""},
      {"ARMV8", debian, VECTORS_UNKNOWN, ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256] = "not written", what[600];
    openblas_advice(cases[i].core, cases[i].config, cases[i].cpu, true, text, sizeof text);
    snprintf(what, sizeof what, "\"%s\" expected, not \"%s\"", cases[i].text, text);
    check(strcmp(text, cases[i].text) == 0, what);
  }
}

/* Whether all leaves of all routines are packed ones, or the BLAS's. INVERT and LAUUM may have other leaves than packed
 * ones, but not the BLAS's. */
static void expect_leaves(bool named, engine_options options, bool own, const char *what) {
  static cpu c;
  static char any_library;
  c = (cpu){.arch = &cpu_arch_portable, .options = options};
  if (named) c.lib = (blas){.library = (loaded_library *)&any_library, .lapack = true, .int_max = INT32_MAX};
  bool held = cpu_tuning(&c) == TRIGON_OK && cpu_is_packed(&c) == own;
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++)
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++) {
          const variant leaf = c.tuning.range[r][type][s][i].leaf;
          held &= own ? leaf != VARIANT_VENDOR : leaf == VARIANT_VENDOR;
          held &= !own || r > ROUTINE_POTRF || leaf == VARIANT_PACKED;
        }
  check(held, what);
}

static void test_tuning(void) {
  const engine_options none = {0}, forced = {.forced = true, .leaf = VARIANT_PACKED}, native = {.native = true};
  expect_leaves(false, none, true, "without a BLAS our own kernels compute everything");
  expect_leaves(false, (engine_options){.stop = 24}, true, "stop= changes nothing about that");
  expect_leaves(true, none, false, "a BLAS that is named computes");
  expect_leaves(true, forced, true, "leaf=packed takes our own kernels in its place");
  expect_leaves(true, native, false, "native=1 keeps the BLAS's kernels");
}

int main(void) {
  test_levels();
  test_others();
  test_replaced();
  test_tuning();
  return checked();
}
