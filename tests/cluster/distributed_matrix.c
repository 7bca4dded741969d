/* distributed_matrix.c - distributes test matrices, collects results, and finds stray writes (distributed_matrix.h). */
#include "distributed_matrix.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

process_grid grid_open(int rows, int cols) {
  process_grid g;
  Cblacs_get(0, 0, &g.context);
  Cblacs_gridinit(&g.context, "Row", rows, cols);
  Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
  return g;
}

/* The row, or column, of the operand that lies at the local place `at`; negative or too large outside of it. */
static int64_t place(int64_t at, int block, int own, int first, int count, int blocks_before) {
  const int64_t number = at / block * count + (own - first + count) % count;
  return (number - blocks_before) * block + at % block;
}

static int64_t row_at(const distributed *d, int64_t i) {
  return place(i, d->how.mb, d->grid->row, d->how.rsrc, d->grid->rows, d->how.rows_before);
}
static int64_t col_at(const distributed *d, int64_t j) {
  return place(j, d->how.nb, d->grid->col, d->how.csrc, d->grid->cols, d->how.cols_before);
}

static bool is_within(const distributed *d, int64_t i, int64_t j) {
  return i >= 0 && i < d->rows && j >= 0 && j < d->cols;
}

static unsigned char *element(trigon_matrix A, int64_t i, int64_t j) {
  return (unsigned char *)A.data + (size_t)(i + j * A.ld) * element_size(A.type);
}

/* Blocks before, the operand, the rest of its last block, blocks behind. */
static int64_t extent(int64_t size, int block, int before, int behind) {
  return behind > 0 ? (before + behind + (size + block - 1) / block) * (int64_t)block : before * (int64_t)block + size;
}

void distribute(distributed *d, const process_grid *g, const distribution *how, trigon_matrix whole) {
  d->grid = g, d->how = *how, d->type = whole.type, d->rows = whole.rows, d->cols = whole.cols;
  const int64_t m = extent(d->rows, how->mb, how->rows_before, how->rows_behind);
  const int64_t n = extent(d->cols, how->nb, how->cols_before, how->cols_behind);
  const int64_t local_rows = trigon_cluster_count(m, how->mb, g->row, how->rsrc, g->rows);
  const int64_t local_cols = trigon_cluster_count(n, how->nb, g->col, how->csrc, g->cols);
  guarded_shape(&d->local, d->type, local_rows, local_cols, g->row + 1);
  const int descriptor[9] = {
      1, g->context, (int)m, (int)n, how->mb, how->nb, how->rsrc, how->csrc, (int)d->local.matrix.ld};
  memcpy(d->descriptor, descriptor, sizeof descriptor);
  for (int64_t j = 0; j < local_cols; j++)
    for (int64_t i = 0; i < local_rows; i++)
      if (is_within(d, row_at(d, i), col_at(d, j)))
        memcpy(element(d->local.matrix, i, j), element(whole, row_at(d, i), col_at(d, j)), element_size(d->type));
  guarded_snapshot(&d->local);
}

trigon_matrix distributed_operand(distributed *d) {
  return trigon_cluster_matrix(&d->view, d->type, d->rows, d->cols, d->local.matrix.data, d->descriptor,
                               1 + (int64_t)d->how.rows_before * d->how.mb,
                               1 + (int64_t)d->how.cols_before * d->how.nb);
}

/* Each element belongs to one process. The others have zero bits there, so that the bits of all processes together are
 * the matrix, NaN included. */
void collect(const distributed *d, trigon_matrix whole, int root) {
  const size_t bytes = (size_t)(whole.ld * whole.cols) * element_size(d->type);
  const trigon_matrix own = {calloc(bytes + 1, 1), d->type, whole.rows, whole.cols, whole.ld};
  if (!own.data) abort();
  for (int64_t j = 0; j < d->local.matrix.cols; j++)
    for (int64_t i = 0; i < d->local.matrix.rows; i++)
      if (is_within(d, row_at(d, i), col_at(d, j)))
        memcpy(element(own, row_at(d, i), col_at(d, j)), element(d->local.matrix, i, j), element_size(d->type));
  MPI_Reduce(own.data, whole.data, (int)bytes, MPI_BYTE, MPI_BOR, root, MPI_COMM_WORLD);
  free(own.data);
}

static bool may_change(const distributed *d, region allowed, int64_t i, int64_t j) {
  int64_t from, to;
  if (allowed.shape == REGION_NONE || !is_within(d, i, j)) return false;
  region_rows(allowed, d->rows, j, &from, &to);
  return i >= from && i < to;
}

const char *distributed_stray(const distributed *d, region allowed, char *text, size_t size) {
  const trigon_matrix before = guarded_before(&d->local), after = d->local.matrix;
  for (int64_t j = 0; j < after.cols; j++)
    for (int64_t i = 0; i < after.rows; i++) {
      const int64_t row = row_at(d, i), col = col_at(d, j);
      if (may_change(d, allowed, row, col)) continue;
      if (memcmp(element(before, i, j), element(after, i, j), element_size(d->type)) == 0) continue;
      snprintf(text, size, "has changed at (%lld, %lld)", (long long)row, (long long)col);
      return text;
    }
  return guarded_stray(&d->local, (region){REGION_ALL, false}, text, size);
}

void distributed_free(distributed *d) { guarded_free(&d->local); }
