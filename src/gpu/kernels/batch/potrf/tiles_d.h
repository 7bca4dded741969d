/* tiles_d.h - the tiles of POTRF of a large double matrix of a batch, with matrix units (tg_mma): see tiles_real.h.
 *
 * A tile of 64 × 64 begins as -A, and the products of the columns before are added (mma_products.h). Two blocks share a
 * multiprocessor, so that one of them multiplies while the other one factors, loads or stores. That is worth more than
 * the fewer bytes of larger tiles (docs/performance.md). */
#ifndef TRIGON_TILES_D_H
#define TRIGON_TILES_D_H

#include "gpu/kernels/products/mma_products.h"
#include "tiles_real.h"

struct panel_mma : mma_geometry<64, 64, 4, 1, 5> {
  static constexpr int PANEL = COLS, STRIPS = PANEL / 8, RESIDENT = 2;
  static_assert(ROWS == PANEL && HEIGHT == 1 && WIDTH == STRIPS, "a warp has all columns of 16 rows");
  using strips = packed_strips<double, PANEL, true, THREADS>;
  using workspace = tile_workspace<ring, strips>;
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* Calls visit(row, column, element of the sums, its address in M) for the lane's elements. */
template <class Visit> __device__ inline void each_of_tile(panel_mma::sums &sum, const matrix<double> &M, Visit visit) {
  using G = panel_mma;
  const int row = mma_row<G>() + mma_lane() / 4, col = 2 * (mma_lane() % 4);
  int64_t down = M.row, right = M.col; /* their multiples shall take no registers while the sums grow */
  tg_forget(down), tg_forget(right);
  double *address = M.data + row * down + col * right;
#pragma unroll
  for (int c = 0; c < 2 * G::WIDTH; c++, address += c % 2 ? right : 7 * right)
#pragma unroll
    for (int h = 0; h < 2; h++)
      visit(row + 8 * h, c / 2 * 8 + col + c % 2, sum.of[0][c / 2][2 * h + c % 2], address + 8 * h * down);
}

/* The tile at (i, j) of A less the products L(i.., 0..j-1)·L(j.., 0..j-1)ᵀ, with the opposite sign. ready() is that of
 * add_streams. Ends with a barrier. */
template <class Layouts, class Ready>
__device__ inline void sum_tile(panel_mma::sums &sum, panel_mma::workspace &shared, const matrix<double> &A, int64_t n,
                                int64_t i, int64_t j, Ready ready) {
  using G = panel_mma;
  const int rows = static_cast<int>(least(n - i, G::ROWS)), cols = static_cast<int>(least(n - j, G::PANEL));
  const int down = static_cast<int>(least(i - j, G::PANEL)); /* the diagonal passes the first column so far above */
  /* Elements go to their registers at once, so that all loads are under way before one is awaited. */
  each_of_tile(sum, A.from(i, j), [&](int r, int c, double &s, const double *from) {
    s = 0;
    if (r < rows && c < cols && c <= r + down) s = *from;
  });
  const auto negate = [&] { each_of_tile(sum, A, [](int, int, double &s, const double *) { s = -s; }); };
  const auto landed = [&](int stage) {
    if (stage == 0) negate(); /* the first copies are under way before the elements are awaited */
  };
  const int64_t stages = j / G::TERMS;
  if (stages == 0) return __syncthreads(), negate();
  add_streams<G, Layouts, mma_order<false, false, false, true>>(sum, shared.copies, {A, i, n, 0, j}, {A, j, n, 0, j},
                                                                stages, ready, landed);
}

/* Stores the diagonal tile, of which the sums are the negative, where it is factored. */
__device__ inline void keep_diagonal(const panel_mma::sums &sum, panel_mma::workspace &shared) {
  using G = panel_mma;
  using strips = G::strips;
  double *to = shared.diagonal.own + mma_row<G>() + mma_lane() / 4;
  const int col = 2 * (mma_lane() % 4);
#pragma unroll
  for (int strip = 0; strip < G::STRIPS; strip++)
#pragma unroll
    for (int h = 0; h < 2; h++)
      if (8 * strip <= mma_row<G>() + 8 * h) {
        double *at = to + strips::at(strip) + col * strips::ld(strip) + 8 * h;
        at[0] = -sum.of[0][strip][2 * h], at[strips::ld(strip)] = -sum.of[0][strip][2 * h + 1];
      }
}

/* x = -s·L⁻ᵀ for a fragment of 16 rows and the 8 × 8 block L. A lane has two columns of it, and `rates` are the
 * reciprocals of L's diagonal there. */
__device__ inline void solve_fragment(double (&s)[4], const double *L, int ld, const double (&rates)[2]) {
  const int t = mma_lane() % 4, quad = mma_lane() - t;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const two_doubles l = *reinterpret_cast<const two_doubles *>(L + j * ld + 2 * t);
    double x[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const double mine = -s[2 * h + j % 2] * rates[j % 2];
      x[h] = tg_shuffle(mine, quad + j / 2);
      if (t == j / 2) s[2 * h + j % 2] = mine;
      if (2 * t > j) s[2 * h] += x[h] * l.first;
      if (2 * t + 1 > j) s[2 * h + 1] += x[h] * l.second;
    }
  }
}

