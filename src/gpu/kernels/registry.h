/* registry.h - the registry of the plugin's kernels.
 *
 * A launch takes a row of the registry, and naming a kernel for a launch makes its row:
 *
 *   launch_kernel(q, registered<trsm_kernel<T>, sizeof(workspace)>(), blocks, threads, task)
 *
 * So the registry has every kernel that a launcher can choose, and creation loads them all. A kernel that its first
 * launch loads would make a capture of this launch fail.
 *
 * The rows are made when the plugin is loaded, and do not change later. */
#ifndef TRIGON_REGISTRY_H
#define TRIGON_REGISTRY_H

#include "launchers.h"
#ifdef __cplusplus
#include <type_traits>
#endif

/* What a kernel needs, or what a device has: a sum of these. */
enum {
  NEEDS_MMA = 1,       /* matrix units (find_mma), or more shared memory than TG_SHARED_MOST */
  NEEDS_HOPPER = 2,    /* the kernel has code for compute capability 9.0 alone */
  NEEDS_LAUNCHES = 4,  /* the kernel launches kernels. For these the device keeps memory, so not all contexts load it */
  NEEDS_INT8_MMA = 16, /* products of bytes on matrix units (find_int8_mma), or the shared memory of such kernels */
  NEEDS_CONDITIONS = 8, /* a function of the driver, which drivers without conditional nodes lack (has_conditions) */
};

typedef struct kernel_row {
  const char *name; /* has the kernel's name and its template arguments, in the compiler's words */
  const void *function;
  size_t shared; /* bytes of shared memory of a block */
  unsigned needs;
  const struct kernel_row *next;
} kernel_row;

#ifdef __cplusplus
extern "C" {
#endif

/* The first row. If two files use one template, nvcc compiles it twice, and then there are two rows of one name. */
#ifdef TRIGON_VENDOR_SIM
__attribute__((visibility("default"))) /* for the tests */
#endif
const kernel_row *
registered_kernels(void);

/* Loads the kernels that need no more than the current device has. */
cudaError_t load_kernels(unsigned has);

#ifdef __cplusplus
}

extern const kernel_row *registry_first;

/* A row whose kernel takes a Task. */
template <class Task> struct kernel_of : kernel_row {
  void (*const kernel)(Task);

  kernel_of(void (*k)(Task), const char *text, size_t bytes, unsigned need)
      : kernel_row{text, reinterpret_cast<const void *>(k), bytes, need, registry_first}, kernel(k) {
    registry_first = this;
  }
};
template <class Task> kernel_of<Task> row_for(void (*)(Task)); /* tells the type alone */

template <auto KERNEL, size_t SHARED, unsigned NEEDS> struct registration {
  using type = decltype(row_for(KERNEL));
  static const char *name() { return __PRETTY_FUNCTION__; }
  static const type row;
};
template <auto KERNEL, size_t SHARED, unsigned NEEDS>
const typename registration<KERNEL, SHARED, NEEDS>::type registration<KERNEL, SHARED, NEEDS>::row{KERNEL, name(),
                                                                                                  SHARED, NEEDS};

/* The row of a kernel. */
template <auto KERNEL, size_t SHARED = 0, unsigned NEEDS = 0> inline const auto &registered() {
  constexpr bool is_large = SHARED > (NEEDS & NEEDS_INT8_MMA ? TG_SHARED_INT8 : TG_SHARED_MOST);
  constexpr unsigned needs = NEEDS | (is_large ? NEEDS_MMA : 0);
  return registration<KERNEL, SHARED, needs>::row;
}

/* Launches the kernel with the shared memory of its row. The row alone tells the type of the task. */
template <class Task>
inline cudaError_t launch_kernel(queue q, const kernel_of<Task> &k, int64_t blocks, int threads,
                                 const typename std::common_type<Task>::type &task) {
  return tg_launch(q.stream, k.kernel, blocks, threads, k.shared, task);
}

/* The same for blocks that wait for each other in both directions (tg_launch_together). */
template <class Task>
inline cudaError_t launch_kernel_together(queue q, const kernel_of<Task> &k, int64_t blocks, int threads,
                                          const typename std::common_type<Task>::type &task) {
  return tg_launch_together(q.stream, k.kernel, blocks, threads, k.shared, task);
}

/* The same for clusters of so many blocks (tg_launch_clusters). */
template <class Task>
inline cudaError_t launch_kernel_clusters(queue q, const kernel_of<Task> &k, int64_t blocks, int threads,
                                          const typename std::common_type<Task>::type &task, int cluster) {
  return tg_launch_clusters(q.stream, k.kernel, blocks, threads, k.shared, task, cluster);
}
#endif

#endif
