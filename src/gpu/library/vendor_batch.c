/* vendor_batch.c - batches by the vendor's BLAS, with native=1: what Trigon's batches are compared with.
 *
 * Of matrices that are a stride apart, GEMM is one strided call and TRSM one call with arrays of addresses. The vendor
 * has no batches of the other routines, and none of different sizes: these are single calls that streams share. So the
 * host must know the sizes. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_leaves.h"

#if TG_BLAS_BATCHES

#include "vendor_flags.h"

/* So many single calls can run beside each other. NVIDIA's GPUs run up to 128 kernels at once, but a stream more takes
 * a share of the workspace from the others. */
enum { LANES = 16, share_alignment = 256 };

/* A stream with a handle of its own, because a handle has one workspace. */
typedef struct lane {
  cudaStream_t stream;
  cudaEvent_t done;
  gpu_blas *blas;
} lane;

struct vendor_batches {
  lane lane[LANES];
  cudaEvent_t begun;
  workspace shared; /* by the lanes */
  /* Addresses of two operands, and words that a launch clears. They stay for the next call of the same batch. */
  void *addresses;
  int64_t room, count; /* of matrices */
  batch_operand known[2];
};
typedef struct vendor_batches vendor_batches;

typedef cublasStatus_t trsm_batch_fn(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,
                                     cublasDiagType_t, int64_t m, int64_t n, const void *alpha, void *const *A,
                                     int64_t lda, void *const *B, int64_t ldb, int64_t count);

/* ---------------------------------------------------------------------------------------------------- making -- */

static bool is_apart(const operation *o) { return !o->batch->A.at; }
static bool is_one_call(const operation *o) {
  return is_apart(o) && (o->routine == ROUTINE_GEMM || o->routine == ROUTINE_TRSM);
}

/* Makes what an earlier call, which has failed, has not made. */
static trigon_status open_lane(gpu *g, lane *l) {
  if (!l->stream)
    TRY(gpu_status(g, cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking), "making a stream for a batch"));
  if (!l->done) TRY(gpu_status(g, cudaEventCreateWithFlags(&l->done, cudaEventDisableTiming), "making an event"));
  return gpu_blas_create(&l->blas, g->machine.why);
}

static trigon_status open_lanes(gpu *g) {
  vendor_batches *const v = g->batches;
  if (!v->begun) TRY(gpu_status(g, cudaEventCreateWithFlags(&v->begun, cudaEventDisableTiming), "making an event"));
  for (int i = 0; i < LANES; i++)
    if (!v->lane[i].blas) TRY(open_lane(g, &v->lane[i]));
  return TRIGON_OK;
}

static int64_t bytes_of(int64_t matrices) { return matrices * (int64_t)(2 * sizeof(void *) + sizeof(int)); }

/* The old memory may still be in use: cudaFree waits for the device. */
static trigon_status make_room(gpu *g, int64_t count) {
  vendor_batches *const v = g->batches;
  if (count <= v->room) return TRIGON_OK;
  void *const old = v->addresses;
  v->addresses = NULL, v->room = v->count = 0;
  if (old) TRY(gpu_status(g, cudaFree(old), "freeing the addresses of a batch"));
  TRY(gpu_allocate(g, bytes_of(count), &v->addresses, "the addresses of a batch"));
  v->room = count;
  return TRIGON_OK;
}

static trigon_status refuse(gpu *g, const operation *o, const char *because) {
  snprintf(g->machine.why->text, sizeof g->machine.why->text, "native=1 has no such %s of a batch: %s",
           routine_table[o->routine].name, because);
  return TRIGON_NOT_SUPPORTED;
}

static trigon_status make(gpu *g, const operation *o) {
  vendor_batches *const v = g->batches;
  if (!v) return gpu_refuse(g, TRIGON_NO_MEMORY, "out of host memory");
  if (!is_one_call(o)) return open_lanes(g);
  return o->routine == ROUTINE_TRSM ? make_room(g, o->batch->count) : TRIGON_OK;
}

