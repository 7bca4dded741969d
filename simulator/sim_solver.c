/* sim_solver.c - the simulated cuSOLVER (sim_solver.h): plain loops in double precision, one piece of work a call. */
#include "sim_solver.h"

#include "sim_machine.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct simsolver {
  sim_device *device;
  simStream_t stream;
};

struct simsolverParams {
  char unused;
};

typedef enum solver_routine { POTRF, POTRS, TRTRI, POTRI } solver_routine;

/* A triangle is taken as lower: an upper one is the transpose of a lower one. */
typedef struct solver_job {
  solver_routine task;
  simDataType type;
  bool upper, unit;
  int64_t n, lda, nrhs, ldb;
  unsigned char *A, *B, *space;
  size_t bytes;
  int *info;
} solver_job;

static bool is_double(simDataType t) { return t == SIM_R_64F || t == SIM_C_64F; }
static bool is_complex(simDataType t) { return t == SIM_C_32F || t == SIM_C_64F; }
static size_t size_of(simDataType t) { return (is_double(t) ? 8u : 4u) * (is_complex(t) ? 2u : 1u); }

/* -------------------------------------------------------------------------------------------------- elements -- */

/* Memory holds a complex number as its two parts. (Not every compiler has CMPLX, and re + im * I loses infinities.) */
static double complex load(simDataType t, const unsigned char *p) {
  double wide[2] = {0, 0};
  float narrow[2] = {0, 0};
  double complex x;
  memcpy(is_double(t) ? (void *)wide : (void *)narrow, p, size_of(t));
  if (!is_double(t)) wide[0] = narrow[0], wide[1] = narrow[1];
  memcpy(&x, wide, sizeof x);
  return x;
}

static void store(simDataType t, unsigned char *p, double complex x) {
  const double wide[2] = {creal(x), cimag(x)};
  const float narrow[2] = {(float)creal(x), (float)cimag(x)};
  memcpy(p, is_double(t) ? (const void *)wide : (const void *)narrow, size_of(t));
}

/* Element (i, j) of the lower triangle L, where A = L·Lᴴ or, if the triangle is upper, A = Uᴴ·U and L = Uᴴ. */
static unsigned char *element(const solver_job *j, int64_t row, int64_t col) {
  return j->A + (j->upper ? col + row * j->lda : row + col * j->lda) * (int64_t)size_of(j->type);
}
static double complex get(const solver_job *j, int64_t row, int64_t col) {
  const double complex x = load(j->type, element(j, row, col));
  return j->upper ? conj(x) : x;
}
static void put(const solver_job *j, int64_t row, int64_t col, double complex x) {
  store(j->type, element(j, row, col), j->upper ? conj(x) : x);
}

/* ------------------------------------------------------------------------------------------------ operations -- */

static int factor(const solver_job *j) {
  for (int64_t c = 0; c < j->n; c++) {
    double pivot = creal(get(j, c, c));
    for (int64_t k = 0; k < c; k++) pivot -= creal(get(j, c, k) * conj(get(j, c, k)));
    if (pivot <= 0) return (int)c + 1;
    put(j, c, c, sqrt(pivot));
    for (int64_t r = c + 1; r < j->n; r++) {
      double complex sum = get(j, r, c);
      for (int64_t k = 0; k < c; k++) sum -= get(j, r, k) * conj(get(j, c, k));
      put(j, r, c, sum / get(j, c, c));
    }
  }
  return 0;
}

static int invert(const solver_job *j) {
  for (int64_t c = 0; c < j->n && !j->unit; c++)
    if (get(j, c, c) == 0) return (int)c + 1;
  for (int64_t c = j->n - 1; c >= 0; c--) {
    put(j, c, c, j->unit ? 1 : 1 / get(j, c, c));
    for (int64_t r = j->n - 1; r > c; r--) { /* the rows below hold inverses already */
      double complex sum = 0;
      for (int64_t k = c + 1; k <= r; k++) sum += get(j, r, k) * get(j, k, c);
      put(j, r, c, -sum * get(j, c, c));
    }
  }
  return 0;
}

