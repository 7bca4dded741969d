/* sweep.h - what the parts of the sweep share: the backends under test, the matrices of a call, the score. */
#ifndef TRIGON_TESTS_SWEEP_H
#define TRIGON_TESTS_SWEEP_H

#include "device_call.h"
#include "matrices.h"
#include "reference.h"

enum { MOST_BACKENDS = 16, MOST_SIZES = 8, CALL_TEXT = 256, NAME_TEXT = 160 };

typedef struct tally {
  int64_t checks, failures;
  verdict worst; /* the residual nearest to its threshold */
  char worst_call[CALL_TEXT];
} tally;

typedef struct sweep {
  int backends;
  char names[MOST_BACKENDS][NAME_TEXT];
  call_place places[MOST_BACKENDS];
  const char *types;
  int only;                  /* a routine, or -1 for all */
  int64_t share;             /* one of so many cases is taken: see sweep_sample */
  int64_t sizes[MOST_SIZES]; /* where there are any, the grid over these is all that is swept */
  int size_count;
  uint64_t seed;
  tally tally[TESTED_ROUTINES];

  guarded stored[3]; /* the matrices of the call under test */
  enum family family;
  bool twice;       /* `first` is called before the call under test */
  call first;       /* the same call over other matrices, maybe of another type */
  guarded other[3]; /* the matrices of `first` */
  arena scratch;
  struct {
    int64_t share, at, pick;
    random_stream draw;
  } sample;     /* of the present list of cases */
  int64_t turn; /* counts calls, so that the two spellings alternate */
  bool blas;    /* the spelling of the last call */
} sweep;

/* --- sweep_run.c: one call --- */

/* Begins a list of about so many cases with the flags of c: of every `share` in a row one is taken, drawn; of fewer
 * where the list is short, so that every combination of flags is met at a few sizes, small, middling and large. */
void sweep_sample(sweep *s, const call *c, int64_t cases);
/* Whether the next case of the list is taken. */
bool sweep_takes(sweep *s);

/* A stream that depends on the seed and the call alone, so that a filtered sweep meets the same matrices. */
random_stream sweep_stream(const sweep *s, const call *c);
/* Gives c guarded matrices of the right shapes, filled where the routine may read them. */
void sweep_prepare(sweep *s, call *c, enum family family);
/* Takes the snapshot that sweep_call returns to; separate, so that elements can be changed in between. */
void sweep_snapshot(sweep *s);
/* The same call over its matrices as they were at the snapshot. */
call sweep_before(const sweep *s, const call *c);
/* Restores the matrices and makes the call, in the spelling whose turn it is, on one backend. If the case is called
 * twice, `first` is called before: what `first` leaves behind in the context shows in the result of the second call.
 * Reports what is wrong with the status, info (expected: due), the message or the bytes outside the operands' regions;
 * `unchanged` is a bit mask of the operands that the call must leave alone on the host. Returns true if all of that
 * holds: the call can be judged. */
bool sweep_call(sweep *s, int backend, call *c, int64_t due, unsigned unchanged);
/* Counts one check that held or failed by v. */
void sweep_score(sweep *s, int backend, const call *c, verdict v);
/* Matrix `index` of the call under test. */
trigon_matrix sweep_matrix(const sweep *s, int index);
/* A verdict without a residual. */
verdict sweep_fact(bool held, const char *what);
/* The whole of it, on every backend: prepare, call, judge. */
void sweep_case(sweep *s, call *c, enum family family);

/* --- the parts: every one goes over all flags that the routine has, for one type --- */

/* Calls visit once for every combination of flags that the routine accepts. */
void sweep_flags(sweep *s, enum tested_routine routine, trigon_type type, void (*visit)(sweep *, call *));
void sweep_grid(sweep *s, call *c);      /* sizes and scalars */
void sweep_families(sweep *s, call *c);  /* ill-conditioned matrices */
void sweep_nonfinite(sweep *s, call *c); /* NaN and Inf */
void sweep_ones(sweep *s, call *c);      /* infinities times one, where products are our own */
void sweep_pivots(sweep *s, call *c);    /* matrices that are not positive definite */
void sweep_singular(sweep *s, call *c);  /* exact zeros on the diagonal */
void sweep_divisions(sweep *s, call *c); /* divisors at the ends of the range, on devices */
void sweep_late_info(sweep *s, call *c); /* info that only trigon_finish returns */

#endif
