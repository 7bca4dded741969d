/* eigen_kernels.h - the eigensolver's loops on the CPU: reflectors of a matrix in four types, and the eigenproblem of a
 * real tridiagonal matrix in two. Addresses, increments and leading dimensions count elements. */
#ifndef TRIGON_EIGEN_KERNELS_H
#define TRIGON_EIGEN_KERNELS_H

#include <stdbool.h>
#include <stdint.h>
#include <trigon.h>

/* A vector with an increment. */
typedef struct strided {
  void *data;
  int64_t n, inc;
} strided;

/* Loops over one element type. eigen_support.h tells what they compute. */
typedef struct reflector_kernels {
  /* The largest absolute value of a real or imaginary part in rows `from` to `to` of a column. NaN if one is NaN. */
  double (*largest)(int64_t from, int64_t to, const void *column);
  void (*multiply)(int64_t from, int64_t to, double factor, void *column);
  void (*reflect)(strided x, void *d, void *e, void *tau, void *inverse);
  void (*complete)(int64_t n, strided v, const void *tau, const void *p, void *w);
  /* x = x - by_v·v - by_w·w; to = conj(from), which may be one vector if the type is real. */
  void (*subtract)(int64_t n, const void *v, const void *by_v, const void *w, const void *by_w, void *x);
  void (*conjugate)(int64_t n, const void *from, void *to);
  /* Copies the lower triangle of a Hermitian matrix, with strides, to contiguous columns with `rows` rows, and zeros
   * behind row n. Squares of updated_block elements on the diagonal are whole. And back, without what is above the
   * diagonal. */
  void (*load_lower)(int64_t n, const void *from, int64_t row, int64_t col, int64_t rows, void *to, int64_t ld);
  void (*store_lower)(int64_t n, const void *from, int64_t ld, void *to, int64_t row, int64_t col);
  void (*copy)(int64_t rows, int64_t zeros, const void *from, void *to); /* `zeros` < 0: at the end */
  void (*copy_real)(int64_t rows, const void *from, void *to);           /* from a real column */
} reflector_kernels;

const reflector_kernels *reflector_kernels_for(trigon_type);

/* A merge as its loops see it. The arrays d, z, kept_d, kept_z and product have n reals, those of integers n
 * entries. */
typedef struct merging {
  int64_t n1, n;
  void *d, *Z;
  int64_t ldz;
  double rho; /* after `deflate`: positive, for vectors z of length 1 */
  void *z, *kept_d, *kept_z, *product;
  int64_t *order; /* of the halves, then of the whole */
  int64_t *at;    /* column p of the small problem is column at[p] of Z; deflated columns follow */
  int64_t *row;   /* row[p] is where row p of the small problem goes, if rows are sorted by kind */
  signed char *kind;
  int64_t kept, kinds[3]; /* how many columns are kept: all, and those of the top, of both halves, of the bottom */
} merging;

/* Loops over one real type. */
typedef struct tridiagonal_kernels {
  /* Values alone, unordered; returns how many elements of e are not zero (0: success). */
  int64_t (*values)(int64_t n, void *d, void *e);
  /* Values and vectors of a block, ascending. Returns the same. */
  int64_t (*solve)(int64_t n, void *d, void *e, void *Z, int64_t ldz);
  void (*sort)(int64_t n, void *d);
  /* Cuts the element e(n1) out of T: the diagonal beside it changes. */
  void (*cut)(void *d, const void *e, int64_t n1);
  /* Makes z, and finds which columns take part (kept, kinds, at, row, kept_d, kept_z, rho). Deflated values are in d,
   * in the places kept, kept + 1, ... */
  void (*deflate)(merging *, double coupling);
  /* Root p, and its distances from the poles in column p of S. */
  void (*root)(const merging *, int64_t p, void *S, int64_t lds, void *value);
  /* The vector z to which the roots belong exactly, elements first <= p < last: overwrites kept_z there. */
  void (*recompute)(merging *, int64_t first, int64_t last, const void *S, int64_t lds);
  /* Column p of S becomes a vector of length 1, its rows sorted by kind. `work` has n reals. */
  void (*vector)(const merging *, int64_t p, void *S, int64_t lds, void *work);
  /* The order of the whole, from values(0 ... kept - 1) ascending and the deflated ones. */
  void (*order)(merging *);
} tridiagonal_kernels;

const tridiagonal_kernels *tridiagonal_kernels_for(trigon_type);

#endif
