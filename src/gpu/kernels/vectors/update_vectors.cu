/* update_vectors.cu - updates of a matrix by products of a column and a row: GER, SYR, HER, SYR2 and HER2.
 *
 * The matrix P is read and written once, in words. A block of threads takes a square tile, and walks to the right. */
#include "vector_launch.h"

/* P = alpha·x·yᵀ + alpha2·x2·y2ᵀ + beta·P, or the lower triangle. */
struct update_task {
  int64_t rows, cols, down, tiles; /* down: tiles below each other */
  operand P, x, y, x2, y2;
  trigon_scalar alpha, alpha2, beta;
  region computed;
  bool words;
};

template <class T> using update_tiles = tile_list<middle_square<T>, small_square<T>>;

/* The thread's elements of x, and of alpha·y. */
template <class G> struct update_factors {
  using T = typename G::T;
  typename G::rows x = {};
  typename G::columns y;

  __device__ void load_x(const word_pass<G> &pass, const operand &from, int64_t i) {
    pass.load_rows(x, matrix_of<T>(from, 0).from(i, 0));
  }
  __device__ void load_y(const word_pass<G> &pass, const operand &from, int64_t j, trigon_scalar alpha) {
    pass.load_columns(y, matrix_of<T>(from, 0).from(j, 0));
#pragma unroll
    for (int c = 0; c < G::COLUMNS; c++) y[c] = scalar_times(element_of<T>(alpha), y[c]);
  }
  __device__ T add_to(T sum, int s, int c, int e) const { return multiply_add(x[s][e], y[c], sum); }
};

/* A tile that begins at (i0, j0), and reaches to (i1, j1). */
struct update_coord {
  int64_t i0, i1, j0, j1;
};

/* Updates a pass, at column j. The loads of P begin first. Without WORDS the pass may meet the diagonal. */
template <class G, bool TWO, bool WORDS>
__device__ inline void update_pass(const update_task &f, const update_coord &tile, const word_pass<G> &pass,
                                   update_factors<G> &first, update_factors<G> &second, int64_t j) {
  using T = typename G::T;
  const T beta = element_of<T>(f.beta);
  const int least_below = f.computed == REGION_ALL ? G::ANYWHERE : 0;
  typename G::words p = {};
  if (!is_zero(beta)) WORDS ? pass.load_words(p) : pass.load_elements(p, least_below);
  if (j == tile.j0) first.load_x(pass, f.x, tile.i0);
  if (TWO && j == tile.j0) second.load_x(pass, f.x2, tile.i0);
  first.load_y(pass, f.y, j, f.alpha);
  if (TWO) second.load_y(pass, f.y2, j, f.alpha2);
  each_element_of_words<G>([&](int s, int c, int e) {
    const bool real = !WORDS && f.computed == REGION_LOWER_HERMITIAN && pass.below(s, c, e) == 0;
    T sum = scalar_times(beta, real ? only_real(p[s][c][e]) : p[s][c][e]);
    sum = first.add_to(sum, s, c, e);
    if (TWO) sum = second.add_to(sum, s, c, e);
    p[s][c][e] = real ? only_real(sum) : sum;
  });
  WORDS ? pass.store_words(p) : pass.store_elements(p, least_below);
}

template <class G, bool TWO> __device__ inline void update_tile(const update_task &f, int64_t i0, int64_t j0) {
  const update_coord tile = {i0, least(i0 + G::ROWS, f.rows), j0, least(j0 + G::ROWS, f.cols)};
  const bool meets_diagonal = f.computed != REGION_ALL && i0 == j0;
  update_factors<G> first, second;
#pragma unroll 1
  for (int64_t j = j0; j < tile.j1; j += G::COLS) {
    const word_pass<G> pass(f.P, i0, j, tile.i1, tile.j1);
    f.words &&pass.has_rows() && !meets_diagonal ? update_pass<G, TWO, true>(f, tile, pass, first, second, j)
                                                 : update_pass<G, TWO, false>(f, tile, pass, first, second, j);
  }
}

/* Blocks of a multiprocessor. Complex numbers and second products need more registers. */
template <class T, bool TWO> constexpr int update_blocks = TWO || sizeof(T) > sizeof(real_of<T>) ? 2 : 3;

template <class G, bool TWO>
__global__ void __launch_bounds__(G::THREADS, (update_blocks<typename G::T, TWO>))
    update_vectors_kernel(update_task f) {
  for (int64_t number = blockIdx.x; number < f.tiles; number += gridDim.x) {
    int64_t row = number % f.down, col = number / f.down;
    if (f.computed != REGION_ALL) {
      const triangle_coord c = triangle_coord_of<1>(static_cast<unsigned>(number));
      row = c.row, col = c.col;
    }
    update_tile<G, TWO>(f, row * G::ROWS, col * G::ROWS);
  }
}

template <class G> static int64_t tiles_of(const update_task &f) {
  const int64_t down = tiles_in(f.rows, G::ROWS);
  return f.computed == REGION_ALL ? down * tiles_in(f.cols, G::ROWS) : tiles_of_triangle<1>(down);
}

template <class G, bool TWO> static cudaError_t launch_update(queue q, update_task f) {
  f.down = tiles_in(f.rows, G::ROWS), f.tiles = tiles_of<G>(f), f.words = has_words<G>(f.P);
  return launch_kernel(q, registered<update_vectors_kernel<G, TWO>>(), blocks_for(f.tiles, G::THREADS), G::THREADS, f);
}

/* If the columns of C are neighbours, the rows of Cᵀ are, and the vectors change places. The triangle of Cᵀ is upper.
 * With rows and columns in reverse order it is lower again. */
static update_task task_of(int64_t size, const product *p) {
  update_task f = {};
  f.alpha = p->alpha, f.alpha2 = p->alpha2, f.beta = p->beta;
  f.computed = p->computed;
  f.rows = p->m, f.cols = p->n, f.P = p->C;
  f.x = p->A, f.x2 = p->A2, f.y = transposed(p->B), f.y2 = transposed(p->B2);
  if (rows_are_near(p->C, p->m, p->n)) return f;
  f.rows = p->n, f.cols = p->m, f.P = transposed(p->C);
  f.x = transposed(p->B), f.x2 = transposed(p->B2), f.y = p->A, f.y2 = p->A2;
  if (p->computed == REGION_ALL) return f;
  f.P = reversed(size, f.P, p->n);
  operand *const vectors[] = {&f.x, &f.y, &f.x2, &f.y2};
  for (operand *v : vectors) *v = rows_reversed(size, *v, p->n);
  return f;
}

cudaError_t launch_update_vectors(queue q, trigon_type type, const product *p, const dataflow_setup *s) {
  if (p->m == 0 || p->n == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const update_task f = task_of(sizeof(T), p);
    const auto takes = [&](auto tile) {
      using G = decltype(tile);
      return f.rows >= G::ROWS && tiles_of<G>(f) >= q.arch->limits->vectors.tiles;
    };
    return update_tiles<T>::launch(s->shape.rows, takes, [&](auto tile) {
      using G = decltype(tile);
      return p->A2.data ? launch_update<G, true>(q, f) : launch_update<G, false>(q, f);
    });
  });
}
