/* batch_kernels.h - the kernels of a batched routine by their names, which rows of a kind of GPU choose
 * (gpu/arch/batch_class.h). */
#ifndef TRIGON_BATCH_KERNELS_H
#define TRIGON_BATCH_KERNELS_H

#include <string.h>

#include "gpu/kernels/launch.h"

/* A kernel, and what adds its launch for a row to the launches of a call. */
template <class Launches> struct kernel_entry : batch_kernel { void (*add)(Launches &, const batch_class &); };

/* All kernels that a routine has for a type. */
template <class Launches> struct kernel_list {
  const kernel_entry<Launches> *first;
  int count;

  /* The kernel that a row names. The list has it, or the context was not made (gpu_check_rows). */
  const kernel_entry<Launches> &of(const batch_class &row) const {
    const kernel_entry<Launches> *k = first;
    while (strcmp(k->name, row.kernel) != 0) k++;
    return *k;
  }
  const batch_kernel *at(int number) const { return number < count ? first + number : NULL; }
};
template <class Launches, int COUNT> constexpr auto all_of(const kernel_entry<Launches> (&kernels)[COUNT]) {
  return kernel_list<Launches>{kernels, COUNT};
}

inline const batch_class *rows_of(queue q, batch_table table, trigon_type type) {
  return gpu_classes_of(q.arch, q.has, table, type);
}

/* Up to this order a batch needs no lists: one row takes all of it. */
inline int64_t order_alone(const batch_class *rows) {
  int64_t most = 0;
  for (; rows->kernel; rows++)
    if (rows->alone && rows->most > most) most = rows->most;
  return most;
}

#endif
