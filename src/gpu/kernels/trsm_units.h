/* trsm_units.h - a tile row of the dataflow TRSM for doubles, on matrix units (tg_mma).
 *
 * A block takes 16·WARPS rows and 8·GROUPS columns, and each of its warps 16 of these rows. A warp streams its rows of
 * L through a ring of stages of its own (asynchronous copies), so that the warps meet only when a tile of X arrives.
 * The sums stay in registers. Before, the diagonal tile is inverted, while other blocks compute the rows above. */
#ifndef TRIGON_TRSM_UNITS_H
#define TRIGON_TRSM_UNITS_H

#include "unit_triangle.h"

template <int WARPS_, int GROUPS_> struct unit_tile {
  static constexpr int WARPS = WARPS_, GROUPS = GROUPS_, ORDER = 16 * WARPS, COLS = 8 * GROUPS, THREADS = 32 * WARPS;
  /* High tiles fill the shared memory of a multiprocessor of Hopper, and of the others two fit. */
  static constexpr bool HIGH = WARPS > TG_TILE(2, 4);
  static constexpr int RESIDENT = HIGH ? 1 : 2, STAGES = GROUPS == 8 ? 4 : HIGH && GROUPS == 1 ? 6 : 5;
  static constexpr int LD = ORDER + 4, UNROLLED = GROUPS <= 2 ? 4 : 1;
  /* A tile of X passes through registers in this many parts. */
  static constexpr int PARTS = GROUPS == 8 ? 2 : 1, SHARE = ORDER * COLS / THREADS / PARTS;

  struct workspace {
    packed_triangle<WARPS> inverse; /* of the diagonal tile */
    union {
      double ring[WARPS][STAGES][16][BLOCK_LD]; /* a warp's rows of L: [column][row] */
      packed_triangle<WARPS> diagonal;
    };
    double tile[COLS][LD]; /* a tile of X or B: [column][row] */
    double reciprocal[ORDER], sums[2][ORDER];
    unsigned long long vote;
    unsigned word;
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* ------------------------------------------------------------------------------------------------- streams -- */

/* A warp's 16 rows of L, 16 columns at a time, on their way through the warp's ring. */
template <class G> struct left_stream {
  double (*ring)[16][BLOCK_LD];
  const double *from; /* the lane's first element of the next stage */
  int64_t next, step; /* from stage to stage, and from element to element of a stage */
  int left, slot;     /* stages that are not begun yet; the ring's place for the next one */
  int f, s, f_step;   /* the lane's first row and column in the stage; whether its elements are two rows apart */
  int rows;           /* rows of L from the warp's first one on */

  __device__ left_stream(double (*to)[16][BLOCK_LD], const matrix<double> &L, int64_t first, int64_t n, int stages)
      : ring(to), left(stages), slot(0) {
    const bool fast = along_rows(L);
    const int lane = unit_lane();
    f = fast ? lane % 16 : lane / 16, s = fast ? lane / 16 : lane % 16, f_step = fast ? 0 : 2;
    rows = static_cast<int>(least(n - first, 16));
    from = L.at(first + f, s);
    next = 16 * L.col;
    step = 2 * (fast ? L.col : L.row);
  }

  /* Begins to copy the next stage. Behind the last stage this is an empty group of copies. */
  __device__ void begin() {
    if (left > 0) {
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const int row = f + e * f_step, col = s + 2 * e - e * f_step;
        tg_copy_async(&ring[slot][col][row], row < rows ? from + e * step : from, row < rows);
      }
      from += next;
      left--;
      slot = slot + 1 < G::STAGES ? slot + 1 : 0;
    }
    tg_commit_copies();
  }
};

/* A tile of X, on its way through registers to shared.tile. */
template <class G> struct right_stream {
  const double *from; /* the thread's first element of the next tile */
  int64_t next, step;
  int r, c, r_step, c_step, cols;
  double held[G::SHARE];

  __device__ right_stream(const matrix<double> &X, int64_t j0, int64_t width) {
    const bool fast = along_rows(X);
    const int thread = static_cast<int>(threadIdx.x);
    r = fast ? thread % G::ORDER : thread / G::COLS, r_step = fast ? 0 : G::THREADS / G::COLS;
    c = fast ? thread / G::ORDER : thread % G::COLS, c_step = fast ? G::THREADS / G::ORDER : 0;
    cols = static_cast<int>(least(width - j0, G::COLS));
    from = X.at(r, j0 + c);
    next = G::ORDER * X.row;
    step = r_step * X.row + c_step * X.col;
  }

  /* Fetches the first part of the next tile. */
  __device__ void begin() {
    fetch(0);
    from += next;
  }

  /* Stores the tile whose first part was fetched. */
  __device__ void put(double (&tile)[G::COLS][G::LD]) {
    from -= next;
#pragma unroll
    for (int part = 0; part < G::PARTS; part++) {
      if (part > 0) fetch(part);
#pragma unroll
      for (int e = 0; e < G::SHARE; e++) {
        const int at = part * G::SHARE + e;
        tile[c + at * c_step][r + at * r_step] = held[e];
      }
    }
    from += next;
  }

private:
  __device__ void fetch(int part) {
#pragma unroll
    for (int e = 0; e < G::SHARE; e++) {
      const int at = part * G::SHARE + e;
      held[e] = c + at * c_step < cols ? tg_load_fresh(from + at * step) : 0;
    }
  }
};

/* ------------------------------------------------------------------------------------------------ tile row -- */

/* sum += Σ L(row, j)·X(j) over the tile rows j < row, as they become ready. The next tile of X is fetched before the
 * products with the present one if it is known to be ready. */
template <class G>
__device__ inline void add_products(double (&sum)[G::GROUPS][4], typename G::workspace &shared, left_stream<G> &left,
                                    right_stream<G> &right, unsigned rows, flow_progress &progress) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  int slot = 0;
  bool fetched = false;
  for (unsigned j = 0; j < rows; j++) {
    if (!fetched) {
      progress.await(j + 1);
      right.begin();
    }
    __syncthreads();
    right.put(shared.tile);
    __syncthreads();
    fetched = j + 1 < rows && progress.known > j + 1;
    if (fetched) right.begin();
#pragma unroll
    for (int k = 0; k < G::WARPS; k++) {
      tg_await_copies<G::STAGES - 2>();
      tg_sync_warp();
      double a[8], b[4];
      load_left<BLOCK_LD>(a, shared.ring[warp][slot][0]);
#pragma unroll
      for (int g = 0; g < G::GROUPS; g++) {
        load_right<G::LD>(b, &shared.tile[8 * g][16 * k]);
        tg_mma(sum[g], a, b);
      }
      left.begin(); /* into the stage of the step before, which all lanes have read */
      slot = slot + 1 < G::STAGES ? slot + 1 : 0;
    }
  }
  __syncthreads();
}

