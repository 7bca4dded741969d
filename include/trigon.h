/* trigon.h - dense linear algebra on triangular, symmetric and Hermitian matrices, in place.
 *
 * Conventions, the same for every routine:
 *  - Matrices are column-major: element (i, j) is data[i + j * ld], and i and j count from 0. Sizes and leading
 *    dimensions count elements and have 64 bits everywhere. If a BLAS with 32-bit integers computes ("cpu:LIBRARY"),
 *    larger sizes are cut, but a leading dimension above 2^31 - 1 is refused (TRIGON_NOT_SUPPORTED; the message names
 *    the matrix). A leading dimension that no address depends on is not refused, because the matrix has one column or
 *    is not accessed. (In a batch it is an error of its matrix.)
 *  - Each routine has two spellings. One takes a `trigon_matrix` for each matrix (trigon_trsm). The other takes BLAS's
 *    or LAPACK's argument list behind the context (trigon_strsm, _dtrsm, _ctrsm, _ztrsm). The letters s and d take
 *    float and double. The letters c and z take a complex scalar as a `trigon_scalar`, and a complex matrix as a
 *    pointer to pairs (re, im). C's `_Complex`, C++'s std::complex, Fortran and NumPy store such pairs.
 *  - If `uplo` names a triangle, the opposite triangle is neither read nor written. With TRIGON_UNIT the diagonal is
 *    neither read nor written. Rows between the matrix and its leading dimension are never touched.
 *  - On a device, matrices are aligned to their elements (16 bytes for z, 8 for d and c, 4 for s), and info to 8 bytes.
 *    A matrix is a bad argument if its first or its last element is not in the device's memory. Memory of another
 *    device and memory of the host are refused, even if the device could reach this memory. Managed memory is accepted.
 *    The bytes between the first element and the last are not checked, because neighbouring allocations look like one
 *    allocation.
 *  - Operands of one call must not overlap. Only inputs may overlap each other.
 *  - If alpha == 0, A and B are not read (in TRMM and TRSM: A is not read). If beta == 0, C is overwritten without
 *    being read. In all other cases NaN and Inf propagate. Tiles at the diagonal of a triangle are multiplied with
 *    zeros in place of the opposite triangle, so that a NaN or Inf may spread to neighbouring elements of the result.
 *    Trigon's kernels lose no NaN, nor does OpenBLAS, except with the option native=1. Another BLAS may lose a NaN:
 *    reference BLAS skips products with 0. Scalars are first rounded to the precision of the matrices.
 *  - Quick returns are those of BLAS. A call changes nothing if the output is empty. A call changes nothing either if
 *    there is nothing to add (alpha == 0 or k == 0) and beta == 1. In both cases the other sizes do not matter: they
 *    may exceed the largest integer of the BLAS.
 *  - Errors: the returned status says whether the call could run. If the call could not run, nothing was read or
 *    written, and *info is untouched. trigon_message() says why. If an argument is wrong, the message names the
 *    argument, its LAPACK-style position (the context is not counted) and its value. Two statuses are exceptions. A
 *    call that returns TRIGON_DEVICE_FAILED may have stopped half done. A call that returns TRIGON_INCOMPLETE has
 *    stopped half done. Everything that such a call writes is unspecified, except that *info is untouched.
 *    TRIGON_INCOMPLETE means that the device has not failed: for example, the vendor's BLAS has no memory for itself.
 *    If the mathematics fails, the status is TRIGON_OK, and `info` > 0. The number `info` counts as LAPACK counts.
 *  - Memory: a context has a leaf buffer from its creation on, 1 MiB on the CPU and 2 MiB on a device. If leaves by
 *    Trigon's register kernels are in its table, it also has their buffers (the option leaf=packed, below). The BLAS
 *    underneath also keeps memory for itself. (cuBLAS 13.1 on an H200 keeps 64 MiB for each context, or nothing if the
 *    environment says CUBLAS_WORKSPACE_CONFIG=:0:0.) If a routine's comment says "Memory: none", the routine takes no
 *    further memory on the CPU, unless trigon_set_fp64 makes it emulate products. On a device, the first call that
 *    computes allocates a workspace of 32 MiB for the vendor's BLAS and for leaves, and all calls of the context share
 *    it: see trigon_set_workspace. The first call of a thread into a BLAS that was loaded by name may take 1 KiB for
 *    the thread's keys (TRIGON_NO_MEMORY).
 *
 * Row-major data: a row-major matrix is, in the same memory, the column-major storage of its transpose. So no copy is
 * needed: call the routine with other flags and the same memory. docs/row-major.md has the recipe for each routine. */
#ifndef TRIGON_H
#define TRIGON_H

#include <stddef.h>
#include <stdint.h>

#define TRIGON_VERSION_MAJOR 0
#define TRIGON_VERSION_MINOR 1
#define TRIGON_VERSION_PATCH 0
#define TRIGON_VERSION_NUMBER (TRIGON_VERSION_MAJOR * 10000 + TRIGON_VERSION_MINOR * 100 + TRIGON_VERSION_PATCH)

#if defined(__GNUC__)
#define TRIGON_API __attribute__((visibility("default")))
#else
#define TRIGON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------- types -- */

/* The result of a call. A failure of the mathematics is no status: see `info`. */
typedef enum trigon_status {
  TRIGON_OK = 0,
  TRIGON_BAD_ARGUMENT,  /* an argument is invalid; the message names it and its value */
  TRIGON_NO_MEMORY,     /* an allocation failed */
  TRIGON_NOT_SUPPORTED, /* the call is valid, but this backend cannot run it */
  TRIGON_NOT_FOUND,     /* this machine does not have the backend, library or device */
  TRIGON_DEVICE_FAILED, /* the device, its driver or a library of its vendor reported a failure */
  TRIGON_INCOMPLETE     /* the call stopped half done, but no device has failed; the message names the cause */
} trigon_status;

/* Flags, with CBLAS's values. */
typedef enum trigon_op { TRIGON_NOTRANS = 111, TRIGON_TRANS = 112, TRIGON_CONJTRANS = 113 } trigon_op;
typedef enum trigon_uplo { TRIGON_UPPER = 121, TRIGON_LOWER = 122 } trigon_uplo;
typedef enum trigon_diag { TRIGON_NONUNIT = 131, TRIGON_UNIT = 132 } trigon_diag;
typedef enum trigon_side { TRIGON_LEFT = 141, TRIGON_RIGHT = 142 } trigon_side;

/* What becomes of the other triangle where one triangle is written: it stays, becomes zero, or becomes the adjoint. */
typedef enum trigon_other { TRIGON_KEEP = 0, TRIGON_CLEAR = 1, TRIGON_MIRROR = 2 } trigon_other;

/* Precision, by LAPACK's letter: float, double, complex float, complex double. */
typedef enum trigon_type { TRIGON_S = 's', TRIGON_D = 'd', TRIGON_C = 'c', TRIGON_Z = 'z' } trigon_type;

/* A scalar of any precision. Two doubles hold the scalars of all four types exactly. For s and d, im must be 0. */
typedef struct trigon_scalar {
  double re, im;
} trigon_scalar;

/* A stored matrix: rows × cols elements of `type`, column-major, with ld >= max(1, rows). The struct is passed by
 * value. The data belong to the caller. A routine does not write to an input through `data`. */
typedef struct trigon_matrix {
  void *data;
  trigon_type type;
  int64_t rows, cols, ld;
} trigon_matrix;

/* Where a call computes, and with which library. One thread at a time may use a context. Contexts are independent of
 * each other. */
typedef struct trigon_context trigon_context;

/* ----------------------------------------------------------------------------------------------- context -- */

