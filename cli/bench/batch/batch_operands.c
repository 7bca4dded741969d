/* batch_operands.c - makes, restores, uses and judges the operands of a batch (batch_operands.h). */
#include "batch_operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../matrix/dense.h"
#include "../../matrix/element_type.h"
#include "../../matrix/random.h"
#include "../../matrix/transfer.h"
#include "../check.h"
#include "../measure/memory_use.h"

static int count_operands(const batch_operands *b) { return routine_operands(b->routine); }

/* The order is m, if the routine has that size, and else n. */
static void set_order(const batch_operands *b, int64_t order, problem *p) {
  const bool has_columns = routine_has(b->routine, 'm') && b->columns > 0;
  p->size[M] = order, p->size[N] = has_columns ? b->columns : order;
  p->size[K] = b->inner > 0 ? b->inner : order;
}

problem batch_problem_of_order(const batch_operands *b, int64_t order) {
  problem p = {.routine = b->routine, .type = b->type};
  problem_set_variant(&p, b->variant ? b->variant : b->routine->default_variant);
  set_order(b, order, &p);
  return p;
}

problem batch_problem(const batch_operands *b, int64_t i) { return batch_problem_of_order(b, b->orders.n[i]); }

/* ------------------------------------------------------------------------------------------------- memory -- */

/* An array of 64-bit words in the context's memory, as a matrix of doubles. */
static bool send_words(const batch_operands *b, const void *words, trigon_matrix *to, const verdict *why) {
  const int64_t count = b->orders.count;
  const trigon_matrix from = {(void *)(uintptr_t)words, TRIGON_D, count, 1, count};
  trigon_status status = transfer_alloc(b->ctx, TRIGON_D, count, 1, to);
  if (status == TRIGON_OK) status = trigon_upload(b->ctx, from, *to);
  return succeeded(why, "sending an array", b->ctx, status);
}

/* Lays the matrices of an operand out one behind the other, each at a multiple of 256 bytes. Returns the elements of
 * all. */
static int64_t lay_out(const batch_operands *b, int x) {
  const int64_t unit = 256 / (int64_t)type_bytes(b->type);
  int64_t total = 0;
  for (int64_t i = 0; i < b->orders.count; i++) {
    const problem p = batch_problem(b, i);
    int64_t rows, cols;
    problem_shape(&p, x, &rows, &cols);
    b->operand[x].offset[i] = total;
    total += (rows * cols + unit - 1) / unit * unit;
  }
  return total;
}

/* Matrix i of operand x in the memory that begins at `base`. */
static trigon_matrix matrix_in(const batch_operands *b, int x, int64_t i, void *base) {
  const problem p = batch_problem(b, i);
  int64_t rows, cols;
  problem_shape(&p, x, &rows, &cols);
  return (trigon_matrix){(char *)base + (size_t)b->operand[x].offset[i] * type_bytes(b->type), b->type, rows, cols,
                         rows};
}

static trigon_matrix leading_block(const trigon_matrix *A, trigon_matrix like) {
  return (trigon_matrix){A->data, A->type, like.rows, like.cols, A->ld};
}

static bool fill(const batch_operands *b, int x, const verdict *to) {
  const stacked_operand *o = &b->operand[x];
  for (int64_t i = 0; i < b->orders.count; i++) {
    const trigon_matrix A = matrix_in(b, x, i, o->all.data);
    o->address[i] = A.data;
    if (!succeeded(to, "sending matrices", b->ctx, trigon_upload(b->ctx, leading_block(&o->original, A), A)))
      return false;
  }
  return !o->fresh.data || succeeded(to, "copying matrices", b->ctx, trigon_copy(b->ctx, o->all, o->fresh));
}

