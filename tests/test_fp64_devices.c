/* test_fp64_devices.c - emulated products through the public interface: a device computes the bits of the host's
 * reference, and routines made of products keep their residuals.
 *
 *   test_fp64_devices [BACKEND]     default: sim:0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trigon.h>

#include "check.h"

static uint64_t state = 88172645463325252u;

static double uniform(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static double spread(double phi) {
  const double normal = sqrt(-2 * log(uniform() + 0x1p-60)) * cos(6.283185307179586 * uniform());
  return (uniform() - 0.5) * exp(phi * normal);
}

/* --------------------------------------------------------------------------------------------------- matrices -- */

static int64_t reals_of(trigon_type type) { return type == TRIGON_C || type == TRIGON_Z ? 2 : 1; }
static int64_t size_of(trigon_type type) {
  return reals_of(type) * (type == TRIGON_S || type == TRIGON_C ? (int64_t)sizeof(float) : (int64_t)sizeof(double));
}

static void *allocate(size_t bytes) {
  void *p = malloc(bytes + 1);
  if (!p) abort();
  return p;
}

/* A matrix on the host whose leading dimension is odd. What lies below its rows is NaN. */
static trigon_matrix random_matrix(trigon_type type, int64_t rows, int64_t cols, double phi) {
  const int64_t ld = (rows + 2) | 1, parts = reals_of(type), count = parts * ld * cols;
  trigon_matrix A = {
      .type = type, .rows = rows, .cols = cols, .ld = ld, .data = allocate((size_t)(size_of(type) * ld * cols))};
  for (int64_t i = 0; i < count; i++) {
    const double x = i / parts % ld < rows ? spread(phi) : (double)NAN;
    if (size_of(type) / parts == sizeof(float))
      ((float *)A.data)[i] = (float)x;
    else
      ((double *)A.data)[i] = x;
  }
  return A;
}

static size_t bytes_of(trigon_matrix A) { return (size_t)(size_of(A.type) * A.ld * A.cols); }

static trigon_matrix copy_of(trigon_matrix A) {
  trigon_matrix B = A;
  B.data = allocate(bytes_of(A));
  memcpy(B.data, A.data, bytes_of(A));
  return B;
}

static trigon_matrix on_device(trigon_context *ctx, trigon_matrix A) {
  trigon_matrix D = A;
  if (trigon_alloc(ctx, (int64_t)bytes_of(A), &D.data) != TRIGON_OK || trigon_upload(ctx, A, D) != TRIGON_OK) {
    printf("%s\n", trigon_message(ctx));
    abort();
  }
  return D;
}

/* ---------------------------------------------------------------------------------------------------- products -- */

typedef struct product_case {
  trigon_type type;
  int64_t m, n, k;
  trigon_op op, opB;
  trigon_scalar alpha, beta;
  double phi;
  int accuracy;
  int64_t cap; /* of the workspace; 0: the default */
  double special;
} product_case;

typedef struct pair_of_contexts {
  trigon_context *host, *device;
} pair_of_contexts;

static trigon_matrix stored(const product_case *p, trigon_op op, int64_t rows, int64_t cols) {
  return op == TRIGON_NOTRANS ? random_matrix(p->type, rows, cols, p->phi) : random_matrix(p->type, cols, rows, p->phi);
}

static bool same_reals(trigon_matrix X, trigon_matrix Y, double tolerance) {
  const int64_t parts = reals_of(X.type);
  const bool floats = size_of(X.type) / parts == sizeof(float);
  for (int64_t i = 0; i < parts * X.ld * X.cols; i++) {
    if (i / parts % X.ld >= X.rows) continue;
    const double x = floats ? (double)((float *)X.data)[i] : ((double *)X.data)[i];
    const double y = floats ? (double)((float *)Y.data)[i] : ((double *)Y.data)[i];
    if (isnan(x) != isnan(y) || isinf(x) != isinf(y)) return false;
    if (isnan(x) || x == y) continue;
    if (!(fabs(x - y) <= tolerance)) return false;
  }
  return true;
}

