/* batch_case.c - batches of any routine as test cases (batch_case.h). */
#include "batch_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

batch_target batch_at;

void case_check(bool held, const char *what) { check(held, what); }
int case_checked(void) { return checked(); }

/* ------------------------------------------------------------------------------------------------- memory -- */

static trigon_matrix bytes_at(const void *data, size_t bytes) {
  return (trigon_matrix){(void *)(uintptr_t)data, TRIGON_S, (int64_t)(bytes / 4), 1, (int64_t)(bytes / 4)};
}

void *case_send(const void *from, size_t bytes, bool to_device) {
  void *to = NULL;
  const size_t some = bytes > 0 ? bytes : 8;
  if (!to_device) {
    to = malloc(some);
    if (!to) abort();
    memcpy(to, from, bytes);
  } else if (trigon_alloc(batch_at.ctx, (int64_t)some, &to) != TRIGON_OK ||
             (bytes > 0 && trigon_upload(batch_at.ctx, bytes_at(from, bytes), bytes_at(to, bytes)) != TRIGON_OK)) {
    check(false, trigon_message(batch_at.ctx));
  }
  return to;
}

void case_receive(void *from, void *to, size_t bytes, bool from_device) {
  if (!from_device) {
    memcpy(to, from, bytes);
    free(from);
  } else if ((bytes > 0 && trigon_download(batch_at.ctx, bytes_at(from, bytes), bytes_at(to, bytes)) != TRIGON_OK) ||
             trigon_free(batch_at.ctx, from) != TRIGON_OK) {
    check(false, trigon_message(batch_at.ctx));
  }
}

/* Puts all matrices of an operand into one piece of memory, one behind the other. */
static void pack(batch_case *t, int x) {
  size_t bytes = 0;
  for (int64_t i = 0; i < t->all.count; i++) t->offset[x][i] = bytes, bytes += t->stored[x][i].bytes;
  char *together = malloc(bytes + 8);
  if (!together) abort();
  for (int64_t i = 0; i < t->all.count; i++)
    memcpy(together + t->offset[x][i], t->stored[x][i].block, t->stored[x][i].bytes);
  t->bytes[x] = bytes;
  t->pool[x] = case_send(together, bytes, batch_at.on_device);
  free(together);
}

static void unpack(batch_case *t, int x) {
  char *together = malloc(t->bytes[x] + 8);
  if (!together) abort();
  case_receive(t->pool[x], together, t->bytes[x], batch_at.on_device);
  for (int64_t i = 0; i < t->all.count; i++)
    memcpy(t->stored[x][i].block, together + t->offset[x][i], t->stored[x][i].bytes);
  free(together);
}

/* ------------------------------------------------------------------------------------------------- a batch -- */

/* Makes the matrices of call i. */
static void make_matrices(batch_case *t, int64_t i, random_stream *r, int64_t gap) {
  call *c = &t->one[i];
  for (int x = 0; x < operands(c->routine); x++) {
    guarded *g = &t->stored[x][i];
    int64_t rows, cols;
    operand_shape(c, x, &rows, &cols);
    guarded_shape(g, c->type, rows, cols, gap);
    const bool output = routines[c->routine].operand[x].written && takes(c->routine, "beta");
    if (output ? c->beta.re != 0 : !product_vanishes(c))
      matrix_fill(g->matrix, routines[c->routine].operand[x].storage, c->uplo, c->diag, RANDOM, r);
    /* The diagonal of a unit triangle is not read: it holds zeros or poison. */
    const bool zeros = routines[c->routine].operand[x].storage == TRIANGULAR && c->diag == TRIGON_UNIT && i % 2;
    for (int64_t j = 0; zeros && j < rows; j++) matrix_put(g->matrix, j, j, (trigon_scalar){0, 0});
    guarded_snapshot(g);
    c->stored[x] = g->matrix;
    t->ld[x][i] = g->matrix.ld;
  }
  t->m[i] = c->m, t->n[i] = c->n, t->k[i] = c->k, t->info[i] = CASE_UNTOUCHED, t->due[i] = 0;
}

static size_t matrix_offset(const batch_case *t, int x, int64_t i) {
  return t->offset[x][i] + (size_t)((unsigned char *)t->stored[x][i].matrix.data - t->stored[x][i].block);
}

static trigon_status make_call(const batch_call *b) {
  if (batch_at.before_call) batch_at.before_call();
  const trigon_status status = call_batched(batch_at.caller, b);
  if (batch_at.after_call) batch_at.after_call();
  return status;
}

