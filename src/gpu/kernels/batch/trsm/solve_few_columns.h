/* solve_few_columns.h - a triangular solve with few columns by one block of threads, for batches.
 *
 * L is cut into tiles. The block goes through them row by row, left-looking: the rows of a tile row of X need the tiles
 * (i, 0) ... (i, i - 1), and then the diagonal tile. This order does not depend on any value, so the next tiles are
 * always on their way to a ring of stages, while the block computes with one.
 *
 * With tile (i, j) come the rows of X that it is multiplied by, from B, where they are solved. Only the rows that were
 * solved last are kept in shared memory, because their copy would have begun before they were solved. With a diagonal
 * tile come the rows of B.
 *
 * Products are those of threads or, for doubles, those of matrix units (tg_mma), where the columns of X are the rows of
 * a fragment. */
#ifndef TRIGON_SOLVE_FEW_COLUMNS_H
#define TRIGON_SOLVE_FEW_COLUMNS_H

#include "gpu/kernels/diagonal/triangular_step.h"
#include "gpu/kernels/diagonal/vectors_diagonal.h"
#if TG_HAS_MMA
#include "gpu/kernels/products/mma.h"
#endif

/* Solves for at most COLS columns. */
template <class T_, int COLS_, bool MMA_> struct batch_solve {
  using T = T_;
  static constexpr int COLS = COLS_;
  static constexpr bool MMA = MMA_;
  static constexpr int ORDER = MMA ? 32 : TG_TILE(8, sizeof(T) == 16 ? 16 : 32), THREADS = MMA ? 128 : TG_TILE(64, 128);
  static constexpr int GROUPS = THREADS / GROUP, STAGES = 3;

  /* Leading dimensions. A tile of L is stored as [column][row], rows of X as [row][column]. Lanes that copy the short
   * way, and lanes of a fragment, find different banks. */
  static constexpr int LD = ORDER + 4, LDX = COLS <= 4 ? COLS : COLS + 4;

  /* Without matrix units a thread has a row, some columns of X, and some terms of each product. */
  static constexpr int SHARES = THREADS / ORDER, ACROSS = COLS < SHARES ? COLS : SHARES, MINE = COLS / ACROSS;
  static constexpr int DEEP = SHARES / ACROSS, TERMS = ORDER / DEEP;
  static_assert(COLS % ACROSS == 0 && SHARES % ACROSS == 0 && ORDER % DEEP == 0, "threads have equal shares");
  struct thread_sums {
    T of[MINE];
  };
  struct mma_sums {
    double of[4];
  };
  using sums = typename std::conditional<MMA, mma_sums, thread_sums>::type;

  struct stage {
    alignas(16) T l[ORDER][LD];
    alignas(16) T x[ORDER][LDX];
  };
  struct workspace {
    stage ring[STAGES];
    alignas(16) T last[ORDER][LDX]; /* rows of X: those solved last, or those that are being solved */
    T part[DEEP > 1 ? DEEP : 1][DEEP > 1 ? ORDER : 1][COLS];
    T inverse[ORDER]; /* of the elements of the diagonal, or 0: see reciprocal */
    unsigned long long vote;
    __device__ workspace() {}
  };
  static constexpr int ROOM = TG_SHARED_HOPPER / (static_cast<int>(sizeof(workspace)) + 1024);
  static constexpr int RESIDENT = ROOM < 7 ? ROOM : 7; /* blocks of a multiprocessor: registers are enough for these */
  static_assert(sizeof(workspace) <= TG_SHARED_MOST, "every GPU has this much");
};

/* A tile of L. */
struct tile_position {
  int row, col;
  __device__ void go_on() {
    if (col++ == row) row++, col = 0;
  }
};

/* A solve with a lower triangle L of order n, for `width` columns of B. */
template <class T> struct solve_problem {
  matrix<T> L, B;
  T alpha;
  int64_t n;
  int width;
};

/* ------------------------------------------------------------------------------------------------- copies -- */

/* A thread's elements of a tile of FAST × SLOW elements: (fast, slow), (fast, slow + STEP), ... Neighbouring lanes have
 * neighbours along `fast`. If these are not neighbours in shared memory (ACROSS), a warp takes 8 × 4 elements. Then the
 * lanes that store at the same time find different banks. */
