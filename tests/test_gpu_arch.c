/* test_gpu_arch.c - which kind of GPU serves a device, and which kernels the device then has (src/gpu/arch/arch.h). */
#include "check.h"
#include "core/tuning.h"
#include "gpu/arch/arch.h"

#include <stdio.h>
#include <string.h>

static void expect(bool held, const char *what, const gpu_traits *t) {
  char text[200];
  snprintf(text, sizeof text, "compute capability %d, %s matrix units: %s", t->capability, t->mma ? "with" : "without",
           what);
  check(held, text);
}

/* An H200 is a Hopper. A B200 (100) and its successors have no wgmma. They have code for matrix units if the plugin was
 * built for them. A GPU of AMD has no compute capability. */
static void test_nearest(void) {
  static const struct {
    gpu_traits device;
    const gpu_arch *kind;
    bool wgmma;
  } cases[] = {{{90, true, 2}, &gpu_arch_hopper, true},       {{90, false, 2}, &gpu_arch_portable, false},
               {{100, true, 2}, &gpu_arch_hopper, false},     {{103, true, 64}, &gpu_arch_hopper, false},
               {{120, false, 64}, &gpu_arch_portable, false}, {{89, false, 64}, &gpu_arch_portable, false},
               {{80, false, 2}, &gpu_arch_portable, false},   {{0, false, 0}, &gpu_arch_portable, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gpu_traits *t = &cases[i].device;
    const gpu_arch *kind = gpu_arch_find("", t);
    const gpu_features has = gpu_features_of(kind, t);
    expect(kind == cases[i].kind, kind->name, t);
    expect(has.fp64_mma == t->mma && has.early_launches == t->mma, "kernels of the device are taken", t);
    expect(has.int8_wgmma == cases[i].wgmma, "only Hopper has wgmma", t);
    expect((gpu_float_times(kind, t) != NULL) == cases[i].wgmma, "times of floats are Hopper's", t);
    expect(t->floats_to_doubles < 32 || gpu_double_times(kind, t) == &gpu_weak_doubles, "doubles are slow", t);
    expect(t->floats_to_doubles >= 32 || (gpu_double_times(kind, t) != NULL) == cases[i].wgmma, "doubles are fast", t);
  }
}

/* A kind that is asked for by its name adds no kernel to those of the device. Kernels that the kind does not have are
 * taken away. */
static void test_names(void) {
  static const gpu_traits h200 = {90, true, 2}, b200 = {100, true, 2}, a100 = {80, false, 2};
  check(gpu_arch_find("portable", &h200) == &gpu_arch_portable, "a kind is found by its name");
  check(gpu_arch_find("hopper", &a100) == &gpu_arch_hopper, "on every device");
  check(!gpu_arch_find("volta", &h200) && !gpu_arch_find("avx2", &h200), "no other name is a kind");
  const gpu_features portable = gpu_features_of(&gpu_arch_portable, &h200);
  check(!portable.fp64_mma && !portable.int8_wgmma && !portable.early_launches, "portable has no kernel of Hopper's");
  check(!gpu_float_times(&gpu_arch_portable, &h200), "nor its times");
  const gpu_features hopper = gpu_features_of(&gpu_arch_hopper, &a100);
  check(!hopper.fp64_mma && !hopper.int8_wgmma && !hopper.early_launches, "an A100 as a Hopper keeps its kernels");
  check(gpu_features_of(&gpu_arch_hopper, &b200).fp64_mma, "a B200 has matrix units");
}

static void test_list(void) {
  int last = 1000;
  for (const gpu_arch *const *a = gpu_archs; *a; a++) {
    tuning t;
    reason why = {0};
    tuning_clear(&t);
    check(tuning_read((*a)->rows, &t, &why) == TRIGON_OK, (*a)->name);
    check(strlen((*a)->name) < 16, "an option holds the name");
    check((*a)->capability <= last, "the highest compute capability comes first");
    last = (*a)->capability;
  }
  check(last == 0, "the last kind serves every GPU");
}

int main(void) {
  test_nearest();
  test_names();
  test_list();
  return checked();
}
