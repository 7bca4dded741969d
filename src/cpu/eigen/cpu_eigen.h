/* cpu_eigen.h - the CPU's part of the eigensolver (core/eigen_support.h): shared by cpu_eigen.c, direct_reduction.c and
 * cpu_divide.c. */
#ifndef TRIGON_CPU_EIGEN_H
#define TRIGON_CPU_EIGEN_H

#include "core/eigen_support.h"

extern const eigen_support cpu_eigen;

trigon_status cpu_positions(machine *, const eigen_problem *, const int64_t *order, view values, view scale,
                            int64_t *first, int64_t *last);
bool cpu_leaves_panels(machine *, int64_t n);
int64_t cpu_direct_order(trigon_type);
int64_t cpu_direct_bytes(trigon_type, int64_t n);
trigon_status cpu_reduce_directly(machine *, trigon_uplo uplo, view A, view d, view e, view taus, void *work);

trigon_status cpu_merge(machine *, const eigen_merge *, eigen_products *);
trigon_status cpu_copy_small(machine *, const eigen_merge *, const eigen_products *, int half);

#endif
