/* interleave.h - times a batch by several contenders in turns, and checks what each computed. */
#ifndef TRIGON_INTERLEAVE_H
#define TRIGON_INTERLEAVE_H

#include "contenders.h"

enum { MOST_REPEATS = 1000 };

/* What was measured of one contender: the median time of a call, and the largest residual. */
typedef struct batch_result {
  bool measured, ok; /* measured: the contender takes the batch. ok: all residuals and all infos are good */
  double seconds, error;
  /* Of the library, if a rival was measured: the better rival's time over the library's. It is the lowest of the
   * rivals' medians of this ratio, turn by turn. NaN: no rival. */
  double ratio;
} batch_result;

/* repeat: calls of each contender, or 0: as many as take `seconds` together. */
typedef struct batch_timing {
  int repeat;
  double seconds;
  bool tells_largest;
} batch_timing;

/* Measures all contenders that take the batch, whose operands are made. Returns false, with the reason, if a call
 * fails. */
bool batch_measure(const batch_timing *timing, const contenders *w, batch_operands *on,
                   batch_result result[MOST_CONTENDERS], const verdict *to);

#endif
