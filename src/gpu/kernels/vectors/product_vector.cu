/* product_vector.cu - products with a vector: GEMV, SYMV and HEMV. */
#include "vector_launch.h"

static matrix_vector_task task_of(const product *p, const dataflow_setup *s) {
  matrix_vector_task f = {};
  f.rows = p->m, f.cols = p->k;
  f.P = p->A, f.x = p->B, f.y = p->C;
  f.alpha = p->alpha, f.beta = p->beta;
  f.hermitian = p->A_is == STRUCTURE_HERMITIAN;
  f.arrived = s->words.flags, f.parts = s->space;
  return f;
}

template <class T> static bool is_large(queue q, const matrix_vector_task &f) {
  return f.rows * f.cols * static_cast<int64_t>(sizeof(T)) > q.arch->limits->vectors.small_bytes;
}

/* Row sums of a large matrix take the large tile, if the matrix has so many rows. */
template <class T> static cudaError_t launch_row_sums(queue q, const matrix_vector_task &f, const dataflow_setup *s) {
  const bool large = is_large<T>(q, f);
  const auto takes = [&](auto tile) { return large && f.rows >= decltype(tile)::ROWS; };
  return row_sum_tiles<T>::launch(s->shape.rows, takes, [&](auto tile) {
    return launch_general<decltype(tile), vector_mode<false, true, false>>(q, f, s);
  });
}

/* Column sums of a small matrix take the tall tile, unless all rows fit into the next one. Column sums of a large
 * matrix take the tallest other tile that has no more rows than the matrix. */
template <class T>
static cudaError_t launch_column_sums(queue q, const matrix_vector_task &f, const dataflow_setup *s) {
  const bool large = is_large<T>(q, f);
  const auto takes = [&](auto tile) {
    constexpr int ROWS = decltype(tile)::ROWS, MIDDLE = middle_square<T>::ROWS;
    return ROWS > MIDDLE ? !large && f.rows > MIDDLE : f.rows >= ROWS;
  };
  return column_sum_tiles<T>::launch(s->shape.rows, takes, [&](auto tile) {
    return launch_general<decltype(tile), vector_mode<false, false, true>>(q, f, s);
  });
}

/* If the columns of A are neighbours, the rows of Aᵀ are, and y gets column sums. */
template <class T> static cudaError_t launch_gemv(queue q, const product *p, const dataflow_setup *s) {
  matrix_vector_task f = task_of(p, s);
  if (rows_are_near(p->A, p->m, p->k)) return launch_row_sums<T>(q, f, s);
  f.rows = p->k, f.cols = p->m, f.P = transposed(p->A);
  return launch_column_sums<T>(q, f, s);
}

/* If the columns of A are neighbours, so are the rows of Aᵀ, which is A or conj(A). Its stored triangle is the upper
 * one. With rows and columns in reverse order, the triangle is the lower one again. */
template <class T>
static cudaError_t launch_symv(queue q, trigon_type type, const product *p, const dataflow_setup *s) {
  matrix_vector_task f = task_of(p, s);
  if (!rows_are_near(p->A, p->m, p->k)) {
    f.P = reversed(sizeof(T), transposed(p->A), p->m);
    f.P.conjugate ^= f.hermitian;
    f.x = rows_reversed(sizeof(T), f.x, p->m), f.y = rows_reversed(sizeof(T), f.y, p->m);
  }
  return launch_triangle_tiles<T, vector_mode<true, true, true>>(q, f, s, [&] { return launch_gemm(q, type, p); });
}

cudaError_t launch_product_vector(queue q, trigon_type type, const product *p, const dataflow_setup *s) {
  if (p->m == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return p->A_is == STRUCTURE_GENERAL ? launch_gemv<T>(q, p, s) : launch_symv<T>(q, type, p, s);
  });
}
