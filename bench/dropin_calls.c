/* dropin_calls.c - how long calls of a drop-in library and of the BLAS underneath take, in turns in one process.
 *   cc -O2 bench/dropin_calls.c -ldl -o dropin_calls
 *   dropin_calls DROPIN HOST [ORDER...]             short calls; the default is orders 1 to 64
 *   dropin_calls DROPIN HOST vectors [ORDER...]     calls of level 2; the default is orders 1 to 256
 *   dropin_calls DROPIN HOST eigen [ORDER...]       symmetric eigenproblems; the default is orders 2 to 512. With
 *                                                   TRIGON_BLAS_ROUTES=none the drop-in computes all of them
 *   dropin_calls DROPIN HOST turns                  GEMM and POTRF of 512, in turns
 * as in: dropin_calls build/release/dropin/libtrigon-blas.so libopenblas.so.0
 * Prints CSV. Each library computes a sample of many calls, then the other one does. The figures are medians of the
 * samples. Set TRIGON_NUM_THREADS and OPENBLAS_NUM_THREADS, or OMP_NUM_THREADS, to the same number. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef const int *size;
typedef size_t length;
typedef void any_function(void);
typedef void gemm_function(const char *, const char *, size, size, size, const double *, const double *, size,
                           const double *, size, const double *, double *, size, length, length);
typedef void trsm_function(const char *, const char *, const char *, const char *, size, size, const double *,
                           const double *, size, double *, size, length, length, length, length);
typedef void syrk_function(const char *, const char *, size, size, const double *, const double *, size, const double *,
                           double *, size, length, length);
typedef void potrf_function(const char *, size, double *, size, int *, length);
typedef void potrs_function(const char *, size, size, const double *, size, double *, size, int *, length);
typedef void gemv_function(const char *, size, size, const double *, const double *, size, const double *, size,
                           const double *, double *, size, length);
typedef void symv_function(const char *, size, const double *, const double *, size, const double *, size,
                           const double *, double *, size, length);
typedef void trmv_function(const char *, const char *, const char *, size, const double *, size, double *, size, length,
                           length, length);
typedef void ger_function(size, size, const double *, const double *, size, const double *, size, double *, size);
typedef void syr_function(const char *, size, const double *, const double *, size, double *, size, length);
typedef void syr2_function(const char *, size, const double *, const double *, size, const double *, size, double *,
                           size, length);

typedef void syev_function(const char *, const char *, size, double *, size, double *, double *, size, int *, length,
                           length);
typedef void syevd_function(const char *, const char *, size, double *, size, double *, double *, size, int *, size,
                            int *, length, length);
typedef void syevr_function(const char *, const char *, const char *, size, double *, size, const double *,
                            const double *, size, size, const double *, int *, double *, double *, size, int *,
                            double *, size, int *, size, int *, length, length, length);
typedef void syevx_function(const char *, const char *, const char *, size, double *, size, const double *,
                            const double *, size, size, const double *, int *, double *, double *, size, double *, size,
                            int *, int *, int *, length, length, length);

/* The functions of one library. */
typedef struct library {
  gemm_function *gemm;
  trsm_function *trsm;
  syrk_function *syrk;
  potrf_function *potrf;
  potrs_function *potrs;
  gemv_function *gemv;
  symv_function *symv;
  trmv_function *trmv, *trsv;
  ger_function *ger;
  syr_function *syr;
  syr2_function *syr2;
  syev_function *syev;
  syevd_function *syevd;
  syevr_function *syevr;
  syevx_function *syevx;
} library;

static const double one = 1, none = 0;
static double *X, *Y, *Z, *identity;

static void find(void *handle, const char *name, void *function) {
  void *const address = dlsym(handle, name);
  if (!address) fprintf(stderr, "there is no %s\n", name), exit(1);
  memcpy(function, &address, sizeof address);
}

