/* test_symm_columns.c - SYMM and HEMM with a few columns (src/gpu/kernels/vectors/symm_columns.cu), on any GPU: every
 * element against long doubles, all memory that is not to be read holds NaNs, and memory that is not to be written
 * stays.
 *
 *   test_symm_columns_gpu             checks
 *   test_symm_columns_gpu time N...   the time of doubles with 32 columns on matrix units, in each form */
#include "launch_runs.h"

static cudaError_t run_symm(queue q, trigon_type type, const problem *p, const dataflow_setup *s) {
  return launch_symm_columns(q, type, &p->p, s);
}

/* The sums of an element of C. */
static sum expected(const problem *p, const stored *A, const stored *B, const stored *C, int64_t i, int64_t j) {
  sum e = {{0, 0}, 0};
  const number alpha = of_scalar(p->type, p->p.alpha);
  for (int64_t k = 0; k < p->p.k; k++) add_product(&e, times(alpha, mirrored(A, p->p.A_is, i, k)), element(B, k, j));
  if (p->p.beta.re != 0) add_product(&e, of_scalar(p->type, p->p.beta), get(C, i, j));
  return e;
}

static void check_elements(const problem *p, const stored *A, const stored *B, const stored *C, const stored *before) {
  int64_t wrong = 0;
  for (int64_t j = 0; j < p->p.n; j++)
    for (int64_t i = 0; i < p->p.m; i++) {
      const sum e = expected(p, A, B, before, i, j);
      wrong += !is_near(get(C, i, j), &e, p->type, p->p.k);
    }
  check_that(wrong == 0, "%s: %d wrong elements", p->text, (int)wrong);
}

/* The kernels for matrix units, or those for any GPU. A's layout is given, those of B and C are random. */
static void test_symm(const device_setup *s, trigon_type type, bool mma, int64_t m, int64_t n, layout l) {
  const layout b = layouts[random_below(LAYOUTS)], c = layouts[random_below(LAYOUTS)];
  const structure is = random_bool() ? STRUCTURE_HERMITIAN : STRUCTURE_SYMMETRIC;
  stored A = make(type, m, m, l, true), B = make(type, m, n, b, false), C = make(type, m, n, c, false), before;
  const trigon_scalar alpha = scalars[random_bool() * 2], beta = scalars[random_below(4)];
  problem p = {.type = type, .has = {.fp64_mma = mma}, .launch = run_symm};
  conjugate_stored(&A, random_bool()), conjugate_stored(&B, random_bool());
  for (int64_t j = 0; beta.re == 0 && j < n; j++)
    for (int64_t i = 0; i < m; i++) put(&C, i, j, (number){NAN, NAN});
  send(&A), send(&B);
  snprintf(p.text, sizeof p.text, "%c symm, structure %d, %d x %d, by rows %d, odd %d, apart %d, backward %d, mma %d",
           (int)type, (int)is, (int)m, (int)n, l.by_rows, l.odd, l.apart, l.backward, mma);
  p.p = (product){.m = m,
                  .n = n,
                  .k = m,
                  .count = 1,
                  .alpha = alpha,
                  .beta = beta,
                  .A_is = is,
                  .A = A.on_device,
                  .B = B.on_device,
                  .C = C.on_device};
  run(&p, s, &C, &before);
  check_elements(&p, &A, &B, &C, &before);
  check_rest(&p, &C, &before, false);
  release(&A), release(&B), release(&C);
}

/* Orders around the edges of low and high bands, and columns around those of a slab. A space for no part, for two
 * pieces or so, and for all. The setup's rows name the form; 8 times the low ones, that of strips. */
static void test_sizes(trigon_type type, bool mma, int64_t space) {
  const int64_t low = TG_TILE(16, 64), orders[] = {2 * low + 3, low - 1, low + 1, 4 * low + 1, 1, low, 2};
  const int64_t slab = TG_TILE(8, 32), columns[] = {2, slab - 1, slab, slab + 1, 2 * slab, 33, symm_most_columns};
  device_setup s = make_setup(space);
  for (int i = 0; i < TG_TILE(14, 4); i++) {
    s.of.shape.rows = (const int[]){0, (int)low, (int)(2 * low), (int)(4 * low), (int)(8 * low)}[random_below(5)];
    test_symm(&s, type, mma, orders[i % 7], columns[random_below(7)], layouts[random_below(LAYOUTS)]);
  }
  release_setup(&s);
}

