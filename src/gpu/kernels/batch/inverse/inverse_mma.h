/* inverse_mma.h - TRTRI and POTRI of a double matrix in shared memory, with matrix units (tg_mma), by one block of
 * threads.
 *
 * The matrix is cut into halves of whole blocks of 16 rows:
 *
 *     L = [ L11     ]     X22 = L22⁻¹            X11 = L11⁻¹
 *         [ L21 L22 ]     X21 = -(X22·L21)·L11⁻¹
 *
 * A warp computes 16 rows of X, and keeps them in registers: it solves X(i, ·)·L = I from the last column to the first,
 * by blocks of 8 columns. So no column waits for another warp, and the residual X·L - I is as small as LAPACK's. Rows
 * of X overwrite L when all warps have read L. Then POTRI multiplies: Xᵀ·X, of which each warp has 16 rows, too.
 *
 * The products need the inverses of the diagonal blocks of 8 × 8. If such an inverse might lose digits, the block's
 * columns are solved by substitution.
 *
 * Blocks of 8 × 8 lie one behind the other, so that all indices are constants, and no lanes meet in a bank. Both halves
 * of the largest matrices do not fit beside L21: then L11 takes the place of X22, which comes back from memory. */
#ifndef TRIGON_INVERSE_MMA_H
#define TRIGON_INVERSE_MMA_H

#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/diagonal/mma_diagonal.h"
#include "inverse_blocks.h"

/* --------------------------------------------------------------------------------------------------- solve -- */

/* Replaces the diagonal blocks of the triangle L, which has `rows` rows and as many behind it as make whole blocks, by
 * their negative inverses. Leaves them as they are if one of them breaks the rule for blocks (inverse_rule.h). Returns
 * whether they are inverted. All threads of the block of threads call this. Begins with a barrier if threads have
 * waited for their copies alone; ends with a barrier. */
template <class G>
__device__ inline bool invert_diagonal_blocks(typename G::workspace &shared, double *L, int rows, int row_end,
                                              bool unit) {
  const lane_numbers at;
  const bool mine = at.thread < row_end;
  const int b = mine ? at.thread / 8 : 0, c = at.thread % 8, first = at.lane - c;
  double *const block = L + 64 * (triangle_row(b) + b);
  if (mine && (unit || at.thread >= rows)) block[index_in_block(c, c)] = 1;
  __syncthreads();
  double x[8], rate = plain_reciprocal(block[index_in_block(c, c)]), sum = 0, bound = 0;
  const bool plain = !is_zero(rate);
#pragma unroll
  for (int i = 0; i < 8; i++) sum += i >= c ? magnitude(block[index_in_block(i, c)]) : 0;
#pragma unroll
  for (int i = 0; i < 8; i++) x[i] = i == c ? -1 : 0;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    x[j] *= tg_shuffle(rate, first + j);
    bound += magnitude(x[j]) * tg_shuffle(sum, first + j);
#pragma unroll
    for (int i = j + 1; i < 8; i++) x[i] -= block[index_in_block(i, j)] * x[j];
  }
  if (tg_any(mine && !(plain && bound <= BLOCK_LIMIT), &shared.vote)) return false;
  if (mine)
#pragma unroll
    for (int i = 0; i < 8; i++) block[index_in_block(i, c)] = x[i];
  __syncthreads();
  return true;
}

/* s = -s·M⁻¹ for a fragment of 16 rows and a diagonal block M, by substitution. */
__device__ inline void solve_block(double (&s)[4], const double *M) {
  const lane_numbers at;
  const int t = at.t, quad = at.lane - t;
#pragma unroll 1
  for (int q = 3; q >= 0; q--)
#pragma unroll
    for (int e = 1; e >= 0; e--) {
      const int c = 2 * q + e;
      const double pivot = M[index_in_block(c, c)], low = M[index_in_block(c, 2 * t)],
                   high = M[index_in_block(c, 2 * t + 1)];
#pragma unroll
      for (int h = 0; h < 4; h += 2) {
        const double mine = s[h + e] / pivot, x = tg_shuffle(mine, quad + q);
        if (t == q) s[h + e] = mine;
        if (2 * t < c) s[h] -= x * low;
        if (2 * t + 1 < c) s[h + 1] -= x * high;
      }
    }
#pragma unroll
  for (int e = 0; e < 4; e++) s[e] = -s[e];
}

/* The lane's part of a right factor, from a block in which its rows are the terms: terms 2t and 2t + 1 of 8 are the
 * terms t and t + 4 of a fragment, in both factors. */
