/* trsm_units.h - a tile of the dataflow TRSM with narrow slabs for doubles, on matrix units (tg_mma).
 *
 * A block takes 16·WARPS rows and 8·GROUPS columns, and each of its warps 16 of these rows. A warp streams its rows of
 * L through a ring of stages of its own (asynchronous copies), so that the warps meet only when a tile of X arrives.
 * The sums stay in registers.
 *
 * Narrow slabs have a chain: each tile row waits for the one above. So all that does not depend on the last tile of X
 * is done before the tile arrives. A block inverts its diagonal tile, V = L(i, i)⁻¹, and makes W = V·L(i, i-1), if both
 * are safe. When X(i - 1) arrives, one product is left,
 *
 *     X(i) = V·(alpha·B(i) - Σ L(i, j)·X(j), j < i - 1) - W·X(i - 1)
 *
 * W stays in registers. If W is not safe, or would be late, the sum has all products, and V is applied at the end.
 *
 * With W, a tile of 32 columns is two chains, each with a flag of its own: while one of them is on its way to the next
 * tile row, the block finishes the other. */
#ifndef TRIGON_TRSM_UNITS_H
#define TRIGON_TRSM_UNITS_H

#include "narrow_streams.h"
#include "unit_triangle.h"

template <int WARPS_, int GROUPS_, int CHAINS_> struct unit_tile {
  static constexpr int WARPS = WARPS_, GROUPS = GROUPS_, ORDER = 16 * WARPS, COLS = 8 * GROUPS, THREADS = 32 * WARPS;
  static constexpr int CHAINS = CHAINS_, PART = GROUPS / CHAINS, CHAIN = 8 * PART; /* columns of a chain */
  static constexpr int RESIDENT = 1, STAGES = GROUPS > 2 ? 4 : TG_TILE(4, 6), UNROLLED = GROUPS > 2 ? 2 : 4;
  static constexpr int LD = ORDER + 8;  /* lanes read pairs of rows of two columns at a time */
  static constexpr int STAGE = 16 * 16; /* of a warp */
  static_assert(STAGES - 2 < WARPS, "a tile of X lands while the one before is multiplied");
  static constexpr unsigned NEAR = 3;                    /* tiles of L that are brought near */
  static constexpr unsigned FIRST_AHEAD = TG_TILE(1, 3); /* W would be late for earlier tile rows */

  struct workspace {
    union {
      alignas(16) packed_triangle<WARPS> inverse; /* of the diagonal tile */
      packed_triangle<WARPS> spare;               /* the diagonal tile itself, for substitution */
      alignas(16) double last[COLS][LD];          /* X(i - 1), for W */
    };
    union {
      packed_triangle<WARPS> diagonal;
      struct {
        alignas(16) double ring[WARPS][STAGES][STAGE];
        union {
          alignas(16) double tiles[2][COLS][LD]; /* tiles of X or B: [column][row] */
          double tile[COLS][LD];                 /* the first of them */
        };
      };
    };
    double reciprocal[ORDER], sums[2][ORDER];
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* ------------------------------------------------------------------------------------------------ tile row -- */

/* How many tile rows are known to be ready in all chains of a slab. */
template <class G> struct chain_progress {
  unsigned *flags, *word; /* word: in shared memory, see tg_await_most */
  unsigned known;

  __device__ void await(unsigned rows) {
    if (known >= rows) return;
    known = tg_await_most(flags, rows, word);
#pragma unroll
    for (int c = 1; c < G::CHAINS; c++) known = min_of(known, tg_await_most(flags + c, rows, word));
  }
  /* Waits for one chain, and looks more often. */
  __device__ void await_chain(int chain, unsigned rows) const {
    if (known < rows) (void)tg_await_least([&](unsigned) { return flags + chain; }, 1, rows, word);
  }

private:
  __device__ static unsigned min_of(unsigned a, unsigned b) { return a < b ? a : b; }
};

/* The warp's rows of W, as left fragments. */
template <class G> struct unit_ahead { double of[G::WARPS][8]; };

/* Makes W. The first stages of the stream are those of L(i, i - 1); all warps read those of all warps. The stream goes
 * on at column 0. Ends with a barrier. */
template <class G, bool BY_TERMS>
__device__ inline void make_ahead(unit_ahead<G> &w, typename G::workspace &shared, left_stream<G, BY_TERMS> &left,
                                  const matrix<double> &L, int64_t first) {
  const int warp = unit_warp(), g = unit_lane() / 4, t = unit_lane() % 4;
#pragma unroll
  for (int p = 0; p < G::WARPS; p++) {
    tg_await_copies<G::STAGES - 2>();
    __syncthreads();
    if (p == G::WARPS - G::STAGES + 1) left.go_to(L, first, 0);
    left.begin(); /* into the stage of the step before, which all warps have read */
    double sum[2][4] = {};
#pragma unroll 2
    for (int k = 0; k <= warp; k++) {
      double a[8], b[4];
      load_left<BLOCK_LD>(a, shared.inverse.at(warp, k)[0]);
      const double *stage = shared.ring[k][left.slot];
#pragma unroll
      for (int h = 0; h < 2; h++) {
#pragma unroll
        for (int i = 0; i < 4; i++) b[i] = stage[stage_at<BY_TERMS>(t + 4 * i, 8 * h + g)];
        tg_mma(sum[h], a, b);
      }
    }
    /* Element (g + 8h, 2t + e) of the sums number m is the term 8m + 2t + e of the fragment. */
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int h = 0; h < 2; h++) w.of[p][2 * i + h] = sum[i / 2][2 * h + i % 2];
  }
  __syncthreads();
}

/* Brings the warp's rows of a tile of L near, if the elements of a row are neighbours: then memory is read in runs of a
 * tile's width, not of a stage's. Two lanes have a row. */
template <class G>
__device__ inline void prefetch_rows(const matrix<double> &L, int64_t first, int64_t n, int64_t col) {
  constexpr int HALF = G::ORDER / 2, LINE = 16; /* elements of half a row, and of a line of the cache */
  int64_t lane = unit_lane();
  tg_forget(lane);
  const double *from = L.at(first + lane / 2, col) + lane % 2 * HALF;
  if (L.col != 1 || first + lane / 2 >= n) return;
#pragma unroll
  for (int e = 0; e < HALF; e += LINE) tg_prefetch(from + e);
}

/* The lane's sums of a chain. */
template <class G> using chain_sums = double[G::PART][4];

/* sum += Σ L(row, j)·X(j) over the tile rows j < rows, as they become ready. The next tile of X is copied during the
 * products with the present one if it is known to be ready. right() is the stream of X. Ends with a barrier. */
template <class G, bool BY_TERMS, class Right, class Near>
__device__ inline void add_products(chain_sums<G> (&sum)[G::CHAINS], typename G::workspace &shared,
                                    left_stream<G, BY_TERMS> &left, unsigned rows, chain_progress<G> &progress,
                                    Right right, Near near) {
  const int warp = unit_warp();
  bool copied = false;
#pragma unroll 1
  for (unsigned j = 0; j < rows; j++) {
    double(&now)[G::COLS][G::LD] = shared.tiles[j % 2];
    if (!copied) {
      progress.await(j + 1);
      right().begin(now, j);
      tg_commit_copies();
      tg_await_copies<0>();
    }
    tg_await_copies<G::STAGES - 2>();
    __syncthreads(); /* all have this tile, and nobody reads the one before any more */
    copied = j + 1 < rows && progress.known > j + 1;
    if (copied) right().begin(shared.tiles[(j + 1) % 2], j + 1); /* in one group with the next stage */
    near(j);
#pragma unroll G::UNROLLED
    for (int k = 0; k < G::WARPS; k++) {
      tg_await_copies<G::STAGES - 2>();
      tg_sync_warp();
      left.begin(); /* into the stage of the step before, which all lanes have read */
      double a[8], b[4];
      load_stage<BY_TERMS>(a, shared.ring[warp][left.slot]);
#pragma unroll
      for (int g = 0; g < G::GROUPS; g++) {
        load_terms_of<G::LD>(b, &now[8 * g][16 * k]);
        tg_mma(sum[g / G::PART][g % G::PART], a, b);
      }
    }
  }
  __syncthreads();
}

/* sum = V·shared.tile for a chain. V is zero above its diagonal. */
template <class G> __device__ inline void apply_inverse(chain_sums<G> &sum, typename G::workspace &shared, int chain) {
  const int warp = unit_warp();
#pragma unroll
  for (int g = 0; g < G::PART; g++)
#pragma unroll
    for (int i = 0; i < 4; i++) sum[g][i] = 0;
#pragma unroll 2
  for (int k = 0; k <= warp; k++) {
    double a[8], b[4];
    load_left<BLOCK_LD>(a, shared.inverse.at(warp, k)[0]);
#pragma unroll
    for (int g = 0; g < G::PART; g++) {
      load_right<G::LD>(b, &shared.tile[G::CHAIN * chain + 8 * g][16 * k]);
      tg_mma(sum[g], a, b);
    }
  }
}

/* sum += W·X(i - 1) for a chain. Begins with shared.last free, behind a barrier. */
template <class G>
__device__ inline void add_last(chain_sums<G> &sum, typename G::workspace &shared, const unit_ahead<G> &w,
                                const right_stream<G> &right, unsigned row, int chain,
                                const chain_progress<G> &progress) {
  progress.await_chain(chain, row);
  right.begin(shared.last, row - 1, chain);
  tg_commit_copies();
  tg_await_copies<0>();
  __syncthreads();
#pragma unroll
  for (int p = 0; p < G::WARPS; p++)
#pragma unroll
    for (int g = 0; g < G::PART; g++) {
      double b[4];
      load_terms_of<G::LD>(b, &shared.last[G::CHAIN * chain + 8 * g][16 * p]);
      tg_mma(sum[g], w.of[p], b);
    }
}

/* shared.tile = -L(i, i)⁻¹·(shared.tile + L(i, i-1)·shared.last) by substitution, without the second term if `ahead` is
 * false. This is the rare case. Begins behind a barrier, and ends with one. */
template <class G>
__device__ TG_NOINLINE void solve_again(typename G::workspace &shared, const matrix<double> &L, int64_t i0, int64_t n,
                                        bool ahead) {
  each<G::ORDER, G::COLS, G::THREADS>(true, [&](int r, int c) {
    double sum = shared.tile[c][r];
    for (int k = 0; ahead && i0 + r < n && k < G::ORDER; k++)
      sum += *L.at(i0 + r, i0 - G::ORDER + k) * shared.last[c][k];
    shared.tile[c][r] = -sum;
  });
  substitute_units<G>(shared, shared.spare, G::COLS, L, i0, n);
}

/* B2 = L22⁻¹·(alpha·B2 - L21·B1) for tile row `row` and the slab at column j0. The sums begin with -alpha·B2, so that B
 * is read ahead of the first wait. */
template <class G, bool BY_TERMS>
__device__ inline void solve_units(typename G::workspace &shared, const triangular &t, int64_t b, unsigned row,
                                   int64_t j0, chain_progress<G> &progress) {
  const matrix<double> L = matrix_of<double>(t.L, b), B = matrix_of<double>(t.B, b);
  const matrix<double> triangle = L.as(LOWER, t.unit);
  const int warp = unit_warp();
  const auto tile_row = [&] { return static_cast<int64_t>(row) * G::ORDER; };
  const auto first_row = [&] { return tile_row() + 16 * warp; }; /* of the warp */
  const int64_t i0 = tile_row(), first = first_row();
  const inverse_use use = invert_diagonal<G>(shared, triangle, i0, t.n);
  /* With 32 columns, W and a stage by terms would not fit into the registers. */
  constexpr bool FITS = !BY_TERMS || G::GROUPS <= 2;
  static_assert(FITS || G::CHAINS == 1, "the next tile row can begin with one chain only if it has W");
  const bool ahead = FITS && use == FOR_PRODUCTS && row >= G::FIRST_AHEAD;

  left_stream<G, BY_TERMS> left(shared.ring[warp], L, first, t.n, ahead ? i0 - G::ORDER : 0,
                                static_cast<int>(row) * G::WARPS);
#pragma unroll
  for (int s = 1; s < G::STAGES; s++) left.begin();
  unit_ahead<G> w;
  if (ahead) make_ahead<G, BY_TERMS>(w, shared, left, L, first);
  chain_sums<G> sum[G::CHAINS];
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g / G::PART][g % G::PART], [&](int r, int c, double &s) {
      const int64_t i = first + r, j = j0 + 8 * g + c;
      s = i < t.n && j < t.width ? -scalar_times(t.alpha.re, *B.at(i, j)) : 0;
    });
  const unsigned rows = ahead ? row - 1 : row;
  /* Both compute their addresses anew, because the sums and W need the registers. */
  const auto right = [&] {
    tg_forget(j0);
    return right_stream<G>(B, j0, t.width);
  };
  const auto near = [&](unsigned j) {
    tg_forget(row);
    if (BY_TERMS && j + G::NEAR < rows)
      prefetch_rows<G>(L, first_row(), t.n, static_cast<int64_t>(j + G::NEAR) * G::ORDER);
  };
  add_products<G, BY_TERMS>(sum, shared, left, rows, progress, right, near);
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g / G::PART][g % G::PART],
                     [&](int r, int c, double s) { shared.tile[8 * g + c][16 * warp + r] = s; });
  __syncthreads();
  /* Where the lane's elements of a chain are in B: computed before the wait for the chain. */
  const auto place_of = [&](int chain) {
    tg_forget(j0), tg_forget(row);
    return B.at(first_row() + unit_lane() / 4, j0 + G::CHAIN * chain + unit_lane() % 4 * 2);
  };
  const auto publish = [&](double *to, int chain) {
    const int64_t i = first_row() + unit_lane() / 4, j = j0 + G::CHAIN * chain + unit_lane() % 4 * 2;
#pragma unroll
    for (int g = 0; g < G::PART; g++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (i + e / 2 * 8 < t.n && j + 8 * g + e % 2 < t.width)
          to[e / 2 * 8 * B.row + (8 * g + e % 2) * B.col] = sum[chain][g][e];
    tg_publish_by(progress.flags + chain, row + 1, TG_LEAST_WARP); /* the first warp looks for the next chain */
  };
  if (ahead) {
#pragma unroll
    for (int c = 0; c < G::CHAINS; c++) apply_inverse<G>(sum[c], shared, c);
    __syncthreads();
  }
  unsigned wild = 0; /* the chains of which a product with the zeros of V would spread a NaN or an infinity */
#pragma unroll
  for (int c = 0; c < G::CHAINS && use != NO_INVERSE; c++) {
    double *const to = place_of(c);
    if (ahead)
      add_last<G>(sum[c], shared, w, right(), row, c, progress);
    else
      apply_inverse<G>(sum[c], shared, c);
    bool found = false;
#pragma unroll
    for (int g = 0; g < G::PART; g++)
      each_of_fragment(sum[c][g], [&](int, int, double &x) { x = -x, found = found || !is_finite(x); });
    if (tg_any(found, &shared.vote))
      wild |= 1u << c;
    else
      publish(to, c);
  }
  if (use != NO_INVERSE && wild == 0) return;
  solve_again<G>(shared, triangle, tile_row(), t.n, ahead);
#pragma unroll
  for (int c = 0; c < G::CHAINS; c++) {
    if (use != NO_INVERSE && (wild >> c & 1) == 0) continue;
#pragma unroll
    for (int g = 0; g < G::PART; g++)
      each_of_fragment(sum[c][g],
                       [&](int r, int j, double &x) { x = shared.tile[G::CHAIN * c + 8 * g + j][16 * warp + r]; });
    publish(place_of(c), c);
  }
}

/* Takes a ticket, and solves for its tile. */
template <class G, bool BY_TERMS> __device__ inline void run_narrow(typename G::workspace &shared, const flow_task &f) {
  const unsigned number = tg_ticket(f.words.ticket, &shared.word), row = number / f.slabs, slab = number % f.slabs;
  const slab_place at(f.t, f.first + slab, G::COLS);
  chain_progress<G> progress = {f.words.flags + slab * G::CHAINS, &shared.word, 0};
  solve_units<G, BY_TERMS>(shared, f.t, at.b, row, at.j0, progress);
  flow_end(f.words, f.slabs * G::CHAINS, &shared.word);
}

#endif
