/* gpu_batch.c - batched routines on the GPU: checks where the arrays are, and runs one launch or a few for all
 * matrices.
 *
 * Arrays of the device are used where they are, and the call waits for nothing. Arrays of the host are copied to the
 * leaf buffer, in rounds, and the call waits for the infos. */
#include <stdio.h>

#include "gpu/kernels/eigen/eigen_launchers.h"
#include "gpu_leaves.h"

/* --------------------------------------------------------------------------------------------------- arrays -- */

/* An array of a batch: its name, and where its address is stored. */
typedef struct array {
  const char *name;
  const void **address;
} array;

enum { MOST_ARRAYS = 10 };

/* The arrays of a batch, in the order of the arguments. Returns how many there are. */
static int arrays_of(matrix_batch *b, const char *k_name, array *all) {
  int count = 0;
  batch_size *const extents[] = {&b->m, &b->n, &b->k};
  batch_operand *const operands[] = {&b->A, &b->B, &b->C};
  const char *const size_names[] = {"m", "n", k_name};
  static const char *const names[] = {"A", "B", "C"}, *const leading[] = {"lda", "ldb", "ldc"};
  for (int i = 0; i < 3; i++)
    if (extents[i]->of) all[count++] = (array){size_names[i], (const void **)&extents[i]->of};
  for (int i = 0; i < 3; i++) {
    if (!operands[i]->at) continue;
    all[count++] = (array){names[i], (const void **)&operands[i]->at};
    all[count++] = (array){leading[i], (const void **)&operands[i]->lds};
  }
  if (b->w.at) all[count++] = (array){"w", (const void **)&b->w.at};
  if (b->info) all[count++] = (array){"info", (const void **)&b->info};
  return count;
}

static const char *name_of_k(const operation *o) {
  return o->routine == ROUTINE_POTRS || o->routine == ROUTINE_POSV ? "nrhs" : "k";
}

static bool are_on_host(const array *all, int count) {
  for (int i = 0; i < count; i++)
    if (tg_pointer_device(*all[i].address) >= 0) return false;
  return count > 0;
}

/* The memory of matrices that are a stride apart. */
static trigon_status check_strided(gpu *g, const char *name, const matrix_batch *b, const batch_operand *X,
                                   int64_t element) {
  if (X->position == 0 || X->at) return TRIGON_OK;
  const int64_t rows = size_named(b, X->rows, 0), cols = size_named(b, X->cols, 0);
  if (rows == 0 || cols == 0) return TRIGON_OK;
  /* The API has checked that neither term exceeds the address space. */
  const uint64_t bytes = (uint64_t)((b->count - 1) * X->stride) + (uint64_t)(((cols - 1) * X->ld + rows) * element);
  return gpu_check_memory(g, name, X->first, bytes > PTRDIFF_MAX ? PTRDIFF_MAX : (int64_t)bytes, element);
}

/* The values of matrices that are a stride apart, and whether the kernels can have the orders. */
static trigon_status check_eigen(gpu *g, const matrix_batch *b) {
  const int64_t n = b->n.all, reals = b->w.size;
  if (b->w.position == 0) return TRIGON_OK;
  if (b->n.of && (b->max_n == 0 || b->max_n > batch_solver_order)) {
    char text[160];
    snprintf(text, sizeof text,
             "max_n is %lld: eigenproblems of a batch with arrays need a bound from 1 to %d on a GPU",
             (long long)b->max_n, (int)batch_solver_order);
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, text);
  }
  if (b->n.of || n == 0) return TRIGON_OK;
  const uint64_t bytes = (uint64_t)((b->count - 1) * b->w.stride) + (uint64_t)(n * reals);
  return gpu_check_memory(g, "w", b->w.first, bytes > PTRDIFF_MAX ? PTRDIFF_MAX : (int64_t)bytes, reals);
}

/* Arrays are on the device, or all on the host. The matrices of arrays are not looked at: only the device knows where
 * they are. */
trigon_status gpu_check_batch(gpu *g, const operation *o) {
  matrix_batch b = *o->batch;
  array all[MOST_ARRAYS];
  const int count = arrays_of(&b, name_of_k(o), all);
  const int64_t entry = sizeof(int64_t), element = type_size(o->A.type);
  TRY(check_strided(g, "A", &b, &b.A, element));
  TRY(check_strided(g, "B", &b, &b.B, element));
  TRY(check_strided(g, "C", &b, &b.C, element));
  TRY(check_eigen(g, &b));
  if (are_on_host(all, count))
    return gpu_is_capturing(g)
               ? gpu_refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: arrays must be device memory")
               : TRIGON_OK;
  for (int i = 0; i < count; i++) TRY(gpu_check_memory(g, all[i].name, *all[i].address, b.count * entry, entry));
  return TRIGON_OK;
}

