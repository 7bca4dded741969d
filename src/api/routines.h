/* routines.h - each routine behind both of its spellings: checks the arguments of a call and runs it. */
#ifndef TRIGON_ROUTINES_H
#define TRIGON_ROUTINES_H

#include "checks.h"

/* Checks the operation, of which nothing is known yet, and runs it. Members that are not in the form that algorithms expect
 * are put into it: scalars are rounded, and the op of a symmetric update becomes NOTRANS or its adjoint. */
trigon_status call_routine(trigon_context *ctx, spelling as, operation *o);

#endif
