/* test_chase.c - bulge chasing (chase_hops.cu, chase_band.cu), on any GPU: a band becomes tridiagonal, and with the
 * kept reflectors A = Q·T·Qᴴ, in long doubles. All memory that is not to be read holds NaNs.
 *
 *   test_chase_gpu             checks
 *   test_chase_gpu time N...   the time of a band of order N, in each type and form */
#include "kept_reflectors.h"

/* Hops that stay, or blocks that take sweeps by tickets. */
typedef enum form { HOPS, TICKETS } form;

typedef struct band_case {
  trigon_type type;
  bool lower, keeps;
  int64_t n;
  form form;
} band_case;

static const char *name_of(const band_case *c) {
  static char text[100];
  snprintf(text, sizeof text, "%c, %s triangle, order %d, keeps %d, form %d", (int)c->type,
           c->lower ? "lower" : "upper", (int)c->n, c->keeps, (int)c->form);
  return text;
}

/* --------------------------------------------------------------------------------------------------- the launch -- */

typedef struct band_memory {
  stored A, d, e;
  void *band;
  unsigned *words;
} band_memory;

static trigon_type real_type(trigon_type t) { return is_single(t) ? TRIGON_S : TRIGON_D; }

/* A band of random numbers, in a triangle of NaNs. The norm is near 1, as after scaling. */
static band_memory make_band(const band_case *c) {
  band_memory m = {.A = make(c->type, c->n, c->n, (layout){.odd = true}, false),
                   .d = make(real_type(c->type), c->n, 1, (layout){0}, false),
                   .e = make(real_type(c->type), c->n, 1, (layout){0}, false)};
  memset(m.A.host, 0xff, (size_t)m.A.bytes);
  for (int64_t j = 0; j < c->n; j++)
    for (int64_t i = j; i < c->n && i - j <= band_width; i++) {
      const number x = {(random_below(2001) / 1000.0L - 1) / 8, (random_below(2001) / 1000.0L - 1) / 8};
      put(&m.A, c->lower ? i : j, c->lower ? j : i, x);
    }
  send(&m.A);
  const int64_t elements = 2 * band_width * (c->n + 2 * band_width);
  const size_t words = (size_t)(c->n + 1) * sizeof *m.words;
  if (!good(cudaMalloc(&m.band, (size_t)(elements * element_size(c->type)))) ||
      !good(cudaMalloc((void **)&m.words, words)))
    abort();
  return m;
}

static void release_band(band_memory *m) {
  release(&m->A), release(&m->d), release(&m->e);
  cudaFree(m->band), cudaFree(m->words);
}

static cudaError_t launch(const band_case *c, const band_memory *m) {
  gpu_limits limits = *kind->limits;
  gpu_arch arch = *kind;
  limits.chase_together = c->form == HOPS;
  arch.limits = &limits;
  const chased_band p = {.lower = c->lower,
                         .keeps = c->keeps,
                         .n = c->n,
                         .ld = m->A.on_host.col,
                         .A = m->A.on_device.data,
                         .band = m->band,
                         .d = m->d.on_device.data,
                         .e = m->e.on_device.data,
                         .words = m->words};
  return launch_chase_band((queue){.arch = &arch}, c->type, &p);
}

static bool fetch(const stored *s) {
  return good(cudaMemcpy(s->host, s->device, (size_t)s->bytes, cudaMemcpyDeviceToHost));
}

/* --------------------------------------------------------------------------------------------------- the checks -- */

/* Element (i, j) of the band before. */
static number band_number(const band_case *c, const stored *A, int64_t i, int64_t j) {
  if (i - j > band_width || j - i > band_width) return (number){0, 0};
  number x = conjugate_if(c->lower != (i >= j), c->lower == (i >= j) ? get(A, i, j) : get(A, j, i));
  if (i == j) x.im = 0;
  return conjugate_if(!is_complex(c->type), x);
}

/* Column j of T. */
static void column_of_t(const band_case *c, const band_memory *m, int64_t j, number *z) {
  for (int64_t i = 0; i < c->n; i++) z[i] = (number){0, 0};
  z[j] = get(&m->d, j, 0);
  if (j > 0) z[j - 1] = get(&m->e, j - 1, 0);
  if (j + 1 < c->n) z[j + 1] = get(&m->e, j, 0);
}

