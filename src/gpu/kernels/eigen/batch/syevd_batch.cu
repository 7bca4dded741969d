/* syevd_batch.cu - eigenproblems of a batch: matrices of any orders up to batch_solver_order, whose sizes only the
 * device may know.
 *
 * Each launch takes one class of orders, and leaves out the other matrices: a thread has a matrix of the lowest class
 * (tiny_solver.h), a block of threads one of the others (block_solver.h), in shared memory, or in the matrix's own
 * place. Vectors of these are found by two launches: one reduces the matrices, and the other one, which needs memory
 * beside them, takes as many at once as it has memory for (outside_solver.h). */
#include "block_solver.h"
#include "core/sizes.h"
#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/eigen/eigen_launchers.h"
#include "outside_solver.h"

/* Orders of the classes, and their threads. Up to the order of a warp, a block is a warp, in which a row has a thread;
 * several matrices share it if they fit, because in a QL sweep one thread of each matrix computes, and the others wait
 * for it. Above, a warp computes rotations beside those threads that have rows. The largest orders fill the shared
 * memory of Hopper. */
enum {
  QUARTER_ORDER = TG_TILE(6, 8),
  HALF_ORDER = TG_TILE(8, 16),
  WARP_ORDER = TG_TILE(10, 32),
  SMALL_ORDER = TG_TILE(14, 64),
  TINY_THREADS = 64,
  SMALL_THREADS = 96,
  LARGE_THREADS = 160,
  SMALL_HOLDERS = TG_TILE(64, 128), /* threads that hold a matrix in their registers */
  LARGE_HOLDERS = TG_TILE(64, 256),
  MIDDLE_ORDER = TG_TILE(28, 256),     /* of divide and conquer outside: twice as many columns fit the registers */
  PAIR_ORDER = TG_TILE(17, 100),       /* up to this order two matrices of 8-byte elements share a multiprocessor */
  IN_PLACE_THREADS = TG_TILE(64, 512), /* of one row each: the memory outside answers many at once */
  PIPELINED = TG_TILE(3, 8), /* sweeps at once: with more of them more shifts miss their value, and fewer steps less */
  RAGGED_BLOCKS = TG_TILE(3, 16384) /* most blocks of a launch that leaves out matrices: they take several each */
};
template <class T> constexpr int large_order = TG_TILE(20, sizeof(T) == 16 ? 104 : 128);
static_assert(large_order<complex<double>> >= batch_shared_order && large_order<double> >= batch_shared_order,
              "a call that needs space has the workspace");
/* So many blocks with matrices in registers share a multiprocessor: its shared memory has room for them. One computes
 * while the others wait. Complex doubles of the large class are too many for registers. */
template <class T> constexpr int small_sharing = sizeof(T) == 16 ? 2 : 4;
template <class T> constexpr int large_sharing = sizeof(T) == 4 ? 2 : 1;
template <class T> constexpr bool large_is_held = sizeof(T) < 16;
/* Up to this order vectors are found by divide and conquer outside. Above, longer elements took more time than sweeps
 * (docs/notebook/eigen.md). */
template <class T>
constexpr int outside_order = sizeof(T) <= TG_TILE(8, 4) ? int{batch_solver_order} : int{MIDDLE_ORDER};
template <class T> constexpr bool is_complex = sizeof(T) > sizeof(real_of<T>);

/* The orders above `above`, up to `most`. */
struct solver_task {
  solved_batch batch;
  int64_t above, most;
  int64_t elements = 0; /* of the space, for each block */

  /* The order of matrix i, or 0 if it is of another class, or wrong. */
  __device__ int order(int64_t i) const {
    const int64_t n = size_at(&batch.of.of.n, i);
    return batch.of.of.info[i] == 0 && n > above && n <= most ? static_cast<int>(n) : 0;
  }
  __device__ bool is_lower() const { return batch.of.uplo == TRIGON_LOWER; }
  template <class T> __device__ T *matrix_at(int64_t i) const {
    return static_cast<T *>(address_at(&batch.of.of.A, i));
  }
  template <class R> __device__ R *values(int64_t i) const { return static_cast<R *>(values_at(&batch.of.of.w, i)); }
};

