/* potrf_batch.cu - POTRF of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders, and leaves out the other matrices. Small matrices have a lane for each row, with
 * the row in registers, and several share a block. Each larger matrix has a block of its own. With matrix units it is
 * factored in shared memory (batch_units.h) or panel by panel (batch_panels.h), otherwise tile by tile (factor_step.h).
 * Blocks begin as multiprocessors become free. */
#include "factor_step.h"
#include "launch.h"
#if TG_MATRIX_UNITS
#include "batch_panels.h"
#include "batch_units.h"
#endif

/* The bounds of the classes. Those from 64 on are for matrix units. */
enum { ORDER_16 = 16, ORDER_32 = 32, ORDER_64 = 64, ORDER_128 = 128 };

/* A launch: the orders above `least`, up to `most`. Entries that are wrong count as empty matrices. */
struct class_task {
  factor_batch_task batch;
  int64_t least, most;

  template <class T> __device__ int64_t fault(int64_t i) const { return entry_fault(&batch.of, i, sizeof(T)); }
  /* The order of matrix i, or -1 if it is of another class. */
  template <class T> __device__ int64_t order_of(int64_t i) const {
    const int64_t n = fault<T>(i) == 0 ? batch.of.n[i] : 0;
    return n > least && n <= most ? n : -1;
  }
  template <class T> __device__ matrix<T> member(int64_t i) const {
    const int64_t ld = batch.of.ld[i];
    return {static_cast<T *>(batch.of.A[i]), batch.lower ? 1 : ld, batch.lower ? ld : 1, false, LOWER, false};
  }
};

/* ------------------------------------------------------------------------------------------ small matrices -- */

template <int ORDER_> struct small_class {
  static constexpr int ORDER = ORDER_, THREADS = 128, MATRICES = THREADS / ORDER;
  static_assert(32 % ORDER == 0, "the lanes of a matrix meet in tg_sync_warp");
  template <class T> struct workspace { T column[2][MATRICES][ORDER]; /* a column in turn with the next one */ };
};

/* Factors the matrix whose row the lane has, right-looking. Returns the first column whose pivot is not positive, or
 * -1. Each column goes to all lanes as it was before the division by the pivot's root, and each lane divides it: a
 * division by the pivot could overflow. The next place of a column is `apart` columns behind. */
template <class T, int ORDER>
__device__ inline int factor_row(T (&row)[ORDER], T (*column)[ORDER], int apart, int lane, int64_t order) {
  using R = real_of<T>;
  int failed = -1;
#pragma unroll
  for (int j = 0; j < ORDER; j++) {
    const T *now = column[j % 2 * apart];
    column[j % 2 * apart][lane] = row[j];
    tg_sync_warp();
    const pivot<R> p(real(now[j]));
    if (j < order && !p.positive && failed < 0) failed = j;
    const T scaled = scale(row[j], p.rate);
    row[j] = lane == j ? make(T{}, p.root, R(0)) : scaled;
#pragma unroll
    for (int k = j + 1; k < ORDER; k++) row[k] = subtract_product(row[k], scaled, conjugate(scale(now[k], p.rate)));
  }
  return failed;
}

/* The lowest class tells of wrong entries, too. */
template <class T, class G> __global__ void __launch_bounds__(G::THREADS) small_batch_kernel(class_task t) {
  auto &shared = *tg_shared<typename G::template workspace<T>>();
  const int place = static_cast<int>(threadIdx.x) / G::ORDER, lane = static_cast<int>(threadIdx.x) % G::ORDER;
  const int64_t count = t.batch.of.count, pace = gridDim.x * int64_t{G::MATRICES};
  for (int64_t first = blockIdx.x * int64_t{G::MATRICES}; first < count; first += pace) {
    const int64_t i = first + place, n = i < count ? t.order_of<T>(i) : -1;
    matrix<T> A = {};
    if (n > 0) A = t.member<T>(i);
    T row[G::ORDER];
#pragma unroll
    for (int k = 0; k < G::ORDER; k++) row[k] = lane < n && k <= lane ? *A.at(lane, k) : T{};
    const int failed = factor_row<T, G::ORDER>(row, &shared.column[0][place], G::MATRICES, lane, n);
#pragma unroll
    for (int k = 0; k < G::ORDER; k++)
      if (lane < n && k <= lane) *A.at(lane, k) = row[k];
    if (n >= 0 && lane == 0) t.batch.of.info[i] = n > 0 ? failed + 1 : t.fault<T>(i);
  }
}

/* ----------------------------------------------------------------------------------------- larger matrices -- */