/* Creates a context by name and stores its address in *ctx.
 *
 *   "cpu"             Trigon's register kernels compute everything; data are in host memory. No BLAS is needed. On a
 *                     processor whose kernels were never measured (neither AVX2 nor AVX-512), an installed OpenBLAS or
 *                     BLIS is loaded at the first call that is large, and computes large calls (see trigon_advice)
 *   "cpu:LIBRARY"     any other BLAS with 32-bit integers, e.g. "cpu:libblis.so.4". LIBRARY is a shared library, and is
 *                     loaded into a namespace of its own. If the library has LAPACK's routines, they are taken from
 *                     there
 *   "cpu64:LIBRARY"   the same with 64-bit integers (symbols dgemm_64_ or dgemm_), e.g. "cpu64:libopenblas64.so.0". The
 *                     width of the library's integers is tested, and a library of the other width is refused. The
 *                     loader limits how many libraries fit: usually five or more, and fifteen with
 *                     GLIBC_TUNABLES=glibc.rtld.nns=16
 *   "cuda:N" "hip:N"  GPU number N, counted from 0, of NVIDIA or AMD; data are in the GPU's memory. The plugin for the
 *                     GPU is loaded, libtrigon-cuda.so or libtrigon-hip.so. If $TRIGON_BACKEND_PATH is set, the plugin
 *                     comes from the folder that the variable names by an absolute path. If the variable is not set,
 *                     the plugin comes from the folder `trigon` beside this library, or from the folder in which the
 *                     build was configured to install plugins
 *   "cuda:N:host"     the same GPU, or the GPUs N to M (16 at most); data are in host memory and may be larger than the
 *   "cuda:N-M"        memory of the GPUs. Calls return at once. Until trigon_finish has returned, the matrices and info
 *                     belong to the library (docs/hosted.md). The same for hip
 *
 * Options follow a question mark, as KEY=VALUE, separated by '&':
 *
 *   stop=N            the recursion stops at order N (default: the backend's own table)
 *   split=halves      divide n into the fewest blocks of equal size that are no larger than the stop size, and cut in
 *                     the middle: half of the blocks on each side (default)
 *   split=power       cut off the largest power of two below n (the papers' rule)
 *   leaf=vendor       compute leaves by the vendor's routines (BLAS, LAPACK, cuBLAS, cuSOLVER), if the vendor has them.
 *                     The context "cpu" has no vendor: TRIGON_NOT_SUPPORTED
 *   leaf=step         compute leaves by Trigon's own code, if Trigon has its own (on the CPU: for the factorizations)
 *   leaf=packed       on the CPU: compute leaves by Trigon's register kernels, as the context "cpu" always does. The
 *                     context holds memory for them: half of the third-level cache (4 to 6 MiB), and 5/8 of the
 *                     second-level cache (160 KiB to 1.25 MiB). Each worker of the process has a buffer of the latter
 *                     size, which all contexts share; from the first batch on it has 1.44 MiB
 *   leaf=dataflow     on devices: compute each leaf of TRSM, TRMM, POTRF, TRTRI and LAUUM in one launch, in which
 *                     blocks of threads wait for each other's tiles. Other routines take leaf=step
 *   tuning=FILE       take the tuning table from this file (docs/tuning.md). The path has at most 1000 characters and
 *                     no '&'. With tuning=none, no file is read and the table is the one that is built in. Without this
 *                     option, a file is read if $TRIGON_TUNING names one (or `none`), or if the file exists that
 *                     trigon_tuning_file returns. The command `trigon tune` writes such a file
 *   threads=N         on the CPU: how many threads, from 1 to 1024, share a batch, or a leaf that is large enough;
 *                     never more than the processors that the process may use (its affinity mask and the quota of its
 *                     control group, read when the context is created). Default: $TRIGON_NUM_THREADS, else
 *                     $OMP_NUM_THREADS, else all these processors; over "cpu:LIBRARY" 1, because the threads of a BLAS
 *                     wait for work and would take processor time. Inside a parallel region of OpenMP a call has one
 *                     thread
 *   blas=none         on the CPU: load no installed BLAS, whatever the processor is
 *   arch=NAME         for tests: the kernels and rows of a kind of CPU: portable, avx2, avx512 or neon (default: the
 *                     best one that the CPU has); of a kind of GPU: portable, ampere, ampere-rtx, ada, hopper,
 *                     blackwell or blackwell-rtx, on the simulated GPU also simulated (default: the nearest kind;
 *                     trigon_describe names it). On NVIDIA the first four load another plugin (docs/options.md)
 *   gemm=own          on devices: compute products by Trigon's own kernels. Default: gemm=vendor, the vendor's BLAS
 *   tile=RxC          on devices, for tests: the rows and columns of a tile of B in a leaf for doubles on matrix units,
 *                     with leaf=dataflow. TRSM has 128x8, 128x16, 128x32, 128x64 and 128x128. TRMM has 64x8, 64x16,
 *                     64x32, 64x64, 128x64 and 128x128. TRTRI has tiles of R columns and C rows: 64x32, 64x64 and
 *                     128x64. LAUUM has 64x64 and 128x128. A routine without this tile, and every routine by default,
 *                     chooses by the size
 *   stages=N          on devices: how SYEVD and its family reduce a matrix to tridiagonal form: 1, at once; 2, by way
 *                     of a band. Default: the order decides
 *   schedule=NAME     on devices: how POTRF of a batch (also in POSV) orders its work, for comparison:
 *                       auto    launches for classes of orders, and a queue of matrices (default)
 *                       ssde    a launch for each panel of 8 columns (4 of type z), for all matrices that have such
 *                               a panel: same start, different ends
 *                       dsse    the same, but small matrices start late: different starts, same end
 *                       device  kernels launch the panels, a chain of launches for each matrix. Only on NVIDIA, and
 *                               not with arch=portable; else trigon_create returns TRIGON_NOT_SUPPORTED
 *                     Orders above 1024 (device: 768) go the way of `auto`
 *   parents=N         with schedule=device: N threads launch, each for many matrices in turn. Default: 0, a thread for
 *                     each matrix
 *   pending=N         with schedule=device, for benchmarks: trigon_create sets the device's limit of pending launches
 *                     (cudaLimitDevRuntimePendingLaunchCount), which takes memory of the device and counts for the
 *                     whole process. Default: 0, the limit stays as it is. In any case batches are cut so that a
 *                     kernel launches for half as many matrices as the limit allows
 *   native=1          no recursion: hand every routine whole to the BLAS or LAPACK underneath (for comparison). The
 *                     context "cpu" has none: TRIGON_NOT_SUPPORTED. On NVIDIA these are cuBLAS and cuSOLVER; LAUUM,
 *                     and TRTRI of a unit triangle, give TRIGON_NOT_SUPPORTED there. On AMD native=1 is not supported.
 *                     What this text promises about NaN and about failures is left to the vendor: for example,
 *                     OpenBLAS's POTRF takes a NaN on the diagonal for a good pivot, so that info is 0, and then POSV
 *                     overwrites B
 *   trace=1           count what the recursion does: see trigon_trace
 *   dirty=1           for tests: every call finds NaN in the leaf buffer and in the workspace (on devices, in 16 KiB at
 *                     either end of each). Small calls take longer
 *
 * Contexts on the CPU share the process's workers: threads that start at the first call that is large enough, sleep
 * when no call needs them, and are at most as many as the processors that the process may use, less one. All calls of
 * the process at a time share them. A call takes the workers that are free, and waits only for those that compute a
 * part of its work. A worker computes in the floating-point environment of the calling thread. The workers block the
 * signals of the program. From the first worker on, libtrigon stays loaded: dlclose does not unload it.
 *
 * OpenBLAS 0.3.21, loaded by name, needs a buffer of 128 MiB of addresses. If the address space of the process is
 * limited (RLIMIT_AS, `ulimit -v`) and has no room for the buffer, OpenBLAS asks for the buffer for ever. Therefore
 * under such a limit OpenBLAS takes a buffer for each context in trigon_create, and not at the first call. The buffer
 * of a destroyed context serves the next context. If there is no room for the buffer, trigon_create returns
 * TRIGON_NO_MEMORY. The limit has further effects on contexts over a BLAS:
 *  - From the 25th context on that uses one library at the same time, trigon_create does not take a buffer, and a call
 *    can hang.
 *  - Before a library is loaded by name, nobody can tell whether the library contains OpenBLAS. Therefore any library
 *    is refused (TRIGON_NO_MEMORY) if the limit leaves less than 192 MiB plus 128 MiB for each thread (OMP_NUM_THREADS,
 *    or the number of processors).
 *  - Buffers that OpenBLAS took for the program's own calls do not count, because OpenBLAS does not tell about them. A
 *    context that was made before the program set its limit has a buffer only if the context has computed. So make the
 *    context and let the context compute something (a product) before the program sets its limit. Or make the context
 *    afterwards, with room for a buffer.
 *
 * On failure *ctx is NULL. If why is not NULL, up to why_size bytes there say why the call failed. In what why quotes,
 * bytes of control characters, and bytes that are not UTF-8, are shown as \xNN.
 * Returns TRIGON_OK, TRIGON_BAD_ARGUMENT (the name or an option is unknown), TRIGON_NOT_FOUND (this build or machine
 * does not have the backend or the device, or the library is no BLAS, or the file of the option tuning cannot be
 * opened), TRIGON_NOT_SUPPORTED, TRIGON_NO_MEMORY, TRIGON_DEVICE_FAILED. If the file of the option tuning is broken,
 * the status is TRIGON_BAD_ARGUMENT, and why names the file and the line. A broken file that the option does not name
 * is ignored, and trigon_advice names it.
 *
 * Libraries loaded by name, and the plugins for GPUs, stay loaded until the process ends, because their threads could
 * not survive an unloading. A libtrigon that has loaded a library by name stays loaded, too: dlclose does not unload
 * libtrigon then. No context survives a reset of its device (cudaDeviceReset).
 *
 * fork(): a child may use the contexts "cpu" of its parent, and starts workers of its own. Only a context that another
 * thread was using at the moment of the fork is lost to the child. Over a BLAS that was loaded (by "cpu:LIBRARY", or by
 * "cpu" on a processor whose kernels were never measured), call fork before the first context is made: after a later
 * fork the child lacks the threads of an OpenMP BLAS, and the child's first call waits for these threads forever (seen
 * with OpenBLAS 0.3.21). A child that calls exec is safe. No child can use a GPU's context of its parent; with its
 * matrices in host memory such a context refuses calls with TRIGON_NOT_SUPPORTED. If the parent has used a GPU, the
 * child cannot make a context on a GPU.
 *
 * A program without any shared library (cc -static) cannot load libraries. Such a program has the context "cpu" alone;
 * other names give TRIGON_NOT_SUPPORTED. */
TRIGON_API trigon_status trigon_create(const char *name, trigon_context **ctx, char *why, size_t why_size);

/* Waits for the context's work, then frees the context. NULL is allowed. */
TRIGON_API void trigon_destroy(trigon_context *ctx);

/* Waits until all calls made so far have taken effect. The routines themselves do not wait. If info is not NULL, *info
 * is a number on the host. *info receives the first non-zero info of the calls since the last trigon_finish that were
 * given no info pointer of their own, or 0. If trigon_finish fails, either *info has this value already, or *info is
 * untouched and the next trigon_finish stores the value.
 * Returns TRIGON_OK, TRIGON_DEVICE_FAILED, TRIGON_NOT_SUPPORTED while the stream is captured. */
TRIGON_API trigon_status trigon_finish(trigon_context *ctx, int64_t *info);

/* Caps the memory that calls may take beyond their operands and the leaf buffer. The cap is `bytes` bytes; 0 means
 * strictly in place: emulated products (trigon_set_fp64), which need memory, are then computed natively. If `buffer` is
 * not NULL, calls take the memory from `buffer`, which must stay valid until the cap is changed or the context
 * destroyed. If `buffer` is NULL, the memory is allocated when a call first needs it. Every routine works under every
 * cap. On a device without trigon_set_workspace the cap is 64 MiB, or 1/16 of the largest operand if that is more;
 * emulated products have caps of their own then. If a device has no memory left for the workspace, calls compute
 * without the workspace, until trigon_reserve or trigon_set_workspace asks for the workspace again.
 * With matrices in host memory the cap is for the memory that GPUs take for matrices and emulated products, each GPU by
 * itself; then calls need some of it.
 * trigon_set_workspace waits for the context's work. On the CPU only emulated products take memory, 256 MiB at most
 * without trigon_set_workspace, and any address may be a `buffer`. (What batches take for their threads does not
 * count.) On a device `buffer` is device memory, aligned to 256 bytes. If bytes is less than 2 MiB, calls on a device
 * use the leaf buffer instead of `buffer`. If bytes is 0, `buffer` is not checked.
 * Returns TRIGON_BAD_ARGUMENT (bytes < 0, or the buffer is not the device's memory or not aligned),
 * TRIGON_NOT_SUPPORTED while the context's stream is captured, TRIGON_NO_MEMORY (of the host), TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_set_workspace(trigon_context *ctx, void *buffer, int64_t bytes);

/* Changes how many threads share the calls of a context on the CPU: `threads`, 1 to 1024, or 0 for the default: see
 * the option threads=. There are never more threads than processors that the process may use at this moment. The number
 * changes no result of a single matrix. The buffers of threads for batches are freed, and made anew by the next batch.
 * On a device `threads` must be 0. With matrices in host memory these threads copy pageable memory, and compute what
 * GPUs do not.
 * Returns TRIGON_BAD_ARGUMENT (threads < 0 or > 1024), TRIGON_NOT_SUPPORTED (a number on a device). */
TRIGON_API trigon_status trigon_set_threads(trigon_context *ctx, int threads);