template <class T> __global__ void __launch_bounds__(TINY_THREADS) tiny_solver_kernel(solver_task t) {
  const matrix_batch &b = t.batch.of.of;
  const int64_t step = static_cast<int64_t>(gridDim.x) * TINY_THREADS;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * TINY_THREADS + threadIdx.x; i < b.count; i += step) {
    const int n = t.order(i);
    if (n == 0) continue;
    tiny_solver<T> s;
    s.n = n, s.vectors = t.batch.vectors;
    b.info[i] = s.solve(t.matrix_at<T>(i), ld_at(&b.A, i), t.is_lower(), t.values<real_of<T>>(i));
  }
}

/* Visits the triangle's elements as they are stored: visit(element, row, column). Neighbours go to neighbouring
 * threads of a group. */
template <int GROUP, class T, class Visit>
__device__ inline void each_stored(T *A, int64_t ld, int n, bool is_lower, Visit visit) {
  const int first = static_cast<int>(threadIdx.x) % GROUP;
  for (int c = 0; c < n; c++)
    for (int r = (is_lower ? c : 0) + first; r < (is_lower ? n : c + 1); r += GROUP) visit(A[r + c * ld], r, c);
}

/* What a group has found of a matrix: the power of two by which it is multiplied, and the first column that holds a NaN
 * or an infinity, from 1, or 0. */
template <class R> struct examined {
  R power;
  int bad;
};

/* `each` visits all elements. All threads of the block call this. Ends with a barrier. */
template <class Solver, class T, class Each>
__device__ inline examined<real_of<T>> examine(const Solver &s, Each each) {
  using R = real_of<T>;
  if (s.thread() == 0) s.of.word = static_cast<unsigned long long>(s.n);
  __syncthreads();
  R most = 0;
  int bad = s.n;
  each([&](T stored, int r, int c) {
    const T x = r == c ? only_real(stored) : stored;
    if ((!is_finite(larger_part(x)) || !is_finite(x)) && c < bad) bad = c;
    if (larger_part(x) > most) most = larger_part(x);
  });
  if (bad < s.n) tg_atomic_min(&s.of.word, static_cast<unsigned long long>(bad));
  most = s.most(most);
  __syncthreads();
  const int first = static_cast<int>(s.of.word);
  return {power_of_matrix(most), first < s.n ? first + 1 : 0};
}

/* In shared memory, by groups of GROUP threads. */
template <class T, int ORDER_, int THREADS_, int GROUP = THREADS_, int SWEEPS = 1, bool IN_REGISTERS = false,
          int SHARING_ = 1>
struct shared_solver {
  static constexpr int ORDER = ORDER_, THREADS = THREADS_, GROUPS = THREADS / GROUP, SHARING = SHARING_;
  static constexpr int LEADING = ORDER_ | 1; /* odd: rows are in different banks */
  using R = real_of<T>;
  using solver = block_solver<T, ORDER, LEADING, GROUP, SWEEPS, IN_REGISTERS>;
  struct workspace {
    typename solver::workspace of[GROUPS];
    T F[GROUPS][LEADING * ORDER];
    __device__ workspace() {}
  };

  /* Copies the triangle to the lower one of F. */
  __device__ static void load(const solver &s, T *A, int64_t ld, bool is_lower) {
    each_stored<GROUP>(A, ld, s.n, is_lower, [&](T &x, int r, int c) {
      tg_copy_async_one(is_lower ? &s.F.at(r, c) : &s.F.at(c, r), &x, true);
    });
    tg_commit_copies();
    tg_await_copies<0>();
  }

  /* Each thread visits the elements that it has loaded, so that no barrier is needed in between. */
  template <class Visit> __device__ static void each_loaded(const solver &s, bool is_lower, Visit visit) {
#pragma unroll 4
    for (int c = 0; c < s.n; c++)
      for (int r = (is_lower ? c : 0) + s.thread(); r < (is_lower ? s.n : c + 1); r += GROUP) {
        visit(is_lower ? s.F.at(r, c) : s.F.at(c, r), r, c);
        if constexpr (GROUP >= ORDER) break; /* a column has one element for each thread at most */
      }
  }

