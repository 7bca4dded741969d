/* eigen_launchers.h - the launchers of the eigensolver's kernels, callable from C. core/eigen_support.h tells what the
 * calls compute. Addresses are in device memory; leading dimensions and increments count elements. Types are those of
 * A; "real" is its real type. */
#ifndef TRIGON_EIGEN_LAUNCHERS_H
#define TRIGON_EIGEN_LAUNCHERS_H

#include "gpu/kernels/launchers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A triangle of order n is multiplied by a power of two, unless its norm is near 1. `scale` has 4 reals: the power, the
 * power of the tridiagonal matrix (1 until it is known), and two that first are a word for the largest element. */
typedef struct scaled_triangle {
  bool lower;
  int64_t n, ld;
  void *A, *scale;
  unsigned long long *failure;
} scaled_triangle;
cudaError_t launch_scale_triangle(queue, trigon_type, const scaled_triangle *);

/* The imaginary part of one element becomes zero. */
cudaError_t launch_make_real(queue, trigon_type, void *element);

/* A triangle of A, and its mirror image, become a square; or, if `back`, the square's triangle becomes A's. The
 * diagonal becomes real. n is not 0. */
typedef struct mirrored_triangle {
  bool lower, back;
  int64_t n, ld, ld_square;
  void *A, *square;
} mirrored_triangle;
cudaError_t launch_mirror_triangle(queue, trigon_type, const mirrored_triangle *);

/* One column becomes a reflector. */
typedef struct reflected {
  int64_t n, inc;
  void *x, *d, *e, *tau, *inverse;
} reflected;
cudaError_t launch_reflect(queue, trigon_type, const reflected *);

/* w = tau·p - ½·|tau|²·(pᴴ·v)·v */
typedef struct completed {
  int64_t n;
  const void *v, *tau, *p;
  void *w;
} completed;
cudaError_t launch_complete(queue, trigon_type, const completed *);

/* Copies rows × cols elements. Elements (i, j) with i < j - above, or i > j + below, become zero. Column j is taken
 * from column order[first + j], or first + j if order is NULL. */
typedef struct copied_columns {
  int64_t rows, cols, ld_from, ld_to, above, below, first;
  const void *from;
  void *to;
  const int64_t *order;
  bool from_real; /* `from` is real, and `to` has the type */
} copied_columns;
cudaError_t launch_copy_columns(queue, trigon_type, const copied_columns *);

/* to[i] = d[order[first + i]] / scale[1] / scale[0]; all real. */
typedef struct stored_values {
  int64_t n, first;
  const void *d, *scale;
  const int64_t *order;
  void *to;
} stored_values;
cudaError_t launch_store_values(queue, trigon_type, const stored_values *);

/* Value i is d[i] / scale[1] / scale[0], and the values ascend. `order` becomes the positions of those in
 * (lower, upper], and then of the others; *found, if it is not NULL, becomes the number of the first ones. */
typedef struct chosen_interval {
  int64_t n;
  double lower, upper;
  const void *d, *scale;
  int64_t *order, *found;
} chosen_interval;
cudaError_t launch_choose_interval(queue, trigon_type, const chosen_interval *);

/* *found = count */
typedef struct stored_found {
  int64_t count, *found;
} stored_found;
cudaError_t launch_store_found(queue, const stored_found *);

/* Copies the diagonals of a tridiagonal matrix. If squares of its elements might overflow or lose digits, they are
 * scaled by a power of two: scale[0]; scale[1] becomes 1. `failure` may become the first row, from 1, that is not
 * finite. */
typedef struct copied_tridiagonal {
  int64_t n;
  const void *d, *e;
  void *to_d, *to_e, *scale;
  unsigned long long *failure;
} copied_tridiagonal;
cudaError_t launch_copy_tridiagonal(queue, trigon_type, const copied_tridiagonal *);

/* Eigenvalues of a tridiagonal matrix, by bisection: `count` ones from `first` on, in ascending order. They are stored
 * at values[first], values[first + 1], ... The matrix is scaled by a power of two, which becomes scale[1]; scale[2]
 * becomes its norm. */
typedef struct tridiagonal {
  int64_t n, first, count;
  void *d, *e, *scale;
  void *values;
} tridiagonal;
cudaError_t launch_tridiagonal_values(queue, trigon_type, const tridiagonal *);

/* The leaves of divide and conquer, of one level. Z is zero. */
typedef struct leaf_problems {
  int64_t n, ldz;
  int level;
  void *d, *e, *scale, *Z;
  int64_t *order;
  unsigned long long *failure;
} leaf_problems;
enum { most_leaf_rows = 32 };
cudaError_t launch_tridiagonal_leaves(queue, trigon_type, const leaf_problems *);

/* All merges of a level of divide and conquer: those of the blocks of this level of n rows (common/eigen/divide.h).
 * `distances` and `small` are n × n; the diagonal blocks are those of the merges. Each block of `small` becomes the
 * vectors of the small problem in the basis of the halves' vectors, by ascending values: vectors first, first + 1, ...
 * in its columns 0, 1, ... */
