/* tuning.h - the tuning tables of GPUs, one for each kind of GPU. */
#ifndef TRIGON_GPU_TUNING_H
#define TRIGON_GPU_TUNING_H

#include "../../core/tuning.h"
#include "../vendor/vendor.h"

extern const tuning gpu_portable_tuning;

#endif