/* A⁻¹ = L⁻ᴴ·L⁻¹. */
static int invert_product(const solver_job *j) {
  const int info = invert(j);
  for (int64_t r = 0; r < j->n && info == 0; r++)
    for (int64_t c = 0; c <= r; c++) {
      double complex sum = 0;
      for (int64_t k = r; k < j->n; k++) sum += conj(get(j, k, r)) * get(j, k, c);
      put(j, r, c, r == c ? creal(sum) : sum);
    }
  return info;
}

/* B = L⁻ᴴ·L⁻¹·B. */
static int solve(const solver_job *j) {
  for (int64_t b = 0; b < j->nrhs; b++) {
    unsigned char *const column = j->B + b * j->ldb * (int64_t)size_of(j->type);
    for (int pass = 0; pass < 2; pass++)
      for (int64_t at = 0; at < j->n; at++) {
        const int64_t i = pass ? j->n - 1 - at : at;
        double complex x = load(j->type, column + i * (int64_t)size_of(j->type));
        for (int64_t k = pass ? i + 1 : 0; k < (pass ? j->n : i); k++)
          x -= (pass ? conj(get(j, k, i)) : get(j, i, k)) * load(j->type, column + k * (int64_t)size_of(j->type));
        store(j->type, column + i * (int64_t)size_of(j->type), x / (pass ? conj(get(j, i, i)) : get(j, i, i)));
      }
  }
  return 0;
}

static bool owned(const sim_device *d, const void *data, int64_t rows, int64_t cols, int64_t ld, size_t size) {
  return rows == 0 || cols == 0 || sim_owner(data, (size_t)((cols - 1) * ld + rows) * size) == d;
}

static void run(sim_device *d, void *argument) {
  const solver_job *j = argument;
  static int (*const tasks[])(const solver_job *) = {
      [POTRF] = factor, [POTRS] = solve, [TRTRI] = invert, [POTRI] = invert_product};
  const size_t size = size_of(j->type);
  if (!owned(d, j->A, j->n, j->n, j->lda, size) || !owned(d, j->B, j->n, j->nrhs, j->ldb, size) ||
      sim_owner(j->info, sizeof *j->info) != d || (j->bytes > 0 && sim_owner(j->space, j->bytes) != d)) {
    d->error = simErrorIllegalAddress;
    return;
  }
  if (j->bytes > 0) memset(j->space, sim_unwritten, j->bytes);
  *j->info = tasks[j->task](j);
}

/* --------------------------------------------------------------------------------------------------- handles -- */

void *simsolverOpen(void) {
  HOLD;
  return sim_current()->set.solver ? &sim : NULL;
}

simsolverStatus_t simsolverCreate(simsolverHandle_t *handle) {
  HOLD;
  sim_device *d = sim_current();
  if (sim_attempt(d, BLAS)) return SIMSOLVER_STATUS_NOT_INITIALIZED;
  *handle = malloc(sizeof **handle);
  if (!*handle) return SIMSOLVER_STATUS_ALLOC_FAILED;
  **handle = (struct simsolver){.device = d, .stream = &d->legacy};
  d->handles++;
  return SIMSOLVER_STATUS_SUCCESS;
}

simsolverStatus_t simsolverDestroy(simsolverHandle_t handle) {
  HOLD;
  if (!handle) return SIMSOLVER_STATUS_NOT_INITIALIZED;
  handle->device->handles--;
  free(handle);
  return SIMSOLVER_STATUS_SUCCESS;
}

