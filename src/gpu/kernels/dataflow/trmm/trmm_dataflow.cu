/* trmm_dataflow.cu - TRMM as a dataflow leaf: one launch, in place.
 *
 * B is cut into slabs of columns, and L into tile rows. Tile row i of a slab becomes alpha·Σ L(i, k)·B(k), k <= i. If
 * there are few slabs, the sums of the last tile rows are long, so they are cut into pieces of equally many terms; only
 * the first piece of a tile row may have fewer. A block takes a piece. The last piece of a tile row has the diagonal
 * tile of L. It adds the sums of the other pieces and writes B. The others leave their sums in device memory, each in a
 * slot of its own.
 *
 * All pieces read B as it was before the launch. So no read waits for another block. Only the last piece of a tile row
 * waits, before it writes: until the pieces of the tile rows below have read this row of B, and until the other pieces
 * of the tile row have left their sums. The tickets go from the last tile row up, and through the pieces of a tile row,
 * so all of these have lower tickets. Each block has a flag: the end of the rows of B that the block has read. All
 * blocks begin with the first of their rows, so that rows are free early.
 *
 * There are two kinds of tiles: for doubles on matrix units (trmm_mma.h), and for every type on every GPU, here. */
#include "gpu/kernels/dataflow/dataflow_slabs.h"
#include "gpu/kernels/dataflow/mma_tiles.h"
#include "gpu/kernels/diagonal/triangular_step.h"
#if TG_HAS_MMA
#include "trmm_mma.h"
#endif

/* A launch: the slabs first .. first + slabs - 1 of all slabs of all matrices. Slabs are cut alike. */
struct product_task {
  triangular t;
  dataflow_words words;
  void *partials; /* sums of pieces, [slot][slab]: a slot for each piece that is not the last of its tile row */
  int64_t first;
  unsigned slabs, rows; /* tile rows */
  unsigned most;        /* tiles of L in a piece */
  unsigned pieces;      /* of a slab */
};

/* A block's work: the tiles first .. end - 1 of tile row `row`. */
struct piece {
  unsigned row, first, end;
  unsigned others; /* pieces of the same row before this one */
  unsigned slot;   /* for the sum of the first of them */

  __device__ bool is_last() const { return end == row + 1; }

  /* Which value of the flag of `other`, with a lower ticket, this last piece awaits before it writes. */
  __device__ unsigned needs(const piece &other) const {
    if (other.row == row) return other.end;
    return other.first <= row && row < other.end ? row + 1 : 0;
  }
};

/* Piece number `at` of a slab. Tile rows c·most .. (c + 1)·most - 1 have c + 1 pieces each. */
__device__ inline piece find_piece(const product_task &f, unsigned at) {
  unsigned end = f.rows, cuts = (f.rows - 1) / f.most, before = at;
  while (before >= (end - cuts * f.most) * (cuts + 1)) {
    before -= (end - cuts * f.most) * (cuts + 1);
    end = cuts * f.most;
    cuts--;
  }
  const unsigned row = end - 1 - before / (cuts + 1), others = before % (cuts + 1);
  const unsigned head = row + 1 - cuts * f.most; /* tiles of the first piece */
  return {row, others == 0 ? 0 : head + (others - 1) * f.most, head + others * f.most, others,
          at - others - (f.rows - 1 - row)};
}

/* Where a thread leaves its share of a sum: element e is at [e·THREADS]. */
template <class Tile>
__device__ inline typename Tile::T *partial_sum(const product_task &f, unsigned slot, unsigned slab) {
  return static_cast<typename Tile::T *>(f.partials) +
         (static_cast<int64_t>(slot) * f.slabs + slab) * (Tile::ITEMS * Tile::THREADS) + threadIdx.x;
}

/* A ticket's piece, and where its slab lies in B. */
template <class Tile> struct piece_coord {
  using T = typename Tile::T;
  unsigned at, slab; /* the number of the piece, and the slab, of this launch */
  piece p;
  matrix<T> L, B;
  int64_t i0, j0;

  __device__ piece_coord(const product_task &f, unsigned ticket)
      : at(ticket / f.slabs), slab(ticket % f.slabs), p(find_piece(f, at)) {
    const slab_coord in(f.t, f.first + slab, Tile::COLS);
    L = matrix_of<T>(f.t.L, in.b).as(LOWER, f.t.unit), B = matrix_of<T>(f.t.B, in.b);
    i0 = p.row * int64_t{Tile::ROWS}, j0 = in.j0;
  }
  __device__ unsigned *flags(const product_task &f) const { return f.words.flags + slab * f.pieces; }
};

/* The sum of one piece. The flag is raised every STRIDE tiles of L. More often would cost more time than it
 * frees. */
template <class Tile, class Layouts>
__device__ inline void add_piece(typename Tile::sums &sum, typename Tile::workspace &shared, const product_task &f,
                                 unsigned ticket) {
  const piece_coord<Tile> of(f, ticket);
  unsigned *const flag = of.flags(f) + of.at;
  Tile::template add<Layouts>(sum, shared, of.L, of.B, of.i0, of.p.first, of.p.end, of.j0, f.t.n, f.t.width,
                              [&](unsigned end) { tg_publish(flag, end); });
  Tile::finish(sum, shared);
}

