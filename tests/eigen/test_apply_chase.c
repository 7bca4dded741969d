/* test_apply_chase.c - the product Z = Q·Z with reflectors as bulge chasing keeps them (apply_chase.cu,
 * apply_chase_mma.cu), on any GPU: every element against reflectors that are applied one by one in long doubles. All
 * memory that is not to be read holds NaNs, and memory that is not to be written stays.
 *
 *   test_apply_chase_gpu             checks
 *   test_apply_chase_gpu time N...   the time of a product with N vectors of order N, in each type and form */
#include "kept_reflectors.h"

/* A form of the product, and how much memory for factors it has. */
typedef enum form { PLAIN, ON_MMA, MMA_IN_PARTS } form;

typedef struct chase_case {
  trigon_type type;
  bool lower;
  int64_t n, cols;
  form form;
} chase_case;

static const char *name_of(const chase_case *c) {
  static char text[100];
  snprintf(text, sizeof text, "%c, %s triangle, order %d, %d columns, form %d", (int)c->type,
           c->lower ? "lower" : "upper", (int)c->n, (int)c->cols, (int)c->form);
  return text;
}

/* --------------------------------------------------------------------------------------------------- reflectors -- */

/* A reflector I - tau·v·vᴴ that is unitary: tau = (1 - u)/|v|², |u| = 1. One of eight is no reflection, v = 0 and
 * tau = 0. */
static void put_reflector(const kept_q *q, trigon_type type, int64_t s, int64_t first) {
  static const number units[] = {{-1, 0}, {0.6L, 0.8L}, {-0.28L, 0.96L}, {0, -1}};
  const bool none = random_below(8) == 0;
  const number u = units[is_complex(type) ? random_below(4) : 0];
  long double square = 1;
  for (int64_t i = 1; i < length_of(q, s, first); i++) {
    const number x = {none ? 0 : random_below(2001) / 1000.0L - 1,
                      none || !is_complex(type) ? 0 : random_below(2001) / 1000.0L - 1};
    put_element(q, s, first + i, x);
    const number kept = reflector_element(q, s, first + i);
    square += kept.re * kept.re + kept.im * kept.im;
  }
  put_element(q, s, first, none ? (number){0, 0} : (number){(1 - u.re) / square, -u.im / square});
}

/* A, which is NaN but for the reflectors. */
static stored make_reflectors(const chase_case *c) {
  stored A = make(c->type, c->n, c->n, (layout){.odd = true}, false);
  const kept_q q = {c->lower, c->n, &A};
  memset(A.host, 0xff, (size_t)A.bytes);
  for (int64_t s = 0; s < c->n - 1; s++)
    for (int64_t first = 0; first < c->n - 1 - s; first += band_width) put_reflector(&q, c->type, s, first);
  send(&A);
  return A;
}

/* ---------------------------------------------------------------------------------------------------- the check -- */

/* Column j of Q·Z. */
static void expected_column(const chase_case *c, const stored *A, const stored *before, int64_t j, number *z) {
  for (int64_t i = 0; i < c->n; i++) z[i] = get(before, i, j);
  apply_kept(&(kept_q){c->lower, c->n, A}, z);
}

/* The largest difference of the columns, in units of u·√n·|z|. */
static double largest_error(const chase_case *c, const stored *A, const stored *Z, const stored *before) {
  const long double unit = is_single(c->type) ? 0x1p-24L : 0x1p-53L;
  number *z = malloc((size_t)(c->n + 1) * sizeof *z);
  long double worst = 0;
  if (!z) abort();
  for (int64_t j = 0; j < c->cols; j++) {
    long double off = 0, length = 0;
    expected_column(c, A, before, j, z);
    for (int64_t i = 0; i < c->n; i++) {
      const number x = get(Z, i, j), d = {x.re - z[i].re, x.im - z[i].im};
      off += d.re * d.re + d.im * d.im, length += z[i].re * z[i].re + z[i].im * z[i].im;
    }
    const long double error = sqrtl(off) / (unit * sqrtl((long double)c->n * length));
    worst = error <= worst ? worst : error; /* a NaN stays */
  }
  free(z);
  return (double)worst;
}

/* Memory for the factors of all passes, at most; or for those of the first pass, so that there are several launches. */
static int64_t work_bytes(const chase_case *c) {
  const int64_t hops = (c->n + band_width - 2) / band_width, passes = c->n / 32 + 1;
  const int64_t block = 2 * (band_width / 8 + 1) * 512 * (is_complex(c->type) ? 2 : 1);
  const int64_t first = hops * block * TG_TILE(4, is_complex(c->type) ? 4 : 12);
  return c->form == PLAIN ? 0 : c->form == MMA_IN_PARTS ? first : first * passes;
}

static queue queue_of(form f) { return (queue){.has = {.fp64_mma = f != PLAIN}, .arch = kind}; }

