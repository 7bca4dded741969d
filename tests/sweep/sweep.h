/* sweep.h - code that the files of the sweep share: the backends under test, the matrices of a call, the score. */
#ifndef TRIGON_TESTS_SWEEP_H
#define TRIGON_TESTS_SWEEP_H

#include "support/device_call.h"
#include "support/matrices.h"
#include "support/reference.h"

enum { MOST_BACKENDS = 16, MOST_SIZES = 8, CALL_TEXT = 256, NAME_TEXT = 160 };

typedef struct tally {
  int64_t checks, failures;
  verdict worst; /* the residual nearest to its threshold */
  char worst_call[CALL_TEXT];
} tally;

typedef struct sweep {
  int backends;
  char names[MOST_BACKENDS][NAME_TEXT];
  call_target targets[MOST_BACKENDS];
  const char *types;
  int only;                  /* a routine, or -1 for all */
  int64_t share;             /* one of this many cases is taken (see sweep_sample) */
  int64_t sizes[MOST_SIZES]; /* if there are sizes, the sweep is only the grid over these sizes */
  int size_count;
  uint64_t seed;
  int64_t workspace; /* the cap of all backends; -1: there is none */
  trigon_fp64 fp64;  /* the mode of all backends, and its accuracy */
  int accuracy;
  int64_t products, emulated; /* of all calls under test */
  tally tally[TESTED_ROUTINES];

  guarded stored[3]; /* the matrices of the call under test */
  enum family family;
  bool twice;       /* whether `first` is called before the call under test */
  call first;       /* the same call over other matrices, possibly of another type */
  guarded other[3]; /* the matrices of `first` */
  arena scratch;
  struct {
    int64_t share, at, pick;
    random_stream draw;
  } sample;     /* of the present list of cases */
  int64_t turn; /* number of calls; the two spellings alternate */
  bool blas;    /* the spelling of the last call */
} sweep;

/* --- sweep_run.c: one call --- */

/* Begins a list of about this many cases with the flags of c. Of each `share` cases in a row the sweep takes one,
 * which is drawn. If the list is short, the sweep takes one of fewer cases. So every combination of flags is checked
 * at a few sizes: small, middling and large. */
void sweep_sample(sweep *s, const call *c, int64_t cases);
/* Returns whether the sweep takes the next case of the list. */
bool sweep_takes(sweep *s);

/* Returns a stream that depends on the seed and the call alone. So a filtered sweep has the same matrices. */
random_stream sweep_stream(const sweep *s, const call *c);
/* Gives c guarded matrices of the right shapes. Fills the elements that the routine may read. */
void sweep_prepare(sweep *s, call *c, enum family family);
/* Takes the snapshot that sweep_call restores. This is a function of its own, so that a test can change elements
 * before. */
void sweep_snapshot(sweep *s);
/* Returns the same call over the matrices of the snapshot. */
call sweep_before(const sweep *s, const call *c);
/* Restores the matrices and makes the call on one backend, in the spelling whose turn it is. If the case is called
 * twice, `first` is called before; anything wrong that `first` leaves in the context shows in the result of the
 * second call. Reports errors in the status, in info (expected: due), in the message and in the bytes outside the
 * operands' regions. `unchanged` is a bit mask of the operands that the call must leave unchanged on the host.
 * Returns true if there is no error, so that the call can be judged. */
bool sweep_call(sweep *s, int backend, call *c, int64_t due, unsigned unchanged);
/* Counts one check. v says whether the check held. */
void sweep_score(sweep *s, int backend, const call *c, verdict v);
/* Returns matrix `index` of the call under test. */
trigon_matrix sweep_matrix(const sweep *s, int index);
/* Returns a verdict without a residual. */
verdict sweep_fact(bool held, const char *what);
/* Returns u of the mode over u of the type. Pairs of floats have 48 bits. */
double sweep_roundoffs(const sweep *s, trigon_type type);
/* Prepares, calls and judges one case on every backend. */
void sweep_case(sweep *s, call *c, enum family family);

/* --- the tests of the sweep: each runs over all flags that the routine has, for one type --- */

/* Calls `visit` once for every combination of flags that the routine accepts. */
void sweep_flags(sweep *s, enum tested_routine routine, trigon_type type, void (*visit)(sweep *, call *));
void sweep_grid(sweep *s, call *c);      /* sizes and scalars */
void sweep_families(sweep *s, call *c);  /* ill-conditioned matrices */
void sweep_nonfinite(sweep *s, call *c); /* NaN and Inf */
void sweep_ones(sweep *s, call *c);      /* infinities times one, if the products are Trigon's own */
void sweep_pivots(sweep *s, call *c);    /* matrices that are not positive definite */
void sweep_singular(sweep *s, call *c);  /* exact zeros on the diagonal */
void sweep_divisions(sweep *s, call *c); /* divisors at the ends of the range, on devices */
void sweep_late_info(sweep *s, call *c); /* info values that only trigon_finish returns */

#endif
