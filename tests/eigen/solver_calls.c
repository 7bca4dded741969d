/* solver_calls.c - makes calls of trigon_eigen.h, and guards their operands (solver_calls.h). */
#include "solver_calls.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/matrices.h"

#define EACH_TYPE "eigen/solver_calls.inc"
#include "support/each_type.inc"

trigon_status make_solver_call(trigon_context *ctx, const solver_call *c) {
  switch (c->type) {
  case TRIGON_S: return make_s(ctx, c);
  case TRIGON_D: return make_d(ctx, c);
  case TRIGON_C: return make_c(ctx, c);
  default: return make_z(ctx, c);
  }
}

static bool is_tridiagonal(const solver_call *c) { return c->routine == STEDC || c->routine == STEBZ; }

const char *describe_solver_call(const solver_call *c) {
  static const char *const names[] = {"evd", "evdx", "gst", "gvd", "stedc", "stebz"};
  static char text[200];
  int used =
      snprintf(text, sizeof text, "trigon_%c%s%s of order %lld, %s triangle, lda %lld", (char)c->type,
               is_tridiagonal(c)     ? ""
               : is_complex(c->type) ? "he"
                                     : "sy",
               names[c->routine], (long long)c->n, c->uplo == TRIGON_LOWER ? "lower" : "upper", (long long)c->lda);
  if (c->routine != SYGST)
    used += snprintf(text + used, sizeof text - (size_t)used, ", %s", c->job == TRIGON_VALUES ? "values" : "vectors");
  if (c->routine == SYGST || c->routine == SYGVD)
    used += snprintf(text + used, sizeof text - (size_t)used, ", itype %d, ldb %lld", c->itype, (long long)c->ldb);
  if (c->range == TRIGON_RANGE_INDICES)
    used += snprintf(text + used, sizeof text - (size_t)used, ", %lld to %lld", (long long)c->il, (long long)c->iu);
  if (c->range == TRIGON_RANGE_INTERVAL)
    snprintf(text + used, sizeof text - (size_t)used, ", (%.17g, %.17g]", c->vl, c->vu);
  return text;
}

trigon_type real_type_of(trigon_type type) { return is_single(type) ? TRIGON_S : TRIGON_D; }
double roundoff_of(trigon_type type) { return epsilon_of(type) / 2; }
double smallest_of(trigon_type type) { return is_single(type) ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN; }
double largest_of(trigon_type type) { return is_single(type) ? (double)FLT_MAX : DBL_MAX; }

/* -------------------------------------------------------------------------------------------------- operands -- */

/* A factor's diagonal is real, and a caller has it from POTRF: its imaginary parts are zeros. */
static void fill_triangle(guarded *g, const solver_case *c, const dense *from, bool is_factor) {
  const int64_t n = c->call.n;
  const bool lower = c->call.uplo == TRIGON_LOWER;
  guarded_shape(g, c->call.type, n, n, c->gap);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = lower ? j : 0; i < (lower ? n : j + 1); i++)
      matrix_put(g->matrix, i, j,
                 (trigon_scalar){from->re[i + j * n], i != j      ? from->im[i + j * n]
                                                      : is_factor ? 0
                                                                  : (double)NAN});
}

void case_fill(solver_case *c, const dense *A, const dense *B) {
  fill_triangle(&c->A, c, A, false);
  c->call.A = c->A.matrix.data, c->call.lda = c->A.matrix.ld;
  if (B) fill_triangle(&c->B, c, B, c->call.routine == SYGST);
  if (B) c->call.B = c->B.matrix.data, c->call.ldb = c->B.matrix.ld;
  guarded_shape(&c->w, real_type_of(c->call.type), c->call.n, 1, 3);
  c->call.w = c->w.matrix.data;
  c->call.info = &c->info, c->call.found = &c->found;
}

static void put_diagonal(trigon_matrix to, int64_t column, const dense *T, int64_t below, int64_t count) {
  for (int64_t i = 0; i < count; i++) matrix_put(to, i, column, (trigon_scalar){T->re[i + below + i * T->rows], 0});
}

void case_fill_tridiagonal(solver_case *c, const dense *T) {
  const int64_t n = c->call.n, beside = n > 0 ? n - 1 : 0;
  const bool apart = c->call.routine == STEDC;
  guarded_shape(&c->A, c->call.type, n, n, c->gap);
  guarded_shape(&c->B, c->call.type, apart ? beside : n, apart ? 1 : 2, c->gap);
  guarded_shape(&c->w, c->call.type, n, 1, 3);
  put_diagonal(apart ? c->w.matrix : c->B.matrix, 0, T, 0, n);
  put_diagonal(c->B.matrix, apart ? 0 : 1, T, 1, beside);
  c->call.A = c->A.matrix.data, c->call.lda = c->A.matrix.ld;
  c->call.B = c->B.matrix.data, c->call.ldb = c->B.matrix.ld;
  c->call.w = c->w.matrix.data;
  c->call.info = &c->info, c->call.found = &c->found;
}

