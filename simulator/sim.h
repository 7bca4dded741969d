/* sim.h - the simulated GPU: four devices on the CPU, with CUDA's runtime and the part of cuBLAS that the library uses.
 * The simulated GPU is a tool for correctness, not for speed. cuda/cuda_runtime_api.h gives CUDA's names to these
 * functions, and CUDA's manual describes them. The following facts are not in CUDA's manual:
 *
 * Work is deferred: it runs when something waits for it. Work that nobody waits for never runs. A wait for a stream
 * runs this stream, and runs other streams up to the events that this stream waits for. A copy reads a source in host
 * memory when the copy is called, or when the copy runs if the source is pinned; and it writes a destination in host
 * memory when the copy runs.
 *
 * The host faults if it touches device memory. Device memory holds 0xFF bytes, which are NaNs, until it is written. The
 * bytes between allocations hold 0xFF, too. With the address sanitizer, the bytes that nobody may touch are poisoned.
 * Without the address sanitizer, a changed byte next to an allocation is an error.
 *
 * Several blocks are resident at once and take turns. In its turn a block's threads run one after another, each until
 * it waits. A turn ends at a barrier, and before and after every ticket, publication, await and atomic. The seed
 * chooses the order of blocks and threads. When a block has ended, another block of the launch becomes resident.
 *
 * An asynchronous copy of a thread lands when the thread waits for it. Before, the destination holds 0xFF bytes. If the
 * source changes before the wait, 0xFF bytes land. Both addresses must be multiples of the size.
 *
 * The blocks of a cluster are resident together. A block may reach for the shared memory of another one between the
 * first barrier of the cluster and the end of that block; anything else is an error.
 *
 * A block may await only a value that a block with a lower ticket of the same counter publishes in the same launch. Any
 * other await is an error, in every order of blocks. The values of a flag ascend: a publication of a value that is not
 * above the flag's value is an error. If all resident blocks wait for flags, that is an error, too.
 *
 * A launch of blocks together (a cooperative one) is refused if the device has no room for all of its blocks at once.
 * Otherwise all of them are resident from the begin, and each may await what any other one publishes.
 *
 * Kernels that are compiled with -fsanitize=thread are checked for races (races.h), between threads of one block and of
 * several blocks. A missing barrier or await is an error, even if the present order gives the right result.
 *
 * Errors of kernels stick to the device, as in CUDA: all later calls return the error. simGetErrorString then gives
 * details. */
