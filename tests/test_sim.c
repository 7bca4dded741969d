/* test_sim.c - the simulated GPU notices what it is there to notice. */
#define _GNU_SOURCE /* fork */
#include "check.h"
#include "sim_kernels.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

enum { N = 128 };
static cudaStream_t one, two; /* without ties to the legacy stream */

static void configure(const char *text) {
  char why[200] = "";
  if (sim_configure(0, text, why, sizeof why) != 0) check(false, why);
}

static void *device_bytes(size_t size) {
  void *p = NULL;
  check(cudaMalloc(&p, size) == cudaSuccess, "an allocation");
  return p;
}

static int *device_ints(int count) {
  int *p = device_bytes((size_t)count * sizeof *p);
  check(cudaMemsetAsync(p, 0, (size_t)count * sizeof *p, one) == cudaSuccess, "a set");
  check(cudaStreamSynchronize(one) == cudaSuccess, "a wait");
  return p;
}

static int first_int(const int *p) {
  int x = -1;
  check(cudaMemcpy(&x, p, sizeof x, cudaMemcpyDefault) == cudaSuccess, "reading a number");
  return x;
}

static cudaError_t add(cudaStream_t stream, int *data, int value) {
  return launch_probe(PROBE_ADD, stream, 1, 1, 0, (probe_task){data, value});
}

/* Whether a function ends the process, by a signal or the sanitizer. */
static bool dies(void (*run)(void *), void *argument) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!freopen("/dev/null", "w", stderr)) _exit(0);
    run(argument);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* -------------------------------------------------------------------------------------------------- memory -- */

static void read_byte(void *p) { (void)*(volatile char *)p; }
static void do_nothing(void *p) { (void)p; }

static void stray_add(void *data) {
  add(one, data, 1);
  if (cudaStreamSynchronize(one) != cudaSuccess) _exit(1);
}

