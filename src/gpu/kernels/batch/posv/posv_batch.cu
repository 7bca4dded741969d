/* posv_batch.cu - POSV of batches: small matrices are factored and solved in shared memory (posv_smem.h; floats with
 * matrix units: posv_warp_tf32.h), or in registers (posv_registers.h). Larger ones, and right-hand sides that are many,
 * are left to the kernels of POTRF and TRSM. */

#include "gpu/kernels/batch/batch_kernels.h"
#include "gpu/kernels/batch_members.h"
#include "gpu/vendor/early.h"
#include "posv_registers.h"
#include "posv_smem.h"
#include "posv_warp_tf32_solve.h"

/* The matrices of orders above `above`, up to `most`. Blocks that take several matrices draw tickets for them. */
struct posv_task {
  batch_task batch;
  int64_t above, most;
  unsigned *ticket;
};

/* A matrix of a batch with its right-hand sides. */
template <class T> struct posv_member {
  int n, nrhs; /* nrhs: 0 if there are many; TRSM solves for these */
  matrix<T> A, B;

  __device__ TG_INLINE posv_member(const matrix_batch &b, int64_t i, bool lower)
      : n(static_cast<int>(size_at(&b.n, i))) {
    const int64_t columns = size_at(&b.k, i), lda = ld_at(&b.A, i);
    nrhs = columns <= posv_columns ? static_cast<int>(columns) : 0;
    /* An upper triangle is the lower one of the conjugate matrix: then X and B are conjugated, too. */
    A = {static_cast<T *>(address_at(&b.A, i)), lower ? 1 : lda, lower ? lda : 1, false, LOWER, false};
    B = {static_cast<T *>(address_at(&b.B, i)), 1, ld_at(&b.B, i), !lower, FULL, false};
  }
};

/* ----------------------------------------------------------------------------------- blocks with one matrix -- */

#if TG_HAS_MMA
template <class G>
__device__ TG_INLINE auto solve_small(typename G::workspace &shared, const matrix<typename G::T> &A,
                                      const matrix<typename G::T> &B, int n, int nrhs) -> decltype(G::FRAGMENTS, 0) {
  return posv_in_rows<G>(shared, A, B, n, nrhs);
}
#endif
template <class G>
__device__ TG_INLINE auto solve_small(typename G::workspace &shared, const matrix<typename G::T> &A,
                                      const matrix<typename G::T> &B, int n, int nrhs) -> decltype(G::PACKED, 0) {
  return posv_resident<G>(shared, A, B, n, nrhs);
}

template <class G> struct posv_each {
  using T = typename G::T;
  struct workspace {
    typename G::workspace of;
    __device__ workspace() {}
  };
  static int64_t blocks(int64_t count) { return count; }

  /* The first launch of a call stores the infos of wrong entries. */
  __device__ static TG_INLINE void run(workspace &shared, const posv_task &t) {
    const matrix_batch &b = t.batch.of;
    for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
      const int64_t n = size_at(&b.n, i);
      const bool wanted = n > t.above && n <= t.most;
      if (b.is_checked && !wanted) continue;
      read_entries(b, i);
      int64_t info = b.is_checked ? b.info[i] : entry_fault(&b, i, sizeof(T));
      const bool computed = info == 0 && wanted;
      if (computed) {
        const posv_member<T> m(b, i, t.batch.uplo == TRIGON_LOWER);
        info = solve_small<G>(shared.of, m.A, m.B, m.n, m.nrhs);
      }
      if (threadIdx.x == 0 && (computed || !b.is_checked)) b.info[i] = info;
    }
  }
};

/* ------------------------------------------------------------------------------- blocks with several matrices -- */

/* Sizes and addresses of a matrix, read from the arrays, in shared memory. */
struct posv_entries {
  int64_t i, n, k, lda, ldb; /* i: the matrix. If there is no such matrix, the order is 0 */
  void *A, *B;

  /* Begins to copy the entries of matrix i. One thread calls this. */
  __device__ void begin(const matrix_batch &b, int64_t matrix) {
    i = matrix, n = 0;
    if (i >= b.count) return;
    copy(&n, b.n.of, b.n.all), copy(&k, b.k.of, b.k.all);
    copy(&lda, b.A.lds, b.A.ld), copy(&ldb, b.B.lds, b.B.ld);
    copy(&A, b.A.at, static_cast<void *>(static_cast<char *>(b.A.first) + i * b.A.stride));
    copy(&B, b.B.at, static_cast<void *>(static_cast<char *>(b.B.first) + i * b.B.stride));
    tg_commit_copies();
  }
  /* As a batch of one matrix, behind the copies. The launch is the first one of its call, so that no entry is checked
   * already. */
  __device__ TG_INLINE matrix_batch alone(const matrix_batch &b) const {
    matrix_batch one = b;
    one.A.rows = one.A.cols = one.B.rows = 'n', one.B.cols = 'k', one.m.position = one.C.position = 0;
    one.n.of = one.k.of = NULL, one.A.at = one.B.at = NULL, one.A.lds = one.B.lds = NULL, one.is_checked = false;
    one.n.all = n, one.k.all = n > 0 ? k : 0, one.A.ld = lda, one.B.ld = ldb, one.A.first = A, one.B.first = B;
    return one;
  }

private:
  template <class T> __device__ void copy(T *to, const T *of, T other) const {
    if (of)
      tg_copy_async_one(to, of + i, true);
    else
      *to = other;
  }
};

