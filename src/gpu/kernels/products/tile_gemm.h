/* tile_gemm.h - tiles of a matrix in a block of threads: stage them in shared memory, multiply them, write them back.
 *
 * The product is register-blocked, as in Charara, Keyes, Ltaief, CCPE 2018, section 4.1, with free tile sizes. All
 * threads of the block call these functions together.
 *
 * docs/products.md says which tile product serves which case, and why there are several. */
#ifndef TRIGON_TILE_GEMM_H
#define TRIGON_TILE_GEMM_H

#include "gpu/kernels/operand.h"

__host__ __device__ inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A block of threads computes a tile of ROWS × COLS elements, DEPTH terms of the sums at a time. Each thread computes
 * ITEM_ROWS × ITEM_COLS elements of the tile. */
template <class T_, int ROWS_, int COLS_, int DEPTH_, int ITEM_ROWS_, int ITEM_COLS_> struct geometry {
  using T = T_;
  static constexpr int ROWS = ROWS_, COLS = COLS_, DEPTH = DEPTH_, ITEM_ROWS = ITEM_ROWS_, ITEM_COLS = ITEM_COLS_;
  static constexpr int THREAD_ROWS = ROWS / ITEM_ROWS, THREAD_COLS = COLS / ITEM_COLS;
  static constexpr int THREADS = THREAD_ROWS * THREAD_COLS;
  /* A thread's elements form runs. One 16-byte access to shared memory reads a run. Runs of neighbouring threads are
   * neighbours, so that these accesses go to different banks. */
  static constexpr int RUN = 16 / sizeof(T);
  static constexpr int ROW_RUN = RUN < ITEM_ROWS ? RUN : ITEM_ROWS, COL_RUN = RUN < ITEM_COLS ? RUN : ITEM_COLS;
  static constexpr int PAD = RUN; /* keeps runs aligned, and avoids bank conflicts in a transposing store */
  static_assert(ROWS % ITEM_ROWS == 0 && COLS % ITEM_COLS == 0, "threads have equal shares of the tile");
  static_assert(ITEM_ROWS % ROW_RUN == 0 && ITEM_COLS % COL_RUN == 0, "a thread's share is whole runs");

  /* The tile row, and column, of an element of the thread with this index. Neighbouring indices have neighbouring rows.
   * By default a thread's index is its number. */
  __device__ static int row(int item, int index = static_cast<int>(threadIdx.x)) {
    int thread = index % THREAD_ROWS;
    return item / ROW_RUN * (ROW_RUN * THREAD_ROWS) + thread * ROW_RUN + item % ROW_RUN;
  }
  __device__ static int col(int item, int index = static_cast<int>(threadIdx.x)) {
    int thread = index / THREAD_ROWS;
    return item / COL_RUN * (COL_RUN * THREAD_COLS) + thread * COL_RUN + item % COL_RUN;
  }

  /* Two buffers: the block computes with one while it fills the other. */
  struct stage {
    alignas(16) T a[2][DEPTH][ROWS + PAD];
    alignas(16) T b[2][DEPTH][COLS + PAD];
  };
  struct sums {
    T of[ITEM_ROWS][ITEM_COLS];
  };
};

/* Calls visit(f, s) for the elements of a FAST × SLOW tile, shared among THREADS threads. Neighbouring threads get
 * elements that are neighbours along f (along_fast) or along s. */
template <int FAST, int SLOW, int THREADS, class Visit> __device__ inline void each(bool along_fast, Visit visit) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 4
  for (int at = thread; at < FAST * SLOW; at += THREADS)
    along_fast ? visit(at % FAST, at / FAST) : visit(at / SLOW, at % SLOW);
}

template <class T> __device__ inline bool along_rows(const matrix<T> &M) { return M.row == 1 || M.row == -1; }

