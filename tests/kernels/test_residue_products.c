/* test_residue_products.c - products modulo several moduli, on any GPU: every element against a loop on the host.
 *
 *   test_residue_products [KERNEL [large]]   sizes on both sides of every tile, and long sums
 *   test_residue_products KERNEL time N...   the time of 14 products of square operands of random bytes
 *
 * KERNEL is any (the kernel for any GPU), mma (matrix units), or units (what the device has best). */
#include <stdlib.h>
#include <string.h>

#include "fp64/int8/residue_layout.h"
#include "gpu/kernels/fp64/int8/residue_products.h"
#include "gpu/kernels/registry.h"
#include "support/check.h"

enum { TIMED = 14, BEFORE = 77 }; /* BEFORE: the bytes of C before, a residue of every modulus */
typedef enum kernel_kind { ANY, MMA, BEST } kernel_kind;

typedef struct operands {
  int64_t m, n, k, ldc;
  int most;
  int8_t *A, *B, *C; /* on the host: A and B by lines of k, without blocks; C as the device has it */
} operands;

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

/* A residue of modulus t: -floor(p/2) .. floor((p-1)/2), or only ends of this range. */
static int8_t random_residue(int t, bool ends) {
  const int p = residue_modulus(t), half = p / 2;
  if (ends) return (int8_t)(random_bits() % 16 ? -half : (p - 1) / 2);
  return (int8_t)((int)((random_bits() >> 20) % (unsigned)p) - half);
}