static library load(const char *path) {
  library l;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) fprintf(stderr, "%s\n", dlerror()), exit(1);
  find(handle, "dgemm_", &l.gemm), find(handle, "dtrsm_", &l.trsm), find(handle, "dsyrk_", &l.syrk);
  find(handle, "dpotrf_", &l.potrf), find(handle, "dpotrs_", &l.potrs);
  find(handle, "dgemv_", &l.gemv), find(handle, "dsymv_", &l.symv), find(handle, "dtrmv_", &l.trmv);
  find(handle, "dtrsv_", &l.trsv), find(handle, "dger_", &l.ger), find(handle, "dsyr_", &l.syr);
  find(handle, "dsyr2_", &l.syr2), find(handle, "dsyev_", &l.syev), find(handle, "dsyevd_", &l.syevd);
  find(handle, "dsyevr_", &l.syevr), find(handle, "dsyevx_", &l.syevx);
  return l;
}

/* Calls that can be repeated on the same memory: the factor of an identity is the identity. */
static void gemm(const library *l, int n) { l->gemm("N", "N", &n, &n, &n, &one, X, &n, Y, &n, &none, Z, &n, 1, 1); }
static void syrk(const library *l, int n) { l->syrk("L", "N", &n, &n, &one, X, &n, &none, Z, &n, 1, 1); }
static void trsm(const library *l, int n) {
  l->trsm("L", "L", "N", "N", &n, &n, &one, identity, &n, Y, &n, 1, 1, 1, 1);
}
static void potrf(const library *l, int n) {
  int info;
  l->potrf("L", &n, identity, &n, &info, 1);
}
static void potrs(const library *l, int n) {
  int info, nrhs = 1;
  l->potrs("L", &n, &nrhs, identity, &n, Y, &n, &info, 1);
}

/* Calls with vectors. Updates have a small factor, so that the matrix stays small. */
static const int step = 1, wide = 2;
static const double tiny = 1e-12;
static void gemv(const library *l, int n) { l->gemv("N", &n, &n, &one, X, &n, Y, &step, &none, Z, &step, 1); }
static void gemv_t(const library *l, int n) { l->gemv("T", &n, &n, &one, X, &n, Y, &step, &none, Z, &step, 1); }
static void gemv_wide(const library *l, int n) { l->gemv("N", &n, &n, &one, X, &n, Y, &wide, &none, Z, &wide, 1); }
static void symv(const library *l, int n) { l->symv("L", &n, &one, X, &n, Y, &step, &none, Z, &step, 1); }
static void symv_u(const library *l, int n) { l->symv("U", &n, &one, X, &n, Y, &step, &none, Z, &step, 1); }
static void trmv(const library *l, int n) { l->trmv("L", "N", "N", &n, identity, &n, Y, &step, 1, 1, 1); }
static void trmv_t(const library *l, int n) { l->trmv("L", "T", "N", &n, identity, &n, Y, &step, 1, 1, 1); }
static void trmv_wide(const library *l, int n) { l->trmv("L", "N", "N", &n, identity, &n, Y, &wide, 1, 1, 1); }
static void trsv(const library *l, int n) { l->trsv("L", "N", "N", &n, identity, &n, Y, &step, 1, 1, 1); }
static void trsv_t(const library *l, int n) { l->trsv("L", "T", "N", &n, identity, &n, Y, &step, 1, 1, 1); }
static void ger(const library *l, int n) { l->ger(&n, &n, &tiny, Y, &step, X, &step, Z, &n); }
static void syr(const library *l, int n) { l->syr("L", &n, &tiny, Y, &step, Z, &n, 1); }
static void syr2(const library *l, int n) { l->syr2("L", &n, &tiny, Y, &step, X, &step, Z, &n, 1); }

