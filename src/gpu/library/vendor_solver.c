/* vendor_solver.c - NVIDIA alone: POTRF, POTRS, POSV, TRTRI and POTRI by cuSOLVER, with its workspace and its info. */
#include "common/address.h"
#include "gpu/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(TRIGON_VENDOR_CUDA)

#include <cusolverDn.h>
#include <dlfcn.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

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
  found = found && (symbol = dlsym(s->library, "cusolverDn" #name)) != NULL;                                           \
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
  int *info;                /* cuSOLVER's info, on the device */
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
};

static const cudaDataType data_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

bool gpu_solver_has(routine r) {
  return r == ROUTINE_POTRF || r == ROUTINE_INVERT || r == ROUTINE_TRTRI || r == ROUTINE_POTRS || r == ROUTINE_POSV ||
         r == ROUTINE_POTRI;
}

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
    found = found && (symbol = dlsym(s->library, name)) != NULL;
    memcpy(&s->potri_size[t], &symbol, sizeof symbol);
    snprintf(name, sizeof name, "cusolverDn%cpotri", letters[t]);
    found = found && (symbol = dlsym(s->library, name)) != NULL;
    memcpy(&s->potri[t], &symbol, sizeof symbol);
    snprintf(name, sizeof name, "cusolverDn%cpotrfBatched", letters[t]);
    found = found && (symbol = dlsym(s->library, name)) != NULL;
    memcpy(&s->potrf_batch[t], &symbol, sizeof symbol);
  }
  return found;
}

