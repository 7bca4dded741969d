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
  static constexpr int SPARE = 1; /* tiles on their way to each warp: with 3 there is room for three blocks, not four */
  static constexpr int RING = PANELS + SPARE; /* tiles: those of a step, too */
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
    int places[5][32];      /* of the lanes in a tile: see put_places */
    __device__ workspace() {}
  };
  static constexpr int ROOM = TG_SHARED_HOPPER / (static_cast<int>(sizeof(workspace)) + 1040); /* with a word */
  static constexpr int RESIDENT = ROOM < 4 ? ROOM : 4; /* blocks of a multiprocessor: registers are enough for these */
};

/* The number of the lane, computed anew in each step: else the compiler would keep all that depends on it in local
 * memory, whose cache is full of what is copied to shared memory. */
__device__ inline int team_lane() {
  unsigned number = threadIdx.x;
  tg_forget(number);
  return static_cast<int>(number % 32);
}

/* Where a lane finds element (g, t + 4·i) of a tile in the ring, and, with 8 for `below`, the element 8 rows below.
 * Element (line, place) of 16 lines is at 16·line + (place ^ 4·(line % 4)). Lines are those along which neighbours are
 * stored in memory. Lanes of a fragment read from different banks, whether lines are columns or rows. */
__device__ inline int team_place(bool by_columns, int i, int below) {
  const int g = unit_lane() / 4 + below, t = unit_lane() % 4;
  return by_columns ? 16 * (t + 4 * i) + (g ^ 4 * t) : 16 * g + ((t + 4 * i) ^ 4 * (g % 4));
}