static void test_product(const chase_case *c) {
  stored A = make_reflectors(c), Z = make(c->type, c->n, c->cols, (layout){.odd = random_bool()}, false);
  problem named = {.type = c->type};
  snprintf(named.text, sizeof named.text, "%s", name_of(c));
  const size_t bytes = (size_t)Z.bytes;
  char *first = malloc(bytes);
  stored before = Z;
  before.host = malloc(bytes);
  void *work = NULL;
  const int64_t work_size = work_bytes(c);
  if (!first || !before.host || !good(cudaMalloc(&work, (size_t)work_size + 16))) abort();
  memcpy(before.host, Z.host, bytes);
  before.on_host.data = before.host + ((char *)Z.on_host.data - Z.host);
  const chase_product p = {.lower = c->lower,
                           .n = c->n,
                           .ld = A.on_host.col,
                           .cols = c->cols,
                           .ldz = Z.on_host.col,
                           .A = A.on_device.data,
                           .Z = Z.on_device.data,
                           .work = work,
                           .work_bytes = work_size};
  check_that(c->n < 2 || apply_chase_fits_mma(queue_of(c->form), c->type, &p) == (c->form != PLAIN), "%s: the form",
             named.text);
  for (int turn = 0; turn < 2; turn++) {
    set_order(random_below(3), c->form != PLAIN ? NEEDS_MMA : 0);
    if (!good(cudaMemcpy(Z.device, before.host, bytes, cudaMemcpyHostToDevice))) abort();
    check(good(launch_apply_chase(queue_of(c->form), c->type, &p)) && good(cudaDeviceSynchronize()) &&
              good(cudaMemcpy(Z.host, Z.device, bytes, cudaMemcpyDeviceToHost)),
          named.text);
    if (turn == 0) memcpy(first, Z.host, bytes);
  }
  check_that(memcmp(first, Z.host, bytes) == 0, "%s: the same bits", named.text);
  const double error = largest_error(c, &A, &Z, &before);
  check_that(error < 10, "%s: the error is %g u·sqrt(n)", named.text, error);
  check_rest(&named, &Z, &before, false);
  free(first), cudaFree(work);
  release(&A), release(&Z);
}

/* Orders around hops, blocks and passes, and columns around warps and the numbers of sets. */
static void test_type(trigon_type type) {
  const int64_t b = band_width, pass = TG_TILE(32, 96);
  const int64_t orders[] = {2, 3, b, b + 1, b + 2, 2 * b + 3, pass, pass + 1, pass + 2, 2 * pass + b + 5, 1};
  static const int64_t columns[] = {1, 15, 17, 25, 49, 97, 7};
  int turn = (int)random_below(7);
  for (int i = 0; i < 11; i++)
    for (form f = PLAIN; f <= MMA_IN_PARTS; f++, turn++)
      test_product(&(chase_case){type, turn % 2, orders[i], columns[turn % 7], f});
  for (form f = PLAIN; f <= MMA_IN_PARTS; f++) test_product(&(chase_case){type, true, b + 2, 0, f});
}

/* -------------------------------------------------------------------------------------------------------- time -- */

enum { SAMPLES = 5 };

/* The least time in milliseconds. */
static double time_product(const chase_case *c, const chase_product *p) {
  cudaEvent_t begun = NULL, done = NULL;
  float ms = 0, least = 0;
  bool ran = good(cudaEventCreateWithFlags(&begun, 0)) && good(cudaEventCreateWithFlags(&done, 0));
  for (int i = 0; i <= SAMPLES && ran; i++) {
    ran = good(cudaEventRecord(begun, 0)) && good(launch_apply_chase(queue_of(c->form), c->type, p)) &&
          good(cudaEventRecord(done, 0)) && good(cudaEventSynchronize(done)) &&
          good(cudaEventElapsedTime(&ms, begun, done));
    least = i <= 1 || ms < least ? ms : least;
  }
  check(ran, name_of(c));
  cudaEventDestroy(begun), cudaEventDestroy(done);
  return least;
}

/* A matrix of small random numbers: as reflectors they change little, so that nothing overflows. */
static void *filled(trigon_type type, int64_t elements) {
  const size_t bytes = (size_t)(elements * element_size(type));
  const size_t reals = bytes / (is_single(type) ? sizeof(float) : sizeof(double));
  void *const host = malloc(bytes);
  void *device = NULL;
  if (!host || !good(cudaMalloc(&device, bytes))) abort();
  for (size_t i = 0; i < reals; i++) {
    const double x = random_below(2001) / 64000.0 - 1.0 / 64;
    if (is_single(type))
      ((float *)host)[i] = (float)x;
    else
      ((double *)host)[i] = x;
  }
  if (!good(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice))) abort();
  free(host);
  return device;
}

/* With the memory that the eigensolver has: n² real numbers. */
static void time_order(trigon_type type, int64_t n) {
  const int64_t work = n * n * (is_single(type) ? 4 : 8);
  void *const A = filled(type, n * n), *const Z = filled(type, n * n);
  void *factors = NULL;
  if (!good(cudaMalloc(&factors, (size_t)work))) abort();
  for (form f = PLAIN; f <= ON_MMA; f++) {
    const chase_case c = {type, true, n, n, f};
    const chase_product p = {true, n, n, n, n, A, Z, factors, f == PLAIN ? 0 : work};
    printf("%c, order %d, %s: %.2f ms\n", (int)type, (int)n, f == PLAIN ? "plain" : "on matrix units",
           time_product(&c, &p));
  }
  cudaFree(A), cudaFree(Z), cudaFree(factors);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "time") == 0) {
    check(good(load_kernels(NEEDS_MMA)), "the kernels are loaded");
    for (int i = 2; i < argc; i++)
      for (int t = 0; t < 4; t++) time_order((trigon_type) "sdcz"[t], strtoll(argv[i], NULL, 10));
    return checked();
  }
  for (int t = 0; t < 4; t++) test_type((trigon_type) "sdcz"[t]);
  return checked();
}
