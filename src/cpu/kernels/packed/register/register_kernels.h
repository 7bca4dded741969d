/* register_kernels.h - the register kernels of one element type on one instruction set, as a table. The loops around
 * the kernels (products.c, triangles.c, few_columns.c) know sizes and strides. Only kernels know elements.
 *
 * Operands are packed into panels first. A row panel holds `rows` rows of a matrix, and a column panel holds `cols`
 * rows. For each inner index k the elements of the panel follow each other. Complex elements are stored as all real
 * parts, then all imaginary parts. The product of a row panel and a column panel is a register tile of rows × cols
 * elements:
 *
 *     C(i, j) = Σ_k X(i, k)·Y(j, k),   X in row panels, Y in column panels. */
#ifndef TRIGON_REGISTER_KERNELS_H
#define TRIGON_REGISTER_KERNELS_H

#include "core/sizes.h"
#include "kernel_types.h"

/* Up to this order, a factor stays in registers, or close to them, element after element. */
enum { tiny_order = 8 };

/* Rows i0 .. i0 + m - 1 and inner indices k0 .. k0 + k - 1 of a matrix. */
typedef struct source {
  operand matrix;
  structure is;
  int64_t i0, m, k0, k;
} source;

/* A block of C: m × n elements, C = alpha·X·Yᵀ + beta·C. If beta is 0, C is overwritten without being read. If
 * `computed` is not REGION_ALL, only the elements of one triangle are computed: i + below >= j in the lower triangle, i
 * + below <= j in the upper one. */
typedef struct target {
  int64_t m, n, k;
  const void *X, *Y; /* panels */
  trigon_scalar alpha, beta;
  void *C;
  int64_t row, col; /* strides of C in elements */
  region computed;
  bool upper; /* the region is the upper triangle, not the lower one */
  int64_t below;
  /* NULL, or the first of `next_columns` columns that are packed next, as one column panel. They are `next_step` bytes
   * apart. The block is one column panel wide then. Kernels may prefetch them. If NULL, they may prefetch the next
   * column panel of Y. */
  const void *next;
  int64_t next_columns, next_step;
} target;

/* A solve, or a product, with a triangle of order n as it is stored, and `width` columns. The strides of the triangle
 * are positive, and one of them is 1. The columns are in panels, which are `vectors` vectors wide; the last panel ends
 * with zeros. Each row of a panel is contiguous. If `vectors` is 0, there is a single column. */
typedef struct few_columns {
  const void *L;
  int64_t row, col, n, width;
  int64_t rows; /* of a panel: n, rounded up to whole row panels */
  int vectors;
  bool lower, unit, solve;
  void *panels;
  void *scratch; /* few_columns_scratch_bytes */
} few_columns;

/* If there are several panels, they share blocks of the triangle, of so many elements across and along its contiguous
 * direction. A copy of a block has columns of few_columns_ld elements, an odd number of cache lines. */
enum { few_columns_short = 64, few_columns_long = 128, few_columns_ld = 136 };
enum { few_columns_scratch_bytes = few_columns_short * few_columns_ld * 2 * (int)sizeof(double) };

/* Rows begin .. end - 1 of a column panel. */
typedef struct rows_of_panel {
  int64_t begin, end;
} rows_of_panel;

/* Rows of a step of POTRF, and rows or columns that are packed at once: whole panels of all kernels. */
enum { potrf_step = 48, packed_piece = 32 };

/* A lower triangle A of order n that becomes its Cholesky factor. R = Lᴴ has column panels, which end with column n,
 * rounded up to whole row panels, and begin with column `begin`, 0 or less. A panel ends with its last row on the
 * diagonal, so that R takes half the room of a square. */
typedef struct potrf_block {
  operand A;
  int64_t n, begin;
  void *panels, *triangle; /* R, and L as packed for a solve */
} potrf_block;

/* How many rows the column panels before panel q have together. The panels have `cols` columns. */
static inline int64_t potrf_rows_before(int64_t begin, int64_t cols, int64_t q) {
  return q * begin + cols * (q * (q + 1) / 2);
}

/* x·yᵀ, and x2·y2ᵀ unless x2 is NULL, of contiguous vectors. */
typedef struct outer_product {
  const void *x, *y, *x2, *y2;
} outer_product;