simsolverStatus_t simsolverSetStream(simsolverHandle_t handle, simStream_t stream) {
  HOLD;
  if (!handle) return SIMSOLVER_STATUS_NOT_INITIALIZED;
  if (sim_attempt(handle->device, BLAS)) return SIMSOLVER_STATUS_EXECUTION_FAILED;
  handle->stream = stream ? stream : &handle->device->legacy;
  return handle->stream->device == handle->device ? SIMSOLVER_STATUS_SUCCESS : SIMSOLVER_STATUS_INVALID_VALUE;
}

simsolverStatus_t simsolverCreateParams(simsolverParams_t *params) {
  *params = calloc(1, sizeof **params);
  return *params ? SIMSOLVER_STATUS_SUCCESS : SIMSOLVER_STATUS_ALLOC_FAILED;
}

simsolverStatus_t simsolverDestroyParams(simsolverParams_t params) {
  free(params);
  return SIMSOLVER_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------- the calls -- */

static bool bad_triangle(int64_t n, int64_t lda) { return n < 0 || lda < (n > 1 ? n : 1); }

/* A workspace of n elements. */
static simsolverStatus_t buffer_size(simsolverHandle_t handle, int64_t n, int64_t lda, simDataType type,
                                     size_t *device_bytes, size_t *host_bytes) {
  HOLD;
  if (!handle) return SIMSOLVER_STATUS_NOT_INITIALIZED;
  if (bad_triangle(n, lda)) return SIMSOLVER_STATUS_INVALID_VALUE;
  *device_bytes = (size_t)n * size_of(type), *host_bytes = 0;
  return SIMSOLVER_STATUS_SUCCESS;
}

static simsolverStatus_t push(simsolverHandle_t handle, const solver_job *j) {
  HOLD;
  if (!handle) return SIMSOLVER_STATUS_NOT_INITIALIZED;
  const size_t least = j->task == POTRS ? 0 : (size_t)j->n * size_of(j->type);
  if (bad_triangle(j->n, j->lda) || j->bytes < least) return SIMSOLVER_STATUS_INVALID_VALUE;
  if (sim_attempt(handle->device, BLAS)) return SIMSOLVER_STATUS_EXECUTION_FAILED;
  return sim_push(handle->stream, run, j, sizeof *j, NULL, 0) ? SIMSOLVER_STATUS_EXECUTION_FAILED
                                                              : SIMSOLVER_STATUS_SUCCESS;
}

simsolverStatus_t simsolverXpotrf_bufferSize(simsolverHandle_t handle, simsolverParams_t params, simblasFillMode_t fill,
                                             int64_t n, simDataType type, const void *A, int64_t lda,
                                             simDataType compute, size_t *device_bytes, size_t *host_bytes) {
  (void)params, (void)fill, (void)A, (void)compute;
  return buffer_size(handle, n, lda, type, device_bytes, host_bytes);
}

simsolverStatus_t simsolverXpotrf(simsolverHandle_t handle, simsolverParams_t params, simblasFillMode_t fill, int64_t n,
                                  simDataType type, void *A, int64_t lda, simDataType compute, void *space,
                                  size_t bytes, void *host_work, size_t host_bytes, int *info) {
  (void)params, (void)compute, (void)host_work, (void)host_bytes;
  const solver_job j = {POTRF, type, fill == SIMBLAS_FILL_MODE_UPPER, false, n, lda, 0, 1, A, NULL, space, bytes, info};
  return push(handle, &j);
}

simsolverStatus_t simsolverXpotrs(simsolverHandle_t handle, simsolverParams_t params, simblasFillMode_t fill, int64_t n,
                                  int64_t nrhs, simDataType type, const void *A, int64_t lda, simDataType of_B, void *B,
                                  int64_t ldb, int *info) {
  (void)params, (void)of_B;
  const bool upper = fill == SIMBLAS_FILL_MODE_UPPER;
  const solver_job j = {POTRS, type, upper, false, n, lda, nrhs, ldb, (unsigned char *)A, B, NULL, 0, info};
  return push(handle, &j);
}

simsolverStatus_t simsolverXtrtri_bufferSize(simsolverHandle_t handle, simblasFillMode_t fill, simblasDiagType_t diag,
                                             int64_t n, simDataType type, void *A, int64_t lda, size_t *device_bytes,
                                             size_t *host_bytes) {
  (void)fill, (void)diag, (void)A;
  return buffer_size(handle, n, lda, type, device_bytes, host_bytes);
}

simsolverStatus_t simsolverXtrtri(simsolverHandle_t handle, simblasFillMode_t fill, simblasDiagType_t diag, int64_t n,
                                  simDataType type, void *A, int64_t lda, void *space, size_t bytes, void *host_work,
                                  size_t host_bytes, int *info) {
  (void)host_work, (void)host_bytes;
  const bool upper = fill == SIMBLAS_FILL_MODE_UPPER, unit = diag == SIMBLAS_DIAG_UNIT;
  const solver_job j = {TRTRI, type, upper, unit, n, lda, 0, 1, A, NULL, space, bytes, info};
  return push(handle, &j);
}

/* The older routines have a name for each precision. */
#define POTRI_OF(letter, type)                                                                                         \
  static simsolverStatus_t letter##potri_size(simsolverHandle_t handle, simblasFillMode_t fill, int n, void *A,        \
                                              int lda, int *elements) {                                                \
    (void)handle, (void)fill, (void)A;                                                                                 \
    *elements = n;                                                                                                     \
    return bad_triangle(n, lda) || n > SIM_MOST_INVERTED ? SIMSOLVER_STATUS_INVALID_VALUE : SIMSOLVER_STATUS_SUCCESS;  \
  }                                                                                                                    \
  static simsolverStatus_t letter##potri(simsolverHandle_t handle, simblasFillMode_t fill, int n, void *A, int lda,    \
                                         void *space, int elements, int *info) {                                       \
    const solver_job j = {POTRI, type,  fill == SIMBLAS_FILL_MODE_UPPER,  false, n, lda, 0, 1, A,                      \
                          NULL,  space, (size_t)elements * size_of(type), info};                                       \
    return push(handle, &j);                                                                                           \
  }
