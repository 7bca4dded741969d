/* sim.h - the simulated GPU: four devices with CUDA's runtime and as much of cuBLAS as the library uses, on the CPU. It
 * is a correctness tool. cuda/cuda_runtime_api.h gives these functions CUDA's names, and CUDA's manual says what they
 * do. Beyond that:
 *
 * Work is deferred: it runs when something waits for it, and nothing runs that nobody waits for. Waiting for a stream
 * runs that stream, and others up to the events that it waits for. A source in host memory is read at the call, a
 * destination in host memory written when the copy runs.
 *
 * Device memory faults when the host touches it. It holds 0xFF bytes, which are NaNs, where nothing was written, and
 * between allocations too. What should not be touched is poisoned where the address sanitizer is on; without it, bytes
 * that changed next to an allocation are an error.
 *
 * Several blocks are resident at once and take turns; in its turn a block's threads run one after another until they
 * wait. A turn ends at a barrier, and before and after every ticket, publication, await and atomic. The seed gives the
 * order of blocks and threads. A block that has ended makes room for the next.
 *
 * A block may await only what a block with a lower ticket of the same counter publishes, in the same launch: anything
 * else is an error in whatever order blocks run. The values of a flag ascend: a publication of a value that is not above
 * the one that the flag holds is an error. If all resident blocks wait for flags, that is an error, too.
 *
 * Kernels compiled with -fsanitize=thread are checked for races between threads of one block and of several (races.h):
 * a missing barrier or await is an error, even if the order at hand gives the right result.
 *
 * Errors of kernels stick to the device, as in CUDA: all later calls return them. simGetErrorString then tells more. */
