/* fp64_pair_matrices.c - the public functions for matrices of pairs: conversions, products, bad arguments. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp64_product.h"

__extension__ typedef __float128 quad;

enum { MOST = 140, LD = MOST + 3, ELEMENTS = LD * MOST };

/* A context, and the matrices of a product in the memory of that context. */
typedef struct target {
  trigon_context *ctx;
  double *A, *B, *C;
  trigon_pair *pairs[3];
} target;

static void *take(trigon_context *ctx, size_t bytes) {
  void *data = NULL;
  accepted(ctx, trigon_alloc(ctx, (int64_t)bytes, &data), "memory");
  return data;
}

static target target_make(const device *d) {
  target p = {.ctx = device_open(d, "")};
  p.A = take(p.ctx, sizeof(double[ELEMENTS])), p.B = take(p.ctx, sizeof(double[ELEMENTS]));
  p.C = take(p.ctx, sizeof(double[ELEMENTS]));
  for (int i = 0; i < 3; i++) p.pairs[i] = take(p.ctx, sizeof(trigon_pair[ELEMENTS]));
  return p;
}

static void target_free(target *p) {
  accepted(p->ctx, trigon_free(p->ctx, p->A), "free"), accepted(p->ctx, trigon_free(p->ctx, p->B), "free");
  accepted(p->ctx, trigon_free(p->ctx, p->C), "free");
  for (int i = 0; i < 3; i++) accepted(p->ctx, trigon_free(p->ctx, p->pairs[i]), "free");
  trigon_destroy(p->ctx);
}

static void send(target *p, const void *from, void *to, trigon_type type) {
  const trigon_matrix host = {(void *)from, type, ELEMENTS, 1, ELEMENTS}, there = {to, type, ELEMENTS, 1, ELEMENTS};
  accepted(p->ctx, trigon_upload(p->ctx, host, there), "an upload");
}

static void fetch(target *p, const void *from, void *to, trigon_type type) {
  const trigon_matrix host = {to, type, ELEMENTS, 1, ELEMENTS}, there = {(void *)from, type, ELEMENTS, 1, ELEMENTS};
  accepted(p->ctx, trigon_download(p->ctx, there, host), "a download");
}

static void fill(double *x, uint64_t seed) {
  random_stream r = {seed};
  for (int i = 0; i < ELEMENTS; i++) x[i] = entry_spread(&r, 0, 0, 1);
}

/* ------------------------------------------------------------------------------------------------- conversions -- */

/* The nearest pairs come back as the nearest doubles of 48 bits or more. Nothing outside of the matrix is written. */
static void conversions(const device *d) {
  enum { ROWS = 37, COLS = 21 };
  static double given[ELEMENTS], found[ELEMENTS];
  static trigon_pair pairs[ELEMENTS];
  static const double special[] = {NAN, INFINITY, -INFINITY, 1e300, -0.0, 0.1};
  target p = target_make(d);
  fill(given, 1);
  memcpy(given, special, sizeof special);
  send(&p, given, p.A, TRIGON_D);
  for (int i = 0; i < ELEMENTS; i++) pairs[i] = (trigon_pair){7, 0}, found[i] = 7;
  send(&p, pairs, p.pairs[0], TRIGON_C), send(&p, found, p.C, TRIGON_D);
  accepted(p.ctx, trigon_to_pairs(p.ctx, ROWS, COLS, p.A, LD, p.pairs[0], LD - 1), "to pairs");
  accepted(p.ctx, trigon_from_pairs(p.ctx, ROWS, COLS, p.pairs[0], LD - 1, p.C, LD), "from pairs");
  fetch(&p, p.C, found, TRIGON_D), fetch(&p, p.pairs[0], pairs, TRIGON_C);
  bool good = isnan(found[0]) && found[1] == INFINITY && found[2] == -INFINITY && found[3] == INFINITY &&
              found[4] == 0 && signbit(found[4]);
  for (int i = 5; i < ELEMENTS; i++) {
    const bool inside = i % LD < ROWS && i / LD < COLS;
    good = good && (inside ? fabs(found[i] - given[i]) <= 0x1p-48 * fabs(given[i]) : found[i] == 7);
  }
  for (int i = 0; i < ELEMENTS; i++)
    good = good && ((i % (LD - 1) < ROWS && i / (LD - 1) < COLS) || (pairs[i].high == 7 && pairs[i].low == 0));
  check(good, "pairs and back, on %s", d->name);
  target_free(&p);
}

/* ---------------------------------------------------------------------------------------------------- products -- */