template <int FAST, int SLOW, int THREADS, int UNIT> struct tile_elements {
  static constexpr int STEP = THREADS / FAST, COUNT = (SLOW + STEP - 1) / STEP;
  static constexpr bool BLOCKS = FAST % 8 == 0 && SLOW % 4 == 0; /* of 8 × 4 elements */
  static constexpr int LINE = BLOCKS ? FAST / 8 : 1;             /* of blocks */
  static_assert(THREADS % FAST == 0, "a thread stays in its line");
  static_assert(!BLOCKS || THREADS / 32 >= LINE, "the warps' blocks cover a line");
  int fast, slow;
  __device__ explicit tile_elements(bool across) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, block = thread / 32;
    fast = thread % FAST, slow = thread / FAST;
    if (!BLOCKS || !across) return;
    fast = lane % UNIT + lane / (4 * UNIT) * UNIT + block % LINE * 8;
    slow = lane / UNIT % 4 + block / LINE * 4;
  }
};

/* Begins to copy a tile to shared memory: element (fast, slow) goes to to[fast · to_fast + slow · to_slow]. Calls
 * exists(fast, slow); the other elements become zero. `from` is the first element, with these strides. */
template <int FAST, int SLOW, int THREADS, class T, class Exists>
__device__ inline void begin_tile(T *to, int to_fast, int to_slow, const T *from, int64_t from_fast, int64_t from_slow,
                                  Exists exists) {
  using share = tile_elements<FAST, SLOW, THREADS, 32 / sizeof(T)>;
  share at(to_fast != 1);
  to += at.fast * to_fast + at.slow * to_slow, from += at.fast * from_fast + at.slow * from_slow;
  to_slow *= share::STEP, from_slow *= share::STEP;
#pragma unroll
  for (int e = 0; e < share::COUNT; e++, at.slow += share::STEP, to += to_slow, from += from_slow)
    tg_copy_async_if(at.slow < SLOW, to, from, exists(at.fast, at.slow));
}

/* Begins to copy tile `at` of L, and the rows of B or X that belong to it. */
template <class G>
__device__ inline void begin_stage(typename G::stage &to, const solve_problem<typename G::T> &p, tile_position at) {
  using T = typename G::T;
  constexpr int ORDER = G::ORDER, THREADS = G::THREADS;
  const int64_t i0 = static_cast<int64_t>(at.row) * ORDER, j0 = static_cast<int64_t>(at.col) * ORDER;
  const int rows = static_cast<int>(least(p.n - i0, ORDER)), diagonal = at.row > at.col ? -ORDER : p.L.unit ? 1 : 0;
  const T *from = p.L.at(i0, j0);
  if (along_rows(p.L))
    begin_tile<ORDER, ORDER, THREADS>(&to.l[0][0], 1, G::LD, from, p.L.row, p.L.col,
                                      [&](int r, int c) { return r < rows && r >= c + diagonal; });
  else
    begin_tile<ORDER, ORDER, THREADS>(&to.l[0][0], G::LD, 1, from, p.L.col, p.L.row,
                                      [&](int c, int r) { return r < rows && r >= c + diagonal; });
  if (at.col + 1 == at.row) return; /* these rows are in workspace.last */
  const int solved = static_cast<int>(least(p.n - j0, ORDER));
  from = p.B.at(j0, 0);
  if (G::COLS == 1 || along_rows(p.B))
    begin_tile<ORDER, G::COLS, THREADS>(&to.x[0][0], G::LDX, 1, from, p.B.row, p.B.col,
                                        [&](int r, int q) { return r < solved && q < p.width; });
  else
    begin_tile<G::COLS, ORDER, THREADS>(&to.x[0][0], 1, G::LDX, from, p.B.col, p.B.row,
                                        [&](int q, int r) { return r < solved && q < p.width; });
}

/* ----------------------------------------------------------------------------------------------- products -- */

