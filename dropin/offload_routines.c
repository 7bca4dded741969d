/* offload_routines.c - routines on the GPU for matrices of the host, in all precisions. */
#include "names.h"
#include "offload.h"

static bool is_op(trigon_op op) { return op == TRIGON_NOTRANS || op == TRIGON_TRANS || op == TRIGON_CONJTRANS; }
static bool is_side(trigon_side side) { return side == TRIGON_LEFT || side == TRIGON_RIGHT; }

#define CALLS "offload_calls.inc"
#include "each_type.inc"
