/* symm_strips.h - products of a large symmetric matrix of doubles and up to 32 columns, on matrix units. Each stored
 * tile is read once.
 *
 * A band is ROWS rows of the lower triangle, and a strip is DEPTH columns of a band. All strips, band by band, are cut
 * into runs of equal length, one for each block of threads. A block walks along its bands to the right:
 *
 *     C(band) += S·B(strip)       row sums: they stay in registers until the band or the run ends
 *     C(strip) += Sᵀ·B(band)      column sums: those of a strip leave at once; B(band) stays in registers
 *
 * A warp has 32 rows of the band. It leaves its column sums in shared memory, and after the next barrier the block adds
 * those of all warps. Strips of the tile on the diagonal are completed by their mirror image, and have row sums alone.
 * Sums go to device memory as parts, and a second launch adds the parts of each element in their order. So no order of
 * blocks changes a bit. If the parts of all bands do not fit into the space, panels of bands have their own launches.
 *
 * A strip is [term][line] (BY_LINES) or [line][term], as the elements are neighbours in memory. A lane reads two
 * neighbours at once, so fragments have lines and terms in other orders, in which lanes read from different banks. */
#ifndef TRIGON_SYMM_STRIPS_H
#define TRIGON_SYMM_STRIPS_H

#include "symm_columns_mma.h"

template <bool BY_LINES_> struct symm_strip {
  using T = double;
  static constexpr bool BY_LINES = BY_LINES_;
  static constexpr int WARPS = TG_TILE(2, 8), THREADS = 32 * WARPS, ROWS = 32 * WARPS, COLS = 32, DEPTH = 16;
  static constexpr int STRIPS_OF_TILE = ROWS / DEPTH, SUMS = DEPTH * COLS; /* of a strip */
  static constexpr int LINE = BY_LINES ? 1 : DEPTH + 4, TERM = BY_LINES ? ROWS + 2 : 1, B_LD = DEPTH + 8;
  static constexpr int A_SIZE = BY_LINES ? TERM * DEPTH : LINE * ROWS, STAGE = A_SIZE + B_LD * COLS;
  static constexpr int STAGES = BY_LINES ? 4 : 3; /* as many as fit */
  static constexpr int SUMS_LD = DEPTH + 2;       /* column sums are [column of B][term] */

  struct shared {
    alignas(16) double ring[STAGES * STAGE];
    alignas(16) double columns[2][WARPS][SUMS_LD * COLS];
  };
};

/* A launch: the bands first .. end - 1. */
struct strips_task {
  product p;
  unsigned first, end;
  int strips, run; /* of the launch; of a block */
  bool a_pairs, b_pairs;
  double *rows, *columns; /* the parts */

  __host__ __device__ unsigned tiles_before(unsigned band) const {
    return tiles_of_triangle<1>(band) - tiles_of_triangle<1>(first);
  }
  /* Tiles off the diagonal. */
  __host__ __device__ unsigned full_tiles_before(unsigned band) const { return tiles_before(band) - (band - first); }
  /* The row sums of a band from a block. Along the runs the number grows with each part. */
  template <class G> __device__ double *row_part(unsigned block, unsigned band) const {
    return rows + static_cast<int64_t>(block + band - first) * (G::ROWS * G::COLS);
  }
  /* The column sums of strip number `strip` of a band. */
  template <class G> __device__ double *column_part(unsigned band, unsigned strip) const {
    return columns + (int64_t{full_tiles_before(band)} * G::STRIPS_OF_TILE + strip) * G::SUMS;
  }
};

/* A strip. */
template <class G> struct strip_walk {
  unsigned band, strip; /* strip: of the band */

  __device__ strip_walk(const strips_task &f, int number) {
    const triangle_coord tile =
        triangle_coord_of<1>(static_cast<unsigned>(number) / G::STRIPS_OF_TILE + tiles_of_triangle<1>(f.first));
    band = tile.row, strip = tile.col * G::STRIPS_OF_TILE + static_cast<unsigned>(number) % G::STRIPS_OF_TILE;
  }
  __device__ TG_INLINE void go_on() {
    if (++strip == (band + 1) * G::STRIPS_OF_TILE) band++, strip = 0;
  }
  __device__ bool on_diagonal() const { return strip / G::STRIPS_OF_TILE == band; }
};

