/* test_sim_captures.c - the simulated GPU captures streams into graphs, and refuses what a capture does not allow. */
#define _GNU_SOURCE /* fork */
#include "sim_test.h"

static cudaStream_t two; /* not ordered with the legacy stream either */

static void test_capture(void) {
  configure("");
  int *a = device_ints(2), host = 0;
  void *memory = NULL;
  unsigned long long capture = 0;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  cudaEvent_t before, inside;
  cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&inside, cudaEventDisableTiming);
  cudaEventRecord(before, two);

  check(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal) == cudaSuccess, "a capture");
  check(tg_capture_of(one, &capture) == cudaSuccess && capture != 0, "the stream is being captured");
  check(add_on(one, a, 1) == cudaSuccess && cudaEventRecord(inside, one) == cudaSuccess &&
            cudaStreamWaitEvent(one, inside, 0) == cudaSuccess,
        "events of the same graph");
  cudaMemcpyAsync(a + 1, a, sizeof *a, cudaMemcpyDeviceToDevice, one);
  check(cudaStreamEndCapture(one, &graph) == cudaSuccess && first_int(a) == 0, "a capture runs nothing");
  check(cudaStreamWaitEvent(two, inside, 0) == cudaErrorCapturedEvent,
        "events of a graph cannot be waited for outside");
  check(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess, "a graph");
  for (int i = 1; i <= 3; i++) {
    add_on(two, a, 100);
    check(cudaGraphLaunch(exec, two) == cudaSuccess && cudaStreamSynchronize(two) == cudaSuccess, "a replay");
    check(first_int(a) == 101 * i && first_int(a + 1) == 101 * i, "a replay computes on the present data");
  }
  check(cudaGraphExecDestroy(exec) == cudaSuccess, "the graph is destroyed");

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
    check(add_on(one, a, 1) == cudaErrorStreamCaptureInvalidated && tg_capture_of(one, &capture) == cudaSuccess &&
              capture == ~0ull,
          "the capture has failed");
    check(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated && !graph,
          "a failed capture gives no graph");
    check(add_on(one, a, 1) == cudaSuccess && cudaStreamSynchronize(one) == cudaSuccess,
          "after a failed capture the stream works");
  }
  cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed);
  check(cudaMalloc(&memory, 1) == cudaSuccess && cudaFree(memory) == cudaSuccess,
        "a relaxed capture allows allocations");
  check(cudaStreamEndCapture(one, &graph) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess, "an empty graph");
  cudaFree(a);
  cudaEventDestroy(before);
  cudaEventDestroy(inside);
}

/* A capture that a second stream joins. If `waits`, the first stream waits for it, after the last work if `late`. */
static cudaError_t capture_two_streams(int *a, bool waits, bool late, cudaGraph_t *graph) {
  cudaEvent_t fork, join;
  unsigned long long first = 0, second = 0;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal);
  check(add_on(one, a, 1) == cudaSuccess && cudaEventRecord(fork, one) == cudaSuccess &&
            cudaStreamWaitEvent(two, fork, 0) == cudaSuccess,
        "a second stream joins the capture");
  check(tg_capture_of(one, &first) == cudaSuccess && tg_capture_of(two, &second) == cudaSuccess && first != 0 &&
            second == first,
        "both streams have one capture");
  if (!late) cudaEventRecord(join, two);
  check(add_on(two, a, 10) == cudaSuccess, "captured work of the second stream");
  if (late) cudaEventRecord(join, two);
  check(!waits || cudaStreamWaitEvent(one, join, 0) == cudaSuccess, "the first stream waits for the second one");
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  const cudaError_t error = cudaStreamEndCapture(one, graph);
  check(tg_capture_of(two, &second) == cudaSuccess && second == 0, "the capture ends in both streams");
  return error;
}

static void test_joined_capture(void) {
  int *a = device_ints(1);
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  check(capture_two_streams(a, true, true, &graph) == cudaSuccess && first_int(a) == 0, "a capture of two streams");
  check(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess &&
            cudaGraphLaunch(exec, two) == cudaSuccess && cudaStreamSynchronize(two) == cudaSuccess &&
            cudaGraphExecDestroy(exec) == cudaSuccess && first_int(a) == 11,
        "a replay does the work of both streams");
  for (int late = 0; late < 2; late++)
    check(capture_two_streams(a, !late, late, &graph) == cudaErrorStreamCaptureUnjoined && !graph,
          "work that nobody waits for at the end of a capture");
  cudaEvent_t fork;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, one);
  cudaStreamWaitEvent(two, fork, 0);
  check(cudaStreamEndCapture(two, &graph) == cudaErrorStreamCaptureUnmatched, "the wrong stream ends a capture");
  check(add_on(one, a, 1) == cudaErrorStreamCaptureInvalidated, "then the capture has failed");
  check(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated, "in both streams");
  check(add_on(two, a, 1) == cudaSuccess && cudaStreamSynchronize(two) == cudaSuccess && first_int(a) == 12,
        "afterwards both streams work");
  cudaEventDestroy(fork);
  cudaFree(a);
}

/* A capture of three streams. The first one waits for the third one. Then the third one waits for the second one.
 * `again`: the first one waits for the third one again; `stale`: but only for the event from before. */
static cudaError_t capture_three_streams(int *a, bool again, bool stale) {
  cudaEvent_t fork, early, late;
  cudaStream_t three;
  cudaGraph_t graph = NULL;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&early, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&late, cudaEventDisableTiming);
  cudaStreamCreateWithFlags(&three, cudaStreamNonBlocking);
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, one);
  cudaStreamWaitEvent(two, fork, 0), cudaStreamWaitEvent(three, fork, 0);
  check(add_on(two, a, 1) == cudaSuccess && add_on(three, a, 10) == cudaSuccess, "captured work of two other streams");
  cudaEventRecord(early, three);
  cudaStreamWaitEvent(one, early, 0);
  cudaEventRecord(late, two);
  cudaStreamWaitEvent(three, late, 0);
  if (again && !stale) cudaEventRecord(early, three);
  if (again) cudaStreamWaitEvent(one, early, 0);
  const cudaError_t error = cudaStreamEndCapture(one, &graph);
  if (graph) cudaGraphDestroy(graph);
  cudaStreamDestroy(three);
  cudaEventDestroy(fork), cudaEventDestroy(early), cudaEventDestroy(late);
  return error;
}

/* Work that a stream waits for is not waited for by the first stream, unless the first stream waits for that stream. */
static void test_chained_capture(void) {
  int *a = device_ints(1);
  check(capture_three_streams(a, true, false) == cudaSuccess, "a capture of three streams");
  check(capture_three_streams(a, false, false) == cudaErrorStreamCaptureUnjoined, "a wait that nobody waits for");
  check(capture_three_streams(a, true, true) == cudaErrorStreamCaptureUnjoined, "a wait behind the event");
  cudaFree(a);
}

int main(void) {
  configure("");
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  test_capture();
  test_joined_capture();
  test_chained_capture();
  check(cudaStreamDestroy(one) == cudaSuccess && cudaStreamDestroy(two) == cudaSuccess, "streams destroyed");
  check(sim_allocated(0) == 0 && sim_handles(0) == 0, "nothing is left behind");
  return checked();
}
