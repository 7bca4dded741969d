/* vendor.h - the functions of one vendor's GPU, for sources that serve all vendors. All sources use CUDA's names. One
 * of three headers gives these names their meaning for the GPU of the build:
 *
 *   vendor_cuda.h   NVIDIA: includes CUDA's headers
 *   vendor_hip.h    AMD: makes the names aliases of HIP's names
 *   vendor_sim.h    the simulated GPU of the tests (simulator)
 *
 * If the three vendors do not agree, the headers define a wrapper with the prefix tg_. For C and C++:
 *
 *   tg_open(d, &guard), tg_enter(&guard), tg_leave(&guard), tg_close(&guard)
 *                                make device d the current device between enter and leave; leave restores the device
 *                                that was current before. No other device is touched. tg_open and tg_enter return a
 *                                cudaError_t
 *   tg_no_devices(error, text, n) says why the devices could not be counted
 *   tg_stream_is_here(&guard, stream)
 *                                whether the stream belongs to that device, as far as the vendor tells
 *   tg_pointer_device(p)         the device whose memory p points to, or -1 if p points to no device's memory
 *   tg_pointer_on_host(p)        whether the host can access p
 *   tg_pointer_is_pinned(p)      whether p points to host memory that devices read by themselves
 *   tg_is_one_allocation(p, size) whether one allocation holds all bytes from p on; true if the vendor does not tell
 *   tg_device_name(d, text, n)   the device's name; returns a cudaError_t
 *   tg_floats_to_doubles(d)      how many times faster the device computes with floats than with doubles, or 0
 *   tg_compute_capability(d)     the device's compute capability times ten on NVIDIA's GPUs, 0 on others
 *   tg_capture_of(stream, &id)   the number of the stream's capture, 0 if the stream is not being captured; a capture
 *                                that has failed has the number ~0ull; returns a cudaError_t
 *   tg_kernel_code(kernel, &ptx, &own)
 *                                the versions of the code that the current device runs for the kernel: of its PTX, and
 *                                its own, compute capabilities times ten on NVIDIA's GPUs, 0 on others; returns a
 *                                cudaError_t
 *   TG_VENDOR                    "cuda", "hip" or "sim"
 *   TG_DEVICE_LAUNCHES           1 if kernels can launch kernels, else 0
 *   TG_HAS_HOPPER                1 if the build has code for compute capability 9.0 alone, else 0
 *   tg_configure(d, text, why, n) sets options of the simulated GPU; returns 0, or 1 with the reason in why
 *
 * For kernels, which use only the x dimension and only dynamic shared memory:
 *
 *   tg_shared<T>()               the block's shared memory, as T *
 *   tg_warp()                    lanes of a warp: 32 or 64
 *   tg_shuffle(x, lane)          x of another lane; all existing lanes of the warp must arrive together
 *   tg_sync_warp()               a barrier of the warp, also for memory. All threads of the block call it together,
 *                                although only the warp waits on real GPUs
 *   tg_rsqrt(x)                  1 / √x for a float or a double, with an error of about a rounding
 *   tg_rsqrt_plain(x)            the same if x is a positive normal number; +infinity or 1 / √x if x is smaller or 0;
 *                                NaN if x is negative or a NaN
 *   tg_rsqrt_seed(x), tg_reciprocal_seed(x)
 *                                1 / √x and 1 / x to 20 binary digits, if 2^-1000 <= |x| < 2^1000; only of doubles on
 *                                GPUs with matrix units. tg_rsqrt_seed(x) of a float has an error of about a rounding,
 *                                if 2^-126 <= x < 2^127
 *   tg_nanoseconds()             a clock, whose rate is about right
 *   tg_copy_async_one(to, from, valid) begins to copy an element of 4, 8 or 16 bytes to shared memory; 0 is stored if
 *                                `valid` is false
 *   tg_copy_async_if(wanted, to, from, valid) the same if `wanted` is true, without a branch
 *   tg_copy_async_run(to, from, valid) the same for neighbours of 16 bytes together, at addresses that are multiples of
 *                                16, of which the first `valid` are copied
 *   tg_commit_copies()           ends a group of copies
 *   tg_await_copies<N>()         waits until at most the last N groups of this thread's copies are unfinished
 *   tg_atomic_min(p, x)          *p = min(*p, x), unsigned 64-bit
 *   tg_atomic_max(p, x)          *p = max(*p, x), unsigned, 32-bit or 64-bit
 *   tg_atomic_add(p, x)          *p += x, unsigned 64-bit
 *   tg_load_fresh(p)             *p, not from the L1 cache; *p has 4, 8 or 16 bytes, and is aligned to its size
 *   tg_prefetch(p)               begins to bring the line of memory at p near to the multiprocessors
 *   tg_launch(stream, kernel, blocks, threads, shared, task)
 *                                launches kernel(task); returns a cudaError_t
 *   tg_launch_together(stream, kernel, blocks, threads, shared, task)
 *                                the same as a cooperative launch: all blocks are resident at once, or the launch is
 *                                refused
 *   tg_most_together(kernel, threads, shared, &blocks)
 *                                how many blocks such a launch may have on the current device, 0 if it has none;
 *                                returns a cudaError_t
 *   tg_launch_clusters(stream, kernel, blocks, threads, shared, task, cluster)
 *                                the same with blocks in clusters of `cluster` neighbours, which are resident together
 *   tg_most_clusters(kernel, threads, shared, cluster, &clusters)
 *                                how many clusters of such a launch are resident at once on the current device, 0 if it
 *                                has no such cluster; allows such launches. Returns a cudaError_t
 *   tg_any(x, vote)              whether x is true in any thread of the block. `vote` is a word of shared memory of 64
 *                                bits, for this call alone. All threads call the function; it ends with a barrier
 *   tg_load(kernel, shared)      loads the kernel, whose address is a const void *, onto the device before its first
 *                                launch, and allows launches with this much shared memory; returns a cudaError_t
 *   TG_TILE(small, large)        small on the simulated GPU, so that small matrices take every path; large on real
 *                                GPUs, and on a simulated GPU that is built with TRIGON_SIM_LARGE
 *   tg_forget(x)                 makes the compiler forget what it knows about x, so that it keeps nothing that it has
 *                                computed from x in registers
 *
 * For kernels that multiply floats or doubles on matrix units (TG_HAS_MMA is 1 if the build has such kernels).
 * Threads of a warp have 32 lanes here, and a block has whole warps.
 *
 *   tg_has_mma(d, kernel, &b) whether the kernel's code for device d uses matrix units; returns a cudaError_t
 *   tg_mma(c, a, b)              c += a·b in each warp, in the fragments of mma.m16n8k16 for doubles: for the lane
 *                                4·g + t, a[2i + h] is element (g + 8h, t + 4i) of the 16 × 16 matrix A, b[i] is
 *                                element (t + 4i, g) of the 16 × 8 matrix B, and c[2h + e] is element (g + 8h, 2t + e)
 *                                of C. The same for mma.m16n8k8, if a and b are half as long: A has 8 columns, B 8 rows
 *   tg_mma(c, a, b) of floats    the same for mma.m16n8k8 with TF32: of a and b only the first 11 binary digits count,
 *                                and sums are cut off instead of rounded
 *   tg_mma(d, a, b, c)           d = c + a·b for mma.m16n8k16 for signed bytes: byte i of a[h] is element
 *                                (g + 8h, 4t + i) of A, and byte i of b is element (4t + i, g) of B; sums are modulo
 *                                2^32
 *   tg_mma(c, a, b) of bytes     c += a·b for mma.m16n8k32: byte i of a[2j + h] is element (g + 8h, 16j + 4t + i) of A,
 *                                and byte i of b[j] is element (16j + 4t + i, g) of B
 *   tg_load_matrices(x, row)     four matrices of 8 rows of 16 bytes in shared memory: lane 8m + i names row i of
 *                                matrix m, at a multiple of 16, and x[m] of lane 4·g + t becomes word t of its row g
 *   tg_has_int8_mma(d, kernel, &b) whether the kernel's code for device d has the products of bytes, and the device has
 *                                TG_SHARED_INT8 bytes of shared memory for a block; returns a cudaError_t
 *   tg_copy_async(to, from, valid) begins to copy a double to shared memory; 0 is stored if `valid` is false
 *   tg_copy_async_pair(to, from, valid) the same for two neighbours, at addresses that are multiples of 16, of which
 *                                the first `valid` are copied
 *
 * For blocks that wait for other blocks of their launch (tickets.h). All threads of a block call these functions
 * together. `word` is a word of shared memory: the call overwrites the word, and afterwards the word is free again.
 * Counters and flags are unsigned 32-bit words in device memory. They are zero when a call begins, and are zero again
 * when the launches of the call have ended, so that the next call, or a replay of the same call in a graph, finds
 * zeros, too. Most launches leave zeros to the next launch of their call. Those of POTRF, TRSM, TRTRI and POTRI of
 * batches do not: counters hold the sizes of their lists. Only these functions read and write counters and flags; only
 * resets, and later launches, may use other loads and stores.
 *
 *   tg_ticket(counter, word)     the block's number in the order in which blocks begin: 0, 1, ... Begins and ends with
 *                                a barrier
 *   tg_publish(flag, value)      *flag = value, after everything that the block's threads wrote before. The values of
 *                                a flag ascend. If another block published the last value, the publishing block must
 *                                have awaited that value, directly or through other blocks. Begins with a barrier. The
 *                                store may not have arrived yet when tg_publish returns
 *   tg_publish_by(flag, value, t) the same by thread t, not by the first one: its warp waits for the writes to arrive
 *   tg_publish_rows(flags, n, value) the same for n flags, by threads of different warps; a block has n warps or more
 *   tg_count(flag)               adds 1 to *flag, after everything that the block's threads read and wrote before. A
 *                                flag is counted or published, not both. Begins with a barrier. The addition may not
 *                                have arrived yet when tg_count returns
 *   tg_await(flag, value)        waits until *flag >= value. Then all threads see what the publisher of the value had
 *                                written and seen. One lane polls. Ends with a barrier
 *   tg_await_most(flag, value, word) as tg_await, and returns what *flag was, at least `value`, to all threads. They
 *                                see what the publishers of all values up to this one had written
 *   tg_await_least(flag, n, value, words) waits until *flag(i) >= value for each i < n, and returns the least of
 *                                them to all threads. They see what the publishers of all values up to this one had
 *                                written. Several lanes poll at once, and sooner than in tg_await. `words`: n words of
 *                                shared memory
 *   tg_await_each(flags, n, value) waits until flags[i] >= value(i) for each i < n; a flag whose value is 0 is not
 *                                awaited. The publishers need not have awaited each other. Several lanes poll at once.
 *                                If a flag is counted, all threads see what happened before the calls of tg_count that
 *                                made the value. Ends with a barrier
 *   tg_await_all(flag, n, value) the same for flags at flag(i)
 *   tg_first_below(flag, due, first, end, word) the first i, first <= i < end, for which *flag(i) was less than due(i)
 *                                just now, or `end`. `word` has 64 bits, and is free again behind the next barrier
 *   tg_last_block(counter, all, word)
 *                                true in the last one of `all` blocks that call tg_last_block: those of a launch, or of
 *                                several launches. The last block sees everything that the other blocks did before
 *                                their call. The call resets the counter; the caller resets flags and tickets there.
 *                                Begins and ends with a barrier. Each block calls tg_last_block once
 *   tg_last_blocks(n, counter, all, words)
 *                                the same for n counters at counter(i): words[i] becomes 1 in the last one of the
 *                                all(i) blocks that arrive at counter(i), and 0 in the others. `words`: n words of
 *                                shared memory. A block has n threads or more
 *
 * For blocks that wait for single numbers of other blocks. A tg_cell<T>, in device memory, is empty or holds a T.
 * Before the launch it may hold anything. tg_letters<T, COUNT> is what a thread has seen of COUNT cells. All threads of
 * a block call tg_send, tg_look and tg_receive together, although on real GPUs they do not wait for each other there.
 *
 *   tg_empty(cell)               makes the cell empty, by a plain store. Others may look at the cell only behind an
 *                                await of a value that was published after this store
 *   tg_send(cell, x, valid)      stores x in the empty cell if `valid` is true. Nothing else is released. A NaN may
 *                                arrive as another NaN
 *   tg_look(letters, cell)       begins to read the cells at cell(e), e < COUNT, empty or not
 *   tg_receive(x, letters, pause, cell)
 *                                x[e] = the number in the cell at cell(e), after tg_look of the same cells; waits until
 *                                none of the cells is empty. Between two looks the thread rests `pause` nanoseconds
 *
 * For blocks of a cluster:
 *
 *   tg_cluster_rank()            the block's number in its cluster
 *   tg_cluster_sync()            a barrier of all threads of the cluster, also for memory
 *   tg_cluster_shared(p, block)  the place in another block's shared memory where p points in the own one. The other
 *                                block of the cluster has begun, as behind the first barrier of the cluster, and does
 *                                not end before the last access
 *
 * For numbers that pass one after the other through one place, with a tag that ascends from 1. A tg_slot<T>, in device
 * memory at a multiple of its size, is zero when the launch begins. tg_seen<T, COUNT> is what a thread has seen of
 * COUNT slots; tg_seen<T, COUNT>{} has seen nothing. All threads of a block call these functions together, too.
 *
 *   tg_put(slot, x, tag, valid)  stores x with its tag if `valid` is true. All readers must have got the number before:
 *                                the caller has got what one of them put after that. Nothing else is released
 *   tg_look(seen, tag, wanted, slot)
 *                                if `wanted` is true, begins to read those slots at slot(e), e < COUNT, that did not
 *                                have the tag when they were seen last
 *   tg_get(x, seen, tag, wanted, slot, meanwhile)
 *                                if `wanted` is true, x[e] = the number in the slot at slot(e) that has the tag; waits
 *                                for all of them, and calls meanwhile() after each look. Otherwise x[e] = 0
 *
 * A block takes a ticket before it waits. A block waits only for a value that blocks with lower tickets of the same
 * counter (or the block itself) publish or count, because blocks with lower tickets run already. Blocks of higher
 * numbers may run first, and not all blocks run at once. Only in a launch by tg_launch_together, in which all blocks
 * run at once, a block may wait for any other one without a ticket.
 *
 * A plain load after tg_await reads published data. If another block of the same launch writes data, no kernel may read
 * the data through `const __restrict__` pointers, because compilers may serve such reads from a cache that is not
 * coherent. tg_load_fresh is right in any case, and leaves the L1 cache to data that are read more than once.
 * tg_load_fresh does not replace an await. */
