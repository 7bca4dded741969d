/* gpu_leaves.c - the GPU's leaves: common/fold.h turns all cases into one lower, forward case, and kernels are launched
 * here.
 *
 * The tuning table says which leaves the vendor's BLAS computes: products, and others where it is faster. Kernels of
 * our own compute the rest. One source serves CUDA, HIP and the simulated GPU (vendor/vendor.h). Calls launch and
 * return. Beyond their operands they use the leaf buffer and, from the first call that computes, a workspace for the
 * vendor's BLAS (gpu_workspace.c). */
#include "gpu_leaves.h"
#include "common/fold.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------------------- products -- */

static trigon_status product_kernel(gpu *g, trigon_type type, const product *p) {
  return gpu_status(g, launch_gemm(g->queue, type, p), "a product kernel");
}

static bool blas_holds(view A) { return gpu_blas_holds(A.m) && gpu_blas_holds(A.n) && gpu_blas_holds(A.ld); }

/* The kernel of our own computes sums without terms, products that do not fit the vendor's BLAS, and products for which
 * the vendor's BLAS is not ready. */
static trigon_status gpu_gemm(gpu *g, const operation *o) {
  const view A = o->A, B = o->B, C = o->C;
  const int64_t k = is_zero(o->alpha) ? 0 : sizes_of(o).k;
  if (C.m == 0 || C.n == 0 || C.count == 0) return TRIGON_OK;
  if (k > 0 && g->blas && g->ready && !has_increments(o) && blas_holds(A) && blas_holds(B) && blas_holds(C))
    return gpu_blas_gemm(g->blas, o, g->machine.why);
  const product p = fold_gemm(o);
  return product_kernel(g, C.type, &p);
}

/* ------------------------------------------------------------------------------------------- triangular leaves -- */

static trigon_status triangular_step(gpu *g, const operation *o) {
  const triangular t = fold_triangular(o);
  return o->routine == ROUTINE_TRSM ? gpu_status(g, launch_trsm(g->queue, o->B.type, &t), "the TRSM leaf")
                                    : gpu_status(g, launch_trmm(g->queue, o->B.type, &t), "the TRMM leaf");
}

/* The leaves share the workspace, or under a small cap the rest of the leaf buffer, with the vendor's BLAS. The stream
 * keeps their work apart. */
dataflow_setup gpu_dataflow_setup(const gpu *g) {
  info_block *block = g->info_block;
  const int64_t rest = leaf_buffer_bytes - info_block_bytes;
  const bool large = g->workspace.data && g->workspace.bytes > rest;
  return (dataflow_setup){.words = {&block->ticket, &block->arrived, block->flags},
                          .space = large ? g->workspace.data : (char *)block + info_block_bytes,
                          .space_bytes = large ? g->workspace.bytes : rest,
                          .shape = g->options.tile};
}

static trigon_status triangular_dataflow(gpu *g, const operation *o) {
  const triangular t = fold_triangular(o);
  const dataflow_setup setup = gpu_dataflow_setup(g);
  if (o->routine == ROUTINE_TRMM && t.width == 1 && t.count == 1)
    return gpu_status(g, launch_trmm_vector(g->queue, o->B.type, &t, &setup), "a triangle times a vector");
  return o->routine == ROUTINE_TRSM
             ? gpu_status(g, launch_trsm_dataflow(g->queue, o->B.type, &t, &setup), "the TRSM leaf")
             : gpu_status(g, launch_trmm_dataflow(g->queue, o->B.type, &t, &setup), "the TRMM leaf");
}

/* ---------------------------------------------------------------------------------------------------- vectors -- */

/* Whether the product is one with a vector; a row as a result becomes a column. */
static bool has_vector(product *p) {
  if (p->A2.data || p->computed != REGION_ALL) return false;
  if (p->n == 1 || p->m != 1 || p->A_is != STRUCTURE_GENERAL) return p->n == 1;
  *p = transposed_product(*p);
  return true;
}

static bool is_update_by_vectors(const product *p) { return p->k == 1 && p->A_is == STRUCTURE_GENERAL; }

static bool is_symm_of_columns(const product *p) {
  return p->A_is != STRUCTURE_GENERAL && p->n > 1 && p->n <= symm_most_columns;
}

/* Runs a product with a vector, SYMM with a few columns, or an update by vectors in one launch. *runs: it is one of
 * these. */
static trigon_status vectors_dataflow(gpu *g, trigon_type type, product p, bool *runs) {
  const dataflow_setup setup = gpu_dataflow_setup(g);
  const bool is_product = has_vector(&p), is_symm = is_symm_of_columns(&p);
  *runs = p.count == 1 && p.m > 0 && p.n > 0 && p.k > 0 && (is_product || is_symm || is_update_by_vectors(&p));
  if (!*runs) return TRIGON_OK;
  if (is_symm) return gpu_status(g, launch_symm_columns(g->queue, type, &p, &setup), "SYMM with a few columns");
  return is_product ? gpu_status(g, launch_product_vector(g->queue, type, &p, &setup), "a product with a vector")
                    : gpu_status(g, launch_update_vectors(g->queue, type, &p, &setup), "an update by vectors");
}