static bool good(cudaError_t error) {
  if (error != cudaSuccess) printf("error: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess;
}

/* The planes of an operand, in device memory. */
static int8_t *planes_of(const int8_t *x, int64_t lines, int64_t k, int most) {
  const int64_t plane = residue_plane(lines, k), blocks = residue_blocks(k);
  int8_t *host = calloc((size_t)(plane * most), 1), *device = NULL;
  if (!host || !good(cudaMalloc((void **)&device, (size_t)(plane * most)))) abort();
  for (int t = 0; t < most; t++)
    for (int64_t i = 0; i < lines; i++)
      for (int64_t l = 0; l < k; l++) host[t * plane + residue_index(i, l, blocks)] = x[(t * lines + i) * k + l];
  if (!good(cudaMemcpy(device, host, (size_t)(plane * most), cudaMemcpyHostToDevice))) abort();
  free(host);
  return device;
}

/* If `adds` is set, C has been added to. */
static int64_t count_wrong(const operands *o, int moduli, bool adds, const triangle_part *computed) {
  int64_t wrong = 0;
  for (int t = 0; t < o->most; t++)
    for (int64_t j = 0; j < o->n; j++)
      for (int64_t i = 0; i < o->m; i++) {
        if (!part_meets(computed, i, j, 1, 1)) continue;
        const int8_t *a = o->A + (t * o->m + i) * o->k, *b = o->B + (t * o->n + j) * o->k;
        const int p = residue_modulus(t), c = (int)o->C[(t * o->n + j) * o->ldc + i];
        int64_t sum = adds ? BEFORE : 0;
        for (int64_t l0 = 0; l0 < o->k; l0 += 65536) {
          const int64_t end = l0 + 65536 < o->k ? l0 + 65536 : o->k;
          int part = 0;
          for (int64_t l = l0; l < end; l++) part += a[l] * b[l];
          sum += part;
        }
        wrong += t < moduli ? (sum - c) % p != 0 || 2 * (c < 0 ? -c : c) > p : c != BEFORE;
      }
  return wrong;
}

/* Code for Hopper runs on Hopper alone. Other kinds of GPUs have matrix units without it. */
static gpu_features features(kernel_kind kernel) {
  gpu_traits t = {.capability = kernel == BEST ? tg_compute_capability(0) : 0, .mma = kernel == BEST};
  if (kernel != ANY && !good(find_int8_mma(0, &t.int8_mma))) t.int8_mma = false;
  return gpu_features_of(&gpu_arch_hopper, &t);
}

static void run_part(kernel_kind kernel, int64_t m, int64_t n, int64_t k, int most, int moduli, bool ends, bool adds,
                     triangle_part part) {
  operands o = {m,
                n,
                k,
                (m + 15) / 16 * 16,
                most,
                malloc((size_t)(most * m * k)),
                malloc((size_t)(most * n * k)),
                malloc((size_t)(most * n * ((m + 15) / 16 * 16)))};
  const size_t c_bytes = (size_t)(most * n * o.ldc);
  char name[160];
  for (int t = 0; t < most; t++) {
    for (int64_t i = 0; i < m * k; i++) o.A[t * m * k + i] = random_residue(t, ends);
    for (int64_t i = 0; i < n * k; i++) o.B[t * n * k + i] = random_residue(t, ends);
  }
  int8_t *A = planes_of(o.A, m, k, most), *B = planes_of(o.B, n, k, most), *C = NULL;
  int *count = NULL;
  memset(o.C, BEFORE, c_bytes);
  bool ran = good(cudaMalloc((void **)&C, c_bytes)) && good(cudaMalloc((void **)&count, sizeof *count)) &&
             good(cudaMemcpy(C, o.C, c_bytes, cudaMemcpyHostToDevice)) &&
             good(cudaMemcpy(count, &moduli, sizeof moduli, cudaMemcpyHostToDevice));
  const residue_products p = {m,         n, k,     most, count, A, B, residue_plane(m, k), residue_plane(n, k),
                              n * o.ldc, C, o.ldc, adds, part};
  const queue q = {.has = features(kernel)};
  ran = ran && good(launch_residue_products(q, &p)) && good(cudaDeviceSynchronize()) &&
        good(cudaMemcpy(o.C, C, c_bytes, cudaMemcpyDeviceToHost));
  snprintf(name, sizeof name, "%d of %d products of %d x %d x %d%s%s, part %d of height %d, shift %d", moduli, most,
           (int)m, (int)n, (int)k, ends ? " with the largest sums" : "", adds ? ", added" : "", (int)part.kind,
           part.height, (int)part.shift);
  check(ran && count_wrong(&o, moduli, adds, &part) == 0, name);
  cudaFree(A), cudaFree(B), cudaFree(C), cudaFree(count);
  free(o.A), free(o.B), free(o.C);
}

static void run_case(kernel_kind kernel, int64_t m, int64_t n, int64_t k, int most, int moduli, bool ends, bool adds) {
  const triangle_part all = {TRIANGLE_NONE, 1, 0};
  run_part(kernel, m, n, k, most, moduli, ends, adds, all);
}

/* Triangles, and blocks of triangles that begin beside the diagonal. */
static void run_triangles(kernel_kind kernel, int64_t n, int64_t k, int moduli) {
  for (int height = 1; height <= 2; height++)
    for (int at = -1; at <= 1; at++) {
      const triangle_part lower = {TRIANGLE_LOWER, height, at * 128}, upper = {TRIANGLE_UPPER, height, at * 128};
      run_part(kernel, height * n, n, k, moduli, moduli, false, at == 0, lower);
      run_part(kernel, height * n, n + 70, k, moduli, moduli, false, at == 0, upper);
    }
}

static int compare(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Random bytes that are residues of every modulus up to t. */
static int8_t *random_planes(int64_t n) {
  enum { POOL = (16 << 20) + 4096 };
  const int64_t plane = residue_plane(n, n);
  int8_t *pool = malloc(POOL), *device = NULL;
  if (!pool || !good(cudaMalloc((void **)&device, (size_t)(plane * TIMED)))) abort();
  for (int t = 0; t < TIMED; t++) {
    const int p = residue_modulus(t);
    for (int64_t i = 0; i < POOL; i += 4) {
      uint64_t bits = random_bits();
      for (int b = 0; b < 4; b++, bits >>= 16)
        pool[i + b] = (int8_t)((int)((bits & 65535) * (unsigned)p >> 16) - p / 2);
    }
    for (int64_t at = 0; at < plane; at += POOL)
      if (!good(cudaMemcpy(device + t * plane + at, pool, (size_t)(plane - at < POOL ? plane - at : POOL),
                           cudaMemcpyHostToDevice)))
        abort();
  }
  free(pool);
  return device;
}

static void time_products(kernel_kind kernel, int64_t n) {
  enum { REPEATS = 15 };
  float ms[REPEATS];
  const int moduli = TIMED;
  int8_t *A = random_planes(n), *B = random_planes(n), *C = NULL;
  int *count = NULL;
  cudaEvent_t begun, done;
  bool ran = good(cudaMalloc((void **)&C, (size_t)(n * n * TIMED))) &&
             good(cudaMalloc((void **)&count, sizeof *count)) &&
             good(cudaMemcpy(count, &moduli, sizeof moduli, cudaMemcpyHostToDevice)) &&
             good(cudaEventCreateWithFlags(&begun, 0)) && good(cudaEventCreateWithFlags(&done, 0));
  const residue_products p = {
      n, n, n, TIMED, count, A, B, residue_plane(n, n), residue_plane(n, n), n * n, C, n, false, {TRIANGLE_NONE, 1, 0}};
  const queue q = {.has = features(kernel)};
  for (int i = 0; i < REPEATS && ran; i++) {
    const int together = n < 8192 ? 10 : 1;
    ran = good(cudaEventRecord(begun, 0));
    for (int r = 0; r < together && ran; r++) ran = good(launch_residue_products(q, &p));
    ran = ran && good(cudaEventRecord(done, 0)) && good(cudaEventSynchronize(done)) &&
          good(cudaEventElapsedTime(&ms[i], begun, done));
    ms[i] /= (float)together;
  }
  check(ran, "timed products run");
  qsort(ms, REPEATS, sizeof *ms, compare);
  const double work = 2e-9 * TIMED * (double)n * (double)n * (double)n;
  printf("n %d: least %.3f median %.3f most %.3f ms, %.0f TOPS\n", (int)n, ms[0], ms[REPEATS / 2], ms[REPEATS - 1],
         work / ms[REPEATS / 2]);
  cudaFree(A), cudaFree(B), cudaFree(C), cudaFree(count);
}

#ifdef TRIGON_VENDOR_SIM
int wrong_reductions(int t); /* residue_divisor.cc */
int wrong_integers(int t, int shape);
int wrong_byte_sums(int t, int words);
static void test_reductions(void) {
  for (int t = 0; t < residue_moduli; t++) {
    check(wrong_reductions(t) == 0, "every product of bytes is reduced rightly");
    for (int shape = 0; shape < 3; shape++)
      check(wrong_integers(t, shape) == 0, "integers of 63, 72 and 86 bits are reduced rightly");
    for (int words = 2; words <= 3; words++)
      check(wrong_byte_sums(t, words) == 0, "integers of 8 and 12 bytes are reduced rightly");
  }
}
#else
static void test_reductions(void) {}
#endif

int main(int argc, char **argv) {
  const char *const name = argc > 1 ? argv[1] : "any";
  const kernel_kind kernel = strcmp(name, "mma") == 0 ? MMA : strcmp(name, "units") == 0 ? BEST : ANY;
  const bool large = argc > 2 && strcmp(argv[2], "large") == 0;
  const gpu_features f = features(kernel);
  const unsigned has =
      (f.fp64_mma ? NEEDS_MMA : 0) | (f.int8_mma ? NEEDS_INT8_MMA : 0) | (f.int8_wgmma ? NEEDS_HOPPER : 0);
  check(kernel == ANY || f.int8_mma, "the device has the kernel");
  check(good(load_kernels(has)), "the kernels are loaded");
  if (argc > 3 && strcmp(argv[2], "time") == 0) {
    for (int i = 3; i < argc; i++) time_products(kernel, atoll(argv[i]));
    return checked();
  }
  if (kernel == ANY) test_reductions();
  static const int64_t sizes[][3] = {{1, 1, 1}, {17, 1, 129}, {1, 17, 17}, {129, 17, 64}, {17, 129, 65}, {40, 33, 300}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int most = 1; most <= residue_moduli; most += 19)
      run_case(kernel, sizes[i][0], sizes[i][1], sizes[i][2], most, most, i % 2, i % 4 > 1);
  run_case(kernel, 5, 5, 5, 3, 0, false, false);
  run_case(kernel, 20, 33, 40, 5, 2, false, false);
  run_case(kernel, 2, 3, 133200, 2, 2, true, true);
  run_triangles(kernel, 150, 40, 2);
  if (large) {
    for (int moduli = 1; moduli <= residue_moduli; moduli++)
      run_case(kernel, 300, 200, 700, moduli, moduli, false, moduli % 2);
    run_case(kernel, 1000, 1000, 1000, 20, 20, false, false);
    run_case(kernel, 2500, 1300, 257, 3, 3, true, false);
    run_case(kernel, 257, 385, 270000, 2, 2, true, false);
    run_case(kernel, 5000, 4300, 64, 2, 1, false, false);
    run_triangles(kernel, 2900, 65, 2);
  }
  return checked();
}
