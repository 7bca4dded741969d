/* cublas_library.c - a replacement of cuBLAS. Each routine returns its place in the plugin's table.
 *
 * VERSION is the version that the library tells, e.g. 130100. The library lacks HER2K if LACKING is defined. */
#include <stdio.h>

#define ROUTINE(name, place)                                                                                           \
  int cublas##name(void);                                                                                              \
  int cublas##name(void) { return place; }
#define REAL(routine, place)                                                                                           \
  ROUTINE(S##routine, place)                                                                                           \
  ROUTINE(D##routine, (place) + 1)
#define COMPLEX(routine, place)                                                                                        \
  ROUTINE(C##routine, place)                                                                                           \
  ROUTINE(Z##routine, (place) + 1)
#define ALL(routine, place)                                                                                            \
  REAL(routine, place)                                                                                                 \
  COMPLEX(routine, (place) + 2)

#pragma GCC visibility push(default)
ALL(gemm_v2_64, 0)
ALL(gemmStridedBatched_64, 4)
ALL(trsm_v2_64, 8)
ALL(trmm_v2_64, 12)
ALL(syrk_v2_64, 16)
COMPLEX(herk_v2_64, 20)
ALL(syr2k_v2_64, 22)
#ifndef LACKING
COMPLEX(her2k_v2_64, 26)
#endif
ALL(symm_v2_64, 28)
COMPLEX(hemm_v2_64, 32)
ALL(gemv_v2_64, 34)
ALL(trmv_v2_64, 38)
ALL(trsv_v2_64, 42)
REAL(ger_v2_64, 46)
COMPLEX(geru_v2_64, 48)
COMPLEX(gerc_v2_64, 50)
ALL(syr_v2_64, 52)
COMPLEX(her_v2_64, 56)
ALL(syr2_v2_64, 58)
COMPLEX(her2_v2_64, 62)
ALL(symv_v2_64, 64)
COMPLEX(hemv_v2_64, 68)
ALL(trsmBatched_64, 70)

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
int cublasGetVersion_v2(void *handle, int *version);

/* Each function returns 0, cuBLAS's success, if its arguments are those of load_cublas.c. */
static char state;
int cublasCreate_v2(void **handle) { return *handle = &state, 0; }
int cublasDestroy_v2(void *handle) { return puts(handle == &state ? "the handle ends" : "another handle ends") < 0; }
int cublasSetStream_v2(void *handle, void *stream) { return handle != &state || stream != NULL; }
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes) {
  return handle != &state || !workspace || bytes != 4096;
}
int cublasGetVersion_v2(void *handle, int *version) { return *version = VERSION, handle != &state; }
