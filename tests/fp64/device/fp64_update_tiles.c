/* fp64_update_tiles.c - tiles of an emulated triangle: those that fall back, and blocks under small workspaces. */
#include <math.h>
#include <stdio.h>

#include "fp64_product.h"

typedef struct three_targets {
  call_target native, targets[2]; /* native: on the CPU, without emulation */
} three_targets;

/* What a number is: 0 if it is finite, else NaN or infinite. */
static int kind_of(double x) { return isnan(x) ? 1 : isinf(x) ? (x > 0 ? 2 : 3) : 0; }

/* Whether the triangles have the same special values, and about the same numbers. Of complex numbers it is enough that
 * both are finite or both are not, because the formulas of plain arithmetic differ. */
static bool is_alike(const product *p, const product *q) {
  for (int64_t e = 0; e < p->call.n * p->call.n; e++) {
    if (!product_computes(p, e % p->call.n, e / p->call.n)) continue;
    const trigon_scalar x = matrix_get(product_result(p), e % p->call.n, e / p->call.n);
    const trigon_scalar y = matrix_get(product_result(q), e % p->call.n, e / p->call.n);
    const bool complex = is_complex(p->call.type);
    const double tolerance = 1000 * epsilon_of(p->call.type);
    const bool special_x = kind_of(x.re) || (complex && kind_of(x.im)),
               special_y = kind_of(y.re) || (complex && kind_of(y.im));
    if (special_x != special_y || (special_x && !complex && kind_of(x.re) != kind_of(y.re))) return false;
    if (special_x) continue;
    if (fabs(x.re - y.re) > tolerance || (complex && fabs(x.im - y.im) > tolerance)) return false;
  }
  return true;
}

/* The tiles that hold row or column `line` of the triangle. */
static int64_t tiles_with(const product *p, int64_t line) {
  const int64_t height = is_complex(p->call.type) ? 64 : 128, n = p->call.n;
  int64_t count = 0;
  for (int64_t r = 0; r < n; r += height)
    for (int64_t c = 0; c < n; c += 128) {
      const int64_t last_row = r + height < n ? r + height - 1 : n - 1, last_col = c + 128 < n ? c + 127 : n - 1;
      const bool meets = p->call.uplo == TRIGON_LOWER ? last_row >= c : r <= last_col;
      count += meets && ((line >= r && line <= last_row) || (line >= c && line <= last_col));
    }
  return count;
}

static bool is_beside(const product *p, int64_t row, int64_t col, int64_t line) {
  const int64_t height = is_complex(p->call.type) ? 64 : 128;
  return row / height != line / height && col / 128 != line / 128;
}

/* A special value in one line makes the tiles of its row and of its column fall back, on the diagonal, too. The others
 * keep their bits. */
static void special_line(three_targets *t, const product *whole, int64_t line, double value, int accuracy) {
  char text[400];
  product spoilt = product_copy(whole);
  trigon_scalar x = product_get(&spoilt, OF_A, line, 1);
  *(is_complex(whole->call.type) && line % 2 ? &x.im : &x.re) = value;
  product_put(&spoilt, OF_A, line, 1, x);
  product native = product_copy(&spoilt);
  product_run(&native, &t->native);
  for (int i = 0; i < 2; i++) {
    product p = product_copy(whole), q = product_copy(&spoilt);
    product_emulate(&p, &t->targets[i], accuracy);
    product_emulate(&q, &t->targets[i], accuracy);
    product_text(&q, text, sizeof text);
    check(is_alike(&native, &q), "%s, %g in line %d, on %s: other values than native arithmetic", text, value,
          (int)line, i ? "the device" : "the CPU");
    check(q.report.not_finite == tiles_with(whole, line) && p.report.not_finite == 0, "%s: %lld tiles are due", text,
          (long long)tiles_with(whole, line));
    bool same = p.report.moduli == q.report.moduli;
    for (int64_t e = 0; e < whole->call.n * whole->call.n && same; e++) {
      const int64_t row = e % whole->call.n, col = e / whole->call.n;
      const trigon_scalar a = matrix_get(product_result(&p), row, col), b = matrix_get(product_result(&q), row, col);
      same = !product_computes(whole, row, col) || !is_beside(whole, row, col, line) || (a.re == b.re && a.im == b.im);
    }
    check(same || accuracy != 14, "%s: other bits in the tiles beside", text);
    product_free(&p), product_free(&q);
  }
  product_free(&native), product_free(&spoilt);
}

