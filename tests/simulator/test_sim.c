/* test_sim.c - the simulated GPU reports mistakes in the use of memory and streams, and fails on demand. */
#define _GNU_SOURCE /* fork */
#include "sim_test.h"

#include <math.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static cudaStream_t two; /* not ordered with the legacy stream either */

/* -------------------------------------------------------------------------------------------------- memory -- */

static void read_byte(void *p) { (void)*(volatile char *)p; }
static void do_nothing(void *p) { (void)p; }

static void stray_add(void *data) {
  add_on(one, data, 1);
  if (cudaStreamSynchronize(one) != cudaSuccess) _exit(1);
}

static void test_memory(void) {
  configure("memory=1M");
  double *p = device_bytes(10 * sizeof *p), x[10];
  check(!dies(do_nothing, p) && dies(read_byte, p), "the host that touches device memory faults");
  check(cudaMemcpy(x, p, sizeof x, cudaMemcpyDeviceToHost) == cudaSuccess && isnan(x[0]) && isnan(x[9]),
        "memory is NaN at first");
  check(dies(read_byte, p), "the host still faults after work of the device");
  check((uintptr_t)p % 256 == 0, "allocations are aligned");
  check(tg_pointer_device(p + 9) == 0 && tg_pointer_device(p + 10) == -1 && tg_pointer_device(x) == -1,
        "addresses belong to devices");
  check(cudaMemcpy(x, p + 1, sizeof x, cudaMemcpyDefault) == cudaErrorInvalidValue, "a copy beyond the end is refused");
  check(cudaMemcpy(p, x, sizeof x, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection,
        "a copy in the wrong direction is refused");
  check(cudaGetLastError() == cudaErrorInvalidMemcpyDirection && cudaGetLastError() == cudaSuccess, "the last error");

  int longest = 0;
  configure("memory=1M&pitch=24");
  check(cudaDeviceGetAttribute(&longest, cudaDevAttrMaxPitch, 0) == cudaSuccess && longest == 24, "the longest pitch");
  check(cudaMemcpy2DAsync(p, 24, x, 16, 16, 3, cudaMemcpyHostToDevice, one) == cudaSuccess,
        "columns at the longest pitch are copied");
  check(cudaMemcpy2DAsync(p, 25, x, 16, 16, 2, cudaMemcpyHostToDevice, one) == cudaErrorInvalidPitchValue &&
            cudaMemcpy2DAsync(p, 16, x, 25, 16, 2, cudaMemcpyHostToDevice, one) == cudaErrorInvalidPitchValue,
        "columns further apart are refused on either side");
  check(cudaMemcpyAsync(p, x, sizeof x, cudaMemcpyHostToDevice, one) == cudaSuccess,
        "a copy of one piece has no pitch");
  check(cudaStreamSynchronize(one) == cudaSuccess && cudaGetLastError() == cudaErrorInvalidPitchValue,
        "an error of a copy is told once");
  configure("memory=1M");

  void *more = p;
  size_t available = 0, total = 0;
  check(cudaMalloc(&more, (1 << 20) - 79) == cudaErrorMemoryAllocation && !more, "the limit of memory");
  check(cudaMemGetInfo(&available, &total) == cudaSuccess && total == 1 << 20 && available == (1 << 20) - 80,
        "the free memory is counted");
  check(cudaMalloc(&more, (1 << 20) - 80) == cudaSuccess && sim_allocated(0) == 1 << 20,
        "all of the memory can be allocated");
  check(cudaFree(more) == cudaSuccess && cudaFree(more) == cudaErrorInvalidValue && cudaFree(NULL) == cudaSuccess,
        "memory can be freed once, and NULL always");
  check(dies(stray_add, p + 10) && dies(stray_add, (char *)p - 4), "stray writes are found");
  /* A kernel that runs over an end by one column of 511 doubles must not reach the next allocation. */
  void *next = device_bytes(8);
  check(dies(stray_add, p + 9 + 511), "stray writes a column behind the end are found");
  check(cudaFree(next) == cudaSuccess, "the neighbour is freed");
  check(!SANITIZED || dies(stray_add, more), "writes to freed memory are found");
  check(!dies(stray_add, p + 9), "correct writes are not reported");
  check(cudaFree(p) == cudaSuccess && sim_allocated(0) == 0, "all memory is freed");
}

/* ------------------------------------------------------------------------------------------------- streams -- */

static void test_streams(void) {
  configure("");
  int *a = device_ints(2), seen = -1, written = 7;
  check(cudaMemcpyAsync(a, &written, sizeof written, cudaMemcpyHostToDevice, one) == cudaSuccess, "a copy");
  written = 8;
  check(add_on(one, a, 1) == cudaSuccess, "a launch");
  check(cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, one) == cudaSuccess, "a copy back");
  check(cudaStreamSynchronize(two) == cudaSuccess && seen == -1, "nothing runs before its stream is waited for");
  check(cudaStreamQuery(one) == cudaErrorNotReady, "a stream with pending work is not ready");
  check(cudaStreamSynchronize(one) == cudaSuccess && seen == 8,
        "work runs in order, and a copy reads its source at the call");
  check(cudaStreamQuery(one) == cudaSuccess, "a stream without pending work is ready");

  cudaEvent_t event;
  float ms = -1;
  cudaEventCreateWithFlags(&event, 0);
  check(cudaStreamWaitEvent(two, event, 0) == cudaSuccess, "a wait for an event without a record does nothing");
  add_on(one, a, 1);
  cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, two);
  check(cudaStreamSynchronize(two) == cudaSuccess && seen == 8, "without a wait the value is stale");
  cudaEventRecord(event, one);
  check(cudaEventElapsedTime(&ms, event, event) == cudaErrorNotReady, "an event that has not happened has no time");
  add_on(one, a, 10);
  cudaStreamWaitEvent(two, event, 0);
  cudaEventRecord(event, one); /* the wait is for the record before this one */
  cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, two);
  check(cudaStreamSynchronize(two) == cudaSuccess && seen == 9,
        "with a wait the value is new, and only the necessary work ran");
  check(cudaEventSynchronize(event) == cudaSuccess && first_int(a) == 19, "waiting for an event");
  check(cudaEventElapsedTime(&ms, event, event) == cudaSuccess && ms == 0, "the time between equal events is 0");

  cudaStream_t blocking;
  cudaStreamCreateWithFlags(&blocking, cudaStreamDefault);
  add_on(blocking, a, 1);
  add_on(one, a + 1, 1);
  check(first_int(a) == 20 && first_int(a + 1) == 0, "the legacy stream waits only for blocking streams");
  add_on(NULL, a, 1);
  cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, blocking);
  check(cudaStreamSynchronize(blocking) == cudaSuccess && seen == 21, "blocking streams wait for the legacy stream");
  check(cudaFree(a) == cudaSuccess && cudaStreamQuery(one) == cudaSuccess, "freeing waits");
  check(cudaStreamDestroy(blocking) == cudaSuccess && cudaEventDestroy(event) == cudaSuccess,
        "a stream and an event are destroyed");
}

