/* vendor_copies.c - times copies of blocks of a matrix between pinned host memory and a GPU, and between two GPUs if
 * there are two, alone and while kernels use the GPU's memory: the shorter the columns of a block are, the more the
 * copies of host memory are slowed down. Prints CSV, in GB/s.
 *
 *   cc -O2 -pthread bench/vendor_copies.c -I$CUDA/include -L$CUDA/lib64 -lcublas -lcudart -o vendor_copies
 *
 * scripts/gpu-check hosted builds and runs it (PARTS=copies). */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "vendor_support.h"

enum { N = 16384, LD = N + 32, MOST_ROWS = 4096 };
static const size_t bytes_to_copy = (size_t)1 << 30;

/* A direction of copies: the matrix on the device, and on the host or on another device. */
typedef struct lane {
  double *other, *device;
  cudaStream_t stream;
  bool in;      /* to the device */
  bool compact; /* on the device a block is contiguous, as in a slot of a tile; else it is part of a matrix */
} lane;

static double *memory_of_peer(void) {
  double *memory;
  (void)cudaDeviceEnablePeerAccess(1, 0); /* an error if it was enabled before */
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc((void **)&memory, sizeof(double) * N * N));
  CHECK(cudaSetDevice(0));
  return memory;
}

static double *memory_of_host(void) {
  double *memory;
  CHECK(cudaHostAlloc((void **)&memory, sizeof(double) * N * N, cudaHostAllocPortable));
  memset(memory, 1, sizeof(double) * N * N);
  return memory;
}

static lane make_lane(bool in, double *other) {
  lane l = {.in = in, .other = other};
  CHECK(cudaMalloc((void **)&l.device, sizeof(double) * LD * N));
  CHECK(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
  return l;
}

/* Copies block after block, columns of blocks from the top to the bottom. */
static void copy_blocks(const lane *l, size_t rows, size_t cols) {
  const size_t size = sizeof(double);
  size_t done = 0;
  for (size_t j = 0; j + cols <= N; j += cols)
    for (size_t i = 0; i + rows <= N && done < bytes_to_copy; i += rows, done += rows * cols * size) {
      const size_t ld = l->compact ? rows : LD;
      double *other = l->other + i + j * N, *device = l->device + (l->compact ? done / size : i + j * LD);
      CHECK(cudaMemcpy2DAsync(l->in ? device : other, (l->in ? ld : N) * size, l->in ? other : device,
                              (l->in ? N : ld) * size, rows * size, cols, cudaMemcpyDefault, l->stream));
    }
}

/* Products that run beside the copies: C = A·B of so many columns, one after the other. */
typedef struct products {
  cublasHandle_t blas;
  double *A, *B, *C;
  int order, columns; /* 0 columns: none */
  double pause;       /* seconds between two products */
  atomic_bool begun;  /* a product has run */
  atomic_bool stop;
} products;

static void *multiply(void *of) {
  products *p = of;
  const double one = 1, zero = 0;
  cudaStream_t stream;
  CHECK(cublasGetStream(p->blas, &stream));
  while (!p->stop && p->columns > 0) {
    CHECK(cublasDgemm(p->blas, CUBLAS_OP_N, CUBLAS_OP_N, p->order, p->columns, p->order, &one, p->A, LD, p->B, LD,
                      &zero, p->C, LD));
    CHECK(cudaStreamSynchronize(stream));
    p->begun = true;
    for (const double begun = now(); now() - begun < p->pause;) {
    }
  }
  return NULL;
}

static double rate(products *p, const lane *in, const lane *out, size_t rows, size_t cols) {
  pthread_t thread;
  p->begun = p->stop = false;
  CHECK(cudaDeviceSynchronize());
  CHECK(pthread_create(&thread, NULL, multiply, p));
  while (!p->begun && p->columns > 0) {
  }
  const double begun = now();
  if (in) copy_blocks(in, rows, cols);
  if (out) copy_blocks(out, rows, cols);
  if (in) CHECK(cudaStreamSynchronize(in->stream));
  if (out) CHECK(cudaStreamSynchronize(out->stream));
  const double seconds = now() - begun;
  p->stop = true;
  CHECK(pthread_join(thread, NULL));
  return 1e-9 * (double)bytes_to_copy * ((in != NULL) + (out != NULL)) / seconds;
}

static products make_products(void) {
  products p = {0};
  double **const all[] = {&p.A, &p.B, &p.C};
  cudaStream_t stream;
  CHECK(cublasCreate(&p.blas));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cublasSetStream(p.blas, stream));
  for (int i = 0; i < 3; i++) {
    CHECK(cudaMalloc((void **)all[i], sizeof(double) * LD * MOST_ROWS));
    CHECK(cudaMemset(*all[i], 0, sizeof(double) * LD * MOST_ROWS));
  }
  return p;
}

static void measure(const char *where, lane in, lane out, products *p) {
  static const struct {
    const char *name;
    int order, columns;
    double pause;
  } beside[] = {{"nothing", 0, 0, 0}, {"thin products with pauses", 2048, 64, 3e-4}, {"products", 4096, 4096, 0}};
  static const size_t shapes[][2] = {{512, 512},   {1024, 1024}, {2048, 2048}, {4096, 4096},
                                     {4096, 1024}, {8192, 512},  {16384, 256}};
  rate(p, &in, &out, MOST_ROWS, MOST_ROWS); /* warms up */
  for (size_t b = 0; b < sizeof beside / sizeof *beside; b++)
    for (size_t s = 0; s < 2 * sizeof shapes / sizeof *shapes; s++) {
      const size_t rows = shapes[s / 2][0], cols = shapes[s / 2][1];
      in.compact = out.compact = s % 2;
      p->order = beside[b].order, p->columns = beside[b].columns, p->pause = beside[b].pause;
      printf("%s,%s,%s,%zu,%zu,%.1f,%.1f,%.1f\n", where, beside[b].name, s % 2 ? "block" : "matrix", rows, cols,
             rate(p, &in, NULL, rows, cols), rate(p, NULL, &out, rows, cols), rate(p, &in, &out, rows, cols));
    }
}

int main(void) {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  products p = make_products();
  puts("between,beside,device,rows,cols,in,out,both");
  measure("host", make_lane(true, memory_of_host()), make_lane(false, memory_of_host()), &p);
  if (devices > 1) measure("gpus", make_lane(true, memory_of_peer()), make_lane(false, memory_of_peer()), &p);
  return 0;
}