trigon_status gpu_vendor_open_batch(gpu *g, const operation *o) {
  if (!is_one_call(o) && !gpu_vendor_multiplies(o->routine)) return refuse(g, o, "the BLAS does not have it");
  if (!is_apart(o) && tg_pointer_device(o->batch->n.of) >= 0)
    return refuse(g, o,
                  "the BLAS needs sizes that the host knows, so arrays in host memory, or matrices a stride apart");
  if (gpu_is_capturing(g)) return refuse(g, o, "the stream is being captured");
  if (!g->batches) g->batches = calloc(1, sizeof *g->batches);
  return make(g, o);
}

void gpu_vendor_close_batches(gpu *g) {
  vendor_batches *const v = g->batches;
  if (!v) return;
  for (int i = 0; i < LANES; i++) {
    gpu_blas_destroy(v->lane[i].blas);
    if (v->lane[i].done) cudaEventDestroy(v->lane[i].done);
    if (v->lane[i].stream) cudaStreamDestroy(v->lane[i].stream);
  }
  if (v->begun) cudaEventDestroy(v->begun);
  if (v->addresses) cudaFree(v->addresses);
  free(v);
  g->batches = NULL;
}

int64_t gpu_vendor_batch_memory(const gpu *g) { return g->batches ? bytes_of(g->batches->room) : 0; }

/* ------------------------------------------------------------------------------------------------- single calls -- */

/* A matrix without rows may have any leading dimension; cuBLAS wants 1. */
static view view_at(const matrix_batch *b, const batch_operand *X, int64_t i, trigon_type type) {
  if (X->position == 0) return (view){0};
  return (view){.base = address_at(X, i),
                .type = type,
                .m = size_named(b, X->rows, i),
                .n = size_named(b, X->cols, i),
                .ld = ld_at(X, i) > 0 ? ld_at(X, i) : 1,
                .count = 1};
}

/* The call for matrix i. */
static operation single_of(const operation *o, int64_t i) {
  const matrix_batch *const b = o->batch;
  operation single = *o;
  single.batch = NULL;
  single.A = view_at(b, &b->A, i, o->A.type), single.B = view_at(b, &b->B, i, o->A.type);
  single.C = view_at(b, &b->C, i, o->A.type);
  return single;
}

/* Whether the call writes nothing. */
static bool is_empty(const operation *o) {
  const view to = o->C.count > 0 ? o->C : o->B;
  return to.m == 0 || to.n == 0;
}

/* Each lane has its share of the workspace, of whole 256 bytes. */
static trigon_status share_workspace(gpu *g) {
  vendor_batches *const v = g->batches;
  const int64_t share = g->workspace.bytes / LANES / share_alignment * share_alignment;
  if (v->shared.data && v->shared.data == g->workspace.data && v->shared.bytes == g->workspace.bytes) return TRIGON_OK;
  for (int i = 0; i < LANES; i++) {
    void *const begin = g->workspace.data ? (char *)g->workspace.data + i * share : NULL;
    TRY(gpu_blas_attach(v->lane[i].blas, v->lane[i].stream, begin, begin ? share : 0, g->machine.why));
  }
  v->shared = g->workspace;
  return TRIGON_OK;
}

static trigon_status begin_lanes(gpu *g) {
  vendor_batches *const v = g->batches;
  cudaError_t error = cudaEventRecord(v->begun, g->queue.stream);
  for (int i = 0; i < LANES && error == cudaSuccess; i++) error = cudaStreamWaitEvent(v->lane[i].stream, v->begun, 0);
  return gpu_status(g, error, "beginning a batch");
}

/* The queue waits for all lanes, also after a failure. */
static trigon_status end_lanes(gpu *g) {
  vendor_batches *const v = g->batches;
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < LANES; i++) {
    cudaError_t failed = cudaEventRecord(v->lane[i].done, v->lane[i].stream);
    if (failed == cudaSuccess) failed = cudaStreamWaitEvent(g->queue.stream, v->lane[i].done, 0);
    if (error == cudaSuccess) error = failed;
  }
  return gpu_status(g, error, "ending a batch");
}

