/* eigen_support.h - what an eigensolver asks of a machine beside the products of the seam: reflectors, and the parts of
 * divide and conquer that are no products.
 *
 * The calls are asynchronous and take effect as if in order, as those of an engine (engine.h). Views hold one
 * rectangle each. "Real" is the real type of A's precision. */
#ifndef TRIGON_EIGEN_SUPPORT_H
#define TRIGON_EIGEN_SUPPORT_H

#include "eigen_problem.h"
#include "machine.h"
#include "operation.h"

/* One merge of divide and conquer. The matrix is T = diag(T1, T2) + coupling·(e_n1 + e_1)(e_n1 + e_1)ᵀ up to signs:
 * `coupling` is the element of T that was cut out, and the last element of T1's diagonal and the first of T2's are
 * smaller by its absolute value. The eigenproblems of T1 and T2 are solved.
 *
 * Column j of Z belongs to values(j). `order` says which columns come in ascending order: numbers below n1 for the
 * first half, and below n2 for the second half; afterwards below n1 + n2. */
typedef struct eigen_merge {
  int64_t n1, n2;
  view values;   /* (n1 + n2) × 1, real */
  view coupling; /* 1 × 1, real */
  view Z;        /* (n1 + n2) × (n1 + n2), real: the vectors of both halves in its diagonal blocks, else zeros */
  view other;    /* if merges alternate: the same block of another matrix, for the vectors */
  void *spare;   /* (n1 + n2)² + 8·(n1 + n2) reals */
  int64_t *order;
  int64_t *scratch;            /* 6·(n1 + n2) */
  const eigen_problem *wanted; /* which vectors are wanted; NULL: all */
  view scale;                  /* of the values, if `wanted` is not NULL */
} eigen_merge;

enum { eigen_scratch = 6 }; /* integers for each row */

/* All merges of a level: of all rows, what eigen_merge has of some. */
typedef struct eigen_level {
  int level; /* the merges' results are the blocks of this level (common/eigen/divide.h) */
  view values, couplings, Z, other;
  void *spare;
  int64_t *order, *scratch;
  const eigen_problem *wanted; /* only if the level is 0 */
  view scale;
} eigen_level;

/* The vectors of T are the products of the vectors of both halves and of those of a small problem:
 *
 *     to[h] = half[h] · small[h]
 *
 * The common size of the factors may be 0: then to[h] is zero. If copy_small is not NULL, small[h] is there only after
 * it was asked for, and small[0] is asked for after the product of the second half. */
typedef struct eigen_products {
  int64_t column, columns; /* of `to` */
  view half[2], small[2], to[2];
  int64_t source[2]; /* the row of Z from which small[h] is copied */
} eigen_products;

