/* offload_routines.c - routines on the GPU for matrices of the host, in all precisions. */
#include "names.h"
#include "offload.h"

static bool is_op(trigon_op op) { return op == TRIGON_NOTRANS || op == TRIGON_TRANS || op == TRIGON_CONJTRANS; }
static bool is_side(trigon_side side) { return side == TRIGON_LEFT || side == TRIGON_RIGHT; }

#define LETTER s
#define COMPLEX 0
#define REAL float
#define TYPE TRIGON_S
#include "offload_calls.inc"
#define LETTER d
#define COMPLEX 0
#define REAL double
#define TYPE TRIGON_D
#include "offload_calls.inc"
#define LETTER c
#define COMPLEX 1
#define REAL float
#define TYPE TRIGON_C
#include "offload_calls.inc"
#define LETTER z
#define COMPLEX 1
#define REAL double
#define TYPE TRIGON_Z
#include "offload_calls.inc"
