/* test_blocking.c - blocks of a product fit their buffers and are whole panels, whatever caches a machine reports; the
 * largest orders fit the buffers of a context and of a member of a batch; and a product of several blocks in each
 * direction is right. */
#include "cpu/kernels/packed/blocks/buffers.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/arch/cpu_arch.h"
#include "support/check.h"

static void check_blocks(const caches *c, int rows, int cols, trigon_type type) {
  const kernels k = {.rows = rows, .cols = cols};
  const blocking b = blocking_for(c, &k, type);
  const int64_t row_bytes = b.depth * type_size(type);
  check(b.rows >= rows && b.rows % rows == 0, "a block of X is whole row panels");
  check(b.cols >= cols && b.cols % cols == 0, "a block of Y is whole column panels");
  check(b.depth >= 100, "C is not read and written for a handful of inner indices");
  check(b.rows * row_bytes <= row_block_bytes(c), "a block of X fits its buffer");
  check(b.cols * row_bytes <= column_block_bytes(c), "a block of Y fits its buffer");
}

static void test_caches(void) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  const caches here = caches_here(), small = {16 << 10, 256 << 10, 9 << 20}, large = {128 << 10, 2 << 20, 12 << 20};
  check(here.first >= small.first && here.first <= large.first, "the first-level cache is between the limits");
  check(here.second >= small.second && here.second <= large.second, "the second-level cache is between the limits");
  check(here.third >= small.third && here.third <= large.third, "the third-level cache is between the limits");
  for (int t = 0; t < 4; t++)
    for (int rows = 2; rows <= 8; rows *= 2)
      for (int cols = 4; cols <= 48; cols += 4) {
        check_blocks(&here, rows, cols, types[t]);
        check_blocks(&small, rows, cols, types[t]);
        check_blocks(&large, rows, cols, types[t]);
      }
}

/* What POTRF packs: the column panels of R, and L. */
static int64_t potrf_bytes(const kernels *k, int64_t n, int64_t element) {
  const int64_t whole = up_to_multiple(n, k->rows), panels = parts_of(whole, k->cols);
  const int64_t rows = potrf_rows_before(whole - panels * k->cols, k->cols, panels);
  return (rows * k->cols + whole * (whole + k->rows) / 2) * element;
}

static int64_t triangle_bytes(const kernels *k, int64_t n, int64_t element) {
  const int64_t whole = up_to_multiple(n, k->rows);
  return whole * (whole + k->rows) / 2 * element;
}

/* POTRF of a member may take both buffers, because one lies behind the other, and there is one thread. */
static void check_orders(const packed *p, trigon_type type, bool is_member) {
  enum { widest_row = 128 };
  const kernels *k = p->of[type_index(type)];
  const packed_orders most = packed_orders_of(type, is_member);
  const int64_t element = type_size(type), column = k->cols * element;
  const int64_t for_potrf = p->column_bytes + (is_member ? p->row_bytes : 0);
  check(potrf_bytes(k, most.potrf, element) <= for_potrf, "what POTRF packs fits");
  check(triangle_bytes(k, most.triangle, element) <= p->column_bytes, "a triangle of TRSM fits");
  check(triangle_bytes(k, most.panels, element) <= p->column_bytes, "a triangle that is inverted fits");
  check(most.few_columns * widest_row <= p->column_bytes, "a panel of few columns fits");
  check(up_to_multiple(most.triangle, k->rows) * column <= p->row_bytes, "a thread's panel of TRSM fits");
  check((most.panels + k->rows + k->cols) * column <= p->row_bytes, "a thread's panel of an inverse fits");
  check(p->blocks[type_index(type)].rows * p->blocks[type_index(type)].depth * element <= p->row_bytes,
        "a block of X fits");
  check(p->blocks[type_index(type)].cols * p->blocks[type_index(type)].depth * element <= p->column_bytes,
        "a block of Y fits");
  check(p->blocks[type_index(type)].depth * column <= p->row_bytes, "a thread's panel of Y fits");
}

/* For the kernels that run here. */
static void test_orders(void) {
  static const char *const names[] = {"portable", "avx2", "avx512", "neon"};
  reason why;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const cpu_arch *arch = cpu_arch_find(names[i]);
    packed *p, *member;
    if (!arch) continue;
    if (packed_create(arch->kernels, 1, &p, &why) != TRIGON_OK) abort();
    if (packed_create_member(arch->kernels, &member, &why) != TRIGON_OK) abort();
    check(member->row_bytes + member->column_bytes == packed_member_bytes, "a member's buffers are what is lent");
    check(p->column_bytes >= packed_member_bytes, "a context can lend a member a part of its buffers");
    for (int type = 0; type < TYPES; type++) {
      check_orders(p, types_in_order[type], false);
      check_orders(member, types_in_order[type], true);
    }
    packed_destroy(p), packed_destroy(member);
  }
}

static void test_even_parts(void) {
  check(even_part(96, 96, 8) == 96 && even_part(0, 96, 8) == 96, "what fits is one part");
  for (int64_t n = 97; n < 1000; n++) {
    const int64_t part = even_part(n, 96, 8), parts = (n + part - 1) / part;
    check(part <= 96 && part % 8 == 0, "a part is whole panels, and not too large");
    check(parts <= (n + 95) / 96, "no more parts than needed");
    check(n - (parts - 1) * part > 0, "the last part is not empty");
  }
}

/* More rows than a block of X or of Y has, and more inner indices than any block, in both orders of C. C has more rows
 * and columns than test_few_rows.c has. */
static void test_large_product(int64_t m, int64_t n) {
  enum { k = 800 };
  trigon_context *ctx = NULL;
  double *A = malloc((size_t)(m * k) * sizeof *A), *B = malloc((size_t)(k * n) * sizeof *B);
  double *C = malloc((size_t)(m * n) * sizeof *C), worst = 0;
  if (!A || !B || !C || trigon_create("cpu?leaf=packed", &ctx, NULL, 0) != TRIGON_OK) abort();
  /* Integers, so that every sum is exact. */
  for (int64_t i = 0; i < m * k; i++) A[i] = (double)(i * 7 % 11 - 5);
  for (int64_t i = 0; i < k * n; i++) B[i] = (double)(i * 5 % 13 - 6);
  for (int64_t i = 0; i < m * n; i++) C[i] = (double)(i % 3);
  check(trigon_dgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, m, n, k, 2, A, m, B, k, -1, C, m) == TRIGON_OK, "dgemm runs");
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      double sum = 0;
      for (int64_t l = 0; l < k; l++) sum += A[i + l * m] * B[l + j * k];
      worst = fmax(worst, fabs(C[i + j * m] - (2 * sum - (double)((i + j * m) % 3))));
    }
  check(worst == 0, "a product of several blocks is exact for small integers");
  trigon_destroy(ctx);
  free(A), free(B), free(C);
}

int main(void) {
  test_caches();
  test_even_parts();
  test_orders();
  test_large_product(6200, 130);
  test_large_product(133, 1000);
  return checked();
}
