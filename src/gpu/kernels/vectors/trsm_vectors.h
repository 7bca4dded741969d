/* trsm_vectors.h - the dataflow TRSM for 1, 2 or 4 columns, for every type on every GPU.
 *
 * With few columns the time is that of a chain: each tile row waits for the one above. So all that does not depend on X
 * is done ahead. A block inverts its diagonal tile, V = L(i, i)⁻¹, and makes W = V·L(i, i-1), if both are safe. When
 * the last tile of X arrives, one product is left,
 *
 *     X(i) = V·(alpha·B(i) - Σ L(i, j)·X(j), j < i - 1) - W·X(i - 1)
 *
 * Threads hold tiles of L in registers, one with which they compute, and one that is under way.
 *
 * The elements of X go from block to block through cells (vendor.h), without a flag and a fence. Each block empties the
 * cells of its tile before it waits, and publishes that.
 *
 * Groups of threads share V and W as they share a tile of L whose rows are neighbours in memory (vectors_tile.h). */
#ifndef TRIGON_TRSM_VECTORS_H
#define TRIGON_TRSM_VECTORS_H

#include "vectors_tile.h"

struct vectors_task {
  dataflow_task dataflow;
  void *cells;
};

/* ------------------------------------------------------------------------------------------------ tile row -- */

/* The thread's elements of V, by rows of the lane. */
template <class G> __device__ inline void fetch_inverse(typename G::share &to, typename G::workspace &shared) {
#pragma unroll
  for (int a = 0; a < G::SHARE; a++)
#pragma unroll
    for (int h = 0; h < G::SPAN; h++) {
      const int row = group_lane() + GROUP * h, col = group_number() * G::SHARE + a;
      to[h][a] = row >= col ? shared.triangle.inverse(row, col) : typename G::T{};
    }
}

/* The thread's elements of W = V·L(i, i-1). A group needs only its own columns of L, and stages them in pieces. Ends
 * with a barrier. */
template <class G>
__device__ inline void make_product(typename G::share &to, typename G::workspace &shared,
                                    const vectors_row<typename G::T> &r) {
  using T = typename G::T;
  constexpr int PIECE = G::ORDER / 4;
  const int lane = group_lane();
  struct alignas(16) line {
    T of[G::SHARE];
  };
  line *staged = reinterpret_cast<line *>(shared.scratch) + group_number() * PIECE;
  typename G::share left;
  vectors_stream<G, false>(r).fetch(left, r.row - 1);
#pragma unroll
  for (int a = 0; a < G::SHARE; a++)
#pragma unroll
    for (int h = 0; h < G::SPAN; h++) to[h][a] = T{};
#pragma unroll
  for (int d = 0; d < G::SPAN; d++) /* V has zeros there in the rows before */
#pragma unroll 1
    for (int k0 = 0; k0 < GROUP; k0 += PIECE) {
      if (lane / PIECE == k0 / PIECE)
#pragma unroll
        for (int a = 0; a < G::SHARE; a++)
          staged[lane % PIECE].of[a] = r.L.conjugated ? conjugate(left[d][a]) : left[d][a];
      tg_sync_warp();
#pragma unroll 8
      for (int k = 0; k < PIECE; k++) {
        const line right = staged[k];
#pragma unroll
        for (int h = d; h < G::SPAN; h++) {
          const T v = h == d && k0 + k > lane ? T{} : shared.triangle.inverse(lane + GROUP * h, GROUP * d + k0 + k);
#pragma unroll
          for (int a = 0; a < G::SHARE; a++) to[h][a] = multiply_add(v, right.of[a], to[h][a]);
        }
      }
      tg_sync_warp();
    }
  __syncthreads();
}

/* Nanoseconds between two looks at the cells of a tile. Blocks that are not next have time, and leave the cells to the
 * block that is. */
__device__ inline unsigned vectors_pause(unsigned ahead) {
  constexpr unsigned for_each = 32, most = 8, eager = 2;
  return ahead < eager ? 0 : for_each * (ahead < most ? ahead : most);
}

/* How many tiles are prefetched before they are fetched. */
enum { prefetched_tiles = 3 };

/* sum = L(row, 0 .. tiles - 1)·X. A thread has two tiles of L: with one it computes, the other one is under way. Behind
 * the last tile, `second` holds V. */