/* Allocates now the memory that calls on operands of up to `bytes` bytes each would allocate later. After that, such
 * calls can be captured in a graph, and are not slower because memory is missing. The memory for native arithmetic has
 * one size, whatever `bytes` is. The memory for emulated products is that of the present mode (trigon_set_fp64), for
 * every routine and type over square operands. Operands that are not square, with fewer than 128 terms, may take more.
 * Returns TRIGON_BAD_ARGUMENT if bytes < 0, TRIGON_NO_MEMORY (also if memory is missing while the stream is captured),
 * TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_reserve(trigon_context *ctx, int64_t bytes);

/* How products of matrices are computed. Products are GEMM, SYRK, HERK, SYR2K, HER2K (if alpha is real), SYMM and HEMM,
 * and those into which the other routines are divided. (By pairs of floats all but GEMM are divided.) The values are
 * the same in every version.
 *
 * TRIGON_FP64_NATIVE        by the arithmetic of the device. This is the default.
 * TRIGON_FP64_DOUBLE_FLOAT  of D and Z by pairs of floats (Mukunoki and Imamura, 2014). Pairs have 48 bits, and
 *                           docs/fp64.md has the bound of the error. The accuracy is ignored. Products of S and C are
 *                           native.
 * TRIGON_FP64_INT8          by products of small integers and the Chinese remainder theorem (Ozaki, Uchino, Imamura,
 *                           arXiv 2504.08009). The devices of today have far more arithmetic for integers than for
 *                           doubles.
 * TRIGON_FP64_AUTO          by NATIVE or INT8, whichever is faster on this device for the size of the product. */
typedef enum trigon_fp64 {
  TRIGON_FP64_NATIVE = 0,
  TRIGON_FP64_DOUBLE_FLOAT = 1,
  TRIGON_FP64_INT8 = 2,
  TRIGON_FP64_AUTO = 3
} trigon_fp64;

/* The accuracy of products by integers: one of these, or a number of moduli from 2 to 20.
 *
 * TRIGON_FP64_GUARANTEED  The least number of moduli that proves, with u = 2^-53, or 2^-24 for S and C, element by
 *                         element, |C - (alpha·A·B + beta·C0)| <= 2k·u·|alpha||A||B| + 2u·|beta·C0| + the least
 *                         subnormal number, for finite operands, unless the exact result overflows. Complex products
 *                         keep the bound, with 2k for k, as real products of real and imaginary parts. Tiles of C for
 *                         which 20 moduli prove nothing, and tiles with NaN or infinity in their rows and columns, are
 *                         computed by native arithmetic. So are all tiles if a look at a few finds nothing to prove,
 *                         and in the mode AUTO if so many fall back that this is faster.
 * TRIGON_FP64_FAST        The least number of moduli for the norms of rows and columns. The error is as small relative
 *                         to the product of the two norms.
 * a number of moduli      That number. 14 moduli keep about 54 bits of the largest elements of each row and column. */
typedef enum trigon_fp64_accuracy { TRIGON_FP64_GUARANTEED = 0, TRIGON_FP64_FAST = 1 } trigon_fp64_accuracy;

/* Sets how later calls compute products. Routines of D, Z, S and C take part. Batches compute natively: their matrices
 * are small, and splitting a small matrix into residues takes longer than its products. In a mode other than NATIVE the
 * recursion goes down to order 1024, or to the option `stop`, so that most of the work is in products.
 *
 * Emulated products take memory beside that of trigon_set_workspace's other users: without a cap up to 4 GiB on a
 * device, and up to 256 MiB on the CPU. The cap of trigon_set_workspace is for all of them together, except 46 KiB of
 * constants on a device. A smaller cap only makes the blocks smaller. If the memory is too small even for blocks of 128
 * rows and columns (64 for pairs of floats), products are computed natively; TRIGON_FP64_GUARANTEED needs 256 bytes for
 * each of the k terms, too, and twice as much of complex numbers; SYR2K has 2k terms. The result is the same, bit for
 * bit, for all other caps, on all devices and on the CPU, as long as no tile is computed natively. On "cuda:N:host" and
 * "cuda:N-M" an eighth of the cap is for this memory, 4 GiB at most, and the rest for the matrices; if this changes,
 * trigon_set_fp64 waits for the calls made so far there. No call waits, unless it has to enlarge this memory, or unless
 * a device has taken 64 products of TRIGON_FP64_GUARANTEED since the last wait. Calls can be captured once their memory
 * is there: after one such call, or after trigon_reserve.
 * Returns TRIGON_BAD_ARGUMENT, TRIGON_NO_MEMORY, TRIGON_DEVICE_FAILED, TRIGON_NOT_SUPPORTED if the first call for a
 * context comes while its stream is captured. */
TRIGON_API trigon_status trigon_set_fp64(trigon_context *ctx, trigon_fp64 mode, int accuracy);

/* What the last call of a routine did about its products. */
typedef struct trigon_fp64_report {
  trigon_fp64 mode;   /* the present one */
  int moduli;         /* the largest number of moduli of a product; 0 for pairs of floats, which have no moduli */
  double bits;        /* the fewest bits that were kept of the largest elements of rows and columns */
  int64_t products;   /* all products; 0 also if the decision for the whole call was native arithmetic */
  int64_t emulated;   /* products of which at least one tile was emulated */
  int64_t tiles;      /* tiles of 128 × 128 reals of the products by integers; of updates those of the triangle */
  int64_t not_finite; /* tiles computed natively because of NaN or infinity */
  int64_t unproved;   /* tiles computed natively because no number of moduli proves the bound, or with such tiles */
  const char *why;    /* why a product was computed natively as a whole, or NULL. A text of the library */
} trigon_fp64_report;

/* Stores the report of the last call; if it was captured, what its last replay did. On a device the function waits for
 * the context's work.
 * Returns TRIGON_BAD_ARGUMENT (report is NULL), TRIGON_NOT_SUPPORTED if a product was emulated and the stream is
 * captured, TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_last_fp64(trigon_context *ctx, trigon_fp64_report *report);

/* A number as the unevaluated sum of two floats, with |low| <= 2^-24·|high|: about 48 bits, and the range of a float.
 * Pairs lie in memory as complex floats do. So a matrix of pairs can be allocated, transferred and copied as a matrix
 * of type TRIGON_C. */
typedef struct trigon_pair {
  float high, low;
} trigon_pair;

/* P = A, m × n, each element rounded to the nearest pair. A double beyond the range of a float becomes infinite. A and
 * P must not overlap.
 * Returns TRIGON_BAD_ARGUMENT, TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_to_pairs(trigon_context *ctx, int64_t m, int64_t n, const double *A, int64_t lda,
                                         trigon_pair *P, int64_t ldp);

/* A = P, m × n, each element rounded to a double. NaN and infinity stay what they are. A and P must not overlap.
 * Returns TRIGON_BAD_ARGUMENT, TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_from_pairs(trigon_context *ctx, int64_t m, int64_t n, const trigon_pair *P, int64_t ldp,
                                           double *A, int64_t lda);

/* C = alpha·op(A)·op(B) + beta·C for matrices of pairs, as trigon_dgemm for doubles: C is m × n, op(A) m × k, op(B)
 * k × n. TRIGON_CONJTRANS means TRIGON_TRANS. The scalars are rounded to pairs. If beta is 0, C is not read. If alpha
 * is 0, A and B are not read. C must not overlap A or B.
 * The error of an element is at most (3k + 20)·2^-48·|alpha||A||B| + 12·2^-48·|beta·C0|, if the products, the sums and
 * the result lie between 2^-78 and the largest float. Nothing is scaled. NaN and infinity come out as in arithmetic of
 * floats, also if a sum overflows. The bits are the same on the CPU and on every device. No memory is taken, and calls
 * can be captured. trigon_trace and trigon_last_fp64 tell nothing about these calls.
 * Source: D. Mukunoki and T. Imamura, 2014.
 * Returns TRIGON_BAD_ARGUMENT, TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_gemm_pairs(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                           int64_t k, double alpha, const trigon_pair *A, int64_t lda,
                                           const trigon_pair *B, int64_t ldb, double beta, trigon_pair *C, int64_t ldc);

/* Makes later calls on a device run in `stream`. The stream is a cudaStream_t or hipStream_t of the context's device,
 * and must live as long as the context uses the stream. NULL means the context's own stream. This stream is ordered
 * with the legacy default stream, like every stream that was created without flags. Work that was handed over before
 * stays ordered before later calls.
 * A stream that is being captured is allowed. Calls in such a stream become part of its graph. Scalars are constants in
 * the graph. The graph must not be replayed while other calls of this context run. If a graph uses memory of the
 * context, this memory stays until the context is destroyed. If a graph was captured with a buffer of the caller's
 * (trigon_set_workspace), the buffer must stay as long as the graph is replayed.
 * Returns TRIGON_BAD_ARGUMENT for a stream of another device, TRIGON_NOT_SUPPORTED on the CPU (unless stream is NULL),
 * TRIGON_DEVICE_FAILED. Returns TRIGON_NOT_SUPPORTED also if work that nothing has waited for would have to be ordered
 * with a stream that is being captured: call trigon_finish before the capture begins. */
TRIGON_API trigon_status trigon_set_stream(trigon_context *ctx, void *stream);

/* Tells what went wrong in the last call on this context. Returns a text, or "" if nothing went wrong. The text is
 * valid until the next call on the context. */
TRIGON_API const char *trigon_message(const trigon_context *ctx);

/* Tells what the context computes with: Trigon's register kernels and their instructions, or library, version, integer
 * width and where LAPACK comes from; threads; and which tuning table is in force ("table: built in for
 * ...", or "table: " and a file). Returns one line of text, which is valid as long as the context. Names of files are
 * escaped as in the messages of trigon_create. */
TRIGON_API const char *trigon_describe(const trigon_context *ctx);

/* Tells what would make this context faster on this machine. Returns one line of text, or "" if nothing is known. At
 * present the text tells three things. Trigon's kernels were never measured on such a processor, so that an installed
 * BLAS is loaded at the first large call. An OpenBLAS that was loaded takes the CPU for an older one and leaves vector
 * instructions of the CPU unused: the text names OpenBLAS's kernels and the instructions of the CPU, and says whether
 * Trigon computes with kernels of its own, and what to set for OpenBLAS. The file of the tuning table is broken and was
 * ignored: the text names the file and, if a line is bad, the line. What the text quotes is escaped as in the messages
 * of trigon_create. The function takes no memory. The text is valid as long as the context. */
TRIGON_API const char *trigon_advice(const trigon_context *ctx);

/* Tells where this context has looked for the file of its tuning table: the file of the option tuning, or of
 * $TRIGON_TUNING, or else $XDG_CONFIG_HOME/trigon/LIBRARY-CPU.table, with $HOME/.config for a missing XDG_CONFIG_HOME.
 * LIBRARY is the BLAS, "trigon" without a BLAS, or on a device the name of the GPU. Returns a path, also if there is no
 * such file; or "" if the context looked nowhere, because the option or the variable is `none`, or because the
 * environment names no folder. The text is valid as long as the context. */
TRIGON_API const char *trigon_tuning_file(const trigon_context *ctx);

