/* cblas.c - the symbols of CBLAS, in all precisions. */
#include "call.h"
#include "flags.h"
#include "names.h"
#include "offload.h"

enum { ROW_MAJOR = 101, COL_MAJOR = 102 };

static inline bool layout_is_known(int layout) { return layout == ROW_MAJOR || layout == COL_MAJOR; }

/* Reference CBLAS keeps here whether a call is row-major, and came through CBLAS, for cblas_xerbla. Its test programs
 * refer to both. */
#ifndef DROPIN_WHEEL
EXPORTED int RowMajorStrg, CBLAS_CallFromC;
#endif

#define CALLS "cblas_calls.inc"
#include "each_type.inc"
