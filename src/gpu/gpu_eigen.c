/* gpu_eigen.c - the GPU's part of the eigensolver (core/eigen_support.h): one launch, or a few, for each of its steps.
 *
 * Nothing waits for the device. So the sizes of a merge are those of the worst case: see merge_halves.cu. */
#include "common/address.h"
#include "common/eigen/divide.h"
#include "gpu/kernels/eigen/eigen_launchers.h"
#include "gpu_leaves.h"

static_assert(most_leaf_rows == 32, "conquer.c makes leaves of at most 32 rows");

static trigon_status scale(machine *m, trigon_uplo uplo, view A, view by) {
  gpu *g = gpu_on(m);
  const scaled_triangle p = {uplo == TRIGON_LOWER, A.n, A.ld, address_of(A), address_of(by), &g->info_block->failure};
  g->may_fail = true;
  return gpu_status(g, launch_scale_triangle(g->queue, A.type, &p), "the scaling of a matrix");
}

static trigon_status make_real(machine *m, view A) {
  gpu *g = gpu_on(m);
  return gpu_status(g, launch_make_real(g->queue, A.type, address_of(A)), "the diagonal of a matrix");
}

static trigon_status mirror(machine *m, trigon_uplo uplo, view A, view square, bool back) {
  gpu *g = gpu_on(m);
  const mirrored_triangle p = {uplo == TRIGON_LOWER, back, A.n, A.ld, square.ld, address_of(A), address_of(square)};
  return gpu_status(g, launch_mirror_triangle(g->queue, A.type, &p), "the mirror image of a triangle");
}

static trigon_status reflect(machine *m, view x, view d, view e, view taus) {
  gpu *g = gpu_on(m);
  const reflected p = {.n = x.m,
                       .inc = increment_of(x),
                       .x = address_of(x),
                       .d = address_of(d),
                       .e = address_of(e),
                       .tau = address_of(taus),
                       .inverse = address_of(block(taus, 0, 1, 1, 1))};
  return gpu_status(g, launch_reflect(g->queue, x.type, &p), "a reflector");
}

static trigon_status complete(machine *m, view v, view taus, view p, view w) {
  gpu *g = gpu_on(m);
  const completed task = {v.m, address_of(v), address_of(taus), address_of(p), address_of(w)};
  return gpu_status(g, launch_complete(g->queue, v.type, &task), "a column of the reduction");
}

static trigon_status copy_columns(gpu *g, view from, view to, copied_columns p) {
  p.rows = to.m, p.cols = to.n, p.ld_from = from.ld, p.ld_to = to.ld;
  p.from = address_of(from), p.to = address_of(to);
  p.from_real = from.type != to.type;
  return gpu_status(g, launch_copy_columns(g->queue, to.type, &p), "a copy of columns");
}

static trigon_status copy_reflectors(machine *m, trigon_uplo uplo, view from, view to) {
  const bool lower = uplo == TRIGON_LOWER;
  const copied_columns p = {.above = lower ? 0 : from.n, .below = lower ? from.m : from.m - from.n};
  return copy_columns(gpu_on(m), from, to, p);
}

/* A diagonal is a row whose leading dimension is larger by one. */
static trigon_status set_diagonal(machine *m, view taus, view S) {
  view from = block(taus, 0, 1, 1, S.n), to = block(S, 0, 0, 1, S.n);
  from.base = address_of(from), to.base = address_of(to);
  from.row = from.col = to.row = to.col = 0;
  from.ld = 1, to.ld = S.ld + 1;
  return copy_columns(gpu_on(m), from, to, (copied_columns){.above = S.n, .below = S.n});
}

static trigon_status gather(machine *m, const int64_t *order, int64_t first, view Z, view to) {
  const copied_columns p = {.above = to.n, .below = to.m, .order = order, .first = first};
  return copy_columns(gpu_on(m), Z, to, p);
}

/* ----------------------------------------------------------------------------------------------------- bands -- */

static panel_matrix strided_panel(trigon_uplo uplo, view X) {
  const bool lower = uplo == TRIGON_LOWER;
  return (panel_matrix){.m = lower ? X.m : X.n,
                        .row = lower ? 1 : X.ld,
                        .col = lower ? X.ld : 1,
                        .cols = (int)(lower ? X.n : X.m),
                        .conjugate = !lower,
                        .X = address_of(X)};
}

static trigon_status update_panel(machine *m, trigon_uplo uplo, view V, view W, view X) {
  gpu *g = gpu_on(m);
  const updated_panel p = {strided_panel(uplo, X), V.n, V.ld, address_of(V), address_of(W)};
  return gpu_status(g, launch_update_panel(g->queue, X.type, &p), "the update of a panel");
}

static trigon_status factor_panel(machine *m, trigon_uplo uplo, view X, view taus, view V, void *work) {
  gpu *g = gpu_on(m);
  const factored_panel p = {strided_panel(uplo, X), taus.ld, V.ld, address_of(taus), address_of(V), work};
  return gpu_status(g, launch_factor_panel(g->queue, X.type, &p), "the factorization of a panel");
}

