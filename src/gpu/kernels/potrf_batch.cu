/* potrf_batch.cu - POTRF of batches: matrices of any orders, whose sizes only the device knows.
 *
 * A launch takes one class of orders, and leaves out the matrices of other classes. Small matrices have a lane for each
 * row, with the row in registers, and several share a block. Each larger matrix has a block of its own (factor_step.h).
 * Blocks begin as multiprocessors become free. */
#include "factor_step.h"
#include "launch.h"

/* The classes: orders up to 16 and up to 32, and larger ones. */
enum { small_order = 16, medium_order = 32 };

template <class T> __device__ inline matrix<T> member_of(const factor_batch_task &b, int64_t i) {
  const int64_t ld = b.of.ld[i];
  return {static_cast<T *>(b.of.A[i]), b.lower ? 1 : ld, b.lower ? ld : 1, false, LOWER, false};
}

/* ------------------------------------------------------------------------------------------ small matrices -- */

/* Matrices of order ORDER at most, and above LEAST. The first class also tells of wrong entries. */
template <class T, int ORDER_, int LEAST_> struct small_class {
  static constexpr int ORDER = ORDER_, LEAST = LEAST_, THREADS = 128, MATRICES = THREADS / ORDER;
  static_assert(32 % ORDER == 0, "the lanes of a matrix meet in tg_sync_warp");
  struct workspace {
    T column[2][MATRICES][ORDER]; /* a column in turn with the next one */
  };
};

/* What a lane knows of its matrix. The order is 0 if the matrix is of another class. */
template <class G> struct small_member {
  int64_t fault = 0;
  int order = 0;
  bool tells = false; /* whether this class writes its info */

  __device__ small_member(const matrix_batch &b, int64_t i) {
    if (i >= b.count) return;
    fault = entry_fault(&b, i);
    const int64_t n = fault == 0 ? b.n[i] : 0;
    tells = (n > G::LEAST || G::LEAST == 0) && n <= G::ORDER;
    order = tells ? static_cast<int>(n) : 0;
  }
};

/* Factors the matrix whose row the lane has, right-looking. Returns the first column whose pivot is not positive, or
 * -1. Each column goes to all lanes as it was before the division by its pivot. */
template <class T, int ORDER>
__device__ inline int factor_row(T (&row)[ORDER], T (*column)[ORDER], int64_t apart, int lane, int order) {
  using R = real_of<T>;
  int failed = -1;
#pragma unroll
  for (int j = 0; j < ORDER; j++) {
    const T *now = column[j % 2 * apart];
    column[j % 2 * apart][lane] = row[j];
    tg_sync_warp();
    const pivot<R> p(real(now[j]));
    if (j < order && !p.positive && failed < 0) failed = j;
    const T scaled = scale(row[j], p.rate), over_pivot = scale(scaled, p.rate);
    row[j] = lane == j ? make(T{}, p.root, R(0)) : scaled;
#pragma unroll
    for (int k = j + 1; k < ORDER; k++) row[k] = subtract_product(row[k], over_pivot, conjugate(now[k]));
  }
  return failed;
}

template <class T, class G> __global__ void __launch_bounds__(G::THREADS) small_batch_kernel(factor_batch_task b) {
  auto &shared = *tg_shared<typename G::workspace>();
  const int place = static_cast<int>(threadIdx.x) / G::ORDER, lane = static_cast<int>(threadIdx.x) % G::ORDER;
  for (int64_t first = blockIdx.x * int64_t{G::MATRICES}; first < b.of.count;
       first += gridDim.x * int64_t{G::MATRICES}) {
    const int64_t i = first + place;
    const small_member<G> m(b.of, i);
    matrix<T> A = {};
    if (m.order > 0) A = member_of<T>(b, i);
    T row[G::ORDER];
#pragma unroll
    for (int k = 0; k < G::ORDER; k++) row[k] = lane < m.order && k <= lane ? *A.at(lane, k) : T{};
    const int failed = factor_row<T, G::ORDER>(row, &shared.column[0][place], G::MATRICES, lane, m.order);
#pragma unroll
    for (int k = 0; k < G::ORDER; k++)
      if (lane < m.order && k <= lane) *A.at(lane, k) = row[k];
    if (m.tells && lane == 0) b.of.info[i] = m.fault != 0 ? m.fault : failed + 1;
  }
}

/* ----------------------------------------------------------------------------------------- larger matrices -- */

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) large_batch_kernel(factor_batch_task b) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  for (int64_t i = blockIdx.x; i < b.of.count; i += gridDim.x) {
    if (b.of.n[i] <= medium_order || entry_fault(&b.of, i) != 0) continue;
    int64_t info = 0;
    factor_matrix<T>(shared, member_of<T>(b, i), b.of.n[i],
                     [&](int64_t column) { info = info > 0 ? info : column + 1; });
    if (threadIdx.x == 0) b.of.info[i] = info;
  }
}

/* ------------------------------------------------------------------------------------------------ launches -- */

template <class T, class G> static cudaError_t launch_small(queue q, const factor_batch_task *b) {
  const auto kernel = small_batch_kernel<T, G>;
  if (q.load) return tg_load(kernel);
  return tg_launch(q.stream, kernel, blocks_for((b->of.count + G::MATRICES - 1) / G::MATRICES, G::THREADS), G::THREADS,
                   sizeof(typename G::workspace), *b);
}

template <class T> static cudaError_t launch_large(queue q, const factor_batch_task *b) {
  using G = leaf<T>;
  if (q.load) return tg_load(large_batch_kernel<T>);
  return tg_launch(q.stream, large_batch_kernel<T>, blocks_for(b->of.count, G::THREADS), G::THREADS,
                   sizeof(typename G::workspace), *b);
}

template <class T> static cudaError_t launch_classes(queue q, const factor_batch_task *b) {
  const int64_t most = b->of.max_n > 0 && !q.load ? b->of.max_n : INT64_MAX;
  cudaError_t error = launch_small<T, small_class<T, small_order, 0>>(q, b);
  if (error == cudaSuccess && most > small_order)
    error = launch_small<T, small_class<T, medium_order, small_order>>(q, b);
  if (error == cudaSuccess && most > medium_order) error = launch_large<T>(q, b);
  return error;
}

cudaError_t launch_potrf_batch(queue q, trigon_type type, const factor_batch_task *b) {
  if (!q.load && b->of.count == 0) return cudaSuccess;
  return with_type(type, [&](auto zero) { return launch_classes<decltype(zero)>(q, b); });
}
