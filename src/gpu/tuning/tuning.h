/* tuning.h - the tuning tables of GPUs, one for each kind of GPU, as text (core/tuning.h). */
#ifndef TRIGON_GPU_TUNING_H
#define TRIGON_GPU_TUNING_H

extern const char *const gpu_portable_tuning; /* of any GPU */
extern const char *const gpu_hopper_tuning;   /* what differs on Hopper, if kernels use matrix units */

#endif
