/* small_registers.h - POTRF of a small real matrix by one warp, which has the lower triangle in registers:
 * floats up to order 32, and in POSV up to 48, or 64 without matrix units.
 *
 * The threads of a warp form a grid of HEIGHT rows and four columns. A thread has the elements whose row and column,
 * modulo HEIGHT and 4, are its own: so all threads have work until the end, and an element of a factor is read from
 * shared memory once for many products. Four columns, a panel, are factored at a time: the grid hands them to shared
 * memory, each thread takes whole rows of the panel, factors them, and writes them to memory and to shared memory.
 * From there the grid subtracts their products.
 *
 * All registers have constant numbers, so the code of each panel is its own, and orders above 64 would not fit into the
 * instruction cache (order 96: half of all samples waited for instructions). A matrix of an order below ORDER takes the
 * last panels, and the panels before are left out. If the order is not a multiple of four, an identity follows. */
#ifndef TRIGON_SMALL_REGISTERS_H
#define TRIGON_SMALL_REGISTERS_H

#include "packed_strips.h"

/* A row of a panel. */
template <class T> struct alignas(16) panel_row { T of[4]; };

/* KEPT: all panels stay in shared memory. FUSED: right-hand sides that are solved forward with the factorization.
 * GROUP: tiles of a column that subtract() updates at once. */
template <class T_, int ORDER_, int RESIDENT_, int GROUP_, bool KEPT_, bool BY_COLUMNS_> struct register_grid {
  using T = T_;
  static constexpr int ORDER = ORDER_, WARPS = 1, THREADS = 32, RESIDENT = RESIDENT_, GROUP = GROUP_;
  static constexpr bool MMA = false, KEPT = KEPT_, BY_COLUMNS = BY_COLUMNS_;
  static constexpr int HEIGHT = THREADS / 4, TALL = ORDER / HEIGHT, PANELS = ORDER / 4, FUSED = KEPT ? 4 : 0;
  static_assert(ORDER % HEIGHT == 0, "tiles are whole");

  __device__ static int thread() { return static_cast<int>(threadIdx.x % THREADS); } /* is not negative */

  /* A tile has one element of each thread. Whether tile (a, b) has elements of the triangle, and others, too. */
  __host__ __device__ static constexpr bool has(int a, int b) { return HEIGHT * (a + 1) > 4 * b; }
  __host__ __device__ static constexpr bool crosses(int a, int b) { return HEIGHT * a < 4 * b + 4; }

  /* The index of row 0 of a panel, of which only the rows from its first tile on exist. Rows of neighbouring panels are
   * in different banks. */
  __host__ __device__ static constexpr int at(int p) {
    constexpr int PER = HEIGHT / 4;
    const int g = p / PER;
    return KEPT ? p * (ORDER + 1) - HEIGHT * (PER * g * (g - 1) / 2 + (p - PER * g) * g) - HEIGHT * g : 0;
  }

  struct workspace {
    panel_row<T> staged[ORDER], of[KEPT ? at(PANELS) + ORDER : ORDER];
    alignas(16) T y[KEPT ? FUSED : 1][ORDER], solved[KEPT ? FUSED : 1][ORDER]; /* Yᴴ, before and behind the solve */
    alignas(16) T rate[KEPT ? ORDER : 4];                                      /* 1 / the diagonal */
    int failed; /* the first column whose pivot is not positive, or -1 */
    __device__ workspace() {}
  };
};

/* The factor of a block on the diagonal, which each thread computes. */
template <class T> struct panel_factor {
  using R = real_of<T>;
  R rate[4], root[4];
  T l[4][4]; /* below the diagonal */

  __device__ void read(const panel_row<T> *block) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const panel_row<T> row = block[i];
#pragma unroll
      for (int j = 0; j < 4; j++) l[i][j] = row.of[j];
    }
  }
  __device__ void eliminate(int j) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (i > j) l[i][j] = scale(l[i][j], rate[j]);
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
      for (int i = 0; i < 4; i++)
        if (k > j && i >= k) l[i][k] = subtract_product(l[i][k], l[i][j], l[k][j]);
  }
  /* Pivots that are positive normal numbers. If one of them is not, a root is NaN, and the result is false. */
  __device__ bool factor_plain() {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const R p = l[j][j];
      rate[j] = tg_rsqrt_plain(p);
      const R approx = p * rate[j];
      root[j] = fma(fma(-approx, approx, p), rate[j] / 2, approx);
      eliminate(j);
    }
    return (root[0] + root[1]) + (root[2] + root[3]) >= 0;
  }
  /* Any pivots. Returns the first column whose pivot is not positive, or -1. */
  __device__ int factor_any() {
    int failed = -1;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const pivot<R> p(l[j][j]);
      if (!p.positive && failed < 0) failed = j;
      rate[j] = p.rate, root[j] = p.root;
      eliminate(j);
    }
    return failed;
  }
  /* The diagonal element, if `row` is one of the block's rows. (In a loop the compiler would use `row` as an index.) */
  __device__ void put_root(panel_row<T> &x, int row) const {
    x.of[0] = row == 0 ? root[0] : x.of[0], x.of[1] = row == 1 ? root[1] : x.of[1];
    x.of[2] = row == 2 ? root[2] : x.of[2], x.of[3] = row == 3 ? root[3] : x.of[3];
  }
  /* A row of the panel below the block, or of the adjoint right-hand sides. */
  __device__ void solve(panel_row<T> &x) const {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      x.of[j] = scale(x.of[j], rate[j]);
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (k > j) x.of[k] = subtract_product(x.of[k], x.of[j], l[k][j]);
    }
  }
};