/* With some seeds the other streams run what they may run, before the stream that the program waits for. */
static void test_eager_streams(void) {
  for (int eager = 0; eager < 2; eager++) {
    configure(eager ? "seed=3" : "seed=2");
    int *a = device_ints(2), host = 0;
    cudaMemcpyAsync(a + 1, a, sizeof *a, cudaMemcpyDeviceToDevice, one);
    add_on(two, a, 5);
    cudaStreamSynchronize(one);
    cudaStreamSynchronize(two);
    check(cudaMemcpy(&host, a + 1, sizeof host, cudaMemcpyDefault) == cudaSuccess && host == (eager ? 5 : 0),
          "a seed decides whether another stream runs first");
    cudaFree(a);
  }
}

static void test_devices(void) {
  int count = 0, warp = 0, processors = 0;
  char name[40] = "";
  int *a = device_ints(1), *b;
  check(cudaGetDeviceCount(&count) == cudaSuccess && count == 4, "four devices");
  check(cudaSetDevice(4) == cudaErrorInvalidDevice && cudaSetDevice(1) == cudaSuccess,
        "only an existing device can be chosen");
  check(tg_device_name(1, name, sizeof name) == cudaSuccess && name[0], "the device's name");
  check(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 1) == cudaSuccess && warp == 32, "the device's warp size");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 1) == cudaSuccess && processors == 3,
        "the device's number of processors");
  b = device_bytes(sizeof *b);
  check(tg_pointer_device(a) == 0 && tg_pointer_device(b) == 1, "memory of two devices");
  check(add_on(one, a, 1) == cudaErrorInvalidResourceHandle, "a stream of another device");
  check(cudaMemcpy(b, a, sizeof *b, cudaMemcpyDefault) == cudaSuccess && first_int(b) == 0,
        "a copy between two devices");
  check(cudaFree(b) == cudaSuccess && cudaSetDevice(0) == cudaSuccess && cudaFree(a) == cudaSuccess,
        "memory of both devices is freed");
}

/* ------------------------------------------------------------------------------------------------ failures -- */