/* Finds the next matrix of a block while the block factors another one. */
struct posv_ahead {
  enum { DRAWN = 0, READ = 6 }; /* behind these panels */
  const posv_task &t;
  posv_entries &next;
  unsigned ticket = 0;

  __device__ posv_ahead(const posv_task &task, posv_entries &entries) : t(task), next(entries) {}

  template <int P> __device__ TG_INLINE void behind_panel() {
    const matrix_batch &b = t.batch.of;
    if (P == DRAWN && threadIdx.x == 0) ticket = tg_take_ticket_of(t.ticket, static_cast<unsigned>(b.count));
    if (P == READ && threadIdx.x == 0) next.begin(b, int64_t{gridDim.x} + ticket);
  }
};

/* A block begins to read a matrix before it solves for the one ahead. The first matrix of a block has the block's
 * number. Each block draws one ticket that gives no matrix, so that a launch draws a ticket for each matrix. */
template <class G> struct posv_turns {
  using T = typename G::T;
  using member = posv_member<T>;
  struct workspace {
    typename G::workspace of;
    posv_entries entries[2];
    __device__ workspace() {}
  };
  /* As many as find room at once. */
  static int64_t blocks(int64_t count) { return least(count, G::RESIDENT * tg_multiprocessors()); }

  __device__ static TG_INLINE void run(workspace &unkept, const posv_task &t) {
    const matrix_batch &b = t.batch.of;
    workspace &shared = kept(unkept);
    grid_posv<G> mine(shared.of);
    if (threadIdx.x == 0) shared.entries[0].begin(b, blockIdx.x);
    int64_t info = begin(mine, t, shared.entries[0]);
#pragma unroll 1
    for (int turn = 0; shared.entries[turn].i < b.count; turn ^= 1) {
      const posv_entries &present = shared.entries[turn];
      posv_ahead ahead(t, shared.entries[turn ^ 1]);
      const int failed = mine.factor(member_at(t, present), ahead);
      if (info == 0) info = failed;
      const int64_t fault = begin(mine, t, shared.entries[turn ^ 1]);
      if (info == 0 && present.n > 0) mine.solve(member_at(t, present));
      if (threadIdx.x == 0) b.info[present.i] = info;
      sync_strips<G>();
      info = fault;
    }
  }

private:
  __device__ static TG_INLINE member member_at(const posv_task &t, const posv_entries &at) {
    return member(at.alone(t.batch.of), 0, t.batch.uplo == TRIGON_LOWER);
  }
  /* Begins to read the matrix whose entries are on their way. Returns what is wrong with the entries, or 0. If
   * something is wrong, the matrix is empty. */
  __device__ static TG_INLINE int64_t begin(grid_posv<G> &mine, const posv_task &t, const posv_entries &at) {
    tg_await_copies<0>();
    sync_strips<G>();
    const matrix_batch one = at.alone(t.batch.of);
    const int64_t fault = entry_fault(&one, 0, sizeof(T));
    member found = member_at(t, at);
    if (fault != 0) found.n = 0;
    mine.load(found);
    return fault;
  }
};

template <class Blocks, class G>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) posv_batch_kernel(posv_task t) {
  tg_begin_next(); /* the launch behind fills lists when this one has ended */
  Blocks::run(*tg_shared<typename Blocks::workspace>(), t);
}

/* The launches of a call, from the highest orders down: the first one looks at all entries, and often has most of the
 * work. The others look at the orders only, unless they find one of theirs. */
struct posv_launches {
  queue q;
  posv_task task;
  int64_t least, most; /* orders of the batch */
  cudaError_t error = cudaSuccess;

