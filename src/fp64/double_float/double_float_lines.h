/* double_float_lines.h - the operands of a product of doubles by pairs of floats, as lines of reals; and the blocks in
 * which a product fits a workspace.
 *
 * A line is a row of A or a column of B. A product of complex numbers is a product of reals. C and B are taken as they
 * are stored: a column of m complex numbers is a column of 2m reals. A complex number of A becomes a matrix of reals:
 *
 *   re + i·im  →  | re  -im |      so a line of A becomes the lines 2i and 2i + 1, and k terms become 2k terms.
 *                 | im   re |
 */
#ifndef TRIGON_DOUBLE_FLOAT_LINES_H
#define TRIGON_DOUBLE_FLOAT_LINES_H

#include "common/folded.h"
#include "core/sizes.h"
#include "double_float.h"

/* How reals lie in an operand: as they are; as parts of complex numbers (B); as matrices of complex numbers (A). */
typedef enum line_parts { PARTS_REAL, PARTS_COMPLEX, PARTS_MATRIX } line_parts;

/* Strides are in doubles: from line to line and from term to term, of the operand's own numbers. */
typedef struct double_lines {
  const double *data;
  int64_t line, term, lines, terms; /* the numbers of lines and terms count reals */
  line_parts parts;
  bool conjugated;
} double_lines;

static TRIGON_HOST_DEVICE inline double line_element(const double_lines *x, int64_t i, int64_t l) {
  if (x->parts == PARTS_REAL) return x->data[i * x->line + l * x->term];
  const bool matrix = x->parts == PARTS_MATRIX, odd_line = matrix && (i & 1), odd_term = l & 1;
  const double *number = x->data + (matrix ? i / 2 : i) * x->line + l / 2 * x->term;
  if (odd_line == odd_term) return number[0];
  const bool minus = x->conjugated != (matrix && !odd_line);
  return minus ? -number[1] : number[1];
}

/* Whether neighbours in memory are neighbours along lines, not along terms. */
static TRIGON_HOST_DEVICE inline bool lies_across_lines(const double_lines *x) {
  const int64_t to_line = x->line < 0 ? -x->line : x->line, to_term = x->term < 0 ? -x->term : x->term;
  return to_line < to_term;
}

/* The lines of A, m × k. */
static inline double_lines lines_of_A(bool is_complex, const operand *A, int64_t m, int64_t k) {
  const int64_t parts = is_complex ? 2 : 1;
  double_lines x;
  x.data = (const double *)A->data, x.line = parts * A->row, x.term = parts * A->col;
  x.lines = parts * m, x.terms = parts * k;
  x.parts = is_complex ? PARTS_MATRIX : PARTS_REAL, x.conjugated = A->conjugate;
  return x;
}

/* The lines of B, k × n. */
static inline double_lines lines_of_B(bool is_complex, const operand *B, int64_t k, int64_t n) {
  const int64_t parts = is_complex ? 2 : 1;
  double_lines x;
  x.data = (const double *)B->data, x.line = parts * B->col, x.term = parts * B->row;
  x.lines = n, x.terms = parts * k;
  x.parts = is_complex ? PARTS_COMPLEX : PARTS_REAL, x.conjugated = B->conjugate;
  return x;
}

/* C = alpha·A·B + beta·C for pairs of floats, m × n × k. Element (i, l) of A is at A + i·a_row + l·a_col. Element
 * (l, j) of B is at B + l·b_row + j·b_col. C is column-major. If beta is 0, C is not read. If alpha is 0, A and B are
 * not read. Products are added up by multiply_add_double_floats, in the order of k. If a sum meets NaN or infinity, or
 * overflows, the element is what arithmetic of floats gives. */
typedef struct double_float_product {
  int64_t m, n, k, a_row, a_col, b_row, b_col, ldc;
  const double_float *A, *B;
  double_float *C, alpha, beta;
} double_float_product;

/* Copies an m × n matrix, column-major, from doubles to pairs, or back. A double beyond a float's range becomes
 * infinite. */
typedef struct double_float_copy {
  int64_t m, n, ld_doubles, ld_pairs;
  double *doubles;
  double_float *pairs;
  bool to_pairs;
} double_float_copy;

/* Element (i, j) of a copy. */
static TRIGON_HOST_DEVICE inline void copy_pair(const double_float_copy *p, int64_t i, int64_t j) {
  double *d = p->doubles + i + j * p->ld_doubles;
  double_float *x = p->pairs + i + j * p->ld_pairs;
  if (p->to_pairs)
    *x = double_float_of(*d);
  else
    *d = double_of(*x);
}

/* ------------------------------------------------------------------------------------------------------ blocks -- */

/* The workspace holds, for a block of m × n elements and k terms, counted as reals: the pairs of m + n lines, sums of
 * m·n pairs if there are several blocks along k, and exponents of all lines. */
typedef struct double_float_blocks {
  int64_t m, n, k;
} double_float_blocks;

enum { least_double_float_block = 64, wide_double_float_block = 2048, double_float_alignment = 256 };