/* to[s][f] = M(f0 + f, s0 + s). Elements from row f_end on, or from column s_end on, become zero. */
template <int FAST, int SLOW, int THREADS, class T, int STRIDE>
__device__ inline void stage_tile(T (&to)[SLOW][STRIDE], const matrix<T> &M, int64_t f0, int64_t s0, int64_t f_end,
                                  int64_t s_end) {
  const int64_t fs = f_end - f0, ss = s_end - s0;
  each<FAST, SLOW, THREADS>(along_rows(M),
                            [&](int f, int s) { to[s][f] = f < fs && s < ss ? M.get(f0 + f, s0 + s) : T{}; });
}

/* M(f0 + f, s0 + s) = from[s][f], for elements that are stored and lie before row f_end and column s_end. */
template <int FAST, int SLOW, int THREADS, class T, int STRIDE>
__device__ inline void store_tile(const T (&from)[SLOW][STRIDE], const matrix<T> &M, int64_t f0, int64_t s0,
                                  int64_t f_end, int64_t s_end) {
  const int64_t fs = f_end - f0, ss = s_end - s0;
  each<FAST, SLOW, THREADS>(along_rows(M), [&](int f, int s) {
    const int64_t i = f0 + f, j = s0 + s;
    const bool stored = M.stored == FULL || (i == j ? !M.unit : (i > j) == (M.stored == LOWER));
    if (f < fs && s < ss && stored) *M.at(i, j) = M.conjugated ? conjugate(from[s][f]) : from[s][f];
  });
}

/* Reads a matrix in pieces of FAST × SLOW elements, piece after piece along its columns. `fetch` reads a thread's share
 * of the next piece into registers, `put` writes the share into shared memory. In between, the block computes with the
 * piece before. */
template <class G, int FAST, int SLOW = G::DEPTH> struct stream {
  using T = typename G::T;
  static constexpr int SHARE = (FAST * SLOW + G::THREADS - 1) / G::THREADS;
  static_assert(G::THREADS % FAST == 0 && G::THREADS % SLOW == 0, "a thread's elements lie on one line of the piece");

  matrix<T> M;
  int64_t f0, s, rows, end; /* in the matrix: the pieces' first row, next column, number of rows, end of the columns */
  int f, d, f_step, d_step; /* in the piece: the thread's first element, and the step to its next element */
  T held[SHARE];

  __device__ stream(const matrix<T> &of, int64_t f_first, int64_t f_end, int64_t s_first, int64_t s_end)
      : M(of), f0(f_first), s(s_first), rows(f_end - f_first), end(s_end) {
    const int thread = static_cast<int>(threadIdx.x);
    const bool fast = along_rows(M);
    f = fast ? thread % FAST : thread / SLOW, f_step = fast ? 0 : G::THREADS / SLOW;
    d = fast ? thread / FAST : thread % SLOW, d_step = fast ? G::THREADS / FAST : 0;
  }

  /* Fetches the next piece. Elements outside of the matrix are zero. */
  __device__ void fetch() {
    const int64_t cols = end - s;
    if (M.stored == FULL) {
      const T *from = M.at(f0 + f, s + d);
      const int64_t step = f_step * M.row + d_step * M.col;
#pragma unroll
      for (int e = 0; e < SHARE; e++) {
        const int at_f = f + e * f_step, at_d = d + e * d_step;
        held[e] = at_f < rows && at_d < cols && at_f < FAST && at_d < SLOW ? from[e * step] : T{};
      }
    } else {
#pragma unroll
      for (int e = 0; e < SHARE; e++) {
        const int at_f = f + e * f_step, at_d = d + e * d_step;
        held[e] = at_f < rows && at_d < cols && at_f < FAST && at_d < SLOW ? M.get(f0 + at_f, s + at_d) : T{};
      }
    }
    s += SLOW;
  }

  /* to[d][f] = the fetched piece. */
  template <int STRIDE> __device__ void put(T (&to)[SLOW][STRIDE]) const {
    const bool conjugated = M.conjugated && M.stored == FULL;
#pragma unroll
    for (int e = 0; e < SHARE; e++) {
      const int at_f = f + e * f_step, at_d = d + e * d_step;
      if (at_f < FAST && at_d < SLOW) to[at_d][at_f] = conjugated ? conjugate(held[e]) : held[e];
    }
  }
};

