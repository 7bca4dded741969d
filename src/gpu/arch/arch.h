/* arch.h - kinds of GPUs: the tuning table of each kind, as text (core/tuning.h), and its times of products. */
#ifndef TRIGON_ARCH_H
#define TRIGON_ARCH_H

#include "fp64/int8/product_times.h"

extern const char *const gpu_portable_tuning; /* of any GPU */
extern const char *const gpu_hopper_tuning;   /* what differs on Hopper, if kernels use matrix units */

/* For the mode `auto` of emulated products: on Hopper, if kernels use matrix units. */
extern const product_times gpu_hopper_doubles, gpu_hopper_floats;

/* The same for doubles on a GPU whose floats are at least this many times faster than its doubles: there products of
 * bytes win for every product of some size. */
enum { weak_doubles = 32 };
extern const product_times gpu_weak_doubles;

#endif
