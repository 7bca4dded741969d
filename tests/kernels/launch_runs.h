/* launch_runs.h - launches of kernels in tests: their words and space, the launch in two orders of the blocks, and what
 * must stay as it was. */
#ifndef TRIGON_LAUNCH_RUNS_H
#define TRIGON_LAUNCH_RUNS_H

#include "gpu/kernels/registry.h"
#include "stored_operand.h"

/* The kind whose limits the launchers take. */
#ifdef TRIGON_VENDOR_SIM
static const gpu_arch *const kind = &gpu_arch_simulated;
#else
static const gpu_arch *const kind = &gpu_arch_hopper;
#endif

static const trigon_scalar scalars[] = {{1, 0}, {0, 0}, {-0.75, 0.5}, {1.25, 0}};

/* What launches use: words that hold zeros, and a space. */
typedef struct device_setup {
  dataflow_setup of;
  unsigned *words;
} device_setup;
enum { WORDS = dataflow_flags + 2 };
static inline device_setup make_setup(int64_t space) {
  device_setup s = {.of = {.space_bytes = space}};
  if (!good(cudaMalloc((void **)&s.words, WORDS * sizeof *s.words)) ||
      !good(cudaMalloc(&s.of.space, (size_t)space + 16)))
    abort();
  unsigned *zeros = calloc(WORDS, sizeof *zeros);
  if (!zeros || !good(cudaMemcpy(s.words, zeros, WORDS * sizeof *zeros, cudaMemcpyHostToDevice))) abort();
  free(zeros);
  s.of.words = (dataflow_words){s.words, s.words + 1, s.words + 2};
  return s;
}

static inline void release_setup(device_setup *s) {
  unsigned words[WORDS], nonzero = 0;
  check(good(cudaMemcpy(words, s->words, sizeof words, cudaMemcpyDeviceToHost)), "the words are there");
  for (int i = 0; i < WORDS; i++) nonzero |= words[i];
  check(nonzero == 0, "the launches have left zeros in all words");
  cudaFree(s->words), cudaFree(s->of.space);
}

typedef struct problem {
  char text[200];
  trigon_type type;
  gpu_features has;
  cudaError_t (*launch)(queue, trigon_type, const struct problem *, const dataflow_setup *);
  product p;
  triangular t;
} problem;

/* Chooses the order of the blocks, and loads the kernels, which a new order forgets. */
static inline void set_order(unsigned which, unsigned needs) {
  static const char *const orders[] = {"seed=1&resident=2", "seed=2&resident=7", "seed=3&resident=1", "seed=4&warp=64"};
  char why[100] = "";
  check(tg_configure(0, orders[which % 4], why, sizeof why) == 0 && good(load_kernels(needs)), why);
}

/* Launches twice, with the blocks in different orders. `result` then has the result on the host, and `before` what was
 * there. */
static inline void run(const problem *p, const device_setup *s, const stored *result, stored *before) {
  const queue q = {.has = p->has, .arch = kind};
  char *first = malloc((size_t)result->bytes);
  *before = *result;
  before->host = malloc((size_t)result->bytes);
  if (!first || !before->host) abort();
  memcpy(before->host, result->host, (size_t)result->bytes);
  before->on_host.data = before->host + ((char *)result->on_host.data - result->host);
  for (int turn = 0; turn < 2; turn++) {
    set_order(p->has.fp64_mma ? random_below(3) : random_below(4) + (unsigned)turn, p->has.fp64_mma ? NEEDS_MMA : 0);
    if (!good(cudaMemcpy(result->device, before->host, (size_t)result->bytes, cudaMemcpyHostToDevice))) abort();
    check(good(p->launch(q, p->type, p, &s->of)) && good(cudaDeviceSynchronize()) &&
              good(cudaMemcpy(result->host, result->device, (size_t)result->bytes, cudaMemcpyDeviceToHost)),
          p->text);
    if (turn == 0) memcpy(first, result->host, (size_t)result->bytes);
  }
  check_that(memcmp(first, result->host, (size_t)result->bytes) == 0, "%s: the same bits", p->text);
  free(first);
}

/* Puts back the elements of the result, and then all bytes must be as before. */
static inline void check_rest(const problem *p, const stored *result, stored *before, bool lower) {
  for (int64_t j = 0; j < result->cols; j++)
    for (int64_t i = lower ? j : 0; i < result->rows; i++) put(result, i, j, get(before, i, j));
  check_that(memcmp(result->host, before->host, (size_t)result->bytes) == 0, "%s: nothing else is written", p->text);
  free(before->host);
}

/* Element (i, j) of a symmetric or Hermitian matrix. */
static inline number mirrored(const stored *A, structure is, int64_t i, int64_t j) {
  if (is == STRUCTURE_GENERAL) return element(A, i, j);
  number x = i >= j ? element(A, i, j) : conjugate_if(is == STRUCTURE_HERMITIAN, element(A, j, i));
  if (i == j && is == STRUCTURE_HERMITIAN) x.im = 0;
  return x;
}

#endif