/* -------------------------------------------------------------------------------------------------- routines -- */

static trigon_status check_entries(gpu *g, batch_task *t, trigon_type type) {
  if (!t->of.info || t->of.is_checked) return TRIGON_OK;
  t->of.is_checked = true;
  return gpu_status(g, launch_check_batch(g->queue, type, t), "the check of a batch");
}

/* Without the first `staged` bytes of the leaf buffer. */
static dataflow_setup setup_behind(const gpu *g, int64_t staged) {
  dataflow_setup setup = gpu_dataflow_setup(g);
  if (setup.space != g->workspace.data) setup.space = (char *)setup.space + staged, setup.space_bytes -= staged;
  return setup;
}

static trigon_status factor_all(gpu *g, batch_task *t, trigon_type type, int64_t staged) {
  const dataflow_setup setup = setup_behind(g, staged);
  if (g->options.schedule.policy != SCHEDULE_AUTO) {
    TRY(check_entries(g, t, type));
    return gpu_factor_by_schedule(g, t, type, &setup);
  }
  return gpu_status(g, launch_potrf_batch(g->queue, type, t, &setup), "POTRF of a batch");
}

/* B = 0, if alpha is 0: then A is not read. */
static trigon_status clear_B(gpu *g, const batch_task *t, trigon_type type) {
  batch_task none = *t;
  none.of.C = t->of.B, none.beta = zero, none.op = none.opB = TRIGON_NOTRANS;
  return gpu_status(g, launch_product_batch(g->queue, type, &none), "a product of a batch");
}

static trigon_status solve(gpu *g, batch_task *t, trigon_type type, int64_t staged) {
  const dataflow_setup setup = setup_behind(g, staged);
  if (is_zero(t->alpha)) {
    TRY(check_entries(g, t, type));
    return clear_B(g, t, type);
  }
  return gpu_status(g, launch_trsm_batch(g->queue, type, t, &setup), "TRSM of a batch");
}

static trigon_status multiply(gpu *g, const batch_task *t, trigon_type type) {
  if (is_zero(t->alpha)) return clear_B(g, t, type);
  return gpu_status(g, launch_trmm_batch(g->queue, type, t), "TRMM of a batch");
}

/* With both triangles of A's factor, in the order in which they are multiplied. */
static trigon_status solve_with_factor(gpu *g, const batch_task *t, trigon_type type, int64_t staged) {
  batch_task s = *t;
  s.side = TRIGON_LEFT, s.diag = TRIGON_NONUNIT, s.alpha = one, s.twice = true;
  s.op = s.uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  return solve(g, &s, type, staged);
}

/* POSV. Small matrices are computed in one piece. If there may be others, POTRF and TRSM compute these. A schedule that
 * the context's name asks for is POTRF's, so there is nothing to compute in one piece. */
static trigon_status factor_and_solve(gpu *g, batch_task *t, trigon_type type, int64_t staged) {
  if (g->options.schedule.policy != SCHEDULE_AUTO) {
    TRY(factor_all(g, t, type, staged));
    return solve_with_factor(g, t, type, staged);
  }
  unsigned *const ticket = gpu_dataflow_setup(g).words.ticket;
  TRY(gpu_status(g, launch_posv_batch(g->queue, type, t, ticket), "POSV of a batch"));
  TRY(check_entries(g, t, type));
  const bool has_larger = most_order(&t->of) > t->done, has_many = t->of.k.of || t->of.k.all > posv_columns;
  if (has_larger) TRY(factor_all(g, t, type, staged));
  return has_larger || has_many ? solve_with_factor(g, t, type, staged) : TRIGON_OK;
}

/* TRTRI, or POTRI. */
static trigon_status invert(gpu *g, batch_task *t, trigon_type type, int64_t staged) {
  const dataflow_setup setup = setup_behind(g, staged);
  if (t->product) t->diag = TRIGON_NONUNIT;
  return gpu_status(g, launch_invert_batch(g->queue, type, t, &setup), "inverses of a batch");
}