/* Tells by which rows this context chooses what computes a call. Returns lines of text: the tuning table in force, with
 * the changes by a file and by options, as docs/tuning.md describes it; then the kind of CPU or GPU, and on a device
 * the tiles of leaves for doubles and the classes of batches, with the changes by a file, limits, and the tiles and
 * kernels that rows can name. The lines are for people, and change from version to version. Returns "" if the context
 * is NULL, or if there is no memory for the text. The text is valid as long as the context. */
TRIGON_API const char *trigon_rows(trigon_context *ctx);

/* Tells a status in words. Returns a static string, for any value of `status`. */
TRIGON_API const char *trigon_status_string(trigon_status status);

/* Tells the version of the library in use, e.g. "0.1.0". Returns a static string. */
TRIGON_API const char *trigon_version(void);

/* Tells the version of the library in use as a number, e.g. 100 for 0.1.0. The number is the TRIGON_VERSION_NUMBER of
 * the header that the library was built with. If the number differs from the program's own TRIGON_VERSION_NUMBER, the
 * program was compiled for another version. */
TRIGON_API int trigon_version_number(void);

/* ------------------------------------------------------------------------------------------------ memory --
 * Matrices are stored where the context computes: in host memory for the CPU, in the device's memory for a device. (A
 * context "cuda:N:host" or "cuda:N-M" has them in host memory, too.) With these functions one program serves both. */

/* Tells whether the context's matrices are in host memory. Returns 1 if they are, else 0. */
TRIGON_API int trigon_on_host(const trigon_context *ctx);

/* Allocates memory where the context's matrices are, and stores its address in *data. The memory has `bytes` >= 0 bytes
 * and is aligned to 256 bytes. A context "cuda:N:host" gives host memory that its GPUs read by themselves, and
 * trigon_free frees only such memory. If bytes is 0, and on failure, *data is NULL. Returns TRIGON_BAD_ARGUMENT,
 * TRIGON_NO_MEMORY, TRIGON_DEVICE_FAILED, and TRIGON_NOT_SUPPORTED while the context's stream is captured. */
TRIGON_API trigon_status trigon_alloc(trigon_context *ctx, int64_t bytes, void **data);

/* Frees memory that trigon_alloc allocated, after the context's work is done. NULL is allowed. Returns
 * TRIGON_BAD_ARGUMENT if a device has not allocated `data`, TRIGON_DEVICE_FAILED, and TRIGON_NOT_SUPPORTED while the
 * context's stream is captured. */
TRIGON_API trigon_status trigon_free(trigon_context *ctx, void *data);

/* Lets the context's GPUs read and write host memory of the caller by themselves ("pinned" memory), from `data` on,
 * until trigon_unpin. Transfers are faster then, and overlap with work. Pinning takes several times as long as a
 * transfer, so it pays for memory that several calls use; other memory is copied by threads. `data` must stay allocated
 * until trigon_unpin, which waits for the calls made so far. On the CPU nothing needs to be pinned, and both functions
 * do nothing. Returns TRIGON_BAD_ARGUMENT (bytes is not positive, data is NULL, or is pinned already, or is not pinned
 * for trigon_unpin), TRIGON_NO_MEMORY (the system pins no more memory), TRIGON_NOT_SUPPORTED while the context's stream
 * is captured, TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_pin(trigon_context *ctx, void *data, int64_t bytes);
TRIGON_API trigon_status trigon_unpin(trigon_context *ctx, void *data);

/* Stores how many bytes of matrices the calls on a context "cuda:N:host" or "cuda:N-M" have moved since the last call
 * of this function: from the host to GPUs, from GPUs to the host, and between GPUs. Calls that have not ended count
 * whole. Other contexts store zeros. Returns TRIGON_BAD_ARGUMENT if a pointer is NULL. */
TRIGON_API trigon_status trigon_traffic(trigon_context *ctx, int64_t *in, int64_t *out, int64_t *between);

/* Tells which part of the work of the present calls on a context "cuda:N:host" or "cuda:N-M" has been handed to the
 * GPUs, from 0 to 1. The GPUs are some steps behind. Returns 1 if no call is left, and for other contexts. Another
 * thread may ask while this thread is in trigon_finish. */
TRIGON_API double trigon_progress(const trigon_context *ctx);

/* Copies a matrix between host memory and the memory where the context's matrices are. trigon_upload copies from the
 * host, trigon_download copies to the host. Both copy after the calls made so far, and wait for the copy. `from` and
 * `to` have the same type and shape, and each has its own ld. They must not overlap. Rows between matrix and ld are not
 * touched. Returns TRIGON_BAD_ARGUMENT (also if a device finds a matrix on the wrong side), TRIGON_DEVICE_FAILED, and
 * TRIGON_NOT_SUPPORTED while the context's stream is captured. */
TRIGON_API trigon_status trigon_upload(trigon_context *ctx, trigon_matrix from, trigon_matrix to);
TRIGON_API trigon_status trigon_download(trigon_context *ctx, trigon_matrix from, trigon_matrix to);

/* Copies a matrix within the memory where the context's matrices are, after the calls made so far. On a device the
 * function waits for nothing. `from` and `to` have the same type and shape, and each has its own ld. They must not
 * overlap. Rows between matrix and ld are not touched. Returns TRIGON_BAD_ARGUMENT (also if a device finds a matrix
 * outside its memory), TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_copy(trigon_context *ctx, trigon_matrix from, trigon_matrix to);

/* Copies a triangle of op(from), with its diagonal, to the triangle `uplo` of `to`, and writes the other triangle of
 * `to` by the way: nothing (TRIGON_KEEP), zeros (TRIGON_CLEAR), or the adjoint of the copied triangle (TRIGON_MIRROR).
 * `from` and `to` are n × n, have the same type, and lie where the context's matrices are. They must not overlap
 * (nobody checks this), but they may be the same matrix if op is TRIGON_NOTRANS: with TRIGON_MIRROR the result of POTRI
 * gets its other triangle then. The copy comes after the calls made so far. On a device the function waits for nothing;
 * with the matrices on the host it waits for these calls. Of `from` only the triangle is read. LACPY copies a triangle
 * without op.
 * Returns TRIGON_BAD_ARGUMENT (also if a device finds a matrix outside its memory), TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_copy_triangle(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_other other,
                                              trigon_matrix from, trigon_matrix to);

/* Stores in *bytes how much memory the context holds at present where its matrices are: the leaf buffer, the workspace,
 * the memory of emulated products, the buffers of threads for batches, and the memory that native=1 takes for the
 * vendor's routines. On the CPU the process's workers have a buffer each, of 1.44 MiB or less, which all contexts share
 * and which is not counted. Memory from trigon_alloc does not count. Memory that a vendor's library keeps for itself
 * does not count, because nobody can ask for its size. Returns TRIGON_BAD_ARGUMENT if bytes is NULL. */
TRIGON_API trigon_status trigon_memory(const trigon_context *ctx, int64_t *bytes);

/* ------------------------------------------------------------------------------------------------- timer -- */

/* Measures the time that calls take. trigon_timer_start sets a mark behind all calls made so far. trigon_timer_stop
 * sets a mark behind the calls made since, waits for this mark, and stores the time between the two marks in *seconds,
 * in seconds.
 * On a device the marks are events in the context's stream. There trigon_timer_start keeps the stream busy for about
 * `hold` seconds, from 0 to 1, before the first mark. The calls that the host makes meanwhile wait in the stream, so
 * that the time does not include the host's work for their launches. On the CPU the time is wall-clock time, and hold
 * has no effect.
 * Returns TRIGON_BAD_ARGUMENT (hold is not in its range, seconds is NULL), TRIGON_NOT_SUPPORTED while the context's
 * stream is captured and for a stop without a start, TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_timer_start(trigon_context *ctx, double hold);
TRIGON_API trigon_status trigon_timer_stop(trigon_context *ctx, double *seconds);

/* ------------------------------------------------------------------------------------------------- trace -- */

/* The kinds of work that the recursion hands to a backend. The Hermitian forms count as the symmetric forms. Later
 * versions may add kinds at the end. */
typedef enum trigon_routine {
  TRIGON_GEMM,
  TRIGON_TRMM,
  TRIGON_TRSM,
  TRIGON_SYRK,
  TRIGON_SYR2K,
  TRIGON_SYMM,
  TRIGON_POTRF,
  TRIGON_TRTRI,
  TRIGON_LAUUM
} trigon_routine;

/* The work of one kind that the recursion handed to the backend. `calls` is the number of the backend's calls, and
 * `blocks` is the number of blocks in these calls: a call may cover several equal blocks along a diagonal. A complex
 * multiply-add counts 8 `flops`. `bytes` counts the operands read and written, each operand once for each block.
 * `least` and `most` are the flops of the smallest and of the largest block. */
typedef struct trigon_count {
  int64_t calls, blocks;
  double flops, bytes, least, most;
} trigon_count;

/* Stores the counts of the work since the last trigon_trace, and starts counting anew. The array `counts` has `count`
 * elements, and trigon_routine is its index. trigon_trace writes all elements, and nothing behind the last element. A
 * kind of work that did not occur gets zeros. If the library is older than the program, a kind that the library does
 * not know gets zeros, too. If the library is newer, a kind for which the array has no element is not stored. So no
 * program has to ask for the number of kinds: `trigon_count counts[TRIGON_LAUUM + 1]` has an element for each kind
 * above. If counts is NULL and count is 0, counting starts anew and nothing is stored. On failure nothing is written,
 * and the counts stay.
 * Returns TRIGON_BAD_ARGUMENT (count < 0, or counts is NULL and count is not 0), TRIGON_NOT_SUPPORTED unless the
 * context was created with trace=1. */
TRIGON_API trigon_status trigon_trace(trigon_context *ctx, trigon_count *counts, int64_t count);

/* ------------------------------------------------------------------------------------------ general product -- */

/* GEMM: multiplies two matrices and adds: C = alpha·op(A)·op(B) + beta·C. op(A) is m × k, op(B) is k × n, C is m × n.
 * Reads A and B, overwrites C. Source: BLAS xGEMM. */
TRIGON_API trigon_status trigon_gemm(trigon_context *ctx, trigon_op opA, trigon_op opB, trigon_scalar alpha,
                                     trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_sgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, float alpha, const float *A, int64_t lda, const float *B, int64_t ldb,
                                      float beta, float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, double alpha, const double *A, int64_t lda, const double *B,
                                      int64_t ldb, double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_cgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, trigon_scalar alpha, const void *A, int64_t lda, const void *B,
                                      int64_t ldb, trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, trigon_scalar alpha, const void *A, int64_t lda, const void *B,
                                      int64_t ldb, trigon_scalar beta, void *C, int64_t ldc);

/* ---------------------------------------------------------------------------------------- triangular matrices -- */

