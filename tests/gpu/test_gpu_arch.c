/* test_gpu_arch.c - which kind of GPU serves a device, and which kernels the device then has (src/gpu/arch/arch.h).
 * Which tiles launchers choose (src/gpu/arch/tile_choice.h). */
#include "core/tuning/tuning.h"
#include "gpu/arch/arch.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static void expect(bool held, const char *what, const gpu_traits *t) {
  char text[200];
  snprintf(text, sizeof text, "compute capability %d, %s matrix units: %s", t->capability, t->mma ? "with" : "without",
           what);
  check(held, text);
}

/* An H200 is a Hopper. A B200 (100) and its successors have no wgmma. They have code for matrix units if the plugin was
 * built for them. Others take the nearest kind that suits them: an Orin (87) that of 8.6, a later chip (130) that of
 * 12.0. A GPU of AMD has no compute capability. A Turing (75) has no products of bytes that we have code for. */
static void test_nearest(void) {
  static const struct {
    gpu_traits device;
    const gpu_arch *kind;
    bool wgmma;
  } cases[] = {{{90, true, 2, true}, &gpu_arch_hopper, true},
               {{90, false, 2, true}, &gpu_arch_ampere, false},
               {{100, true, 2, true}, &gpu_arch_blackwell, false},
               {{103, true, 64, true}, &gpu_arch_blackwell, false},
               {{103, false, 64, true}, &gpu_arch_ada, false},
               {{120, false, 64, true}, &gpu_arch_blackwell_rtx, false},
               {{130, false, 64, true}, &gpu_arch_blackwell_rtx, false},
               {{130, true, 2, true}, &gpu_arch_blackwell, false},
               {{89, false, 64, true}, &gpu_arch_ada, false},
               {{87, false, 32, true}, &gpu_arch_ampere_rtx, false},
               {{86, false, 64, false}, &gpu_arch_ampere_rtx, false},
               {{80, false, 2, true}, &gpu_arch_ampere, false},
               {{75, false, 32, false}, &gpu_arch_portable, false},
               {{0, false, 0, false}, &gpu_arch_portable, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gpu_traits *t = &cases[i].device;
    const gpu_arch *kind = gpu_arch_find("", t);
    const gpu_features has = gpu_features_of(kind, t);
    expect(kind == cases[i].kind, kind->name, t);
    expect(has.fp64_mma == t->mma && has.early_launches == t->mma, "kernels of the device are taken", t);
    expect(has.int8_mma == t->int8_mma, "products of bytes are taken", t);
    expect(has.int8_wgmma == cases[i].wgmma, "only Hopper has wgmma", t);
    expect((gpu_float_times(kind, t) != NULL) == cases[i].wgmma, "times of floats are Hopper's", t);
    expect(t->floats_to_doubles < 32 || gpu_double_times(kind, t) == &gpu_weak_doubles, "doubles are slow", t);
    expect(t->floats_to_doubles >= 32 || (gpu_double_times(kind, t) != NULL) == cases[i].wgmma, "doubles are fast", t);
  }
}

/* A kind that is asked for by its name adds no kernel to those of the device. Kernels that the kind does not have are
 * taken away. */
static void test_names(void) {
  static const gpu_traits h200 = {90, true, 2, true}, b200 = {100, true, 2, true}, a100 = {80, false, 2, true};
  check(gpu_arch_find("portable", &h200) == &gpu_arch_portable, "a kind is found by its name");
  check(gpu_arch_find("hopper", &a100) == &gpu_arch_hopper, "on every device");
  check(gpu_arch_find("ada", &h200) == &gpu_arch_ada, "also a kind that would not serve it");
  check(!gpu_arch_find("volta", &h200) && !gpu_arch_find("avx2", &h200), "no other name is a kind");
  const gpu_features portable = gpu_features_of(&gpu_arch_portable, &h200);
  check(!portable.fp64_mma && !portable.int8_wgmma && !portable.early_launches, "portable has no kernel of Hopper's");
  check(!portable.int8_mma, "and multiplies bytes without matrix units");
  check(!gpu_float_times(&gpu_arch_portable, &h200), "nor its times");
  const gpu_features hopper = gpu_features_of(&gpu_arch_hopper, &a100);
  check(!hopper.fp64_mma && !hopper.int8_wgmma && !hopper.early_launches, "an A100 as a Hopper keeps its kernels");
  const gpu_features ada = gpu_features_of(&gpu_arch_ada, &h200);
  check(!ada.fp64_mma && !ada.int8_wgmma && ada.int8_mma, "an H200 as an Ada has products of bytes alone");
  check(gpu_features_of(&gpu_arch_blackwell, &b200).fp64_mma, "a B200 has matrix units");
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

static void expect_tile(const gpu_arch *a, tile_table table, const tile_problem *p, int rows, int cols) {
  char text[160];
  const tile_shape tile = gpu_choose_tile(a->tiles[table], p);
  snprintf(text, sizeof text, "%s, table %d, order %d, width %d, count %d, layout %u: %d x %d, not %d x %d", a->name,
           (int)table, (int)p->order, (int)p->width, (int)p->count, p->layout, tile.rows, tile.cols, rows, cols);
  check(tile.rows == rows && tile.cols == cols, text);
}

/* Examples of what Hopper's tables choose, on both sides of limits. */
static void test_trsm(void) {
  static const struct {
    tile_problem p;
    int cols;
  } cases[] = {{{16384, 8, 1, .layout = COLUMNS_APART}, 8},      {{1024, 192, 1, .layout = COLUMNS_APART}, 8},
               {{1024, 193, 1, .layout = COLUMNS_APART}, 16},    {{3072, 64, 1, .layout = COLUMNS_FORWARD}, 8},
               {{3072, 64, 1, .layout = COLUMNS_BACKWARD}, 16},  {{3072, 64, 2, .layout = COLUMNS_FORWARD}, 16},
               {{6144, 128, 1, .layout = COLUMNS_APART}, 16},    {{8192, 512, 1, .layout = COLUMNS_BACKWARD}, 32},
               {{8192, 512, 1, .layout = COLUMNS_APART}, 64},    {{8193, 512, 1, .layout = COLUMNS_FORWARD}, 64},
               {{1024, 1024, 9, .layout = COLUMNS_APART}, 32},   {{4096, 8191, 1, .layout = COLUMNS_FORWARD}, 64},
               {{4096, 8192, 1, .layout = COLUMNS_FORWARD}, 128}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_tile(&gpu_arch_hopper, TILES_TRSM, &cases[i].p, 128, cases[i].cols);
}

/* Tiles of 64 rows. */
static tile_counts count_vectors(const tile_problem *p, tile_shape tile) {
  (void)tile;
  return (tile_counts){(p->order + 63) / 64 * ((p->width + 3) / 4) * p->count, 0};
}

/* Which solves the kernel for few columns takes. */
static void test_vectors(void) {
  static const struct {
    tile_problem p;
    bool beside_mma, alone;
  } cases[] = {
      {{100000, 8, 9, .layout = COLUMNS_FORWARD}, true, true}, {{640, 32, 1, .layout = COLUMNS_FORWARD}, true, true},
      {{641, 32, 1, .layout = COLUMNS_FORWARD}, false, true},  {{641, 32, 1, .layout = COLUMNS_BACKWARD}, true, true},
      {{1025, 64, 1, .layout = COLUMNS_APART}, false, true},   {{8192, 64, 1, .layout = COLUMNS_APART}, false, true},
      {{8193, 64, 1, .layout = COLUMNS_APART}, false, false},  {{64, 65, 1, .layout = COLUMNS_APART}, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tile_problem p = cases[i].p;
    p.counts = count_vectors;
    expect_tile(&gpu_arch_hopper, TILES_TRSM_VECTORS, &p, 0, cases[i].alone ? 4 : 0);
    expect_tile(&gpu_arch_portable, TILES_TRSM_VECTORS, &p, 0, cases[i].alone ? 4 : 0);
    p.mma = true;
    expect_tile(&gpu_arch_hopper, TILES_TRSM_VECTORS, &p, 0, cases[i].beside_mma ? 4 : 0);
  }
}

/* As TRMM counts them: whole tiles. */
static tile_counts count_whole(const tile_problem *p, tile_shape tile) {
  const int64_t rows = p->order / tile.rows, slabs = p->width / tile.cols * p->count;
  return (tile_counts){rows * slabs, rows * (rows + 1) / 2 * slabs};
}

static void test_trmm(void) {
  static const struct {
    int64_t order, width;
    tile_shape tile;
  } cases[] = {{16384, 8, {64, 8}},      {16384, 9, {64, 16}},    {16384, 32, {64, 32}}, {8192, 64, {64, 64}},
               {16384, 128, {128, 128}}, {4096, 256, {128, 64}},  {2048, 256, {64, 64}}, {4096, 4096, {128, 128}},
               {1024, 2048, {128, 128}}, {1024, 1024, {128, 64}}, {256, 512, {64, 64}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tile_problem p = {.order = cases[i].order, .width = cases[i].width, .count = 1, .counts = count_whole};
    expect_tile(&gpu_arch_hopper, TILES_TRMM, &p, cases[i].tile.rows, cases[i].tile.cols);
  }
}

static void test_triangles(void) {
  static const struct {
    int64_t order;
    tile_shape trtri;
    int lauum;
  } cases[] = {{1, {64, 32}, 64},     {3071, {64, 32}, 64},   {3072, {64, 64}, 128},
               {6143, {64, 64}, 128}, {6144, {128, 64}, 128}, {60000, {128, 64}, 128}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tile_problem p = {.order = cases[i].order, .count = 1};
    expect_tile(&gpu_arch_hopper, TILES_TRTRI, &p, cases[i].trtri.rows, cases[i].trtri.cols);
    expect_tile(&gpu_arch_hopper, TILES_LAUUM, &p, cases[i].lauum, cases[i].lauum);
  }
}

int main(void) {
  test_nearest();
  test_names();
  test_list();
  test_trsm();
  test_vectors();
  test_trmm();
  test_triangles();
  return checked();
}
