/* batch_rows.h - POSV of a small float matrix by one warp with matrix units (split_units.h), in shared memory.
 *
 * The factor is found strip by strip of eight columns, left-looking. Fragments of 16 rows subtract the products of the
 * strips before, on matrix units. Then each lane has rows of the strip, and the lanes of the block on the diagonal tell
 * its elements to the others (strip_columns.h). The elements of the next strip are on their way meanwhile. The code of
 * a strip serves all strips with as many fragments, so that it fits into the instruction cache.
 *
 * The warp solves with the factor in shared memory: a lane has a row of X for each 32 rows, and tells its number to the
 * others. */
#ifndef TRIGON_BATCH_ROWS_H
#define TRIGON_BATCH_ROWS_H

#include "packed_strips.h"
#if TG_MATRIX_UNITS
#include "split_units.h"

/* A strip has its rows from the diagonal on, with eight neighbours each. Rows of a group of four are permuted by the
 * strip, and halves of rows by the row, so that the lanes of all accesses use different banks.
 * BY_COLUMNS: columns of A are contiguous, otherwise rows are. */
template <int ORDER_, int RESIDENT_, bool BY_COLUMNS_> struct unit_rows {
  using T = float;
  static constexpr int ORDER = ORDER_, WARPS = 1, THREADS = 32, RESIDENT = RESIDENT_, WIDTH = 8;
  static constexpr bool BY_COLUMNS = BY_COLUMNS_;
  static constexpr int FRAGMENTS = (ORDER + 15) / 16, PARTS = (ORDER + 31) / 32, STRIPS = ORDER / WIDTH;
  static_assert(ORDER % WIDTH == 0, "strips are whole");

  __device__ static int thread() { return static_cast<int>(threadIdx.x % THREADS); } /* is not negative */

  /* The place of row 0 of a strip, of which only the rows from the diagonal on exist. */
  __host__ __device__ static constexpr int at(int strip) { return 8 * ORDER * strip - 32 * strip * (strip + 1); }
  /* From there to column c of a row. */
  __device__ static int in_strip(int strip, int row, int c) { return 8 * (row ^ strip % 4) + (c ^ (row & 4)); }

  struct place {
    alignas(16) float own[at(STRIPS) + 8 * ORDER];
    __device__ place() {}
  };
};

/* Four neighbours of a row. */
struct alignas(16) row_half {
  float of[4];
};
struct alignas(8) row_pair {
  float first, second;
};