/* TRMM: multiplies by a triangular matrix, in place: B = alpha·op(A)·B (LEFT, A is m × m) or B = alpha·B·op(A) (RIGHT,
 * A is n × n). B is m × n. Reads the triangle `uplo` of A, overwrites B. Memory: none. m²n flops (LEFT).
 * Source: BLAS xTRMM; recursion of Charara, Ltaief, Keyes (Euro-Par 2016), section 4. */
TRIGON_API trigon_status trigon_trmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                     trigon_diag diag, trigon_scalar alpha, trigon_matrix A, trigon_matrix B);
TRIGON_API trigon_status trigon_strmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                      float *B, int64_t ldb);
TRIGON_API trigon_status trigon_dtrmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, double alpha, const double *A,
                                      int64_t lda, double *B, int64_t ldb);
TRIGON_API trigon_status trigon_ctrmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);
TRIGON_API trigon_status trigon_ztrmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);

/* TRSM: solves with a triangular matrix, in place: op(A)·X = alpha·B (LEFT, A is m × m) or X·op(A) = alpha·B (RIGHT, A
 * is n × n). X overwrites B, m × n. Reads the triangle `uplo` of A. A singular A is not detected (as in BLAS): the
 * result then holds Inf or NaN. The result may hold Inf or NaN also if the diagonal holds a subnormal number, because
 * some BLAS libraries invert the diagonal. Memory: none. m²n flops (LEFT).
 * Source: BLAS xTRSM; recursion of Charara, Ltaief, Keyes (Euro-Par 2016), section 4. */
TRIGON_API trigon_status trigon_trsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                     trigon_diag diag, trigon_scalar alpha, trigon_matrix A, trigon_matrix B);
TRIGON_API trigon_status trigon_strsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                      float *B, int64_t ldb);
TRIGON_API trigon_status trigon_dtrsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, double alpha, const double *A,
                                      int64_t lda, double *B, int64_t ldb);
TRIGON_API trigon_status trigon_ctrsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);
TRIGON_API trigon_status trigon_ztrsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);

/* TRTRI: inverts a triangular matrix, in place: A⁻¹ overwrites A in the triangle `uplo`, n × n. With TRIGON_UNIT the
 * diagonal is neither read nor written. info = i > 0: A(i, i), counted from 1, is exactly zero. The triangle is then
 * unchanged on the CPU, and unspecified on a device. Memory: none. Source: LAPACK xTRTRI. */
TRIGON_API trigon_status trigon_trtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, trigon_matrix A,
                                      int64_t *info);
TRIGON_API trigon_status trigon_strtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, float *A,
                                       int64_t lda, int64_t *info);
TRIGON_API trigon_status trigon_dtrtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, double *A,
                                       int64_t lda, int64_t *info);
TRIGON_API trigon_status trigon_ctrtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, void *A,
                                       int64_t lda, int64_t *info);
TRIGON_API trigon_status trigon_ztrtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, void *A,
                                       int64_t lda, int64_t *info);

/* LAUUM: multiplies a triangular matrix by its adjoint, in place: A = LᴴL (LOWER) or UUᴴ (UPPER). The triangle `uplo`
 * of A, n × n, holds L or U, and receives the same triangle of the product. For c and z the diagonal of L or U must be
 * real, as POTRF leaves it. Memory: none. Source: LAPACK xLAUUM. */
TRIGON_API trigon_status trigon_lauum(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A);
TRIGON_API trigon_status trigon_slauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, float *A, int64_t lda);
TRIGON_API trigon_status trigon_dlauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, double *A, int64_t lda);
TRIGON_API trigon_status trigon_clauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zlauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda);

/* -------------------------------------------------------------------------- symmetric and Hermitian products -- */

/* SYRK: multiplies a matrix by its transpose and adds: C = alpha·A·Aᵀ + beta·C (NOTRANS, A is n × k) or C = alpha·Aᵀ·A
 * + beta·C (TRANS, A is k × n). Reads A, overwrites the triangle `uplo` of C, n × n symmetric. For s and d CONJTRANS
 * means TRANS. For c and z CONJTRANS is refused. Memory: none. Source: BLAS xSYRK. */
TRIGON_API trigon_status trigon_syrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                     trigon_matrix A, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_ssyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      float alpha, const float *A, int64_t lda, float beta, float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dsyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      double alpha, const double *A, int64_t lda, double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_csyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      trigon_scalar alpha, const void *A, int64_t lda, trigon_scalar beta, void *C,
                                      int64_t ldc);
TRIGON_API trigon_status trigon_zsyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      trigon_scalar alpha, const void *A, int64_t lda, trigon_scalar beta, void *C,
                                      int64_t ldc);

/* HERK: multiplies a matrix by its adjoint and adds: C = alpha·A·Aᴴ + beta·C (NOTRANS, A is n × k) or C = alpha·Aᴴ·A +
 * beta·C (CONJTRANS, A is k × n). alpha and beta are real. Reads A, overwrites the triangle `uplo` of C, n × n
 * Hermitian. Imaginary parts of C's diagonal are taken as zero, and set to zero (not by a quick return). For s and d
 * HERK is SYRK. For c and z TRANS is refused. Memory: none. Source: BLAS xHERK. */
TRIGON_API trigon_status trigon_herk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, double alpha, trigon_matrix A,
                                     double beta, trigon_matrix C);
TRIGON_API trigon_status trigon_cherk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      float alpha, const void *A, int64_t lda, float beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zherk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      double alpha, const void *A, int64_t lda, double beta, void *C, int64_t ldc);

/* SYR2K: multiplies two matrices both ways and adds: C = alpha·A·Bᵀ + alpha·B·Aᵀ + beta·C (NOTRANS, A and B are n × k)
 * or C = alpha·Aᵀ·B + alpha·Bᵀ·A + beta·C (TRANS, A and B are k × n). Reads A and B, overwrites the triangle `uplo` of
 * C, n × n symmetric. CONJTRANS is treated as in SYRK. Memory: none. Source: BLAS xSYR2K. */
TRIGON_API trigon_status trigon_syr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                      trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_ssyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       float alpha, const float *A, int64_t lda, const float *B, int64_t ldb,
                                       float beta, float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dsyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       double alpha, const double *A, int64_t lda, const double *B, int64_t ldb,
                                       double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_csyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zsyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       trigon_scalar beta, void *C, int64_t ldc);

/* HER2K: multiplies two matrices both ways and adds: C = alpha·A·Bᴴ + conj(alpha)·B·Aᴴ + beta·C (NOTRANS, A and B are
 * n × k) or C = alpha·Aᴴ·B + conj(alpha)·Bᴴ·A + beta·C (CONJTRANS, A and B are k × n). beta is real. Reads A and B,
 * overwrites the triangle `uplo` of C, n × n Hermitian. C's diagonal and the flags are treated as in HERK.
 * Memory: none. Source: BLAS xHER2K. */
TRIGON_API trigon_status trigon_her2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                      trigon_matrix A, trigon_matrix B, double beta, trigon_matrix C);
TRIGON_API trigon_status trigon_cher2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       float beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zher2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       double beta, void *C, int64_t ldc);

/* SYMM: multiplies by a symmetric matrix and adds: C = alpha·A·B + beta·C (LEFT, A is m × m) or C = alpha·B·A + beta·C
 * (RIGHT, A is n × n). B and C are m × n. A is symmetric, and only its triangle `uplo` is read. Reads B, overwrites C.
 * Memory: none.
 * Source: BLAS xSYMM. */
TRIGON_API trigon_status trigon_symm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                                     trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_ssymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      float alpha, const float *A, int64_t lda, const float *B, int64_t ldb, float beta,
                                      float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dsymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      double alpha, const double *A, int64_t lda, const double *B, int64_t ldb,
                                      double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_csymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zsymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);

/* HEMM: multiplies by a Hermitian matrix and adds, as SYMM does with a symmetric matrix. Imaginary parts of A's
 * diagonal are taken as zero. For s and d HEMM is SYMM. Memory: none. Source: BLAS xHEMM. */
TRIGON_API trigon_status trigon_hemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                                     trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_chemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zhemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);

/* ------------------------------------------------------------------------------------------------- vectors --
 * The routines of BLAS's level 2 have BLAS's argument lists alone. Over trigon_matrix the routines above compute the
 * same, with matrices of one row or column.
 *
 * incx and incy are the distances in elements of neighbours in the vectors x and y, and must not be 0. If an increment
 * is negative, the pointer shows the last element. If m or n is 0, nothing changes: even y is not scaled (a vector that
 * has elements must not be NULL even then). Memory: none beyond the leaf buffer and the workspace. trigon_set_fp64 does
 * not concern these routines, which wait for memory. With a context cpu:LIBRARY vectors with increments are computed by
 * plain loops. */

/* GEMV: multiplies a matrix by a vector and adds: y = alpha·op(A)·x + beta·y. A is m × n. x has the columns of op(A), y
 * its rows. Reads A and x, overwrites y. Source: BLAS xGEMV. */
TRIGON_API trigon_status trigon_sgemv(trigon_context *ctx, trigon_op op, int64_t m, int64_t n, float alpha,
                                      const float *A, int64_t lda, const float *x, int64_t incx, float beta, float *y,
                                      int64_t incy);
TRIGON_API trigon_status trigon_dgemv(trigon_context *ctx, trigon_op op, int64_t m, int64_t n, double alpha,
                                      const double *A, int64_t lda, const double *x, int64_t incx, double beta,
                                      double *y, int64_t incy);
TRIGON_API trigon_status trigon_cgemv(trigon_context *ctx, trigon_op op, int64_t m, int64_t n, trigon_scalar alpha,
                                      const void *A, int64_t lda, const void *x, int64_t incx, trigon_scalar beta,
                                      void *y, int64_t incy);
TRIGON_API trigon_status trigon_zgemv(trigon_context *ctx, trigon_op op, int64_t m, int64_t n, trigon_scalar alpha,
                                      const void *A, int64_t lda, const void *x, int64_t incx, trigon_scalar beta,
                                      void *y, int64_t incy);

/* SYMV: multiplies a symmetric matrix by a vector and adds: y = alpha·A·x + beta·y. A is n × n, and only its triangle
 * `uplo` is read. Overwrites y. Source: BLAS xSYMV, LAPACK xSYMV for c and z. */
TRIGON_API trigon_status trigon_ssymv(trigon_context *ctx, trigon_uplo uplo, int64_t n, float alpha, const float *A,
                                      int64_t lda, const float *x, int64_t incx, float beta, float *y, int64_t incy);
TRIGON_API trigon_status trigon_dsymv(trigon_context *ctx, trigon_uplo uplo, int64_t n, double alpha, const double *A,
                                      int64_t lda, const double *x, int64_t incx, double beta, double *y, int64_t incy);
TRIGON_API trigon_status trigon_csymv(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *A, int64_t lda, const void *x, int64_t incx, trigon_scalar beta,
                                      void *y, int64_t incy);