/* sum += L(i, j)·X(j) */
template <class G>
__device__ inline void add_product(typename G::thread_sums &sum, const typename G::T (&l)[G::ORDER][G::LD],
                                   const typename G::T (&x)[G::ORDER][G::LDX], bool conjugated) {
  using T = typename G::T;
  const int row = static_cast<int>(threadIdx.x) % G::ORDER, share = static_cast<int>(threadIdx.x) / G::ORDER;
  const int first = share % G::ACROSS * G::MINE, term = share / G::ACROSS * G::TERMS;
#pragma unroll 8
  for (int k = term; k < term + G::TERMS; k++) {
    const T rate = conjugated ? conjugate(l[k][row]) : l[k][row];
#pragma unroll
    for (int q = 0; q < G::MINE; q++) sum.of[q] = multiply_add(rate, x[k][first + q], sum.of[q]);
  }
}

/* last = alpha·B - sum, for B in x. May have barriers. */
template <class G>
__device__ inline void put_right(typename G::workspace &shared, const typename G::thread_sums &sum,
                                 const typename G::T (&x)[G::ORDER][G::LDX], typename G::T alpha) {
  using T = typename G::T;
  const int row = static_cast<int>(threadIdx.x) % G::ORDER, share = static_cast<int>(threadIdx.x) / G::ORDER;
  const int first = share % G::ACROSS * G::MINE, part = share / G::ACROSS;
  T total[G::MINE];
#pragma unroll
  for (int q = 0; q < G::MINE; q++) total[q] = sum.of[q];
  if constexpr (G::DEEP > 1) {
#pragma unroll
    for (int q = 0; q < G::MINE; q++) shared.part[part][row][first + q] = total[q];
    __syncthreads();
    if (part > 0) return;
#pragma unroll
    for (int q = 0; q < G::MINE; q++)
#pragma unroll
      for (int d = 1; d < G::DEEP; d++) total[q] = add(total[q], shared.part[d][row][first + q]);
  }
#pragma unroll
  for (int q = 0; q < G::MINE; q++)
    shared.last[row][first + q] = subtract(scalar_times(alpha, x[row][first + q]), total[q]);
}

#if TG_HAS_MMA
/* sum += a tile of L times rows of X, on matrix units. A warp has 8 rows. */
template <class G>
__device__ inline void add_product(typename G::mma_sums &sum, const double (&l)[G::ORDER][G::LD],
                                   const double (&x)[G::ORDER][G::LDX], bool) {
  static_assert(G::COLS == 16 && G::ORDER == 8 * (G::THREADS / 32), "a warp has a fragment");
#pragma unroll
  for (int k = 0; k < G::ORDER; k += 16) {
    double left[8], right[4];
    load_left<G::LDX>(left, x[k]);
    load_right_by_rows<G::LD>(right, l[k] + 8 * mma_warp());
    tg_mma(sum.of, left, right);
  }
}
template <class G>
__device__ inline void put_right(typename G::workspace &shared, typename G::mma_sums sum,
                                 const double (&x)[G::ORDER][G::LDX], double alpha) {
  each_of_fragment(sum.of, [&](int q, int r, double s) {
    const int row = 8 * mma_warp() + r;
    shared.last[row][q] = scalar_times(alpha, x[row][q]) - s;
  });
}
#endif

/* ----------------------------------------------------------------------------------------------- diagonal -- */

/* The reciprocals of the diagonal; behind the end of L, and if L has a unit diagonal, the diagonal gets ones. Returns
 * whether a reciprocal is missing. Ends with a barrier. */
template <class G>
__device__ inline bool put_reciprocals(typename G::workspace &shared, typename G::stage &s,
                                       const solve_problem<typename G::T> &p, int64_t i0) {
  using T = typename G::T;
  const int row = static_cast<int>(threadIdx.x);
  T inverse = one<T>();
  if (row < G::ORDER) {
    if (p.L.unit || i0 + row >= p.n)
      s.l[row][row] = inverse;
    else
      inverse = reciprocal(s.l[row][row]);
    shared.inverse[row] = inverse;
  }
  return tg_any(is_zero(inverse), &shared.vote);
}