static int64_t panel_bytes(trigon_type type, int64_t m) { return panel_work_elements(m) * type_size(type); }

static trigon_status complete_panel(machine *m, view V, view W, view taus) {
  gpu *g = gpu_on(m);
  const dataflow_setup setup = gpu_dataflow_setup(g);
  const panel_products p = {.m = V.m,
                            .ld = V.ld,
                            .done = (int)(V.n - taus.m),
                            .reflectors = (int)taus.m,
                            .V = address_of(V),
                            .taus = address_of(taus),
                            .W = address_of(W),
                            .counters = setup.words.flags,
                            .space = setup.space,
                            .space_bytes = setup.space_bytes};
  return gpu_status(g, launch_panel_products(g->queue, V.type, &p), "the products of a panel");
}

static trigon_status copy_panel(machine *m, trigon_uplo uplo, view X, view V) {
  gpu *g = gpu_on(m);
  panel_matrix of = strided_panel(uplo, X);
  of.cols = (int)V.n;
  return gpu_status(g, launch_copy_panel(g->queue, X.type, &(copied_panel){of, V.ld, address_of(V)}),
                    "a copy of reflectors");
}

static trigon_status clear(machine *m, view X) {
  gpu *g = gpu_on(m);
  const size_t bytes = (size_t)(X.ld * X.n * type_size(X.type));
  return gpu_status(g, cudaMemsetAsync(address_of(X), 0, bytes, g->queue.stream), "clearing a matrix");
}

/* The band, then the words of the launch. */
static int64_t band_part(trigon_type type, int64_t n) {
  return 2 * band_width * (n + 2 * band_width) * type_size(type);
}
static int64_t band_bytes(trigon_type type, int64_t n) {
  return band_part(type, n) + (n + 1) * (int64_t)sizeof(unsigned);
}

static trigon_status chase(machine *m, trigon_uplo uplo, bool keeps, view A, view d, view e, void *work) {
  gpu *g = gpu_on(m);
  const chased_band p = {.lower = uplo == TRIGON_LOWER,
                         .keeps = keeps,
                         .n = A.n,
                         .ld = A.ld,
                         .A = address_of(A),
                         .band = work,
                         .d = address_of(d),
                         .e = address_of(e),
                         .words = (unsigned *)(void *)((char *)work + band_part(A.type, A.n))};
  return gpu_status(g, launch_chase_band(g->queue, A.type, &p), "the reduction of a band");
}

static trigon_status apply_chase(machine *m, trigon_uplo uplo, view A, view Z, void *work, int64_t bytes) {
  gpu *g = gpu_on(m);
  const chase_product p = {.lower = uplo == TRIGON_LOWER,
                           .n = A.n,
                           .ld = A.ld,
                           .cols = Z.n,
                           .ldz = Z.ld,
                           .A = address_of(A),
                           .Z = address_of(Z),
                           .work = work,
                           .work_bytes = bytes};
  return gpu_status(g, launch_apply_chase(g->queue, A.type, &p), "the vectors of a band");
}

/* -------------------------------------------------------------------------------------- tridiagonal matrices -- */

static trigon_status copy_tridiagonal(machine *m, view d, view e, view to_d, view to_e, view scale) {
  gpu *g = gpu_on(m);
  const copied_tridiagonal p = {d.m,
                                address_of(d),
                                address_of(e),
                                address_of(to_d),
                                address_of(to_e),
                                address_of(scale),
                                &g->info_block->failure};
  g->may_fail = true;
  return gpu_status(g, launch_copy_tridiagonal(g->queue, d.type, &p), "a copy of a tridiagonal matrix");
}

static trigon_status positions(machine *m, const eigen_problem *p, const int64_t *order, view d, view by,
                               int64_t *first, int64_t *last) {
  const bool is_part = p->range == TRIGON_RANGE_INDICES;
  (void)m, (void)order, (void)by;
  *first = is_part ? p->first - 1 : 0, *last = is_part ? p->last : d.m;
  return TRIGON_OK;
}

/* Bisection finds the wanted values behind e, and they are copied to d. */
static trigon_status values(machine *m, const eigen_problem *wanted, view d, view e, view by) {
  gpu *g = gpu_on(m);
  const view found = block(e, d.m, 0, d.m, 1);
  int64_t first, last;
  TRY(positions(m, wanted, NULL, d, by, &first, &last));
  const tridiagonal p = {.n = d.m,
                         .first = first,
                         .count = last - first,
                         .d = address_of(d),
                         .e = address_of(e),
                         .scale = address_of(by),
                         .values = address_of(found)};
  TRY(gpu_status(g, launch_tridiagonal_values(g->queue, d.type, &p), "eigenvalues by bisection"));
  return copy_columns(g, block(found, first, 0, p.count, 1), block(d, first, 0, p.count, 1),
                      (copied_columns){.above = 1, .below = d.m});
}

static trigon_status leaves(machine *m, int level, view d, view e, view by, view Z, int64_t *order) {
  gpu *g = gpu_on(m);
  const leaf_problems p = {.n = d.m,
                           .ldz = Z.ld,
                           .level = level,
                           .d = address_of(d),
                           .e = address_of(e),
                           .scale = address_of(by),
                           .Z = address_of(Z),
                           .order = order,
                           .failure = &g->info_block->failure};
  TRY(clear(m, Z));
  return gpu_status(g, launch_tridiagonal_leaves(g->queue, d.type, &p), "the leaves of divide and conquer");
}

