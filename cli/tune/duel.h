/* duel.h - times one problem over two tables, in turns, and says which table is faster. */
#ifndef TRIGON_CLI_TUNE_DUEL_H
#define TRIGON_CLI_TUNE_DUEL_H

#include "batch_case.h"
#include "table.h"

/* A difference that is not larger is taken for noise. */
extern const double duel_noise;

/* Over which tables a problem is timed. */
typedef struct duel {
  const char *backend;
  const table *candidate, *champion;
  double seconds; /* about how long the timed calls are to take together */
  double guess;   /* about how long one call takes; not of a batch */
} duel;

typedef struct duel_result {
  /* The champion's time over the candidate's. 0: the candidate's result is wrong, or, of a batch, the candidate is no
   * good table. */
  double ratio;
  double seconds; /* a call of the candidate */
} duel_result;

/* Makes a context with a table, which the context reads from a file without a name. Returns false, with the reason, if
 * the table is not a good one or the context could not be made. */
bool duel_context(const char *backend, const table *t, trigon_context **ctx, char *why, size_t why_size);

/* Returns false, with the reason in `why`, if a context could not be made or a call could not run. */
bool duel_run(const duel *d, const problem *p, duel_result *result, char *why, size_t why_size);

/* Times a batch instead of a problem. */
bool duel_run_batch(const duel *d, const batch_case *of, duel_result *result, char *why, size_t why_size);

/* duel_run, but a difference that is larger than noise is measured again, and the smaller one counts. */
bool duel_confirm(const duel *d, const problem *p, duel_result *result, char *why, size_t why_size);
bool duel_confirm_batch(const duel *d, const batch_case *of, duel_result *result, char *why, size_t why_size);

/* How long duel_run takes, roughly. */
double duel_cost(const duel *d, const problem *p);

#endif