/* A matrix of order n <= G::ORDER. Behind its end is the identity, up to the end of the last strip. */
template <class G> struct rows_thread {
  static constexpr int FRAGMENTS = G::FRAGMENTS;
  float *const own;
  float *const data; /* of A */
  const int64_t step;
  const int n, rows, lane;  /* order, the same with whole strips */
  int failed = -1;          /* the first column whose pivot is not positive */
  float next[FRAGMENTS][4]; /* what the lane has of the next strip */

  __device__ TG_INLINE rows_thread(typename G::place &shared, const matrix<float> &A, int order)
      : own(shared.own), data(A.data), step(G::BY_COLUMNS ? A.col : A.row), n(order), rows((order + 7) / 8 * 8),
        lane(G::thread()) {
    load<FRAGMENTS>(0);
  }

  __device__ float *there(int64_t r, int64_t c) const { return data + (G::BY_COLUMNS ? r + c * step : r * step + c); }

  /* next = a strip of A, in fragments of sums. What is above the diagonal is never used. */
  template <int LIVE> __device__ TG_INLINE void load(int strip) {
    const int row = 8 * strip + lane / 4, col = 8 * strip + 2 * (lane % 4);
    const float *from = there(row, col);
    const int64_t down = G::BY_COLUMNS ? 8 : 8 * step, right = G::BY_COLUMNS ? step : 1;
#pragma unroll
    for (int f = 0; f < LIVE; f++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int r = row + 16 * f + e / 2 * 8, c = col + e % 2;
        const bool on_diagonal = f == 0 && e < 2;
        next[f][e] = on_diagonal && r == c ? 1.f : 0.f;
        if (r < n && (!on_diagonal || r >= c)) next[f][e] = from[(2 * f + e / 2) * down + e % 2 * right];
      }
  }

  /* sum -= the products of COUNT strips from `strip` on, for the fragments of strip p. Terms 2t and 2t + 1 of eight are
   * the terms t and t + 4 of a fragment, in both factors. The right factor is the first half of the first fragment. */
  template <int LIVE, int COUNT> __device__ TG_INLINE void subtract(float (&sum)[LIVE][4], int strip, int p) const {
    constexpr int TOGETHER = LIVE < 2 ? LIVE : 2;
    const float *from[COUNT];
    right_fragment right[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      from[k] = own + G::at(strip + k) + 64 * p + G::in_strip(strip + k, lane / 4, 2 * (lane % 4));
#pragma unroll
    for (int first = 0; first < LIVE; first += TOGETHER) {
      left_fragment left[TOGETHER][COUNT];
      float c[TOGETHER][4] = {};
#pragma unroll
      for (int f = 0; f < TOGETHER; f++)
#pragma unroll
        for (int k = 0; k < COUNT; k++)
          if (first + f < LIVE) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
              const row_pair x = *reinterpret_cast<const row_pair *>(from[k] + 64 * (2 * (first + f) + e));
              left[f][k].set(e, x.first), left[f][k].set(e + 2, x.second);
            }
            if (first + f == 0)
#pragma unroll
              for (int e = 0; e < 2; e++)
                right[k].high[e] = left[0][k].high[2 * e], right[k].low[e] = left[0][k].low[2 * e];
          }
      const auto by = [&](int, int k) -> const right_fragment & { return right[k]; };
      if (first + 1 < LIVE)
        multiply_split<COUNT>(
            c, [&](int f, int k) -> const left_fragment & { return left[f][k]; }, by);
      else {
        float alone[1][4] = {};
        multiply_apart<COUNT>(
            alone, [&](int, int k) -> const left_fragment & { return left[0][k]; }, by);
#pragma unroll
        for (int e = 0; e < 4; e++) c[0][e] = alone[0][e];
      }
#pragma unroll
      for (int f = 0; f < TOGETHER; f++)
#pragma unroll
        for (int e = 0; e < 4; e++)
          if (first + f < LIVE) sum[first + f][e] -= c[f][e];
    }
  }

  /* own = strip p of A, less the products of the strips before. */
  template <int LIVE> __device__ TG_INLINE void subtract_strips(int p) {
    if constexpr (LIVE > 1)
      if (rows - 8 * p <= 16 * (LIVE - 1)) return subtract_strips<LIVE - 1>(p);
    float sum[LIVE][4];
#pragma unroll
    for (int f = 0; f < LIVE; f++)
#pragma unroll
      for (int e = 0; e < 4; e++) sum[f][e] = next[f][e];
    load<LIVE>(p + 1);
    int k = 0;
#pragma unroll 1
    for (; k + 1 < p; k += 2) subtract<LIVE, 2>(sum, k, p);
    if (k < p) subtract<LIVE, 1>(sum, k, p);
    float *const to = own + G::at(p) + 64 * p + G::in_strip(p, lane / 4, 2 * (lane % 4));
#pragma unroll
    for (int e = 0; e < 2 * LIVE; e++)
      if (e + 1 < 2 * LIVE || rows - 8 * p == 16 * LIVE)
        *reinterpret_cast<row_pair *>(to + 64 * e) = {sum[e / 2][e % 2 * 2], sum[e / 2][e % 2 * 2 + 1]};
  }

  /* The lane's rows of strip p, from the diagonal on. */
  template <int LIVE> using lane_rows = told_columns<float, 8, LIVE>;

  template <int LIVE, class Visit> __device__ TG_INLINE void each_half(int p, Visit visit) const {
    float *const at = own + G::at(p) + 64 * p + 8 * (lane ^ p % 4);
#pragma unroll
    for (int h = 0; h < LIVE; h++)
#pragma unroll
      for (int e = 0; e < 2; e++)
        visit(*reinterpret_cast<row_half *>(at + 256 * h + ((4 * e) ^ (lane & 4))), h, e, 8 * p + 32 * h + lane < rows);
  }
  template <int LIVE> __device__ TG_INLINE void read_rows(lane_rows<LIVE> &x, int p) const {
    each_half<LIVE>(p, [&](const row_half &half, int h, int e, bool exists) {
      row_half mine = {};
      if (exists) mine = half;
#pragma unroll
      for (int j = 0; j < 4; j++) x.x[h][4 * e + j] = mine.of[j];
    });
  }

  /* Pivots that are positive normal numbers. If one of them is not, the result is false. */
  template <int LIVE> __device__ TG_INLINE bool factor_plain(lane_rows<LIVE> &x) const {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      const float p = x.pivot_of(j), rate = tg_rsqrt_plain(p), near = p * rate;
      sum += near;
      x.eliminate(j, rate, fma(fma(-near, near, p), rate / 2, near), lane);
    }
    return sum < static_cast<float>(INFINITY);
  }

  /* Factors strip p, of which each lane has up to LIVE rows. */
  template <int LIVE> __device__ TG_INLINE void factor_strip(int p) {
    if constexpr (LIVE > 1)
      if (rows - 8 * p <= 32 * (LIVE - 1)) return factor_strip<LIVE - 1>(p);
    lane_rows<LIVE> x;
    read_rows<LIVE>(x, p);
    if (!factor_plain<LIVE>(x)) {
      read_rows<LIVE>(x, p);
      const int bad = x.factor_any(lane);
      if (failed < 0 && bad >= 0) failed = 8 * p + bad;
    }
    each_half<LIVE>(p, [&](row_half &half, int h, int e, bool exists) {
      if (exists) half = {x.x[h][4 * e], x.x[h][4 * e + 1], x.x[h][4 * e + 2], x.x[h][4 * e + 3]};
    });
    float *const to = there(8 * p + lane, 8 * p);
    const int64_t down = G::BY_COLUMNS ? 32 : 32 * step, right = G::BY_COLUMNS ? step : 1;
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
      for (int h = 0; h < LIVE; h++)
        if (8 * p + 32 * h + lane < n && (h > 0 || lane >= j)) to[h * down + j * right] = x.x[h][j];
  }

  /* Returns LAPACK's info. Ends with a barrier. */
  __device__ TG_INLINE int factor() {
#pragma unroll 1
    for (int p = 0; 8 * p < rows; p++) {
      subtract_strips<FRAGMENTS>(p);
      tg_sync_warp();
      factor_strip<G::PARTS>(p);
      tg_sync_warp();
    }
    return failed + 1;
  }
};