/* Eigenproblems of X, which is copied: a call overwrites its matrix. A tenth: the lowest values, at least one. */
enum { most_work = 3 * 1024 * 1024, most_integers = 10 * 1024 };
static double work[most_work], values[1024];
static int integers[most_integers], of_vectors[2 * 1024];
static const int lwork = most_work, liwork = most_integers;
static void copy(int n) { memcpy(identity, X, sizeof *X * (size_t)n * (size_t)n); }
static void syev(const library *l, int n, const char *job) {
  int info;
  copy(n), l->syev(job, "L", &n, identity, &n, values, work, &lwork, &info, 1, 1);
}
static void syevd(const library *l, int n, const char *job) {
  int info;
  copy(n), l->syevd(job, "L", &n, identity, &n, values, work, &lwork, integers, &liwork, &info, 1, 1);
}
static void syevr(const library *l, int n, const char *job, const char *range) {
  const int first = 1, last = n < 10 ? 1 : n / 10;
  int m, info;
  copy(n);
  l->syevr(job, range, "L", &n, identity, &n, &none, &none, &first, &last, &none, &m, values, Z, &n, of_vectors, work,
           &lwork, integers, &liwork, &info, 1, 1, 1);
}
static void syevx(const library *l, int n, const char *job, const char *range) {
  const int first = 1, last = n < 10 ? 1 : n / 10;
  int m, info;
  copy(n);
  l->syevx(job, range, "L", &n, identity, &n, &none, &none, &first, &last, &none, &m, values, Z, &n, work, &lwork,
           integers, of_vectors, &info, 1, 1, 1);
}
static void syev_n(const library *l, int n) { syev(l, n, "N"); }
static void syev_v(const library *l, int n) { syev(l, n, "V"); }
static void syevd_n(const library *l, int n) { syevd(l, n, "N"); }
static void syevd_v(const library *l, int n) { syevd(l, n, "V"); }
static void syevr_n(const library *l, int n) { syevr(l, n, "N", "A"); }
static void syevr_v(const library *l, int n) { syevr(l, n, "V", "A"); }
static void syevr_n_tenth(const library *l, int n) { syevr(l, n, "N", "I"); }
static void syevr_v_tenth(const library *l, int n) { syevr(l, n, "V", "I"); }
static void syevx_n(const library *l, int n) { syevx(l, n, "N", "A"); }
static void syevx_v(const library *l, int n) { syevx(l, n, "V", "A"); }
static void syevx_n_tenth(const library *l, int n) { syevx(l, n, "N", "I"); }
static void syevx_v_tenth(const library *l, int n) { syevx(l, n, "V", "I"); }

typedef struct routine {
  const char *name;
  void (*call)(const library *, int);
} routine;
static const routine routines[] = {{"dgemm_", gemm},   {"dtrsm_", trsm},   {"dsyrk_", syrk},
                                   {"dpotrf_", potrf}, {"dpotrs_", potrs}, {0}};
static const routine with_vectors[] = {{"dgemv_ N", gemv},
                                       {"dgemv_ T", gemv_t},
                                       {"dgemv_ N increments 2", gemv_wide},
                                       {"dsymv_ L", symv},
                                       {"dsymv_ U", symv_u},
                                       {"dtrmv_ LN", trmv},
                                       {"dtrmv_ LT", trmv_t},
                                       {"dtrmv_ LN increment 2", trmv_wide},
                                       {"dtrsv_ LN", trsv},
                                       {"dtrsv_ LT", trsv_t},
                                       {"dger_", ger},
                                       {"dsyr_ L", syr},
                                       {"dsyr2_ L", syr2},
                                       {0}};