/* Entries that are wrong are told in the infos, which lie on the host, and their matrices are left out. */
static trigon_status run_singles(gpu *g, const operation *o) {
  const matrix_batch *const b = o->batch;
  for (int64_t i = 0; i < b->count; i++) {
    const int64_t fault = b->info ? entry_fault(b, i, type_size(o->A.type)) : 0;
    const operation next = single_of(o, i);
    if (b->info) b->info[i] = fault;
    if (fault == 0 && !is_empty(&next)) TRY(gpu_vendor_run_on(g->batches->lane[i % LANES].blas, &next, g->machine.why));
  }
  return TRIGON_OK;
}

static trigon_status run_in_lanes(gpu *g, const operation *o) {
  TRY(share_workspace(g));
  TRY(begin_lanes(g));
  const trigon_status status = run_singles(g, o), joined = end_lanes(g);
  return status != TRIGON_OK ? status : joined;
}

/* ---------------------------------------------------------------------------------------------------- batches -- */

static trigon_status multiply(gpu *g, const operation *o) {
  const matrix_batch *const b = o->batch;
  const operation first = single_of(o, 0);
  const int64_t element = type_size(o->A.type);
  const int64_t stride[] = {b->A.stride / element, b->B.stride / element, b->C.stride / element};
  return is_empty(&first) ? TRIGON_OK : gpu_blas_products(g->blas, &first, b->count, stride, g->machine.why);
}

static bool is_known(const batch_operand *known, const batch_operand *X) {
  return known->first == X->first && known->stride == X->stride;
}

/* Stores the addresses of A and, behind them, of B, unless they are there already. */
static trigon_status store_addresses(gpu *g, const matrix_batch *b, void **addresses[2]) {
  vendor_batches *const v = g->batches;
  int *const infos = (int *)((void **)v->addresses + 2 * v->room);
  const batch_operand *const X[] = {&b->A, &b->B};
  const bool known = v->count == b->count && is_known(&v->known[0], X[0]) && is_known(&v->known[1], X[1]);
  v->count = 0;
  for (int x = 0; x < 2; x++) {
    addresses[x] = (void **)v->addresses + x * v->room;
    const vendor_batch all = {*X[x], b->count, addresses[x], infos, NULL};
    if (!known) TRY(gpu_status(g, launch_vendor_addresses(g->queue, &all), "the addresses of a batch"));
    v->known[x] = *X[x];
  }
  v->count = b->count;
  return TRIGON_OK;
}

static trigon_status solve(gpu *g, const operation *o) {
  const matrix_batch *const b = o->batch;
  const operation first = single_of(o, 0);
  const gpu_scalar alpha = gpu_scalar_of(o->A.type, o->alpha);
  trsm_batch_fn *const call = (trsm_batch_fn *)gpu_blas_at(g->blas, BLAS_TRSM_BATCH + type_index(o->A.type));
  void **addresses[2];
  if (is_empty(&first)) return TRIGON_OK;
  TRY(store_addresses(g, b, addresses));
  return gpu_blas_status(call(gpu_blas_handle(g->blas), side_of(o->side), fill_of(o->uplo), gpu_blas_operation(o->op),
                              diag_of(o->diag), first.B.m, first.B.n, &alpha, addresses[0], first.A.ld, addresses[1],
                              first.B.ld, b->count),
                         "TRSM of a batch", g->machine.why);
}

trigon_status gpu_vendor_run_batch(gpu *g, const operation *o) {
  if (!is_one_call(o)) return run_in_lanes(g, o);
  return o->routine == ROUTINE_GEMM ? multiply(g, o) : solve(g, o);
}

#else

trigon_status gpu_vendor_open_batch(gpu *g, const operation *o) {
  (void)o;
  return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "native=1 has no batches of this vendor");
}
trigon_status gpu_vendor_run_batch(gpu *g, const operation *o) { return (void)g, (void)o, TRIGON_NOT_SUPPORTED; }
void gpu_vendor_close_batches(gpu *g) { (void)g; }
int64_t gpu_vendor_batch_memory(const gpu *g) { return (void)g, 0; }

#endif