  /* Order 0: the group has no matrix, and only meets the others. */
  __device__ static int solve(workspace &shared, const solver_task &t, int64_t i, int n, int most_n) {
    const int group = static_cast<int>(threadIdx.x) / GROUP;
    const bool is_lower = t.is_lower();
    T *const A = n > 0 ? t.matrix_at<T>(i) : NULL;
    const int64_t ld = n > 0 ? ld_at(&t.batch.of.of.A, i) : 0;
    solver s = {shared.of[group], {shared.F[group]}, n, most_n, t.batch.vectors};
    load(s, A, ld, is_lower);
    const examined<R> found = examine<solver, T>(s, [&](auto visit) { each_loaded(s, is_lower, visit); });
    if (found.bad > 0) s.n = 0;
    if (is_complex<T> || found.power != 1) /* else nothing changes */
      each_loaded(s, is_lower, [&](T &x, int r, int c) {
        const T scaled = scale(r == c ? only_real(x) : x, found.power);
        x = is_lower ? scaled : conjugate(scaled);
      });
    __syncthreads();
    const int left = s.solve(s.n > 0 ? t.values<R>(i) : NULL, found.power, shared.of, GROUPS);
    if (s.vectors) s.store_vectors(A, ld);
    return found.bad > 0 ? found.bad : left;
  }
};

/* In the matrix's own place. Of an upper triangle without vectors the transpose is reduced, whose values are the same;
 * with vectors the triangle's adjoint is stored in the lower one first. */
template <class T, int SWEEPS = 1, bool BY_PASSES = false> struct in_place_solver {
  static constexpr int THREADS = IN_PLACE_THREADS, GROUPS = 1, SHARING = 1;
  using R = real_of<T>;
  using solver = block_solver<T, batch_solver_order, 0, THREADS, SWEEPS, BY_PASSES>;
  using workspace = typename solver::workspace;

  /* Returns a solver of matrix i, which is multiplied by a power of two if it is finite. */
  __device__ static solver load(workspace &shared, const solver_task &t, int64_t i, int n, examined<R> &found) {
    const bool is_lower = t.is_lower(), vectors = t.batch.vectors, turns = !is_lower && !vectors;
    T *const A = t.matrix_at<T>(i);
    const int64_t ld = ld_at(&t.batch.of.of.A, i);
    const solver s = {shared, {A, turns ? ld : 1, turns ? 1 : ld}, n, n, vectors};
    found = examine<solver, T>(s, [&](auto visit) { each_stored<THREADS>(A, ld, n, is_lower, visit); });
    if (found.bad > 0) return s;
    each_stored<THREADS>(A, ld, n, is_lower, [&](T &x, int r, int c) {
      const T scaled = scale(r == c ? only_real(x) : x, found.power);
      if (is_lower || turns)
        x = scaled;
      else
        A[c + r * ld] = conjugate(scaled);
    });
    __syncthreads();
    return s;
  }

  __device__ static int solve(workspace &shared, const solver_task &t, int64_t i, int n, int) {
    examined<R> found;
    const solver s = load(shared, t, i, n, found);
    if (found.bad > 0) return found.bad;
    const int left = s.solve(t.values<R>(i), found.power, &shared, 1);
    if (s.vectors) s.sort_vectors();
    return left;
  }
};

/* Its reduction alone. */
template <class T, int SWEEPS> struct in_place_reduction : in_place_solver<T, SWEEPS, true> {
  using base = in_place_solver<T, SWEEPS, true>;
  using typename base::R, typename base::solver, typename base::workspace;

  __device__ static int solve(workspace &shared, const solver_task &t, int64_t i, int n, int) {
    examined<R> found;
    const solver s = base::load(shared, t, i, n, found);
    if (found.bad > 0) return found.bad;
    streamed_reduction<solver>{{s}}.reduce();
    const left_tridiagonal<T> left = {t.matrix_at<T>(i), ld_at(&t.batch.of.of.A, i)};
    for (int k = s.thread(); k < n; k += base::THREADS) {
      t.values<R>(i)[k] = shared.d[k];
      left.e(k) = make(T{}, k + 1 < n ? shared.e[k] : found.power, R(0));
      if (k + 1 < n) left.tau(k) = shared.tau[k];
    }
    return 0;
  }
};