POTRI_OF(s, SIM_R_32F)
POTRI_OF(d, SIM_R_64F)
POTRI_OF(c, SIM_C_32F)
POTRI_OF(z, SIM_C_64F)

/* Batches are not simulated. */
static simsolverStatus_t potrf_batch(simsolverHandle_t handle, simblasFillMode_t fill, int n, void **A, int lda,
                                     int *info, int count) {
  (void)handle, (void)fill, (void)n, (void)A, (void)lda, (void)info, (void)count;
  return SIMSOLVER_STATUS_NOT_SUPPORTED;
}

typedef void any_function(void);

void *simsolverFind(void *library, const char *name) {
#define NAMED(name)                                                                                                    \
  { "cusolverDn" #name, (any_function *)simsolver##name }
#define TYPED(capital, letter)                                                                                         \
  {"cusolverDn" #capital "potri_bufferSize", (any_function *)letter##potri_size},                                      \
      {"cusolverDn" #capital "potri", (any_function *)letter##potri}, {                                                \
    "cusolverDn" #capital "potrfBatched", (any_function *)potrf_batch                                                  \
  }
  static const struct {
    const char *name;
    any_function *function;
  } all[] = {NAMED(Create),       NAMED(Destroy),       NAMED(SetStream),
             NAMED(CreateParams), NAMED(DestroyParams), NAMED(Xpotrf_bufferSize),
             NAMED(Xpotrf),       NAMED(Xpotrs),        NAMED(Xtrtri_bufferSize),
             NAMED(Xtrtri),       TYPED(S, s),          TYPED(D, d),
             TYPED(C, c),         TYPED(Z, z)};
  void *found = NULL;
  for (size_t i = 0; i < sizeof all / sizeof *all && library; i++)
    if (strcmp(name, all[i].name) == 0) memcpy(&found, &all[i].function, sizeof found);
  return found;
}
