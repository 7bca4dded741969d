/* blas_library.h - the vendor's BLAS, a library that is loaded at run time: cuBLAS, hipBLAS, or the simulated one. Its
 * types and values have cuBLAS's names.
 *
 *   tg_blas_open(why, size)       the library, or NULL with the reason in `why`. The library stays loaded
 *   tg_blas_find(library, name)   the address of a function, or NULL
 *   TG_BLAS_TITLE                 what messages call the library
 *   TG_BLAS_NEEDED                1 if no context works without the library, 0 if our own kernels take its place
 *   TG_BLAS_PREFIX                how the names of all functions begin
 *   TG_BLAS_HANDLE_SUFFIX         how the names of the functions for handles end: Create, Destroy, SetStream, ...
 *   TG_BLAS_SUFFIX, TG_BLAS_STRIDED_SUFFIX
 *                                 how the names of routines end, and of routines for matrices that are a stride apart
 *   TG_BLAS_LEAVES                1 if the library has more routines than products
 *   TG_BLAS_BATCHES               1 if native=1 takes batches to the library
 *   tg_blas_int, tg_blas_stride   integers of the routines, up to TG_BLAS_INT_MAX */
#ifndef TRIGON_BLAS_LIBRARY_H
#define TRIGON_BLAS_LIBRARY_H

#include "vendor.h"

#if defined(TRIGON_VENDOR_CUDA)

#include <cublas_v2.h>
#include <dlfcn.h>

/* Only types and values come from the header. They are the same in cuBLAS 12 and 13, and so are the functions. */
#define TG_BLAS_TITLE "cuBLAS"
#define TG_BLAS_NEEDED 1
#define TG_BLAS_PREFIX "cublas"
#define TG_BLAS_HANDLE_SUFFIX "_v2"
#define TG_BLAS_SUFFIX "_v2_64"
#define TG_BLAS_STRIDED_SUFFIX "_64"
#define TG_BLAS_LEAVES 1
#define TG_BLAS_BATCHES 1

typedef int64_t tg_blas_int;
typedef long long tg_blas_stride;
#define TG_BLAS_INT_MAX INT64_MAX

/* A cuBLAS that the process has already, for example PyTorch's, serves before any other. Else the system looks in
 * LD_LIBRARY_PATH, in the folders of the plugin's run path, and in its own folders. */
static inline void *tg_blas_open(char *why, size_t size) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12"};
  for (int i = 0; i < 2; i++) {
    void *loaded = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (loaded) return loaded;
  }
  char said[2][96];
  for (int i = 0; i < 2; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    const char *words = dlerror();
    snprintf(said[i], sizeof said[i], "%s", words ? words : names[i]);
  }
  snprintf(why, size,
           "cuBLAS does not load: %s; %s; install nvidia-cublas by pip, or name its folder in LD_LIBRARY_PATH", said[0],
           said[1]);
  return NULL;
}
#define tg_blas_find dlsym

#elif defined(TRIGON_VENDOR_HIP)

#include <dlfcn.h>

/* Source of the values: hipBLAS's public documentation. */
typedef void *cublasHandle_t;
typedef int cublasStatus_t;
typedef int cublasOperation_t;
enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_ALLOC_FAILED = 2, CUBLAS_STATUS_NOT_SUPPORTED = 7 };
enum { CUBLAS_OP_N = 111, CUBLAS_OP_T = 112, CUBLAS_OP_C = 113 };

#define TG_BLAS_TITLE "hipBLAS"
#define TG_BLAS_NEEDED 0
#define TG_BLAS_PREFIX "hipblas"
#define TG_BLAS_HANDLE_SUFFIX ""
#define TG_BLAS_SUFFIX ""
#define TG_BLAS_STRIDED_SUFFIX ""
#define TG_BLAS_LEAVES 0
#define TG_BLAS_BATCHES 0

typedef int tg_blas_int;
typedef long long tg_blas_stride;
#define TG_BLAS_INT_MAX INT32_MAX

/* The functions that Trigon calls are the same in all of these versions. Version 3 (of ROCm 7) renamed the types of
 * complex numbers, but a complex number is still two reals behind a pointer. */
static inline void *tg_blas_open(char *why, size_t size) {
  static const char *const names[] = {"libhipblas.so.3", "libhipblas.so.2", "libhipblas.so.1", "libhipblas.so.0"};
  void *library = NULL;
  for (int i = 0; !library && i < 4; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) snprintf(why, size, "this machine has no hipBLAS");
  return library;
}
#define tg_blas_find dlsym

#else

#define TG_BLAS_TITLE "the CPU's BLAS"
#define TG_BLAS_NEEDED 0
#define TG_BLAS_PREFIX "simblas"
#define TG_BLAS_HANDLE_SUFFIX ""
#define TG_BLAS_SUFFIX "_64"
#define TG_BLAS_STRIDED_SUFFIX "_64"
#define TG_BLAS_LEAVES 0
#define TG_BLAS_BATCHES 1

typedef int64_t tg_blas_int;
typedef long long tg_blas_stride;
#define TG_BLAS_INT_MAX INT32_MAX /* the CPU's BLAS has 32-bit integers */

static inline void *tg_blas_open(char *why, size_t size) {
  void *library = simblasOpen();
  if (!library) snprintf(why, size, "this device has no BLAS (blas=0)");
  return library;
}
#define tg_blas_find simblasFind

#endif

#endif
