/* vector_launch.h - launches of products and updates with vectors: which tiles, how many blocks share a sum. */
#ifndef TRIGON_VECTOR_LAUNCH_H
#define TRIGON_VECTOR_LAUNCH_H

#include "matrix_vector.h"

/* Tiles of which a launch takes one. Large ones come first. */
template <class Tile, class... More> struct tile_list {
  /* Calls launch(tile) for the tile with so many rows. If there is none, for the first tile that takes(tile), or for
   * the last one. */
  template <class Takes, class Launch> static cudaError_t launch(int rows, Takes takes, Launch launch) {
    if (((rows == Tile::ROWS) || ... || (rows == More::ROWS)))
      return first_of([&](auto tile) { return decltype(tile)::ROWS == rows; }, launch);
    return first_of(takes, launch);
  }
  template <class Takes, class Launch> static cudaError_t first_of(Takes takes, Launch launch) {
    if constexpr (sizeof...(More) > 0)
      if (!takes(Tile{})) return tile_list<More...>::first_of(takes, launch);
    return launch(Tile{});
  }
};

enum { WORDS_OF_THREAD = TG_TILE(4, 8) };

/* Squares. The small one has 32 rows or more. */
template <class T> using large_square = word_tile<T, TG_TILE(1024, 2048), WORDS_OF_THREAD>;
template <class T> using middle_square = word_tile<T, TG_TILE(512, 1024), WORDS_OF_THREAD>;
template <class T> using small_square = word_tile<T, TG_TILE(256, sizeof(T) == 16 ? 1024 : 512), WORDS_OF_THREAD>;

/* The tile for row sums of a small matrix has few rows. That for column sums has few columns. */
template <class T> using row_sum_tiles = tile_list<middle_square<T>, word_tile<T, TG_TILE(64, 128), WORDS_OF_THREAD>>;
template <class T>
using column_sum_tiles = tile_list<word_tile<T, TG_TILE(1024, 4096), TG_TILE(2, 8)>, middle_square<T>, small_square<T>>;

inline int64_t tiles_in(int64_t length, int64_t tile) { return (length + tile - 1) / tile; }

inline int64_t most_blocks(int threads) { return blocks_for(INT64_MAX, threads); }

/* Whether rows are closer in memory than columns. */
inline bool rows_are_near(const operand &A, int64_t rows, int64_t cols) {
  const int64_t row = A.row < 0 ? -A.row : A.row, col = A.col < 0 ? -A.col : A.col;
  return row == col ? rows >= cols : row < col;
}

template <class G, class M>
inline cudaError_t launch_matrix_vector(queue q, const matrix_vector_task &f, int64_t blocks) {
  return launch_kernel(q, registered<matrix_vector_kernel<G, M>, sizeof(matrix_vector_workspace<G, M>)>(), blocks,
                       G::THREADS, f);
}

/* A product with a general matrix. Blocks share sums if there are too few segments. The shares depend on sizes, the
 * space and the kind of GPU alone. */
template <class G, class M> inline cudaError_t launch_general(queue q, matrix_vector_task f, const dataflow_setup *s) {
  constexpr int SEGMENT = matrix_vector_workspace<G, M>::SEGMENT, PASS = M::ROW_SUMS ? G::COLS : G::ROWS;
  const vector_limits &limits = q.arch->limits->vectors;
  const int64_t segments = tiles_in(M::ROW_SUMS ? f.rows : f.cols, SEGMENT);
  const int64_t passes = tiles_in(M::ROW_SUMS ? f.cols : f.rows, PASS);
  const int64_t fit = s->space_bytes / static_cast<int64_t>(segments * SEGMENT * sizeof(typename G::T));
  const int64_t wanted = least(tiles_in(limits.blocks, segments), passes / limits.least_passes);
  const int64_t shares = segments <= dataflow_flags ? least(wanted, fit) : 1;
  const int64_t passes_each = shares > 1 ? tiles_in(passes, shares) : passes;
  f.words = has_words<G>(f.P), f.length = passes_each * PASS;
  f.shares = static_cast<unsigned>(tiles_in(passes, passes_each));
  return launch_in_parts(segments, most_blocks(G::THREADS) / f.shares, [&](int64_t first, int64_t now) {
    f.first = first, f.segments = static_cast<unsigned>(now);
    return launch_matrix_vector<G, M>(q, f, now * f.shares);
  });
}

/* A product with a triangle, in panels of tile rows whose parts the space holds. A launch with column sums adds to
 * segments above its own, so the first panel comes first. Without column sums y may be x, and a tile row reads x from
 * the first element on, so the last panel comes first. If a tile row has no space, or no counter, calls otherwise(). */
template <class G, class M, class Otherwise>
inline cudaError_t launch_triangle(queue q, matrix_vector_task f, const dataflow_setup *s, Otherwise otherwise) {
  constexpr int64_t SLOT = G::ROWS * sizeof(typename G::T) * (M::ROW_SUMS + M::COLUMN_SUMS);
  const int64_t rows = tiles_in(f.rows, G::ROWS), fit = least(s->space_bytes / SLOT, most_blocks(G::THREADS));
  const int64_t panel = rows == 1 || tiles_of_triangle<1>(rows) <= fit ? rows : fit / rows;
  if (panel == 0 || rows > dataflow_flags) return otherwise();
  f.words = has_words<G>(f.P), f.shares = rows > 1 ? 2 : 1;
  return launch_in_parts(rows, panel, [&](int64_t before, int64_t now) {
    f.first = M::COLUMN_SUMS ? before : rows - before - now, f.segments = static_cast<unsigned>(now);
    return launch_matrix_vector<G, M>(q, f, tiles_of_triangle<1>(f.first + now) - tiles_of_triangle<1>(f.first));
  });
}

/* Launches a product with a triangle, in the largest tiles of which there are enough. */
template <class T, class M, class Otherwise>
inline cudaError_t launch_triangle_tiles(queue q, const matrix_vector_task &f, const dataflow_setup *s,
                                         Otherwise otherwise) {
  const auto takes = [&](auto tile) {
    return tiles_of_triangle<1>(tiles_in(f.rows, decltype(tile)::ROWS)) >= q.arch->limits->vectors.tiles;
  };
  return tile_list<large_square<T>, middle_square<T>, small_square<T>>::launch(
      s->shape.rows, takes, [&](auto tile) { return launch_triangle<decltype(tile), M>(q, f, s, otherwise); });
}

#endif