template <class G, bool ACROSS>
__device__ inline void add_tiles(vectors_sums<G, ACROSS> &sum, typename G::share &second, typename G::workspace &shared,
                                 vectors_inbox<G> &inbox, const vectors_row<typename G::T> &r,
                                 const vectors_stream<G, ACROSS> &stream, unsigned tiles) {
  typename G::share first;
  unsigned tile = 0;
  const auto add = [&](const typename G::share &share, unsigned at) {
    sum.add_tile(inbox.receive(shared, at, r.row, vectors_pause(r.row - 1 - at)), share, r.L.conjugated);
  };
  if (tiles == 0) return fetch_inverse<G>(second, shared);
  const auto prefetch = [&](unsigned at) {
    if (at < tiles) stream.prefetch(at);
  };
  if (tiles % 2 == 0) stream.fetch(second, tile++);
  stream.fetch(first, tile);
  for (;; tile += 2) {
    /* `first` holds `tile`, and `second` holds the one before, if there is one. */
    if (tile > 0) add(second, tile - 1);
    if (tile + 1 == tiles) break;
    stream.fetch(second, tile + 1);
    prefetch(tile + prefetched_tiles);
    add(first, tile);
    stream.fetch(first, tile + 2);
    prefetch(tile + prefetched_tiles + 1);
  }
  fetch_inverse<G>(second, shared);
  add(first, tile);
}

/* Stores y = alpha·B2 - sum as the group's elements in `to`. Returns whether an element is infinite or NaN. */
template <class G, bool ACROSS>
__device__ inline bool put_right(typename G::T (&to)[G::GROUPS][G::OWN], typename G::workspace &shared,
                                 vectors_sums<G, ACROSS> &sum, const typename G::T (&start)[G::HELD]) {
  typename G::T total[G::HELD];
  bool nonfinite = false;
  sum.finish(shared, total);
#pragma unroll
  for (int e = 0; e < G::HELD; e++) {
    const typename G::T y = subtract(start[e], total[e]);
    nonfinite = nonfinite || !is_finite(y);
    if (spread_owner<G::OWN>()) to[group_number()][spread_number<G::OWN>(e)] = y;
  }
  tg_sync_warp();
  return nonfinite;
}

/* part -= W·X(i - 1). Returns whether a sum is infinite or NaN. */
template <class G>
__device__ inline bool subtract_last(typename G::T (&part)[G::SPAN][G::COLS], typename G::workspace &shared,
                                     vectors_inbox<G> &inbox, unsigned row, const typename G::share &last) {
  typename G::T of_last[G::SPAN][G::COLS] = {};
  const typename G::T *right = inbox.receive(shared, row - 1, row, 0) + group_number() * G::OWN;
  tg_sync_warp();
  add_along<G>(of_last, last, right, false);
  bool nonfinite = false;
#pragma unroll
  for (int h = 0; h < G::SPAN; h++)
#pragma unroll
    for (int c = 0; c < G::COLS; c++) {
      part[h][c] = subtract(part[h][c], of_last[h][c]);
      nonfinite = nonfinite || !is_finite(part[h][c]);
    }
  return nonfinite;
}

/* Solves for the tile in `y` by substitution. If W was to be used, y lacks the product with X(i - 1), which is in
 * `last`. Begins behind a barrier, and ends with one. This is the rare case. */
template <class G>
__device__ TG_NOINLINE void solve_again(typename G::workspace &shared, const vectors_row<typename G::T> &r,
                                        typename G::T *y, const typename G::T *last) {
  const int row = static_cast<int>(threadIdx.x) / G::COLS, col = static_cast<int>(threadIdx.x) % G::COLS;
  if (last && row < r.rows) {
    typename G::T sum{};
    for (int k = 0; k < G::ORDER; k++)
      sum = multiply_add(r.L.load(r.i0 + row, r.i0 - G::ORDER + k), last[k * G::COLS + col], sum);
    y[row * G::COLS + col] = subtract(y[row * G::COLS + col], sum);
  }
  stage_triangle(shared.triangle, r.L, r.i0, r.n);
  substitute_vectors<G::COLS>(shared.triangle, y);
}

/* B2 = L22⁻¹·(alpha·B2 - L21·B1) for a tile row of a slab. await_cells waits until the cells of earlier tile rows have
 * been empty. */
