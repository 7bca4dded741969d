/* launch.h - helpers of all launchers: the switch over types, launches beside each other, launches of leaves. */
#ifndef TRIGON_LAUNCH_H
#define TRIGON_LAUNCH_H

#include "blocks.h"
#include "element.h"
#include "registry.h"

/* Calls launch(T{}) for the element type T that `type` names, and returns what it returns. */
template <class Launch> inline auto with_type(trigon_type type, Launch launch) {
  switch (type) {
  case TRIGON_S: return launch(float{});
  case TRIGON_D: return launch(double{});
  case TRIGON_C: return launch(complex<float>{});
  default: return launch(complex<double>{});
  }
}

/* Kernels for matrix units have code only for GPUs that have them. */
template <bool MMA> __device__ constexpr bool has_code() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  return true;
#else
  return !MMA;
#endif
}

/* Whether the side streams may wait for the queue's stream. A stream that takes part in a capture can wait only for
 * streams of this capture, until the capture ends. */
inline bool may_fork(const queue &q) {
  unsigned long long here = 0, there = 0;
  bool may = tg_capture_of(q.stream, &here) == cudaSuccess;
  for (int i = 0; i < sides_of_queue && may; i++)
    may = tg_capture_of(q.sides->side[i].stream, &there) == cudaSuccess && (there == 0 || there == here);
  if (!may) (void)cudaGetLastError(); /* the next use of the stream reports the error */
  return may;
}

/* Launches that do not wait for each other, behind the work of the queue's stream. They go to this stream and the side
 * streams in turn. The queue's stream goes on when all of them have ended. If there are no side streams, or if a
 * capture of another stream has them, all launches go to the queue's stream. */
struct launches_beside {
  queue q;
  cudaError_t error = cudaSuccess;
  int begun = 0;

  /* `several`: there may be more than one. */
  launches_beside(queue main, bool several) : q(main) {
    if (!several || (q.sides && !may_fork(q))) q.sides = NULL;
    if (q.sides) error = cudaEventRecord(q.sides->begun, q.stream);
  }

  /* Calls launch(queue), which returns an error. */
  template <class Launch> void add(Launch launch) {
    queue at = q;
    const int turn = begun % (sides_of_queue + 1); /* 0: the queue's stream */
    if (error == cudaSuccess && q.sides && turn > 0) {
      at.stream = q.sides->side[turn - 1].stream;
      if (begun < turn + 1) error = cudaStreamWaitEvent(at.stream, q.sides->begun, 0);
    }
    if (error != cudaSuccess) return;
    begun++; /* a side stream that has begun to wait must be waited for, even if the launch fails */
    error = launch(at);
  }

  /* A failure does not keep the streams from being ordered: work may be under way in a side stream. If an order cannot
   * be made, the host waits for the side stream. In a capture this wait fails, and makes the capture fail: a graph
   * without the order would be wrong. */
  cudaError_t end() {
    for (int i = 0; q.sides && i < sides_of_queue && i + 1 < begun; i++) {
      cudaError_t order = cudaEventRecord(q.sides->side[i].done, q.sides->side[i].stream);
      if (order == cudaSuccess) order = cudaStreamWaitEvent(q.stream, q.sides->side[i].done, 0);
      if (order != cudaSuccess) (void)cudaStreamSynchronize(q.sides->side[i].stream);
      if (error == cudaSuccess) error = order;
    }
    return error;
  }
};

/* Launches a leaf whose blocks of threads take slabs of B's columns. A slab is G::COLS columns wide. */
template <class G, void (*KERNEL)(triangular)> inline cudaError_t launch_slabs(queue q, const triangular *t) {
  const int64_t slabs = (t->width + G::COLS - 1) / G::COLS;
  if (t->n == 0 || slabs * t->count == 0) return cudaSuccess;
  return launch_kernel(q, registered<KERNEL, sizeof(typename G::workspace)>(), blocks_for(slabs * t->count, G::THREADS),
                       G::THREADS, *t);
}

/* Launches a leaf whose blocks of threads take one matrix each. */
template <class G, void (*KERNEL)(factor)> inline cudaError_t launch_matrices(queue q, const factor *p) {
  if (p->n == 0 || p->count == 0) return cudaSuccess;
  return launch_kernel(q, registered<KERNEL, sizeof(typename G::workspace)>(), blocks_for(p->count, G::THREADS),
                       G::THREADS, *p);
}

#endif