/* Where a matrix of order n stands: it begins behind so many rows, and ends ahead of row `end`. */
template <class G> struct grid_rows {
  int behind, end;
  __device__ explicit grid_rows(int n = 0) : behind((G::ORDER - n) / 4 * 4), end(behind + n) {}
  __device__ bool has(int row) const { return row >= behind && row < end; }
};

/* What a thread does meanwhile, behind panel P of a factorization. */
struct nothing_meanwhile {
  template <int P> __device__ void behind_panel() {}
};

/* A thread's part of factorizations. BY_COLUMNS: columns of A are contiguous, otherwise rows are. */
template <class G> struct grid_thread {
  using T = typename G::T;
  using row_of = panel_row<T>;
  static constexpr int ORDER = G::ORDER, HEIGHT = G::HEIGHT, TALL = G::TALL, PANELS = G::PANELS, THREADS = G::THREADS;
  static constexpr bool BY_COLUMNS = G::BY_COLUMNS;
  typename G::workspace &shared;
  grid_rows<G> rows;
  const int me;
  int fused = 0;    /* right-hand sides that are solved forward with the factorization */
  int64_t step = 0; /* from line to line */
  T *line = NULL;   /* the thread's address in the panel's first row or column */
  T x[TALL][PANELS];

  __device__ explicit grid_thread(typename G::workspace &memory) : shared(memory), me(G::thread()) {}

  __device__ T *there(T *from, int64_t r, int64_t c) const { return from + (BY_COLUMNS ? r + c * step : r * step + c); }

  /* Begins to read the lower triangle A of order n. */
  __device__ TG_INLINE void load(const matrix<T> &A, int n) {
    const int r = me % HEIGHT, c = me / HEIGHT;
    rows = grid_rows<G>(n), step = BY_COLUMNS ? A.col : A.row;
    line = there(A.data, me - rows.behind, -rows.behind);
    int64_t address = reinterpret_cast<int64_t>(there(A.data, r - rows.behind, c - rows.behind));
    const int64_t apart = 4 * (BY_COLUMNS ? step : 1) * static_cast<int64_t>(sizeof(T));
    const bool last = HEIGHT * (TALL - 1) + r < rows.end;
#pragma unroll
    for (int b = 0; b < PANELS; b++) {
      T *const from = reinterpret_cast<T *>(address);
#pragma unroll
      for (int a = 0; a < TALL; a++)
        if (G::has(a, b)) {
          const int below = HEIGHT * a + r - 4 * b - c;
          const bool exists = (a + 1 < TALL || last) && (!G::crosses(a, b) || below >= 0);
          if (a + 1 == TALL || G::crosses(a, b)) x[a][b] = G::crosses(a, b) && below == 0 ? one<T>() : T{};
          if (4 * b >= rows.behind && exists) x[a][b] = *there(from, HEIGHT * a, 0);
        }
      address += apart, tg_forget(address); /* one address in registers, not twelve */
    }
  }

  /* Factors the matrix. Returns LAPACK's info. Ends with a barrier. */
  template <class Meanwhile> __device__ TG_INLINE int factor(int columns, Meanwhile &meanwhile) {
    fused = columns;
    if (me == 0) shared.failed = -1;
    factor_from<0>(meanwhile);
    sync_strips<G>();
    const int info = shared.failed + 1;
    sync_strips<G>();
    return info;
  }

private:
  /* Factors panel P and those behind it. */
  template <int P, class Meanwhile> __device__ TG_INLINE void factor_from(Meanwhile &meanwhile) {
    if constexpr (P < PANELS) {
      if (4 * P >= rows.behind) {
        stage<P>();
        sync_strips<G>();
        solve_panel<P>();
        sync_strips<G>();
        subtract<P>();
      }
      line = there(line, 4, 4);
      meanwhile.template behind_panel<P>();
      factor_from<P + 1>(meanwhile);
    }
  }

  template <int P> __device__ TG_INLINE void stage() {
#pragma unroll
    for (int a = 4 * P / HEIGHT; a < TALL; a++) shared.staged[HEIGHT * a + me % HEIGHT].of[me / HEIGHT] = x[a][P];
  }

  template <int P> __device__ TG_INLINE void solve_panel() {
    constexpr int LEFT = ORDER - 4 * P, ROWS = (LEFT + THREADS - 1) / THREADS;
    panel_factor<T> f;
    f.read(shared.staged + 4 * P);
    if (!f.factor_plain()) {
      f.read(shared.staged + 4 * P);
      const int bad = f.factor_any();
      if (me == 0 && shared.failed < 0 && bad >= 0) shared.failed = 4 * P + bad - rows.behind;
    }
    if (G::KEPT && me == 0) {
      row_of rates;
#pragma unroll
      for (int j = 0; j < 4; j++) rates.of[j] = f.rate[j];
      *reinterpret_cast<row_of *>(&shared.rate[4 * P]) = rates;
    }
#pragma unroll
    for (int s = 0; s < ROWS; s++) {
      const int row = s * THREADS + me;
      const bool exists = (s + 1) * THREADS <= LEFT || row < LEFT, stored = row < rows.end - 4 * P;
      row_of own = shared.staged[4 * P + (exists ? row : 0)];
      f.solve(own);
      if (s == 0) f.put_root(own, me);
      if (exists) shared.of[G::at(P) + 4 * P + row] = own;
#pragma unroll
      for (int j = 0; j < 4; j++)
        if (stored && row >= j && (P + 1 < PANELS || 4 * P + j < rows.end)) *there(line, s * THREADS, j) = own.of[j];
    }
#pragma unroll 1
    for (int q = 0; q < fused; q++) {
      row_of y = *reinterpret_cast<const row_of *>(&shared.y[q][4 * P]);
      f.solve(y);
      if (me == 0) *reinterpret_cast<row_of *>(&shared.solved[q][4 * P]) = y;
#pragma unroll
      for (int s = 0; s < ROWS; s++) {
        const int row = s * THREADS + me;
        if (row >= 4 && ((s + 1) * THREADS <= LEFT || row < LEFT)) {
          const row_of own = shared.of[G::at(P) + 4 * P + row]; /* again, because it would take registers */
          T sum = shared.y[q][4 * P + row];
#pragma unroll
          for (int j = 0; j < 4; j++) sum = subtract_product(sum, y.of[j], own.of[j]);
          shared.y[q][4 * P + row] = sum;
        }
      }
    }
  }

  /* Subtracts the products of panel P from all tiles behind it. */
  template <int P> __device__ TG_INLINE void subtract() {
    constexpr int FIRST = (4 * P + 4) / HEIGHT;
    const row_of *const left_of = shared.of + G::at(P) + me % HEIGHT, *const right_of =
                                                                          shared.of + G::at(P) + me / HEIGHT;
    /* Few rows at once, because their elements take registers. */
#pragma unroll
    for (int first = FIRST / G::GROUP * G::GROUP; first < TALL; first += G::GROUP) {
      row_of left[G::GROUP];
#pragma unroll
      for (int a = 0; a < G::GROUP; a++)
        if (first + a >= FIRST && first + a < TALL) left[a] = left_of[HEIGHT * (first + a)];
#pragma unroll
      for (int b = P + 1; b < PANELS; b++)
        if (G::has(least_tile(first + G::GROUP - 1), b)) {
          const row_of right = right_of[4 * b];
#pragma unroll
          for (int j = 0; j < 4; j++)
#pragma unroll
            for (int a = 0; a < G::GROUP; a++)
              if (first + a >= FIRST && first + a < TALL && G::has(first + a, b))
                x[first + a][b] = subtract_product(x[first + a][b], left[a].of[j], right.of[j]);
        }
    }
  }
  __device__ static constexpr int least_tile(int a) { return a < TALL ? a : TALL - 1; }
};

/* Factors the lower triangle A of order n <= ORDER. Returns LAPACK's info. Ends with a barrier. */
template <class G>
__device__ TG_INLINE int factor_in_grid(typename G::workspace &shared, const matrix<typename G::T> &A, int n) {
  nothing_meanwhile none;
  grid_thread<G> mine(kept(shared));
  mine.load(A, n);
  return mine.factor(0, none);
}

#endif