static void compare(pair_of_contexts c, product_case p) {
  const trigon_matrix A = stored(&p, p.op, p.m, p.k), B = stored(&p, p.opB, p.k, p.n);
  if (p.special != 0) ((double *)A.data)[0] = p.special;
  trigon_matrix C = random_matrix(p.type, p.m, p.n, p.phi), D = copy_of(C);
  const trigon_matrix a = on_device(c.device, A), b = on_device(c.device, B), d = on_device(c.device, C);
  trigon_fp64_report host, device;
  char what[300];
  bool good = trigon_set_fp64(c.host, TRIGON_FP64_INT8, p.accuracy) == TRIGON_OK &&
              trigon_set_fp64(c.device, TRIGON_FP64_INT8, p.accuracy) == TRIGON_OK;
  if (p.cap) good = good && trigon_set_workspace(c.device, NULL, p.cap) == TRIGON_OK;
  good = good && trigon_gemm(c.host, p.op, p.opB, p.alpha, A, B, p.beta, C) == TRIGON_OK;
  good = good && trigon_gemm(c.device, p.op, p.opB, p.alpha, a, b, p.beta, d) == TRIGON_OK;
  good = good && trigon_last_fp64(c.host, &host) == TRIGON_OK && trigon_last_fp64(c.device, &device) == TRIGON_OK;
  good = good && trigon_download(c.device, d, D) == TRIGON_OK;
  if (!good) printf("%s | %s\n", trigon_message(c.host), trigon_message(c.device));
  const bool native = host.not_finite + host.unproved > 0;
  snprintf(
      what, sizeof what,
      "%c %d x %d x %d, ops %d %d, alpha %g + %g i, beta %g + %g i, phi %g, accuracy %d: %d and %d moduli, tiles %d, "
      "fell back %d + %d and %d + %d, %s %s",
      (char)p.type, (int)p.m, (int)p.n, (int)p.k, (int)p.op, (int)p.opB, p.alpha.re, p.alpha.im, p.beta.re, p.beta.im,
      p.phi, p.accuracy, host.moduli, device.moduli, (int)device.tiles, (int)host.not_finite, (int)host.unproved,
      (int)device.not_finite, (int)device.unproved, host.why ? host.why : "", device.why ? device.why : "");
  check(good && same_reals(C, D, native ? 1e-3 : 0) && host.moduli == device.moduli && host.tiles == device.tiles &&
            host.not_finite == device.not_finite && host.unproved == device.unproved && device.emulated == 1,
        what);
  if (getenv("TRIGON_TEST_VERBOSE")) puts(what);
  trigon_free(c.device, a.data), trigon_free(c.device, b.data), trigon_free(c.device, d.data);
  free(A.data), free(B.data), free(C.data), free(D.data);
}

static void products(pair_of_contexts c) {
  static const trigon_type types[] = {TRIGON_D, TRIGON_Z, TRIGON_S, TRIGON_C};
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  static const int64_t shapes[][3] = {{1, 1, 1}, {5, 7, 2}, {33, 17, 129}, {150, 130, 70}, {20, 300, 257}};
  static const trigon_scalar scalars[][2] = {
      {{1, 0}, {0, 0}}, {{-1, 0}, {1, 0}}, {{0.7, -0.3}, {2, 0.5}}, {{1, 0}, {-1, 0}}};
  static const double phis[] = {0, 1, 2};
  static const int accuracies[] = {TRIGON_FP64_GUARANTEED, TRIGON_FP64_FAST, 14, 17};
  int turn = 0;
  for (int t = 0; t < 4; t++)
    for (int s = 0; s < 5; s++)
      for (int q = 0; q < 4; q++) {
        turn++;
        const bool is_real = reals_of(types[t]) == 1;
        trigon_scalar alpha = scalars[q][0], beta = scalars[q][1];
        if (is_real) alpha.im = beta.im = 0;
        compare(c, (product_case){types[t], shapes[s][0], shapes[s][1], shapes[s][2], ops[turn % 3], ops[turn / 3 % 3],
                                  alpha, beta, phis[turn % 3], accuracies[(turn + s) % 4], 0, 0});
      }
}

int main(int argc, char **argv) {
  char why[512];
  pair_of_contexts c = {NULL, NULL};
  if (trigon_create("cpu", &c.host, why, sizeof why) != TRIGON_OK ||
      trigon_create(argc > 1 ? argv[1] : "sim:0", &c.device, why, sizeof why) != TRIGON_OK) {
    printf("%s\n", why);
    return 1;
  }
  products(c);
  trigon_destroy(c.host), trigon_destroy(c.device);
  return checked();
}