TRIGON_API trigon_status trigon_zsymv(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *A, int64_t lda, const void *x, int64_t incx, trigon_scalar beta,
                                      void *y, int64_t incy);

/* HEMV: multiplies a Hermitian matrix by a vector and adds, as SYMV does with a symmetric matrix. Imaginary parts of
 * A's diagonal are taken as zero. For s and d HEMV is SYMV. Source: BLAS xHEMV. */
TRIGON_API trigon_status trigon_chemv(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *A, int64_t lda, const void *x, int64_t incx, trigon_scalar beta,
                                      void *y, int64_t incy);
TRIGON_API trigon_status trigon_zhemv(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *A, int64_t lda, const void *x, int64_t incx, trigon_scalar beta,
                                      void *y, int64_t incy);

/* TRMV: multiplies a triangular matrix by a vector, in place: x = op(A)·x. A is n × n; TRIGON_UNIT takes its diagonal
 * as ones. Reads the triangle `uplo` of A, overwrites x. Source: BLAS xTRMV. */
TRIGON_API trigon_status trigon_strmv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const float *A, int64_t lda, float *x, int64_t incx);
TRIGON_API trigon_status trigon_dtrmv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const double *A, int64_t lda, double *x, int64_t incx);
TRIGON_API trigon_status trigon_ctrmv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const void *A, int64_t lda, void *x, int64_t incx);
TRIGON_API trigon_status trigon_ztrmv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const void *A, int64_t lda, void *x, int64_t incx);

/* TRSV: solves op(A)·x = b for the vector x, which overwrites b. A is as in TRMV, and a singular A is treated as in
 * TRSM. Source: BLAS xTRSV. */
TRIGON_API trigon_status trigon_strsv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const float *A, int64_t lda, float *x, int64_t incx);
TRIGON_API trigon_status trigon_dtrsv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const double *A, int64_t lda, double *x, int64_t incx);
TRIGON_API trigon_status trigon_ctrsv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const void *A, int64_t lda, void *x, int64_t incx);
TRIGON_API trigon_status trigon_ztrsv(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_diag diag, int64_t n,
                                      const void *A, int64_t lda, void *x, int64_t incx);

/* GER: adds the product of two vectors to a matrix: A = alpha·x·yᵀ + A (GER, GERU) or A = alpha·x·yᴴ + A (GERC). A is
 * m × n, x has m elements, y has n. Reads x and y, overwrites A. Source: BLAS xGER, xGERU, xGERC. */
TRIGON_API trigon_status trigon_sger(trigon_context *ctx, int64_t m, int64_t n, float alpha, const float *x,
                                     int64_t incx, const float *y, int64_t incy, float *A, int64_t lda);
TRIGON_API trigon_status trigon_dger(trigon_context *ctx, int64_t m, int64_t n, double alpha, const double *x,
                                     int64_t incx, const double *y, int64_t incy, double *A, int64_t lda);
TRIGON_API trigon_status trigon_cgeru(trigon_context *ctx, int64_t m, int64_t n, trigon_scalar alpha, const void *x,
                                      int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zgeru(trigon_context *ctx, int64_t m, int64_t n, trigon_scalar alpha, const void *x,
                                      int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);
TRIGON_API trigon_status trigon_cgerc(trigon_context *ctx, int64_t m, int64_t n, trigon_scalar alpha, const void *x,
                                      int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zgerc(trigon_context *ctx, int64_t m, int64_t n, trigon_scalar alpha, const void *x,
                                      int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);

/* SYR: adds the square of a vector to a symmetric matrix: A = alpha·x·xᵀ + A. Reads x, overwrites the triangle `uplo`
 * of A, n × n. Source: BLAS xSYR, LAPACK xSYR for c and z. */
TRIGON_API trigon_status trigon_ssyr(trigon_context *ctx, trigon_uplo uplo, int64_t n, float alpha, const float *x,
                                     int64_t incx, float *A, int64_t lda);
TRIGON_API trigon_status trigon_dsyr(trigon_context *ctx, trigon_uplo uplo, int64_t n, double alpha, const double *x,
                                     int64_t incx, double *A, int64_t lda);
TRIGON_API trigon_status trigon_csyr(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                     const void *x, int64_t incx, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zsyr(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                     const void *x, int64_t incx, void *A, int64_t lda);

/* HER: adds the square of a vector to a Hermitian matrix: A = alpha·x·xᴴ + A. alpha is real. Imaginary parts of A's
 * diagonal are taken as zero, and set to zero unless alpha is 0. For s and d HER is SYR. Source: BLAS xHER. */
TRIGON_API trigon_status trigon_cher(trigon_context *ctx, trigon_uplo uplo, int64_t n, float alpha, const void *x,
                                     int64_t incx, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zher(trigon_context *ctx, trigon_uplo uplo, int64_t n, double alpha, const void *x,
                                     int64_t incx, void *A, int64_t lda);

/* SYR2: adds the products of two vectors to a symmetric matrix: A = alpha·x·yᵀ + alpha·y·xᵀ + A. Reads x and y,
 * overwrites the triangle `uplo` of A, n × n. Source: BLAS xSYR2 for s and d. */
TRIGON_API trigon_status trigon_ssyr2(trigon_context *ctx, trigon_uplo uplo, int64_t n, float alpha, const float *x,
                                      int64_t incx, const float *y, int64_t incy, float *A, int64_t lda);
TRIGON_API trigon_status trigon_dsyr2(trigon_context *ctx, trigon_uplo uplo, int64_t n, double alpha, const double *x,
                                      int64_t incx, const double *y, int64_t incy, double *A, int64_t lda);
TRIGON_API trigon_status trigon_csyr2(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *x, int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zsyr2(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *x, int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);

/* HER2: adds the products of two vectors to a Hermitian matrix: A = alpha·x·yᴴ + conj(alpha)·y·xᴴ + A. A's diagonal is
 * treated as in HER. For s and d HER2 is SYR2. Source: BLAS xHER2. */
TRIGON_API trigon_status trigon_cher2(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *x, int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zher2(trigon_context *ctx, trigon_uplo uplo, int64_t n, trigon_scalar alpha,
                                      const void *x, int64_t incx, const void *y, int64_t incy, void *A, int64_t lda);

/* ------------------------------------------------------------------------------------------ Cholesky family --
 * `info` is stored where A is stored, aligned to 8 bytes. It receives 0, or the position of the failure, counted from
 * 1; each routine says what the position means. If the pointer is NULL, trigon_finish tells the first non-zero info. An
 * info on a device is read like a matrix of the same size: by trigon_download of 1 × 1 elements of TRIGON_D into an
 * int64_t. */

/* POTRF: factors a symmetric or Hermitian positive definite matrix, in place: A = LLᴴ (LOWER) or A = UᴴU (UPPER),
 * n × n. Reads the triangle `uplo` of A and overwrites the triangle by L or U. Imaginary parts of the diagonal are
 * taken as zero.
 * info = i > 0: the leading minor of order i is not positive definite (or not a number). The columns (LOWER) or rows
 * (UPPER) before i then hold the factor, and the rest of the triangle is unspecified. Memory: none. n³/3 flops.
 * Source: LAPACK xPOTRF. */
TRIGON_API trigon_status trigon_potrf(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info);
TRIGON_API trigon_status trigon_spotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, float *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_dpotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, double *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_cpotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_zpotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);

/* POTRS: solves A·X = B with a factor of A from POTRF. The triangle `uplo` of A, n × n, holds the factor. X overwrites
 * B, n × nrhs. Memory: none. Source: LAPACK xPOTRS. */
TRIGON_API trigon_status trigon_potrs(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B);
TRIGON_API trigon_status trigon_spotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const float *A,
                                       int64_t lda, float *B, int64_t ldb);
TRIGON_API trigon_status trigon_dpotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const double *A,
                                       int64_t lda, double *B, int64_t ldb);
TRIGON_API trigon_status trigon_cpotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const void *A,
                                       int64_t lda, void *B, int64_t ldb);
TRIGON_API trigon_status trigon_zpotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const void *A,
                                       int64_t lda, void *B, int64_t ldb);

/* POSV: solves A·X = B with a positive definite A: POTRF of A, then POTRS. The factor overwrites the triangle `uplo` of
 * A, n × n. X overwrites B, n × nrhs. info means the same as POTRF's. If info > 0, B is unchanged on the CPU, and
 * unspecified on a device. Memory: none. Source: LAPACK xPOSV. */
TRIGON_API trigon_status trigon_posv(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B,
                                     int64_t *info);
TRIGON_API trigon_status trigon_sposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, float *A,
                                      int64_t lda, float *B, int64_t ldb, int64_t *info);
TRIGON_API trigon_status trigon_dposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, double *A,
                                      int64_t lda, double *B, int64_t ldb, int64_t *info);
TRIGON_API trigon_status trigon_cposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, void *A,
                                      int64_t lda, void *B, int64_t ldb, int64_t *info);
TRIGON_API trigon_status trigon_zposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, void *A,
                                      int64_t lda, void *B, int64_t ldb, int64_t *info);

/* POTRI: inverts a positive definite matrix from a factor of POTRF, in place. The triangle `uplo` of A, n × n, holds
 * the factor, and receives the same triangle of A⁻¹ (TRTRI, then LAUUM). info = i > 0: the factor's element (i, i) is
 * exactly zero. The triangle is then unchanged on the CPU, and unspecified on a device. Memory: none. 2n³/3 flops.
 * Source: LAPACK xPOTRI. */
TRIGON_API trigon_status trigon_potri(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info);
TRIGON_API trigon_status trigon_spotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, float *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_dpotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, double *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_cpotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_zpotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);

/* Looks for zeros on the diagonal of A, n × n: *info is the place of the first exact zero, from 1, or 0. It lies where
 * the info of TRTRI lies, is stored when the calls before are done, and may be NULL, as there: trigon_finish tells it
 * then. So a triangle is found to be singular as TRTRS of LAPACK finds it. Only the diagonal of A is read; a NaN is no
 * zero. On a device the function waits for nothing; with the matrices on the host it waits for the calls made so far.
 * Returns TRIGON_BAD_ARGUMENT (also if a device finds A or info outside its memory), TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_check_diagonal(trigon_context *ctx, trigon_matrix A, int64_t *info);

/* LOGDET: computes the log-determinant of a positive definite matrix from a factor of POTRF. A is n × n, symmetric or
 * Hermitian, and POTRF left its factor in A. *logdet = 2·Σ log|a_ii| is the natural logarithm, in double precision for
 * all types. Reads the diagonal of A alone; imaginary parts are taken as zero. *logdet is stored where A is stored,
 * aligned to 8 bytes, as info is. *logdet is 0 if n is 0, -Inf if the diagonal holds a zero, Inf if the diagonal holds
 * an infinity, and NaN if the diagonal holds a NaN, or a zero and an infinity. After a failed POTRF *logdet is
 * unspecified. The error of *logdet is the factor's own error plus at most 2·(n + 2)·2^-53·Σ|log a_ii|, if each
 * logarithm has an error of at most 1 ulp (with CUDA; with glibc the error is smaller). On a device the sum has a fixed
 * order, and the call waits for nothing. Memory: none.
 * Source: no routine of LAPACK; log det A = 2·log det L. */
