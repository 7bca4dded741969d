/* vectors_tile.h - tiles of the dataflow TRSM for 1, 2 or 4 columns (trsm_vectors.h): which thread has which element,
 * streams of L and X, and sums.
 *
 * Groups of threads share a tile of L. If the rows of L are neighbours in memory, a lane has rows, and a group has
 * columns. The sums of all groups are added at the end. If the columns of L are neighbours (ACROSS), a lane has
 * columns, and a group has rows. Then the lanes add their sums. */
#ifndef TRIGON_VECTORS_TILE_H
#define TRIGON_VECTORS_TILE_H

#include "gpu/kernels/diagonal/vectors_diagonal.h"

template <class T_, int COLS_> struct vectors_tile {
  using T = T_;
  static constexpr int ORDER = TG_TILE(32, sizeof(T) == 16 ? 32 : 64), COLS = COLS_;
  static constexpr int GROUPS = TG_TILE(4, 8), THREADS = GROUP * GROUPS;
  /* A lane has SPAN rows (or columns), at distances of GROUP. A group has SHARE neighbouring columns (or rows). */
  static constexpr int SPAN = ORDER / GROUP, SHARE = ORDER / GROUPS;
  /* A group has OWN elements of a tile of X, and a lane HELD of these (vectors_diagonal.h: spread_number). */
  static constexpr int OWN = SHARE * COLS, HELD = OWN > GROUP ? OWN / GROUP : 1;
  static_assert(ORDER * COLS <= THREADS, "each element of a tile of X has a thread");

  using share = T[SPAN][SHARE];
  using parts = T[GROUPS][COLS][ORDER]; /* sums of groups */
  struct workspace {
    union {
      vectors_diagonal<T, ORDER, THREADS> triangle;
      parts products; /* with V, which is in registers then */
    };
    union {
      alignas(16) parts sums;
      typename vectors_diagonal<T, ORDER, THREADS>::scratch scratch;
    };
    T right[3][GROUPS][OWN]; /* two tiles of X, and alpha·B2 less the sums: [row][column] */
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) <= TG_SHARED_MOST, "every GPU has this much");
};

/* A slab of B, for one of its tile rows. */
template <class T> struct vectors_row {
  matrix<T> L, B;
  T alpha;
  tg_cell<T> *cells; /* of the slab: [row][column] */
  int64_t i0, n;
  unsigned row;
  int rows, cols; /* of the tile */
};

/* ------------------------------------------------------------------------------------------------- streams -- */

/* The thread's elements of the tiles of L in a tile row. */
template <class G, bool ACROSS> struct vectors_stream {
  using T = typename G::T;
  const T *from, *prefetched;   /* prefetched: the address that the thread prefetches, or NULL */
  int64_t lanes, shares, tiles; /* between elements of a lane, between elements of a group, between tiles */
  int first, rows;              /* the thread's first row in the tile; rows of the tile */

  __device__ vectors_stream(const vectors_row<T> &r) {
    const int lane = group_lane(), share = group_number() * G::SHARE;
    from = ACROSS ? r.L.at(r.i0 + share, lane) : r.L.at(r.i0 + lane, share);
    lanes = GROUP * (ACROSS ? r.L.col : r.L.row), shares = ACROSS ? r.L.row : r.L.col;
    tiles = G::ORDER * r.L.col;
    first = ACROSS ? share : lane, rows = r.rows;
    prefetched = line_of(r);
  }

  __device__ void fetch(typename G::share &to, unsigned tile) const {
    const T *p = from + tile * tiles;
    if (rows == G::ORDER) { /* the loop without comparisons is short */
#pragma unroll
      for (int a = 0; a < G::SHARE; a++, p += shares)
#pragma unroll
        for (int h = 0; h < G::SPAN; h++) to[h][a] = p[h * lanes];
      return;
    }
#pragma unroll
    for (int a = 0; a < G::SHARE; a++, p += shares)
#pragma unroll
      for (int h = 0; h < G::SPAN; h++) to[h][a] = first + (ACROSS ? a : GROUP * h) < rows ? p[h * lanes] : T{};
  }

  /* Prefetches a later tile. Tiles in registers alone would not hide the latency of memory, because compilers may let
   * a thread wait for all of its loads at once. */
  __device__ void prefetch(unsigned tile) const {
    if (prefetched) tg_prefetch(prefetched + tile * tiles);
  }

private:
  /* Each thread has a piece of a row or column of the tile. */
  __device__ static const T *line_of(const vectors_row<T> &r) {
    constexpr int BYTES = 128, PIECES = G::ORDER * static_cast<int>(sizeof(T)) / BYTES;
    const int thread = static_cast<int>(threadIdx.x), line = thread / PIECES;
    const int at = thread % PIECES * (BYTES / static_cast<int>(sizeof(T)));
    if (line >= G::ORDER || (ACROSS ? line : at) >= r.rows) return NULL;
    return ACROSS ? r.L.at(r.i0 + line, at) : r.L.at(r.i0 + at, line);
  }
};