/* Bands of strips, whose parts fit all together, or in several launches, or not at all. */
static void test_strips(void) {
  const int64_t rows = TG_TILE(64, 256), orders[] = {rows - 1, 2 * rows + 7, rows + 1, rows, 3 * rows + 1};
  const int64_t band = rows * 32 * 8, parts[] = {4, 7, 16}; /* beside one for each block */
  for (int i = 0; i < TG_TILE(10, 2); i++)
    for (int space = 0; space < 3; space++) {
      device_setup s = make_setup((kind->limits->symm.blocks + parts[space]) * band);
      s.of.shape.rows = TG_TILE(128, 512);
      test_symm(&s, TRIGON_D, true, orders[i % 5], 2 + random_below(31), layouts[random_below(LAYOUTS)]);
      release_setup(&s);
    }
}

/* -------------------------------------------------------------------------------------------------------- time -- */

enum { TIMED_COLUMNS = 32, LAUNCHES = 20, SAMPLES = 7 };

static void *filled(int64_t elements) {
  double *const host = malloc((size_t)elements * sizeof *host);
  void *device = NULL;
  if (!host || !good(cudaMalloc(&device, (size_t)elements * sizeof *host))) abort();
  for (int64_t i = 0; i < elements; i++) host[i] = random_below(2001) / 1000.0 - 1;
  if (!good(cudaMemcpy(device, host, (size_t)elements * sizeof *host, cudaMemcpyHostToDevice))) abort();
  free(host);
  return device;
}

/* The least time of a launch in microseconds, of launches that follow each other. */
static double time_form(const product *p, const dataflow_setup *s) {
  const queue q = {.has = {.fp64_mma = true}, .arch = kind};
  cudaEvent_t begun = NULL, done = NULL;
  float ms = 0, least = 0;
  bool ran = good(cudaEventCreateWithFlags(&begun, 0)) && good(cudaEventCreateWithFlags(&done, 0));
  for (int i = 0; i < SAMPLES && ran; i++) {
    ran = good(cudaEventRecord(begun, 0));
    for (int l = 0; l < LAUNCHES && ran; l++) ran = good(launch_symm_columns(q, TRIGON_D, p, s));
    ran = ran && good(cudaEventRecord(done, 0)) && good(cudaEventSynchronize(done)) &&
          good(cudaEventElapsedTime(&ms, begun, done));
    least = i == 0 || ms < least ? ms : least;
  }
  cudaEventDestroy(begun), cudaEventDestroy(done);
  return ran ? 1000.0 * least / LAUNCHES : 0;
}

/* Bands of 64, 128 and 256 rows, and strips, for a lower and an upper triangle. */
static void time_order(int64_t n) {
  device_setup s = make_setup(32 << 20);
  product p = {.m = n, .n = TIMED_COLUMNS, .k = n, .count = 1, .alpha = {1, 0}, .A_is = STRUCTURE_SYMMETRIC};
  void *const A = filled(n * n), *const B = filled(n * TIMED_COLUMNS), *const C = filled(n * TIMED_COLUMNS);
  p.B = (operand){B, 1, n, 0, false}, p.C = (operand){C, 1, n, 0, false};
  for (int upper = 0; upper < 2; upper++)
    for (int rows = TG_TILE(16, 64); rows <= TG_TILE(128, 512); rows *= 2) {
      s.of.shape.rows = rows;
      p.A = upper ? (operand){A, n, 1, 0, false} : (operand){A, 1, n, 0, false};
      printf("order %d, %s, rows %d: %.1f us\n", (int)n, upper ? "upper" : "lower", rows, time_form(&p, &s.of));
    }
  cudaFree(A), cudaFree(B), cudaFree(C);
  release_setup(&s);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "time") == 0) {
    check(good(load_kernels(NEEDS_MMA)), "the kernels are loaded");
    for (int i = 2; i < argc; i++) time_order(strtoll(argv[i], NULL, 10));
    return checked();
  }
  test_strips();
  static const int64_t spaces[] = {0, TG_TILE(8, 200) << 10, 4 << 20};
  for (int i = 0; i < 4; i++)
    for (int space = 0; space < 3; space++)
      for (int mma = 0; mma < 2; mma++) test_sizes((trigon_type) "sdcz"[i], mma, spaces[space]);
  return checked();
}
