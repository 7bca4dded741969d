/* vendor.h - the GPU that this part of the library is built for. Everything is written in CUDA's spelling; the vendor's
 * header makes those names mean the machine at hand:
 *
 *   vendor_cuda.h   NVIDIA: includes, and the wrappers below
 *   vendor_hip.h    AMD: the same names as aliases of HIP's
 *   vendor_sim.h    the simulated GPU of the tests (simulator)
 *
 * Where the three spellings do not agree there is a wrapper, prefix tg_. For C and C++:
 *
 *   tg_open(d, &guard), tg_enter(&guard), tg_leave(&guard), tg_close(&guard)
 *                                between enter and leave device d is the current one, and behind them what was before;
 *                                no other device is touched. cudaError_t each, but for leave and close
 *   tg_no_devices(error, text, n) why the devices could not be counted
 *   tg_stream_is_here(&guard, stream)
 *                                whether the stream is one of that device, as far as the vendor tells
 *   tg_pointer_device(p)         the device whose memory p points to; -1 where it is no device's
 *   tg_pointer_on_host(p)        whether the host can access p
 *   tg_device_name(d, text, n)   the device's name; a cudaError_t
 *   tg_is_capturing(stream, &b)  whether the stream is being captured; a cudaError_t
 *   TG_VENDOR                    "cuda", "hip" or "sim"
 *   tg_configure(d, text, why, n) options of the simulated GPU; 0, or 1 with the reason in why
 *   tg_blas_open()               whether the vendor's BLAS is there; loads it where it is not linked
 *   tg_blas_gemm(letter), tg_blas_batched(letter)
 *                                its GEMM and strided batched GEMM of a precision; NULL where it has none. Their
 *                                integers are tg_blas_int, up to TG_BLAS_INT_MAX, their strides tg_blas_stride
 *   tg_blas_name(handle, text, n) its name and version; a cublasStatus_t
 *
 * In kernels, which use the x dimension alone and dynamic shared memory alone:
 *
 *   tg_shared<T>()               the block's shared memory, as T *
 *   tg_warp()                    lanes of a warp: 32 or 64
 *   tg_shuffle(x, lane)          x of another lane; all lanes of the warp that exist must arrive together
 *   tg_nanoseconds()             a clock that runs about as fast as it says
 *   tg_atomic_min(p, x)          *p = min(*p, x), unsigned 64-bit
 *   tg_load_fresh(p)             *p past the L1 cache; p is of 4, 8 or 16 bytes, and as much aligned
 *   tg_launch(stream, kernel, blocks, threads, shared, task)
 *                                launches kernel(task); a cudaError_t
 *   tg_load(kernel)              loads the kernel onto the device ahead of its first launch; a cudaError_t
 *   TG_TILE(small, large)        the first on the simulated GPU, so that small matrices take every path; the
 *                                second there, too, where it is built with TRIGON_SIM_LARGE
 *
 * For blocks that wait for other blocks of their launch (dataflow.h). All threads of a block call these
 * together. `word` is one in shared memory that the call overwrites, and that is free again afterwards. Counters and
 * flags are unsigned 32-bit words in device memory, zero when the launch begins, and zero again when it ends: so the
 * next launch, or the same one in a replayed graph, finds them as this one did. They are read and written by these
 * functions alone, but for the reset.
 *
 *   tg_ticket(counter, word)     the block's number in the order in which blocks begin: 0, 1, ... Begins and ends with
 *                                a barrier
 *   tg_publish(flag, value)      *flag = value, behind everything that the block's threads wrote before. The values of
 *                                a flag ascend. What came last from another block, the block has awaited, directly or
 *                                through other blocks. Begins with a barrier; the flag may be on its way when it
 *                                returns
 *   tg_await(flag, value)        waits until *flag >= value; then all threads see what the publisher of the value wrote
 *                                and saw before. One lane polls. Ends with a barrier
 *   tg_last_block(counter, word) true in the last block of the launch that calls it. That block sees everything that the
 *                                others did before their call. It resets the counter; the caller resets flags and
 *                                tickets there. Begins and ends with a barrier; each block calls it once
 *
 * A block takes a ticket before it waits, and waits only for what a lower ticket of the same counter publishes: the
 * block with that ticket runs already. Blocks of higher numbers may run first, and not all blocks run at once.
 *
 * A plain load behind tg_await reads what was published. Data that another block writes in the same launch must not be
 * read through `const __restrict__` pointers, which compilers may serve from a cache that is not coherent:
 * tg_load_fresh reads them in any case, and leaves the L1 cache to what is read more than once. It is no await. */
#ifndef TRIGON_VENDOR_H
#define TRIGON_VENDOR_H

/* For long unrolled functions that a kernel calls from several places. */
#define TG_NOINLINE __attribute__((noinline))

/* Lanes that a warp of any vendor has at least, and shared memory that any block may have. */
#define TG_LEAST_WARP 32
#define TG_SHARED_BYTES (48 << 10)

#if defined(TRIGON_VENDOR_SIM)
#include "vendor_sim.h"
#elif defined(TRIGON_VENDOR_HIP)
#include "vendor_hip.h"
#else
#include "vendor_cuda.h"
#endif

#if defined(TRIGON_VENDOR_SIM) ? defined(__cplusplus) : defined(__CUDACC__) || defined(__HIPCC__)
#include "dataflow.h"
#endif

#endif
