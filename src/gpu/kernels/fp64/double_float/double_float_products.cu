/* double_float_products.cu - products of double-float matrices (pairs of floats), and of doubles that
 * double_float_pack.cu has converted to pairs. */
#include "double_float_tile.h"
#include "gpu/kernels/blocks.h"
#include "gpu/kernels/registry.h"

/* The scalar. What is computed from it shall not be computed before the product, and stay in registers. */
__device__ static trigon_scalar forgotten(trigon_scalar x) {
  int64_t re = static_cast<int64_t>(bits_of(x.re)), im = static_cast<int64_t>(bits_of(x.im));
  tg_forget(re), tg_forget(im);
  __builtin_memcpy(&x.re, &re, sizeof re);
  __builtin_memcpy(&x.im, &im, sizeof im);
  return x;
}

/* Scalars of products of pairs travel as scalars of doubles. */
static trigon_scalar parts_of_double_float(double_float x) { return {x.high, x.low}; }
__device__ static double_float double_float_of_parts(trigon_scalar x) {
  return {static_cast<float>(x.re), static_cast<float>(x.im)};
}

/* What becomes of the sums: they are kept for the next step, or they become C. */
enum sum_use { KEEPS_SUMS, ENDS_REAL, ENDS_COMPLEX, ENDS_PAIRS };

/* One step of a product: a block of C, and some terms. Sizes count reals. The operands are pairs, the caller's or those
 * of doubles. Both have one kernel, because the last step decides how many registers the compiler takes for the loop
 * (double_float_tile.h). A kernel with the short last step of pairs took 128 of them. At order 4096 an H200 took 3 %
 * more time for pairs by that kernel than for doubles by this one, although doubles must be converted. */
struct double_float_task {
  int64_t m, n, k;
  double_float_lines A, B;
  const int32_t *a_exponent, *b_exponent; /* of doubles */
  double_float *sums;                     /* column-major, m × n */
  void *C;                                /* of doubles, complex doubles, or pairs */
  int64_t c_row, c_col;                   /* strides of C in numbers of its type */
  trigon_scalar alpha, beta;              /* ENDS_PAIRS: re is the high part, im the low part */
  bool first;
  sum_use use;

  __device__ double_float begin(int64_t i, int64_t j) const {
    return first || i >= m || j >= n ? double_float{0, 0} : sums[i + j * m];
  }

  __device__ void finish_real(const double_float *sum, int64_t i, int64_t j, double a, double b) const {
    double *x = static_cast<double *>(C) + i * c_row + j * c_col;
    *x = last_step(*sum, -(a_exponent[i] + b_exponent[j]), a, b, b == 0 ? 0 : *x);
  }

  __device__ void finish_complex(const double_float *sum, int64_t i, int64_t j, complex_number a,
                                 complex_number b) const {
    double *x = static_cast<double *>(C) + 2 * (i / 2 * c_row + j * c_col);
    const bool reads = b.re != 0 || b.im != 0;
    const complex_number old = {reads ? x[0] : 0, reads ? x[1] : 0};
    const complex_number y = last_complex_step(sum[0], sum[1], -(a_exponent[i] + b_exponent[j]), a, b, old);
    x[0] = y.re, x[1] = y.im;
  }

  __device__ void finish_pair(const double_float *sum, int64_t i, int64_t j, trigon_scalar a, trigon_scalar b) const {
    double_float *x = static_cast<double_float *>(C) + i * c_row + j * c_col, none = {0, 0};
    *x = last_double_float_step(*sum, double_float_of_parts(a), double_float_of_parts(b), b.re == 0 ? none : *x);
  }

