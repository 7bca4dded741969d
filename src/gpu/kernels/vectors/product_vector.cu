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

/* If the columns of A are neighbours, the rows of Aᵀ are, and y gets column sums. */
template <class T> static cudaError_t launch_gemv(queue q, const product *p, const dataflow_setup *s) {
  matrix_vector_task f = task_of(p, s);
  const bool large = p->m * p->k * static_cast<int64_t>(sizeof(T)) > q.arch->limits->vectors.small_bytes;
  const auto takes = [&](auto) { return large; };
  if (rows_are_near(p->A, p->m, p->k))
    return row_sum_tiles<T>::launch(s->shape.rows, takes, [&](auto tile) {
      return launch_general<decltype(tile), vector_mode<false, true, false>>(q, f, s);
    });
  f.rows = p->k, f.cols = p->m, f.P = transposed(p->A);
  return column_sum_tiles<T>::launch(s->shape.rows, takes, [&](auto tile) {
    return launch_general<decltype(tile), vector_mode<false, false, true>>(q, f, s);
  });
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