typedef struct merged_level {
  int64_t n;
  int level;
  int64_t first, columns; /* at most so many */
  int64_t ldz, ld_distances, ld_small;
  void *d; /* ascending in the halves, then in the whole */
  const void *e, *Z;
  void *distances, *small;
  void *reals;       /* 8·n */
  int64_t *order;    /* becomes 0, 1, ... in each merge */
  int64_t *integers; /* 6·n */
} merged_level;
/* First which columns take part, then the rest. */
cudaError_t launch_deflate_columns(queue, trigon_type, const merged_level *);
cudaError_t launch_merge_halves(queue, trigon_type, const merged_level *);

/* All eigenproblems of a batch, of orders up to batch_solver_order, whose entries are checked. Matrices whose info is
 * not 0 are left out. */
typedef struct solved_batch {
  batch_task of;
  bool vectors;
  void *space; /* aligned to 256 bytes; what fits it is computed faster */
  int64_t space_bytes;
} solved_batch;
enum {
  batch_solver_order = TG_TILE(40, 512),
  batch_shared_order = TG_TILE(20, 104) /* vectors of larger orders need the space, in some type */
};
cudaError_t launch_syevd_batch(queue, trigon_type, const solved_batch *);

/* The columns of a band: matrices are reduced to so many elements below the diagonal. */
enum { band_width = TG_TILE(8, 32) };

/* Element (i, j) of a panel is at i·row + j·col, and is conjugated if `conjugate`. The panel has m rows and at most
 * band_width columns. */
typedef struct panel_matrix {
  int64_t m, row, col;
  int cols;
  bool conjugate;
  void *X;
} panel_matrix;

/* X = Q·R with min(m, cols) reflectors below the diagonal of R, which are copied to V, with ones on the diagonal and
 * zeros above. taus has two columns, a row for each reflector: tau and 1 / tau. `work` has panel_work_elements. */
typedef struct factored_panel {
  panel_matrix of;
  int64_t ld_taus, ld_v;
  void *taus, *V, *work;
} factored_panel;
enum { panel_rows = TG_TILE(64, 256) }; /* of a block of threads */
static inline int64_t panel_work_elements(int64_t m) {
  return band_width * (2 * ((m + panel_rows - 1) / panel_rows) + band_width);
}
cudaError_t launch_factor_panel(queue, trigon_type, const factored_panel *);

/* Copies the reflectors of a panel, with ones on the diagonal and zeros above. */
typedef struct copied_panel {
  panel_matrix of;
  int64_t ld;
  void *to;
} copied_panel;
cudaError_t launch_copy_panel(queue, trigon_type, const copied_panel *);

/* X = X - V·Wᴴ - W·Vᴴ, for the first columns of the lower triangle of a Hermitian matrix. V and W are m × done. */
typedef struct updated_panel {
  panel_matrix of;
  int64_t done, ld;
  const void *V, *W;
} updated_panel;
cudaError_t launch_update_panel(queue, trigon_type, const updated_panel *);

/* The last columns of W, as many as there are reflectors in the last columns of V, and where P = A·v stands: V and W
 * are m × (done + reflectors), `done` is a multiple of band_width, and there is a tau for each reflector. The counters,
 * one for every band_width columns of both matrices, are zero, and stay so. The space has room for three
 * squares of band_width for each of them. */
typedef struct panel_products {
  int64_t m, ld;
  int done, reflectors;
  const void *V, *taus;
  void *W;
  unsigned *counters;
  void *space;
  int64_t space_bytes;
} panel_products;
cudaError_t launch_panel_products(queue, trigon_type, const panel_products *);

/* Reduces a matrix with band_width elements below the diagonal, in a triangle of A, to a tridiagonal one. `band` has
 * 2·band_width rows and n + 2·band_width columns; `words` has n + 1 words. If `keeps`, the reflectors go to the other
 * triangle of A (chase_reflectors.h). */
typedef struct chased_band {
  bool lower, keeps;
  int64_t n, ld;
  void *A;
  void *band, *d, *e;
  unsigned *words;
} chased_band;
cudaError_t launch_chase_band(queue, trigon_type, const chased_band *);

/* Z = Q·Z, with the reflectors that launch_chase_band has kept. Z is n × cols. `work` has this many bytes, which the
 * product may use. */
typedef struct chase_product {
  bool lower;
  int64_t n, ld, cols, ldz;
  const void *A;
  void *Z, *work;
  int64_t work_bytes;
} chase_product;
cudaError_t launch_apply_chase(queue, trigon_type, const chase_product *);

/* The same on matrix units, if the product fits them. */
bool apply_chase_fits_mma(queue, trigon_type, const chase_product *);
cudaError_t launch_apply_chase_mma(queue, trigon_type, const chase_product *);

#ifdef __cplusplus
}
#endif

#endif