/* What a lane has of a solve with COLS right-hand sides: the rows 32·h + lane of Yᵀ. */
template <class G, int COLS> struct rows_solve {
  static constexpr int PARTS = G::PARTS;
  const float *const own;
  const int strips, lane;
  float rate[PARTS]; /* 1 / the diagonal element, which is the root of a number, and so in the safe range */
  float y[COLS][PARTS];

  __device__ TG_INLINE rows_solve(const float *strips_of, int n)
      : own(strips_of), strips((n + 7) / 8), lane(G::thread()) {
#pragma unroll
    for (int h = 0; h < PARTS; h++) {
      const int strip = 4 * h + lane / 8;
      rate[h] = 1;
      if (strip < strips) rate[h] = 1 / own[G::at(strip) + G::in_strip(strip, 32 * h + lane, lane % 8)];
    }
  }

  /* The row of the last strip stands in for rows behind the end. */
  __device__ int row(int h) const { return 32 * h + lane < 8 * strips ? 32 * h + lane : 8 * strips - 1; }

  /* y of a row of part h, times the row's rate, in all lanes. */
  __device__ float told(int q, int h, int at) const {
    return shuffle(y[q][h] * rate[h], static_cast<int>(threadIdx.x) % tg_warp() / 32 * 32 + at);
  }

  /* L·Y = B, strip by strip. */
  __device__ TG_INLINE void solve_forward() {
#pragma unroll
    for (int h = 0; h < PARTS; h++)
#pragma unroll 1
      for (int strip = 4 * h; strip < strips && strip < 4 * (h + 1); strip++) {
        row_half l[PARTS][2];
#pragma unroll
        for (int g = h; g < PARTS; g++)
#pragma unroll
          for (int e = 0; e < 2; e++) {
            const int r = row(g) < 8 * strip ? 8 * strip : row(g);
            l[g][e] = *reinterpret_cast<const row_half *>(own + G::at(strip) + G::in_strip(strip, r, 4 * e));
          }
#pragma unroll
        for (int j = 0; j < 8; j++) {
          const int at = 8 * (strip - 4 * h) + j;
#pragma unroll
          for (int q = 0; q < COLS; q++) {
            const float x = told(q, h, at);
            if (lane > at) y[q][h] -= x * l[h][j / 4].of[j % 4];
#pragma unroll
            for (int g = h + 1; g < PARTS; g++) y[q][g] -= x * l[g][j / 4].of[j % 4];
          }
        }
      }
    finish();
  }

  /* Lᵀ·X = Y, from the last strip on. */
  __device__ TG_INLINE void solve_backward() {
#pragma unroll
    for (int h = PARTS - 1; h >= 0; h--)
#pragma unroll 1
      for (int strip = (strips < 4 * (h + 1) ? strips : 4 * (h + 1)) - 1; strip >= 4 * h; strip--) {
        float l[PARTS][8];
#pragma unroll
        for (int g = 0; g <= h; g++) {
          const int mine = 4 * g + lane / 8 < strip ? 4 * g + lane / 8 : strip; /* the strip of the lane's column */
#pragma unroll
          for (int j = 0; j < 8; j++) l[g][j] = own[G::at(mine) + 64 * strip + G::in_strip(mine, j, lane % 8)];
        }
#pragma unroll
        for (int j = 7; j >= 0; j--) {
          const int at = 8 * (strip - 4 * h) + j;
#pragma unroll
          for (int q = 0; q < COLS; q++) {
            const float x = told(q, h, at);
            if (lane < at) y[q][h] -= x * l[h][j];
#pragma unroll
            for (int g = 0; g < h; g++) y[q][g] -= x * l[g][j];
          }
        }
      }
    finish();
  }

private:
  __device__ void finish() {
#pragma unroll
    for (int h = 0; h < PARTS; h++)
#pragma unroll
      for (int q = 0; q < COLS; q++) y[q][h] *= rate[h];
  }
};