TRIGON_API trigon_status trigon_logdet(trigon_context *ctx, trigon_matrix A, double *logdet);
TRIGON_API trigon_status trigon_slogdet(trigon_context *ctx, int64_t n, const float *A, int64_t lda, double *logdet);
TRIGON_API trigon_status trigon_dlogdet(trigon_context *ctx, int64_t n, const double *A, int64_t lda, double *logdet);
TRIGON_API trigon_status trigon_clogdet(trigon_context *ctx, int64_t n, const void *A, int64_t lda, double *logdet);
TRIGON_API trigon_status trigon_zlogdet(trigon_context *ctx, int64_t n, const void *A, int64_t lda, double *logdet);

/* ----------------------------------------------------------------------------------------------------- batches --
 * A batch is many matrices of different sizes, which one call computes together. There is no spelling over
 * trigon_matrix. The first comment, on POTRF, tells what all batched routines have in common. */

/* POTRF of a batch: factors `count` symmetric or Hermitian positive definite matrices, A[b] of order n[b]. On a device
 * a call makes at most six launches for each 29000 matrices (12288 if the arrays lie in host memory), or one launch if
 * 0 < max_n <= 32 or if matrices of one size are no larger. The option `schedule` of the context's name chooses another
 * order of the work (trigon_create). With ssde and dsse a call checks the entries by one launch, and makes a launch for
 * each 8 columns (4 of type z) of the largest order. So max_n matters: without max_n the largest order counts as 1024,
 * and launches for higher orders follow. The infos are the same. With device, if a launch from the device fails,
 * info[b] is -100, and the contents of matrix b are unspecified.
 *
 * Functions _batch take arrays of `count` entries, one for each matrix (number b, from 0): sizes, addresses, leading
 * dimensions, infos. Matrix b of A has its first element at A[b] and the leading dimension lda[b]. Apart from info the
 * arrays are read, and may be one another: n may also be lda. If count is 0, all arrays may be NULL. Functions _strided
 * take matrices of one size: sizes are numbers, and matrix b of A begins b·strideA elements behind A. A matrix that is
 * written needs strideA >= lda·(columns - 1) + rows; other strides may be 0.
 *
 * Each matrix is computed as the routine of the same name computes it, which also says what is read and written: of a
 * triangle, nothing but the triangle. Matrices that are written must not overlap other matrices.
 *
 * max_n is an upper bound of the orders n. A bound saves time on a device. 0: the bound is unknown. A matrix of a
 * higher order is an error of its entry.
 *
 * Errors of matrices: info[b] is written for every matrix. info must not be NULL, and trigon_finish does not report
 * these infos. info[b] is 0 if matrix b is computed. It is positive as in the routine of one matrix. It is negative if
 * an entry of matrix b is wrong, and then no operand of matrix b is touched. The number is the position of the
 * argument in the list of LAPACK or BLAS: POTRF n -2, A -3, lda -4; POTRS and POSV n -2, nrhs -3, A -4, lda -5, B -6,
 * ldb -7.
 *   - A size is wrong if it is negative, or if it is an n above max_n > 0.
 *   - An address is wrong if it is NULL, or on a device if it is not a multiple of the size of an element. If the
 *     operand is empty, every address is right.
 *   - A leading dimension is wrong if it is less than the number of rows, if the operand would exceed the address
 *     space, or over a BLAS if it does not fit the BLAS's integers, even if the matrix has one column or is empty.
 * The other matrices are computed, and the call returns TRIGON_OK. In functions _strided wrong arguments refuse the
 * call. Those functions _strided whose routine has no failure have no info.
 *
 * On the CPU the arrays lie in host memory. Each thread computes whole matrices, or several matrices of small orders at
 * once; all threads together compute a large matrix with a large share of the work. So the roundings of a matrix may
 * depend on how many matrices there are, on their sizes, and on whether there is more than one thread. If the BLAS
 * could not be called for a matrix, its info is -100 and its contents are unspecified. Then the call returns
 * TRIGON_INCOMPLETE, the message names the first such matrix, and all others are computed. With trace=1 the matrices
 * are computed one after the other. Memory: 8 bytes for each large matrix during the call. The first call on several
 * threads takes 28 KiB for each thread, and over a BLAS 1 MiB more, which the context keeps. The buffers of the
 * process's workers grow to 1.44 MiB. Without memory for these, fewer threads compute.
 *
 * On a device all arrays lie in memory of the device, or all lie in host memory. Arrays of the device must stay until
 * the call has ended (trigon_finish). Such a call waits for nothing, takes no memory, and may be captured into a graph.
 * To bring arrays of 64-bit numbers or of addresses to a device, trigon_upload them as matrices of type 'd': it copies
 * bits. Arrays of the host are copied to the leaf buffer, and the call waits for its results; it cannot be captured.
 * The addresses of matrices must point to memory that the device can use. This is not checked; a wrong address may
 * cost the context. Results do not depend on the other matrices; their roundings may depend on max_n. One block of
 * threads computes a matrix, and in small batches a few blocks compute a product, or a solve with many columns. So a
 * matrix of an order of thousands takes much longer than in the routine of one matrix. POTRF is an exception: blocks
 * share matrices that do not fit into the shared memory of one block (orders above 128, or above 64 for types d, c and
 * z on GPUs before Hopper). With native=1 POTRF on an NVIDIA GPU goes to cuSOLVER if the matrices are a stride apart
 * and the infos lie on the device. TRSM, TRMM, SYRK, HERK and GEMM go to cuBLAS if the matrices are a stride apart, or
 * if the arrays lie in host memory: GEMM and TRSM of matrices a stride apart in one call, else a call for each matrix,
 * in 16 streams. Then no call waits, and none can be captured. Any other batch on a device returns
 * TRIGON_NOT_SUPPORTED.
 * Source: LAPACK xPOTRF; MAGMA's magma_dpotrf_vbatched. */
TRIGON_API trigon_status trigon_spotrf_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, float *const *A, const int64_t *lda, int64_t *info);
TRIGON_API trigon_status trigon_dpotrf_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, double *const *A, const int64_t *lda, int64_t *info);
TRIGON_API trigon_status trigon_cpotrf_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, void *const *A, const int64_t *lda, int64_t *info);
TRIGON_API trigon_status trigon_zpotrf_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, void *const *A, const int64_t *lda, int64_t *info);
TRIGON_API trigon_status trigon_spotrf_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                               float *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_dpotrf_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                               double *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_cpotrf_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n, void *A,
                                               int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_zpotrf_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n, void *A,
                                               int64_t lda, int64_t strideA, int64_t *info);

/* POTRS of a batch: A[b]·X = B[b] with the factor of POTRF in A[b]. B[b] is n[b] × nrhs[b], and X overwrites it. A is
 * read. If POTRF has failed for a matrix, X is unspecified: keep POTRF's infos in an array of their own, or call POSV.
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: LAPACK xPOTRS; MAGMA's magma_dpotrs_batched. */
TRIGON_API trigon_status trigon_spotrs_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, const int64_t *nrhs, float *const *A, const int64_t *lda,
                                             float *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_dpotrs_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, const int64_t *nrhs, double *const *A,
                                             const int64_t *lda, double *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_cpotrs_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, const int64_t *nrhs, void *const *A, const int64_t *lda,
                                             void *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_zpotrs_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                             const int64_t *n, const int64_t *nrhs, void *const *A, const int64_t *lda,
                                             void *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_spotrs_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                               int64_t nrhs, const float *A, int64_t lda, int64_t strideA, float *B,
                                               int64_t ldb, int64_t strideB);
TRIGON_API trigon_status trigon_dpotrs_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                               int64_t nrhs, const double *A, int64_t lda, int64_t strideA, double *B,
                                               int64_t ldb, int64_t strideB);
TRIGON_API trigon_status trigon_cpotrs_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                               int64_t nrhs, const void *A, int64_t lda, int64_t strideA, void *B,
                                               int64_t ldb, int64_t strideB);
TRIGON_API trigon_status trigon_zpotrs_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                               int64_t nrhs, const void *A, int64_t lda, int64_t strideA, void *B,
                                               int64_t ldb, int64_t strideB);

/* POSV of a batch: factors A[b] as POTRF does, and solves A[b]·X = B[b]. X overwrites B[b], which is n[b] × nrhs[b]. If
 * A[b] is not positive definite, B[b] is not touched.
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: LAPACK xPOSV; MAGMA's magma_dposv_batched. */
TRIGON_API trigon_status trigon_sposv_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                            const int64_t *n, const int64_t *nrhs, float *const *A, const int64_t *lda,
                                            float *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_dposv_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                            const int64_t *n, const int64_t *nrhs, double *const *A, const int64_t *lda,
                                            double *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_cposv_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                            const int64_t *n, const int64_t *nrhs, void *const *A, const int64_t *lda,
                                            void *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_zposv_batch(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t max_n,
                                            const int64_t *n, const int64_t *nrhs, void *const *A, const int64_t *lda,
                                            void *const *B, const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_sposv_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                              int64_t nrhs, float *A, int64_t lda, int64_t strideA, float *B,
                                              int64_t ldb, int64_t strideB, int64_t *info);
TRIGON_API trigon_status trigon_dposv_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                              int64_t nrhs, double *A, int64_t lda, int64_t strideA, double *B,
                                              int64_t ldb, int64_t strideB, int64_t *info);
TRIGON_API trigon_status trigon_cposv_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                              int64_t nrhs, void *A, int64_t lda, int64_t strideA, void *B, int64_t ldb,
                                              int64_t strideB, int64_t *info);
TRIGON_API trigon_status trigon_zposv_strided(trigon_context *ctx, trigon_uplo uplo, int64_t count, int64_t n,
                                              int64_t nrhs, void *A, int64_t lda, int64_t strideA, void *B, int64_t ldb,
                                              int64_t strideB, int64_t *info);