/* A warp of the team, and its panels. Except for `take_step`, functions work in each warp alone. */
template <class G> struct team_member {
  typename G::workspace &all;
  typename G::own &mine;
  const solve_problem<double> &p;
  const bool by_columns;   /* neighbours in a column of L are neighbours in memory */
  const unsigned order;    /* of L */
  const int tiles, panels; /* rows of tiles of L; the warp's panels */

  double sums[G::PANELS][2][4] = {}; /* L·X - alpha·B of its panels, by fragments of 8 rows */

  int solved = 0;             /* panels of the warp */
  int row, col = 0;           /* the next tile that is to be copied, or row >= tiles */
  int64_t apart;              /* bytes between a lane's lines in memory */
  const double *from;         /* the lane's first element of this tile */
  double *to;                 /* the lane's first element of the panel of B that is to be stored */
  int used = 0, begun = 0;    /* numbers of tiles that were multiplied, and whose copies have begun */
  int before = 0, latest = 0; /* `begun` at the ends of the last two groups of copies */
  bool divides = false;       /* a reciprocal is missing for the panel that comes next */

  __device__ team_member(typename G::workspace &shared, const solve_problem<double> &problem)
      : all(shared), mine(shared.of[unit_warp()]), p(problem), by_columns(along_rows(problem.L)),
        order(static_cast<unsigned>(problem.n)), tiles(static_cast<int>((order + G::PANEL - 1) / G::PANEL)),
        panels((tiles - unit_warp() + G::WARPS - 1) / G::WARPS), row(unit_warp() > 0 ? unit_warp() : int{G::WARPS}),
        from(first_of({}, row, 0)) {
    apart = 2 * static_cast<int64_t>(sizeof(double)) * (by_columns ? p.L.col : p.L.row);
    tg_forget(apart); /* it shall not be computed anew for each tile */
    const bool along = along_rows(p.B);
    to = p.B.at(along ? store_place() : store_line(), along ? store_line() : store_place());
  }

  /* The warp's panel j. */
  __device__ static int panel(int j) { return unit_warp() + G::WARPS * j; }

  /* ---------------------------------------------------------------------------------------------- copies -- */

  /* A lane copies one place of every second line of a tile, from `line` on. */
  struct lane_share {
    int place, line;
    __device__ lane_share() : place(team_lane()), line(place / 16) { place %= 16; }
  };
  __device__ const double *first_of(lane_share my, int i, int j) const {
    return p.L.at(G::PANEL * i + (by_columns ? my.place : my.line), G::PANEL * j + (by_columns ? my.line : my.place));
  }
  /* Calls copy(e, place in memory) for the lane's elements e. */
  template <class Copy> __device__ void each_line(const double *at, Copy copy) const {
#pragma unroll
    for (int e = 0; e < 8; e++) {
      copy(e, at);
      at = reinterpret_cast<const double *>(reinterpret_cast<const char *>(at) + apart);
      tg_forget(at); /* else the compiler would compute all multiples of the distance */
    }
  }

  /* Begins to copy tile (row, col), which is below the diagonal. */
  __device__ void begin_tile(lane_share my, double *tile) const {
    const int rows = static_cast<int>(order) - G::PANEL * row;
    const int lines = (!by_columns ? rows : my.place < rows ? int{G::PANEL} : 0) - my.line; /* that have the place */
    const int at = 16 * my.line + (my.place ^ 4 * my.line);
    double *const even = tile + at, *const odd = tile + (at ^ 8);
    each_line(from, [&](int e, const double *element) {
      tg_copy_async((e % 2 ? odd : even) + 32 * e, element, 2 * e < lines);
    });
  }

  /* Begins to copy the diagonal tile of the warp's next panel. */
  __device__ void begin_diagonal() const {
    const int next = panel(solved), rows = static_cast<int>(order) - G::PANEL * next;
    const lane_share my;
    const int r = by_columns ? my.place : my.line, c = by_columns ? my.line : my.place;
    const int above = c - r + (p.L.unit ? 1 : 0), step = by_columns ? 2 * G::DIAGONAL_LD : 2;
    const int first = by_columns ? 0 : above, end = !by_columns ? rows - r : r < rows ? 1 - above : 0; /* that exist */
    double *element = &mine.diagonal[c][r];
    each_line(first_of(my, next, next), [&](int e, const double *at) {
      tg_copy_async(element, at, 2 * e >= first && 2 * e < end);
      element += step;
    });
  }

  /* Begins as many copies as there is room for. */
  __device__ void begin_tiles() {
    const lane_share my;
#pragma unroll 1
    for (; begun - used < G::RING && row < tiles; begun++) {
      begin_tile(my, mine.ring[begun % G::RING]);
      row += G::WARPS, from += G::PANEL * G::WARPS * p.L.row;
      if (row < tiles) continue;
      col++, row = col + 1 + ((unit_warp() - col - 1) & (G::WARPS - 1)); /* the warp's first panel behind panel col */
      from = first_of(my, row, col);
    }
  }
  __device__ void end_group() {
    tg_commit_copies();
    before = latest, latest = begun;
  }

  /* The first diagonal tile is a group of its own, because the first panel waits for it. */
  __device__ void begin() {
    if (solved < panels) begin_diagonal();
    end_group();
    begin_tiles();
    end_group();
  }

  /* Waits for the tiles of column s - 1, and for everything that was begun two groups ago. */
  __device__ void await_step(int s) const {
    const int needed = s > 0 ? panels - solved : 0;
    if (used + needed <= before)
      tg_await_copies<1>();
    else
      tg_await_copies<0>();
  }

  /* -------------------------------------------------------------------------------------------- products -- */

  /* Begins with the loads of all elements. */
  __device__ void load_right_sides() {
    const int g = team_lane() / 4, t = team_lane() % 4, rows = static_cast<int>(order) - 2 * t;
    const bool has_low = g < p.width, has_high = g + 8 < p.width;
    const int64_t down = p.B.row, right = 8 * p.B.col;
    const double *at = p.B.at(G::PANEL * panel(0) + 2 * t, g);
#pragma unroll
    for (int j = 0; j < G::PANELS; j++, at += G::PANEL * G::WARPS * down) {
      if (j >= panels) break;
#pragma unroll
      for (int f = 0; f < 2; f++) {
        const double *const pair = at + 8 * f * down;
        const bool has_first = G::PANEL * panel(j) + 8 * f < rows, has_second = G::PANEL * panel(j) + 8 * f + 1 < rows;
        if (has_first && has_low) sums[j][f][0] = pair[0];
        if (has_second && has_low) sums[j][f][1] = pair[down];
        if (has_first && has_high) sums[j][f][2] = pair[right];
        if (has_second && has_high) sums[j][f][3] = pair[right + down];
      }
    }
#pragma unroll
    for (int j = 0; j < G::PANELS; j++)
#pragma unroll
      for (int f = 0; f < 2; f++)
#pragma unroll
        for (int e = 0; e < 4; e++) sums[j][f][e] = scalar_times(-p.alpha, sums[j][f][e]);
  }

  /* Where each lane finds the elements of its fragments: those of the first one, and how far the second one is. The
   * first warp does this for all. */
  __device__ void put_places() const {
    if (unit_warp() > 0) return;
#pragma unroll
    for (int i = 0; i < 4; i++) all.places[i][unit_lane()] = team_place(by_columns, i, 0);
    all.places[4][unit_lane()] = team_place(by_columns, 0, 8) - team_place(by_columns, 0, 0);
  }

  /* Adds the products with the panel x, for the tiles of the next column. */
  __device__ void add_products(const typename G::panel &x) {
    double left[8];
    load_left<G::LD>(left, x[0]);
    int place[5];
#pragma unroll
    for (int i = 0; i < 5; i++) place[i] = all.places[i][team_lane()];
#pragma unroll
    for (int j = 0; j < G::PANELS; j++) {
      if (j < solved || j >= panels) continue;
      const double *tile = mine.ring[used % G::RING];
      used++;
#pragma unroll
      for (int f = 0; f < 2; f++) {
        double right[4];
#pragma unroll
        for (int i = 0; i < 4; i++) right[i] = tile[place[i] + f * place[4]];
        tg_mma(sums[j][f], left, right);
      }
    }
  }

  /* ---------------------------------------------------------------------------------------------- panels -- */

  /* x = the right-hand sides of the warp's next panel. The compiler shall not know that j is `solved` there: then it
   * would take the place of sums[j] as variable, and would keep the sums in memory. */
  __device__ void put_panel(typename G::panel &x) {
    unsigned next = static_cast<unsigned>(panel(solved));
    tg_forget(next);
#pragma unroll
    for (int j = 0; j < G::PANELS; j++)
      if (panel(j) == static_cast<int>(next))
#pragma unroll
        for (int f = 0; f < 2; f++) each_of_fragment(sums[j][f], [&](int q, int r, double s) { x[8 * f + r][q] = -s; });
  }

  /* The reciprocals for the warp's next panel. Behind the end of L, and if L has a unit diagonal, the diagonal gets
   * ones. */
  __device__ void put_reciprocals() const {
    const int i = team_lane();
    if (i >= G::PANEL) return;
    double inverse = 1;
    if (p.L.unit || G::PANEL * panel(solved) + i >= static_cast<int>(order))
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
    if (team_lane() >= G::COLS) return;
    double *const column = &x[0][team_lane()];
    if (divides)
      substitute_by_division<G::PANEL>(L, column, G::LD);
    else
      substitute_by_reciprocals<G::PANEL>(L, column, G::LD);
  }

  /* Two warps, of which one has an odd number, store a panel. A lane has one place of every fourth line. */
  __device__ static int store_place() { return team_lane() % 16; }
  __device__ static int store_line() { return team_lane() / 16 + 2 * (unit_warp() % 2); }
  /* Stores panel s, if the warp takes part. Goes on to the next one. */
  __device__ void store_panel(bool takes_part, const typename G::panel &x, int s) {
    if (takes_part) {
      const bool along = along_rows(p.B);
      const int my_place = store_place(), my_line = store_line();
      const int rows = static_cast<int>(order) - G::PANEL * s;
      const int lines = (along ? (my_place < rows ? p.width : 0) : my_place < p.width ? rows : 0) - my_line;
      const double *element = along ? &x[my_place][my_line] : &x[my_line][my_place];
      const int64_t step = 4 * (along ? p.B.col : p.B.row);
      double *at = to;
#pragma unroll
      for (int e = 0; e < 4; e++, at += step, element += along ? 4 : 4 * G::LD)
        if (4 * e < lines) *at = *element;
    }
    to += G::PANEL * p.B.row;
  }

  /* Solves for panel s, and stores the panel before. Step -1 only prepares, and step `tiles` only stores. All threads
   * of the block call this. Begins with a barrier. */
  __device__ void take_step(typename G::panel (&x)[2], int s) {
    /* The warp's turn: it solves for this panel, for the next one, ..., or has solved for the one before. */
    enum { SOLVES, PREPARES, LAST = G::WARPS - 1 };
    const int turn = (unit_warp() - s) & LAST;
    const bool solves = turn == SOLVES && s >= 0 && s < tiles, prepares = turn == PREPARES && s + 1 < tiles;
    typename G::panel &before_it = x[(s + 1) & 1], &it = x[s & 1];
    await_step(s);
    __syncthreads();
    if (turn == LAST && s > 0 && solved < panels) begin_diagonal();
    if (s > 0 && solved < panels) add_products(before_it);
    if (solves) put_panel(it);
    if (prepares) put_reciprocals();
    tg_sync_warp();
    if (solves) substitute_in(it), solved++;
    /* The others wait for the warp that solves. It need not copy if there are tiles for its next panels. */
    if (!solves || begun - used < G::PANELS - 1) begin_tiles();
    if (prepares) look_at_reciprocals();
    if (s > 0) store_panel(turn > PREPARES, before_it, s - 1);
    end_group();
  }
};

/* B = alpha·L⁻¹·B. Begins and ends with a barrier. */
template <class G> __device__ inline void solve_by_team(typename G::workspace &shared, const solve_problem<double> &p) {
  __syncthreads();
  team_member<G> me(shared, p);
  me.begin();
  me.put_places();
  me.load_right_sides();
#pragma unroll 1
  for (int s = -1; s <= me.tiles; s++) me.take_step(shared.x, s);
  __syncthreads();
}
#endif

#endif