static trigon_status open_solver(gpu_solver *s, reason *why) {
  static const char file[] = "libcusolver.so." TEXT(CUSOLVER_VER_MAJOR);
  s->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!s->library || !find_functions(s)) {
    snprintf(why->text, sizeof why->text, "the vendor's factorizations need %s, which does not load", file);
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

/* Makes the workspaces at least this large. The old workspace on the device may still be in use: cudaFree waits for the
 * device. */
static trigon_status grow(gpu_solver *s, size_t bytes, size_t host_bytes, reason *why) {
  if (bytes > s->bytes) {
    if (s->work) cudaFree(s->work);
    s->work = NULL, s->bytes = 0;
    TRY(allocate(&s->work, bytes, "the workspace", why));
    s->bytes = bytes;
  }
  if (host_bytes > s->host_bytes) {
    void *more = realloc(s->host_work, host_bytes);
    if (!more) return out_of_memory(why, "the workspace on the host", host_bytes);
    s->host_work = more, s->host_bytes = host_bytes;
  }
  return TRIGON_OK;
}

static cublasFillMode_t fill_of(const operation *p) {
  return p->uplo == TRIGON_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

static trigon_status potrf(gpu_solver *s, const operation *p, cudaDataType type, reason *why) {
  size_t device = 0, host = 0;
  const view A = p->A;
  TRY(solver_status(
      s->Xpotrf_bufferSize(s->handle, s->params, fill_of(p), A.n, type, address_of(A), A.ld, type, &device, &host),
      "asking for POTRF's workspace", why));
  TRY(grow(s, device, host, why));
  return solver_status(s->Xpotrf(s->handle, s->params, fill_of(p), A.n, type, address_of(A), A.ld, type, s->work,
                                 s->bytes, s->host_work, s->host_bytes, s->info),
                       "POTRF", why);
}

static trigon_status potrs(gpu_solver *s, const operation *p, cudaDataType type, reason *why) {
  const view A = p->A, B = p->B;
  if (B.n == 0) return TRIGON_OK;
  return solver_status(s->Xpotrs(s->handle, s->params, fill_of(p), A.n, B.n, type, address_of(A), A.ld, type,
                                 address_of(B), B.ld, s->info),
                       "POTRS", why);
}

static trigon_status trtri(gpu_solver *s, const operation *p, cudaDataType type, reason *why) {
  size_t device = 0, host = 0;
  const view A = p->A;
  const cublasDiagType_t diag = p->diag == TRIGON_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  TRY(solver_status(s->Xtrtri_bufferSize(s->handle, fill_of(p), diag, A.n, type, address_of(A), A.ld, &device, &host),
                    "asking for TRTRI's workspace", why));
  TRY(grow(s, device, host, why));
  return solver_status(s->Xtrtri(s->handle, fill_of(p), diag, A.n, type, address_of(A), A.ld, s->work, s->bytes,
                                 s->host_work, s->host_bytes, s->info),
                       "TRTRI", why);
}

static trigon_status potri(gpu_solver *s, const operation *p, int t, reason *why) {
  int elements = 0;
  const view A = p->A;
  if (A.n > INT32_MAX || A.ld > INT32_MAX) {
    snprintf(why->text, sizeof why->text, "cuSOLVER's POTRI has 32-bit sizes");
    return TRIGON_NOT_SUPPORTED;
  }
  const int n = (int)A.n, ld = (int)A.ld;
  TRY(solver_status(s->potri_size[t](s->handle, fill_of(p), n, address_of(A), ld, &elements),
                    "asking for POTRI's workspace", why));
  TRY(grow(s, (size_t)(elements * type_size(A.type)), 0, why));
  return solver_status(s->potri[t](s->handle, fill_of(p), n, address_of(A), ld, s->work, elements, s->info), "POTRI",
                       why);
}

/* POSV is POTRF here; gpu_solver_run adds POTRS. */
static trigon_status run(gpu_solver *s, const operation *p, int t, reason *why) {
  switch (p->routine) {
  case ROUTINE_POTRF: return potrf(s, p, data_types[t], why);
  case ROUTINE_INVERT:
  case ROUTINE_TRTRI: return trtri(s, p, data_types[t], why);
  case ROUTINE_POTRS: return potrs(s, p, data_types[t], why);
  case ROUTINE_POTRI: return potri(s, p, t, why);
  default: return potrf(s, p, data_types[t], why);
  }
}

trigon_status gpu_solver_run(gpu_solver *s, const operation *p, queue q, unsigned long long *failure, reason *why) {
  const int t = type_index(p->A.type);
  const vendor_info info = {s->info, p->column, failure};
  TRY(solver_status(s->SetStream(s->handle, q.stream), "setting the stream", why));
  TRY(run(s, p, t, why));
  if (p->routine != ROUTINE_INVERT && launch_vendor_info(q, &info) != cudaSuccess) {
    (void)cudaGetLastError();
    snprintf(why->text, sizeof why->text, "taking cuSOLVER's info failed");
    return TRIGON_DEVICE_FAILED;
  }
  return p->routine == ROUTINE_POSV ? potrs(s, p, data_types[t], why) : TRIGON_OK;
}

/* The addresses lie in the workspace, and cuSOLVER's infos behind them. */
trigon_status gpu_solver_run_batch(gpu_solver *s, const operation *p, queue q, reason *why) {
  const matrix_batch *b = p->batch;
  const int64_t n = b->n.all, ld = b->A.ld;
  if (n > INT32_MAX || ld > INT32_MAX || b->count > INT32_MAX) {
    snprintf(why->text, sizeof why->text, "cuSOLVER's batches have 32-bit sizes");
    return TRIGON_NOT_SUPPORTED;
  }
  const size_t addresses = (size_t)b->count * sizeof(void *);
  TRY(grow(s, addresses + (size_t)b->count * sizeof(int), 0, why));
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

trigon_status gpu_solver_create(gpu_solver **out, reason *why) {
  (void)out;
  snprintf(why->text, sizeof why->text, "%s does not support native=1", TG_VENDOR);
  return TRIGON_NOT_SUPPORTED;
}

void gpu_solver_destroy(gpu_solver *s) { (void)s; }
int64_t gpu_solver_memory(const gpu_solver *s) { return (void)s, 0; }

trigon_status gpu_solver_run(gpu_solver *s, const operation *p, queue q, unsigned long long *failure, reason *why) {
  (void)s, (void)p, (void)q, (void)failure, (void)why;
  return TRIGON_NOT_SUPPORTED;
}

trigon_status gpu_solver_run_batch(gpu_solver *s, const operation *p, queue q, reason *why) {
  (void)s, (void)p, (void)q, (void)why;
  return TRIGON_NOT_SUPPORTED;
}

#endif
