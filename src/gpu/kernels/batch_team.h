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

/* The number of the lane, computed anew in each step: else the compiler would keep all that depends on it in registers
 * for the whole kernel. */
__device__ inline int team_lane_number() {
  unsigned number = threadIdx.x;
  tg_forget(number);
  return static_cast<int>(number % 32);
}

/* Where a lane finds elements of a tile in the ring: element (line, place) of 16 lines is at
 * 16·line + (place ^ 4·(line % 4)). Lines are those along which neighbours are stored in memory. Lanes of a fragment
 * read from different banks, whether lines are columns or rows. */
struct team_lane {
  int terms[4], next_rows; /* elements (g, t + 4·i) of the tile; distance from (g, ·) to (g + 8, ·) */
  __device__ explicit team_lane(bool by_columns) {
    const int g = team_lane_number() / 4, t = team_lane_number() % 4;
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
  const bool by_columns; /* neighbours in a column of L are neighbours in memory */

  const int tiles; /* rows of tiles of L */
  int next;        /* the warp's first panel that is not solved */

  double sums[G::PANELS][2][4]; /* L·X - alpha·B of its panels, by fragments of 8 rows */

  int row, col;               /* the next tile that is to be copied, or row >= tiles */
  int used = 0, begun = 0;    /* numbers of tiles that were multiplied, and whose copies have begun */
  int before = 0, latest = 0; /* `begun` at the ends of the last two groups of copies */
  bool divides = false;       /* a reciprocal is missing for the panel that comes next */

  __device__ team_member(typename G::workspace &shared, const solve_problem<double> &problem)
      : mine(shared.of[unit_warp()]), p(problem), by_columns(along_rows(problem.L)),
        tiles(static_cast<int>((problem.n + G::PANEL - 1) / G::PANEL)), next(unit_warp()), row(unit_warp()), col(0) {
    if (row == 0) row = G::WARPS;
  }

  /* The warp's panel j. */
  __device__ static int panel(int j) { return unit_warp() + G::WARPS * j; }

  /* ---------------------------------------------------------------------------------------------- copies -- */

  /* The lane's first element of tile (i, j), and the distance to its next ones. A lane has one place of every second
   * line. */
  __device__ const double *first_of(int i, int j) const {
    const int place = team_lane_number() % 16, line = team_lane_number() / 16;
    return p.L.at(G::PANEL * i + (by_columns ? place : line), G::PANEL * j + (by_columns ? line : place));
  }
  __device__ int64_t step_of() const { return 2 * (by_columns ? p.L.col : p.L.row); }

  /* Begins to copy tile (row, col), which is below the diagonal. */
  __device__ void begin_tile(double *to) const {
    const int place = team_lane_number() % 16, first = team_lane_number() / 16,
              rows = static_cast<int>(p.n) - G::PANEL * row;
    const int lines = !by_columns ? rows : place < rows ? G::PANEL : 0; /* that have the lane's place */
    const int64_t step = step_of();
    const double *from = first_of(row, col);
    double *const even = to + 16 * first + (place ^ 4 * first), *const odd = to + 16 * first + (place ^ 4 * first ^ 8);
#pragma unroll
    for (int e = 0; e < 8; e++, from += step) tg_copy_async((e % 2 ? odd : even) + 32 * e, from, first + 2 * e < lines);
  }

  /* Begins to copy the diagonal tile of panel `next`. */
  __device__ void begin_diagonal() const {
    const int place = team_lane_number() % 16, first = team_lane_number() / 16, below = p.L.unit ? 1 : 0;
    const int rows = static_cast<int>(p.n) - G::PANEL * next;
    const int64_t step = step_of();
    const double *from = first_of(next, next);
    /* Row and column of the lane's first element, and the steps to its next ones. */
    const int r = by_columns ? place : first, c = by_columns ? first : place;
    const int down = by_columns ? 0 : 2, right = by_columns ? 2 : 0;
    double *to = &mine.diagonal[c][r];
#pragma unroll
    for (int e = 0; e < 8; e++, from += step, to += right * G::DIAGONAL_LD + down)
      tg_copy_async(to, from, r + e * down < rows && r + e * down >= c + e * right + below);
  }

  /* Begins as many copies as there is room for. */
  __device__ void begin_tiles() {
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
    begin_tiles();
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

  /* Begins with the loads of all elements. */
  __device__ void load_right_sides() {
    const int g = team_lane_number() / 4, t = team_lane_number() % 4, rows = static_cast<int>(p.n);
    const bool has_low = g < p.width, has_high = g + 8 < p.width;
    const int64_t down = p.B.row, right = 8 * p.B.col;
    const double *from = p.B.at(G::PANEL * next + 2 * t, g);
#pragma unroll
    for (int j = 0; j < G::PANELS; j++, from += G::PANEL * (G::WARPS - 1) * down)
#pragma unroll
      for (int f = 0; f < 2; f++, from += 8 * down) {
        const int r = G::PANEL * (next + G::WARPS * j) + 8 * f + 2 * t;
        sums[j][f][0] = r < rows && has_low ? *from : 0;
        sums[j][f][1] = r + 1 < rows && has_low ? from[down] : 0;
        sums[j][f][2] = r < rows && has_high ? from[right] : 0;
        sums[j][f][3] = r + 1 < rows && has_high ? from[right + down] : 0;
      }
#pragma unroll
    for (int j = 0; j < G::PANELS; j++)
#pragma unroll
      for (int f = 0; f < 2; f++)
#pragma unroll
        for (int e = 0; e < 4; e++) sums[j][f][e] = -scalar_times(p.alpha, sums[j][f][e]);
  }

  /* Adds the products with the panel x, for the tiles of the next column. */
  __device__ void add_products(const typename G::panel &x) {
    double left[8];
    load_left<G::LD>(left, x[0]);
    const team_lane places(by_columns);
#pragma unroll
    for (int j = 0; j < G::PANELS; j++) {
      if (panel(j) < next || panel(j) >= tiles) continue;
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

  /* ---------------------------------------------------------------------------------------------- panels -- */

  /* x = the right-hand sides of panel `next`. */
  __device__ void put_panel(typename G::panel &x) {
#pragma unroll
    for (int j = 0; j < G::PANELS; j++)
      if (panel(j) == next)
#pragma unroll
        for (int f = 0; f < 2; f++) each_of_fragment(sums[j][f], [&](int q, int r, double s) { x[8 * f + r][q] = -s; });
  }

  /* The reciprocals for panel `next`. Behind the end of L, and if L has a unit diagonal, the diagonal gets ones. */
  __device__ void put_reciprocals() const {
    const int i = team_lane_number();
    if (i >= G::PANEL) return;
    double inverse = 1;
    if (p.L.unit || G::PANEL * next + i >= p.n)
      mine.diagonal[i][i] = inverse;
    else
      inverse = reciprocal(mine.diagonal[i][i]);
    mine.inverse[i] = inverse;
  }
  __device__ void look_at_reciprocals() {
    unsigned missing = 0;
#pragma unroll
    for (int i = 0; i < G::PANEL; i++) missing |= is_zero(mine.inverse[i]) ? 1 : 0;
    divides = missing != 0;
  }

  /* x = L⁻¹·x with the diagonal tile. A lane has a column. */
  __device__ void substitute_in(typename G::panel &x) const {
    const staged_triangle<double, G::DIAGONAL_LD> L = {mine.diagonal, mine.inverse, false};
    if (team_lane_number() >= G::COLS) return;
    double *const column = &x[0][team_lane_number()];
    if (divides)
      substitute_by_division<G::PANEL>(L, column, G::LD);
    else
      substitute_by_reciprocals<G::PANEL>(L, column, G::LD);
  }

  /* Stores panel s. Two warps do this, which are parts 0 and 1. */
  __device__ void store_panel(const typename G::panel &x, int s, int part) const {
    const bool along = along_rows(p.B);
    const int place = team_lane_number() % 16, first = team_lane_number() / 16 + 2 * part;
    const int rows = static_cast<int>(p.n) - G::PANEL * s;
    const double *from = along ? &x[place][first] : &x[first][place];
    double *to = p.B.at(G::PANEL * s + (along ? place : first), along ? first : place);
    const int64_t step = 4 * (along ? p.B.col : p.B.row);
    const int lines = along ? (place < rows ? p.width : 0) : place < p.width ? rows : 0;
#pragma unroll
    for (int e = 0; e < 4; e++, to += step)
      if (first + 4 * e < lines) *to = from[4 * e * (along ? 1 : G::LD)];
  }

  /* Solves for panel s, and stores the panel before. Step -1 only prepares, and step `tiles` only stores. All threads
   * of the block call this. Begins with a barrier. */
  __device__ void step(typename G::panel (&x)[2], int s) {
    /* The warp's turn: it solves for this panel, for the next one, ..., or has solved for the one before. */
    enum { SOLVES, PREPARES, LAST = G::WARPS - 1 };
    const int turn = (unit_warp() - s) & LAST;
    const bool solves = turn == SOLVES && s >= 0 && s < tiles, prepares = turn == PREPARES && s + 1 < tiles;
    typename G::panel &before_it = x[(s + 1) % 2], &it = x[s % 2];
    await_step(s);
    __syncthreads();
    if (turn == LAST && s > 0 && next < tiles) begin_diagonal();
    if (s > 0) add_products(before_it);
    if (solves) put_panel(it);
    if (prepares) put_reciprocals();
    tg_sync_warp();
    if (solves) substitute_in(it), next += G::WARPS;
    /* The others wait for the warp that solves. It need not copy if there are tiles for its next panels. */
    if (!solves || begun - used < G::PANELS - 1) begin_tiles();
    if (prepares) look_at_reciprocals();
    if (turn > PREPARES && s > 0) store_panel(before_it, s - 1, turn - 2);
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
  for (int s = -1; s <= me.tiles; s++) me.step(shared.x, s);
  __syncthreads();
}
#endif

#endif
