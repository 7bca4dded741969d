/* test_bench_floor.c - what a benchmark calls the floor: the bytes of each routine, the rate of a copy, the larger of
 * two times. Which diagonal tiles have an inverse that dataflow leaves may use. */
#include "bench/measure/floor.h"
#include "bench/measure/tile_inverses.h"
#include "bench_expect.h"
#include "matrix/dense.h"
#include "matrix/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static problem make(const char *name, trigon_type type, const char *variant, int64_t m, int64_t n, int64_t k) {
  problem p = {.routine = routine_find(name, strlen(name)), .type = type, .size = {m, n, k}};
  if (!p.routine || !problem_set_variant(&p, variant)) exit(1);
  return p;
}

/* ------------------------------------------------------------------------------------------------------ bytes -- */

static void check_bytes(const char *name, trigon_type type, const char *variant, double expected) {
  problem p = make(name, type, variant, 4, 3, 5);
  if (!routine_has(p.routine, 'm')) p.size[N] = 4;
  expect(problem_bytes(&p) == expected, name, problem_bytes(&p));
}

/* A triangle or half of order 4 has 10 elements, and 6 without its diagonal. */
static void check_all_bytes(void) {
  check_bytes("trsm", TRIGON_D, "LLNN", 8 * (10 + 2 * 4 * 3));
  check_bytes("trsm", TRIGON_D, "RUTU", 8 * (6 + 2 * 4 * 3));
  check_bytes("trmm", TRIGON_S, "LLNN", 4 * (10 + 2 * 4 * 3));
  check_bytes("gemm", TRIGON_Z, "TC", 16 * (4 * 5 + 5 * 3 + 2 * 4 * 3));
  check_bytes("syrk", TRIGON_D, "LN", 8 * (4 * 5 + 2 * 10));
  check_bytes("her2k", TRIGON_C, "UC", 8 * (2 * 4 * 5 + 2 * 10));
  check_bytes("symm", TRIGON_D, "RL", 8 * (10 + 3 * 4 * 3));
  check_bytes("potrf", TRIGON_D, "U", 8 * 2 * 10);
  check_bytes("potrs", TRIGON_D, "L", 8 * (10 + 2 * 4 * 3));
  check_bytes("posv", TRIGON_D, "L", 8 * (2 * 10 + 2 * 4 * 3));
  check_bytes("trtri", TRIGON_D, "LN", 8 * 2 * 10);
  check_bytes("trtri", TRIGON_D, "LU", 8 * 2 * 6);
  check_bytes("lauum", TRIGON_D, "L", 8 * 2 * 10);
}

/* ------------------------------------------------------------------------------------------------------ rates -- */

static void check_floor(void) {
  const problem p = make("trsm", TRIGON_D, "LLNN", 1000, 100, 0);
  const double bytes = problem_bytes(&p); /* 1e8 flops take 1 ms at 100 Gflop/s */
  time_floor f = floor_of(&p, 100, &(copy_rate){bytes / 0.5e-3, 0});
  expect(fabs(f.seconds - 1e-3) < 1e-9 && !f.by_bytes, "flops that take longer are the floor", f.seconds);
  f = floor_of(&p, 100, &(copy_rate){bytes / 2e-3, 0});
  expect(fabs(f.seconds - 2e-3) < 1e-9 && f.by_bytes, "bytes that take longer are the floor", f.seconds);
  f = floor_of(&p, 100, &(copy_rate){0, 0});
  expect(fabs(f.seconds - 1e-3) < 1e-9 && !f.by_bytes, "without a copy the flops are the floor", f.seconds);
}

/* 2·1000³ flops with 14 moduli at 1417e12 a second, and four matrices of 8 MB at 4.2e12 bytes a second. */
static void check_int8_floor(void) {
  const problem p = make("gemm", TRIGON_D, "NN", 1000, 1000, 1000);
  const double floor = int8_floor_of(&p, 14, "NVIDIA H200, 132 multiprocessors");
  expect(fabs(floor - (28e9 / 1417e12 + 32e6 / 4.2e12)) < 1e-12, "the floor of an emulated product", floor);
  expect(int8_floor_of(&p, 14, "simulated GPU") == 0, "the rates of other devices are not known", 0);
}

static void check_copies(trigon_context *ctx) {
  char why[256] = "";
  const verdict to = {why, sizeof why};
  copy_rate rate = {0, 0};
  for (double bytes = 1; bytes < 0x1p26; bytes *= 64) {
    rate = (copy_rate){1, 0};
    expect(copy_rate_measure(ctx, bytes, &rate, &to), why, bytes);
    expect(rate.bytes_per_second > 1e5 && rate.bytes_per_second < 1e14, "a rate of copies", rate.bytes_per_second);
    expect(rate.launch == 0, "the host has no launch", rate.launch);
  }
}