  /* The launch of a row, in shared memory unless Blocks says otherwise. The task has the order of the row below. */
  template <class G, class Blocks = posv_each<G>> void add(const batch_class &row) {
    const auto &k = registered<posv_batch_kernel<Blocks, G>, sizeof(typename Blocks::workspace)>();
    /* On the simulated GPU a block takes several matrices early. */
    const int64_t all = blocks_for(Blocks::blocks(task.batch.of.count), G::THREADS),
                  blocks = ::least(all, TG_TILE(3, all));
    task.most = row.most;
    if (most <= task.above || least > task.most) return;
    if (error == cudaSuccess) error = launch_kernel(q, k, blocks, G::THREADS, task);
    task.batch.of.is_checked = true;
  }
};
using posv_kernel = kernel_entry<posv_launches>;

template <class T, int ORDER, int THREADS> constexpr posv_kernel strips_kernel(const char *name) {
  using G = posv_strips<T, ORDER, THREADS>;
  return {{name, 0, ORDER, sizeof(typename posv_each<G>::workspace) > TG_SHARED_MOST, true, true},
          [](posv_launches &l, const batch_class &row) { l.add<G>(row); }};
}
/* Blocks take several matrices, and compute them whatever their orders are. */
template <int ORDER, int RESIDENT, int GROUP> constexpr posv_kernel registers_kernel(const char *name) {
  using by_columns = register_grid<float, ORDER, RESIDENT, GROUP, true, true>;
  using by_rows = register_grid<float, ORDER, RESIDENT, GROUP, true, false>;
  return {{name, 0, ORDER, false, true, false}, [](posv_launches &l, const batch_class &row) {
            l.task.batch.uplo == TRIGON_LOWER ? l.add<by_columns, posv_turns<by_columns>>(row)
                                              : l.add<by_rows, posv_turns<by_rows>>(row);
          }};
}
#if TG_HAS_MMA
template <int ORDER, int RESIDENT> constexpr posv_kernel mma_rows_kernel(const char *name) {
  return {{name, 0, ORDER, true, true, true}, [](posv_launches &l, const batch_class &row) {
            l.task.batch.uplo == TRIGON_LOWER ? l.add<mma_rows<ORDER, RESIDENT, true>>(row)
                                              : l.add<mma_rows<ORDER, RESIDENT, false>>(row);
          }};
}
#endif

/* The kernels for matrices of type T. */
template <class T> struct posv_kernels {
  static constexpr posv_kernel all[1] = {strips_kernel<T, 72, (sizeof(T) == 16 ? 64 : 32)>("strips-72")};
};
template <> struct posv_kernels<complex<float>> {
  static constexpr posv_kernel all[] = {strips_kernel<complex<float>, 72, 32>("strips-72"),
                                        strips_kernel<complex<float>, 128, 64>("strips-128")};
};
template <> struct posv_kernels<float> {
  static constexpr posv_kernel all[] = {
    registers_kernel<48, 16, 6>("registers-48"),
    registers_kernel<64, 12, 8>("registers-64"),
    strips_kernel<float, 64, 32>("strips-64"),
    strips_kernel<float, 96, 32>("strips-96"),
    strips_kernel<float, 128, 64>("strips-128"),
#if TG_HAS_MMA
    mma_rows_kernel<64, 16>("mma-rows-64"),
    mma_rows_kernel<96, 11>("mma-rows-96"),
#endif
  };
};

static kernel_list<posv_launches> kernels_for(trigon_type type) {
  return with_type(type, [](auto zero) { return all_of(posv_kernels<decltype(zero)>::all); });
}

const batch_kernel *posv_batch_kernel(trigon_type type, int at) { return kernels_for(type).at(at); }

static cudaError_t launch_part(queue q, trigon_type type, batch_task *t, unsigned *ticket) {
  posv_launches l = {q, {*t, 0, 0, ticket}, t->of.n.of ? 0 : t->of.n.all, most_order(&t->of)};
  const batch_class *row[MOST_CLASSES];
  const int rows = gpu_choose_classes(rows_of(q, BATCH_POSV, type), l.most, row);
  for (int i = rows - 1; i >= 0; i--) {
    l.task.above = i > 0 ? row[i - 1]->most : 0;
    kernels_for(type).of(*row[i]).add(l, *row[i]);
  }
  t->of.is_checked = l.task.batch.of.is_checked, t->done = row[rows - 1]->most;
  return l.error;
}

cudaError_t launch_posv_batch(queue q, trigon_type type, batch_task *t, unsigned *ticket) {
  enum { MOST = TG_TILE(50, INT32_MAX) }; /* matrices, and so tickets, of a part */
  batch_task part = *t;
  cudaError_t error = cudaSuccess;
  int64_t at = 0;
  do {
    part.of = part_of(&t->of, at, least(t->of.count - at, MOST));
    error = launch_part(q, type, &part, ticket);
    at += MOST;
  } while (error == cudaSuccess && at < t->of.count);
  t->of.is_checked = part.of.is_checked, t->done = part.done;
  return error;
}