static const routine eigenproblems[] = {{"dsyev_ N", syev_n},
                                        {"dsyev_ V", syev_v},
                                        {"dsyevd_ N", syevd_n},
                                        {"dsyevd_ V", syevd_v},
                                        {"dsyevr_ N", syevr_n},
                                        {"dsyevr_ V", syevr_v},
                                        {"dsyevr_ N a tenth", syevr_n_tenth},
                                        {"dsyevr_ V a tenth", syevr_v_tenth},
                                        {"dsyevx_ N", syevx_n},
                                        {"dsyevx_ V", syevx_v},
                                        {"dsyevx_ N a tenth", syevx_n_tenth},
                                        {"dsyevx_ V a tenth", syevx_v_tenth},
                                        {0}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fill(int n) {
  memset(identity, 0, sizeof *identity * (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++) identity[i + i * n] = 1;
  unsigned random = 1;
  for (int i = 0; i < n * n; i++) /* X has no structure, or eigenproblems would be easy */
    random = random * 1664525u + 1013904223u, X[i] = (double)random * 0x1p-32 - 0.5,
    Y[i] = (double)(i * 53 % 103) / 103 - 0.5, Z[i] = 1;
}

static double sample(const routine *r, const library *l, int n, int calls) {
  const double begun = now();
  for (int i = 0; i < calls; i++) r->call(l, n);
  return (now() - begun) / calls;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int count) {
  qsort(x, (size_t)count, sizeof *x, compare);
  return x[count / 2];
}

/* How many samples: fewer than `most` if a call is long. */
static int samples_for(const routine *r, const library *l, int n, int calls, int most) {
  const double seconds = sample(r, l, n, calls) * calls * 1e-9, wanted = 0.5;
  const int count = seconds * most > wanted ? (int)(wanted / seconds) : most;
  return count < 5 ? 5 : count;
}

/* How many calls take 20 microseconds. */
static int calls_of_sample(const routine *r, const library *l, int n) {
  const double wanted = 20000;
  int calls = 1;
  for (int i = 0; i < 3; i++) sample(r, l, n, n > 64 ? 1 : 10);
  while (calls < 1000 && sample(r, l, n, calls) * calls < wanted) calls *= 2;
  return calls;
}

static void measure(const routine *r, const library *ours, const library *host, int n) {
  enum { most_samples = 401 };
  static double x[most_samples], y[most_samples], ratio[most_samples];
  fill(n);
  const int calls = calls_of_sample(r, host, n);
  const int samples = samples_for(r, ours, n, calls, most_samples);
  for (int i = 0; i < samples; i++) {
    if (i % 2) x[i] = sample(r, ours, n, calls);
    y[i] = sample(r, host, n, calls);
    if (i % 2 == 0) x[i] = sample(r, ours, n, calls);
    ratio[i] = x[i] / y[i];
  }
  printf("%s,%d,ns,%.1f,%.1f,%.3f\n", r->name, n, median(y, samples), median(x, samples), median(ratio, samples));
  fflush(stdout);
}

/* GEMM and POTRF after each other, as often as told. Milliseconds of a pair. */
static double pairs(const library *gemms, const library *factors, int n, int count) {
  const double begun = now();
  for (int i = 0; i < count; i++) gemm(gemms, n), potrf(factors, n);
  return (now() - begun) * 1e-6 / count;
}

static void turns(const library *ours, const library *host) {
  enum { n = 512, rounds = 40, count = 25 }; /* 1000 pairs by each */
  static double x[rounds], y[rounds], mixed[rounds];
  fill(n);
  for (int i = 0; i < rounds; i++) {
    y[i] = pairs(host, host, n, count);
    x[i] = pairs(ours, ours, n, count);
    mixed[i] = pairs(host, ours, n, count);
  }
  printf("gemm and potrf in turns,%d,ms,%.4f,%.4f,\n", n, median(y, rounds), median(x, rounds));
  printf("gemm by the host and potrf by trigon,%d,ms,%.4f,%.4f,\n", n, median(y, rounds), median(mixed, rounds));
}

static void measure_all(const routine *r, const library *ours, const library *host, const int *orders) {
  for (; r->name; r++)
    for (int i = 0; orders[i]; i++) measure(r, ours, host, orders[i]);
}

int main(int argc, char **argv) {
  enum { most_orders = 64 };
  static int orders[most_orders] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  static const int orders_of_vectors[most_orders] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  static const int orders_of_eigenproblems[most_orders] = {2,  4,  6,  8,   12,  16,  24,  32,
                                                           48, 64, 96, 128, 192, 256, 384, 512};
  const size_t most = sizeof(double) * 1024 * 1024;
  if (argc < 3 || argc >= most_orders)
    return fprintf(stderr, "usage: dropin_calls DROPIN HOST [turns | [vectors | eigen] ORDER...]\n"), 2;
  const library host = load(argv[2]), ours = load(argv[1]);
  X = malloc(most), Y = malloc(most), Z = malloc(most), identity = malloc(most);
  if (!X || !Y || !Z || !identity) return 1;
  printf("what,order,unit,host,trigon,ratio\n");
  if (argc == 4 && strcmp(argv[3], "turns") == 0) return turns(&ours, &host), 0;
  const bool has_vectors = argc > 3 && strcmp(argv[3], "vectors") == 0;
  const bool are_eigenproblems = argc > 3 && strcmp(argv[3], "eigen") == 0;
  const int first = has_vectors || are_eigenproblems ? 4 : 3;
  if (has_vectors) memcpy(orders, orders_of_vectors, sizeof orders);
  if (are_eigenproblems) memcpy(orders, orders_of_eigenproblems, sizeof orders);
  if (argc > first) memset(orders, 0, sizeof orders);
  for (int i = first; i < argc; i++) orders[i - first] = atoi(argv[i]);
  measure_all(are_eigenproblems ? eigenproblems : has_vectors ? with_vectors : routines, &ours, &host, orders);
  return 0;
}