static trigon_status run_arrays(batch_case *t) {
  const size_t bytes = (size_t)t->all.count * sizeof(int64_t);
  void *m = case_send(t->m, bytes, batch_at.device_arrays), *n = case_send(t->n, bytes, batch_at.device_arrays),
       *k = case_send(t->k, bytes, batch_at.device_arrays), *info = case_send(t->info, bytes, batch_at.device_arrays),
       *at[3] = {0}, *ld[3] = {0};
  const int count = operands(t->all.flags.routine);
  t->all.m = m, t->all.n = n, t->all.k = k, t->all.info = info;
  for (int x = 0; x < count; x++) {
    t->all.at[x] = at[x] = case_send(t->at[x], bytes, batch_at.device_arrays);
    t->all.ld[x] = ld[x] = case_send(t->ld[x], bytes, batch_at.device_arrays);
  }
  const trigon_status status = make_call(&t->all);
  int64_t sizes[3][CASE_MOST], addresses[CASE_MOST];
  case_receive(m, sizes[0], bytes, batch_at.device_arrays), case_receive(n, sizes[1], bytes, batch_at.device_arrays);
  case_receive(k, sizes[2], bytes, batch_at.device_arrays), case_receive(info, t->info, bytes, batch_at.device_arrays);
  check(!memcmp(sizes[0], t->m, bytes) && !memcmp(sizes[1], t->n, bytes) && !memcmp(sizes[2], t->k, bytes),
        "the arrays of sizes stay as they were");
  for (int x = 0; x < count; x++) {
    case_receive(at[x], addresses, bytes, batch_at.device_arrays),
        case_receive(ld[x], sizes[0], bytes, batch_at.device_arrays);
    check(!memcmp(addresses, t->at[x], bytes) && !memcmp(sizes[0], t->ld[x], bytes), "the addresses stay as they were");
  }
  return status;
}

static trigon_status run_strided(batch_case *t) {
  const size_t bytes = (size_t)t->all.count * sizeof(int64_t);
  void *info = case_send(t->info, bytes, batch_at.device_arrays);
  t->all.info = info;
  for (int x = 0; x < operands(t->all.flags.routine); x++) {
    t->all.flags.stored[x] = t->one[0].stored[x];
    t->all.flags.stored[x].data = t->pool[x] + matrix_offset(t, x, 0);
    t->all.stride[x] = (int64_t)(t->stored[x][0].bytes / element_size(t->all.flags.type));
  }
  const trigon_status status = make_call(&t->all);
  case_receive(info, t->info, bytes, batch_at.device_arrays);
  return status;
}

trigon_status case_run(batch_case *t, void (*spoil)(batch_case *)) {
  const int count = operands(t->all.flags.routine);
  for (int x = 0; x < count; x++) {
    pack(t, x);
    for (int64_t i = 0; i < t->all.count; i++) t->at[x][i] = t->pool[x] + matrix_offset(t, x, i);
  }
  if (spoil) spoil(t);
  const trigon_status status = t->all.strided ? run_strided(t) : run_arrays(t);
  for (int x = 0; x < count; x++) unpack(t, x);
  return status;
}

/* Whether the other triangle of matrix i is the adjoint of the one that was asked for. */
static bool is_mirrored(const batch_case *t, int64_t i) {
  const trigon_matrix A = t->stored[0][i].matrix;
  for (int64_t c = 0; c < A.cols; c++)
    for (int64_t r = 0; r < c; r++) {
      const trigon_scalar x = matrix_get(A, r, c), y = matrix_get(A, c, r);
      if (x.re != y.re || x.im != -y.im) return false;
    }
  return true;
}

static void report(const batch_case *t, int64_t i, const char *what) {
  char text[600], words[800];
  call_print(&t->one[i], text, sizeof text);
  snprintf(words, sizeof words, "%s%s, matrix %d: %s", text, t->all.strided ? " strided" : "", (int)i, what);
  check(false, words);
}

static void judge(const batch_case *t, int64_t i) {
  const call *after = &t->one[i];
  const bool has_info = !t->all.strided || has_strided_info(after->routine);
  call before = *after;
  char stray[128], words[64];
  if (has_info && t->info[i] != t->due[i]) {
    snprintf(words, sizeof words, "info is %d, must be %d", (int)t->info[i], (int)t->due[i]);
    report(t, i, words);
    return;
  }
  for (int x = 0; x < operands(after->routine); x++) {
    region allowed = t->due[i] != 0 || returns_at_once(after) ? (region){REGION_NONE, false} : written_region(after, x);
    if (after->routine == POSV && x == 0 && t->due[i] > 0) allowed = written_region(after, 0);
    if (t->all.both && allowed.shape != REGION_NONE) allowed.shape = REGION_ALL;
    const char *where = guarded_stray(&t->stored[x][i], allowed, stray, sizeof stray);
    if (where) {
      report(t, i, where);
      return;
    }
    before.stored[x] = guarded_before(&t->stored[x][i]);
  }
  if (t->due[i] != 0) {
    check(true, "an error is told");
    return;
  }
  batch_at.scratch.used = 0;
  const reference_of_type *reference = reference_for(after->type);
  const verdict v = reference->judge(&batch_at.scratch, &before, after, reference->expect(&batch_at.scratch, &before));
  snprintf(words, sizeof words, "residual %.3g u, threshold %.3g u", v.residual, v.threshold);
  if (!v.held) report(t, i, words);
  check(v.held && (!t->all.both || is_mirrored(t, i)), "the result, and its mirror image");
}