/* sum[h][c] += Σ share[h][a]·right[a][c]: a lane has rows. */
template <class G>
__device__ inline void add_along(typename G::T (&sum)[G::SPAN][G::COLS], const typename G::share &share,
                                 const typename G::T *right, bool conjugated) {
#pragma unroll
  for (int a = 0; a < G::SHARE; a++)
#pragma unroll
    for (int c = 0; c < G::COLS; c++) {
      const typename G::T x = right[a * G::COLS + c];
#pragma unroll
      for (int h = 0; h < G::SPAN; h++)
        sum[h][c] = multiply_add(conjugated ? conjugate(share[h][a]) : share[h][a], x, sum[h][c]);
    }
}

/* sum[a][c] += Σ share[h][a]·x[h][c]: a lane has columns. */
template <class G>
__device__ inline void add_across(typename G::T (&sum)[G::OWN], const typename G::share &share,
                                  const typename G::T (&x)[G::SPAN * G::COLS], bool conjugated) {
#pragma unroll
  for (int h = 0; h < G::SPAN; h++)
#pragma unroll
    for (int a = 0; a < G::SHARE; a++)
#pragma unroll
      for (int c = 0; c < G::COLS; c++)
        sum[a * G::COLS + c] =
            multiply_add(conjugated ? conjugate(share[h][a]) : share[h][a], x[h * G::COLS + c], sum[a * G::COLS + c]);
}

/* Tiles of X on their way from the cells to the block. */
template <class G> struct vectors_inbox {
  using T = typename G::T;
  const tg_cell<T> *cells; /* the group's first cell */
  tg_letters<T, G::HELD> letters;

  __device__ vectors_inbox(const vectors_row<T> &r) : cells(r.cells + group_number() * G::OWN) {}

  /* Begins to read the group's elements of a tile. */
  __device__ void look(unsigned tile) {
    tg_look(letters, [&](int e) { return at(tile, e); });
  }

  /* Waits for the group's elements of the tile that was begun, hands them to the block, and begins the next tile if it
   * is before `end`. Tiles alternate between two buffers. Who reads elements of other groups needs a barrier of the
   * block then, others need one of the warp. */
  __device__ const T *receive(typename G::workspace &shared, unsigned tile, unsigned end, unsigned pause) {
    T x[G::HELD];
    tg_receive(x, letters, pause, [&](int e) { return at(tile, e); });
#pragma unroll
    for (int e = 0; e < G::HELD; e++)
      if (spread_owner<G::OWN>()) shared.right[tile % 2][group_number()][spread_number<G::OWN>(e)] = x[e];
    if (tile + 1 < end) look(tile + 1);
    return shared.right[tile % 2][0];
  }

private:
  __device__ const tg_cell<T> *at(unsigned tile, int e) const {
    return cells + static_cast<int64_t>(tile) * (G::ORDER * G::COLS) + spread_number<G::OWN>(e);
  }
};

/* ---------------------------------------------------------------------------------------------------- sums -- */

/* Stores the sums of a group. */
template <class G>
__device__ inline void put_sums(typename G::parts &to, const typename G::T (&sum)[G::SPAN][G::COLS]) {
#pragma unroll
  for (int c = 0; c < G::COLS; c++)
#pragma unroll
    for (int h = 0; h < G::SPAN; h++) to[group_number()][c][group_lane() + GROUP * h] = sum[h][c];
}

/* Adds the sums of all groups, in pairs, so that few additions wait for each other. */
template <class G> __device__ inline typename G::T add_groups(const typename G::parts &part, int c, int row) {
  typename G::T of[G::GROUPS];
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++) of[g] = part[g][c][row];
#pragma unroll
  for (int step = 1; step < G::GROUPS; step *= 2)
#pragma unroll
    for (int g = 0; g + step < G::GROUPS; g += 2 * step) of[g] = add(of[g], of[g + step]);
  return of[0];
}

/* The sums of a thread over the tiles of a tile row. */
template <class G, bool ACROSS> struct vectors_sums;

template <class G> struct vectors_sums<G, false> {
  using T = typename G::T;
  T of[G::SPAN][G::COLS] = {};

  /* Adds the product of a tile of L with a tile of X. */
  __device__ void add_tile(const T *right, const typename G::share &share, bool conjugated) {
    tg_sync_warp();
    add_along<G>(of, share, right + group_number() * G::OWN, conjugated);
  }

  /* total[e] = the sum of the group's element spread_number(e). */
  __device__ void finish(typename G::workspace &shared, T (&total)[G::HELD]) {
    put_sums<G>(shared.sums, of);
    __syncthreads(); /* and all threads have their elements of V */
#pragma unroll
    for (int e = 0; e < G::HELD; e++) {
      const int own = spread_number<G::OWN>(e);
      total[e] = add_groups<G>(shared.sums, own % G::COLS, group_number() * G::SHARE + own / G::COLS);
    }
  }
};

template <class G> struct vectors_sums<G, true> {
  using T = typename G::T;
  T of[G::OWN] = {};

  __device__ void add_tile(const T *right, const typename G::share &share, bool conjugated) {
    __syncthreads();
    T x[G::SPAN * G::COLS];
#pragma unroll
    for (int e = 0; e < G::SPAN * G::COLS; e++)
      x[e] = right[(group_lane() + e / G::COLS * GROUP) * G::COLS + e % G::COLS];
    add_across<G>(of, share, x, conjugated);
  }

  __device__ void finish(typename G::workspace &, T (&total)[G::HELD]) {
    add_lanes<G::OWN>(of);
#pragma unroll
    for (int e = 0; e < G::HELD; e++) total[e] = of[e];
  }
};

#endif