#ifndef TRIGON_SIM_H
#define TRIGON_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* CUDA's numbers where CUDA has the error. */
#define SIM_ERRORS(X)                                                                                                  \
  X(simSuccess, 0, "no error")                                                                                         \
  X(simErrorInvalidValue, 1, "invalid argument")                                                                       \
  X(simErrorMemoryAllocation, 2, "out of memory")                                                                      \
  X(simErrorInvalidPitchValue, 12, "invalid pitch argument")                                                           \
  X(simErrorInvalidDevicePointer, 17, "invalid device pointer")                                                        \
  X(simErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                           \
  X(simErrorDevicesUnavailable, 46, "the device is lost")                                                              \
  X(simErrorNoDevice, 100, "no device")                                                                                \
  X(simErrorInvalidDevice, 101, "invalid device ordinal")                                                              \
  X(simErrorInvalidResourceHandle, 400, "invalid resource handle")                                                     \
  X(simErrorIllegalState, 401, "the operation cannot be performed in the present state")                               \
  X(simErrorNotReady, 600, "device not ready")                                                                         \
  X(simErrorIllegalAddress, 700, "an illegal memory access was encountered")                                           \
  X(simErrorLaunchOutOfResources, 701, "too many resources requested for launch")                                      \
  X(simErrorLaunchFailure, 719, "unspecified launch failure")                                                          \
  X(simErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")                         \
  X(simErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")                  \
  X(simErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream")                    \
  X(simErrorStreamCaptureImplicit, 906,                                                                                \
    "operation would make the legacy stream depend on a capturing blocking stream")                                    \
  X(simErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")             \
  X(simErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
  X(simErrorUnknown, 999, "unknown error")                                                                             \
  X(simErrorBarrier, 10001, "threads of a block wait in different barriers")                                           \
  X(simErrorShuffle, 10002, "lanes of a warp do not arrive at the shuffle in which others wait")                       \
  X(simErrorLane, 10003, "a shuffle reads a lane that does not exist")                                                 \
  X(simErrorStrayWrite, 10004, "device memory was written next to an allocation")                                      \
  X(simErrorSharedOverrun, 10005, "shared memory was written beyond its end")                                          \
  X(simErrorDeadlock, 10006, "all resident blocks wait")                                                               \
  X(simErrorTicket, 10007, "a block awaited one that holds no lower ticket")                                           \
  X(simErrorUnpublished, 10008, "a block awaited a value that no block of the launch published")                       \
  X(simErrorRace, 10009, "two threads access one byte, one of them writes, and nothing orders the two")                \
  X(simErrorFalling, 10010, "a block published a value that is not above the one that the flag holds")

#define SIM_ERROR_NUMBER(name, number, text) name = number,
typedef enum simError_t { SIM_ERRORS(SIM_ERROR_NUMBER) } simError_t;

enum { simStreamDefault = 0, simStreamNonBlocking = 1, simEventDefault = 0, simEventDisableTiming = 2 };
typedef enum simDeviceAttr {
  simDevAttrWarpSize = 10,
  simDevAttrMaxPitch = 11,
  simDevAttrMultiProcessorCount = 16
} simDeviceAttr;
typedef enum simMemcpyKind {
  simMemcpyHostToHost,
  simMemcpyHostToDevice,
  simMemcpyDeviceToHost,
  simMemcpyDeviceToDevice,
  simMemcpyDefault
} simMemcpyKind;
typedef enum simStreamCaptureMode {
  simStreamCaptureModeGlobal,
  simStreamCaptureModeThreadLocal,
  simStreamCaptureModeRelaxed
} simStreamCaptureMode;

typedef struct simStream *simStream_t; /* NULL: the legacy default stream of the current device */
typedef struct simEvent *simEvent_t;
typedef struct simGraph *simGraph_t, *simGraphExec_t;

const char *simGetErrorString(simError_t);
simError_t simGetLastError(void);
simError_t simGetDeviceCount(int *count);
simError_t simGetDevice(int *device);
simError_t simSetDevice(int device);
simError_t simDeviceGetAttribute(int *value, simDeviceAttr, int device);
simError_t simDeviceName(int device, char *text, size_t size);
simError_t simDeviceSynchronize(void);
simError_t simLoad(void); /* a kernel, onto the current device */

simError_t simMemGetInfo(size_t *available, size_t *total);
simError_t simMalloc(void **data, size_t size);
simError_t simFree(void *data);
int simPointerDevice(const void *p); /* -1 outside of live allocations */
simError_t simMemcpy(void *to, const void *from, size_t size, simMemcpyKind);
simError_t simMemcpyAsync(void *to, const void *from, size_t size, simMemcpyKind, simStream_t);
simError_t simMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            simMemcpyKind, simStream_t);
simError_t simMemsetAsync(void *to, int value, size_t size, simStream_t);

simError_t simStreamCreateWithFlags(simStream_t *, unsigned flags);
simError_t simStreamDestroy(simStream_t);
int simStreamDevice(simStream_t);
simError_t simStreamSynchronize(simStream_t);
simError_t simStreamQuery(simStream_t); /* where work is left, runs one piece of it for the next to ask */
simError_t simStreamWaitEvent(simStream_t, simEvent_t, unsigned flags);
simError_t simEventCreateWithFlags(simEvent_t *, unsigned flags);
simError_t simEventRecord(simEvent_t, simStream_t);
simError_t simEventSynchronize(simEvent_t);
simError_t simEventElapsedTime(float *ms, simEvent_t from, simEvent_t to); /* between the calls that recorded them */
simError_t simEventDestroy(simEvent_t);

/* A captured stream forks to no other, and copies nothing from or to host memory. */
simError_t simStreamBeginCapture(simStream_t, simStreamCaptureMode);
simError_t simStreamEndCapture(simStream_t, simGraph_t *);
simError_t simStreamIsCapturing(simStream_t, bool *capturing);
simError_t simGraphInstantiate(simGraphExec_t *, simGraph_t, unsigned long long flags);
simError_t simGraphLaunch(simGraphExec_t, simStream_t);
simError_t simGraphDestroy(simGraph_t);
simError_t simGraphExecDestroy(simGraphExec_t);

/* Launches call(argument) in every thread; `size` bytes of the argument are copied now. */
typedef void sim_kernel(const void *argument);
simError_t simLaunch(simStream_t, sim_kernel *call, const void *argument, size_t size, int64_t blocks, int threads,
                     size_t shared);

/* For kernels. All lanes of the warp that exist must meet in one shuffle: `size` bytes of `lane`'s x end in *result. A
 * barrier or shuffle is known by its place in the source. */
typedef struct simIndex {
  unsigned x;
} simIndex;
extern simIndex simThreadIdx, simBlockIdx, simBlockDim, simGridDim;
extern int simWarpSize;
extern void *simShared;
void simBarrier(const char *file, int line);
void simShuffle(void *result, const void *x, size_t size, int lane, const char *file, int line);
void simAtomicMin(unsigned long long *p, unsigned long long x);

/* What tg_ticket, tg_publish, tg_await and tg_last_block of gpu/vendor/vendor.h do in one thread, between barriers. */
unsigned simTicket(unsigned *counter);
void simPublish(unsigned *flag, unsigned value);
void simAwait(const unsigned *flag, unsigned value);
bool simArrive(unsigned *counter);

typedef enum simblasStatus_t {
  SIMBLAS_STATUS_SUCCESS = 0,
  SIMBLAS_STATUS_NOT_INITIALIZED = 1,
  SIMBLAS_STATUS_ALLOC_FAILED = 3,
  SIMBLAS_STATUS_INVALID_VALUE = 7,
  SIMBLAS_STATUS_EXECUTION_FAILED = 13,
  SIMBLAS_STATUS_INTERNAL_ERROR = 14,
  SIMBLAS_STATUS_NOT_SUPPORTED = 15
} simblasStatus_t;
typedef enum simblasOperation_t { SIMBLAS_OP_N, SIMBLAS_OP_T, SIMBLAS_OP_C } simblasOperation_t;
typedef struct simblas *simblasHandle_t;

bool simblasIsThere(void); /* on the current device */

/* A GEMM without a workspace of the caller's, of 16 KiB at least, set since the last SetStream is refused
 * (ALLOC_FAILED): cuBLAS would take memory of its own. A GEMM overwrites the whole workspace. */
simblasStatus_t simblasCreate(simblasHandle_t *);
simblasStatus_t simblasDestroy(simblasHandle_t);
simblasStatus_t simblasSetStream(simblasHandle_t, simStream_t);
simblasStatus_t simblasSetWorkspace(simblasHandle_t, void *workspace, size_t size);
typedef simblasStatus_t simblas_gemm(simblasHandle_t, simblasOperation_t opA, simblasOperation_t opB, int64_t m,
                                     int64_t n, int64_t k, const void *alpha, const void *A, int64_t lda, const void *B,
                                     int64_t ldb, const void *beta, void *C, int64_t ldc);
typedef simblasStatus_t simblas_batched(simblasHandle_t, simblasOperation_t opA, simblasOperation_t opB, int64_t m,
                                        int64_t n, int64_t k, const void *alpha, const void *A, int64_t lda,
                                        long long strideA, const void *B, int64_t ldb, long long strideB,
                                        const void *beta, void *C, int64_t ldc, long long strideC, int64_t count);
simblas_gemm simblasSgemm_64, simblasDgemm_64, simblasCgemm_64, simblasZgemm_64;
simblas_batched simblasSgemmStridedBatched_64, simblasDgemmStridedBatched_64, simblasCgemmStridedBatched_64,
    simblasZgemmStridedBatched_64;

/* Settings of a device, KEY=VALUE[&KEY=VALUE]...; returns 0, or 1 with the reason in `why` and nothing changed.
 *
 *   warp=32|64     lanes of a warp (32)
 *   memory=SIZE    what allocations may take, with K, M or G (256M)
 *   pitch=SIZE     what columns may be apart in a two-dimensional copy, with K, M or G (2147483647)
 *   blas=0|1       whether there is a BLAS (1)
 *   seed=N         order of blocks and threads: 1 ascending, 2 descending, others permuted (1)
 *   resident=N     blocks that are resident at once, 1 to 64, and fewer if they have many threads (1 to 8, drawn from
 *                  the seed for each launch)
 *   fail=KIND:K    the K-th operation of a kind fails and does nothing: alloc, copy (sets too), launch (graphs too),
 *                  blas (handles, what is set in them, products), blas_memory (what a product of the BLAS takes for
 *                  itself), event (creation, record, wait), stream (creation), wait (for a stream, whose work is done
 *                  then), query (the current device, attributes, names, sizes, loading a kernel); lost: from the K-th
 *                  of all but queries on the device is lost
 *
 * What is not named gets its default. Waits for the device's work; its memory stays, counters begin anew, and an error
 * of the device is forgotten. */
int sim_configure(int device, const char *text, char *why, size_t why_size);

/* Operations of a kind since then ("lost": of all kinds); -1 for what is no kind. */
int64_t sim_operations(int device, const char *kind);

int64_t sim_allocated(int device); /* bytes */
int64_t sim_handles(int device);   /* streams, events, graphs and BLAS handles that were not destroyed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