static cudaError_t operate(const char *kind, int *a, cublasHandle_t handle) {
  void *memory;
  cudaStream_t stream;
  cudaEvent_t event;
  const double x = 1;
  cudaError_t error = cudaSuccess;
  switch (kind[0]) {
  case 'a': return (error = cudaMalloc(&memory, 8)) ? error : cudaFree(memory);
  case 'c': return cudaMemcpyAsync(a, a + 1, sizeof *a, cudaMemcpyDefault, one);
  case 'e': return (error = cudaEventCreateWithFlags(&event, 0)) ? error : cudaEventDestroy(event);
  case 's': return (error = cudaStreamCreateWithFlags(&stream, 0)) ? error : cudaStreamDestroy(stream);
  case 'b':
    return cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &x, a, 1, a, 1, &x, a, 1) ? cudaErrorUnknown
                                                                                               : cudaSuccess;
  default: return add_on(one, a, 1);
  }
}

/* An empty product, for which the BLAS may have no memory of its own. A lost device is reported as lost. */
static void test_blas_memory(void) {
  static const double x = 0;
  static const cublasStatus_t due[] = {CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_SUCCESS};
  cublasHandle_t handle;
  configure("");
  double *a = (double *)device_bytes(8);
  void *workspace = device_bytes(16384);
  check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "a handle");
  cublasSetWorkspace(handle, workspace, 16384);
  configure("fail=blas_memory:2");
  for (int k = 0; k < 3; k++)
    check(cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &x, a, 1, a, 1, &x, a, 1) == due[k],
          "the second product has no memory");
  check(sim_operations(0, "blas_memory") == 3, "products are counted");
  check(sim_operations(0, "lost") == 3, "products are counted once each");
  configure("fail=lost:2");
  for (int k = 0; k < 3; k++)
    check(cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &x, a, 1, a, 1, &x, a, 1) ==
              (k == 0 ? CUBLAS_STATUS_SUCCESS : SIMBLAS_STATUS_EXECUTION_FAILED),
          "a lost device is not reported as out of memory");
  configure("");
  cublasDestroy(handle);
  cudaFree(workspace), cudaFree(a);
}

static void test_failures(void) {
  static const char *const kinds[] = {"alloc", "copy", "launch", "blas", "event", "stream", "lost"};
  int *a = device_ints(2);
  void *workspace = device_bytes(16384);
  cublasHandle_t handle;
  check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "a handle");
  cublasSetWorkspace(handle, workspace, 16384);
  for (int i = 0; i < 7; i++) {
    char text[40];
    snprintf(text, sizeof text, "seed=2&fail=%s:3&memory=64K", kinds[i]);
    configure(text);
    for (int k = 1; k <= 5; k++) {
      cudaError_t error = operate(kinds[i], a, handle);
      check((error != cudaSuccess) == (i == 6 ? k >= 3 : k == 3), "the third operation fails");
      check(sim_operations(0, kinds[i]) == (i == 6 && k > 3 ? 3 : k), "operations are counted");
      for (int other = 0; other < 6 && i < 6; other++)
        if (other != i) check(operate(kinds[other], a, handle) == cudaSuccess, "operations of other kinds do not fail");
    }
    check((cudaStreamSynchronize(one) == cudaSuccess) == (i < 6), "a lost device stays lost");
  }
  check(cudaFree(workspace) == cudaErrorDevicesUnavailable && cudaFree(a) == cudaErrorDevicesUnavailable &&
            sim_allocated(0) == 0,
        "memory of a lost device is released");
  cublasDestroy(handle);

  static const char *const bad[] = {"warp=33",    "memory=", "memory=1T",  "seed=x",   "fail=alloc", "fail=alloc:0",
                                    "fail=all:1", "wrap=32", "warp",       "pitch=2G", "pitch=-1",   "blas=2",
                                    "solver=2",   "blas=",   "memory=64G", "seed=-1",  "resident=0", "resident=65"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char why[200] = "", text[60];
    snprintf(text, sizeof text, "seed=2&%s", bad[i]);
    check(sim_configure(0, text, why, sizeof why) == 1 && strstr(why, bad[i]), "a bad option is quoted");
  }
  check(sim_configure(4, "", (char[100]){0}, 100) == 1 && sim_operations(0, "other") == -1,
        "a missing device and an unknown kind are refused");
  configure("");
}

int main(void) {
  configure("");
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  test_memory();
  test_streams();
  test_eager_streams();
  test_devices();
  test_blas_memory();
  test_failures();
  check(cudaStreamDestroy(one) == cudaSuccess && cudaStreamDestroy(two) == cudaSuccess, "streams destroyed");
  check(sim_allocated(0) == 0 && sim_handles(0) == 0, "nothing is left behind");
  printf("sanitized: %s; ", SANITIZED ? "yes" : "no");
  return checked();
}