/* Begins to copy a strip of A, and the rows of B that belong to its columns. */
template <class G> __device__ TG_INLINE void copy_strip(double *to, const strips_task &f, const strip_walk<G> &at) {
  const operand &A = f.p.A, &B = f.p.B;
  const int64_t i0 = int64_t{at.band} * G::ROWS, k0 = int64_t{at.strip} * G::DEPTH;
  const int lines = static_cast<int>(least(f.p.m - i0, G::ROWS)), terms = static_cast<int>(least(f.p.m - k0, G::DEPTH));
  const double *const a = static_cast<const double *>(A.data) + i0 * A.row + k0 * A.col;
  const double *const b = static_cast<const double *>(B.data) + k0 * B.row;
  if (at.on_diagonal())
    copy_symm_diagonal<G, G::LINE, G::TERM>(to, f.p, i0, k0);
  else if (G::BY_LINES)
    copy_symm_block<G::ROWS, G::DEPTH, G::TERM, G::THREADS>(to, {a, A.row, A.col, lines, terms}, f.a_pairs);
  else
    copy_symm_block<G::DEPTH, G::ROWS, G::LINE, G::THREADS>(to, {a, A.col, A.row, terms, lines}, f.a_pairs);
  copy_symm_block<G::DEPTH, G::COLS, G::B_LD, G::THREADS>(to + G::A_SIZE,
                                                          {b, B.row, B.col, terms, static_cast<int>(f.p.n)}, f.b_pairs);
}

/* What a warp keeps. Lane 4·g + t has element (g, t) of left factors. */
template <class G> struct strip_warp {
  double row[2][4][4];   /* sums of two fragments of 16 lines, and four of 8 columns of B */
  double right[4][4][2]; /* B(band): columns of B, and four fragments of 8 lines */

  __device__ static int g() { return mma_lane() / 4; }
  __device__ static int t() { return mma_lane() % 4; }
  __device__ static TG_INLINE two_doubles pair(const double *p) { return *reinterpret_cast<const two_doubles *>(p); }

  /* Of column sums: line t + 4·i of a fragment, and term g + 8·h. */
  __device__ static int line(int i) { return G::BY_LINES ? 2 * t() + i : t() + 4 * i; }
  __device__ static int term(int h) { return G::BY_LINES ? g() % 2 * 4 + g() / 2 + 8 * h : 2 * g() + h; }

  __device__ void load_right(const product &p, unsigned band) {
    const matrix<double> B = matrix_of<double>(p.B, 0);
    const int64_t i0 = int64_t{band} * G::ROWS + 32 * mma_warp();
#pragma unroll
    for (int w = 0; w < 4; w++)
#pragma unroll
      for (int k = 0; k < 4; k++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
          const int64_t r = i0 + 8 * k + line(i), c = 8 * w + g();
          right[w][k][i] = r < p.m && c < p.n ? *B.at(r, c) : 0;
        }
  }
  /* row += S·B(strip) for 8 of the terms. Lines g and g + 8 of a fragment are the lines 2·g and 2·g + 1, and terms t
   * and t + 4 are the terms 2·t and 2·t + 1. */
  __device__ TG_INLINE void add_rows(const double *stage, int k) {
    const int first = 32 * mma_warp() + 2 * g(), from = 8 * k + 2 * t();
    double a[2][4];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const double *const p = stage + (first + 16 * h) * G::LINE + from * G::TERM;
      const two_doubles x = pair(p), y = pair(p + (G::BY_LINES ? G::TERM : G::LINE));
      a[h][0] = x.first, a[h][3] = y.second;
      a[h][1] = G::BY_LINES ? x.second : y.first, a[h][2] = G::BY_LINES ? y.first : x.second;
    }
#pragma unroll
    for (int w = 0; w < 4; w++) {
      const two_doubles b = pair(stage + G::A_SIZE + (8 * w + g()) * G::B_LD + from);
#pragma unroll
      for (int h = 0; h < 2; h++) tg_mma(row[h][w], a[h], {b.first, b.second});
    }
  }
  /* column += Sᵀ·B(band) for the warp's lines. */
  __device__ TG_INLINE void add_columns(double (&column)[4][4], const double *stage) const {
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const double *const from = stage + (32 * mma_warp() + 8 * k) * G::LINE;
      const two_doubles x = pair(from + line(0) * G::LINE + term(0) * G::TERM);
      const two_doubles y =
          pair(from + (G::BY_LINES ? line(0) : line(1)) * G::LINE + (G::BY_LINES ? term(1) : term(0)) * G::TERM);
      const double a[4] = {x.first, G::BY_LINES ? y.first : x.second, G::BY_LINES ? x.second : y.first, y.second};
#pragma unroll
      for (int w = 0; w < 4; w++) tg_mma(column[w], a, right[w][k]);
    }
  }
  __device__ TG_INLINE void put_columns(const double (&column)[4][4], double *to) const {
#pragma unroll
    for (int w = 0; w < 4; w++)
#pragma unroll
      for (int e = 0; e < 2; e++) {
        double *const p = to + (8 * w + 2 * t() + e) * G::SUMS_LD;
        if (G::BY_LINES)
          p[term(0)] = column[w][e], p[term(1)] = column[w][2 + e];
        else
          *reinterpret_cast<two_doubles *>(p + term(0)) = {column[w][e], column[w][2 + e]};
      }
  }
  /* Leaves the row sums, as [column of B][line], and begins new ones. */
  __device__ void put_rows(double *to) {
    to += 32 * mma_warp() + 2 * g();
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int w = 0; w < 4; w++) {
#pragma unroll
        for (int e = 0; e < 2; e++)
          *reinterpret_cast<two_doubles *>(to + (8 * w + 2 * t() + e) * G::ROWS + 16 * h) = {row[h][w][e],
                                                                                             row[h][w][2 + e]};
#pragma unroll
        for (int e = 0; e < 4; e++) row[h][w][e] = 0;
      }
  }
};

