/* word_tile.h - tiles of a matrix that a launch reads once, at the speed of memory, in words of 16 bytes.
 *
 * The rows of the matrix P are neighbours in memory, or P is read element by element. A block of threads reads ROWS ×
 * COLS elements in a pass. LANES lanes of a group have neighbouring words of a column. The other lanes of the group,
 * and the other groups, have other columns. A thread has STEPS words in each of COLUMNS neighbouring columns, so that
 * STEPS·COLUMNS loads are under way at once. All of this depends on bytes, so that all types need equally many
 * registers. */
#ifndef TRIGON_WORD_TILE_H
#define TRIGON_WORD_TILE_H

#include "gpu/kernels/diagonal/vectors_diagonal.h"

enum { WORD_BYTES = 16 };

/* HEIGHT: the bytes of a column of the tile. WORDS: the words of a thread. */
template <class T_, int HEIGHT, int WORDS> struct word_tile {
  using T = T_;
  static constexpr int VEC = WORD_BYTES / sizeof(T), GROUPS = TG_TILE(2, 8), THREADS = GROUP * GROUPS;
  static constexpr int LANES = HEIGHT < GROUP * WORD_BYTES ? HEIGHT / WORD_BYTES : GROUP, BESIDE = GROUP / LANES;
  static constexpr int STEPS = HEIGHT / (LANES * WORD_BYTES), COLUMNS = WORDS / STEPS;
  static constexpr int ROWS = HEIGHT / sizeof(T), COLS = GROUPS * BESIDE * COLUMNS;
  static constexpr int ANYWHERE = -(ROWS + COLS); /* less than any number of rows below the diagonal (below()) */
  static_assert(STEPS * COLUMNS == WORDS && COLUMNS > 0, "each column of a thread has STEPS words");

  using words = T[STEPS][COLUMNS][VEC]; /* the elements of a thread */
  using rows = T[STEPS][VEC];           /* one number for each row of a thread */
  using columns = T[COLUMNS];
};

/* Where the elements of a thread are in the tile. If rows run backward in memory, so do the elements of a word. */
template <class G> struct word_coord {
  int first_row, first_col, flip;

  __device__ word_coord(bool backward)
      : first_row(group_lane() % G::LANES * G::VEC),
        first_col((group_number() * G::BESIDE + group_lane() / G::LANES) * G::COLUMNS),
        flip(backward ? G::VEC - 1 : 0) {}
  __device__ int row(int step, int e) const { return step * (G::LANES * G::VEC) + first_row + (e ^ flip); }
  __device__ int col(int c) const { return first_col + c; }
};

/* Calls visit(step, column, e) for the elements of a thread, or visit(step, e) for its rows. */
template <class G, class Visit> __device__ inline void each_element_of_words(Visit visit) {
#pragma unroll
  for (int c = 0; c < G::COLUMNS; c++)
#pragma unroll
    for (int s = 0; s < G::STEPS; s++)
#pragma unroll
      for (int e = 0; e < G::VEC; e++) visit(s, c, e);
}
template <class G, class Visit> __device__ inline void each_row_of_words(Visit visit) {
#pragma unroll
  for (int s = 0; s < G::STEPS; s++)
#pragma unroll
    for (int e = 0; e < G::VEC; e++) visit(s, e);
}

/* A tile of P, as far as P reaches. Its first element is at `first`. Inside the tile, numbers of rows and columns are
 * small integers, which need few registers. */
