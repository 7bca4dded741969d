/* solver_library.h - the vendor's factorizations, under cuSOLVER's names: cuSOLVER, which is loaded at run time, or the
 * simulated one. TG_SOLVER is 0 if the vendor has none.
 *
 *   tg_solver_open()              the library, or NULL if it does not load
 *   tg_solver_find(library, name) the address of a function, or NULL
 *   TG_SOLVER_NAME                what a message calls the library */
#ifndef TRIGON_SOLVER_LIBRARY_H
#define TRIGON_SOLVER_LIBRARY_H

#include "vendor.h"

#if defined(TRIGON_VENDOR_CUDA)

#include <cusolverDn.h>
#include <dlfcn.h>

#define TG_SOLVER 1
#define TG_TEXT_OF(x) #x
#define TG_TEXT(x) TG_TEXT_OF(x)
#define TG_SOLVER_NAME "libcusolver.so." TG_TEXT(CUSOLVER_VER_MAJOR)

static inline void *tg_solver_open(void) { return dlopen(TG_SOLVER_NAME, RTLD_NOW | RTLD_LOCAL); }
#define tg_solver_find dlsym

#elif defined(TRIGON_VENDOR_SIM)

#include "../../../simulator/sim_solver.h"

#define TG_SOLVER 1
#define TG_SOLVER_NAME "the simulated cuSOLVER (solver=1)"
#define tg_solver_open simsolverOpen
#define tg_solver_find simsolverFind

#define cusolverDnHandle_t simsolverHandle_t
#define cusolverDnParams_t simsolverParams_t
#define cusolverStatus_t simsolverStatus_t
#define cudaDataType simDataType
#define CUSOLVER_STATUS_SUCCESS SIMSOLVER_STATUS_SUCCESS
#define CUSOLVER_STATUS_ALLOC_FAILED SIMSOLVER_STATUS_ALLOC_FAILED
#define CUSOLVER_STATUS_INVALID_VALUE SIMSOLVER_STATUS_INVALID_VALUE
#define CUSOLVER_STATUS_NOT_SUPPORTED SIMSOLVER_STATUS_NOT_SUPPORTED
#define CUDA_R_32F SIM_R_32F
#define CUDA_R_64F SIM_R_64F
#define CUDA_C_32F SIM_C_32F
#define CUDA_C_64F SIM_C_64F
#define cusolverDnCreate simsolverCreate
#define cusolverDnDestroy simsolverDestroy
#define cusolverDnSetStream simsolverSetStream
#define cusolverDnCreateParams simsolverCreateParams
#define cusolverDnDestroyParams simsolverDestroyParams
#define cusolverDnXpotrf_bufferSize simsolverXpotrf_bufferSize
#define cusolverDnXpotrf simsolverXpotrf
#define cusolverDnXpotrs simsolverXpotrs
#define cusolverDnXtrtri_bufferSize simsolverXtrtri_bufferSize
#define cusolverDnXtrtri simsolverXtrtri

#else
#define TG_SOLVER 0
#endif

#endif