/* ------------------------------------------------------------------------------------------------- devices -- */

static void demand(trigon_context *ctx, trigon_status status) {
  if (status == TRIGON_OK) return;
  fprintf(stderr, "memory of a test: %s\n", trigon_message(ctx));
  exit(2);
}

static trigon_matrix bytes_at(void *data, size_t bytes) {
  const int64_t rows = (int64_t)(bytes / sizeof(float));
  return (trigon_matrix){data, TRIGON_S, rows, 1, rows};
}

void *operand_upload(trigon_context *ctx, device_operand *o, const guarded *host) {
  *o = (device_operand){host, NULL};
  if (!host->block) return NULL;
  demand(ctx, trigon_alloc(ctx, (int64_t)host->bytes, &o->data));
  demand(ctx, trigon_upload(ctx, bytes_at(host->block, host->bytes), bytes_at(o->data, host->bytes)));
  return (char *)o->data + ((unsigned char *)host->matrix.data - host->block);
}

void operand_take_back(trigon_context *ctx, device_operand *o) {
  if (!o->data) return;
  demand(ctx, trigon_download(ctx, bytes_at(o->data, o->host->bytes), bytes_at(o->host->block, o->host->bytes)));
  demand(ctx, trigon_free(ctx, o->data));
}

/* The message of the call is that of the context only until the results are copied. */
static trigon_status run_on_device(trigon_context *ctx, solver_case *c) {
  solver_call there = c->call;
  device_operand A, B, w;
  void *numbers = NULL; /* info and found */
  int64_t told[] = {c->info, c->found};
  there.A = operand_upload(ctx, &A, &c->A), there.B = operand_upload(ctx, &B, &c->B),
  there.w = operand_upload(ctx, &w, &c->w);
  demand(ctx, trigon_alloc(ctx, sizeof told, &numbers));
  demand(ctx, trigon_upload(ctx, bytes_at(told, sizeof told), bytes_at(numbers, sizeof told)));
  there.info = numbers, there.found = there.info + 1;
  const trigon_status status = make_solver_call(ctx, &there);
  if (status != TRIGON_OK) fprintf(stderr, "%s\n", trigon_message(ctx));
  operand_take_back(ctx, &A), operand_take_back(ctx, &B), operand_take_back(ctx, &w);
  demand(ctx, trigon_download(ctx, bytes_at(numbers, sizeof told), bytes_at(told, sizeof told)));
  demand(ctx, trigon_free(ctx, numbers));
  c->info = told[0], c->found = told[1];
  return status;
}

trigon_status case_run(trigon_context *ctx, solver_case *c) {
  c->info = c->found = -77;
  guarded_snapshot(&c->A), guarded_snapshot(&c->w);
  if (c->B.block) guarded_snapshot(&c->B);
  return trigon_on_host(ctx) ? make_solver_call(ctx, &c->call) : run_on_device(ctx, c);
}

static const char *stray_of(const solver_case *c, const region *of, char *text, size_t size) {
  const guarded *const g[] = {&c->A, &c->B, &c->w};
  for (int i = 0; i < 3; i++) {
    char where[120];
    const char *stray = g[i]->block ? guarded_stray(g[i], of[i], where, sizeof where) : NULL;
    if (!stray) continue;
    snprintf(text, size, "%c is %s", "ABw"[i], stray);
    return text;
  }
  return NULL;
}

const char *case_stray(const solver_case *c, char *text, size_t size) {
  const region all = {REGION_ALL, false},
               triangle = {c->call.uplo == TRIGON_LOWER ? REGION_LOWER : REGION_UPPER, false};
  const bool vectors = c->call.routine != SYGST && c->call.job == TRIGON_VECTORS;
  const region none = {REGION_NONE, false};
  const region of[] = {vectors                    ? all
                       : is_tridiagonal(&c->call) ? none
                                                  : triangle,
                       c->call.routine == SYGVD ? triangle : none, c->call.routine == SYGST ? none : all};
  return stray_of(c, of, text, size);
}

const char *case_change(const solver_case *c, char *text, size_t size) {
  static const region none[3];
  return stray_of(c, none, text, size);
}

double case_value(const solver_case *c, int64_t i) { return matrix_get(c->w.matrix, i, 0).re; }

void case_free(solver_case *c) { guarded_free(&c->A), guarded_free(&c->B), guarded_free(&c->w); }