template <class G> struct word_pass {
  using T = typename G::T;
  word_coord<G> at;
  T *first;
  int64_t row_stride, col_stride;
  int rows, cols; /* as far as P reaches, at most those of the tile */
  int diagonal;   /* row r meets the diagonal of P in column r + diagonal; of a triangle, this column is the last one */

  __device__ word_pass(const operand &P, int64_t i0, int64_t j0, int64_t i_end, int64_t j_end)
      : at(P.row < 0), first(matrix_of<T>(P, 0).at(i0, j0)), row_stride(P.row), col_stride(P.col),
        rows(static_cast<int>(least(i_end - i0, G::ROWS))), cols(static_cast<int>(least(j_end - j0, G::COLS))),
        diagonal(static_cast<int>(least(i0 - j0 < -G::ROWS ? -G::ROWS : i0 - j0, G::COLS))) {}

  /* Whether all rows of the tile are there. */
  __device__ bool has_rows() const { return rows == G::ROWS; }

  /* Loads whole words. The tile has all rows, and its words are aligned. */
  __device__ void load_words(typename G::words &to) const {
    each_word([&](int s, int c, const T *p) {
      const word w = at.col(c) < cols ? *reinterpret_cast<const word *>(p) : word{};
#pragma unroll
      for (int e = 0; e < G::VEC; e++) to[s][c][e] = w.of[e];
    });
  }
  __device__ void store_words(const typename G::words &from) const {
    each_word([&](int s, int c, T *p) {
      word w;
#pragma unroll
      for (int e = 0; e < G::VEC; e++) w.of[e] = from[s][c][e];
      if (at.col(c) < cols) *reinterpret_cast<word *>(p) = w;
    });
  }

  /* Loads the elements one by one, but not those that are less than `least_below` rows below the diagonal. The others
   * become zero. */
  __device__ void load_elements(typename G::words &to, int least_below) const {
    each_word([&](int s, int c, const T *p) {
#pragma unroll
      for (int e = 0; e < G::VEC; e++)
        to[s][c][e] = is_there(s, c, e) && below(s, c, e) >= least_below ? p[e * distance()] : T{};
    });
  }
  __device__ void store_elements(const typename G::words &from, int least_below) const {
    each_word([&](int s, int c, T *p) {
#pragma unroll
      for (int e = 0; e < G::VEC; e++)
        if (is_there(s, c, e) && below(s, c, e) >= least_below) p[e * distance()] = from[s][c][e];
    });
  }

  /* How many rows an element is below the diagonal. If the tile is far from the diagonal, a smaller distance. */
  __device__ int below(int step, int c, int e) const { return at.row(step, e) + diagonal - at.col(c); }

  /* The elements of a vector that belong to the thread's rows, or columns. The first one of the tile is x(0). Behind
   * the end they are zero. */
  __device__ void load_rows(typename G::rows &to, const matrix<T> &x) const {
    each_row_of_words<G>([&](int s, int e) { to[s][e] = at.row(s, e) < rows ? x.load(at.row(s, e), 0) : T{}; });
  }
  __device__ void load_columns(typename G::columns &to, const matrix<T> &x) const {
#pragma unroll
    for (int c = 0; c < G::COLUMNS; c++) to[c] = at.col(c) < cols ? x.load(at.col(c), 0) : T{};
  }

private:
  struct alignas(WORD_BYTES) word {
    T of[G::VEC];
  };

  __device__ bool is_there(int step, int c, int e) const { return at.row(step, e) < rows && at.col(c) < cols; }

  /* From an element of a word to the next one. */
  __device__ int64_t distance() const { return row_stride < 0 ? -row_stride : row_stride; }

  /* Calls visit(step, column, address) for the words of the thread. */
  template <class Visit> __device__ void each_word(Visit visit) const {
    T *column = first + at.row(0, 0) * row_stride + at.col(0) * col_stride;
    const int64_t step = G::LANES * G::VEC * row_stride;
#pragma unroll
    for (int c = 0; c < G::COLUMNS; c++, column += col_stride)
#pragma unroll
      for (int s = 0; s < G::STEPS; s++) visit(s, c, column + s * step);
  }
};

/* Whether the words of P are aligned. The address of the first word, and the distance of columns, must be multiples of
 * a word. */
template <class G> inline bool has_words(const operand &P) {
  const int64_t size = sizeof(typename G::T), before = P.row < 0 ? G::VEC - 1 : 0;
  const int64_t address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(P.data)) - before * size;
  return (P.row == 1 || P.row == -1) && address % WORD_BYTES == 0 && P.col * size % WORD_BYTES == 0;
}

#endif
