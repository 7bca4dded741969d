/* measure.h - times one problem in several implementations, in turns, and checks what each computed. */
#ifndef TRIGON_CLI_BENCH_MEASURE_H
#define TRIGON_CLI_BENCH_MEASURE_H

#include "../../fp64_mode.h"
#include "floor.h"
#include "tile_inverses.h"

enum { TRIGON_IMPL, NATIVE_IMPL, GEMM_IMPL, IMPLS };
enum { MOST_REPEATS_ALLOWED = 1000 };
enum { TRACED_KINDS = TRIGON_LAUUM + 1 }; /* kinds of work that are reported */

/* What was measured of one implementation. Times are of one call, and medians. */
typedef struct measurement {
  bool measured, ok; /* ok: the error is below its limit */
  /* The context's timer measures `seconds`: on a device by events. The device is kept waiting until the host has made
   * the call, so that the time to launch does not count. The host's clock measures host_seconds of a call on the idle
   * device, launches and the wait included; 0 on the CPU. */
  double seconds, host_seconds;
  double late_seconds; /* the 95th percentile of the samples */
  double gflops, error;
  /* CPU: host memory that a call took beyond what the process had before, or -1 if that cannot be measured. Device:
   * memory that the context holds beyond the operands. */
  int64_t extra_bytes;
  int64_t in_bytes, out_bytes, between_bytes; /* of one call, if the context moves its matrices to devices; else 0 */
  bool traced;                                /* the context's name has trace=1: `counts` is the work of one call */
  trigon_count counts[TRACED_KINDS];
  trigon_fp64_report fp64; /* of Trigon's last call, if a mode was given */
  bool compared;           /* product_error is known: */
  double product_error;    /* see product_error.h */
} measurement;

/* A row of the table that bench prints. */
typedef struct bench_row {
  problem problem;
  measurement impl[IMPLS];
  double ratio; /* the median of native's time over Trigon's, sample by sample; NaN if one was not measured */
  copy_rate copy;
  time_floor floor;  /* known if GEMM was measured */
  double int8_floor; /* seconds, by a model (floor.h), if products were emulated; 0: not known */
  tile_inverses inverses;
} bench_row;

/* What to measure with. */
typedef struct bench_setup {
  trigon_context *home; /* Trigon's context, in whose memory the operands are */
  /* All of the same machine: `home` for Trigon; contexts that hand each routine whole to the BLAS, for native and gemm;
   * NULL for implementations that are not measured. */
  trigon_context *ctx[IMPLS];
  routine_call *native_call; /* what native calls; NULL: the routine */
  copy_rate *copy;           /* the rate of copies, which is measured with the first row; NULL: it is not wanted */
  int repeat;                /* samples of each, or 0: as many as take `seconds` together */
  double seconds;
  fp64_mode fp64; /* the mode of Trigon's context. If it was given, products are compared element by element */
} bench_setup;

/* Fills the row, whose problem is set. Returns false, with the reason in `why`, if a call could not run. A large error
 * does not count as such: see `ok`. */
bool bench_measure(const bench_setup *setup, bench_row *row, char *why, size_t why_size);

/* Whether the context can do such a call. If it answers TRIGON_NOT_SUPPORTED, as some native contexts on a device do,
 * returns false, with the reason in `why`. */
bool bench_supported(trigon_context *ctx, const problem *p, char *why, size_t why_size);

#endif