#ifndef TRIGON_VENDOR_H
#define TRIGON_VENDOR_H

/* Marks long unrolled functions that a kernel calls from several places. */
#define TG_NOINLINE __attribute__((noinline))

/* Marks functions whose arrays shall be in registers of the caller. */
#define TG_INLINE __attribute__((always_inline)) inline

/* Every warp of every vendor has at least this many lanes, and every block can have this much shared memory. */
#define TG_LEAST_WARP 32
#define TG_SHARED_BYTES (48 << 10)

/* A kernel for all GPUs may ask tg_load for this much shared memory. */
#define TG_SHARED_MOST (64 << 10)

/* What a block can have on every GPU of NVIDIA from Ampere on. Kernels for products of bytes may ask for this much. */
#define TG_SHARED_INT8 (99 << 10)

/* The shared memory of a multiprocessor of Hopper. A block takes what it asks for and one KiB more. */
#define TG_SHARED_HOPPER (228 << 10)

#if defined(TRIGON_VENDOR_SIM)
#include "vendor_sim.h"
#elif defined(TRIGON_VENDOR_HIP)
#include "vendor_hip.h"
#else
#include "vendor_cuda.h"
#endif

#if defined(TRIGON_VENDOR_SIM) ? defined(__cplusplus) : defined(__CUDACC__) || defined(__HIPCC__)
#include "tickets.h"
#endif

#endif