/* Leaves the sum for the last piece of the tile row, or, if this is the last, adds the sums of the others and writes
 * B. */
template <class Tile>
__device__ inline void end_piece(typename Tile::sums &sum, typename Tile::workspace &shared, const product_task &f,
                                 unsigned ticket) {
  using T = typename Tile::T;
  const piece_coord<Tile> of(f, ticket);
  const piece &p = of.p;
  unsigned *const flags = of.flags(f);
  if (!p.is_last()) {
    T *to = partial_sum<Tile>(f, p.slot + p.others, of.slab);
    Tile::items(sum, [&](int e, T &s) { to[e * Tile::THREADS] = s; });
  }
  tg_publish(flags + of.at, p.end);
  if (!p.is_last()) return;
  tg_await_each(flags, of.at, [&](unsigned other) { return p.needs(find_piece(f, other)); });
  for (unsigned other = 0; other < p.others; other++) {
    const T *from = partial_sum<Tile>(f, p.slot + other, of.slab);
    Tile::items(sum, [&](int e, T &s) { s = add(s, tg_load_fresh(from + e * Tile::THREADS)); });
  }
  Tile::store(sum, shared, element_of<T>(f.t.alpha), of.L, of.B, of.i0, of.j0, f.t.n, f.t.width);
}

/* The last block leaves zeros behind. */
template <class Tile, class Layouts> __device__ inline void run_product(const product_task &f) {
  typename Tile::workspace &shared = *tg_shared<typename Tile::workspace>();
  int64_t ticket = tg_ticket(f.words.ticket, &shared.word);
  typename Tile::sums sum = {};
  add_piece<Tile, Layouts>(sum, shared, f, static_cast<unsigned>(ticket));
  tg_forget(ticket); /* else what both find from it would take registers from the sums */
  end_piece<Tile>(sum, shared, f, static_cast<unsigned>(ticket));
  if (!tg_last_block(f.words.arrived, gridDim.x, &shared.word)) return;
  for (unsigned at = threadIdx.x; at < f.slabs * f.pieces; at += Tile::THREADS) f.words.flags[at] = 0;
  if (threadIdx.x == 0) *f.words.ticket = 0;
}

/* ------------------------------------------------------------------------------------------- portable tiles -- */

template <class T_> struct portable_product : multiplier_tile<T_> {
  using T = T_;
  using base = multiplier_tile<T>;
  using typename base::sums;
  static constexpr int ITEMS = base::ITEM_ROWS * base::ITEM_COLS, RESIDENT = 2;
  static constexpr unsigned STRIDE = TG_TILE(1, 8);
  struct workspace {
    typename multiplier<T>::workspace step;
    unsigned word;
  };

  template <class Visit> __device__ static void items(sums &sum, Visit visit) {
#pragma unroll
    for (int i = 0; i < base::ITEM_ROWS; i++)
#pragma unroll
      for (int j = 0; j < base::ITEM_COLS; j++) visit(i * base::ITEM_COLS + j, sum.of[i][j]);
  }

  /* sum += L(i0.., first..)·B(first.., j0..) for the tiles first .. end - 1 of L, which is lower. Calls release(t) now
   * and then, when the rows of B before tile t have been read. */
  template <class, class Release>
  __device__ static void add(sums &sum, workspace &shared, const matrix<T> &L, const matrix<T> &B, int64_t i0,
                             unsigned first, unsigned end, int64_t j0, int64_t n, int64_t width, Release release) {
    const int64_t i_end = least(i0 + base::ROWS, n);
    for (unsigned k = first; k < end; k += STRIDE) {
      if (k > first) release(k);
      const int64_t k0 = k * int64_t{base::ROWS}, k1 = least(least(k + STRIDE, end) * int64_t{base::ROWS}, n);
      accumulate<base>(sum, shared.step.stage, L.as(FULL), B, i0, i_end, j0, width, k0, least(k1, i0));
      accumulate<base>(sum, shared.step.stage, L, B, i0, i_end, j0, width, i0, k1);
    }
  }

  __device__ static void finish(sums &, workspace &) {}

  /* B(i0.., j0..) = alpha·sum */
  __device__ static void store(sums &sum, workspace &shared, T alpha, const matrix<T> &, const matrix<T> &B, int64_t i0,
                               int64_t j0, int64_t n, int64_t width) {
    auto &tile = shared.step.tile;
    each_sum<base>(sum, [&](int row, int col, T s) { tile[row][col] = scalar_times(alpha, s); });
    __syncthreads();
    store_tile<base::COLS, base::ROWS, base::THREADS>(tile, B.transposed(), j0, i0, width, n);
  }
};