static void special_lines(three_targets *t) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  static const int64_t lines[] = {0, 127, 130, 256, 259};
  int turn = 0;
  for (const char *type = "dzsc"; *type; type++)
    for (int flags = 0; flags < 8; flags++, turn++) {
      const enum tested_routine routine = flags % 2 ? HERK : SYRK;
      const trigon_op transposed = routine == HERK ? TRIGON_CONJTRANS : TRIGON_TRANS;
      product p = update_make(routine, (trigon_type)*type, flags / 2 % 2 ? TRIGON_UPPER : TRIGON_LOWER,
                              flags % 3 ? 260 : 190, 4, flags / 4 ? transposed : TRIGON_NOTRANS);
      p.call.alpha.re = 0.5, p.call.beta.re = flags % 3 - 1;
      product_fill(&p, entry_spread, entry_spread, 0.5, (uint64_t)turn + 1);
      for (int l = 0; l < 5; l++)
        if (lines[l] < p.call.n && (l + turn) % 2)
          special_line(t, &p, lines[l], values[(l + turn) % 3], turn % 3 ? 14 : TRIGON_FP64_GUARANTEED);
      product_free(&p);
    }
}

/* All tiles fall back, and each triangle is computed natively without a look at the other one. */
static void all_natively(three_targets *t) {
  for (const char *type = "dzsc"; *type; type++)
    for (int flags = 0; flags < 4; flags++) {
      product p = update_make(flags % 2 ? HERK : SYRK, (trigon_type)*type, flags / 2 ? TRIGON_UPPER : TRIGON_LOWER, 197,
                              5, TRIGON_NOTRANS);
      p.call.beta.re = flags % 2;
      product_fill(&p, entry_spread, entry_spread, 30, (uint64_t)flags + 5);
      for (int i = 0; i < 2; i++) {
        char text[400];
        product q = product_copy(&p);
        product_emulate(&q, &t->targets[i], TRIGON_FP64_GUARANTEED);
        product_text(&q, text, sizeof text);
        check(q.report.unproved > 0 && product_share(&q) <= 1, "%s: %.3g of the bound", text, product_share(&q));
        product_free(&q);
      }
      product_free(&p);
    }
}

/* --------------------------------------------------------------------------------------------------- workspaces -- */

/* Blocks of every shape have the bits of one block. The largest caps hold the whole product, with one set of planes if
 * it is real; the least ones hold nothing. */
static void caps(const device *d, trigon_type type, trigon_uplo uplo, int accuracy) {
  static const int64_t all[] = {16,  96,   160,  224,  288,  352,  448,  544,   704,
                                928, 1200, 1600, 2304, 3072, 4096, 8192, 40960, 65536};
  /* Of 2 to 32 MiB a real GPU gives all to the BLAS. */
  const int64_t n = is_complex(type) ? 300 : 390, k = is_complex(type) ? 66 : 140;
  int64_t emulated = 0;
  char text[400];
  call_target target = {.ctx = device_open(d, "")};
  product due = update_make(HERK, type, uplo, n, k, uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS);
  due.call.beta.re = 1;
  product_fill(&due, entry_spread, entry_spread, 0.2, 11);
  product_emulate(&due, &target, accuracy);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    product p = product_copy(&due);
    accepted(target.ctx, trigon_set_workspace(target.ctx, NULL, all[i] << 10), "a cap");
    product_emulate(&p, &target, accuracy);
    product_text(&p, text, sizeof text);
    check(p.report.emulated == 1 ? product_same(&p, &due) && p.report.tiles == due.report.tiles
                                 : product_computes(&p, 0, 0) && p.report.why != NULL,
          "%s: a cap of %lld KiB", text, (long long)all[i]);
    emulated += p.report.emulated;
    product_free(&p);
  }
  check(emulated >= 3 && due.report.emulated == 1, "%lld caps are enough", (long long)emulated);
  product_free(&due);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

void test_update_tiles(const device *d) {
  const device cpu = {.name = "cpu"};
  three_targets t = {{.ctx = device_open(&cpu, "")}, {{.ctx = device_open(&cpu, "")}, {.ctx = device_open(d, "")}}};
  special_lines(&t);
  all_natively(&t);
  for (int i = 0; i < 2; i++) {
    call_target_free(&t.targets[i]);
    trigon_destroy(t.targets[i].ctx);
  }
  trigon_destroy(t.native.ctx);
  caps(d, TRIGON_D, TRIGON_LOWER, 3);
  caps(d, TRIGON_D, TRIGON_UPPER, 3);
  caps(d, TRIGON_Z, TRIGON_LOWER, 3);
  caps(d, TRIGON_Z, TRIGON_UPPER, 3);
  caps(d, TRIGON_S, TRIGON_LOWER, TRIGON_FP64_GUARANTEED);
}