/* A step of a reduction to tridiagonal form: A = A - v·wᴴ - w·vᴴ, and then A·x = total + conj(adjoint), for the columns
 * `first` to last - 1. A is Hermitian, and has n rows and columns. Its lower triangle is stored by columns. Squares of
 * updated_block elements on the diagonal are stored whole. If vectors have zeros before `first`, nothing changes there,
 * but the kernel reads and writes some of these elements. `last` begins a block.
 *
 * n, col and all addresses are multiples of updated_block elements. conj_v, conj_w and conj_x are the conjugates, or
 * the vectors themselves if the type is real. The products are added to `total` and `adjoint`. */
enum { updated_block = 16 }; /* elements of the longest vector */
typedef struct updated_product {
  int64_t first, last, n, col;
  void *A;
  const void *v, *w, *x, *conj_v, *conj_w, *conj_x;
  void *total, *adjoint;
} updated_product;

struct kernels {
  int rows, cols;
  int per_vector; /* elements of a vector, or of the two vectors of a complex type */

  /* Packs a source into panels of `width` rows; the last panel ends with rows of zeros. */
  void (*pack)(const source *, int width, void *panels);
  void (*multiply)(const target *);

  /* Packs the row panels with rows begin .. end - 1 of the lower triangle L of order n. The panels follow each other.
   * The one that begins with row i has i + rows inner indices and ends with the tile on the diagonal. For a solve the
   * diagonal holds reciprocals. Returns false if a reciprocal is not a normal number. */
  bool (*pack_triangle)(const operand *L, int64_t n, int64_t begin, int64_t end, bool unit, bool solve, void *panels);

  /* A tile of a column panel, plus sign times the product of k inner indices: of a row panel at `a`, and of a column
   * panel at `x`. Only the first `width` columns are computed. */
  void (*add_to_tile)(int64_t k, const void *a, const void *x, int sign, int64_t width, void *tile);

  /* Adds the product of a triangle's diagonal tile at `a` and a column panel at `x` to a tile of a column panel.
   * Products with the zeros above the diagonal are left out. */
  void (*add_diagonal)(const void *a, const void *x, void *tile);

  /* Rows i0 .. i1 - 1 of a column panel: x = T⁻¹·x, with the triangle T that these rows of the packed triangle L have
   * on the diagonal. The rows are whole row panels. */
  void (*solve)(const void *L, int64_t i0, int64_t i1, void *x);

  /* Moves w columns of B, n rows, times alpha, into a panel of `width` columns, whose other elements become zero; and
   * back. alpha multiplies the conjugate, if B is conjugated. */
  void (*load_panel)(const operand *B, int64_t n, int64_t j0, int64_t w, int width, trigon_scalar alpha, void *x);
  void (*store_panel)(const operand *B, int64_t n, int64_t j0, int64_t w, int width, const void *x);

  /* X = L⁻¹·alpha·B for w columns from j0 on, by division, element after element: for diagonals whose reciprocals are
   * not normal numbers. */
  void (*substitute)(const triangular *, const operand *L, const operand *B, int64_t j0, int64_t w);

  /* Rows of R = Lᴴ, in the column panels that begin with columns j0 .. j1 - 1, or with the diagonal if that is further
   * right. The rows begin a row panel. If the diagonal is among the columns, the rows of L are factored there: returns
   * the first row whose pivot is not positive, or rows.end. Only the rows before it are stored. */
  int64_t (*potrf_rows)(const potrf_block *, rows_of_panel, int64_t j0, int64_t j1);

