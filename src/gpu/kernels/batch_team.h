/* batch_team.h - a triangular solve with few columns by a team of warps, for batches of doubles on matrix units.
 *
 * X is cut into panels of 16 rows, which are dealt to the warps:
 *
 *          [ L00         ]       [ X0 ]  warp 0     X0 = L00⁻¹·B0
 *      L = [ L10 L11     ]   X = [ X1 ]  warp 1     X1 = L11⁻¹·(B1 - L10·X0)
 *          [ L20 L21 L22 ]       [ X2 ]  warp 2     ...
 *
 * The algorithm is right-looking. A warp keeps B - L·X of its panels in registers, as fragments whose rows are the
 * columns of X. In step s, all warps subtract the products with panel s - 1, which is in shared memory. The owner of
 * panel s then solves for it, and stores it to shared memory. There is one barrier in a step.
 *
 * A warp alone reads the tiles of L in the rows of its panels. So it copies them itself, to a ring of its own, in the
 * order in which it needs them, and waits for nobody before it uses a place of the ring again. The tile on the diagonal
 * has a place of its own, to which it comes several steps ahead. The reciprocals of its diagonal are computed one step
 * ahead, so that panels that wait for each other do not wait for them. */
#ifndef TRIGON_BATCH_TEAM_H
#define TRIGON_BATCH_TEAM_H

#include "batch_solve.h"

#if TG_MATRIX_UNITS
/* Solves with matrices up to ORDER. */
template <int ORDER_> struct team_solve {
  using T = double;
  static constexpr int ORDER = ORDER_, COLS = 16, PANEL = 16, WARPS = 4, THREADS = 32 * WARPS;
  static constexpr int PANELS = ORDER / (PANEL * WARPS); /* of a warp */
  static constexpr int RING = PANELS + 1;                /* tiles: those of a step, and one more that is on its way */
  static_assert(ORDER % (PANEL * WARPS) == 0, "warps have equally many panels");

  /* Leading dimensions. Lanes of a fragment of X read from different banks. The lanes that copy a diagonal tile the
   * short way store to different banks, two by two. */
  static constexpr int LD = PANEL + 4, DIAGONAL_LD = PANEL + 2;

  using panel = double[PANEL][LD]; /* [row][column] */
  struct own {                     /* of a warp */
    alignas(16) double ring[RING][PANEL * PANEL];
    alignas(16) double diagonal[PANEL][DIAGONAL_LD]; /* [column][row] */
    double inverse[PANEL];                           /* of its elements on the diagonal, or 0: see reciprocal */
  };
  struct workspace {
    own of[WARPS];
    alignas(16) panel x[2]; /* panel s is in x[s % 2] */
    __device__ workspace() {}
  };
  static constexpr int ROOM = TG_SHARED_HOPPER / (static_cast<int>(sizeof(workspace)) + 1040); /* with a word */
  static constexpr int RESIDENT = ROOM < 4 ? ROOM : 4; /* blocks of a multiprocessor: registers are enough for these */
};

/* Where a lane finds elements of a tile in the ring: element (line, place) of 16 lines is at
 * 16·line + (place ^ 4·(line % 4)). Lines are those along which neighbours are stored in memory. Lanes of a fragment
 * read from different banks, whether lines are columns or rows. */
struct team_lane {
  int terms[4], next_rows; /* elements (g, t + 4·i) of the tile; distance from (g, ·) to (g + 8, ·) */
  __device__ explicit team_lane(bool by_columns) {
    const int g = unit_lane() / 4, t = unit_lane() % 4;
#pragma unroll
    for (int i = 0; i < 4; i++)
      terms[i] = by_columns ? 16 * (t + 4 * i) + (g ^ 4 * t) : 16 * g + ((t + 4 * i) ^ 4 * (g % 4));
    next_rows = !by_columns ? 8 * 16 : t < 2 ? 8 : -8;
  }
};