/* Adds the column sums of all warps. */
template <class G>
__device__ TG_INLINE void leave_columns(double *part, const double (*columns)[G::SUMS_LD * G::COLS]) {
#pragma unroll
  for (int e = 2 * static_cast<int>(threadIdx.x); e < G::SUMS; e += 2 * G::THREADS) {
    const int at = e / G::DEPTH * G::SUMS_LD + e % G::DEPTH;
    two_doubles sum = {0, 0};
#pragma unroll
    for (int warp = 0; warp < G::WARPS; warp++) {
      const two_doubles x = strip_warp<G>::pair(columns[warp] + at);
      sum.first += x.first, sum.second += x.second;
    }
    *reinterpret_cast<two_doubles *>(part + e) = sum;
  }
}

template <class G> __global__ void __launch_bounds__(G::THREADS, 1) symm_strips_kernel(strips_task f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::shared &shared = *tg_shared<typename G::shared>();
  const int first = static_cast<int>(blockIdx.x) * f.run, end = first + f.run < f.strips ? first + f.run : f.strips;
  strip_walk<G> now(f, first), ahead = now;
  strip_warp<G> warp = {};
  double *part = nullptr; /* of the strip before, if it has column sums */
  int slot = 0, parity = 0;
  for (int s = 0; s < G::STAGES - 1; s++, ahead.go_on()) {
    if (first + s < end) copy_strip(shared.ring + s * G::STAGE, f, ahead);
    tg_commit_copies();
  }
  warp.load_right(f.p, now.band);
#pragma unroll 1
  for (int number = first; number < end; number++, now.go_on(), ahead.go_on(), parity ^= 1) {
    const double *const stage = shared.ring + slot * G::STAGE;
    double *const left = shared.ring + (slot > 0 ? slot - 1 : G::STAGES - 1) * G::STAGE;
    if (now.strip == 0 && number > first) {
      warp.put_rows(f.row_part<G>(blockIdx.x, now.band - 1));
      warp.load_right(f.p, now.band);
    }
    tg_await_copies<G::STAGES - 2>();
    __syncthreads();         /* all threads have left the strip before, and its column sums in shared memory */
    warp.add_rows(stage, 0); /* the matrix units have work while threads begin copies and add sums */
    if (number + G::STAGES - 1 < end) copy_strip(left, f, ahead);
    tg_commit_copies();
    warp.add_rows(stage, 1);
    if (part) leave_columns<G>(part, shared.columns[parity ^ 1]);
    part = nullptr;
    if (!now.on_diagonal()) {
      double column[4][4] = {};
      warp.add_columns(column, stage);
      warp.put_columns(column, shared.columns[parity][mma_warp()]);
      part = f.column_part<G>(now.band, now.strip);
    }
    slot = slot + 1 < G::STAGES ? slot + 1 : 0;
  }
  tg_await_copies<0>();
  __syncthreads();
  if (part) leave_columns<G>(part, shared.columns[parity ^ 1]);
  if (first < end) warp.put_rows(f.row_part<G>(blockIdx.x, now.strip == 0 ? now.band - 1 : now.band));
#endif
}

/* ------------------------------------------------------------------------------------------- sums of parts -- */

/* Adds two neighbours of the parts first .. end - 1, where at(part) is. Instead of parts behind the last one it loads
 * the last one, because loads under a condition would wait for each other. */
template <class At> __device__ inline void add_parts(two_doubles &sum, unsigned first, unsigned end, At at) {
  constexpr unsigned AHEAD = 8; /* loads that are under way */
#pragma unroll 1
  for (unsigned part = first; part < end; part += AHEAD) {
    two_doubles x[AHEAD];
#pragma unroll
    for (unsigned a = 0; a < AHEAD; a++)
      x[a] = *reinterpret_cast<const two_doubles *>(at(part + a < end ? part + a : end - 1));
#pragma unroll
    for (unsigned a = 0; a < AHEAD; a++)
      sum.first += part + a < end ? x[a].first : 0, sum.second += part + a < end ? x[a].second : 0;
  }
}