  /* A thread takes one row, or the two rows of a complex number. Neighbouring threads take neighbours in memory. */
  __device__ void finish(const double_float_tile::memory &shared, int thread, int64_t i0, int64_t j0) const {
    const int parts = use == ENDS_COMPLEX ? 2 : 1, rows = double_float_tile::ROWS / parts;
    const trigon_scalar a = forgotten(alpha), b = forgotten(beta);
    const bool by_rows = c_col == 1 && c_row != 1;
    for (int at = thread; at < rows * double_float_tile::COLS; at += double_float_tile::THREADS) {
      const int r = (by_rows ? at / double_float_tile::COLS : at % rows) * parts;
      const int c = by_rows ? at % double_float_tile::COLS : at / rows;
      const int64_t i = i0 + r, j = j0 + c;
      if (i >= m || j >= n) continue;
      const double_float *sum = &shared.sums[c][r];
      switch (use) {
      case KEEPS_SUMS: sums[i + j * m] = *sum; break;
      case ENDS_REAL: finish_real(sum, i, j, a.re, b.re); break;
      case ENDS_COMPLEX: finish_complex(sum, i, j, {a.re, a.im}, {b.re, b.im}); break;
      case ENDS_PAIRS: finish_pair(sum, i, j, a, b); break;
      }
    }
  }
};

/* Calls visit(sum, row, column, item) for the thread's elements. */
template <class Visit> __device__ inline void each_sum(double_float_tile::sums &sum, int thread, Visit visit) {
#pragma unroll
  for (int item = 0; item < double_float_tile::ITEMS; item++) {
    const int i = item / double_float_tile::ITEM_COLS, j = item % double_float_tile::ITEM_COLS;
    visit(sum.of[i][j], double_float_tile::row(thread, i), double_float_tile::col(thread, j), item);
  }
}

/* Computes the sums that are not finite again, by floats. */
__device__ static void repeat_special(const double_float_task &t, double_float_tile::sums &sum,
                                      double_float_tile::memory &shared, int thread, int64_t i0, int64_t j0) {
  unsigned marked = 0;
  each_sum(sum, thread, [&](double_float &s, int r, int c, int item) {
    if (is_finite_float(s.high)) return;
    marked |= 1u << item;
    s.high = t.begin(i0 + r, j0 + c).high, s.low = 0;
  });
  double_float_tile::over_product(sum, shared, thread, t.A, t.B, i0, j0, t.k,
                                  [&](double_float &s, double_float a, double_float b, int item) {
                                    if (marked >> item & 1) s.high = multiply_add_special(a, b, s.high);
                                  });
}

__device__ static void compute_tile(const double_float_task &t, double_float_tile::memory &shared, int thread,
                                    int64_t i0, int64_t j0) {
  double_float_tile::sums sum;
  each_sum(sum, thread, [&](double_float &s, int r, int c, int) { s = t.begin(i0 + r, j0 + c); });
  double_float_tile::over_product(
      sum, shared, thread, t.A, t.B, i0, j0, t.k,
      [](double_float &s, double_float a, double_float b, int) { s = multiply_add_double_floats(a, b, s); });
  bool special = false;
  each_sum(sum, thread, [&](double_float &s, int, int, int) { special = special || !is_finite_float(s.high); });
  if (tg_any(special, &shared.vote)) repeat_special(t, sum, shared, thread, i0, j0);
  each_sum(sum, thread, [&](double_float &s, int r, int c, int) { shared.sums[c][r] = s; });
  __syncthreads();
  t.finish(shared, thread, i0, j0);
  __syncthreads();
}

__global__ static void __launch_bounds__(double_float_tile::THREADS, double_float_tile::RESIDENT)
    double_float_product_kernel(double_float_task t) {
  double_float_tile::memory &shared = *tg_shared<double_float_tile::memory>();
  const int64_t rows = (t.m + double_float_tile::ROWS - 1) / double_float_tile::ROWS;
  const int64_t cols = (t.n + double_float_tile::COLS - 1) / double_float_tile::COLS;
  for (int64_t at = blockIdx.x; at < rows * cols; at += gridDim.x) {
    unsigned thread = threadIdx.x;
    tg_forget(thread); /* what is computed from the thread's number shall not stay in registers, which the sums need */
    compute_tile(t, shared, static_cast<int>(thread), at % rows * double_float_tile::ROWS,
                 at / rows * double_float_tile::COLS);
  }
}

static cudaError_t launch_double_float_product(queue q, const double_float_task &t) {
  const int64_t tiles = parts_of(t.m, double_float_tile::ROWS) * parts_of(t.n, double_float_tile::COLS);
  if (tiles == 0) return cudaSuccess;
  return launch_kernel(q, registered<double_float_product_kernel, sizeof(double_float_tile::memory)>(),
                       blocks_for(tiles, double_float_tile::THREADS), double_float_tile::THREADS, t);
}