typedef struct eigen_support {
  /* Merges write the vectors to `other`, and read Z: the matrices change places with each level. Otherwise they write
   * to Z, and there is no `other`. */
  bool alternates;
  /* An engine of a device solves batches of matrices of orders up to batch_order as one operation. */
  int64_t batch_order;

  /* Memory of one solver call: at most one block at a time. TRIGON_NO_MEMORY if the cap of trigon_set_workspace is
   * smaller: then the reason names both. */
  trigon_status (*take)(machine *, int64_t bytes, void **data);
  void (*give)(machine *, void *data);

  /* Solves a whole problem of an order up to small_order, in the problem's memory, of which it takes small_bytes, and
   * records its failure. NULL: the steps below solve problems of all orders. */
  int64_t small_order;
  int64_t (*small_bytes)(trigon_type, trigon_job, int64_t n);
  trigon_status (*solve_small)(machine *, const operation *);

  /* Multiplies the triangle of A by a power of two, if its largest element is so large or so small that squares could
   * overflow or lose digits, and stores that power in `scale`: 4 reals, which only the machine reads. An element that
   * is NaN or infinite is recorded as the call's failure, in the column where it stands. The imaginary parts of the
   * diagonal do not count. scale(1) becomes 1: T has its power there (`values`, `leaves`). */
  trigon_status (*scale)(machine *, trigon_uplo uplo, view A, view scale);

  /* The imaginary part of A's only element becomes zero. */
  trigon_status (*make_real)(machine *, view A);

  /* A triangle of A and its mirror image become a square; or, if `back`, the square's triangle becomes A's. The
   * diagonal becomes real. SYGST computes blocks up to square_order so. If that is 0, it cuts matrices down to single
   * elements, and `mirror` is NULL. */
  int64_t square_order;
  trigon_status (*mirror)(machine *, trigon_uplo uplo, view A, view square, bool back);

  /* x is a column of the matrix from its diagonal on: d is its first element, and the others become v of the reflector
   * H = I - tau·v·vᴴ with Hᴴ·x = (e, 0, ..., 0). v begins with a one. taus(0, 0) is tau and taus(0, 1) is 1 / tau. If x
   * is zero, so is v, and tau is 1: then H is the identity, and no tau is ever zero. x may have one element: then only
   * d is stored. d and e are real. Source: LAPACK xLARFG. */
  trigon_status (*reflect)(machine *, view x, view d, view e, view taus);

  /* w = tau·p - ½·|tau|²·(pᴴ·v)·v, all n × 1; taus is 1 × 2. */
  trigon_status (*complete)(machine *, view v, view taus, view p, view w);

  /* Reduces a square A of an order up to direct_order to tridiagonal form, without panels: what is left of a matrix
   * behind some panels, or a whole matrix. Reflectors, d, e and taus are those of `reflect` for each of its columns, in
   * the order of algo_tridiagonalize; e has as many rows as A, and its last one is not stored. `work` has direct_bytes.
   * NULL: panels reduce all columns. `leaves_panels` tells whether a rest of order n, at most direct_order, is left to
   * reduce_directly. */
  trigon_status (*reduce_directly)(machine *, trigon_uplo uplo, view A, view d, view e, view taus, void *work);
  bool (*leaves_panels)(machine *, int64_t n);
  int64_t (*direct_order)(trigon_type);
  int64_t (*direct_bytes)(trigon_type, int64_t n);

  /* Matrices of more than `least_band` rows are reduced to a band first, with `bandwidth` elements below the diagonal,
   * and the band to tridiagonal form. If `bandwidth` is 0, the functions for bands are NULL. */
  int64_t bandwidth, least_band;

  /* X = X - V·Wᴴ - W·Vᴴ, for the first columns of a lower triangle, or the first rows of an upper one: at most
   * `bandwidth`. X is m × columns, or columns × m; V and W are m × k, and have the same leading dimension. */
  trigon_status (*update_panel)(machine *, trigon_uplo uplo, view V, view W, view X);
  /* X = Q·R, for a panel X with m rows and at most `bandwidth` columns (lower), or for the adjoint of a panel with m
   * columns (upper). R takes the place of X's triangle; the reflectors, which begin with a one that is not stored, lie
   * behind it. Row j of `taus` receives tau_j and 1 / tau_j; there are min(m, columns). The reflectors are copied to V,
   * as by copy_panel. `work` has panel_bytes. */
  trigon_status (*factor_panel)(machine *, trigon_uplo uplo, view X, view taus, view V, void *work);
  int64_t (*panel_bytes)(trigon_type, int64_t m);
  /* V = [V1 v] and W = [W1 P] are m × k. Their last columns are those of a panel, whose reflectors v have a row of
   * `taus` each, and P = A·v. P becomes (A - V1·W1ᴴ - W1·V1ᴴ)·v·T =: w, and then w - ½·v·(Tᴴ·vᴴw), with the T of the
   * block reflector I - v·T·vᴴ. All other panels have `bandwidth` columns. */
  trigon_status (*complete_panel)(machine *, view V, view W, view taus);
  /* Copies the reflectors of such a panel to V, with their ones and zeros. */
  trigon_status (*copy_panel)(machine *, trigon_uplo uplo, view X, view V);
  /* X = 0, for a matrix without gaps between columns. */
  trigon_status (*clear)(machine *, view X);
  /* The tridiagonal form of the band of A, T = Qᴴ·A·Q. If `keeps`, the reflectors of Q go to the other triangle of A,
   * and apply_chase multiplies by Q: Z = Q·Z. `work` has band_bytes; apply_chase is told how many bytes it may use. */
  trigon_status (*chase)(machine *, trigon_uplo uplo, bool keeps, view A, view d, view e, void *work);
  trigon_status (*apply_chase)(machine *, trigon_uplo uplo, view A, view Z, void *work, int64_t bytes);
  int64_t (*band_bytes)(trigon_type, int64_t n);

  /* Copies reflectors, and writes zeros where other elements of A stand: above the ones of columns that begin at the
   * diagonal (lower), or below the ones of columns that end there (upper). */
  trigon_status (*copy_reflectors)(machine *, trigon_uplo uplo, view from, view to);

  /* The diagonal of S becomes the second column of taus. */
  trigon_status (*set_diagonal)(machine *, view taus, view S);

  /* Copies the diagonals of a tridiagonal matrix, n and n - 1 elements, and makes an n-th one of `to_e` zero. Scales
   * them, and records what is not finite, as `scale` does. */
  trigon_status (*copy_tridiagonal)(machine *, view d, view e, view to_d, view to_e, view scale);

  /* The eigenvalues of a tridiagonal matrix, ascending, in place of its diagonal d; those that the problem does not
   * want are unspecified. e, and as many reals behind it, are overwritten. T may be scaled by a power of two, which is
   * stored in scale(1). If the iteration does not converge, the number of elements of e that are not zero is recorded
   * as the call's failure. */
  trigon_status (*values)(machine *, const eigen_problem *, view d, view e, view scale);

  /* The positions in ascending order that a problem wants: *first to *last - 1. order NULL: d is sorted. If
   * choose_interval is not NULL, the positions of an interval are all. */
  trigon_status (*positions)(machine *, const eigen_problem *, const int64_t *order, view d, view scale, int64_t *first,
                             int64_t *last);
  /* NULL, or the host does not know values when a call returns. d is sorted. `order` begins with the positions of the
   * values in the problem's interval, in ascending order; the others follow. The problem's `found`, if it is not NULL,
   * becomes their number. */
  trigon_status (*choose_interval)(machine *, const eigen_problem *, int64_t *order, view d, view scale);
  /* *found = count, where A lives. */
  trigon_status (*store_found)(machine *, int64_t count, int64_t *found);

  /* Scales T by a power of two to a norm near 1, and stores that power in scale(1). Cuts T into the blocks of a
   * level (divide.h), and solves their eigenproblems: d becomes their values, the diagonal blocks of Z their vectors
   * (all else zeros), order their ascending orders. Failures: as for `values`. */
  trigon_status (*leaves)(machine *, int level, view d, view e, view scale, view Z, int64_t *order);

  /* What merges do beside products, for all merges of a level: then `merge` only tells the products, and the views of
   * equal merges are equally far apart, along rows and columns. NULL: `merge` does it. */
  trigon_status (*merge_level)(machine *, const eigen_level *);
  /* The part of a merge that is no product: deflation, values, vectors of the small problem. */
  trigon_status (*merge)(machine *, const eigen_merge *, eigen_products *);
  /* Copies small[half] to where the product reads it. NULL: it is there. */
  trigon_status (*copy_small)(machine *, const eigen_merge *, const eigen_products *, int half);

  /* Copies columns order(first), order(first + 1), ... of Z to `to`, whose type may be the complex one. order NULL: the
   * columns from `first` on. */
  trigon_status (*gather)(machine *, const int64_t *order, int64_t first, view Z, view to);

  /* values(i) = d(order(first + i)) / scale(1) / scale(0); order NULL: d(first + i). */
  trigon_status (*store_values)(machine *, const int64_t *order, int64_t first, view d, view scale, view values);
} eigen_support;

#endif
