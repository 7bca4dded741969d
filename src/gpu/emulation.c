/* emulation.c - emulated arithmetic on one GPU (fp64/emulation_support.h): steps, matrices of pairs, times. */
#include "gpu/kernels/fp64/double_float/double_float_launchers.h"
#include "gpu/kernels/fp64/int8/int8_launchers.h"

#include "fp64/double_float/double_float_matrices.h"
#include "gpu_leaves.h"

static gpu *gpu_below(engine *e) { return gpu_on(e->machine); }

/* The arrays that begin with zeros follow each other. If both sets have the same lines, one has none of its own. */
static trigon_status find_lines(engine *native, const emulation *e) {
  gpu *g = gpu_below(native);
  emulation lines = *e;
  if (e->same_lines) lines.B.count = 0;
  char *const first = (char *)e->A.upper, *const end = (char *)(e->probes + 1);
  TRY(gpu_status(g, cudaMemsetAsync(first, 0, (size_t)(end - first), g->queue.stream), "clearing bounds"));
  return gpu_status(g, launch_find_lines(g->queue, &lines), "the statistics of an emulated product");
}

static trigon_status pack_ceilings(engine *native, const emulation *e, const line_set *side) {
  const packing p = {*e, side == &e->A};
  return gpu_status(gpu_below(native), launch_pack_ceilings(gpu_below(native)->queue, &p), "ceilings");
}

static trigon_status find_bounds(engine *native, const emulation *e) {
  return gpu_status(gpu_below(native), launch_find_bounds(gpu_below(native)->queue, e), "the bounds of a product");
}

static trigon_status choose(engine *native, const emulation *e) {
  return gpu_status(gpu_below(native), launch_choose(gpu_below(native)->queue, e), "the choice of moduli");
}

static trigon_status make_residues(engine *native, const emulation *e, const line_set *side) {
  const packing p = {*e, side == &e->A};
  return gpu_status(gpu_below(native), launch_make_residues(gpu_below(native)->queue, &p), "residues");
}

static trigon_status multiply(engine *native, const emulation *e) {
  const residue_products p = {.m = e->A.present,
                              .n = e->B.present,
                              .k = e->depth,
                              .most = e->most,
                              .moduli = &e->choice->moduli,
                              .A = e->A.planes,
                              .B = e->B.planes,
                              .a_plane = e->A.plane,
                              .b_plane = e->B.plane,
                              .c_plane = e->plane,
                              .C = e->residues,
                              .ldc = e->ld,
                              .adds = e->first > 0,
                              .part = part_of_block(e)};
  return gpu_status(gpu_below(native), launch_residue_products(gpu_below(native)->queue, &p), "products of residues");
}

static trigon_status finish(engine *native, const emulation *e) {
  return gpu_status(gpu_below(native), launch_finish_product(gpu_below(native)->queue, e), "the end of a product");
}

/* Records the whole operation, natively, for the case that all tiles fall back. The engine works in the stream of the
 * record meanwhile. If this fails, nothing is lost: the product kernel can compute all tiles, too. */
static trigon_status record_natively(gpu *g, const emulation *e, bool *recorded) {
  const queue main = g->queue;
  if (!g->recording)
    TRY(gpu_status(g, cudaStreamCreateWithFlags(&g->recording, cudaStreamNonBlocking), "making a stream"));
  conditional *const body = condition_record(&e->choice->moduli, g->recording);
  g->unconditional = !body;
  if (!body) return TRIGON_OK;
  condition_keep(&g->conditions, body);
  g->queue.stream = g->recording, g->queue.sides = NULL;
  const bool complete = gpu_follow_stream(g) == TRIGON_OK && gpu_run(&g->engine, e->o) == TRIGON_OK;
  g->queue = main;
  *recorded = condition_end(body, complete);
  if (*recorded) TRY(gpu_status(g, condition_launch(body, main.stream), "the native product"));
  return gpu_follow_stream(g);
}

/* Each body holds memory of the driver until it is freed. They are freed when the context waits anyway (gpu_wait),
 * because the host can launch nothing meanwhile, or here, when there are many. */
static trigon_status make_room_for_body(gpu *g) {
  enum { most_bodies = 64 };
  if (condition_count(g->conditions) < most_bodies) return TRIGON_OK;
  TRY(gpu_status(g, cudaStreamSynchronize(g->queue.stream), "waiting for emulated products"));
  condition_free(&g->conditions, false);
  return TRIGON_OK;
}