__device__ inline void load_right_block(double (&b)[2], const double *block) {
  const two_doubles p = *reinterpret_cast<const two_doubles *>(block);
  b[0] = p.first, b[1] = p.second;
}

/* y = -y·L⁻¹ for a warp's 16 rows, of which the first `columns` blocks are not zero: y(j) = -y(j)·L(j, j)⁻¹ from the
 * last column to the first, and then y(k) += y(j)·L(j, k) for the columns k before. */
template <class G>
__device__ inline void solve_negated_rows(typename G::rows &y, int columns, const double *L, bool inverted) {
  const lane_numbers at;
  const int g = at.g, t = at.t;
  const double *const lane = L + index_in_block(2 * t, g);
#pragma unroll
  for (int j = G::HALF - 1; j >= 0; j--) {
    if (j >= columns) continue;
    const double *const row = lane + 64 * triangle_row(j);
    if (inverted) {
      const double a[4] = {y[j][0], y[j][2], y[j][1], y[j][3]};
      double b[2];
      load_right_block(b, row + 64 * j);
      y[j][0] = y[j][1] = y[j][2] = y[j][3] = 0;
      tg_mma(y[j], a, b);
    } else {
      solve_block(y[j], L + 64 * (triangle_row(j) + j));
    }
    const double a[4] = {y[j][0], y[j][2], y[j][1], y[j][3]};
#pragma unroll
    for (int k = j - 1; k >= 0; k--) {
      double b[2];
      load_right_block(b, row + 64 * k);
      tg_mma(y[k], a, b);
    }
  }
}

/* y = the identity, in the blocks from `first` on. */
template <class G> __device__ inline void set_identity(typename G::rows &y, int first) {
  const lane_numbers at;
  const int g = at.g, t = at.t;
#pragma unroll
  for (int j = 0; j < G::HALF; j++)
#pragma unroll
    for (int e = 0; e < 4; e++) y[j][e] = j == first + e / 2 && g == 2 * t + e % 2 ? 1 : 0;
}

/* Adds the products of a left fragment with the first blocks of a row of blocks, an even number. */
template <class G>
__device__ inline void add_row_of_blocks(typename G::rows &y, int columns, const double (&a)[4], const double *row) {
  constexpr int TOGETHER = 2;
#pragma unroll
  for (int j = 0; j < G::HALF; j += TOGETHER) {
    if (j >= columns) break;
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) {
      double b[2];
      load_right_block(b, row + 64 * (j + e));
      tg_mma(y[j + e], a, b);
    }
  }
}

/* y = X(i, ·)·F, where i is the warp's row of squares of the triangle X. */
template <class G>
__device__ inline void multiply_row(typename G::rows &y, int columns, const block_rows &X, int i, const block_rows &F) {
  const lane_numbers at;
  const int g = at.g, t = at.t;
  const double *left = X.row(2 * i) + index_in_block(g, 2 * t), *right = F.of + index_in_block(2 * t, g);
  const int beside = index_in_block(g, 2 * t + 1) - index_in_block(g, 2 * t), below = 64 * (2 * i + 2);
#pragma unroll 1
  for (int k = 0; k < 2 * i + 2; k++, left += 64, right += 64 * F.width) {
    const double a[4] = {left[0], left[below], left[beside], left[below + beside]};
    add_row_of_blocks<G>(y, columns, a, right);
  }
}

/* y += X(k, i)ᵀ·Z(k, ·) for the rows k of blocks from `first` to `end`, where i is the warp's column of squares. */
template <class G>
__device__ inline void multiply_columns(typename G::rows &y, int columns, const block_rows &X, int i,
                                        const block_rows &Z, int first, int end) {
  const lane_numbers at;
  const int lane = index_in_block(2 * at.t, at.g);
#pragma unroll 1
  for (int k = first; k < end; k++) {
    double low[2], high[2];
    const double *const left = X.row(k) + lane + 128 * i;
    load_right_block(low, left), load_right_block(high, left + 64);
    const double a[4] = {low[0], high[0], low[1], high[1]};
    add_row_of_blocks<G>(y, columns, a, Z.row(k) + lane);
  }
}

/* ------------------------------------------------------------------------------------------------- results -- */

/* Stores a warp's rows to row i of squares. */
template <class G>
__device__ inline void keep_rows(const typename G::rows &y, int columns, const block_rows &to, int i) {
  const lane_numbers at;
  const int g = at.g, t = at.t;
  const int index = index_in_block(g, 2 * t), beside = index_in_block(g, 2 * t + 1) - index;
  double *const upper = to.row(2 * i) + index, *const lower = to.row(2 * i + 1) + index;
#pragma unroll
  for (int j = 0; j < G::HALF; j++) {
    if (j >= columns) break;
    upper[64 * j] = y[j][0], upper[64 * j + beside] = y[j][1];
    lower[64 * j] = y[j][2], lower[64 * j + beside] = y[j][3];
  }
}

