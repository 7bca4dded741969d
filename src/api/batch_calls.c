/* batch_calls.c - the public batched routines in all precisions: includes batch_calls.inc four times. */
#include "batch.h"
#include "routines.h"

#define COMPLEX 0
#define TYPE TRIGON_S
#define NAME(routine) trigon_s##routine
#define REAL float
#include "batch_calls.inc"
#define COMPLEX 0
#define TYPE TRIGON_D
#define NAME(routine) trigon_d##routine
#define REAL double
#include "batch_calls.inc"
#define COMPLEX 1
#define TYPE TRIGON_C
#define NAME(routine) trigon_c##routine
#define REAL float
#include "batch_calls.inc"
#define COMPLEX 1
#define TYPE TRIGON_Z
#define NAME(routine) trigon_z##routine
#define REAL double
#include "batch_calls.inc"