/* Only the guaranteed grade has products of which nothing can be proved. A capture of the caller's cannot take up the
 * record, and the engine must be able to take the operation whole. */
static bool may_record(gpu *g, const emulation *e) {
  return has_conditions() && e->grade == FP64_GUARANTEED && g->blas && !g->unconditional && !gpu_is_capturing(g) &&
         g->engine.cut(&g->engine, e->o) == 0;
}

/* The product kernel, with the tiles left out that were emulated. A tile has half as many rows of complex numbers. An
 * upper triangle is computed as the lower one of the transpose, and so is SYMM with A on the right. */
static trigon_status run_natively(engine *native, const emulation *e) {
  gpu *g = gpu_below(native);
  bool recorded = false; /* what to do if all tiles fall back */
  if (may_record(g, e)) {
    TRY(make_room_for_body(g));
    TRY(record_natively(g, e, &recorded));
  }
  const int32_t *headroom = recorded ? &e->choice->some_headroom : &e->choice->headroom;
  const bool is_symm = e->o->routine == ROUTINE_SYMM;
  product p = e->triangle ? fold_update(e->o) : is_symm ? fold_symm(e->o) : fold_gemm(e->o);
  const int64_t height = e->is_complex ? fp64_tile / 2 : fp64_tile;
  p.mask = (tile_mask){e->headroom_bits, headroom, 1, e->B.across, height, fp64_tile};
  if (e->triangle == TRIANGLE_UPPER || (is_symm && e->o->side == TRIGON_RIGHT))
    p.mask = (tile_mask){e->headroom_bits, headroom, e->B.across, 1, fp64_tile, height};
  return gpu_status(g, launch_gemm(g->queue, e->o->C.type, &p), "the tiles that fall back");
}

static trigon_status multiply_by_pairs(engine *native, const operation *o, void *buffer, int64_t bytes) {
  gpu *g = gpu_below(native);
  const product p = fold_gemm(o);
  return gpu_status(g, launch_double_float_gemm(g->queue, o->C.type, &p, buffer, bytes), "a product by pairs");
}

/* ------------------------------------------------------------------------------------------- matrices of pairs -- */

/* On the stream, like a copy: nothing is waited for. */
static trigon_status launched(gpu *g, cudaError_t error, const char *what) {
  g->busy = g->busy || !gpu_is_capturing(g);
  return gpu_status(g, error, what);
}

static trigon_status multiply_matrices(gpu *g, const operation *o) {
  const double_float_product pairs = double_float_product_of(o);
  if (pairs.k > 0) TRY(gpu_check_view(g, "A", o->A));
  if (pairs.k > 0) TRY(gpu_check_view(g, "B", o->B));
  TRY(gpu_check_view(g, "C", o->C));
  return launched(g, launch_gemm_pairs(g->queue, &pairs), "a product of pairs");
}

static trigon_status gemm_of_pairs(machine *m, const operation *o) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, multiply_matrices(g, o));
}

static trigon_status copy_matrices(gpu *g, view from, view to) {
  const bool to_pairs = from.type == TRIGON_D;
  const double_float_copy c = double_float_copy_of(from, to);
  TRY(gpu_check_view(g, to_pairs ? "A" : "P", from));
  TRY(gpu_check_view(g, to_pairs ? "P" : "A", to));
  return launched(g, launch_double_float_copy(g->queue, &c), "a copy of pairs");
}

static trigon_status copy_views(machine *m, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, copy_matrices(g, from, to));
}

/* ------------------------------------------------------------------------------------------- the device's offer -- */

static const emulation_steps steps = {
    .find_lines = find_lines,
    .pack_ceilings = pack_ceilings,
    .find_bounds = find_bounds,
    .choose = choose,
    .make_residues = make_residues,
    .multiply = multiply,
    .finish = finish,
    .run_natively = run_natively,
    .multiply_double_float = multiply_by_pairs,
};

static const pair_calls pairs = {.gemm = gemm_of_pairs, .copy = copy_views};

void gpu_open_emulation(gpu *g) {
  g->emulation = (emulation_support){.steps = &steps,
                                     .pairs = &pairs,
                                     .doubles = gpu_double_times(g->queue.arch, &g->traits),
                                     .floats = gpu_float_times(g->queue.arch, &g->traits)};
}