/* During a capture there may be no workspace, and none is allocated: then vectors are found in another way. */
bool gpu_batch_takes_workspace(gpu *g, const operation *o) {
  return o->eigen && wants_vectors(o->eigen) && most_order(o->batch) > batch_shared_order &&
         (g->workspace.data || !gpu_is_capturing(g));
}

static trigon_status solve_eigen(gpu *g, batch_task *t, trigon_type type, bool vectors, int64_t staged) {
  enum { alignment = 256 };
  const dataflow_setup setup = setup_behind(g, (staged + alignment - 1) / alignment * alignment);
  const solved_batch b = {*t, vectors, setup.space, setup.space_bytes};
  TRY(check_entries(g, t, type));
  return gpu_status(g, launch_syevd_batch(g->queue, type, &b), "eigenproblems of a batch");
}

/* Arrays of `b` are on the device. The first `staged` bytes behind the info block are in use. */
static trigon_status run(gpu *g, const operation *o, const matrix_batch *b, int64_t staged) {
  const trigon_type type = o->A.type;
  const bool is_potri = o->routine == ROUTINE_POTRI;
  batch_task t = {*b,       o->side, o->uplo, o->op, o->opB,   o->adjoint,         o->diag,
                  o->alpha, o->beta, 0,       false, is_potri, is_potri && o->both};
  if (o->routine == ROUTINE_POTRF) return factor_all(g, &t, type, staged);
  if (o->routine == ROUTINE_POSV) return factor_and_solve(g, &t, type, staged);
  if (o->routine == ROUTINE_TRTRI || is_potri) return invert(g, &t, type, staged);
  if (o->eigen) return solve_eigen(g, &t, type, wants_vectors(o->eigen), staged);
  if (o->routine == ROUTINE_TRSM) return solve(g, &t, type, staged);
  if (o->routine == ROUTINE_POTRS) return solve_with_factor(g, &t, type, staged);
  TRY(check_entries(g, &t, type));
  if (o->routine == ROUTINE_TRMM) return multiply(g, &t, type);
  return gpu_status(g, launch_product_batch(g->queue, type, &t), "a product of a batch");
}

/* Begins a part of the batch, whose arrays are on the host. */
static trigon_status begin_round(gpu *g, const operation *o, matrix_batch part) {
  array all[MOST_ARRAYS];
  const int count = arrays_of(&part, name_of_k(o), all);
  const size_t bytes = (size_t)part.count * sizeof(int64_t);
  char *const space = (char *)g->info_block + info_block_bytes;
  int64_t *const info = part.info;
  for (int i = 0; i < count; i++) {
    void *there = space + (size_t)i * bytes;
    if (*all[i].address != info)
      TRY(gpu_status(g, cudaMemcpyAsync(there, *all[i].address, bytes, cudaMemcpyHostToDevice, g->queue.stream),
                     "copying an array of a batch"));
    *all[i].address = there;
  }
  TRY(run(g, o, &part, (int64_t)((size_t)count * bytes)));
  return gpu_status(g, cudaMemcpyAsync(info, part.info, bytes, cudaMemcpyDeviceToHost, g->queue.stream),
                    "copying the infos of a batch");
}

/* The caller may change the arrays when the call returns, whether it has failed or not. */
static trigon_status run_round(gpu *g, const operation *o, matrix_batch part) {
  const trigon_status status = begin_round(g, o, part);
  if (status == TRIGON_OK) return gpu_wait(g);
  (void)cudaStreamSynchronize(g->queue.stream);
  return status;
}

trigon_status gpu_run_batch(gpu *g, const operation *o) {
  enum { ROUND = TG_TILE(40, 12 << 10) }; /* half of the leaf buffer, and room for the lists of POTRF and TRSM */
  array all[MOST_ARRAYS];
  matrix_batch b = *o->batch;
  if (g->options.native && o->routine == ROUTINE_POTRF)
    return gpu_solver_run_batch(g->solver, o, g->queue, g->machine.why);
  /* cuBLAS's HERK reads A though it is multiplied by 0. */
  if (g->options.native && !is_zero(o->alpha)) return gpu_vendor_run_batch(g, o);
  if (!are_on_host(all, arrays_of(&b, name_of_k(o), all))) return run(g, o, &b, 0);
  for (int64_t at = 0; at < b.count; at += ROUND)
    TRY(run_round(g, o, part_of(&b, at, b.count - at < ROUND ? b.count - at : ROUND)));
  return TRIGON_OK;
}
