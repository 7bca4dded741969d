/* cpu_divide.c - a merge of divide and conquer on the CPU: the loops of divide.inc, shared by threads. */
#include <string.h>

#include "common/address.h"
#include "core/sizes.h"
#include "cpu_eigen.h"
#include "eigen_kernels.h"

/* A merge at work. The arrays of reals behind the (n1 + n2)² of `spare`, and those of integers in `scratch`. */
typedef struct merge_work {
  const tridiagonal_kernels *loops;
  merging m;
  char *spare; /* the kept columns of both halves, then free */
  char *rest;  /* behind them */
  int64_t size, chunks;
  int64_t first, last; /* the columns whose vectors are wanted */
} merge_work;

enum {
  parallel_order = 128,  /* from here on threads share a merge: below, waking them takes as long as the work */
  chunks_per_thread = 4, /* roots take different times */
  rows_of_chunk = 4      /* at least, so that the spare memory holds n reals for each chunk */
};

static void *real_at(const merge_work *w, const void *data, int64_t i) { return (char *)data + i * w->size; }

static merge_work begin_merge(machine *host, const eigen_merge *o) {
  const int64_t n = o->n1 + o->n2, size = type_size(o->Z.type);
  char *reals = (char *)o->spare + (n + 1) * n * size;
  merge_work w = {.loops = tridiagonal_kernels_for(o->Z.type), .spare = o->spare, .size = size};
  w.m = (merging){.n1 = o->n1,
                  .n = n,
                  .d = address_of(o->values),
                  .Z = address_of(o->Z),
                  .ldz = o->Z.ld,
                  .z = reals,
                  .kept_d = reals + n * size,
                  .kept_z = reals + 2 * n * size,
                  .product = reals + 3 * n * size,
                  .order = o->order,
                  .at = o->scratch,
                  .row = o->scratch + n,
                  .kind = (signed char *)(o->scratch + 2 * n)};
  w.chunks = n < parallel_order ? 1 : least(chunks_per_thread * machine_threads(host), n / rows_of_chunk);
  return w;
}

/* Part i of `count` numbers. */
static int64_t part(const merge_work *w, int64_t count, int64_t i) { return count * i / w->chunks; }

/* ---------------------------------------------------------------------------------------------------- steps -- */

/* Copies a column that is kept to where the product reads its halves. */
static void pack_column(merge_work *w, int64_t p) {
  const merging *m = &w->m;
  const int64_t n1 = m->n1, n2 = m->n - n1, place = m->row[p], top = m->kinds[0], above = top + m->kinds[1];
  const char *from = real_at(w, m->Z, m->at[p] * m->ldz);
  if (place < above) memcpy(real_at(w, w->spare, place * n1), from, (size_t)(n1 * w->size));
  if (place >= top)
    memcpy(real_at(w, w->spare, above * n1 + (place - top) * n2), from + n1 * w->size, (size_t)(n2 * w->size));
}

static void pack_chunk(int64_t i, void *job) {
  merge_work *w = job;
  for (int64_t p = part(w, w->m.kept, i); p < part(w, w->m.kept, i + 1); p++) pack_column(w, p);
}

/* Moves the deflated columns behind the kept ones, by way of the spare memory. */
static void move_deflated(merge_work *w) {
  const merging *m = &w->m;
  const size_t bytes = (size_t)(m->n * w->size);
  for (int64_t p = m->kept; p < m->n; p++)
    memcpy(w->rest + (size_t)(p - m->kept) * bytes, real_at(w, m->Z, m->at[p] * m->ldz), bytes);
  for (int64_t p = m->kept; p < m->n; p++)
    memcpy(real_at(w, m->Z, p * m->ldz), w->rest + (size_t)(p - m->kept) * bytes, bytes);
}

static void root_chunk(int64_t i, void *job) {
  merge_work *w = job;
  const merging *m = &w->m;
  for (int64_t p = part(w, m->kept, i); p < part(w, m->kept, i + 1); p++)
    w->loops->root(m, p, m->Z, m->ldz, real_at(w, m->d, p));
}