typedef struct sample {
  trigon_op opA, opB;
  int64_t m, n, k;
  double alpha, beta;
} sample;

static void multiply(target *p, const sample *s, const trigon_pair *const given[3], trigon_pair *C) {
  for (int i = 0; i < 3; i++) send(p, given[i], p->pairs[i], TRIGON_C);
  accepted(p->ctx,
           trigon_gemm_pairs(p->ctx, s->opA, s->opB, s->m, s->n, s->k, s->alpha, p->pairs[0], LD, p->pairs[1], LD,
                             s->beta, p->pairs[2], LD),
           "a product of pairs");
  fetch(p, p->pairs[2], C, TRIGON_C);
}

static quad value(trigon_pair x) { return (quad)x.high + x.low; }
static quad magnitude(quad x) { return x < 0 ? -x : x; }

/* Whether the result keeps the bound that the header promises. */
static bool keeps_bound(const sample *s, const trigon_pair *const given[3], const trigon_pair *C) {
  for (int64_t j = 0; j < s->n; j++)
    for (int64_t i = 0; i < s->m; i++) {
      quad sum = 0, total = 0;
      for (int64_t l = 0; l < s->k; l++) {
        const quad a = value(given[0][s->opA == TRIGON_NOTRANS ? i + l * LD : l + i * LD]);
        const quad b = value(given[1][s->opB == TRIGON_NOTRANS ? l + j * LD : j + l * LD]);
        sum += a * b, total += magnitude(a * b);
      }
      const quad old = s->beta == 0 ? 0 : s->beta * value(given[2][i + j * LD]), due = s->alpha * sum + old;
      const quad bound = (double)(3 * s->k + 20) * 0x1p-48 * fabs(s->alpha) * total + 12 * 0x1p-48 * magnitude(old);
      if (!(magnitude(value(C[i + j * LD]) - due) <= bound + 0x1p-126)) return false;
    }
  return true;
}

static bool is_outside(const sample *s, int i) { return i % LD >= s->m || i / LD >= s->n; }

static void products(const device *d) {
  static const sample samples[] = {
      {TRIGON_NOTRANS, TRIGON_NOTRANS, 70, 33, 20, 1, 0},     {TRIGON_TRANS, TRIGON_NOTRANS, 67, 130, 17, -0.7, 1},
      {TRIGON_NOTRANS, TRIGON_CONJTRANS, 1, 9, 140, 0.1, -2}, {TRIGON_TRANS, TRIGON_TRANS, 19, 5, 65, 3, 0.3},
      {TRIGON_NOTRANS, TRIGON_TRANS, 12, 8, 0, 3, 0.3},       {TRIGON_NOTRANS, TRIGON_TRANS, 12, 8, 9, 0, -1},
      {TRIGON_NOTRANS, TRIGON_NOTRANS, 0, 8, 9, 1, 1}};
  static trigon_pair given[3][ELEMENTS], C[ELEMENTS], there_C[ELEMENTS];
  const trigon_pair *const all[3] = {given[0], given[1], given[2]};
  static double x[ELEMENTS];
  const device cpu = {.name = "cpu"};
  target host = target_make(&cpu), there = target_make(d);
  for (size_t at = 0; at < sizeof samples / sizeof *samples; at++) {
    const sample *s = &samples[at];
    for (int i = 0; i < 3; i++) {
      fill(x, at + 10 * (uint64_t)i);
      const bool unread = (i == 2 && s->beta == 0) || (i < 2 && s->alpha == 0);
      for (int e = 0; e < ELEMENTS; e++) {
        given[i][e].high = unread ? NAN : (float)x[e];
        given[i][e].low = unread ? NAN : (float)(x[e] - (double)given[i][e].high);
      }
    }
    multiply(&host, s, all, C), multiply(&there, s, all, there_C);
    check(memcmp(C, there_C, sizeof C) == 0, "product %d of pairs: other bits on the device", (int)at);
    if (s->alpha == 0) memset(given[0], 0, sizeof given[0]), memset(given[1], 0, sizeof given[1]);
    check(keeps_bound(s, all, C), "product %d of pairs: the error is too large", (int)at);
    bool kept = true;
    for (int e = 0; e < ELEMENTS; e++)
      kept = kept && (!is_outside(s, e) || memcmp(&C[e], &given[2][e], sizeof C[e]) == 0);
    check(kept, "product %d of pairs: written outside of C", (int)at);
  }
  target_free(&there), target_free(&host);
}

/* ----------------------------------------------------------------------------------------------- bad arguments -- */