/* last = L⁻¹·last by substitution: a group of threads takes a column, and a lane a row. */
template <class G>
__device__ inline void substitute_by_rows(typename G::workspace &shared, staged_triangle<typename G::T, G::LD> L) {
  using T = typename G::T;
  constexpr int ORDER = G::ORDER;
  const int lane = group_lane(), row = lane % ORDER, groups_of_warp = tg_warp() / GROUP;
  const T inverse = L.reciprocal(row);
#pragma unroll
  for (int first = 0; first < G::COLS; first += G::GROUPS) {
    const int col = first + group_number();
    if (col / groups_of_warp * groups_of_warp >= G::COLS) continue; /* no lane of the warp has a column */
    const bool exists = lane < ORDER && col < G::COLS;
    T x = exists ? shared.last[row][col] : T{};
#pragma unroll 8
    for (int j = 0; j < ORDER; j++) {
      const T own = multiply(x, inverse), solved = group_shuffle(own, j), rate = L.lower(row, j);
      if (lane > j)
        x = subtract_product(x, solved, rate);
      else if (lane == j)
        x = own;
    }
    if (exists) shared.last[row][col] = x;
  }
}

/* last = L⁻¹·last for the diagonal tile L. Ends with a barrier. */
template <class G>
__device__ inline void solve_last(typename G::workspace &shared, typename G::stage &s,
                                  const solve_problem<typename G::T> &p, int64_t i0) {
  enum { FEWEST = 4 }; /* columns that a thread each solves in less time than a group each */
  const bool missing = put_reciprocals<G>(shared, s, p, i0), has_column = static_cast<int>(threadIdx.x) < G::COLS;
  const staged_triangle<typename G::T, G::LD> L = {s.l, shared.inverse, p.L.conjugated};
  typename G::T *column = &shared.last[0][0] + threadIdx.x;
  if (missing && has_column) substitute_by_division<G::ORDER>(L, column, G::LDX);
  if constexpr (G::COLS <= FEWEST) {
    if (!missing) substitute_by_rows<G>(shared, L);
  } else {
    if (!missing && has_column) substitute_by_reciprocals<G::ORDER>(L, column, G::LDX);
  }
  __syncthreads();
}

/* Solves with the diagonal tile for its rows of B, which are in the same stage, and stores them. */
template <class G>
__device__ inline void solve_diagonal(typename G::workspace &shared, typename G::stage &s, typename G::sums &sum,
                                      const solve_problem<typename G::T> &p, int64_t i0) {
  put_right<G>(shared, sum, s.x, p.alpha);
  solve_last<G>(shared, s, p, i0);
  const int rows = static_cast<int>(least(p.n - i0, G::ORDER));
  each<G::ORDER, G::COLS, G::THREADS>(along_rows(p.B), [&](int r, int q) {
    if (r < rows && q < p.width) *p.B.at(i0 + r, q) = shared.last[r][q];
  });
}

/* B = alpha·L⁻¹·B. Begins and ends with a barrier. */
template <class G>
__device__ inline void solve_columns(typename G::workspace &shared, const solve_problem<typename G::T> &p) {
  const int tiles = static_cast<int>((p.n + G::ORDER - 1) / G::ORDER);
  tile_position at = {0, 0}, ahead = {0, 0};
  int slot = 0, free_slot = 0;
  const auto begin_next = [&] {
    if (ahead.row < tiles) begin_stage<G>(shared.ring[free_slot], p, ahead);
    tg_commit_copies();
    ahead.go_on();
    free_slot = free_slot + 1 < G::STAGES ? free_slot + 1 : 0;
  };
  typename G::sums sum = {};
  __syncthreads();
#pragma unroll 1
  for (int s = 1; s < G::STAGES; s++) begin_next();
#pragma unroll 1
  for (; at.row < tiles; at.go_on(), slot = slot + 1 < G::STAGES ? slot + 1 : 0) {
    static_assert(G::STAGES <= 3, "rows of X are stored before their copy begins: those of (0, 0) for (2, 0)");
    tg_await_copies<G::STAGES - 2>();
    __syncthreads();
    begin_next();
    typename G::stage &s = shared.ring[slot];
    if (at.col < at.row) {
      add_product<G>(sum, s.l, at.col + 1 < at.row ? s.x : shared.last, p.L.conjugated);
    } else {
      solve_diagonal<G>(shared, s, sum, p, static_cast<int64_t>(at.row) * G::ORDER);
      sum = {};
    }
  }
  __syncthreads();
}

#endif