static void test_memory(void) {
  configure("memory=1M");
  double *p = device_bytes(10 * sizeof *p), x[10];
  check(!dies(do_nothing, p) && dies(read_byte, p), "the host that touches device memory faults");
  check(cudaMemcpy(x, p, sizeof x, cudaMemcpyDeviceToHost) == cudaSuccess && isnan(x[0]) && isnan(x[9]),
        "memory is NaN at first");
  check(dies(read_byte, p), "and faults again after work");
  check((uintptr_t)p % 256 == 0, "allocations are aligned");
  check(tg_pointer_device(p + 9) == 0 && tg_pointer_device(p + 10) == -1 && tg_pointer_device(x) == -1,
        "addresses belong to devices");
  check(cudaMemcpy(x, p + 1, sizeof x, cudaMemcpyDefault) == cudaErrorInvalidValue, "a copy across the end");
  check(cudaMemcpy(p, x, sizeof x, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection, "the wrong direction");
  check(cudaGetLastError() == cudaErrorInvalidMemcpyDirection && cudaGetLastError() == cudaSuccess, "the last error");

  int longest = 0;
  configure("memory=1M&pitch=24");
  check(cudaDeviceGetAttribute(&longest, cudaDevAttrMaxPitch, 0) == cudaSuccess && longest == 24, "the longest pitch");
  check(cudaMemcpy2DAsync(p, 24, x, 16, 16, 3, cudaMemcpyHostToDevice, one) == cudaSuccess, "columns of that pitch");
  check(cudaMemcpy2DAsync(p, 25, x, 16, 16, 2, cudaMemcpyHostToDevice, one) == cudaErrorInvalidPitchValue &&
            cudaMemcpy2DAsync(p, 16, x, 25, 16, 2, cudaMemcpyHostToDevice, one) == cudaErrorInvalidPitchValue,
        "columns further apart, on either side");
  check(cudaMemcpyAsync(p, x, sizeof x, cudaMemcpyHostToDevice, one) == cudaSuccess,
        "a copy of one piece has no pitch");
  check(cudaStreamSynchronize(one) == cudaSuccess && cudaGetLastError() == cudaErrorInvalidPitchValue, "told once");
  configure("memory=1M");

  void *more = p;
  size_t available = 0, total = 0;
  check(cudaMalloc(&more, (1 << 20) - 79) == cudaErrorMemoryAllocation && !more, "the limit of memory");
  check(cudaMemGetInfo(&available, &total) == cudaSuccess && total == 1 << 20 && available == (1 << 20) - 80, "counts");
  check(cudaMalloc(&more, (1 << 20) - 80) == cudaSuccess && sim_allocated(0) == 1 << 20, "all of it");
  check(cudaFree(more) == cudaSuccess && cudaFree(more) == cudaErrorInvalidValue && cudaFree(NULL) == cudaSuccess,
        "freed once");
  check(dies(stray_add, p + 10) && dies(stray_add, (char *)p - 4), "stray writes are seen");
  check(!SANITIZED || dies(stray_add, more), "and those to freed memory");
  check(!dies(stray_add, p + 9), "others are not");
  check(cudaFree(p) == cudaSuccess && sim_allocated(0) == 0, "nothing is left");
}

/* ------------------------------------------------------------------------------------------------- streams -- */

static void test_streams(void) {
  configure("");
  int *a = device_ints(2), seen = -1, written = 7;
  check(cudaMemcpyAsync(a, &written, sizeof written, cudaMemcpyHostToDevice, one) == cudaSuccess, "a copy");
  written = 8;
  check(add(one, a, 1) == cudaSuccess, "a launch");
  check(cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, one) == cudaSuccess, "a copy back");
  check(cudaStreamSynchronize(two) == cudaSuccess && seen == -1, "nothing runs before its stream is waited for");
  check(cudaStreamQuery(one) == cudaErrorNotReady, "it is not ready");
  check(cudaStreamSynchronize(one) == cudaSuccess && seen == 8, "in order, and the source was read at the call");
  check(cudaStreamQuery(one) == cudaSuccess, "it is ready");

  cudaEvent_t event;
  float ms = -1;
  cudaEventCreateWithFlags(&event, 0);
  check(cudaStreamWaitEvent(two, event, 0) == cudaSuccess, "no record, no wait");
  add(one, a, 1);
  cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, two);
  check(cudaStreamSynchronize(two) == cudaSuccess && seen == 8, "without a wait the value is stale");
  cudaEventRecord(event, one);
  check(cudaEventElapsedTime(&ms, event, event) == cudaErrorNotReady, "the event has not come");
  add(one, a, 10);
  cudaStreamWaitEvent(two, event, 0);
  cudaEventRecord(event, one); /* the wait is for the record before it */
  cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, two);
  check(cudaStreamSynchronize(two) == cudaSuccess && seen == 9, "with a wait it is not, and no more than that ran");
  check(cudaEventSynchronize(event) == cudaSuccess && first_int(a) == 19, "waiting for an event");
  check(cudaEventElapsedTime(&ms, event, event) == cudaSuccess && ms == 0, "times");

  cudaStream_t blocking;
  cudaStreamCreateWithFlags(&blocking, cudaStreamDefault);
  add(blocking, a, 1);
  add(one, a + 1, 1);
  check(first_int(a) == 20 && first_int(a + 1) == 0, "the legacy stream waits for blocking streams alone");
  add(NULL, a, 1);
  cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, blocking);
  check(cudaStreamSynchronize(blocking) == cudaSuccess && seen == 21, "and they for it");
  check(cudaFree(a) == cudaSuccess && cudaStreamQuery(one) == cudaSuccess, "freeing waits");
  check(cudaStreamDestroy(blocking) == cudaSuccess && cudaEventDestroy(event) == cudaSuccess, "destroyed");
}

static void test_devices(void) {
  int count = 0, warp = 0, processors = 0;
  char name[40] = "";
  int *a = device_ints(1), *b;
  check(cudaGetDeviceCount(&count) == cudaSuccess && count == 4, "four devices");
  check(cudaSetDevice(4) == cudaErrorInvalidDevice && cudaSetDevice(1) == cudaSuccess, "choosing one");
  check(tg_device_name(1, name, sizeof name) == cudaSuccess && name[0], "its name");
  check(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 1) == cudaSuccess && warp == 32, "its warps");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 1) == cudaSuccess && processors == 3,
        "its processors");
  b = device_bytes(sizeof *b);
  check(tg_pointer_device(a) == 0 && tg_pointer_device(b) == 1, "memory of two devices");
  check(add(one, a, 1) == cudaErrorInvalidResourceHandle, "a stream of another device");
  check(cudaMemcpy(b, a, sizeof *b, cudaMemcpyDefault) == cudaSuccess && first_int(b) == 0, "copies between them");
  check(cudaFree(b) == cudaSuccess && cudaSetDevice(0) == cudaSuccess && cudaFree(a) == cudaSuccess, "and back");
}