/* A block has DEPTH rows of C. Rows above the launch's bands have their old values from an earlier launch. */
template <class G> __global__ void __launch_bounds__(G::THREADS) add_strips_kernel(strips_task f) {
  const unsigned strip = blockIdx.x, band = strip / G::STRIPS_OF_TILE, below = band < f.first ? f.first : band + 1;
  const matrix<double> C = matrix_of<double>(f.p.C, 0);
  const double alpha = f.p.alpha.re, beta = band < f.first ? 1 : f.p.beta.re;
  const unsigned run = static_cast<unsigned>(f.run), begin = f.tiles_before(band) * G::STRIPS_OF_TILE;
  for (int e = 2 * static_cast<int>(threadIdx.x); e < G::SUMS; e += 2 * G::THREADS) {
    const int r = e % G::DEPTH, line = static_cast<int>(strip % G::STRIPS_OF_TILE) * G::DEPTH + r, col = e / G::DEPTH;
    two_doubles sum = {0, 0};
    if (band >= f.first)
      add_parts(sum, begin / run, (begin + (band + 1) * G::STRIPS_OF_TILE - 1) / run + 1,
                [&](unsigned block) { return f.row_part<G>(block, band) + col * G::ROWS + line; });
    add_parts(sum, below, f.end, [&](unsigned i) { return f.column_part<G>(i, strip) + e; });
    for (int i = 0; i < 2; i++) {
      const int64_t row = int64_t{strip} * G::DEPTH + r + i;
      if (row >= f.p.m || col >= f.p.n) continue;
      double *const c = C.at(row, col);
      const double result = alpha * (i == 0 ? sum.first : sum.second);
      *c = beta != 0 ? beta * *c + result : result;
    }
  }
}

/* -------------------------------------------------------------------------------------------------- launches -- */

/* The bytes of the parts of a launch: the bands first .. end - 1, on so many blocks. */
template <class G> inline int64_t strips_bytes(int64_t first, int64_t end, int64_t blocks) {
  const int64_t tiles = (end - 1) * end / 2 - first * (first - 1) / 2; /* off the diagonal */
  return (tiles * G::STRIPS_OF_TILE * G::SUMS + (blocks + end - first) * G::ROWS * G::COLS) *
         static_cast<int64_t>(sizeof(double));
}

/* The rows by which a setup's shape names this form. */
enum { STRIPS_NAME = TG_TILE(128, 512) };

/* Whether strips are wanted, and the space holds the parts of the last band, which has the most. */
template <class G> inline bool takes_strips(queue q, const product *p, const dataflow_setup *s) {
  const bool wanted = s->shape.rows > 0 ? s->shape.rows == STRIPS_NAME : p->m >= q.arch->limits->symm.strips_order;
  const int64_t bands = tiles_in(p->m, G::ROWS);
  return wanted && p->n <= G::COLS && strips_bytes<G>(bands - 1, bands, q.arch->limits->symm.blocks) <= s->space_bytes;
}

template <class G> inline cudaError_t launch_strips(queue q, const product *p, const dataflow_setup *s) {
  const int64_t bands = tiles_in(p->m, G::ROWS), blocks = q.arch->limits->symm.blocks;
  strips_task f = {};
  f.p = *p;
  f.a_pairs = has_pairs(p->A, G::BY_LINES ? p->A.col : p->A.row) && (G::BY_LINES || p->A.col == 1);
  f.b_pairs = has_pairs(p->B, p->B.col) && p->B.row == 1;
  cudaError_t error = cudaSuccess;
  for (int64_t first = 0, end; first < bands && error == cudaSuccess; first = end) {
    for (end = bands; strips_bytes<G>(first, end, blocks) > s->space_bytes;) end--;
    f.first = static_cast<unsigned>(first), f.end = static_cast<unsigned>(end);
    f.strips = static_cast<int>(f.tiles_before(f.end)) * G::STRIPS_OF_TILE;
    f.run = static_cast<int>(tiles_in(f.strips, blocks));
    const int64_t used = tiles_in(f.strips, f.run);
    f.rows = static_cast<double *>(s->space);
    f.columns = f.rows + (used + end - first) * (G::ROWS * G::COLS);
    error = launch_kernel(q, registered<symm_strips_kernel<G>, sizeof(typename G::shared), NEEDS_MMA>(), used,
                          G::THREADS, f);
    if (error == cudaSuccess)
      error =
          launch_kernel(q, registered<add_strips_kernel<G>, 0, NEEDS_MMA>(), end * G::STRIPS_OF_TILE, G::THREADS, f);
  }
  return error;
}

#endif
