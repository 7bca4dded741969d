/* sim_solver.h - the simulated cuSOLVER: the part that the library uses, and a tool for correctness, not for speed.
 * A device has it with the setting solver=1 (sim.h).
 *
 * As in cuSOLVER 12.0, POTRI has 32-bit sizes, TRTRI overwrites a unit diagonal, and POTRF leaves the columns before a
 * failure incomplete. A routine overwrites its whole workspace. POTRI refuses orders above SIM_MOST_INVERTED when it is
 * asked for its workspace, as cuSOLVER does if 32 bits do not hold the workspace's size. */
#ifndef TRIGON_SIM_SOLVER_H
#define TRIGON_SIM_SOLVER_H

#include "sim.h"

enum { SIM_MOST_INVERTED = 300 };

typedef enum simsolverStatus_t {
  SIMSOLVER_STATUS_SUCCESS = 0,
  SIMSOLVER_STATUS_NOT_INITIALIZED = 1,
  SIMSOLVER_STATUS_ALLOC_FAILED = 2,
  SIMSOLVER_STATUS_INVALID_VALUE = 3,
  SIMSOLVER_STATUS_EXECUTION_FAILED = 6,
  SIMSOLVER_STATUS_NOT_SUPPORTED = 9
} simsolverStatus_t;
typedef enum simDataType { SIM_R_32F = 0, SIM_R_64F = 1, SIM_C_32F = 4, SIM_C_64F = 5 } simDataType;
typedef struct simsolver *simsolverHandle_t;
typedef struct simsolverParams *simsolverParams_t;

void *simsolverOpen(void);                            /* NULL if the current device has no cuSOLVER */
void *simsolverFind(void *library, const char *name); /* by cuSOLVER's names */

simsolverStatus_t simsolverCreate(simsolverHandle_t *);
simsolverStatus_t simsolverDestroy(simsolverHandle_t);
simsolverStatus_t simsolverSetStream(simsolverHandle_t, simStream_t);
simsolverStatus_t simsolverCreateParams(simsolverParams_t *);
simsolverStatus_t simsolverDestroyParams(simsolverParams_t);

simsolverStatus_t simsolverXpotrf_bufferSize(simsolverHandle_t, simsolverParams_t, simblasFillMode_t, int64_t n,
                                             simDataType, const void *A, int64_t lda, simDataType compute,
                                             size_t *device_bytes, size_t *host_bytes);
simsolverStatus_t simsolverXpotrf(simsolverHandle_t, simsolverParams_t, simblasFillMode_t, int64_t n, simDataType,
                                  void *A, int64_t lda, simDataType compute, void *space, size_t bytes, void *host_work,
                                  size_t host_bytes, int *info);
simsolverStatus_t simsolverXpotrs(simsolverHandle_t, simsolverParams_t, simblasFillMode_t, int64_t n, int64_t nrhs,
                                  simDataType, const void *A, int64_t lda, simDataType of_B, void *B, int64_t ldb,
                                  int *info);
simsolverStatus_t simsolverXtrtri_bufferSize(simsolverHandle_t, simblasFillMode_t, simblasDiagType_t, int64_t n,
                                             simDataType, void *A, int64_t lda, size_t *device_bytes,
                                             size_t *host_bytes);
simsolverStatus_t simsolverXtrtri(simsolverHandle_t, simblasFillMode_t, simblasDiagType_t, int64_t n, simDataType,
                                  void *A, int64_t lda, void *space, size_t bytes, void *host_work, size_t host_bytes,
                                  int *info);

#endif