/* ------------------------------------------------------------------------------------------------- kernels -- */

/* Runs a probe over zeroed data; out gets N + 1 numbers. */
static cudaError_t run(probe what, int blocks, int threads, size_t shared, int value, int out[N + 1]) {
  int *data = device_ints(N + 1);
  for (int i = 0; i <= N && what != PROBE_ORDER && what != PROBE_BARRIER_ORDER; i++) out[i] = i;
  if (what == PROBE_REVERSE || what == PROBE_REVERSE_RACE)
    cudaMemcpy(data, out, (N + 1) * sizeof *data, cudaMemcpyHostToDevice);
  cudaError_t error = launch_probe(what, one, blocks, threads, shared, (probe_task){data, value});
  if (error == cudaSuccess) error = cudaStreamSynchronize(one);
  if (error == cudaSuccess) error = cudaMemcpy(out, data, (N + 1) * sizeof *data, cudaMemcpyDeviceToHost);
  cudaFree(data);
  return error;
}

static bool ascends(const int *x, int count, int first, int step) {
  bool holds = true;
  for (int i = 0; i < count; i++) holds &= x[i] == first + i * step;
  return holds;
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void test_order(void) {
  int x[N + 1], y[N + 1];
  for (probe what = PROBE_ORDER; what <= PROBE_BARRIER_ORDER; what++) {
    configure("seed=1");
    check(run(what, 1, 100, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 0, 1), "threads ascend");
    check(run(what, 100, 1, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 0, 1), "blocks ascend");
    configure("seed=2");
    check(run(what, 1, 100, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 99, -1), "threads descend");
    check(run(what, 100, 1, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 99, -1), "blocks descend");
    configure("seed=3");
    check(run(what, 10, 10, 0, 0, x) == cudaSuccess && run(what, 10, 10, 0, 0, y) == cudaSuccess &&
              memcmp(x, y, sizeof x) != 0,
          "orders change from launch to launch");
    configure("seed=3");
    check(run(what, 10, 10, 0, 0, y) == cudaSuccess && memcmp(x, y, sizeof x) == 0, "and come again");
    qsort(x + 1, 100, sizeof *x, compare_ints);
    check(ascends(x + 1, 100, 0, 1), "every thread runs once");
  }
}

static bool reversed(probe what) {
  int x[N + 1];
  bool good = run(what, 2, 64, 64 * sizeof(int), 0, x) == cudaSuccess;
  return good && ascends(x, 64, 63, -1) && ascends(x + 64, 64, 127, -1);
}

/* Which blocks have turns, in an ascending order. */
static bool turns_are(probe what, const char *setting, const int *blocks) {
  int x[N + 1];
  configure(setting);
  return run(what, 3, 2, 0, 20, x) == cudaSuccess && x[0] == 6 && memcmp(x + 1, blocks, 6 * sizeof *x) == 0;
}

static void test_residents(void) {
  static const int one_by_one[] = {0, 0, 1, 1, 2, 2}, by_twos[] = {0, 1, 0, 1, 2, 2}, all[] = {0, 1, 2, 0, 1, 2};
  for (probe what = PROBE_TURNS; what <= PROBE_ATOMIC_TURNS; what++)
    check(turns_are(what, "resident=1", one_by_one) && turns_are(what, "resident=2", by_twos) &&
              turns_are(what, "resident=3", all) && turns_are(what, "resident=64", all),
          "blocks change at barriers and atomics; one that ends makes room");
  configure("resident=64");
  int x[N + 1];
  check(run(PROBE_EARLY_END, 16, 1024, 0, 1024, x) == cudaSuccess, "large blocks, as many as there is room for");
  check(reversed(PROBE_REVERSE), "each has shared memory of its own");
}

static void test_barriers(void) {
  int x[N + 1];
  for (int seed = 1; seed <= 5; seed++) {
    char text[20];
    snprintf(text, sizeof text, "seed=%d", seed);
    configure(text);
    check(reversed(PROBE_REVERSE), "a barrier");
    check(!reversed(PROBE_REVERSE_RACE), "no barrier: a wrong answer");
    check(run(PROBE_EARLY_END, 1, 100, 0, 50, x) == cudaSuccess && x[49] == 0 && x[50] == 1 && x[99] == 1,
          "threads may end while others wait");
    check(run(PROBE_DIVERGE, 1, 2, 0, 0, x) == simErrorBarrier, "two barriers at once");
    check(cudaDeviceSynchronize() == simErrorBarrier && add(one, NULL, 0) == simErrorBarrier, "the error sticks");
    configure(text);
    check(run(PROBE_DIVERGE, 1, 1, 0, 0, x) == cudaSuccess, "until the next configuration");
    check(run(PROBE_DIVERGE_FILES, 1, 2, 0, 0, x) == simErrorBarrier, "two barriers on one line of two files");
    const char *text_of = cudaGetErrorString(simErrorBarrier);
    check(strstr(text_of, "first.h:1") && strstr(text_of, "second.h:1"), "the error names both");
  }
}

static void test_shuffles(void) {
  static const probe wrong[] = {PROBE_SHUFFLE_ENDED, PROBE_SHUFFLE_BARRIER, PROBE_SHUFFLE_SITES, PROBE_SHUFFLE_FILES,
                                PROBE_SHUFFLE_NO_LANE};
  int x[N + 1];
  for (int seed = 1; seed <= 3; seed++)
    for (int warp = 32; warp <= 64; warp += 32) {
      char text[30];
      snprintf(text, sizeof text, "seed=%d&warp=%d", seed, warp);
      configure(text);
      for (probe what = PROBE_SHUFFLE; what <= PROBE_SHUFFLE_STRUCT; what++) {
        check(run(what, 1, N, 0, 0, x) == cudaSuccess, "a shuffle");
        for (int first = 0; first < N; first += warp)
          check(ascends(x + first, warp, first + warp - 1, -1), "lanes of a warp reach each other");
      }
      for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check(run(wrong[i], 1, 64, 0, 0, x) == (wrong[i] == PROBE_SHUFFLE_NO_LANE ? simErrorLane : simErrorShuffle),
              "a wrong shuffle");
        configure(text);
      }
      check(run(PROBE_SHUFFLE, 1, 16, 0, 0, x) == simErrorLane, "lanes that the block does not have");
    }
}

