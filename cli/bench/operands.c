/* operands.c - makes, restores and frees the random operands of a benchmark, which reads no files. */
#include "operands.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "../matrix/random.h"
#include "../matrix/transfer.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_ON_HOST = 3, MOST_ON_DEVICE = 24 };

/* Sets of a small problem on the host have together at most so many bytes, so that the core's own caches hold them. */
static const double host_warm = 0x1p16;

/* A device's sets together are larger than its second-level cache, so that operands come from memory. */
static const double device_cold = 0x1p27;

static int count_operands(const operand_sets *sets) { return routine_operands(sets->problem->routine); }

static bool is_written(const problem *p, int i) { return p->routine->operand[i].written; }

/* --------------------------------------------------------------------------------------------------- bytes -- */

static double bytes_of(const problem *p, bool written_only) {
  double bytes = 0;
  for (int i = 0; i < routine_operands(p->routine); i++) {
    int64_t rows, cols;
    problem_shape(p, i, &rows, &cols);
    if (!written_only || is_written(p, i)) bytes += (double)rows * (double)cols * (double)type_bytes(p->type);
  }
  return bytes;
}

double operand_bytes(const problem *p) { return bytes_of(p, false); }

double operand_host_bytes(const problem *p, const trigon_context *ctx) {
  return operand_bytes(p) + bytes_of(p, !trigon_on_host(ctx));
}

/* How many sets to make if `fit` of them fit into memory. */
static int sets_wanted(const operand_sets *sets, double fit) {
  double bytes = fmax(operand_bytes(sets->problem), 1);
  bool on_host = trigon_on_host(sets->ctx);
  double wanted = on_host ? fmax(LEAST_ON_HOST, floor(host_warm / bytes)) : ceil(device_cold / bytes) + 1;
  return (int)fmax(1, fmin(fmin(fit, wanted), on_host ? MOST_SETS : MOST_ON_DEVICE));
}

/* -------------------------------------------------------------------------------------------------- making -- */

static void fill_original(const problem *p, int i, const trigon_matrix *A) {
  const uint64_t seed = (uint64_t)i + 1;
  if (!p->routine->operand[i].dominant)
    random_fill_spread(A, seed, p->spread);
  else if (p->hard)
    random_fill_hard(A, seed);
  else
    random_fill_dominant(A, seed, p->spread);
}

static bool make_originals(operand_sets *sets) {
  const problem *p = sets->problem;
  for (int i = 0; i < count_operands(sets); i++) {
    int64_t rows, cols;
    bool fetched = is_written(p, i) && !trigon_on_host(sets->ctx);
    problem_shape(p, i, &rows, &cols);
    if (!dense_alloc(p->type, rows, cols, &sets->original[i])) return false;
    if (fetched && !dense_alloc(p->type, rows, cols, &sets->result[i])) return false;
    fill_original(p, i, &sets->original[i]);
  }
  return true;
}

/* Columns that are allocated behind each matrix, and that belong to no matrix: OpenBLAS 0.3.21's ZGEMV, which its
 * ZHEEVD calls, reads behind a matrix and uses nothing of it (OpenBLAS's issue 4013). At the end of the heap it
 * would crash. */
enum { COLUMNS_BEHIND = 4 };

/* A copy of an original in the memory of the calls' context. */
static trigon_status make_copy(const operand_sets *sets, int i, trigon_matrix *copy) {
  const trigon_matrix *A = &sets->original[i];
  const int64_t behind = trigon_on_host(sets->ctx) ? COLUMNS_BEHIND : 0;
  trigon_status status = transfer_alloc(sets->ctx, A->type, A->rows, A->cols + behind, copy);
  copy->cols = A->cols;
  return status == TRIGON_OK ? trigon_upload(sets->ctx, *A, *copy) : status;
}

static trigon_status make_fresh(operand_sets *sets) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < count_operands(sets) && status == TRIGON_OK; i++)
    if (trigon_on_host(sets->ctx))
      sets->fresh[i] = sets->original[i];
    else if (is_written(sets->problem, i))
      status = make_copy(sets, i, &sets->fresh[i]);
  return status;
}

static trigon_status make_set(operand_sets *sets, int set) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < count_operands(sets) && status == TRIGON_OK; i++) status = make_copy(sets, i, &sets->set[set][i]);
  return status;
}

static trigon_status free_copies(trigon_context *ctx, trigon_matrix copies[MOST_OPERANDS]) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < MOST_OPERANDS && ctx; i++) {
    trigon_status freed = trigon_free(ctx, copies[i].data);
    copies[i].data = NULL;
    if (status == TRIGON_OK) status = freed;
  }
  return status;
}

bool operands_make(operand_sets *sets, double available, const verdict *to) {
  trigon_context *ctx = sets->ctx;
  const int most = sets_wanted(sets, available / fmax(operand_bytes(sets->problem), 1));
  if (!make_originals(sets)) return no_memory(to);
  if (!succeeded(to, "making operands", ctx, make_fresh(sets))) return false;
  for (sets->count = 0; sets->count < most; sets->count++) {
    trigon_status status = make_set(sets, sets->count);
    if (status == TRIGON_NO_MEMORY && sets->count > 0) /* then fewer sets must do */
      return succeeded(to, "freeing operands", ctx, free_copies(ctx, sets->set[sets->count]));
    if (!succeeded(to, "making operands", ctx, status)) return false;
  }
  return true;
}

bool operands_free(operand_sets *sets, bool done, const verdict *to) {
  for (int k = 0; k < MOST_SETS; k++) {
    trigon_status status = free_copies(sets->ctx, sets->set[k]);
    if (done) done = succeeded(to, "freeing operands", sets->ctx, status);
  }
  if (sets->ctx && !trigon_on_host(sets->ctx)) {
    trigon_status status = free_copies(sets->ctx, sets->fresh);
    if (done) done = succeeded(to, "freeing operands", sets->ctx, status);
  }
  for (int i = 0; i < MOST_OPERANDS; i++) {
    free(sets->original[i].data);
    free(sets->result[i].data);
  }
  return done;
}

/* ----------------------------------------------------------------------------------------- before and after -- */

trigon_status operands_restore(const operand_sets *sets, int set) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < count_operands(sets) && status == TRIGON_OK; i++)
    if (is_written(sets->problem, i)) status = trigon_copy(sets->ctx, sets->fresh[i], sets->set[set][i]);
  return status;
}

trigon_status operands_fetch(const operand_sets *sets, int set, trigon_matrix after[MOST_OPERANDS]) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < count_operands(sets) && status == TRIGON_OK; i++) {
    bool written = is_written(sets->problem, i);
    after[i] = trigon_on_host(sets->ctx) ? sets->set[set][i] : written ? sets->result[i] : sets->original[i];
    if (written) status = transfer_from(sets->ctx, &sets->set[set][i], &after[i]);
  }
  return status;
}
