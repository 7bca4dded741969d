/* trmm_vector.cu - the product of a triangle and a vector, in place: TRMV. */
#include "vector_launch.h"

/* If the columns of L are neighbours, so are the rows of Lᵀ, and B gets column sums. Lᵀ is upper. With rows and columns
 * in reverse order it is lower again. */
template <class T>
static cudaError_t launch_trmv(queue q, trigon_type type, const triangular *t, const dataflow_setup *s) {
  const auto otherwise = [&] { return launch_trmm(q, type, t); };
  matrix_vector_task f = {};
  f.rows = f.cols = t->n;
  f.P = t->L, f.x = f.y = t->B;
  f.alpha = t->alpha, f.unit = t->unit;
  f.arrived = s->words.flags, f.parts = s->space;
  if (rows_are_near(t->L, t->n, t->n))
    return launch_triangle_tiles<T, vector_mode<true, true, false>>(q, f, s, otherwise);
  f.P = reversed(sizeof(T), transposed(t->L), t->n);
  f.x = f.y = rows_reversed(sizeof(T), t->B, t->n);
  return launch_triangle_tiles<T, vector_mode<true, false, true>>(q, f, s, otherwise);
}

cudaError_t launch_trmm_vector(queue q, trigon_type type, const triangular *t, const dataflow_setup *s) {
  if (t->n == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) { return launch_trmv<decltype(zero)>(q, type, t, s); });
}