static bool make_operand(batch_operands *b, int x, const verdict *to) {
  const problem p = batch_problem_of_order(b, b->orders.largest);
  const size_t count = (size_t)b->orders.count;
  const bench_operand *spec = &b->routine->operand[x];
  stacked_operand *o = &b->operand[x];
  int64_t rows, cols;
  problem_shape(&p, x, &rows, &cols);
  o->offset = malloc(count * sizeof *o->offset), o->address = malloc(count * sizeof *o->address);
  if (!o->offset || !o->address || !dense_alloc(b->type, rows, cols, &o->original)) return no_memory(to);
  if (spec->dominant)
    random_fill_dominant(&o->original, (uint64_t)x + 1, 0);
  else
    random_fill(&o->original, (uint64_t)x + 1);
  const int64_t total = lay_out(b, x);
  const double bytes = (double)total * (double)type_bytes(b->type) * (spec->written ? 2 : 1);
  if (trigon_on_host(b->ctx) && bytes > memory_available() / 2) {
    snprintf(to->text, to->size, "these matrices take %.3g GB of memory", 1e-9 * bytes);
    return false;
  }
  return succeeded(to, "allocating matrices", b->ctx, transfer_alloc(b->ctx, b->type, total, 1, &o->all)) &&
         (!spec->written ||
          succeeded(to, "allocating matrices", b->ctx, transfer_alloc(b->ctx, b->type, total, 1, &o->fresh))) &&
         fill(b, x, to) && send_words(b, o->address, &o->addresses, to);
}

/* The arrays of all sizes, on the host and in the context's memory. */
static bool make_sizes(batch_operands *b, const verdict *to) {
  problem p = batch_problem_of_order(b, b->orders.largest);
  for (int at = 0; at < SIZES; at++) {
    if (!(b->sizes[at] = malloc((size_t)b->orders.count * sizeof *b->sizes[at]))) return no_memory(to);
    for (int64_t i = 0; i < b->orders.count; i++) {
      set_order(b, b->orders.n[i], &p);
      b->sizes[at][i] = p.size[at];
    }
    if (!send_words(b, b->sizes[at], &b->size[at], to)) return false;
  }
  return true;
}

bool batch_operands_make(batch_operands *b, const verdict *to) {
  const size_t count = (size_t)b->orders.count;
  b->infos = malloc(count * sizeof *b->infos);
  if (!b->infos) return no_memory(to);
  if (!make_sizes(b, to)) return false;
  memset(b->infos, 0, count * sizeof *b->infos);
  for (int x = 0; x < count_operands(b); x++)
    if (!make_operand(b, x, to)) return false;
  return send_words(b, b->infos, &b->info, to);
}

void batch_operands_free(batch_operands *b) {
  for (int x = 0; x < MOST_OPERANDS; x++) {
    stacked_operand *o = &b->operand[x];
    trigon_free(b->ctx, o->all.data), trigon_free(b->ctx, o->fresh.data), trigon_free(b->ctx, o->addresses.data);
    free(o->original.data), free(o->offset), free(o->address);
  }
  for (int at = 0; at < SIZES; at++) trigon_free(b->ctx, b->size[at].data), free(b->sizes[at]);
  trigon_free(b->ctx, b->info.data);
  free(b->infos);
}

bool batch_operands_set_infos(batch_operands *b, int64_t info, const verdict *to) {
  const int64_t count = b->orders.count;
  const trigon_matrix infos = {b->infos, TRIGON_D, count, 1, count};
  for (int64_t i = 0; i < count; i++) b->infos[i] = info;
  return succeeded(to, "sending infos", b->ctx, trigon_upload(b->ctx, infos, b->info));
}

trigon_status batch_operands_restore(const batch_operands *b, trigon_context *by) {
  trigon_status status = TRIGON_OK;
  for (int x = 0; x < count_operands(b) && status == TRIGON_OK; x++)
    if (b->operand[x].fresh.data) status = trigon_copy(by, b->operand[x].fresh, b->operand[x].all);
  return status;
}

/* --------------------------------------------------------------------------------------------------- calls -- */

/* The arguments of a call: arrays of the host, or of the context's memory. */
static batch_arguments arguments_of(const batch_operands *b, const problem *p, bool by_host) {
  batch_arguments a = {.p = p, .count = b->orders.count, .info = by_host ? b->infos : b->info.data};
  for (int at = 0; at < SIZES; at++) a.size[at] = by_host ? b->sizes[at] : b->size[at].data;
  for (int x = 0; x < count_operands(b); x++) {
    const stacked_operand *const o = &b->operand[x];
    a.ld[x] = a.size[size_index(problem_letters(p, x).rows)];
    a.at[x] = by_host ? o->address : o->addresses.data;
    a.first[x] = o->all.data, a.step[x] = b->orders.count > 1 ? o->offset[1] : 0;
  }
  return a;
}

