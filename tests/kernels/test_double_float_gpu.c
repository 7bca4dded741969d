/* test_double_float_gpu.c - products by pairs of floats on a GPU have the bits of the host reference.
 *
 *   test_double_float_gpu [large]      small sizes, on both sides of every tile; `large`: on both sides of real tiles
 *   test_double_float_gpu time N...    the rate of FFMA, and of square products of pairs and of doubles */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "float_rate.h"
#include "fp64/double_float_case.h"
#include "gpu/kernels/fp64/double_float/double_float_launchers.h"
#include "gpu/kernels/registry.h"
#include "support/check.h"

static bool good(cudaError_t error) {
  if (error != cudaSuccess) printf("error: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess;
}

static void *on_device(const void *from, size_t bytes) {
  void *p = NULL;
  if (!good(cudaMalloc(&p, bytes + 1))) abort();
  if (from && !good(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice))) abort();
  return p;
}

static bool back(void *to, const void *from, size_t bytes) {
  return good(cudaDeviceSynchronize()) && good(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

/* ----------------------------------------------------------------------------------------------------- doubles -- */

/* Computes C on the device into `found`. */
static bool run_on_device(const gemm_data *d, double *found, bool tight) {
  const queue q = {.stream = NULL};
  const trigon_type type = d->o.C.type;
  product p = fold_gemm(&d->o);
  const bool z = type == TRIGON_Z;
  const int64_t bytes =
      tight ? double_float_least_workspace(z, p.m, p.n, p.k) : double_float_best_workspace(z, p.m, p.n, p.k);
  double *C = on_device(d->before, d->c_bytes);
  void *workspace = on_device(NULL, (size_t)bytes);
  p.A.data = on_device(d->A, d->a_bytes), p.B.data = on_device(d->B, d->b_bytes), p.C.data = C;
  const bool ran = good(launch_double_float_gemm(q, type, &p, workspace, bytes)) && back(found, C, d->c_bytes);
  cudaFree(p.A.data), cudaFree(p.B.data), cudaFree(C), cudaFree(workspace);
  return ran;
}

static const char *name_of(const gemm_case *c) {
  static char text[200];
  snprintf(text, sizeof text, "the bits of %c %d x %d x %d, ops %d %d", c->type == TRIGON_Z ? 'z' : 'd', (int)c->m,
           (int)c->n, (int)c->k, (int)c->op, (int)c->opB);
  return text;
}

static void compare(const gemm_case *c, const gemm_data *from) {
  gemm_data d = *from;
  double *found = malloc(d.c_bytes);
  if (!found) abort();
  memcpy(d.before, d.C, d.c_bytes);
  run_reference(&d, false);
  for (int tight = 0; tight < 2; tight++)
    check(run_on_device(&d, found, tight) && same_matrices(found, d.C, d.c_bytes), name_of(c));
  free(found);
}

static void compare_case(const gemm_case *c) {
  gemm_data d = make_gemm(c);
  compare(c, &d);
  free_gemm(&d);
}

/* Compares products that have NaN and infinity in a few elements. */
static void compare_special(const gemm_case *c) {
  gemm_data d = make_gemm(c);
  d.A[0] = INFINITY, d.B[d.b_bytes / sizeof *d.B / 2] = NAN;
  d.A[d.a_bytes / sizeof *d.A / 3] = -INFINITY, d.C[1] = NAN;
  compare(c, &d);
  free_gemm(&d);
}

static void compare_doubles(const int64_t (*shapes)[3], size_t count) {
  static const trigon_scalar scalars[][2] = {{{1, 0}, {0, 0}}, {{-0.7, 0.3}, {1, 0}}, {{1e300, 0}, {1e-3, -2}}};
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  int turn = 0;
  for (size_t s = 0; s < count; s++)
    for (int z = 0; z < 2; z++)
      for (int i = 0; i < 9; i++, turn++) {
        gemm_case c = {z ? TRIGON_Z : TRIGON_D,
                       shapes[s][0],
                       shapes[s][1],
                       shapes[s][2],
                       ops[i % 3],
                       ops[i / 3],
                       scalars[turn % 3][0],
                       scalars[turn % 3][1],
                       1,
                       spread};
        if (i % 2) c.fill = adversarial;
        compare_case(&c);
        if (c.k > 0) compare_special(&c);
      }
}

/* Two products in one call. */
static void compare_batch(void) {
  const gemm_case c = {TRIGON_Z, 5, 6, 7, TRIGON_NOTRANS, TRIGON_TRANS, {1, 2}, {0, 1}, 1, spread};
  gemm_data d = make_gemm(&c);
  double *found = malloc(d.c_bytes), *due = malloc(d.c_bytes);
  if (!found || !due) abort();
  d.o.C.n = 3, d.o.B.m = 3; /* the columns 0 to 2, and then 3 to 5 */
  run_reference(&d, false);
  d.o.C.col = 3, d.o.B.row = 3;
  run_reference(&d, false);
  memcpy(due, d.C, d.c_bytes);
  d.o.C.col = 0, d.o.B.row = 0, d.o.C.count = 2, d.o.C.col_step = 3, d.o.B.row_step = 3;
  check(run_on_device(&d, found, false) && same_matrices(found, due, d.c_bytes), "the bits of two products");
  free(found), free(due), free_gemm(&d);
}

/* ------------------------------------------------------------------------------------------------------- pairs -- */

static bool same_pairs(const double_float *x, const double_float *y, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!same_double(x[i].high, y[i].high) || !same_double(x[i].low, y[i].low)) return false;
  return true;
}

static void compare_pairs(int64_t m, int64_t n, int64_t k, int turn) {
  const int64_t ld = (m > n ? m > k ? m : k : n > k ? n : k) + 3;
  const size_t bytes = (size_t)(ld * ld) * sizeof(double_float);
  double_float *A = malloc(bytes), *B = malloc(bytes), *C = malloc(bytes), *found = malloc(bytes);
  if (!A || !B || !C || !found) abort();
  for (int64_t i = 0; i < ld * ld; i++) {
    A[i] = double_float_of(spread(0, 0, 2)), B[i] = double_float_of(spread(0, 0, 2));
    C[i] = turn & 4 ? double_float_of(spread(0, 0, 2)) : (double_float){NAN, NAN};
  }
  if (turn & 8) A[0].high = INFINITY, B[1].high = NAN, A[1].high = 3e38F;
  const bool a = turn & 1, b = turn & 2;
  double_float_product p = {m,
                            n,
                            k,
                            a ? ld : 1,
                            a ? 1 : ld,
                            b ? ld : 1,
                            b ? 1 : ld,
                            ld,
                            on_device(A, bytes),
                            on_device(B, bytes),
                            on_device(C, bytes),
                            double_float_of(turn & 16 ? 0 : 0.3),
                            double_float_of(turn & 4 ? -0.7 : 0)};
  double_float_product on_host = p;
  on_host.A = A, on_host.B = B, on_host.C = C;
  gemm_pairs(NULL, &on_host);
  const queue q = {.stream = NULL};
  check(good(launch_gemm_pairs(q, &p)) && back(found, p.C, bytes) && same_pairs(found, C, ld * ld),
        "the bits of a product of pairs");
  cudaFree((void *)p.A), cudaFree((void *)p.B), cudaFree(p.C);
  free(A), free(B), free(C), free(found);
}

static void copies(void) {
  enum { M = 37, N = 21, FROM = 40, TO = 43 };
  double x[FROM * N], y[FROM * N];
  double_float pairs[TO * N], found[TO * N];
  for (int i = 0; i < FROM * N; i++) x[i] = i == 5 ? NAN : i == 6 ? 1e300 : i == 7 ? -0.0 : spread(0, 0, 2);
  memset(pairs, 0xff, sizeof pairs), memset(y, 0xff, sizeof y);
  double *doubles = on_device(x, sizeof x);
  double_float *on = on_device(pairs, sizeof pairs);
  double_float_copy on_host = {M, N, FROM, TO, x, pairs, true};
  copy_pairs(NULL, &on_host);
  on_host.to_pairs = false, on_host.doubles = y;
  copy_pairs(NULL, &on_host);
  const queue q = {.stream = NULL};
  double_float_copy p = {M, N, FROM, TO, doubles, on, true};
  check(good(launch_double_float_copy(q, &p)) && back(found, on, sizeof found) && same_pairs(found, pairs, TO * N),
        "doubles become pairs");
  p.to_pairs = false;
  memset(x, 0xff, sizeof x);
  check(good(cudaMemcpy(doubles, x, sizeof x, cudaMemcpyHostToDevice)) && good(launch_double_float_copy(q, &p)) &&
            back(x, doubles, sizeof x) && same_matrices(x, y, sizeof x),
        "pairs become doubles");
  cudaFree(doubles), cudaFree(on);
}

/* -------------------------------------------------------------------------------------------------------- time -- */

enum { REPEATS = 9 };

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The median of the times of `launch`, in milliseconds. The first call is not counted. */
typedef cudaError_t timed_launch(void *);
static double median_time(timed_launch *launch, void *task) {
  float ms[REPEATS] = {0};
  cudaEvent_t begun, done;
  bool ran = good(cudaEventCreateWithFlags(&begun, 0)) && good(cudaEventCreateWithFlags(&done, 0)) &&
             good(launch(task)) && good(cudaDeviceSynchronize());
  for (int i = 0; i < REPEATS && ran; i++)
    ran = good(cudaEventRecord(begun, 0)) && good(launch(task)) && good(cudaEventRecord(done, 0)) &&
          good(cudaEventSynchronize(done)) && good(cudaEventElapsedTime(&ms[i], begun, done));
  check(ran, "timed kernels run");
  cudaEventDestroy(begun), cudaEventDestroy(done);
  qsort(ms, REPEATS, sizeof *ms, compare_floats);
  return ms[REPEATS / 2];
}

/* 16 waves of 8 blocks for each of up to 132 multiprocessors, so that no multiprocessor waits for others for long. */
enum { RATE_BLOCKS = TG_TILE(2, 132 * 8 * 16), RATE_ROUNDS = TG_TILE(1, 64) };

static cudaError_t run_rate(void *task) { return launch_float_rate(RATE_BLOCKS, *(float_rate *)task); }

static double float_tflops(void) {
  float_rate p = {on_device(NULL, sizeof(float) * RATE_BLOCKS * rate_threads), 0.5F, 1, RATE_ROUNDS};
  const double ms = median_time(run_rate, &p);
  cudaFree(p.out);
  return 2e-9 * RATE_BLOCKS * rate_threads * rate_chains * rate_links * (double)RATE_ROUNDS / ms;
}

static cudaError_t run_pairs(void *task) { return launch_gemm_pairs((queue){.stream = NULL}, task); }

typedef struct timed_product {
  product p;
  void *workspace;
  int64_t bytes;
} timed_product;

static cudaError_t run_doubles(void *task) {
  const timed_product *t = task;
  return launch_double_float_gemm((queue){.stream = NULL}, TRIGON_D, &t->p, t->workspace, t->bytes);
}

/* `a` and `b`: A, and B, are transposed. */
static void time_products(int64_t n, bool a, bool b) {
  const size_t count = (size_t)(n * n);
  double *x = malloc(count * sizeof *x);
  if (!x) abort();
  for (size_t i = 0; i < count; i++) x[i] = uniform() - 0.5;
  const double before = float_tflops(), work = 2e-9 * (double)n * (double)n * (double)n;
  double *A = on_device(x, count * 8), *B = on_device(x, count * 8), *C = on_device(NULL, count * 8);
  double_float *pa = on_device(NULL, count * 8), *pb = on_device(NULL, count * 8), *pc = on_device(NULL, count * 8);
  const double_float_copy to_a = {n, n, n, n, A, pa, true}, to_b = {n, n, n, n, B, pb, true};
  const queue q = {.stream = NULL};
  check(good(launch_double_float_copy(q, &to_a)) && good(launch_double_float_copy(q, &to_b)), "operands become pairs");
  double_float_product pairs = {n, n, n, a ? n : 1, a ? 1 : n, b ? n : 1, b ? 1 : n, n, pa, pb, pc, {1, 0}, {0, 0}};
  const double double_float_rate = work / median_time(run_pairs, &pairs);
  timed_product t = {.p = {.m = n, .n = n, .k = n, .count = 1, .alpha = {1, 0}}};
  t.p.A = (operand){A, pairs.a_row, pairs.a_col, 0, false}, t.p.B = (operand){B, pairs.b_row, pairs.b_col, 0, false};
  t.p.C = (operand){C, 1, n, 0, false};
  t.bytes = double_float_best_workspace(false, n, n, n), t.workspace = on_device(NULL, (size_t)t.bytes);
  const double double_rate = work / median_time(run_doubles, &t), rate = (before + float_tflops()) / 2;
  printf("n %d %c%c: FFMA %.2f Tflop/s; DF(DF) %.3f Tflop/s, %.1f %% of FFMA/16; D(DF) %.3f Tflop/s, %.1f %%\n", (int)n,
         a ? 'T' : 'N', b ? 'T' : 'N', rate, double_float_rate, 1600 * double_float_rate / rate, double_rate,
         1600 * double_rate / rate);
  cudaFree(A), cudaFree(B), cudaFree(C), cudaFree(pa), cudaFree(pb), cudaFree(pc), cudaFree(t.workspace);
  free(x);
}

int main(int argc, char **argv) {
  check(good(load_kernels(0)), "the kernels are loaded");
  if (argc > 2 && strcmp(argv[1], "time") == 0) {
    for (int i = 2; i < argc; i++)
      for (int order = 0; order < 4; order++) time_products(atoll(argv[i]), order & 1, order & 2);
    return checked();
  }
  static const int64_t small[][3] = {{1, 1, 1}, {17, 9, 5}, {8, 16, 0}, {33, 20, 70}};
  static const int64_t large[][3] = {{64, 64, 16}, {130, 65, 90}, {257, 190, 300}, {63, 129, 1000}};
  compare_doubles(small, sizeof small / sizeof *small);
  static const int64_t blocked[][3] = {{70, 67, 66}, {70, 67, 20}}; /* along all directions; along rows and columns */
  compare_doubles(blocked, 2);
  compare_batch();
  for (int turn = 0; turn < 32; turn++) compare_pairs(17, 20, turn & 8 ? 9 : 11, turn);
  copies();
  if (argc > 1 && strcmp(argv[1], "large") == 0) {
    compare_doubles(large, sizeof large / sizeof *large);
    for (int turn = 0; turn < 32; turn++) compare_pairs(200, 129, 333, turn);
  }
  return checked();
}
