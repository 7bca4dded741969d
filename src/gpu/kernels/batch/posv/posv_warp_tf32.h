/* posv_warp_tf32.h - POSV of a small float matrix by one warp with matrix units (tf32x3.h), in shared memory.
 *
 * The factor is found by pairs of strips of eight columns, left-looking. Fragments of 16 rows subtract the products of
 * the strips before from both strips, on matrix units: so each float is split once for two products. Then each lane has
 * rows of the first strip, and the lanes of the block on the diagonal broadcast its elements
 * (strip_columns.h). The second strip follows in the same way, behind the products of the first one. The elements of
 * the next pair are on their way to shared memory meanwhile. */
#ifndef TRIGON_POSV_WARP_TF32_H
#define TRIGON_POSV_WARP_TF32_H

#include "gpu/kernels/batch/potrf/packed_strips.h"
#if TG_HAS_MMA
#include "gpu/kernels/products/tf32x3.h"

/* A strip has its rows from the diagonal on, with eight neighbours each. Rows of a group of four are permuted by the
 * strip, and halves of rows by the row, so that the lanes of all accesses use different banks.
 * BY_COLUMNS: columns of A are contiguous, otherwise rows are. */
template <int ORDER_, int RESIDENT_, bool BY_COLUMNS_> struct mma_rows {
  using T = float;
  static constexpr int ORDER = ORDER_, WARPS = 1, THREADS = 32, RESIDENT = RESIDENT_, WIDTH = 8;
  static constexpr bool BY_COLUMNS = BY_COLUMNS_;
  static constexpr int FRAGMENTS = (ORDER + 15) / 16, PARTS = (ORDER + 31) / 32, STRIPS = ORDER / WIDTH;
  static_assert(ORDER % (2 * WIDTH) == 0, "two strips at a time");

  __device__ static int thread() { return static_cast<int>(threadIdx.x % THREADS); } /* is not negative */

  /* The index of row 0 of a strip, of which only the rows from the diagonal on exist. */
  __host__ __device__ static constexpr int at(int strip) { return 8 * ORDER * strip - 32 * strip * (strip + 1); }
  /* From there to column c of a row. */
  __device__ static int in_strip(int strip, int row, int c) { return 8 * (row ^ strip % 4) + (c ^ (row & 4)); }

  struct workspace {
    alignas(16) float own[at(STRIPS) + 8 * ORDER];
    __device__ workspace() {}
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
  const int n, rows, lane; /* order, the same with whole strips */
  int failed = -1;         /* the first column whose pivot is not positive */

  __device__ TG_INLINE rows_thread(typename G::workspace &shared, const matrix<float> &A, int order)
      : own(shared.own), data(A.data), step(G::BY_COLUMNS ? A.col : A.row), n(order), rows((order + 7) / 8 * 8),
        lane(G::thread()) {
    begin_copies<FRAGMENTS>(0);
    tg_commit_copies();
  }

  __device__ float *there(int64_t r, int64_t c) const { return data + (G::BY_COLUMNS ? r + c * step : r * step + c); }
  /* The address of the lane's first pair of a strip's fragments of sums, which begin at the row 8 * first. */
  __device__ float *fragments(int strip, int first) const {
    return own + G::at(strip) + 64 * first + G::in_strip(strip, lane / 4, 2 * (lane % 4));
  }

  /* Begins to copy strips p and p + 1 of A, as fragments of sums from row 8·p on. Zeros take the place of elements
   * above the diagonal and behind the end. */
  template <int LIVE> __device__ TG_INLINE void begin_copies(int p) const {
    const int64_t down = G::BY_COLUMNS ? 8 : 8 * step, right = G::BY_COLUMNS ? step : 1;
#pragma unroll
    for (int o = 0; o < 2; o++) {
      const int row = 8 * p + lane / 4, col = 8 * (p + o) + 2 * (lane % 4);
      const float *from = there(row, col);
      float *const to = fragments(p + o, p);
#pragma unroll
      for (int e = o; e < 2 * LIVE; e++)
#pragma unroll
        for (int c = 0; c < 2; c++)
          tg_copy_async_one(to + 64 * e + c, from + e * down + c * right,
                            row + 8 * e < n && (e > o || row + 8 * e >= col + c));
    }
  }

  /* sum -= the products of COUNT strips from `strip` on, for the last OUT of the strips p and p + 1, in fragments from
   * row 8·p on. Terms 2t and 2t + 1 of eight are the terms t and t + 4 of a fragment, in both factors. A right factor
   * is half of the first fragment. */
  template <int LIVE, int OUT, int COUNT>
  __device__ TG_INLINE void subtract(float (&sum)[OUT][LIVE][4], int strip, int p) const {
    constexpr int TOGETHER = LIVE < 2 ? LIVE : 2;
    right_fragment right[OUT][COUNT];
    const auto by = [&](int i, int k) -> const right_fragment & { return right[i % OUT][k]; };
#pragma unroll
    for (int first = 0; first < LIVE; first += TOGETHER) {
      left_fragment left[TOGETHER][COUNT];
      float c[TOGETHER * OUT][4] = {};
#pragma unroll
      for (int f = 0; f < TOGETHER; f++)
#pragma unroll
        for (int k = 0; k < COUNT; k++)
          if (first + f < LIVE) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
              const row_pair x =
                  *reinterpret_cast<const row_pair *>(fragments(strip + k, p) + 64 * (2 * (first + f) + e));
              left[f][k].set(e, x.first), left[f][k].set(e + 2, x.second);
            }
            if (first + f == 0)
#pragma unroll
              for (int o = 0; o < OUT; o++)
#pragma unroll
                for (int e = 0; e < 2; e++) {
                  const int half = 2 * e + o + 2 - OUT;
                  right[o][k].high[e] = left[0][k].high[half], right[o][k].low[e] = left[0][k].low[half];
                }
          }
      if (first + 1 < LIVE)
        multiply_split<COUNT>(
            c, [&](int i, int k) -> const left_fragment & { return left[i / OUT][k]; }, by);
      else {
        float alone[OUT][4] = {};
        multiply_apart<COUNT>(
            alone, [&](int, int k) -> const left_fragment & { return left[0][k]; }, by);
#pragma unroll
        for (int o = 0; o < OUT; o++)
#pragma unroll
          for (int e = 0; e < 4; e++) c[o][e] = alone[o][e];
      }
#pragma unroll
      for (int i = 0; i < TOGETHER * OUT; i++)
#pragma unroll
        for (int e = 0; e < 4; e++)
          if (first + i / OUT < LIVE) sum[i % OUT][first + i / OUT][e] -= c[i][e];
    }
  }

  /* Calls visit(pair, sum, sum) for the lane's sums of the last OUT of the strips p and p + 1. */
  template <int LIVE, int OUT, class Visit>
  __device__ TG_INLINE void each_sum(float (&sum)[OUT][LIVE][4], int p, Visit visit) const {
#pragma unroll
    for (int o = 0; o < OUT; o++) {
      float *const at = fragments(p + o + 2 - OUT, p);
#pragma unroll
      for (int e = o + 2 - OUT; e < 2 * LIVE; e++) /* strip p + 1 begins eight rows below */
        visit(*reinterpret_cast<row_pair *>(at + 64 * e), sum[o][e / 2][e % 2 * 2], sum[o][e / 2][e % 2 * 2 + 1]);
    }
  }

  /* own -= the products of the strips from `strip` to `end`, COUNT at once, for the last OUT of strips p and p + 1. */
  template <int LIVE, int OUT, int COUNT> __device__ TG_INLINE void subtract_strips(int strip, int end, int p) const {
    float sum[OUT][LIVE][4] = {};
    each_sum<LIVE, OUT>(sum, p,
                        [](const row_pair &x, float &first, float &second) { first = x.first, second = x.second; });
#pragma unroll 1
    for (; strip < end; strip += COUNT) subtract<LIVE, OUT, COUNT>(sum, strip, p);
    each_sum<LIVE, OUT>(sum, p, [](row_pair &x, float first, float second) { x = {first, second}; });
  }

  /* Strips p and p + 1 of A, less the products of the strips before. The next two strips are on their way then. */
  template <int LIVE> __device__ TG_INLINE void begin_pair(int p) const {
    if constexpr (LIVE > 1) {
      if (rows - 8 * p <= 16 * (LIVE - 1)) return begin_pair<LIVE - 1>(p);
      begin_copies<LIVE - 1>(p + 2);
    }
    tg_commit_copies();
    tg_await_copies<1>();
    tg_sync_warp();
    if (n < rows) {
      const int c = n + lane, strip = c / 8;
      if (c < rows && strip / 2 == p / 2) own[G::at(strip) + G::in_strip(strip, c, c % 8)] = 1;
      tg_sync_warp();
    }
    if (p > 0) subtract_strips<LIVE, 2, 2>(0, p, p);
  }

  /* Strip p + 1, less the products of strip p. */
  template <int LIVE> __device__ TG_INLINE void end_pair(int p) const {
    if constexpr (LIVE > 1)
      if (rows - 8 * p <= 16 * (LIVE - 1)) return end_pair<LIVE - 1>(p);
    subtract_strips<LIVE, 1, 1>(p, p + 1, p);
  }

  /* The lane's rows of strip p, from the diagonal on. */
  template <int LIVE> using lane_rows = broadcast_columns<float, 8, LIVE>;

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
      const float p = x.pivot_of(j), rate = tg_rsqrt_plain(p), approx = p * rate;
      sum += approx;
      x.eliminate(j, rate, fma(fma(-approx, approx, p), rate / 2, approx), lane);
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
      if (p % 2 == 0)
        begin_pair<FRAGMENTS>(p);
      else
        end_pair<FRAGMENTS>(p - 1);
      tg_sync_warp();
      factor_strip<G::PARTS>(p);
      tg_sync_warp();
    }
    return failed + 1;
  }
};
#endif

#endif