trigon_status batch_operands_call(const batch_operands *b, trigon_context *by, int64_t largest) {
  const problem p = batch_problem_of_order(b, b->orders.largest);
  batch_arguments a = arguments_of(b, &p, false);
  a.largest = largest;
  return b->batch->call(by, &a);
}

bool batch_operands_are_alike(const batch_operands *b) {
  int64_t i = 1;
  while (i < b->orders.count && b->orders.n[i] == b->orders.n[0]) i++;
  return i >= b->orders.count;
}

trigon_status batch_operands_call_strided(const batch_operands *b, trigon_context *by) {
  const problem p = batch_problem_of_order(b, b->orders.largest);
  const batch_arguments a = arguments_of(b, &p, false);
  return b->batch->apart(by, &a);
}

trigon_status batch_operands_call_by_host(const batch_operands *b, trigon_context *by) {
  const problem p = batch_problem_of_order(b, b->orders.largest);
  const batch_arguments a = arguments_of(b, &p, true);
  return b->batch->call(by, &a);
}

void batch_operands_single(const batch_operands *b, int64_t i, problem *p, trigon_matrix X[MOST_OPERANDS]) {
  set_order(b, b->orders.n[i], p);
  for (int x = 0; x < count_operands(b); x++) {
    int64_t rows, cols;
    problem_shape(p, x, &rows, &cols);
    X[x] = (trigon_matrix){b->operand[x].address[i], b->type, rows, cols, rows};
  }
}

/* The problem is made once: its letters take longer than a small call. */
trigon_status batch_operands_call_each(const batch_operands *b, trigon_context *by) {
  trigon_status status = TRIGON_OK;
  problem p = batch_problem_of_order(b, 0);
  trigon_matrix X[MOST_OPERANDS] = {0};
  for (int64_t i = 0; i < b->orders.count && status == TRIGON_OK; i++) {
    batch_operands_single(b, i, &p, X);
    status = b->routine->call(by, &p, X);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------- judge -- */

/* Fetches matrix i to `result`, and judges it. */
static bool judge(const batch_operands *b, int64_t i, const trigon_matrix *result, double *error, double *limit,
                  const verdict *to) {
  const problem p = batch_problem(b, i);
  trigon_matrix before[MOST_OPERANDS], after[MOST_OPERANDS];
  for (int x = 0; x < count_operands(b); x++) {
    const trigon_matrix A = matrix_in(b, x, i, b->operand[x].all.data);
    before[x] = leading_block(&b->operand[x].original, A), after[x] = leading_block(&result[x], A);
    if (!succeeded(to, "fetching matrices", b->ctx, trigon_download(b->ctx, A, after[x]))) return false;
  }
  return bench_check(&p, before, after, error, limit) || no_memory(to);
}

bool batch_operands_judge(batch_operands *b, double *error, bool *ok, const verdict *to) {
  trigon_matrix result[MOST_OPERANDS] = {0};
  const int64_t count = b->orders.count;
  const trigon_matrix infos = {b->infos, TRIGON_D, count, 1, count};
  bool done = succeeded(to, "fetching infos", b->ctx, trigon_download(b->ctx, b->info, infos));
  for (int x = 0; x < count_operands(b) && done; x++) {
    const trigon_matrix *A = &b->operand[x].original;
    done = dense_alloc(b->type, A->rows, A->cols, &result[x]) || no_memory(to);
  }
  *ok = true, *error = 0;
  for (int64_t i = 0; done && i < count; i++) {
    double residual, limit;
    done = judge(b, i, result, &residual, &limit, to);
    if (!done) break;
    *ok = *ok && residual < limit && b->infos[i] == 0;
    if (!(residual <= *error)) *error = residual;
  }
  for (int x = 0; x < MOST_OPERANDS; x++) free(result[x].data);
  return done;
}