/* sum = V·shared.tile for the warp's rows. V is zero above its diagonal. */
template <class G> __device__ inline void apply_inverse(double (&sum)[G::GROUPS][4], typename G::workspace &shared) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
#pragma unroll
    for (int i = 0; i < 4; i++) sum[g][i] = 0;
#pragma unroll G::UNROLLED
  for (int k = 0; k <= warp; k++) {
    double a[8], b[4];
    load_left<BLOCK_LD>(a, shared.inverse.at(warp, k)[0]);
#pragma unroll
    for (int g = 0; g < G::GROUPS; g++) {
      load_right<G::LD>(b, &shared.tile[8 * g][16 * k]);
      tg_mma(sum[g], a, b);
    }
  }
}

/* B2 = L22⁻¹·(alpha·B2 - L21·B1) for tile row `row` and the slab at column j0. The sums begin with -alpha·B2, so that B
 * is read ahead of the first wait. */
template <class G>
__device__ inline void solve_units(typename G::workspace &shared, const triangular &t, int64_t b, unsigned row,
                                   int64_t j0, flow_progress &progress) {
  const matrix<double> L = matrix_of<double>(t.L, b), B = matrix_of<double>(t.B, b);
  const matrix<double> triangle = L.as(LOWER, t.unit);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t i0 = static_cast<int64_t>(row) * G::ORDER, first = i0 + 16 * warp;
  const bool inverted = invert_diagonal<G>(shared, triangle, i0, t.n);

  left_stream<G> left(shared.ring[warp], L, first, t.n, static_cast<int>(row) * G::WARPS);
#pragma unroll
  for (int s = 1; s < G::STAGES; s++) left.begin();
  right_stream<G> right(B, j0, t.width);
  double sum[G::GROUPS][4];
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g], [&](int r, int c, double &s) {
      const int64_t i = first + r, j = j0 + 8 * g + c;
      s = i < t.n && j < t.width ? -scalar_times(t.alpha.re, *B.at(i, j)) : 0;
    });
  add_products<G>(sum, shared, left, right, row, progress);
  tg_forget(j0); /* else the addresses of B would take registers from the sums */

  bool wild = false;
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g], [&](int r, int c, double s) {
      shared.tile[8 * g + c][16 * warp + r] = -s;
      wild = wild || !is_finite(s);
    });
  /* A product with the zeros of V would spread a NaN or an infinity to rows above. */
  if (!tg_any(wild, &shared.vote) && inverted) {
    apply_inverse<G>(sum, shared);
  } else {
    substitute_units<G>(shared, triangle, i0, t.n);
#pragma unroll
    for (int g = 0; g < G::GROUPS; g++)
      each_of_fragment(sum[g], [&](int r, int c, double &s) { s = shared.tile[8 * g + c][16 * warp + r]; });
  }
#pragma unroll
  for (int g = 0; g < G::GROUPS; g++)
    each_of_fragment(sum[g], [&](int r, int c, double x) {
      const int64_t i = first + r, j = j0 + 8 * g + c;
      if (i < t.n && j < t.width) *B.at(i, j) = x;
    });
}

#endif