static void overrun(void *unused) {
  int x[N + 1];
  (void)unused;
  if (run(PROBE_SHARED_OVERRUN, 1, 1, 37, 37, x) != cudaSuccess) _exit(1);
}

static void test_kernels(void) {
  int x[N + 1];
  unsigned long long least = 1000, *p;
  configure("");
  p = device_bytes(sizeof *p);
  check(run(PROBE_SHARED_UNWRITTEN, 2, 64, 64 * sizeof(int), 0, x) == cudaSuccess && ascends(x, N, -1, 0),
        "every block finds shared memory unwritten");
  check(run(PROBE_SHARED_OVERRUN, 1, 1, 37, 36, x) == cudaSuccess, "the last byte of it");
  check(dies(overrun, NULL), "and not one more");
  cudaMemcpy(p, &least, sizeof least, cudaMemcpyDefault);
  check(launch_probe(PROBE_MINIMUM, one, 3, 5, 0, (probe_task){(int *)p, 17}) == cudaSuccess, "minima");
  cudaStreamSynchronize(one);
  check(cudaMemcpy(&least, p, sizeof least, cudaMemcpyDefault) == cudaSuccess && least == 17, "the least");
  check(cudaFree(p) == cudaSuccess, "freed");

  const struct {
    int64_t blocks;
    int threads;
    size_t shared;
  } bad[] = {{0, 1, 0}, {INT64_C(1) << 31, 1, 0}, {1, 0, 0}, {1, 1025, 0}, {1, 1, 49153}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check(launch_probe(PROBE_DIVERGE, one, bad[i].blocks, bad[i].threads, bad[i].shared, (probe_task){0}) ==
              cudaErrorInvalidValue,
          "a launch that is none");
  check(run(PROBE_EARLY_END, 1, 1024, 49152, 1024, x) == cudaSuccess, "the largest block");
}

/* ------------------------------------------------------------------------------------------------- capture -- */

static void test_capture(void) {
  configure("");
  int *a = device_ints(2), host = 0;
  void *memory = NULL;
  bool capturing = false;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  cudaEvent_t before, inside;
  cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&inside, cudaEventDisableTiming);
  cudaEventRecord(before, two);

  check(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal) == cudaSuccess, "a capture");
  check(tg_is_capturing(one, &capturing) == cudaSuccess && capturing, "it is on");
  check(add(one, a, 1) == cudaSuccess && cudaEventRecord(inside, one) == cudaSuccess &&
            cudaStreamWaitEvent(one, inside, 0) == cudaSuccess,
        "events of the same graph");
  cudaMemcpyAsync(a + 1, a, sizeof *a, cudaMemcpyDeviceToDevice, one);
  check(cudaStreamEndCapture(one, &graph) == cudaSuccess && first_int(a) == 0, "nothing has run");
  check(cudaStreamWaitEvent(two, inside, 0) == cudaErrorCapturedEvent, "events of a graph are nothing outside");
  check(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess, "a graph");
  for (int i = 1; i <= 3; i++) {
    add(two, a, 100);
    check(cudaGraphLaunch(exec, two) == cudaSuccess && cudaStreamSynchronize(two) == cudaSuccess, "a replay");
    check(first_int(a) == 101 * i && first_int(a + 1) == 101 * i, "on other data");
  }
  check(cudaGraphExecDestroy(exec) == cudaSuccess, "destroyed");

  for (int i = 0; i < 7; i++) {
    const cudaError_t wanted = i == 5 ? cudaErrorStreamCaptureIsolation : cudaErrorStreamCaptureUnsupported;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaError_t error = i == 0   ? cudaStreamSynchronize(one)
                        : i == 1 ? cudaDeviceSynchronize()
                        : i == 2 ? cudaMalloc(&memory, 1)
                        : i == 3 ? cudaFree(a)
                        : i == 4 ? cudaMemcpy(&host, a, sizeof host, cudaMemcpyDefault)
                        : i == 5 ? cudaStreamWaitEvent(one, before, 0)
                                 : cudaStreamQuery(one);
    check(error == wanted, "a call that no capture allows");
    check(add(one, a, 1) == cudaErrorStreamCaptureInvalidated, "the capture has failed");
    check(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated && !graph, "it gives no graph");
    check(add(one, a, 1) == cudaSuccess && cudaStreamSynchronize(one) == cudaSuccess, "then the stream works");
  }
  cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed);
  check(cudaMalloc(&memory, 1) == cudaSuccess && cudaFree(memory) == cudaSuccess, "a relaxed capture allows them");
  check(cudaStreamEndCapture(one, &graph) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess, "an empty graph");
  cudaFree(a);
  cudaEventDestroy(before);
  cudaEventDestroy(inside);
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
  default: return add(one, a, 1);
  }
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
        if (other != i) check(operate(kinds[other], a, handle) == cudaSuccess, "others do not");
    }
    check((cudaStreamSynchronize(one) == cudaSuccess) == (i < 6), "a lost device stays lost");
  }
  check(cudaFree(workspace) == cudaErrorDevicesUnavailable && cudaFree(a) == cudaErrorDevicesUnavailable &&
            sim_allocated(0) == 0,
        "memory of a lost device is released");
  cublasDestroy(handle);

  static const char *const bad[] = {"warp=33",    "memory=",    "memory=1T", "seed=x",     "fail=alloc", "fail=alloc:0",
                                    "fail=all:1", "wrap=32",    "warp",      "pitch=2G",   "pitch=-1",   "blas=2",
                                    "blas=",      "memory=64G", "seed=-1",   "resident=0", "resident=65"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char why[200] = "", text[60];
    snprintf(text, sizeof text, "seed=2&%s", bad[i]);
    check(sim_configure(0, text, why, sizeof why) == 1 && strstr(why, bad[i]), "a bad option is quoted");
  }
  check(sim_configure(4, "", (char[100]){0}, 100) == 1 && sim_operations(0, "other") == -1, "no device, no kind");
  configure("");
}

int main(void) {
  configure("");
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  test_memory();
  test_streams();
  test_devices();
  test_order();
  test_residents();
  test_barriers();
  test_shuffles();
  test_kernels();
  test_capture();
  test_failures();
  check(cudaStreamDestroy(one) == cudaSuccess && cudaStreamDestroy(two) == cudaSuccess, "streams destroyed");
  check(sim_allocated(0) == 0 && sim_handles(0) == 0, "nothing is left behind");
  printf("sanitized: %s; ", SANITIZED ? "yes" : "no");
  return checked();
}