/* sum += a·b over the staged terms, for the elements of the thread with this index. */
template <class G, class T, int TERMS, int A_STRIDE, int B_STRIDE>
__device__ inline void multiply_staged(typename G::sums &sum, const T (&a_of)[TERMS][A_STRIDE],
                                       const T (&b_of)[TERMS][B_STRIDE], int index) {
#pragma unroll G::DEPTH
  for (int d = 0; d < TERMS; d++) {
    T a[G::ITEM_ROWS], b[G::ITEM_COLS];
#pragma unroll
    for (int i = 0; i < G::ITEM_ROWS; i++) a[i] = a_of[d][G::row(i, index)];
#pragma unroll
    for (int j = 0; j < G::ITEM_COLS; j++) b[j] = b_of[d][G::col(j, index)];
#pragma unroll
    for (int i = 0; i < G::ITEM_ROWS; i++)
#pragma unroll
      for (int j = 0; j < G::ITEM_COLS; j++) sum.of[i][j] = multiply_add(a[i], b[j], sum.of[i][j]);
  }
}

/* multiply_staged by an overload: another kind of geometry (complex_mma.h) has a function of its own, which its first
 * argument chooses. */
template <class G, class T, int TERMS, int A_STRIDE, int B_STRIDE>
__device__ inline void multiply_terms(G, typename G::sums &sum, const T (&a)[TERMS][A_STRIDE],
                                      const T (&b)[TERMS][B_STRIDE], int index) {
  multiply_staged<G>(sum, a, b, index);
}

/* sum += A(i0.., k0..k1-1)·B(k0..k1-1, j0..), for a tile that ends before row i_end and column j_end. Ends with a
 * barrier. */
template <class G, class T = typename G::T>
__device__ inline void accumulate(typename G::sums &sum, typename G::stage &shared, const matrix<T> &A,
                                  const matrix<T> &B, int64_t i0, int64_t i_end, int64_t j0, int64_t j_end, int64_t k0,
                                  int64_t k1, int index = static_cast<int>(threadIdx.x)) {
  if (k0 >= k1) return;
  stream<G, G::ROWS> a(A, i0, i_end, k0, k1);
  stream<G, G::COLS> b(B.transposed(), j0, j_end, k0, k1);
  a.fetch();
  b.fetch();
  for (int64_t k = k0, turn = 0; k < k1; k += G::DEPTH, turn ^= 1) {
    a.put(shared.a[turn]);
    b.put(shared.b[turn]);
    __syncthreads(); /* the buffers of this turn are full; those of the turn before may be overwritten */
    if (k + G::DEPTH < k1) {
      a.fetch();
      b.fetch();
    }
    multiply_terms(G(), sum, shared.a[turn], shared.b[turn], index);
  }
  __syncthreads();
}

/* Calls visit(row, col, sum) for the thread's elements of the tile. */
template <class G, class Visit> __device__ inline void each_sum(const typename G::sums &sum, Visit visit) {
#pragma unroll
  for (int i = 0; i < G::ITEM_ROWS; i++)
#pragma unroll
    for (int j = 0; j < G::ITEM_COLS; j++) visit(G::row(i), G::col(j), sum.of[i][j]);
}

__device__ inline bool computes_nothing(const product &p) {
  return p.mask.headroom_bits && *p.mask.headroom == INT32_MAX;
}

/* Whether C has elements to compute in the tile that begins at (i0, j0) and whose rows end before i1. */
__device__ inline bool is_computed(const product &p, int64_t i1, int64_t i0, int64_t j0) {
  const tile_mask &m = p.mask;
  if (p.computed != REGION_ALL && i1 <= j0) return false;
  return !m.headroom_bits || m.headroom_bits[i0 / m.height * m.row_step + j0 / m.width * m.col_step] > *m.headroom;
}

#endif