/* On a device the rate is measured once. */
static void check_device(trigon_context *ctx) {
  char why[256] = "";
  const verdict to = {why, sizeof why};
  copy_rate rate = {0, 0};
  expect(copy_rate_measure(ctx, 1, &rate, &to), why, 0);
  expect(rate.bytes_per_second > 0 && rate.launch > 0, "a device has a rate and a launch", rate.launch);
  const copy_rate first = rate;
  expect(copy_rate_measure(ctx, 1e6, &rate, &to) && rate.bytes_per_second == first.bytes_per_second,
         "a rate that is there stays", rate.bytes_per_second);
}

/* ---------------------------------------------------------------------------------------------------- inverses -- */

static tile_inverses count(const char *name, trigon_type type, const char *variant, const trigon_matrix *A) {
  const problem p = make(name, type, variant, A->rows, 1, 0);
  return count_tile_inverses(&p, A);
}

static void check_kinds(trigon_type type) {
  enum { LARGE = 150 };
  trigon_matrix A;
  if (!dense_alloc(type, LARGE, LARGE, &A)) exit(1);
  for (int hard = 0; hard < 2; hard++) {
    if (hard)
      random_fill_hard(&A, 7);
    else
      random_fill_dominant(&A, 7, 0);
    for (int v = 0; v < 16; v++) {
      const char variant[] = {"LR"[v & 1], "LU"[v >> 1 & 1], "NT"[v >> 2 & 1], "NU"[v >> 3 & 1], 0};
      const tile_inverses found = count("trsm", type, variant, &A);
      expect(found.tiles == 3 && found.refused == (hard ? 3 : 0), variant, found.refused);
    }
    expect(count("potrs", type, "U", &A).tiles == 6, "potrs solves twice", 0);
    expect(count("trtri", type, "LU", &A).refused == (hard ? 3 : 0), "trtri", hard);
    expect(count("trmm", type, "LLNN", &A).tiles == 0, "trmm solves nothing", 0);
  }
  free(A.data);
}

/* L = I + e·aᵀ or I + a·eᵀ with ones in a: the first has large sums of rows, and its transpose has not. */
static void check_orientation(void) {
  trigon_matrix A;
  if (!dense_alloc(TRIGON_D, COUNTED_TILE, COUNTED_TILE, &A)) exit(1);
  memset(A.data, 0, sizeof(double) * COUNTED_TILE * COUNTED_TILE);
  double *at = A.data;
  for (int i = 0; i < COUNTED_TILE; i++) at[i + i * COUNTED_TILE] = at[i] = 1; /* the first column: sums of 2 */
  expect(count("trsm", TRIGON_D, "LLNN", &A).refused == 0, "small sums of rows", 0);
  expect(count("trsm", TRIGON_D, "LLTN", &A).refused == 1, "transposed: large sums of rows", 0);
  expect(count("trsm", TRIGON_D, "RLNN", &A).refused == 1, "from the right: transposed", 0);
  expect(count("trsm", TRIGON_D, "RLTN", &A).refused == 0, "from the right and transposed", 0);
  expect(count("potrs", TRIGON_D, "L", &A).refused == 1, "potrs: one of two", 0);
  expect(count("trtri", TRIGON_D, "LN", &A).refused == 1, "trtri solves from the right", 0);
  at[0] = 0;
  expect(count("trsm", TRIGON_D, "LLNN", &A).refused == 1, "a zero on the diagonal", 0);
  expect(count("trsm", TRIGON_D, "LLNU", &A).refused == 0, "the diagonal of a unit triangle is not read", 0);
  at[0] = 1, at[9] = NAN;
  expect(count("trsm", TRIGON_D, "LLNN", &A).refused == 1, "a NaN refuses", 0);
  free(A.data);
}

int main(int argc, char **argv) {
  trigon_context *ctx;
  char why[256];
  if (trigon_create("cpu", &ctx, why, sizeof why) != TRIGON_OK) return puts(why), 1;
  check_all_bytes();
  check_floor();
  check_int8_floor();
  check_copies(ctx);
  for (const char *type = "sdcz"; *type; type++) check_kinds((trigon_type)*type);
  check_orientation();
  trigon_destroy(ctx);
  if (argc > 1) {
    if (trigon_create(argv[1], &ctx, why, sizeof why) != TRIGON_OK) return puts(why), 1;
    check_device(ctx);
    trigon_destroy(ctx);
  }
  return expected();
}