/* Where a warp's rows go: the 16 rows of A from (row, col) on. A has order n. `both`: the mirror images, too. */
struct rows_target {
  const matrix<double> &A;
  int row, col, n;
  bool negative, both;
};

template <class G> __device__ inline void put_rows(const typename G::rows &y, int columns, const rows_target &to) {
  const lane_numbers at;
  const int r = to.row + at.g, c = to.col + 2 * at.t;
  /* The last columns that exist in both rows. */
  const int last = r < to.n ? r - (to.A.unit ? 1 : 0) : -1, below = r + 8 < to.n ? r + 8 - (to.A.unit ? 1 : 0) : -1;
  const auto put = [&](int64_t row, int64_t col) {
    double *address = to.A.data + r * row + c * col;
#pragma unroll
    for (int j = 0; j < G::HALF; j++, address += 8 * col) {
      if (j >= columns) break;
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (c + 8 * j + e % 2 <= (e < 2 ? last : below))
          address[e / 2 * 8 * row + e % 2 * col] = to.negative ? -y[j][e] : y[j][e];
    }
  };
  put(to.A.row, to.A.col);
  if (to.both) put(to.A.col, to.A.row);
}

/* --------------------------------------------------------------------------------------------------- matrix -- */

/* How a matrix of order n is cut, and where its parts are. */
template <class G> struct inverse_parts {
  int upper, lower, n1; /* squares of 16 rows in both halves; the first row of the second one */
  block_rows first, between, second;
  bool apart; /* the second triangle has memory of its own */

  __device__ inverse_parts(double *blocks, int n) {
    const int all = (n + 15) / 16;
    upper = (all + 1) / 2, lower = all - upper, n1 = 16 * upper;
    const int triangle = 2 * upper * (upper + 1), rectangle = 4 * upper * lower;
    first = {blocks, 0}, between = {blocks + G::BLOCK * triangle, 2 * upper};
    apart = triangle + rectangle + 2 * lower * (lower + 1) <= G::ROOM;
    second = {apart ? between.of + G::BLOCK * rectangle : blocks, 0};
  }
};

