/* arch.h - the tuning tables of GPUs, one for each kind of GPU, as text (core/tuning.h). */
#ifndef TRIGON_ARCH_H
#define TRIGON_ARCH_H

extern const char *const gpu_portable_tuning; /* of any GPU */
extern const char *const gpu_hopper_tuning;   /* what differs on Hopper, if kernels use matrix units */

/* The time of a product in seconds: natively, and by integers of so many moduli (the product that finds bounds counts,
 * too). Of integers also for each number of an operand, for each number of C, and for each product. */
typedef struct product_times {
  double native_flop, integer_flop, moduli, operand, result, start;
} product_times;
extern const product_times gpu_hopper_doubles, gpu_hopper_floats;

#endif