template <class G, bool ACROSS, class Await>
__device__ inline void solve_vectors(typename G::workspace &shared, const vectors_row<typename G::T> &r,
                                     Await await_cells) {
  using T = typename G::T;
  enum { first_with_product = TG_TILE(1, 10) }; /* in earlier tile rows X arrives before W is made */
  const int thread = static_cast<int>(threadIdx.x), row = thread % G::ORDER, col = thread / G::ORDER;
  const vectors_stream<G, ACROSS> stream(r);
  stage_triangle(shared.triangle, r.L, r.i0, r.n);
  if (r.row > 0) stream.prefetch(r.row - 1);
  for (unsigned tile = 0; tile < prefetched_tiles && tile < r.row; tile++) stream.prefetch(tile);
  const inverse_use use = invert_triangle(shared.triangle, shared.scratch, r.n);
  const bool ahead = use == FOR_PRODUCTS && r.row >= first_with_product;
  T start[G::HELD];
#pragma unroll
  for (int e = 0; e < G::HELD; e++) {
    const int own = spread_number<G::OWN>(e), i = group_number() * G::SHARE + own / G::COLS, c = own % G::COLS;
    start[e] = i < r.rows && c < r.cols ? scalar_times(r.alpha, r.B.load(i, c)) : T{};
  }
  typename G::share last, inverse;
  if (ahead) make_product<G>(last, shared, r);
  await_cells();
  vectors_sums<G, ACROSS> sum;
  vectors_inbox<G> inbox(r);
  if (r.row > 0) inbox.look(0);
  add_tiles<G, ACROSS>(sum, inverse, shared, inbox, r, stream, ahead ? r.row - 1 : r.row);
  bool nonfinite = put_right<G, ACROSS>(shared.right[2], shared, sum, start);
  T part[G::SPAN][G::COLS] = {};
  add_along<G>(part, inverse, shared.right[2][group_number()], false);
  if (ahead) nonfinite = subtract_last<G>(part, shared, inbox, r.row, last);
  typename G::parts &products = ACROSS ? shared.sums : shared.products;
  put_sums<G>(products, part);
  /* A product with the zeros of V would spread a NaN or an infinity to rows above. */
  const bool rejected = tg_any(nonfinite, &shared.vote) || use == NO_INVERSE;
  T *y = shared.right[2][0];
  if (rejected) solve_again<G>(shared, r, y, ahead ? shared.right[(r.row - 1) % 2][0] : NULL);
  const bool sends = col < G::COLS;
  T x{};
  if (sends) x = rejected ? y[row * G::COLS + col] : add_groups<G>(products, col, row);
  tg_send(r.cells + (static_cast<int64_t>(r.row) * G::ORDER + row) * G::COLS + col, x, sends);
  if (sends && row < r.rows && col < r.cols) *r.B.at(row, col) = r.B.conjugated ? conjugate(x) : x;
}

/* Takes a ticket, and solves for its tile. Each tile has a flag: whether its cells were empty. */
template <class G, bool ACROSS>
__device__ inline void run_vectors(typename G::workspace &shared, const vectors_task &f) {
  using T = typename G::T;
  const triangular &t = f.dataflow.t;
  const dataflow_words &words = f.dataflow.words;
  const unsigned ticket = tg_ticket(words.ticket, &shared.word), slabs = f.dataflow.slabs;
  const unsigned row = ticket / slabs, slab = ticket % slabs, rows = gridDim.x / slabs;
  const slab_coord at(t, f.dataflow.first + slab, G::COLS);
  const int64_t b = at.b, i0 = static_cast<int64_t>(row) * G::ORDER, j0 = at.j0;
  const vectors_row<T> r = {matrix_of<T>(t.L, b).as(LOWER, t.unit),
                            matrix_of<T>(t.B, b).from(i0, j0),
                            element_of<T>(t.alpha),
                            static_cast<tg_cell<T> *>(f.cells) +
                                static_cast<int64_t>(slab) * rows * (G::ORDER * G::COLS),
                            i0,
                            t.n,
                            row,
                            static_cast<int>(least(t.n - i0, G::ORDER)),
                            static_cast<int>(least(t.width - j0, G::COLS))};
  if (r.rows == G::ORDER) vectors_stream<G, ACROSS>(r).prefetch(row); /* a cut tile has columns that do not exist */
  unsigned *emptied = words.flags + static_cast<int64_t>(slab) * rows;
  for (int e = static_cast<int>(threadIdx.x); e < G::ORDER * G::COLS; e += G::THREADS)
    tg_empty(r.cells + i0 * G::COLS + e);
  tg_publish(emptied + row, 1);
  solve_vectors<G, ACROSS>(shared, r, [&] { tg_await_each(emptied, row, [](unsigned) { return 1u; }); });
  dataflow_end(words, gridDim.x, &shared.word);
}

#endif