void case_judge(const batch_case *t) {
  for (int64_t i = 0; i < t->all.count; i++) judge(t, i);
}

void case_free(batch_case *t) {
  for (int x = 0; x < 3; x++)
    for (int64_t i = 0; i < CASE_MOST; i++) guarded_free(&t->stored[x][i]);
  free(t);
}

static void draw_flags(call *c, random_stream *r) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  static const double scalars[] = {1, -1, 0.75, 0};
  c->side = random_below(r, 2) ? TRIGON_LEFT : TRIGON_RIGHT;
  c->uplo = random_below(r, 2) ? TRIGON_LOWER : TRIGON_UPPER;
  c->diag = random_below(r, 2) ? TRIGON_NONUNIT : TRIGON_UNIT;
  do c->op = ops[random_below(r, 3)];
  while (!op_allowed(c->routine, c->type, c->op));
  c->opB = ops[random_below(r, 3)];
  c->alpha.re = scalars[random_below(r, 4)], c->beta.re = scalars[random_below(r, 4)];
  if (!takes(c->routine, "alpha")) c->alpha.re = 1;
  if (is_complex(c->type) && c->routine != HERK && takes(c->routine, "alpha")) {
    c->alpha.im = scalars[random_below(r, 4)];
    if (c->beta.re != 0) c->beta.im = scalars[random_below(r, 4)];
  }
}

/* A bound of the orders: none, the highest order, or a lower one, above which orders are wrong. */
static void draw_bound(batch_case *t, random_stream *r) {
  const enum tested_routine routine = t->all.flags.routine;
  const bool has_bound =
      routine == POTRF || routine == POTRS || routine == POSV || routine == TRTRI || routine == POTRI;
  const int64_t kind = random_below(r, 3);
  if (!has_bound || kind == 0) return;
  for (int64_t i = 0; i < t->all.count; i++)
    if (t->n[i] > t->all.max_n) t->all.max_n = t->n[i];
  if (kind == 2 && t->all.max_n > 1) t->all.max_n--;
  for (int64_t i = 0; i < t->all.count; i++)
    if (t->n[i] > t->all.max_n) t->due[i] = -argument_position(routines[routine].blas, "n");
}

batch_case *case_make(enum tested_routine routine, trigon_type type, bool strided, random_stream *r) {
  static const int64_t sizes[] = {1, 0, 5, 33, 16, 2, 70, 31, 9, 0, 40, 17, 34, 59, 60, 61, 84, 85, 32, 64, 3, 4, 8};
  enum { SIZES = sizeof sizes / sizeof *sizes, FEW = 24 };
  batch_case *t = calloc(1, sizeof *t);
  if (!t) abort();
  t->all.flags = (call){.routine = routine, .type = type};
  draw_flags(&t->all.flags, r);
  t->all.strided = strided, t->all.both = routine == POTRI && random_below(r, 2);
  t->all.count = strided ? 1 + random_below(r, 7) : random_below(r, 6) == 0 ? CASE_MOST : FEW;
  const int64_t gap = random_below(r, 4);
  call *c = &t->all.flags;
  for (int64_t i = 0; i < t->all.count; i++) {
    if (i == 0 || !strided)
      c->m = sizes[random_below(r, SIZES)], c->n = sizes[random_below(r, SIZES)], c->k = sizes[random_below(r, SIZES)];
    t->one[i] = *c;
    make_matrices(t, i, r, strided ? gap : i % 3);
  }
  if (!strided) draw_bound(t, r);
  return t;
}

batch_case *case_of_sizes(enum tested_routine routine, trigon_type type, trigon_uplo uplo, int64_t count,
                          const int64_t *n, const int64_t *k, random_stream *r) {
  batch_case *t = calloc(1, sizeof *t);
  if (!t) abort();
  t->all.flags = (call){.routine = routine, .type = type, .uplo = uplo, .diag = TRIGON_NONUNIT, .alpha = {1, 0}};
  t->all.count = count;
  for (int64_t i = 0; i < count; i++) {
    t->one[i] = t->all.flags, t->one[i].n = n[i], t->one[i].k = k[i];
    make_matrices(t, i, r, i % 3);
  }
  return t;
}

batch_case *case_of(enum tested_routine routine, trigon_type type, int64_t n, int64_t k, random_stream *r) {
  batch_case *t = calloc(1, sizeof *t);
  if (!t) abort();
  const bool is_product = routine == TRSM || routine == TRMM;
  t->all.flags = (call){.routine = routine,
                        .type = type,
                        .side = TRIGON_LEFT,
                        .uplo = TRIGON_LOWER,
                        .op = TRIGON_NOTRANS,
                        .diag = TRIGON_NONUNIT,
                        .m = n,
                        .n = is_product ? k : n,
                        .k = k,
                        .alpha = {1, 0}};
  t->all.strided = true, t->all.count = 2;
  for (int64_t i = 0; i < t->all.count; i++) {
    t->one[i] = t->all.flags;
    make_matrices(t, i, r, 1);
  }
  return t;
}
