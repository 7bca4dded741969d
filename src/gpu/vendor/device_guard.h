/* device_guard.h - tg_enter and tg_leave for HIP and the simulated GPU: set the runtime's current device (see
 * vendor.h). There, setting the current device has no other effect. (CUDA differs: see vendor_cuda.h.) */
#ifndef TRIGON_DEVICE_GUARD_H
#define TRIGON_DEVICE_GUARD_H

typedef struct tg_device_guard {
  int device, previous;
} tg_device_guard;

static inline cudaError_t tg_open(int device, tg_device_guard *guard) {
  guard->device = guard->previous = device;
  return cudaSuccess;
}

static inline cudaError_t tg_enter(tg_device_guard *guard) {
  cudaError_t error = cudaGetDevice(&guard->previous);
  if (error != cudaSuccess || guard->previous == guard->device) return error;
  return cudaSetDevice(guard->device);
}

static inline void tg_leave(tg_device_guard *guard) {
  if (guard->previous != guard->device) (void)cudaSetDevice(guard->previous);
}

static inline void tg_close(tg_device_guard *guard) { (void)guard; }

static inline void tg_no_devices(cudaError_t error, char *text, size_t size) {
  snprintf(text, size, "%s", cudaGetErrorString(error));
}

#endif