/* TRTRI of a batch: A[b] becomes the inverse of its triangle. If a diagonal element is exactly zero, info[b] is its
 * number from 1, and A[b] is not touched.
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: LAPACK xTRTRI. */
TRIGON_API trigon_status trigon_strtri_batch(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                             int64_t max_n, const int64_t *n, float *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_dtrtri_batch(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                             int64_t max_n, const int64_t *n, double *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_ctrtri_batch(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                             int64_t max_n, const int64_t *n, void *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_ztrtri_batch(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                             int64_t max_n, const int64_t *n, void *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_strtri_strided(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                               int64_t n, float *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_dtrtri_strided(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                               int64_t n, double *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_ctrtri_strided(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                               int64_t n, void *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_ztrtri_strided(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t count,
                                               int64_t n, void *A, int64_t lda, int64_t strideA, int64_t *info);

/* POTRI of a batch: A[b], which holds the factor of POTRF, becomes the inverse of the factored matrix. If `both` is 0,
 * the triangle `uplo` is written, and otherwise the other triangle, too. If a diagonal element is exactly zero, info[b]
 * is its number from 1, and A[b] is not touched.
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: LAPACK xPOTRI. */
TRIGON_API trigon_status trigon_spotri_batch(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                             int64_t max_n, const int64_t *n, float *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_dpotri_batch(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                             int64_t max_n, const int64_t *n, double *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_cpotri_batch(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                             int64_t max_n, const int64_t *n, void *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_zpotri_batch(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                             int64_t max_n, const int64_t *n, void *const *A, const int64_t *lda,
                                             int64_t *info);
TRIGON_API trigon_status trigon_spotri_strided(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                               int64_t n, float *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_dpotri_strided(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                               int64_t n, double *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_cpotri_strided(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                               int64_t n, void *A, int64_t lda, int64_t strideA, int64_t *info);
TRIGON_API trigon_status trigon_zpotri_strided(trigon_context *ctx, trigon_uplo uplo, int both, int64_t count,
                                               int64_t n, void *A, int64_t lda, int64_t strideA, int64_t *info);

/* TRMM of a batch: B[b] = alpha·op(A[b])·B[b], or alpha·B[b]·op(A[b]). B[b] is m[b] × n[b], and A[b] is a triangle of
 * order m[b] on the left side, of order n[b] on the right side. alpha is the same for all matrices.
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: BLAS xTRMM; KBLAS's kblasDtrmm_batch. */
TRIGON_API trigon_status trigon_strmm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            float alpha, float *const *A, const int64_t *lda, float *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_dtrmm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            double alpha, double *const *A, const int64_t *lda, double *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_ctrmm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            trigon_scalar alpha, void *const *A, const int64_t *lda, void *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_ztrmm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            trigon_scalar alpha, void *const *A, const int64_t *lda, void *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_strmm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n, float alpha,
                                              const float *A, int64_t lda, int64_t strideA, float *B, int64_t ldb,
                                              int64_t strideB);
TRIGON_API trigon_status trigon_dtrmm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n, double alpha,
                                              const double *A, int64_t lda, int64_t strideA, double *B, int64_t ldb,
                                              int64_t strideB);
TRIGON_API trigon_status trigon_ctrmm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n,
                                              trigon_scalar alpha, const void *A, int64_t lda, int64_t strideA, void *B,
                                              int64_t ldb, int64_t strideB);
TRIGON_API trigon_status trigon_ztrmm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n,
                                              trigon_scalar alpha, const void *A, int64_t lda, int64_t strideA, void *B,
                                              int64_t ldb, int64_t strideB);

/* TRSM of a batch: op(A[b])·X = alpha·B[b], or X·op(A[b]) = alpha·B[b], with the shapes of TRMM. X overwrites B[b].
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: BLAS xTRSM; MAGMA's magmablas_dtrsm_vbatched. */
TRIGON_API trigon_status trigon_strsm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            float alpha, float *const *A, const int64_t *lda, float *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_dtrsm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            double alpha, double *const *A, const int64_t *lda, double *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_ctrsm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            trigon_scalar alpha, void *const *A, const int64_t *lda, void *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_ztrsm_batch(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                            trigon_diag diag, int64_t count, const int64_t *m, const int64_t *n,
                                            trigon_scalar alpha, void *const *A, const int64_t *lda, void *const *B,
                                            const int64_t *ldb, int64_t *info);
TRIGON_API trigon_status trigon_strsm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n, float alpha,
                                              const float *A, int64_t lda, int64_t strideA, float *B, int64_t ldb,
                                              int64_t strideB);
TRIGON_API trigon_status trigon_dtrsm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n, double alpha,
                                              const double *A, int64_t lda, int64_t strideA, double *B, int64_t ldb,
                                              int64_t strideB);
TRIGON_API trigon_status trigon_ctrsm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n,
                                              trigon_scalar alpha, const void *A, int64_t lda, int64_t strideA, void *B,
                                              int64_t ldb, int64_t strideB);
TRIGON_API trigon_status trigon_ztrsm_strided(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                              trigon_diag diag, int64_t count, int64_t m, int64_t n,
                                              trigon_scalar alpha, const void *A, int64_t lda, int64_t strideA, void *B,
                                              int64_t ldb, int64_t strideB);

/* SYRK of a batch: C[b] = alpha·A[b]·A[b]ᵀ + beta·C[b], or alpha·A[b]ᵀ·A[b] + beta·C[b]. C[b] is a triangle of order
 * n[b]; A[b] is n[b] × k[b], or k[b] × n[b].
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: BLAS xSYRK; MAGMA's magmablas_dsyrk_vbatched. */
TRIGON_API trigon_status trigon_ssyrk_batch(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                            const int64_t *n, const int64_t *k, float alpha, float *const *A,
                                            const int64_t *lda, float beta, float *const *C, const int64_t *ldc,
                                            int64_t *info);
TRIGON_API trigon_status trigon_dsyrk_batch(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                            const int64_t *n, const int64_t *k, double alpha, double *const *A,
                                            const int64_t *lda, double beta, double *const *C, const int64_t *ldc,
                                            int64_t *info);
TRIGON_API trigon_status trigon_csyrk_batch(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                            const int64_t *n, const int64_t *k, trigon_scalar alpha, void *const *A,
                                            const int64_t *lda, trigon_scalar beta, void *const *C, const int64_t *ldc,
                                            int64_t *info);
TRIGON_API trigon_status trigon_zsyrk_batch(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                            const int64_t *n, const int64_t *k, trigon_scalar alpha, void *const *A,
                                            const int64_t *lda, trigon_scalar beta, void *const *C, const int64_t *ldc,
                                            int64_t *info);
TRIGON_API trigon_status trigon_ssyrk_strided(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                              int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                              int64_t strideA, float beta, float *C, int64_t ldc, int64_t strideC);
TRIGON_API trigon_status trigon_dsyrk_strided(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                              int64_t n, int64_t k, double alpha, const double *A, int64_t lda,
                                              int64_t strideA, double beta, double *C, int64_t ldc, int64_t strideC);
TRIGON_API trigon_status trigon_csyrk_strided(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                              int64_t n, int64_t k, trigon_scalar alpha, const void *A, int64_t lda,
                                              int64_t strideA, trigon_scalar beta, void *C, int64_t ldc,
                                              int64_t strideC);
TRIGON_API trigon_status trigon_zsyrk_strided(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                              int64_t n, int64_t k, trigon_scalar alpha, const void *A, int64_t lda,
                                              int64_t strideA, trigon_scalar beta, void *C, int64_t ldc,
                                              int64_t strideC);

/* HERK of a batch: as SYRK, with the adjoint in place of the transpose, and real alpha and beta.
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: BLAS xHERK; MAGMA's magmablas_zherk_vbatched. */
TRIGON_API trigon_status trigon_cherk_batch(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                            const int64_t *n, const int64_t *k, float alpha, void *const *A,
                                            const int64_t *lda, float beta, void *const *C, const int64_t *ldc,
                                            int64_t *info);
TRIGON_API trigon_status trigon_zherk_batch(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                            const int64_t *n, const int64_t *k, double alpha, void *const *A,
                                            const int64_t *lda, double beta, void *const *C, const int64_t *ldc,
                                            int64_t *info);
TRIGON_API trigon_status trigon_cherk_strided(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                              int64_t n, int64_t k, float alpha, const void *A, int64_t lda,
                                              int64_t strideA, float beta, void *C, int64_t ldc, int64_t strideC);
TRIGON_API trigon_status trigon_zherk_strided(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t count,
                                              int64_t n, int64_t k, double alpha, const void *A, int64_t lda,
                                              int64_t strideA, double beta, void *C, int64_t ldc, int64_t strideC);

/* GEMM of a batch: C[b] = alpha·opA(A[b])·opB(B[b]) + beta·C[b]. C[b] is m[b] × n[b], and k[b] is the inner size.
 * Arrays, strides, errors and memory: as POTRF of a batch (trigon_spotrf_batch).
 * Source: BLAS xGEMM; MAGMA's magmablas_dgemm_vbatched. */
TRIGON_API trigon_status trigon_sgemm_batch(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                            const int64_t *m, const int64_t *n, const int64_t *k, float alpha,
                                            float *const *A, const int64_t *lda, float *const *B, const int64_t *ldb,
                                            float beta, float *const *C, const int64_t *ldc, int64_t *info);
TRIGON_API trigon_status trigon_dgemm_batch(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                            const int64_t *m, const int64_t *n, const int64_t *k, double alpha,
                                            double *const *A, const int64_t *lda, double *const *B, const int64_t *ldb,
                                            double beta, double *const *C, const int64_t *ldc, int64_t *info);
TRIGON_API trigon_status trigon_cgemm_batch(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                            const int64_t *m, const int64_t *n, const int64_t *k, trigon_scalar alpha,
                                            void *const *A, const int64_t *lda, void *const *B, const int64_t *ldb,
                                            trigon_scalar beta, void *const *C, const int64_t *ldc, int64_t *info);
TRIGON_API trigon_status trigon_zgemm_batch(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                            const int64_t *m, const int64_t *n, const int64_t *k, trigon_scalar alpha,
                                            void *const *A, const int64_t *lda, void *const *B, const int64_t *ldb,
                                            trigon_scalar beta, void *const *C, const int64_t *ldc, int64_t *info);
TRIGON_API trigon_status trigon_sgemm_strided(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                              int64_t m, int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                              int64_t strideA, const float *B, int64_t ldb, int64_t strideB, float beta,
                                              float *C, int64_t ldc, int64_t strideC);
TRIGON_API trigon_status trigon_dgemm_strided(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                              int64_t m, int64_t n, int64_t k, double alpha, const double *A,
                                              int64_t lda, int64_t strideA, const double *B, int64_t ldb,
                                              int64_t strideB, double beta, double *C, int64_t ldc, int64_t strideC);
TRIGON_API trigon_status trigon_cgemm_strided(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                              int64_t m, int64_t n, int64_t k, trigon_scalar alpha, const void *A,
                                              int64_t lda, int64_t strideA, const void *B, int64_t ldb, int64_t strideB,
                                              trigon_scalar beta, void *C, int64_t ldc, int64_t strideC);
TRIGON_API trigon_status trigon_zgemm_strided(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t count,
                                              int64_t m, int64_t n, int64_t k, trigon_scalar alpha, const void *A,
                                              int64_t lda, int64_t strideA, const void *B, int64_t ldb, int64_t strideB,
                                              trigon_scalar beta, void *C, int64_t ldc, int64_t strideC);

#ifdef __cplusplus
}
#endif

#endif /* TRIGON_H */
