/* vendor_solver.c - POTRF, POTRS, POSV, TRTRI and POTRI by cuSOLVER, with its workspace and its info. AMD's GPUs have
 * none of them.
 *
 * gpu_solver_prepare does everything that can be refused, before anything is launched. */
#include "common/address.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TG_SOLVER

/* The functions of cuSOLVER that have one name for all precisions: X(name). */
#define FUNCTIONS(X)                                                                                                   \
  X(Create)                                                                                                            \
  X(Destroy)                                                                                                           \
  X(SetStream)                                                                                                         \
  X(CreateParams)                                                                                                      \
  X(DestroyParams)                                                                                                     \
  X(Xpotrf_bufferSize)                                                                                                 \
  X(Xpotrf)                                                                                                            \
  X(Xpotrs)                                                                                                            \
  X(Xtrtri_bufferSize)                                                                                                 \
  X(Xtrtri)
#define SLOT(name) __typeof__(cusolverDn##name) *(name);
#define FIND(name)                                                                                                     \
  found = found && (symbol = tg_solver_find(s->library, "cusolverDn" #name)) != NULL;                                  \
  memcpy(&s->name, &symbol, sizeof symbol);

/* POTRI has 32-bit sizes, and one name for each precision: s, d, c, z. */
typedef cusolverStatus_t potri_size_fn(cusolverDnHandle_t, cublasFillMode_t, int n, void *A, int lda, int *elements);
typedef cusolverStatus_t potri_fn(cusolverDnHandle_t, cublasFillMode_t, int n, void *A, int lda, void *work,
                                  int elements, int *info);

/* POTRF of a batch has them, too. The addresses of matrices and the infos lie on the device. */
typedef cusolverStatus_t potrf_batch_fn(cusolverDnHandle_t, cublasFillMode_t, int n, void **A, int lda, int *info,
                                        int count);

struct gpu_solver {
  FUNCTIONS(SLOT)
  potri_size_fn *potri_size[4];
  potri_fn *potri[4];
  potrf_batch_fn *potrf_batch[4];
  void *library, *work, *host_work;
  size_t bytes, host_bytes; /* the sizes of the workspaces `work`, on the device, and `host_work` */
  int potri_elements;       /* of the workspace that the operation prepared last needs, if it is POTRI */
  int *info;                /* cuSOLVER's info, on the device */
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
};

static const cudaDataType data_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

bool gpu_solver_has(routine r) {
  return r == ROUTINE_POTRF || r == ROUTINE_INVERT || r == ROUTINE_TRTRI || r == ROUTINE_POTRS || r == ROUTINE_POSV ||
         r == ROUTINE_POTRI;
}

bool gpu_solver_is_there(void) { return tg_solver_open() != NULL; }

static trigon_status solver_status(cusolverStatus_t status, const char *what, reason *why) {
  if (status == CUSOLVER_STATUS_SUCCESS) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "%s failed with status %d of cuSOLVER", what, (int)status);
  if (status == CUSOLVER_STATUS_ALLOC_FAILED) return TRIGON_NO_MEMORY;
  return status == CUSOLVER_STATUS_NOT_SUPPORTED ? TRIGON_NOT_SUPPORTED : TRIGON_DEVICE_FAILED;
}

static trigon_status out_of_memory(reason *why, const char *what, size_t bytes) {
  snprintf(why->text, sizeof why->text, "no memory for %s of cuSOLVER, %zu bytes", what, bytes);
  return TRIGON_NO_MEMORY;
}

/* A device that has failed allocates nothing either, and has another error than one that is full. */
static trigon_status allocate(void **data, size_t bytes, const char *what, reason *why) {
  const cudaError_t error = cudaMalloc(data, bytes);
  if (error == cudaSuccess) return TRIGON_OK;
  (void)cudaGetLastError();
  if (error == cudaErrorMemoryAllocation) return out_of_memory(why, what, bytes);
  snprintf(why->text, sizeof why->text, "the allocation of %s of cuSOLVER, %zu bytes, failed: %s", what, bytes,
           cudaGetErrorString(error));
  return TRIGON_DEVICE_FAILED;
}

static bool find_functions(gpu_solver *s) {
  static const char letters[] = "SDCZ";
  bool found = true;
  void *symbol;
  FUNCTIONS(FIND)
  for (int t = 0; t < 4; t++) {
    char name[40];
    snprintf(name, sizeof name, "cusolverDn%cpotri_bufferSize", letters[t]);
    found = found && (symbol = tg_solver_find(s->library, name)) != NULL;
    memcpy(&s->potri_size[t], &symbol, sizeof symbol);
    snprintf(name, sizeof name, "cusolverDn%cpotri", letters[t]);
    found = found && (symbol = tg_solver_find(s->library, name)) != NULL;
    memcpy(&s->potri[t], &symbol, sizeof symbol);
    snprintf(name, sizeof name, "cusolverDn%cpotrfBatched", letters[t]);
    found = found && (symbol = tg_solver_find(s->library, name)) != NULL;
    memcpy(&s->potrf_batch[t], &symbol, sizeof symbol);
  }
  return found;
}

static trigon_status open_solver(gpu_solver *s, reason *why) {
  s->library = tg_solver_open();
  if (!s->library || !find_functions(s)) {
    snprintf(why->text, sizeof why->text, "the vendor's factorizations need %s, which does not load", TG_SOLVER_NAME);
    return TRIGON_NOT_SUPPORTED;
  }
  TRY(solver_status(s->Create(&s->handle), "making a handle", why));
  TRY(solver_status(s->CreateParams(&s->params), "making parameters", why));
  return allocate((void **)&s->info, sizeof *s->info, "the info", why);
}

trigon_status gpu_solver_create(gpu_solver **out, reason *why) {
  gpu_solver *s = calloc(1, sizeof *s);
  if (!s) return out_of_memory(why, "the functions", sizeof *s);
  trigon_status status = open_solver(s, why);
  if (status == TRIGON_OK)
    *out = s;
  else
    gpu_solver_destroy(s);
  return status;
}

/* The library stays loaded: threads that it started would not survive an unloading. */
void gpu_solver_destroy(gpu_solver *s) {
  if (!s) return;
  if (s->params) s->DestroyParams(s->params);
  if (s->handle) s->Destroy(s->handle);
  if (s->info) cudaFree(s->info);
  if (s->work) cudaFree(s->work);
  free(s->host_work);
  free(s);
}

int64_t gpu_solver_memory(const gpu_solver *s) { return s ? (int64_t)(s->bytes + sizeof *s->info) : 0; }

/* The old workspace on the device may still be in use: cudaFree waits for the device. */
static trigon_status grow_on_device(gpu_solver *s, size_t bytes, bool capturing, reason *why) {
  if (bytes <= s->bytes) return TRIGON_OK;
  if (capturing) {
    snprintf(why->text, sizeof why->text,
             "the workspace of cuSOLVER, %zu bytes, cannot be allocated while the stream is captured", bytes);
    return TRIGON_NO_MEMORY;
  }
  if (s->work) cudaFree(s->work);
  s->work = NULL, s->bytes = 0;
  TRY(allocate(&s->work, bytes, "the workspace", why));
  s->bytes = bytes;
  return TRIGON_OK;
}

/* Makes the workspaces at least this large. */
static trigon_status grow(gpu_solver *s, size_t bytes, size_t host_bytes, bool capturing, reason *why) {
  TRY(grow_on_device(s, bytes, capturing, why));
  if (host_bytes <= s->host_bytes) return TRIGON_OK;
  void *more = realloc(s->host_work, host_bytes);
  if (!more) return out_of_memory(why, "the workspace on the host", host_bytes);
  s->host_work = more, s->host_bytes = host_bytes;
  return TRIGON_OK;
}

static cublasFillMode_t fill_of(const operation *p) {
  return p->uplo == TRIGON_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
static cublasDiagType_t diag_of(const operation *p) {
  return p->diag == TRIGON_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}
static cudaDataType data_type(const operation *p) { return data_types[type_index(p->A.type)]; }

/* ----------------------------------------------------------------------------------------------- preparation -- */

/* What cuSOLVER says if it is asked for the workspace of an order that it cannot take. */
static trigon_status refuse_order(const operation *p, const char *because, reason *why) {
  why->argument = "A";
  snprintf(why->text, sizeof why->text, "cuSOLVER's %s cannot take order %lld with leading dimension %lld: %s",
           routine_table[p->routine].name, (long long)p->A.n, (long long)p->A.ld, because);
  return TRIGON_NOT_SUPPORTED;
}

static trigon_status size_status(cusolverStatus_t status, const operation *p, reason *why) {
  if (status == CUSOLVER_STATUS_INVALID_VALUE || status == CUSOLVER_STATUS_NOT_SUPPORTED)
    return refuse_order(p, "it has no workspace for it", why);
  return solver_status(status, "asking for a workspace", why);
}

static trigon_status prepare_potri(gpu_solver *s, const operation *p, size_t *device, reason *why) {
  const view A = p->A;
  if (A.n > INT32_MAX || A.ld > INT32_MAX) return refuse_order(p, "its sizes have 32 bits", why);
  TRY(size_status(
      s->potri_size[type_index(A.type)](s->handle, fill_of(p), (int)A.n, address_of(A), (int)A.ld, &s->potri_elements),
      p, why));
  if (s->potri_elements < 0) return refuse_order(p, "the size of its workspace has 32 bits", why);
  *device = (size_t)s->potri_elements * (size_t)type_size(A.type);
  return TRIGON_OK;
}

static trigon_status prepare_batch(const operation *p, size_t *device, reason *why) {
  const matrix_batch *b = p->batch;
  const struct {
    const char *name;
    int64_t value;
  } limited[] = {{"count", b->count}, {"n", b->n.all}, {"lda", b->A.ld}};
  for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
    if (limited[i].value > INT32_MAX) {
      why->argument = limited[i].name;
      snprintf(why->text, sizeof why->text, "%lld is more than cuSOLVER's batches take, must be at most %d",
               (long long)limited[i].value, INT32_MAX);
      return TRIGON_NOT_SUPPORTED;
    }
  *device = (size_t)b->count * (sizeof(void *) + sizeof(int));
  return TRIGON_OK;
}

trigon_status gpu_solver_prepare(gpu_solver *s, const operation *p, bool capturing, reason *why) {
  size_t device = 0, host = 0;
  const view A = p->A;
  if (p->batch) {
    TRY(prepare_batch(p, &device, why));
    return grow(s, device, host, capturing, why);
  }
  switch (p->routine) {
  case ROUTINE_POTRF:
  case ROUTINE_POSV:
    TRY(size_status(s->Xpotrf_bufferSize(s->handle, s->params, fill_of(p), A.n, data_type(p), address_of(A), A.ld,
                                         data_type(p), &device, &host),
                    p, why));
    break;
  case ROUTINE_INVERT:
  case ROUTINE_TRTRI:
    TRY(size_status(
        s->Xtrtri_bufferSize(s->handle, fill_of(p), diag_of(p), A.n, data_type(p), address_of(A), A.ld, &device, &host),
        p, why));
    break;
  case ROUTINE_POTRI: TRY(prepare_potri(s, p, &device, why)); break;
  default: break;
  }
  return grow(s, device, host, capturing, why);
}

/* -------------------------------------------------------------------------------------------------- routines -- */

static trigon_status potrf(gpu_solver *s, const operation *p, reason *why) {
  const view A = p->A;
  return solver_status(s->Xpotrf(s->handle, s->params, fill_of(p), A.n, data_type(p), address_of(A), A.ld, data_type(p),
                                 s->work, s->bytes, s->host_work, s->host_bytes, s->info),
                       "POTRF", why);
}

static trigon_status potrs(gpu_solver *s, const operation *p, reason *why) {
  const view A = p->A, B = p->B;
  if (B.n == 0) return TRIGON_OK;
  return solver_status(s->Xpotrs(s->handle, s->params, fill_of(p), A.n, B.n, data_type(p), address_of(A), A.ld,
                                 data_type(p), address_of(B), B.ld, s->info),
                       "POTRS", why);
}

static trigon_status trtri(gpu_solver *s, const operation *p, reason *why) {
  const view A = p->A;
  return solver_status(s->Xtrtri(s->handle, fill_of(p), diag_of(p), A.n, data_type(p), address_of(A), A.ld, s->work,
                                 s->bytes, s->host_work, s->host_bytes, s->info),
                       "TRTRI", why);
}

static trigon_status potri(gpu_solver *s, const operation *p, reason *why) {
  const view A = p->A;
  return solver_status(s->potri[type_index(A.type)](s->handle, fill_of(p), (int)A.n, address_of(A), (int)A.ld, s->work,
                                                    s->potri_elements, s->info),
                       "POTRI", why);
}

/* POSV is POTRF here; gpu_solver_run adds POTRS. */
static trigon_status run(gpu_solver *s, const operation *p, reason *why) {
  switch (p->routine) {
  case ROUTINE_INVERT:
  case ROUTINE_TRTRI: return trtri(s, p, why);
  case ROUTINE_POTRS: return potrs(s, p, why);
  case ROUTINE_POTRI: return potri(s, p, why);
  default: return potrf(s, p, why);
  }
}

trigon_status gpu_solver_run(gpu_solver *s, const operation *p, queue q, unsigned long long *failure, reason *why) {
  const vendor_info info = {s->info, p->column, failure};
  TRY(solver_status(s->SetStream(s->handle, q.stream), "setting the stream", why));
  TRY(run(s, p, why));
  if (p->routine != ROUTINE_INVERT && launch_vendor_info(q, &info) != cudaSuccess) {
    (void)cudaGetLastError();
    snprintf(why->text, sizeof why->text, "taking cuSOLVER's info failed");
    return TRIGON_DEVICE_FAILED;
  }
  return p->routine == ROUTINE_POSV ? potrs(s, p, why) : TRIGON_OK;
}

/* The addresses lie in the workspace, and cuSOLVER's infos behind them. */
trigon_status gpu_solver_run_batch(gpu_solver *s, const operation *p, queue q, reason *why) {
  const matrix_batch *b = p->batch;
  const int64_t n = b->n.all, ld = b->A.ld;
  const size_t addresses = (size_t)b->count * sizeof(void *);
  const vendor_batch all = {b->A, b->count, s->work, (int *)((char *)s->work + addresses), b->info};
  TRY(solver_status(s->SetStream(s->handle, q.stream), "setting the stream", why));
  bool launched = launch_vendor_addresses(q, &all) == cudaSuccess;
  if (launched && n > 0)
    TRY(solver_status(s->potrf_batch[type_index(p->A.type)](s->handle, fill_of(p), (int)n, all.addresses, (int)ld,
                                                            all.infos, (int)b->count),
                      "POTRF of a batch", why));
  launched = launched && launch_vendor_infos(q, &all) == cudaSuccess;
  if (launched) return TRIGON_OK;
  (void)cudaGetLastError();
  snprintf(why->text, sizeof why->text, "preparing a batch for cuSOLVER failed");
  return TRIGON_DEVICE_FAILED;
}

#else

bool gpu_solver_has(routine r) { return (void)r, false; }
bool gpu_solver_is_there(void) { return false; }

trigon_status gpu_solver_create(gpu_solver **out, reason *why) {
  (void)out;
  snprintf(why->text, sizeof why->text, "%s does not support native=1", TG_VENDOR);
  return TRIGON_NOT_SUPPORTED;
}

void gpu_solver_destroy(gpu_solver *s) { (void)s; }
int64_t gpu_solver_memory(const gpu_solver *s) { return (void)s, 0; }

trigon_status gpu_solver_prepare(gpu_solver *s, const operation *p, bool capturing, reason *why) {
  (void)s, (void)p, (void)capturing, (void)why;
  return TRIGON_NOT_SUPPORTED;
}

trigon_status gpu_solver_run(gpu_solver *s, const operation *p, queue q, unsigned long long *failure, reason *why) {
  (void)s, (void)p, (void)q, (void)failure, (void)why;
  return TRIGON_NOT_SUPPORTED;
}

trigon_status gpu_solver_run_batch(gpu_solver *s, const operation *p, queue q, reason *why) {
  (void)s, (void)p, (void)q, (void)why;
  return TRIGON_NOT_SUPPORTED;
}

#endif