#ifndef TRIGON_SIM_H
#define TRIGON_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* If CUDA has the error, the number is CUDA's. */
#define SIM_ERRORS(X)                                                                                                  \
  X(simSuccess, 0, "no error")                                                                                         \
  X(simErrorInvalidValue, 1, "invalid argument")                                                                       \
  X(simErrorMemoryAllocation, 2, "out of memory")                                                                      \
  X(simErrorInvalidPitchValue, 12, "invalid pitch argument")                                                           \
  X(simErrorInvalidDevicePointer, 17, "invalid device pointer")                                                        \
  X(simErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                           \
  X(simErrorDevicesUnavailable, 46, "the device is lost")                                                              \
  X(simErrorInvalidDeviceFunction, 98, "invalid device function")                                                      \
  X(simErrorNoDevice, 100, "no device")                                                                                \
  X(simErrorInvalidDevice, 101, "invalid device ordinal")                                                              \
  X(simErrorInvalidResourceHandle, 400, "invalid resource handle")                                                     \
  X(simErrorIllegalState, 401, "the operation cannot be performed in the present state")                               \
  X(simErrorHostMemoryAlreadyRegistered, 712, "the memory is registered already")                                      \
  X(simErrorHostMemoryNotRegistered, 713, "the memory is not registered")                                              \
  X(simErrorNotReady, 600, "device not ready")                                                                         \
  X(simErrorIllegalAddress, 700, "an illegal memory access was encountered")                                           \
  X(simErrorLaunchOutOfResources, 701, "too many resources requested for launch")                                      \
  X(simErrorMisalignedAddress, 716, "misaligned address")                                                              \
  X(simErrorLaunchFailure, 719, "unspecified launch failure")                                                          \
  X(simErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                                   \
  X(simErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")                         \
  X(simErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")                  \
  X(simErrorStreamCaptureUnmatched, 903, "the capture was not begun in this stream")                                   \
  X(simErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                                          \
  X(simErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream")                    \
  X(simErrorStreamCaptureImplicit, 906,                                                                                \
    "operation would make the legacy stream depend on a capturing blocking stream")                                    \
  X(simErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")             \
  X(simErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
  X(simErrorInvalidClusterSize, 912, "invalid cluster size")                                                           \
  X(simErrorUnknown, 999, "unknown error")                                                                             \
  X(simErrorBarrier, 10001, "threads of a block wait in different barriers")                                           \
  X(simErrorShuffle, 10002, "lanes of a warp do not arrive at the shuffle in which others wait")                       \
  X(simErrorLane, 10003, "a shuffle reads a lane that does not exist")                                                 \
  X(simErrorStrayWrite, 10004, "device memory was written next to an allocation")                                      \
  X(simErrorSharedOverrun, 10005, "shared memory was written beyond its end")                                          \
  X(simErrorDeadlock, 10006, "all resident blocks wait")                                                               \
  X(simErrorTicket, 10007, "a block awaited a block that holds no lower ticket")                                       \
  X(simErrorUnpublished, 10008, "a block awaited a value that no block of the launch published")                       \
  X(simErrorRace, 10009, "two threads access one byte, one of them writes, and nothing orders the two")                \
  X(simErrorFalling, 10010, "a block published a value that is not above the one that the flag holds")                 \
  X(simErrorNotLoaded, 10011, "a kernel was launched that was not loaded")                                             \
  X(simErrorCluster, 10012, "a block reached for shared memory of its cluster that is not there")

#define SIM_ERROR_NUMBER(name, number, text) name = number,
typedef enum simError_t { SIM_ERRORS(SIM_ERROR_NUMBER) } simError_t;

enum { simHostRegisterPortable = 1, simHostAllocPortable = 1 };
enum { simStreamDefault = 0, simStreamNonBlocking = 1, simEventDefault = 0, simEventDisableTiming = 2 };
typedef enum simDeviceAttr {
  simDevAttrWarpSize = 10,
  simDevAttrMaxPitch = 11,
  simDevAttrMultiProcessorCount = 16,
  simDevAttrPageableMemoryAccessUsesHostPageTables = 100
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
simError_t simDeviceCanAccessPeer(int *can, int device, int peer);
simError_t simDeviceEnablePeerAccess(int peer, unsigned flags); /* copies between devices need no access */
simError_t simDeviceSynchronize(void);
/* Loads a kernel onto the current device, with so much shared memory at most if it is more than 48 KiB. */
simError_t simLoad(const void *kernel, size_t shared);

simError_t simMemGetInfo(size_t *available, size_t *total);
simError_t simMalloc(void **data, size_t size);
simError_t simFree(void *data);
int simPointerDevice(const void *p);                 /* -1 if p is in no live allocation */
bool simIsOneAllocation(const void *p, size_t size); /* whether one live allocation holds all bytes from p on */
/* Host memory that devices read by themselves. */
simError_t simHostRegister(void *data, size_t size, unsigned flags);
simError_t simHostUnregister(void *data);
simError_t simHostAlloc(void **data, size_t size, unsigned flags);
simError_t simFreeHost(void *data);
int simPointerPinned(const void *p);
simError_t simMemcpy(void *to, const void *from, size_t size, simMemcpyKind);
simError_t simMemcpyAsync(void *to, const void *from, size_t size, simMemcpyKind, simStream_t);
simError_t simMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            simMemcpyKind, simStream_t);
simError_t simMemsetAsync(void *to, int value, size_t size, simStream_t);

simError_t simStreamCreateWithFlags(simStream_t *, unsigned flags);
simError_t simStreamDestroy(simStream_t);
int simStreamDevice(simStream_t);
simError_t simStreamSynchronize(simStream_t);
simError_t simStreamQuery(simStream_t); /* if work is left, runs one piece of work */
simError_t simStreamWaitEvent(simStream_t, simEvent_t, unsigned flags);
simError_t simEventCreateWithFlags(simEvent_t *, unsigned flags);
simError_t simEventRecord(simEvent_t, simStream_t);
simError_t simEventSynchronize(simEvent_t);
simError_t simEventQuery(simEvent_t);
simError_t simEventElapsedTime(float *ms, simEvent_t from, simEvent_t to); /* between the calls of simEventRecord */
simError_t simEventDestroy(simEvent_t);

/* A captured stream cannot copy from or to host memory. A graph runs its work in the order in which it was captured, in
 * all streams of the capture together. */
simError_t simStreamBeginCapture(simStream_t, simStreamCaptureMode);
simError_t simStreamEndCapture(simStream_t, simGraph_t *);
simError_t simStreamCaptureOf(simStream_t, unsigned long long *id); /* 0: no capture; ~0: a capture that has failed */
simError_t simGraphInstantiate(simGraphExec_t *, simGraph_t, unsigned long long flags);
simError_t simGraphLaunch(simGraphExec_t, simStream_t);
simError_t simGraphDestroy(simGraph_t);
simError_t simGraphExecDestroy(simGraphExec_t);

/* Launches call(argument) in every thread. simLaunch copies `size` bytes of the argument before it returns. The kernel
 * must be loaded. A real GPU loads a kernel at its first launch, which fails in a capture. */
typedef void sim_kernel(const void *argument);
simError_t simLaunch(simStream_t, const void *kernel, sim_kernel *call, const void *argument, size_t size,
                     int64_t blocks, int threads, size_t shared);
/* The same with all blocks resident at once. */
simError_t simLaunchTogether(simStream_t, const void *kernel, sim_kernel *call, const void *argument, size_t size,
                             int64_t blocks, int threads, size_t shared);
/* How many blocks of so many threads such a launch may have. */
simError_t simMostTogether(int64_t *blocks, int threads);
/* The same in clusters of 1 to 16 blocks. If not all blocks of a cluster can be resident, the launch is refused. */
simError_t simLaunchClusters(simStream_t, const void *kernel, sim_kernel *call, const void *argument, size_t size,
                             int64_t blocks, int threads, size_t shared, int cluster);
/* How many such clusters can be resident at once. */
simError_t simMostClusters(int *clusters, int threads, int cluster);

/* For kernels. All existing lanes of a warp must meet in one shuffle. The shuffle copies `size` bytes of the x of lane
 * `lane` to *result. The place in the source identifies a barrier or shuffle. */
typedef struct simIndex {
  unsigned x;
} simIndex;
extern simIndex simThreadIdx, simBlockIdx, simBlockDim, simGridDim;
extern int simWarpSize;
extern void *simShared;
void simBarrier(const char *file, int line);
void simShuffle(void *result, const void *x, size_t size, int lane, const char *file, int line);
/* As a shuffle, but returns the x of all lanes, one behind the other. `size` is at most 256. The result holds until the
 * thread waits again. */
const void *simGather(const void *x, size_t size, const char *file, int line);
void simCopyAsync(void *to, const void *from, size_t size, size_t valid); /* at most 16 bytes; behind `valid`: zeros */
void simCommitCopies(void);
void simAwaitCopies(unsigned left);
/* The number of the block in its cluster; a barrier of the cluster; the place of p, which is in the block's own shared
 * memory, in that of another block of the cluster. */
int simClusterRank(void);
void simClusterBarrier(const char *file, int line);
void *simClusterShared(const void *p, int rank);
void simAtomicMin(unsigned long long *p, unsigned long long x);
void simAtomicMax(unsigned *p, unsigned x);
void simAtomicMaxWide(unsigned long long *p, unsigned long long x);
void simAtomicAdd(unsigned long long *p, unsigned long long x);

/* For kernels: the part of tg_ticket, tg_publish, tg_await and tg_last_block (gpu/vendor/vendor.h) that one thread does
 * between the barriers. */
unsigned simTicket(unsigned *counter);
unsigned simTicketOf(unsigned *counter, unsigned all);
void simPublish(unsigned *flag, unsigned value);
void simCount(unsigned *flag);
void simAwait(const unsigned *flag, unsigned value);
/* Returns what the flag holds; with seed 1, `value`, although the flag may hold more. */
unsigned simAwaitMost(const unsigned *flag, unsigned value);
unsigned simPeek(const unsigned *flag);
bool simArrive(unsigned *counter, unsigned all);

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
typedef enum simblasSideMode_t { SIMBLAS_SIDE_LEFT, SIMBLAS_SIDE_RIGHT } simblasSideMode_t;
typedef enum simblasFillMode_t { SIMBLAS_FILL_MODE_LOWER, SIMBLAS_FILL_MODE_UPPER } simblasFillMode_t;
typedef enum simblasDiagType_t { SIMBLAS_DIAG_NON_UNIT, SIMBLAS_DIAG_UNIT } simblasDiagType_t;
typedef struct simblas *simblasHandle_t;

void *simblasOpen(void);                            /* NULL if the current device has no BLAS */
void *simblasFind(void *library, const char *name); /* the address of one of the functions below, or NULL */

/* A GEMM needs a workspace of at least 16 KiB, which the caller sets after the last simblasSetStream. Without such a
 * workspace the GEMM is refused (ALLOC_FAILED), because cuBLAS would take memory of its own. A GEMM overwrites the
 * whole workspace. */
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

/* The arrays of addresses lie on the device. */
typedef simblasStatus_t simblas_solves(simblasHandle_t, simblasSideMode_t, simblasFillMode_t, simblasOperation_t,
                                       simblasDiagType_t, int64_t m, int64_t n, const void *alpha, void *const *A,
                                       int64_t lda, void *const *B, int64_t ldb, int64_t count);
simblas_solves simblasStrsmBatched_64, simblasDtrsmBatched_64, simblasCtrsmBatched_64, simblasZtrsmBatched_64;

/* Sets a device's settings by KEY=VALUE[&KEY=VALUE]... Returns 0. On failure returns 1, stores the reason in `why`, and
 * changes nothing.
 *
 *   warp=32|64     lanes of a warp (32)
 *   memory=SIZE    bytes that all allocations together may have, with K, M or G (256M)
 *   pitch=SIZE     largest distance between columns in a two-dimensional copy, with K, M or G (2147483647)
 *   blas=0|1       whether the device has a BLAS (1)
 *   solver=0|1     whether the device has cuSOLVER (0): see sim_solver.h
 *   seed=N         order of blocks and threads: 1 ascending, 2 descending, any other number mixed (1)
 *   resident=N     blocks that are resident at once, 1 to 64, and fewer if they have many threads (1 to 8, drawn from
 *                  the seed for each launch)
 *   together=N     room for so many blocks of a launch of blocks together, 0 to 64, and for fewer if they have many
 *                  threads (12)
 *   fail=KIND:K    the K-th operation of a kind fails and does nothing. The kinds are alloc, copy (includes sets),
 *                  launch (includes graphs), blas (handles, their settings, products, factorizations), blas_memory (the
 *                  memory that a product of the BLAS takes for itself), event (creation, record, wait), stream
 *                  (creation), wait (for a stream: the stream's work is done), query (the current device, attributes,
 *                  names, sizes, loading a kernel), and lost: the device is lost from its K-th operation on, and
 *                  queries do not count
 *
 * A setting that the text does not name gets its default. sim_configure waits for the device's work. The device's
 * memory stays, its counters begin anew, and an error of the device is forgotten. If the device has no handles, nobody
 * uses it, and the kernels that were loaded are forgotten, too. */
int sim_configure(int device, const char *text, char *why, size_t why_size);

/* Returns the number of operations of a kind since the last sim_configure ("lost": of all kinds but query), or -1 if
 * the kind does not exist. */
int64_t sim_operations(int device, const char *kind);

int64_t sim_allocated(int device); /* bytes */
bool sim_is_loaded(int device, const void *kernel);
int64_t sim_handles(int device); /* streams, events, graphs and BLAS handles that were not destroyed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
