/* graph [CONTEXT] - captures a Cholesky solve into a CUDA graph, and replays the graph on new data. The stream is the
 * program's own. The default of CONTEXT is cuda:0. The exit status is 77 if there is no GPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>
#include <trigon.h>

enum { N = 200, NRHS = 3, REPLAYS = 4 };

static trigon_context *ctx;
static double A[N * N], B[N * NRHS]; /* column-major */

static void cuda(const char *what, cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

static void trigon(const char *what, trigon_status status) {
  if (status == TRIGON_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, trigon_status_string(status), trigon_message(ctx));
  exit(1);
}

/* Fills A with a positive definite matrix that depends on `step`, and B so that all elements of the solution are 1. */
static void fill(int step) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) A[i + j * N] = i == j ? N + step : cos(i + j + step);
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum += A[i + j * N];
    for (int j = 0; j < NRHS; j++) B[i + j * N] = sum;
  }
}

static double largest_error(void) {
  double largest = 0;
  for (int i = 0; i < N * NRHS; i++) largest = fmax(largest, fabs(B[i] - 1));
  return largest;
}

/* Captures POTRF and POTRS on these matrices into a graph. A captured call cannot allocate memory, so trigon_reserve
 * allocates the memory before. */
static cudaGraphExec_t capture(cudaStream_t stream, trigon_matrix dA, trigon_matrix dB) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  trigon("trigon_reserve", trigon_reserve(ctx, (int64_t)sizeof A));
  trigon("trigon_set_stream", trigon_set_stream(ctx, stream));
  trigon("trigon_finish", trigon_finish(ctx, NULL));
  cuda("capture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  trigon("trigon_potrf", trigon_potrf(ctx, TRIGON_LOWER, dA, NULL));
  trigon("trigon_potrs", trigon_potrs(ctx, TRIGON_LOWER, dA, dB));
  cuda("end of the capture", cudaStreamEndCapture(stream, &graph));
  cuda("instance", cudaGraphInstantiate(&instance, graph, 0));
  cuda("graph", cudaGraphDestroy(graph));
  return instance;
}

int main(int argc, char **argv) {
  char why[512];
  cudaStream_t stream;
  double worst = 0;
  int64_t info;
  trigon_status status = trigon_create(argc > 1 ? argv[1] : "cuda:0", &ctx, why, sizeof why);
  if (status != TRIGON_OK) {
    fprintf(stderr, "no graph without a GPU: %s\n", why);
    return status == TRIGON_NOT_FOUND ? 77 : 1;
  }
  trigon_matrix hA = {A, TRIGON_D, N, N, N}, hB = {B, TRIGON_D, N, NRHS, N}, dA = hA, dB = hB;
  trigon("trigon_alloc", trigon_alloc(ctx, (int64_t)sizeof A, &dA.data));
  trigon("trigon_alloc", trigon_alloc(ctx, (int64_t)sizeof B, &dB.data));
  cuda("stream", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraphExec_t solve = capture(stream, dA, dB);

  for (int step = 0; step < REPLAYS; step++) {
    fill(step);
    trigon("trigon_upload", trigon_upload(ctx, hA, dA));
    trigon("trigon_upload", trigon_upload(ctx, hB, dB));
    cuda("replay", cudaGraphLaunch(solve, stream));
    cuda("wait", cudaStreamSynchronize(stream));
    trigon("trigon_finish", trigon_finish(ctx, &info)); /* the first non-zero info: the calls had no info pointer */
    trigon("trigon_download", trigon_download(ctx, dB, hB));
    printf("replay %d: info %d, largest error %.1e\n", step, (int)info, largest_error());
    worst = fmax(worst, info == 0 ? largest_error() : INFINITY);
  }

  trigon("trigon_set_stream", trigon_set_stream(ctx, NULL)); /* the context must not use a destroyed stream */
  cuda("instance", cudaGraphExecDestroy(solve));
  cuda("stream", cudaStreamDestroy(stream));
  trigon("trigon_free", trigon_free(ctx, dA.data));
  trigon("trigon_free", trigon_free(ctx, dB.data));
  trigon_destroy(ctx);
  return worst < 1e-10 ? 0 : 1;
}