/* Divide and conquer behind it. */
template <class T, int ORDER> struct outside_division {
  using R = real_of<T>;
  using solver = outside_solver<T, ORDER, IN_PLACE_THREADS>;
  using workspace = typename solver::workspace;
  static constexpr int THREADS = IN_PLACE_THREADS, GROUPS = 1, SHARING = 1;

  __device__ static int solve(workspace &shared, const solver_task &t, int64_t i, int n, int) {
    T *const space = static_cast<T *>(t.batch.space) + int64_t{blockIdx.x} * t.elements;
    return solver{shared, {t.matrix_at<T>(i), ld_at(&t.batch.of.of.A, i)}, space, n}.solve(t.values<R>(i));
  }
};

/* Each group of a block has a matrix at a time. */
template <class G> __global__ void __launch_bounds__(G::THREADS, G::SHARING) block_solver_kernel(solver_task t) {
  auto &shared = *tg_shared<typename G::workspace>();
  const matrix_batch &b = t.batch.of.of;
  const int group = static_cast<int>(threadIdx.x) / (G::THREADS / G::GROUPS);
  for (int64_t first = int64_t{blockIdx.x} * G::GROUPS; first < b.count; first += int64_t{gridDim.x} * G::GROUPS) {
    int n = 0, most_n = 0;
    for (int g = 0; g < G::GROUPS; g++) {
      const int order = first + g < b.count ? t.order(first + g) : 0;
      if (g == group) n = order;
      if (order > most_n) most_n = order;
    }
    if (most_n == 0) continue;
    const int info = G::solve(shared, t, first + group, n, most_n);
    __syncthreads(); /* all have read the present infos, and the shared memory */
    if (threadIdx.x % (G::THREADS / G::GROUPS) == 0 && n > 0) b.info[first + group] = info;
  }
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* The launches of a batch, from the lowest class on. */
struct solver_launches {
  queue q;
  solver_task task;
  cudaError_t error = cudaSuccess;

  int64_t blocks(int64_t matrices_of_block) const {
    const matrix_batch &b = task.batch.of.of;
    const int64_t all = parts_of(b.count, matrices_of_block);
    return b.n.of ? least(all, RAGGED_BLOCKS) : all;
  }
  /* The class of orders up to `most`. */
  bool begin(int64_t most) {
    const matrix_batch &b = task.batch.of.of;
    const int64_t largest = most_order(&b), smallest = b.n.of ? 1 : b.n.all;
    task.above = task.most, task.most = most;
    return error == cudaSuccess && largest > task.above && smallest <= most;
  }
  template <class T> void tiny() {
    if (begin(tiny_order))
      error = launch_kernel(q, registered<tiny_solver_kernel<T>>(), blocks_for(blocks(TINY_THREADS), TINY_THREADS),
                            TINY_THREADS, task);
  }
  template <class G> void next(int64_t most) {
    if (begin(most))
      error = launch_kernel(q, registered<block_solver_kernel<G>, sizeof(typename G::workspace)>(),
                            blocks_for(blocks(G::GROUPS), G::THREADS), G::THREADS, task);
  }

  /* A class that needs more shared memory than every GPU has is loaded on those with matrix units (registry.h). */
  template <class G> bool fits() const { return sizeof(typename G::workspace) <= TG_SHARED_MOST || q.has.fp64_mma; }

  /* A block for each matrix, with so many sweeps at once. */
  template <class T, int SWEEPS> void blocks_each() {
    using small = shared_solver<T, SMALL_ORDER, SMALL_THREADS, SMALL_THREADS, SWEEPS>;
    using large = shared_solver<T, large_order<T>, LARGE_THREADS, LARGE_THREADS, SWEEPS>;
    if (fits<small>()) next<small>(SMALL_ORDER);
    if (fits<large>()) next<large>(large_order<T>);
    in_place<T, SWEEPS, false>();
  }
  /* The same, with the matrix in registers during its reduction. Up to the order of shared memory, SWEEPS = 0: divide
   * and conquer. */
  template <class T, int SWEEPS, int SWEEPS_OUTSIDE = SWEEPS> void blocks_with_registers() {
    constexpr int many = large_is_held<T> ? LARGE_HOLDERS : LARGE_THREADS;
    using small = shared_solver<T, SMALL_ORDER, SMALL_HOLDERS, SMALL_HOLDERS, SWEEPS, true, small_sharing<T>>;
    using large = shared_solver<T, large_order<T>, many, many, SWEEPS, large_is_held<T>, large_sharing<T>>;
    if (fits<small>()) next<small>(SMALL_ORDER);
    if constexpr (sizeof(T) == 8) {
      using pair = shared_solver<T, PAIR_ORDER, LARGE_HOLDERS, LARGE_HOLDERS, SWEEPS, true, 2>;
      if (fits<pair>()) next<pair>(PAIR_ORDER);
    }
    if (fits<large>()) next<large>(large_order<T>);
    if (q.arch->limits->divided_in_block)
      outside<T, SWEEPS_OUTSIDE>();
    else
      in_place<T, SWEEPS_OUTSIDE, true>();
  }
  /* The second launch has as many blocks as there is space for. */
  template <class T, int SWEEPS, int ORDER> void divide_outside() {
    using G = outside_division<T, ORDER>;
    const int64_t above = task.most;
    next<in_place_reduction<T, SWEEPS>>(ORDER);
    task.most = above;
    if (!begin(ORDER)) return;
    const int64_t bytes = static_cast<int64_t>(sizeof(T)), most = most_order(&task.batch.of.of);
    task.elements = G::solver::elements(least(most, ORDER));
    const int64_t rooms = task.batch.space_bytes / (task.elements * bytes);
    error = launch_kernel(q, registered<block_solver_kernel<G>, sizeof(typename G::workspace)>(),
                          blocks_for(least(blocks(1), rooms), G::THREADS), G::THREADS, task);
  }
  /* Whether enough blocks have space. */
  template <class T> bool has_space() const {
    enum { ENOUGH = 8 };
    using solver = outside_solver<T, batch_solver_order, IN_PLACE_THREADS>;
    const int64_t most = least(most_order(&task.batch.of.of), outside_order<T>);
    const int64_t bytes = solver::elements(most) * static_cast<int64_t>(sizeof(T));
    return task.batch.space_bytes / bytes >= least(task.batch.of.of.count, ENOUGH);
  }
  /* Vectors by divide and conquer outside; values without. */
  template <class T, int SWEEPS> void outside() {
    using reduction = in_place_reduction<T, SWEEPS>;
    using division = outside_division<T, batch_solver_order>;
    if (!task.batch.vectors || !has_space<T>() || !fits<reduction>() || !fits<division>()) {
      in_place<T, SWEEPS, true>();
      return;
    }
    divide_outside<T, SWEEPS, MIDDLE_ORDER>();
    if constexpr (outside_order < T >> MIDDLE_ORDER)
      divide_outside<T, SWEEPS, batch_solver_order>();
    else
      in_place<T, SWEEPS, true>();
  }
  template <class T, int SWEEPS, bool BY_PASSES> void in_place() {
    using wanted = in_place_solver<T, SWEEPS, BY_PASSES>;
    if (fits<wanted>())
      next<wanted>(batch_solver_order);
    else
      next<in_place_solver<T>>(batch_solver_order);
  }
};

cudaError_t launch_syevd_batch(queue q, trigon_type type, const solved_batch *b) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using quarter = shared_solver<T, QUARTER_ORDER, 32, 8>;
    using half = shared_solver<T, HALF_ORDER, 32, 16>;
    using warp = shared_solver<T, WARP_ORDER, 32>;
    solver_launches l = {q, {*b, 0, 0}};
    l.tiny<T>();
    l.next<quarter>(QUARTER_ORDER);
    l.next<half>(HALF_ORDER);
    l.next<warp>(WARP_ORDER);
    const gpu_limits &limits = *q.arch->limits;
    if constexpr (!is_complex<T>)
      if (limits.sweeps_together && limits.held_in_registers && limits.divided_in_block) {
        l.blocks_with_registers<T, 0, PIPELINED>();
        return l.error;
      }
    if (limits.sweeps_together && limits.held_in_registers)
      l.blocks_with_registers<T, PIPELINED>();
    else if (limits.sweeps_together)
      l.blocks_each<T, PIPELINED>();
    else
      l.blocks_each<T, 1>();
    return l.error;
  });
}