template <class G, int COLS>
__device__ TG_INLINE void solve_with_rows(const float *own, const matrix<float> &B, int n, int nrhs) {
  rows_solve<G, COLS> solve(own, n);
#pragma unroll 1
  for (int begin = 0; begin < nrhs; begin += COLS) {
    const auto each = [&](auto visit) {
#pragma unroll
      for (int h = 0; h < G::PARTS; h++)
#pragma unroll
        for (int q = 0; q < COLS; q++) {
          const int row = 32 * h + G::thread();
          visit(solve.y[q][h], row, begin + q, row < n && begin + q < nrhs);
        }
    };
    each([&](float &y, int row, int q, bool exists) {
      y = 0;
      if (exists) y = *B.at(row, q);
    });
    solve.solve_forward();
    solve.solve_backward();
    each([&](float y, int row, int q, bool exists) {
      if (exists) *B.at(row, q) = y;
    });
  }
}

/* Factors the lower triangle A of order n <= ORDER, and solves A·X = B for nrhs columns. Returns LAPACK's info. If info
 * is not 0, B is not touched. Ends with a barrier. */
template <class G>
__device__ TG_INLINE int posv_in_rows(typename G::place &shared, const matrix<float> &A, const matrix<float> &B, int n,
                                      int nrhs) {
  rows_thread<G> mine(shared, A, n);
  const int info = mine.factor();
  if (info == 0 && nrhs == 1)
    solve_with_rows<G, 1>(shared.own, B, anew(n), nrhs);
  else if (info == 0)
    solve_with_rows<G, 2>(shared.own, B, anew(n), nrhs);
  tg_sync_warp();
  return info;
}
#endif

#endif