static void refused(trigon_context *ctx, trigon_status status, const char *message) {
  check(status == TRIGON_BAD_ARGUMENT && strcmp(trigon_message(ctx), message) == 0, "status %d, \"%s\", due is \"%s\"",
        (int)status, trigon_message(ctx), message);
}

static void bad_arguments(const device *d) {
  target p = target_make(d);
  trigon_pair *const *x = p.pairs;
  trigon_context *c = p.ctx;
  const trigon_op N = TRIGON_NOTRANS, T = TRIGON_TRANS;
  refused(c, trigon_to_pairs(c, -1, 2, p.A, 4, x[0], 4), "trigon_to_pairs: argument 1 (m) is -1, must be at least 0");
  refused(c, trigon_to_pairs(c, 4, 2, p.A, 3, x[0], 4), "trigon_to_pairs: argument 4 (lda) is 3, must be at least 4");
  refused(c, trigon_to_pairs(c, 4, 2, p.A, 4, NULL, 4),
          "trigon_to_pairs: argument 5 (P) is NULL, must point to 4 × 2 elements");
  refused(c, trigon_from_pairs(c, 4, -2, x[0], 4, p.A, 4),
          "trigon_from_pairs: argument 2 (n) is -2, must be at least 0");
  refused(c, trigon_from_pairs(c, 4, 2, x[0], 2, p.A, 4),
          "trigon_from_pairs: argument 4 (ldp) is 2, must be at least 4");
  refused(c, trigon_from_pairs(c, 4, 2, x[0], 4, NULL, 4),
          "trigon_from_pairs: argument 5 (A) is NULL, must point to 4 × 2 elements");
  refused(c, trigon_gemm_pairs(c, (trigon_op)5, N, 2, 2, 2, 1, x[0], 2, x[1], 2, 0, x[2], 2),
          "trigon_gemm_pairs: argument 1 (opA) is 5, must be TRIGON_NOTRANS (111), TRIGON_TRANS (112) or "
          "TRIGON_CONJTRANS (113)");
  refused(c, trigon_gemm_pairs(c, N, N, 2, 2, -3, 1, x[0], 2, x[1], 2, 0, x[2], 2),
          "trigon_gemm_pairs: argument 5 (k) is -3, must be at least 0");
  refused(c, trigon_gemm_pairs(c, T, N, 2, 2, 3, 1, x[0], 2, x[1], 3, 0, x[2], 2),
          "trigon_gemm_pairs: argument 8 (lda) is 2, must be at least 3");
  refused(c, trigon_gemm_pairs(c, N, T, 2, 4, 3, 1, x[0], 2, x[1], 3, 0, x[2], 2),
          "trigon_gemm_pairs: argument 10 (ldb) is 3, must be at least 4");
  refused(c, trigon_gemm_pairs(c, N, N, 2, 4, 3, 1, x[0], 2, x[1], 3, 0, NULL, 2),
          "trigon_gemm_pairs: argument 12 (C) is NULL, must point to 2 × 4 elements");
  check(trigon_gemm_pairs(NULL, N, N, 1, 1, 1, 1, x[0], 1, x[1], 1, 0, x[2], 1) == TRIGON_BAD_ARGUMENT &&
            trigon_to_pairs(NULL, 1, 1, p.A, 1, x[0], 1) == TRIGON_BAD_ARGUMENT &&
            trigon_from_pairs(NULL, 1, 1, x[0], 1, p.A, 1) == TRIGON_BAD_ARGUMENT,
        "functions for pairs without a context");
  accepted(c, trigon_to_pairs(c, 0, 2, NULL, 1, NULL, 1), "an empty matrix");
  accepted(c, trigon_from_pairs(c, 2, 0, NULL, 2, NULL, 2), "an empty matrix");
  if (!trigon_on_host(c)) {
    double here[4] = {0};
    check(trigon_to_pairs(c, 2, 2, here, 2, x[0], 2) == TRIGON_BAD_ARGUMENT &&
              strstr(trigon_message(c), "trigon_to_pairs: argument 3 (A)"),
          "host memory: %s", trigon_message(c));
    check(trigon_gemm_pairs(c, N, N, 1, 1, 1, 1, x[0], 1, (trigon_pair *)here, 1, 0, x[2], 1) == TRIGON_BAD_ARGUMENT &&
              strstr(trigon_message(c), "trigon_gemm_pairs: argument 9 (B)"),
          "host memory: %s", trigon_message(c));
  }
  target_free(&p);
}

void test_pair_matrices(const device *d) {
  const device cpu = {.name = "cpu"};
  conversions(&cpu), conversions(d);
  products(d);
  bad_arguments(&cpu), bad_arguments(d);
}