/* A warp of the team, and its panels. Except for `step`, functions work in each warp alone. */
template <class G> struct team_member {
  typename G::own &mine;
  const solve_problem<double> &p;
  const team_lane places;
  const int tiles; /* rows of tiles of L */
  int next;        /* the warp's first panel that is not solved */

  double sums[G::PANELS][2][4] = {}; /* L·X - alpha·B of its panels from `next` on, by fragments of 8 rows */

  int row, col;                /* the next tile that is to be copied, or row >= tiles */
  int used = 0, begun = 0;     /* numbers of tiles that were multiplied, and whose copies have begun */
  int before = 0, latest = 0;  /* `begun` at the ends of the last two groups of copies */
  bool wants_diagonal = false; /* the place of the diagonal tile is free */
  bool divides = false;        /* a reciprocal is missing for the panel that comes next */

  __device__ team_member(typename G::workspace &shared, const solve_problem<double> &problem)
      : mine(shared.of[unit_warp()]), p(problem), places(along_rows(problem.L)),
        tiles(static_cast<int>((problem.n + G::PANEL - 1) / G::PANEL)), next(unit_warp()), row(unit_warp()), col(0) {
    if (row == 0) row = G::WARPS;
  }

  /* ---------------------------------------------------------------------------------------------- copies -- */

  /* Begins to copy a tile below the diagonal. A lane has one place of every second line. */
  __device__ void begin_tile(double *to) const {
    const bool by_columns = along_rows(p.L);
    const int place = unit_lane() % 16, first = unit_lane() / 16;
    const int rows = static_cast<int>(p.n) - G::PANEL * row;
    const int64_t step = 2 * (by_columns ? p.L.col : p.L.row);
    const double *from = p.L.at(G::PANEL * row, G::PANEL * col) + place * (by_columns ? p.L.row : p.L.col) +
                         first * (by_columns ? p.L.col : p.L.row);
    to += 16 * first;
    const int even = place ^ 4 * first;
#pragma unroll
    for (int e = 0; e < 8; e++, from += step)
      tg_copy_async(to + 32 * e + (e % 2 ? even ^ 8 : even), from, (by_columns ? place : first + 2 * e) < rows);
  }

  /* Begins to copy the diagonal tile of panel `next`. */
  __device__ void begin_diagonal() const {
    const bool by_columns = along_rows(p.L);
    const int place = unit_lane() % 16, first = unit_lane() / 16, below = p.L.unit ? 1 : 0;
    const int rows = static_cast<int>(p.n) - G::PANEL * next;
    const int64_t step = by_columns ? p.L.col : p.L.row;
    const double *from =
        p.L.at(G::PANEL * next, G::PANEL * next) + place * (by_columns ? p.L.row : p.L.col) + first * step;
#pragma unroll
    for (int e = 0; e < 8; e++, from += 2 * step) {
      const int line = first + 2 * e, r = by_columns ? place : line, c = by_columns ? line : place;
      tg_copy_async(&mine.diagonal[c][r], from, r < rows && r >= c + below);
    }
  }

  /* Begins as many copies as there is room for. */
  __device__ void begin_copies() {
    if (wants_diagonal && next < tiles) begin_diagonal();
    wants_diagonal = false;
#pragma unroll 1
    for (; begun - used < G::RING && row < tiles; begun++) {
      begin_tile(mine.ring[begun % G::RING]);
      row += G::WARPS;
      if (row < tiles) continue;
      col++, row = col + 1 + ((unit_warp() - col - 1) & (G::WARPS - 1)); /* the warp's first panel behind panel col */
    }
  }
  __device__ void end_group() {
    tg_commit_copies();
    before = latest, latest = begun;
  }

  /* The first diagonal tile is a group of its own, because the first panel waits for it. */
  __device__ void begin() {
    if (next < tiles) begin_diagonal();
    end_group();
    begin_copies();
    end_group();
  }

  /* Waits for the tiles of column s - 1, and for everything that was begun two groups ago. */
  __device__ void await_step(int s) const {
    const int needed = s > 0 && next < tiles ? (tiles - next + G::WARPS - 1) / G::WARPS : 0;
    if (used + needed <= before)
      tg_await_copies<1>();
    else
      tg_await_copies<0>();
  }

  /* -------------------------------------------------------------------------------------------- products -- */

  __device__ void load_right_sides() {
    const int g = unit_lane() / 4, t = unit_lane() % 4, first = G::PANEL * next + 2 * t, rows = static_cast<int>(p.n);
    const double *from = p.B.at(first, g);
#pragma unroll
    for (int j = 0; j < G::PANELS; j++)
#pragma unroll
      for (int f = 0; f < 2; f++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const int r = G::PANEL * G::WARPS * j + 8 * f + e % 2, q = e / 2 * 8;
          const bool exists = first + r < rows && g + q < p.width;
          sums[j][f][e] = exists ? -scalar_times(p.alpha, from[r * p.B.row + q * p.B.col]) : 0;
        }
  }

  /* Adds the products with the panel x, for the tiles of the next column. */
  __device__ void add_products(const typename G::panel &x) {
    double left[8];
    load_left<G::LD>(left, x[0]);
#pragma unroll
    for (int j = 0; j < G::PANELS; j++) {
      if (next + G::WARPS * j >= tiles) break;
      const double *tile = mine.ring[used % G::RING];
      used++;
#pragma unroll
      for (int f = 0; f < 2; f++) {
        double right[4];
#pragma unroll
        for (int i = 0; i < 4; i++) right[i] = tile[places.terms[i] + f * places.next_rows];
        tg_mma(sums[j][f], left, right);
      }
    }
  }

  /* --------------------------------------------------------------------------------------------- panels -- */

  /* x = the right-hand sides of panel `next`, which becomes the panel behind. */
  __device__ void take_panel(typename G::panel &x) {
#pragma unroll
    for (int f = 0; f < 2; f++) each_of_fragment(sums[0][f], [&](int q, int r, double s) { x[8 * f + r][q] = -s; });
#pragma unroll
    for (int j = 1; j < G::PANELS; j++)
#pragma unroll
      for (int f = 0; f < 2; f++)
#pragma unroll
        for (int e = 0; e < 4; e++) sums[j - 1][f][e] = sums[j][f][e];
    next += G::WARPS;
  }

  /* The reciprocals for panel `next`. Behind the end of L, and if L has a unit diagonal, the diagonal gets ones. */
  __device__ void put_reciprocals() const {
    const int i = unit_lane();
    if (i >= G::PANEL) return;
    double inverse = 1;
    if (p.L.unit || G::PANEL * next + i >= p.n)
      mine.diagonal[i][i] = inverse;
    else
      inverse = reciprocal(mine.diagonal[i][i]);
    mine.inverse[i] = inverse;
  }
  __device__ void look_at_reciprocals() {
    divides = false;
#pragma unroll
    for (int i = 0; i < G::PANEL; i++) divides = divides || is_zero(mine.inverse[i]);
  }

  /* x = L⁻¹·x with the diagonal tile. A lane has a column. */
  __device__ void substitute_in(typename G::panel &x) const {
    const staged_triangle<double, G::DIAGONAL_LD> L = {mine.diagonal, mine.inverse, false};
    if (unit_lane() >= G::COLS) return;
    double *const column = &x[0][unit_lane()];
    if (divides)
      substitute_by_division<G::PANEL>(L, column, G::LD);
    else
      substitute_by_reciprocals<G::PANEL>(L, column, G::LD);
  }

  /* Stores panel s. All warps take part. */
  __device__ void store_panel(const typename G::panel &x, int s) const {
    const int rows = static_cast<int>(p.n) - G::PANEL * s;
    each<G::PANEL, G::COLS, G::THREADS>(along_rows(p.B), [&](int r, int q) {
      if (r < rows && q < p.width) *p.B.at(G::PANEL * s + r, q) = x[r][q];
    });
  }

  /* Solves for panel s. All threads of the block call this. Begins with a barrier. Step -1 only prepares. */
  __device__ void step(typename G::panel (&x)[2], int s) {
    const bool solves = s >= 0 && unit_warp() == s % G::WARPS;
    const bool prepares = s + 1 < tiles && unit_warp() == (s + 1) % G::WARPS;
    await_step(s);
    __syncthreads();
    if (s > 0) add_products(x[(s + 1) % 2]);
    if (solves) take_panel(x[s % 2]);
    if (prepares) put_reciprocals();
    tg_sync_warp();
    begin_copies();
    if (solves) substitute_in(x[s % 2]), wants_diagonal = true;
    if (prepares) look_at_reciprocals();
    if (s > 0) store_panel(x[(s + 1) % 2], s - 1);
    end_group();
  }
};

/* B = alpha·L⁻¹·B. Begins and ends with a barrier. */
template <class G> __device__ inline void solve_by_team(typename G::workspace &shared, const solve_problem<double> &p) {
  __syncthreads();
  team_member<G> me(shared, p);
  me.begin();
  me.load_right_sides();
#pragma unroll 1
  for (int s = -1; s < me.tiles; s++) me.step(shared.x, s);
  __syncthreads();
  me.store_panel(shared.x[(me.tiles + 1) % 2], me.tiles - 1);
  __syncthreads();
}
#endif

#endif