/* Bytes of an array in the workspace. */
static inline int64_t double_float_array(int64_t count, int64_t bytes) {
  return up_to_multiple(count * bytes, double_float_alignment);
}

static inline int64_t double_float_workspace(double_float_blocks all, double_float_blocks of) {
  const int64_t pairs = (int64_t)sizeof(double_float), sums = of.k < all.k ? of.m * of.n : 0;
  return double_float_array(of.m * of.k, pairs) + double_float_array(of.n * of.k, pairs) +
         double_float_array(sums, pairs) + double_float_array(all.m, 4) + double_float_array(all.n, 4);
}

/* About half of a size, which is above the least block. */
static inline int64_t half_block(int64_t size) { return up_to_multiple((size + 1) / 2, least_double_float_block); }

/* Halves m and n as long as they are wide, because each block of A is converted once for each block of C's rows, and
 * each block of B for each block of C. Then halves k, which costs the sums' way to memory. */
static inline double_float_blocks smaller_blocks(double_float_blocks b) {
  const bool wide = b.m > wide_double_float_block || b.n > wide_double_float_block;
  if (!wide && b.k > least_double_float_block)
    b.k = half_block(b.k);
  else if (b.m >= b.n)
    b.m = half_block(b.m);
  else
    b.n = half_block(b.n);
  return b;
}

/* The arrays of a workspace. */
typedef struct double_float_arrays {
  double_float *a, *b, *sums;
  int32_t *a_exponent, *b_exponent;
} double_float_arrays;

static inline double_float_arrays arrays_in(void *workspace, double_float_blocks all, double_float_blocks of) {
  const int64_t pairs = (int64_t)sizeof(double_float);
  char *at = (char *)workspace;
  double_float_arrays p;
  p.a_exponent = (int32_t *)(void *)at, at += double_float_array(all.m, 4);
  p.b_exponent = (int32_t *)(void *)at, at += double_float_array(all.n, 4);
  p.a = (double_float *)(void *)at, at += double_float_array(of.m * of.k, pairs);
  p.b = (double_float *)(void *)at, at += double_float_array(of.n * of.k, pairs);
  p.sums = (double_float *)(void *)at;
  return p;
}

/* The largest blocks whose workspace fits, or the smallest ones. */
static inline double_float_blocks blocks_within(double_float_blocks all, int64_t bytes) {
  double_float_blocks b = all;
  while (double_float_workspace(all, b) > bytes &&
         (b.m > least_double_float_block || b.n > least_double_float_block || b.k > least_double_float_block))
    b = smaller_blocks(b);
  return b;
}

/* The sizes of a product as reals. */
static inline double_float_blocks whole_product(bool is_complex, int64_t m, int64_t n, int64_t k) {
  const int64_t parts = is_complex ? 2 : 1;
  double_float_blocks all;
  all.m = parts * m, all.n = n, all.k = parts * k;
  return all;
}

/* The workspace that computes a product in one block, and the least one, in bytes. */
static inline int64_t double_float_best_workspace(bool is_complex, int64_t m, int64_t n, int64_t k) {
  const double_float_blocks all = whole_product(is_complex, m, n, k);
  return double_float_workspace(all, all);
}
static inline int64_t double_float_least_workspace(bool is_complex, int64_t m, int64_t n, int64_t k) {
  const double_float_blocks all = whole_product(is_complex, m, n, k);
  return double_float_workspace(all, blocks_within(all, 0));
}

/* ---------------------------------------------------------------------------------------------------- the walk -- */

/* One step of a product in blocks: what to convert, and what to multiply. */
typedef struct double_float_step {
  int64_t row, col, term, rows, cols, terms; /* the block, in reals */
  bool converts_A, converts_B, first, last;  /* first and last along k: begins with empty sums; writes C */
} double_float_step;

static inline int64_t double_float_steps(double_float_blocks all, double_float_blocks of) {
  const int64_t along_k = all.k ? parts_of(all.k, of.k) : 1;
  return all.m && all.n ? parts_of(all.m, of.m) * parts_of(all.n, of.n) * along_k : 0;
}

/* Step `at`: blocks along k follow each other first, then blocks of columns, then blocks of rows. A's pairs stay as
 * long as the block of A is the same. */
static inline double_float_step double_float_step_at(double_float_blocks all, double_float_blocks of, int64_t at) {
  const int64_t along_k = all.k ? parts_of(all.k, of.k) : 1, along_n = parts_of(all.n, of.n);
  const int64_t l = at % along_k, j = at / along_k % along_n, i = at / along_k / along_n;
  double_float_step s;
  s.row = i * of.m, s.col = j * of.n, s.term = l * of.k;
  s.rows = least(of.m, all.m - s.row), s.cols = least(of.n, all.n - s.col), s.terms = least(of.k, all.k - s.term);
  s.converts_A = all.k > 0 && (along_k > 1 || j == 0);
  s.converts_B = all.k > 0 && (along_k > 1 || along_n > 1 || i == 0);
  s.first = l == 0, s.last = l == along_k - 1;
  return s;
}

#endif