  /* Columns j .. of L⁻¹, from row j on, as a column panel x. L was packed for a solve. j is a multiple of `cols`. */
  void (*invert)(int64_t n, const void *L, int64_t j, void *x);
  /* Columns j .. of L·Lᴴ, from row j on, as a column panel x. The diagonal is real. Behind x there is room for another
   * panel of j + cols rows. */
  void (*multiply_adjoint)(int64_t n, const void *L, int64_t j, void *x);
  /* Stores such a panel into the lower triangle A; if `unit`, without the diagonal. */
  void (*store_lower)(const operand *A, int64_t n, int64_t j, bool unit, const void *x);
  /* Leaves of orders up to small_order, which pack nothing. `panel` has room for one column panel of n rows, `panels`
   * for n columns in column panels. TRSM and TRMM are of one pair. INVERT replaces L by L⁻¹. LAUUM replaces L by LᴴL.
   * TRSM and INVERT return false, and do nothing, if a reciprocal is not a normal number. POTRF returns 0, or the first
   * column, from 1, whose pivot is not positive. Then the columns before it hold the factor, and the others are
   * unchanged. */
  bool (*small_triangle)(const triangular *, bool solve, void *panel);
  int64_t (*small_potrf)(const operand *A, int64_t n, void *panels);
  bool (*small_invert)(const operand *L, int64_t n, bool unit, void *panels);
  void (*small_lauum)(const operand *L, int64_t n, void *panels);
  /* x = (L·Lᴴ)⁻¹·x for one contiguous column. One of L's strides is 1. A conjugated L stands for its conjugate. */
  void (*small_potrs)(const operand *L, int64_t n, void *x);

  /* Up to so many products of elements, packing takes longer than it saves. */
  int64_t small_products;

  /* A product that packs nothing. `panel` has room for one column panel of k rows. */
  void (*small_product)(const small_product *, void *panel);

  /* Factors a group. The panels have room for lower triangles of order group_order, rounded up to whole tiles, of as
   * many matrices as the group may have. */
  void (*potrf_group)(potrf_group *, void *panels);

  /* Rows i0 .. i1 - 1 of the panels get the products with rows k0 .. k1 - 1, which a solve subtracts. */
  void (*few_columns_update)(const few_columns *, int64_t i0, int64_t i1, int64_t k0, int64_t k1);

  /* Solves with the diagonal tile of rows i0 .. i1 - 1, at most `rows`, or multiplies panels by the tile. */
  void (*few_columns_tile)(const few_columns *, int64_t i0, int64_t i1);

  /* Solves with the triangle of rows i0 .. i1 - 1 on the diagonal, or multiplies by it, for one column. */
  void (*solve_column)(const few_columns *, int64_t i0, int64_t i1);
  void (*multiply_column)(const few_columns *, int64_t i0, int64_t i1);

  /* Products with contiguous vectors of a matrix that is read where it lies. multiply_vector: y = y + A·x for m × k
   * elements, of which one stride is 1. add_both: y = y + A·x and z = z + Aᵀ·w for contiguous columns. multiply_lines:
   * the same for k columns or rows of the lower triangle L of order n. If columns are contiguous, they are the first
   * ones, else the last rows. z gets nothing from the diagonal, which is taken as real if `real` is set. y and z may be
   * one vector. add_outer adds x·yᵀ (+ x2·y2ᵀ) to A for contiguous columns. add_outer_triangle: the same
   * where the first k rows are a lower triangle, or the last k rows an upper one. */
  void (*multiply_vector)(int64_t m, int64_t k, const void *A, int64_t row, int64_t col, const void *x, void *y);
  void (*add_both)(int64_t m, int64_t k, const void *A, int64_t col, const void *x, void *y, const void *w, void *z);
  void (*multiply_lines)(int64_t n, int64_t k, const operand *L, bool real, const void *x, void *y, const void *w,
                         void *z);
  void (*add_outer)(int64_t m, int64_t k, const outer_product *, void *A, int64_t col);
  void (*add_outer_triangle)(int64_t m, int64_t k, const outer_product *, void *A, int64_t col, bool upper);

  void (*update_and_multiply)(const updated_product *);

  /* Sets the imaginary parts of n elements to 0, which are `step` elements apart. */
  void (*make_real)(int64_t n, void *x, int64_t step);

  /* s = s + t. And y = alpha·u + beta·y, where u is s, or s + conj(t), or the conjugate of this if y is conjugated. */
  void (*add_sums)(int64_t n, void *s, const void *t);
  void (*finish_vector)(int64_t n, trigon_scalar alpha, const void *s, const void *t, trigon_scalar beta,
                        const operand *y);

  /* Whole problems of small orders. */
  void (*small_column)(const small_column *);
  void (*small_column_triangle)(const column_triangle *);
  void (*small_column_update)(const small_column_update *);
};

#endif