/* ----------------------------------------------------------------------------------------- symmetric leaves -- */

static trigon_status update_step(gpu *g, const operation *o) {
  const product p = fold_update(o);
  return product_kernel(g, o->C.type, &p);
}

static trigon_status symm_step(gpu *g, const operation *o) {
  const product p = fold_symm(o);
  return product_kernel(g, o->C.type, &p);
}

/* ------------------------------------------------------------------------------------------- factorizations -- */

/* An upper triangle U becomes the lower triangle L = Uᵀ. Then POTRF, A = UᴴU, becomes conj(A) = LLᴴ. U⁻¹ and UUᴴ are
 * the transposes of L⁻¹ and LᴴL. The check of a diagonal needs no triangle. */
static factor factor_of(gpu *g, const operation *o) {
  const view A = o->A;
  return (factor){.n = A.n,
                  .count = A.count,
                  .unit = o->diag == TRIGON_UNIT,
                  .A = o->uplo == TRIGON_LOWER ? as_stored(A) : transposed(as_stored(A)),
                  .failure = &g->info_block->failure,
                  .column = o->column,
                  .column_step = A.col_step};
}

static trigon_status factor_step(gpu *g, const operation *o) {
  const trigon_type type = o->A.type;
  const factor f = factor_of(g, o);
  g->may_fail |= o->routine == ROUTINE_POTRF || o->routine == ROUTINE_CHECK_DIAGONAL;
  switch (o->routine) {
  case ROUTINE_POTRF: return gpu_status(g, launch_potrf(g->queue, type, &f), "the POTRF leaf");
  case ROUTINE_INVERT: return gpu_status(g, launch_trtri(g->queue, type, &f), "the TRTRI leaf");
  case ROUTINE_LAUUM: return gpu_status(g, launch_lauum(g->queue, type, &f), "the LAUUM leaf");
  default: return gpu_status(g, launch_check_diagonal(g->queue, type, &f), "the check of a diagonal");
  }
}

static trigon_status factor_dataflow(gpu *g, const operation *o) {
  const trigon_type type = o->A.type;
  const factor f = factor_of(g, o);
  const dataflow_setup setup = gpu_dataflow_setup(g);
  g->may_fail |= o->routine == ROUTINE_POTRF;
  switch (o->routine) {
  case ROUTINE_POTRF: return gpu_status(g, launch_potrf_dataflow(g->queue, type, &f, &setup), "the POTRF leaf");
  case ROUTINE_INVERT: return gpu_status(g, launch_trtri_dataflow(g->queue, type, &f, &setup), "the TRTRI leaf");
  default: return gpu_status(g, launch_lauum_dataflow(g->queue, type, &f, &setup), "the LAUUM leaf");
  }
}

static trigon_status find_logdet(gpu *g, const operation *o) {
  const log_sum p = {o->A.n, as_stored(o->A), o->logdet};
  return gpu_status(g, launch_logdet(g->queue, o->A.type, &p), "the log-determinant");
}

/* ---------------------------------------------------------------------------------------------- which leaf -- */

/* Whether the vendor's routine runs the operation. The routine needs its workspace, and a block that is not empty. With
 * native=1 the routine may break the contract of a leaf, and the begin of the call has made it ready. */
static trigon_status takes_vendor(gpu *g, const operation *o, bool *takes) {
  const bool wanted = tuning_leaf(&g->tuning, o) == VARIANT_VENDOR && !has_increments(o);
  *takes = wanted && g->blas && g->ready && !is_trivial(o);
  if (*takes && !g->options.native) return gpu_vendor_takes(g, o, takes);
  *takes = *takes && gpu_vendor_has(o->routine);
  return TRIGON_OK;
}

static bool is_product(routine r) {
  return r == ROUTINE_GEMM || r == ROUTINE_SYMM || r == ROUTINE_SYRK || r == ROUTINE_SYR2K;
}

trigon_status gpu_run(engine *e, const operation *o) {
  gpu *g = gpu_of(e);
  bool by_vendor = false, by_vectors = false;
  if (o->batch) return gpu_run_batch(g, o);
  if (o->vectors && g->options.native && gpu_vendor_has_vectors() && g->ready && !is_trivial(o))
    return gpu_vendor_vectors(g, o);
  TRY(takes_vendor(g, o, &by_vendor));
  if (by_vendor) return gpu_vendor_run(g, o);
  const bool dataflow = tuning_leaf(&g->tuning, o) == VARIANT_DATAFLOW;
  if (dataflow && is_product(o->routine)) TRY(vectors_dataflow(g, o->A.type, fold_product(o), &by_vectors));
  if (by_vectors) return TRIGON_OK;
  switch (o->routine) {
  case ROUTINE_GEMM: return gpu_gemm(g, o);
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: return dataflow ? triangular_dataflow(g, o) : triangular_step(g, o);
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: return update_step(g, o);
  case ROUTINE_SYMM: return symm_step(g, o);
  case ROUTINE_POTRF:
  case ROUTINE_INVERT:
  case ROUTINE_LAUUM: return dataflow ? factor_dataflow(g, o) : factor_step(g, o);
  case ROUTINE_LOGDET: return find_logdet(g, o);
  default: return factor_step(g, o);
  }
}
