/* device_guard.h - the current device where it is the runtime's, HIP and the simulated GPU: see vendor.h. Setting it costs nothing
 * but the setting. */
#ifndef TRIGON_DEVICE_GUARD_H
#define TRIGON_DEVICE_GUARD_H

typedef struct tg_scope {
  int device, previous;
} tg_scope;

static inline cudaError_t tg_open(int device, tg_scope *scope) {
  scope->device = scope->previous = device;
  return cudaSuccess;
}

static inline cudaError_t tg_enter(tg_scope *scope) {
  cudaError_t error = cudaGetDevice(&scope->previous);
  if (error != cudaSuccess || scope->previous == scope->device) return error;
  return cudaSetDevice(scope->device);
}

static inline void tg_leave(tg_scope *scope) {
  if (scope->previous != scope->device) (void)cudaSetDevice(scope->previous);
}

static inline void tg_close(tg_scope *scope) { (void)scope; }

static inline void tg_no_devices(cudaError_t error, char *text, size_t size) {
  snprintf(text, size, "%s", cudaGetErrorString(error));
}

#endif