/* Whether the lane has a NaN or an infinity: the zeros of an inverse would spread it to columns before. */
__device__ inline bool is_nonfinite(const panel_mma::sums &sum) {
  double test = 0;
#pragma unroll
  for (int e = 0; e < 4 * panel_mma::WIDTH; e++) test += 0 * sum.of[0][e / 4][e % 4];
  return !(test == 0);
}

/* x of a fragment of 16 rows as the left factor of tg_mma: terms 2t and 2t + 1 are its terms t and t + 4. */
struct solved_fragment {
  double of[4];
  __device__ explicit solved_fragment(const double (&s)[4]) : of{s[0], s[2], s[1], s[3]} {}
};

/* c += x·Lᵀ, where the lane's first element of the block of 8 × 8 of L is *right, and columns are ld apart. */
__device__ inline void subtract_solved(double (&c)[4], const solved_fragment &x, const double *right, int ld) {
  const double b[2] = {right[0], right[ld]};
  tg_mma(c, x.of, b);
}

/* Solves with the diagonal tile for the warp's rows of a tile below it, of which the sums are the negative. */
__device__ inline void solve_rows(panel_mma::sums &sum, const panel_mma::workspace &shared) {
  using G = panel_mma;
  using strips = G::strips;
  const int g = mma_lane() / 4, t = mma_lane() % 4;
#pragma unroll
  for (int strip = 0; strip < G::STRIPS; strip++) {
    auto &s = sum.of[0][strip];
    const int ld = strips::ld(strip);
    const double *L = shared.diagonal.own + strips::at(strip) + 8 * strip + 2 * t * ld + g;
    const double *X = shared.inverse + (8 * strip + 2 * t) * shared.INVERSE_LD + g;
    const double a[4] = {-s[0], -s[2], -s[1], -s[3]}, b[2] = {X[0], X[shared.INVERSE_LD]};
    s[0] = s[1] = s[2] = s[3] = 0;
    tg_mma(s, a, b);
    const solved_fragment x(s);
#pragma unroll
    for (int next = strip + 1; next < G::STRIPS; next++)
      subtract_solved(sum.of[0][next], x, L + 8 * (next - strip), ld);
  }
}

/* Solves with the diagonal tile by substitution, for a tile that products with inverses might spoil. The sums go
 * through shared memory, so that this rare case has few instructions: those of the other case shall not be far from
 * each other. */
__device__ inline void solve_by_substitution(panel_mma::sums &sum, panel_mma::workspace &shared) {
  using G = panel_mma;
  using strips = G::strips;
  static_assert(sizeof(G::ring::of) >= sizeof(G::sums) * G::THREADS, "the ring holds all sums");
  const int g = mma_lane() / 4, t = mma_lane() % 4;
  double *const own = shared.copies.of + threadIdx.x;
  const auto load = [&](double(&s)[4], int strip) {
    for (int e = 0; e < 4; e++) s[e] = own[(4 * strip + e) * G::THREADS];
  };
  const auto store = [&](const double(&s)[4], int strip) {
    for (int e = 0; e < 4; e++) own[(4 * strip + e) * G::THREADS] = s[e];
  };
#pragma unroll
  for (int strip = 0; strip < G::STRIPS; strip++) store(sum.of[0][strip], strip);
#pragma unroll 1
  for (int strip = 0; strip < G::STRIPS; strip++) {
    double s[4];
    const int ld = strips::ld(strip);
    const double *L = shared.diagonal.own + strips::at(strip) + 8 * strip;
    load(s, strip);
    solve_fragment(s, L, ld, {shared.reciprocal[8 * strip + 2 * t], shared.reciprocal[8 * strip + 2 * t + 1]});
    store(s, strip);
    const solved_fragment x(s);
#pragma unroll 1
    for (int next = strip + 1; next < G::STRIPS; next++) {
      load(s, next);
      subtract_solved(s, x, L + 2 * t * ld + 8 * (next - strip) + g, ld);
      store(s, next);
    }
  }
#pragma unroll
  for (int strip = 0; strip < G::STRIPS; strip++) load(sum.of[0][strip], strip);
}

/* A tile, for real_tiles. */
template <class Layouts> struct panel_tile : panel_mma {
  using T = double;
  using tile = tile_of_triangle<double>;

  __device__ static workspace &shared() { return *tg_shared<workspace>(); }
  __device__ static const matrix<double> &stored(const matrix<double> &A) { return A; }

  template <class Share> __device__ static void add(sums &sum, const tile &at, Share &share) {
    sum_tile<Layouts>(sum, shared(), at.A, at.n, at.i, at.j, [&](int stage, int) {
      const unsigned due = static_cast<unsigned>(stage) * TERMS / PANEL + 1;
      return int64_t{share.await_columns(due)} * (PANEL / TERMS);
    });
  }
  __device__ static void keep(const sums &sum) { keep_diagonal(sum, shared()); }
  __device__ static void solve(sums &sum, const tile &at, bool exact) {
    if (exact || tg_any(is_nonfinite(sum), &shared().vote))
      solve_by_substitution(sum, shared());
    else
      solve_rows(sum, shared());
    const int rows = at.rows<PANEL>();
    each_of_tile(sum, at.A.from(at.i, at.j), [=](int r, int, double x, double *to) {
      if (r < rows) *to = x;
    });
  }
};
template <class Layouts> using panel_tiles = real_tiles<panel_tile<Layouts>>;

#endif