/* TRTRI of the lower triangle A of order n <= ORDER, or POTRI: X, and then Xᵀ·X. */
template <class G> struct resident_inverse {
  typename G::workspace &shared;
  const matrix<double> &A;
  const batch_task &task;
  const int n;
  const inverse_parts<G> part;
  /* The row of squares of X that the warp has in the second half. In the first half it has the row that has least to do
   * if this one has most. Warps that share a scheduler have equal work together. */
  const int turn;

  __device__ resident_inverse(typename G::workspace &memory, const matrix<double> &L, int order, const batch_task &t,
                              int64_t number)
      : shared(memory), A(L), task(t), n(order), part(memory.blocks, order), turn(turn_of(number)) {}

  __device__ static int turn_of(int64_t number) {
    const int warp = mma_warp();
    if (G::WARPS == 8) return warp < 4 ? warp : 11 - warp;
    return static_cast<int>((warp + number) % G::WARPS);
  }

  __device__ int rows_of_first() const { return n < part.n1 ? n : part.n1; }
  __device__ int64_t step() const { return G::BY_COLUMNS ? A.col : A.row; } /* between lines in memory */

  __device__ matrix_part first() const { return {part.first, A.data, rows_of_first(), part.n1, part.n1, true}; }
  __device__ matrix_part second() const {
    const int end = 16 * part.lower;
    return {part.second, A.data + part.n1 * (step() + 1), n - part.n1, end, end, true};
  }
  __device__ matrix_part between() const {
    return {part.between, A.data + part.n1 * (G::BY_COLUMNS ? 1 : step()), n - part.n1, 16 * part.lower, part.n1,
            false};
  }
  __device__ void copy(const matrix_part &p) const {
    if constexpr (G::BY_COLUMNS)
      copy_columns<G>(p, step(), A.unit);
    else
      copy_rows<G>(p, step(), A.unit);
  }

  __device__ void await_all() const {
    tg_commit_copies();
    tg_await_copies<0>();
    __syncthreads();
  }

  /* Begins to copy the second triangle and what lies beside it, and then the first one if there is room: two groups. */
  __device__ void begin() const {
#pragma unroll 1
    for (int number = 0; number < 3; number++) {
      const bool exists = number == 2 ? part.apart : part.lower > 0;
      if (exists) copy(number == 0 ? second() : number == 1 ? between() : first());
      if (number > 0) tg_commit_copies();
    }
  }

  __device__ void put(const typename G::rows &y, int columns, int row, int col, bool negative, bool mirror) const {
    put_rows<G>(y, columns, {A, row, col, n, negative, mirror});
  }

  /* Computes -X22, -X21 and -X11, in this order, in one loop, because the code of a solve is long. */
  __device__ void invert() const {
    const bool halves = part.lower > 0;
    typename G::rows y;
    bool inverted = true;
#pragma unroll 1
    for (int phase = halves ? 0 : 2; phase < 3; phase++) {
      const int i = phase < 2 ? turn : part.upper - 1 - turn, columns = phase == 1 ? 2 * part.upper : 2 * i + 2;
      const bool works = phase < 2 ? i < part.lower : i >= 0;
      if (phase == 0) {
        tg_await_copies<1>();
        __syncthreads();
        inverted = invert_diagonal_blocks<G>(shared, part.second.of, n - part.n1, 16 * part.lower, A.unit);
      }
      set_identity<G>(y, phase == 1 ? G::HALF : 2 * i);
      if (phase == 1) {
        if (works) multiply_row<G>(y, columns, part.second, i, part.between);
        __syncthreads();
        if (!part.apart) copy(first());
      }
      if (phase == (halves ? 1 : 2)) {
        await_all();
        inverted = invert_diagonal_blocks<G>(shared, part.first.of, rows_of_first(), part.n1, A.unit);
      }
      if (works) solve_negated_rows<G>(y, columns, phase == 0 ? part.second.of : part.first.of, inverted);
      if (phase != 1) __syncthreads(); /* nobody reads L any more */
      if (works && phase == 0) keep_rows<G>(y, columns, part.second, i);
      if (works && phase == 1 && task.product) keep_rows<G>(y, columns, part.between, i);
      if (works && phase == 2 && task.product) keep_rows<G>(y, columns, part.first, i);
      if (works && (!task.product || (phase == 0 && !part.apart)))
        put(y, columns, (phase < 2 ? part.n1 : 0) + 16 * i, phase == 0 ? part.n1 : 0, !task.product, false);
      __syncthreads();
    }
  }

  /* Computes Xᵀ·X from -X: its first triangle, what lies below that, and its second triangle. */
  __device__ void multiply() const {
    const int i = mma_warp();
    typename G::rows y;
#pragma unroll 1
    for (int phase = 0; phase < (part.lower > 0 ? 3 : 1); phase++) {
      const int columns = phase == 1 ? 2 * part.upper : 2 * i + 2;
      if (phase == 1 && !part.apart) {
        __syncthreads();
        copy(second());
        await_all();
      }
      if (i >= (phase == 0 ? part.upper : part.lower)) continue;
      set_identity<G>(y, G::HALF);
      if (phase == 0) {
        multiply_columns<G>(y, columns, part.first, i, part.first, 2 * i, 2 * part.upper);
        multiply_columns<G>(y, columns, part.between, i, part.between, 0, 2 * part.lower);
      } else if (phase == 1) {
        multiply_columns<G>(y, columns, part.second, i, part.between, 2 * i, 2 * part.lower);
      } else {
        multiply_columns<G>(y, columns, part.second, i, part.second, 2 * i, 2 * part.lower);
      }
      put(y, columns, (phase > 0 ? part.n1 : 0) + 16 * i, phase == 2 ? part.n1 : 0, false, task.both);
    }
  }

  /* Returns LAPACK's info. Ends with a barrier. */
  __device__ int64_t run() const {
    const int thread = static_cast<int>(threadIdx.x);
    begin();
    const bool zero = !A.unit && thread < n && is_zero(*A.at(thread, thread));
    if (tg_any(zero, &shared.vote)) {
      await_all();
      return first_zero(&shared.vote, A, n) + 1;
    }
    invert();
    if (task.product) multiply();
    __syncthreads();
    return 0;
  }
};

/* Matrices up to ORDER, for batch_classes.h. */
template <int HALF, int ROOM, int RESIDENT, bool BY_COLUMNS_>
struct inverse_class : inverse_mma<HALF, ROOM, RESIDENT, BY_COLUMNS_> {
  using base = inverse_mma<HALF, ROOM, RESIDENT, BY_COLUMNS_>;
  __device__ static int64_t run(typename base::workspace &shared, const batch_task &t, int64_t i,
                                const matrix<double> &A, int n) {
    return resident_inverse<base>(shared, A.as(LOWER, t.diag == TRIGON_UNIT), n, t, i).run();
  }
};

#endif