template <class T>
__global__ void __launch_bounds__(portable_product<T>::THREADS, portable_product<T>::RESIDENT)
    trmm_dataflow_kernel(product_task f) {
  run_product<portable_product<T>, void>(f);
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* How a slab of `rows` tile rows is cut. */
struct cutting {
  int64_t most, pieces, slots;
};

static cutting cut_rows(int64_t rows, int64_t most) {
  const int64_t whole = rows / most, slots = whole * (whole - 1) / 2 * most + whole * (rows % most);
  return {most, rows + slots, slots};
}

/* The cuts depend on sizes and the kind of GPU alone, never on the number of multiprocessors, so that the bits of the
 * result do not, either. */
template <class Tile>
static cutting choose_cutting(const trmm_limits &limits, int64_t rows, int64_t slabs, int64_t slot_bytes,
                              int64_t space_bytes) {
  const int64_t enough_blocks = Tile::ROWS > limits.high ? limits.enough_high : limits.enough;
  const int64_t fit = space_bytes / slot_bytes, slots = fit < limits.most_slots ? fit : limits.most_slots;
  const int64_t tiles = rows * (rows + 1) / 2 * (slabs < dataflow_flags ? slabs : int64_t{dataflow_flags});
  const int64_t wanted = tiles / enough_blocks + 1;
  for (int64_t most = wanted > limits.least_piece ? wanted : limits.least_piece; most < rows; most++) {
    const cutting c = cut_rows(rows, most);
    if (c.pieces * slabs <= dataflow_flags && c.slots * slabs <= slots) return c;
  }
  return {rows, rows, 0};
}

/* Launches once, or several times if there are more blocks than flags. If one slab has more blocks than flags, the
 * kernel that needs no flags does the work. */
template <class Tile>
static cudaError_t launch_product(queue q, const kernel_of<product_task> &k, trigon_type type, const triangular *t,
                                  const dataflow_setup *s) {
  const int64_t rows = (t->n + Tile::ROWS - 1) / Tile::ROWS;
  const int64_t slabs = (t->width + Tile::COLS - 1) / Tile::COLS * t->count;
  if (rows * slabs == 0) return cudaSuccess;
  if (rows > dataflow_flags) return launch_trmm(q, type, t);
  const cutting c = choose_cutting<Tile>(q.arch->limits->trmm, rows, slabs,
                                         sizeof(typename Tile::T) * Tile::ITEMS * Tile::THREADS, s->space_bytes);
  return launch_in_parts(slabs, dataflow_flags / c.pieces, [&](int64_t first, int64_t now) {
    const product_task task = {*t,
                               s->words,
                               s->space,
                               first,
                               static_cast<unsigned>(now),
                               static_cast<unsigned>(rows),
                               static_cast<unsigned>(c.most),
                               static_cast<unsigned>(c.pieces)};
    return launch_kernel(q, k, now * c.pieces, Tile::THREADS, task);
  });
}

template <class T>
static cudaError_t launch_portable(queue q, trigon_type type, const triangular *t, const dataflow_setup *s) {
  using Tile = portable_product<T>;
  return launch_product<Tile>(q, registered<trmm_dataflow_kernel<T>, sizeof(typename Tile::workspace)>(), type, t, s);
}

#if TG_HAS_MMA
template <class Tile, class Layouts>
__global__ void __launch_bounds__(Tile::THREADS, Tile::RESIDENT) trmm_mma_kernel(product_task f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  run_product<Tile, Layouts>(f);
#endif
}

template <int ROWS, int COLS> static cudaError_t launch_mma(queue q, const triangular *t, const dataflow_setup *s) {
  using Tile = typename mma_product_of<ROWS, COLS>::type;
  return with_layouts<MMA_ANY>(is_by_terms(t->L.row), is_by_terms(t->B.col), [&](auto layouts) {
    const auto &k = registered<trmm_mma_kernel<Tile, decltype(layouts)>, sizeof(typename Tile::workspace), NEEDS_MMA>();
    return launch_product<Tile>(q, k, TRIGON_D, t, s);
  });
}
static const mma_tile<triangular> mma_tiles[] = {{{64, 8}, launch_mma<64, 8>},     {{64, 16}, launch_mma<64, 16>},
                                                 {{64, 32}, launch_mma<64, 32>},   {{64, 64}, launch_mma<64, 64>},
                                                 {{128, 64}, launch_mma<128, 64>}, {{128, 128}, launch_mma<128, 128>}};
const tile_shape *trmm_dataflow_tile(int at) { return tile_number(mma_tiles, at); }
#else
const tile_shape *trmm_dataflow_tile(int) { return NULL; }
#endif

cudaError_t launch_trmm_dataflow(queue q, trigon_type type, const triangular *t, const dataflow_setup *s) {
#if TG_HAS_MMA
  if (type == TRIGON_D && q.has.fp64_mma) return launch_mma_tile(mma_tiles, TILES_TRMM, q, t, s);
#endif
  return with_type(type, [&](auto zero) { return launch_portable<decltype(zero)>(q, type, t, s); });
}