static void recompute_chunk(int64_t i, void *job) {
  merge_work *w = job;
  w->loops->recompute(&w->m, part(w, w->m.kept, i), part(w, w->m.kept, i + 1), w->m.Z, w->m.ldz);
}

static void vector_chunk(int64_t i, void *job) {
  merge_work *w = job;
  const int64_t count = w->last - w->first;
  void *work = real_at(w, w->rest, i * w->m.n);
  for (int64_t p = part(w, count, i); p < part(w, count, i + 1); p++)
    w->loops->vector(&w->m, w->first + p, w->m.Z, w->m.ldz, work);
}

/* The kept columns among those that are wanted: they follow each other. */
static void find_columns(merge_work *w, machine *host, const eigen_merge *o) {
  int64_t first = 0, last = w->m.n;
  if (o->wanted) (void)cpu_positions(host, o->wanted, w->m.order, o->values, o->scale, &first, &last);
  w->first = w->m.kept, w->last = 0;
  for (int64_t p = first; p < last; p++) {
    const int64_t column = w->m.order[p];
    if (column >= w->m.kept) continue;
    w->first = least(w->first, column);
    w->last = column + 1;
  }
  w->last = w->last > w->first ? w->last : w->first;
}

/* ------------------------------------------------------------------------------------------------- products -- */

static view dense(trigon_type type, void *data, int64_t rows, int64_t cols) {
  return view_of((trigon_matrix){data, type, rows, cols, rows > 0 ? rows : 1});
}

static void describe_products(const merge_work *w, const eigen_merge *o, eigen_products *p) {
  const merging *m = &w->m;
  const trigon_type type = o->Z.type;
  const int64_t top = m->kinds[0], above = top + m->kinds[1], below = m->kept - top, columns = w->last - w->first;
  p->column = w->first, p->columns = columns;
  p->source[0] = 0, p->source[1] = top;
  p->half[0] = dense(type, w->spare, o->n1, above);
  p->half[1] = dense(type, real_at(w, w->spare, above * o->n1), o->n2, below);
  p->small[0] = dense(type, w->rest, above, columns);
  p->small[1] = dense(type, w->rest, below, columns);
  p->to[0] = block(o->Z, 0, w->first, o->n1, columns);
  p->to[1] = block(o->Z, o->n1, w->first, o->n2, columns);
}

/* Copies columns of the small problem's vectors, which are in Z. */
trigon_status cpu_copy_small(machine *host, const eigen_merge *o, const eigen_products *p, int half) {
  const view to = p->small[half];
  const int64_t size = type_size(to.type);
  (void)host;
  for (int64_t j = 0; j < to.n; j++)
    memcpy((char *)address_of(to) + j * to.ld * size, address_of(block(o->Z, p->source[half], p->column + j, 1, 1)),
           (size_t)(to.m * size));
  return TRIGON_OK;
}

/* The spare memory suffices: a column of both halves comes from a rotation, which deflates another one, so that at most
 * n1 columns have a part in the first half and at most n2 in the second. Their copies take n1² + n2², which leaves room
 * for max(n1, n2)·n, the copy of small[half]; and the deflated columns, which are moved first, take the place of those
 * that are not kept. */
trigon_status cpu_merge(machine *host, const eigen_merge *o, eigen_products *p) {
  merge_work w = begin_merge(host, o);
  merging *m = &w.m;
  const double coupling =
      type_is_single(o->Z.type) ? (double)*(float *)address_of(o->coupling) : *(double *)address_of(o->coupling);
  w.loops->deflate(m, coupling);
  const int64_t above = m->kinds[0] + m->kinds[1], below = m->kept - m->kinds[0];
  w.rest = real_at(&w, w.spare, above * o->n1 + below * o->n2);
  machine_parallel_for(host, w.chunks, pack_chunk, &w);
  move_deflated(&w);
  machine_parallel_for(host, w.chunks, root_chunk, &w);
  machine_parallel_for(host, w.chunks, recompute_chunk, &w);
  w.loops->order(m);
  find_columns(&w, host, o);
  machine_parallel_for(host, w.chunks, vector_chunk, &w);
  describe_products(&w, o, p);
  return TRIGON_OK;
}
