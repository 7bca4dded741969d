/* routines.h - each routine behind both of its spellings: checks the arguments of a call and runs it. */
#ifndef TRIGON_ROUTINES_H
#define TRIGON_ROUTINES_H

#include "checks.h"

/* Checks the operation, which holds the caller's arguments as they are, and runs it. Algorithms get scalars that are
 * rounded to the type of the matrices, and the op of a symmetric update as NOTRANS or the update's adjoint. */
trigon_status call_routine(trigon_context *ctx, spelling as, operation *o);

#endif
