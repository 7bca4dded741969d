/* batch_eigen.c - eigenproblems of a batch, as calls for one matrix each, and their workspace (batch_eigen.h). */
#include "batch_eigen.h"

#include "algo/algo.h"
#include "core/eigen_support.h"
#include "core/sizes.h"

/* The bytes of workspace for a matrix of order n. */
static int64_t workspace_for(const engine *e, const operation *o, int64_t n) {
  enum { alignment = 256 };
  const operation of_order = over(o, matrix_at(o->A.type, NULL, n, n, n), (view){0}, (view){0});
  const int64_t bytes = algo_syevd_workspace(e->machine->eigen, &of_order);
  return bytes < INT64_MAX - alignment ? up_to_multiple(bytes, alignment) : bytes;
}

/* The highest order of a problem whose entries are right. */
static int64_t largest_problem(const matrix_batch *b) {
  int64_t most = 0;
  for (int64_t i = 0; i < b->count; i++) {
    const int64_t n = size_at(&b->n, i);
    if (n > most && entry_fault(b, i, 1) == 0) most = n;
  }
  return most;
}

/* A slice of `bytes` for each of some threads. */
static trigon_status take_memory(engine *e, int threads, int64_t bytes, eigen_slices *s) {
  int64_t all;
  *s = (eigen_slices){NULL, bytes};
  if (__builtin_mul_overflow(bytes, threads, &all)) all = INT64_MAX;
  return e->machine->eigen->take(e->machine, all, &s->memory);
}

/* Larger orders need more. */
trigon_status take_slices(engine *e, const operation *o, int *threads, small_batch_limits *limits, eigen_slices *s) {
  const int64_t n = largest_problem(o->batch), group = limits->bytes;
  *s = (eigen_slices){0};
  if (n == 0) return TRIGON_OK;
  const int64_t needed = workspace_for(e, o, n);
  trigon_status status = take_memory(e, *threads, needed > group ? needed : group, s);
  if (status == TRIGON_NO_MEMORY && needed < group) {
    *limits = (small_batch_limits){0};
    status = take_memory(e, *threads, needed, s);
  }
  while (status == TRIGON_NO_MEMORY && *threads > 1) status = take_memory(e, --*threads, needed, s);
  return status;
}

void give_slices(engine *e, const eigen_slices *s) {
  if (s->memory) e->machine->eigen->give(e->machine, s->memory);
}

static trigon_status solve_one(engine *e, const operation *o, int64_t i, void *memory, bool *begun) {
  const matrix_batch *b = o->batch;
  const int64_t n = size_at(&b->n, i), ld = ld_at(&b->A, i);
  operation single = over(o, matrix_at(o->A.type, address_at(&b->A, i), n, n, ld > 1 ? ld : 1), (view){0}, (view){0});
  eigen_problem p = *o->eigen;
  p.values = matrix_at(real_type_of(o->A.type), values_at(&b->w, i), n, 1, n > 1 ? n : 1), p.memory = memory;
  single.batch = NULL, single.in_batch = true, single.info = &b->info[i], single.eigen = &p;
  return compute(e, &single, begun);
}

trigon_status solve_member(engine *e, const operation *o, int64_t i, void *memory) {
  bool begun;
  return solve_one(e, o, i, memory, &begun);
}

trigon_status solve_in_turns(engine *e, const operation *o, bool *started) {
  void *memory = NULL;
  machine *m = e->machine;
  trigon_status status = m->eigen->take(m, workspace_for(e, o, o->batch->n.all), &memory);
  if (status != TRIGON_OK) return status;
  for (int64_t i = 0; i < o->batch->count && status == TRIGON_OK; i++) {
    bool begun;
    status = solve_one(e, o, i, memory, &begun);
    *started = *started || begun;
  }
  m->eigen->give(m, memory);
  return status;
}