cudaError_t launch_gemm_pairs(queue q, const double_float_product *p) {
  const int64_t k = p->alpha.high == 0 ? 0 : p->k;
  const double_float_lines A = {p->A, p->a_row, p->a_col, p->m}, B = {p->B, p->b_col, p->b_row, p->n};
  return launch_double_float_product(q, double_float_task{p->m, p->n, k, A, B, NULL, NULL, NULL, p->C, 1, p->ldc,
                                                          parts_of_double_float(p->alpha),
                                                          parts_of_double_float(p->beta), true, ENDS_PAIRS});
}

/* --------------------------------------------------------------------------------------- a product of doubles -- */

/* The pairs of a block lie as its operand does. */
static double_float_lines lines_of(const line_block &x) {
  const bool across = lies_across_lines(&x.of);
  return {x.out, across ? 1 : x.terms, across ? x.lines : 1, x.lines};
}

/* One product of the batch. */
struct double_float_call {
  queue q;
  const product *p;
  bool is_complex;
  double_float_blocks all, of;
  double_float_arrays at;
  line_blocks lines; /* the whole operands */
};

static cudaError_t run_step(const double_float_call &c, double *C, double_float_step s) {
  line_blocks now = c.lines;
  now.A.line = s.row, now.A.lines = s.rows, now.B.line = s.col, now.B.lines = s.cols;
  now.A.term = now.B.term = s.term, now.A.terms = now.B.terms = s.terms;
  const double_float_lines A = lines_of(now.A), B = lines_of(now.B);
  if (!s.converts_A) now.A.lines = 0;
  if (!s.converts_B) now.B.lines = 0;
  const cudaError_t error = launch_double_float_lines(c.q, &now);
  if (error != cudaSuccess) return error;
  const int64_t row = c.is_complex ? s.row / 2 : s.row, parts = c.is_complex ? 2 : 1;
  double *const first = C + parts * (row * c.p->C.row + s.col * c.p->C.col);
  const sum_use use = !s.last ? KEEPS_SUMS : c.is_complex ? ENDS_COMPLEX : ENDS_REAL;
  return launch_double_float_product(c.q, double_float_task{s.rows, s.cols, s.terms, A, B, c.at.a_exponent + s.row,
                                                            c.at.b_exponent + s.col, c.at.sums, first, c.p->C.row,
                                                            c.p->C.col, c.p->alpha, c.p->beta, s.first, use});
}

static cudaError_t run_product(double_float_call &c, int64_t b) {
  const int64_t size = c.is_complex ? 2 : 1;
  operand A = c.p->A, B = c.p->B;
  A.data = static_cast<double *>(A.data) + size * b * A.batch_stride;
  B.data = static_cast<double *>(B.data) + size * b * B.batch_stride;
  const double_lines a = lines_of_A(c.is_complex, &A, c.p->m, c.p->k), x = lines_of_B(c.is_complex, &B, c.p->k, c.p->n);
  c.lines = {{a, 0, 0, a.lines, a.terms, c.at.a_exponent, c.at.a},
             {x, 0, 0, x.lines, x.terms, c.at.b_exponent, c.at.b}};
  cudaError_t error = launch_line_exponents(c.q, &c.lines);
  double *const C = static_cast<double *>(c.p->C.data) + size * b * c.p->C.batch_stride;
  for (int64_t i = 0; i < double_float_steps(c.all, c.of) && error == cudaSuccess; i++)
    error = run_step(c, C, double_float_step_at(c.all, c.of, i));
  return error;
}

cudaError_t launch_double_float_gemm(queue q, trigon_type type, const product *p, void *workspace, int64_t bytes) {
  if (p->m == 0 || p->n == 0) return cudaSuccess;
  const bool is_complex = type == TRIGON_Z;
  const double_float_blocks all = whole_product(is_complex, p->m, p->n, p->k), of = blocks_within(all, bytes);
  double_float_call c = {q, p, is_complex, all, of, arrays_in(workspace, all, of), {}};
  cudaError_t error = cudaSuccess;
  for (int64_t b = 0; b < p->count && error == cudaSuccess; b++) error = run_product(c, b);
  return error;
}