/* The largest column of A - Q·T·Qᴴ, and of I - Q·Qᴴ, in units of u. */
static void judge(const band_case *c, const band_memory *m, const stored *before) {
  const int64_t n = c->n;
  const long double unit = is_single(c->type) ? 0x1p-24L : 0x1p-53L;
  const kept_q q = {c->lower, n, &m->A};
  number *const X = malloc((size_t)(n * n) * sizeof *X), *const z = malloc((size_t)n * sizeof *z);
  long double worst[2] = {0, 0};
  if (!X || !z) abort();
  for (int which = 0; which < 2; which++) { /* X = Q·T, or Q */
    for (int64_t j = 0; j < n; j++) {
      number *const x = X + j * n;
      column_of_t(c, m, j, x);
      for (int64_t i = 0; which == 1 && i < n; i++) x[i] = (number){i == j, 0};
      apply_kept(&q, x);
    }
    for (int64_t j = 0; j < n; j++) { /* column j of Q·Xᴴ = (X·Qᴴ)ᴴ */
      long double off = 0;
      for (int64_t i = 0; i < n; i++) z[i] = conjugate_if(true, X[i * n + j]);
      apply_kept(&q, z);
      for (int64_t i = 0; i < n; i++) {
        const number a = which == 0 ? band_number(c, before, i, j) : (number){i == j, 0};
        off += (a.re - z[i].re) * (a.re - z[i].re) + (a.im - z[i].im) * (a.im - z[i].im);
      }
      worst[which] = sqrtl(off) <= worst[which] ? worst[which] : sqrtl(off); /* a NaN stays */
    }
    worst[which] /= unit * sqrtl((long double)n);
  }
  check_that(worst[0] < 10, "%s: A - Q·T·Qᴴ is %g u·sqrt(n)", name_of(c), (double)worst[0]);
  check_that(worst[1] < 10, "%s: I - Q·Qᴴ is %g u·sqrt(n)", name_of(c), (double)worst[1]);
  free(X), free(z);
}

/* The first form's d and e, which another launch must have in every bit. */
static void same_bits(const band_case *c, const band_memory *m, const char *d, const char *e) {
  check_that(memcmp(d, m->d.host, (size_t)m->d.bytes) == 0 && memcmp(e, m->e.host, (size_t)m->e.bytes) == 0,
             "%s: the same bits", name_of(c));
}

/* Twice, in different orders of the blocks. */
static void test_band(const band_case *c) {
  band_memory m = make_band(c);
  stored before = m.A;
  char *d = malloc((size_t)m.d.bytes), *e = malloc((size_t)m.e.bytes);
  before.host = malloc((size_t)m.A.bytes);
  if (!d || !e || !before.host) abort();
  memcpy(before.host, m.A.host, (size_t)m.A.bytes);
  before.on_host.data = before.host + ((char *)m.A.on_host.data - m.A.host);
  for (int turn = 0; turn < 2; turn++) {
    set_order((unsigned)turn, 0);
    memcpy(m.A.host, before.host, (size_t)m.A.bytes);
    send(&m.A), send(&m.d), send(&m.e);
    check(good(launch(c, &m)) && good(cudaDeviceSynchronize()) && fetch(&m.A) && fetch(&m.d) && fetch(&m.e),
          name_of(c));
    if (turn == 0) memcpy(d, m.d.host, (size_t)m.d.bytes), memcpy(e, m.e.host, (size_t)m.e.bytes);
  }
  same_bits(c, &m, d, e);
  if (c->keeps) judge(c, &m, &before);
  free(d), free(e), free(before.host);
  release_band(&m);
}

/* Orders around one hop, two, and some. */
static void test_type(trigon_type type) {
  const int64_t b = band_width, orders[] = {1, 2, b, b + 1, b + 2, 2 * b, 2 * b + 3, 4 * b + 1};
  for (int i = 0; i < 8; i++)
    for (form f = HOPS; f <= TICKETS; f++)
      for (int lower = 0; lower < 2; lower++) test_band(&(band_case){type, lower, i != 3 || lower, orders[i], f});
}

/* -------------------------------------------------------------------------------------------------------- time -- */

enum { SAMPLES = 5 };

/* The least time in milliseconds. The band of the first launch stays: chasing does not write it. */
static double time_band(const band_case *c) {
  band_memory m = make_band(c);
  cudaEvent_t begun = NULL, done = NULL;
  float ms = 0, least = 0;
  bool ran = good(cudaEventCreateWithFlags(&begun, 0)) && good(cudaEventCreateWithFlags(&done, 0));
  for (int i = 0; i <= SAMPLES && ran; i++) {
    ran = good(cudaEventRecord(begun, 0)) && good(launch(c, &m)) && good(cudaEventRecord(done, 0)) &&
          good(cudaEventSynchronize(done)) && good(cudaEventElapsedTime(&ms, begun, done));
    least = i <= 1 || ms < least ? ms : least;
  }
  check(ran, name_of(c));
  cudaEventDestroy(begun), cudaEventDestroy(done);
  release_band(&m);
  return least;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "time") == 0) {
    check(good(load_kernels(0)), "the kernels are loaded");
    for (int i = 2; i < argc; i++)
      for (int t = 0; t < 4; t++)
        for (form f = HOPS; f <= TICKETS; f++)
          printf("%c, order %s, %s: %.2f ms\n", "sdcz"[t], argv[i], f == HOPS ? "hops" : "tickets",
                 time_band(&(band_case){(trigon_type) "sdcz"[t], true, true, strtoll(argv[i], NULL, 10), f}));
    return checked();
  }
  for (int t = 0; t < 4; t++) test_type((trigon_type) "sdcz"[t]);
  return checked();
}