static trigon_status choose_interval(machine *m, const eigen_problem *p, int64_t *order, view d, view by) {
  gpu *g = gpu_on(m);
  const chosen_interval task = {.n = d.m,
                                .lower = p->lower,
                                .upper = p->upper,
                                .d = address_of(d),
                                .scale = address_of(by),
                                .order = order,
                                .found = p->found};
  return gpu_status(g, launch_choose_interval(g->queue, d.type, &task), "the values of an interval");
}

static trigon_status store_found(machine *m, int64_t count, int64_t *found) {
  gpu *g = gpu_on(m);
  return gpu_status(g, launch_store_found(g->queue, &(stored_found){count, found}), "the number of values");
}

/* The positions of the wanted vectors: all, or those of a problem. */
static trigon_status wanted_positions(machine *m, const eigen_problem *wanted, view values, view by, int64_t *first,
                                      int64_t *columns) {
  int64_t last = values.m;
  *first = 0;
  if (wanted) TRY(positions(m, wanted, NULL, values, by, first, &last));
  *columns = last - *first;
  return TRIGON_OK;
}

/* The distances from the poles take the place of the products until these are made. */
static trigon_status merge_level(machine *m, const eigen_level *o) {
  gpu *g = gpu_on(m);
  const int64_t n = o->values.m;
  const trigon_type type = o->Z.type;
  merged_level p = {.n = n,
                    .level = o->level,
                    .ldz = o->Z.ld,
                    .ld_distances = o->other.ld,
                    .ld_small = o->Z.ld,
                    .d = address_of(o->values),
                    .e = address_of(o->couplings),
                    .Z = address_of(o->Z),
                    .distances = address_of(o->other),
                    .small = o->spare,
                    .reals = (char *)o->spare + n * n * type_size(type),
                    .order = o->order,
                    .integers = o->scratch};
  TRY(wanted_positions(m, o->wanted, o->values, o->scale, &p.first, &p.columns));
  TRY(gpu_status(g, launch_deflate_columns(g->queue, type, &p), "the columns of a merge"));
  return gpu_status(g, launch_merge_halves(g->queue, type, &p), "a merge of divide and conquer");
}

/* Products of the halves' vectors, which are in Z, with the small problem's, which are in the same block of the spare
 * memory. The wanted columns come in ascending order. */
static trigon_status merge(machine *m, const eigen_merge *o, eigen_products *p) {
  const int64_t n1 = o->n1, n2 = o->n2;
  view small = o->Z;
  int64_t first, columns;
  small.base = o->spare;
  TRY(wanted_positions(m, o->wanted, o->values, o->scale, &first, &columns));
  *p = (eigen_products){.column = first, .columns = columns};
  p->half[0] = block(o->Z, 0, 0, n1, n1), p->half[1] = block(o->Z, n1, n1, n2, n2);
  p->small[0] = block(small, 0, 0, n1, columns), p->small[1] = block(small, n1, 0, n2, columns);
  p->to[0] = block(o->other, 0, first, n1, columns), p->to[1] = block(o->other, n1, first, n2, columns);
  return TRIGON_OK;
}

static trigon_status store_values(machine *m, const int64_t *order, int64_t first, view d, view by, view to) {
  gpu *g = gpu_on(m);
  const stored_values p = {to.m, first, address_of(d), address_of(by), order, address_of(to)};
  return gpu_status(g, launch_store_values(g->queue, d.type, &p), "storing eigenvalues");
}

static const eigen_support gpu_eigen = {
    .alternates = true,
    .batch_order = batch_solver_order,
    .take = gpu_take,
    .give = gpu_give,
    .scale = scale,
    .make_real = make_real,
    .square_order = TG_TILE(24, 1024), /* TRSM and TRMM are fast from here on */
    .mirror = mirror,
    .reflect = reflect,
    .complete = complete,
    .bandwidth = band_width,
    .least_band = TG_TILE(8, 192),
    .update_panel = update_panel,
    .factor_panel = factor_panel,
    .complete_panel = complete_panel,
    .panel_bytes = panel_bytes,
    .copy_panel = copy_panel,
    .clear = clear,
    .chase = chase,
    .apply_chase = apply_chase,
    .band_bytes = band_bytes,
    .copy_reflectors = copy_reflectors,
    .set_diagonal = set_diagonal,
    .copy_tridiagonal = copy_tridiagonal,
    .values = values,
    .positions = positions,
    .choose_interval = choose_interval,
    .store_found = store_found,
    .leaves = leaves,
    .merge_level = merge_level,
    .merge = merge,
    .gather = gather,
    .store_values = store_values,
};

void gpu_open_eigen(gpu *g) {
  g->eigen = gpu_eigen;
  if (g->options.stages == 1) g->eigen.least_band = INT64_MAX;
  if (g->options.stages == 2) g->eigen.least_band = 0;
}