/* Calls factor(A, n), which returns info to the first thread, for the block's matrices. */
template <class T, class Factor> __device__ inline void each_of_class(const class_task &t, Factor factor_one) {
  for (int64_t i = blockIdx.x; i < t.batch.of.count; i += gridDim.x) {
    const int64_t n = t.order_of<T>(i);
    if (n < 0) continue;
    const int64_t info = factor_one(t.member<T>(i), n);
    if (threadIdx.x == 0) t.batch.of.info[i] = info;
  }
}

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) large_batch_kernel(class_task t) {
  auto &shared = *tg_shared<typename leaf<T>::workspace>();
  each_of_class<T>(t, [&](const matrix<T> &A, int64_t n) {
    int64_t info = 0;
    factor_matrix<T>(shared, A, n, [&](int64_t column) { info = info > 0 ? info : column + 1; });
    return info;
  });
}

#if TG_MATRIX_UNITS
template <class G> __global__ void __launch_bounds__(G::THREADS) resident_batch_kernel(class_task t) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  auto &shared = *tg_shared<typename G::workspace>();
  each_of_class<double>(t, [&](const matrix<double> &A, int64_t n) {
    return int64_t{factor_resident<G>(shared, A, static_cast<int>(n))} + 1;
  });
#endif
}

template <class Layouts> __global__ void __launch_bounds__(panel_units::THREADS, 1) panel_batch_kernel(class_task t) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  auto &shared = *tg_shared<panel_units::workspace>();
  each_of_class<double>(t, [&](const matrix<double> &A, int64_t n) { return factor_panels<Layouts>(shared, A, n); });
#endif
}
#endif

/* ------------------------------------------------------------------------------------------------ launches -- */

/* A block takes several matrices, or groups of them, if there are very many. On the simulated GPU it does so early. */
static int64_t blocks_of_class(int64_t tasks, int threads) {
  return blocks_for(tasks < TG_TILE(3, INT64_MAX) ? tasks : TG_TILE(3, INT64_MAX), threads);
}

template <class T, class G> static cudaError_t launch_small(queue q, const class_task &t) {
  const auto kernel = small_batch_kernel<T, G>;
  if (q.load) return tg_load(kernel);
  const int64_t blocks = (t.batch.of.count + G::MATRICES - 1) / G::MATRICES;
  return tg_launch(q.stream, kernel, blocks_of_class(blocks, G::THREADS), G::THREADS,
                   sizeof(typename G::template workspace<T>), t);
}

/* Launches a kernel whose blocks take one matrix each. */
template <class G> static cudaError_t launch_blocks(queue q, void (*kernel)(class_task), const class_task &t) {
  if (q.load) return tg_load(kernel, sizeof(typename G::workspace));
  return tg_launch(q.stream, kernel, blocks_of_class(t.batch.of.count, G::THREADS), G::THREADS,
                   sizeof(typename G::workspace), t);
}

/* The classes of matrices that do not have a lane for each row. */
template <class T> static cudaError_t launch_larger(queue q, const factor_batch_task *b, int64_t) {
  return launch_blocks<leaf<T>>(q, large_batch_kernel<T>, {*b, ORDER_32, INT64_MAX});
}
#if TG_MATRIX_UNITS
template <> cudaError_t launch_larger<double>(queue q, const factor_batch_task *b, int64_t most) {
  using low = resident_units<ORDER_64>;
  using high = resident_units<ORDER_128>;
  if (!q.units) return launch_blocks<leaf<double>>(q, large_batch_kernel<double>, {*b, ORDER_32, INT64_MAX});
  cudaError_t error = launch_blocks<low>(q, resident_batch_kernel<low>, {*b, ORDER_32, ORDER_64});
  if (error == cudaSuccess && most > ORDER_64)
    error = launch_blocks<high>(q, resident_batch_kernel<high>, {*b, ORDER_64, ORDER_128});
  if (error != cudaSuccess || most <= ORDER_128) return error;
  return launch_layouts<UNIT_ALIKE>(q, !b->lower, !b->lower, [&](auto layouts) {
    return launch_blocks<panel_units>(q, panel_batch_kernel<decltype(layouts)>, {*b, ORDER_128, INT64_MAX});
  });
}
#endif

/* One launch for small matrices, unless all are small: then two, because the lower class has more of them at once. */
template <class T> static cudaError_t launch_classes(queue q, const factor_batch_task *b) {
  using low = small_class<ORDER_16>;
  using high = small_class<ORDER_32>;
  const int64_t most = b->of.max_n > 0 && !q.load ? b->of.max_n : INT64_MAX;
  const bool small = most <= ORDER_32;
  cudaError_t error = cudaSuccess;
  if (small || q.load) error = launch_small<T, low>(q, {*b, -1, ORDER_16});
  if (error == cudaSuccess && most > ORDER_16) error = launch_small<T, high>(q, {*b, small ? ORDER_16 : -1, ORDER_32});
  return error != cudaSuccess || small ? error : launch_larger<T>(q, b, most);
}

cudaError_t launch_potrf_batch(queue q, trigon_type type, const factor_batch_task *b) {
  if (!q.load && b->of.count == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) { return launch_classes<decltype(zero)>(q, b); });
}
