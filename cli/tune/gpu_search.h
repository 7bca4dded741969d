/* gpu_search.h - finds rows of GPUs: candidates against the rows of the kind of GPU. */
#ifndef TRIGON_CLI_TUNE_GPU_SEARCH_H
#define TRIGON_CLI_TUNE_GPU_SEARCH_H

#include "batch_case.h"
#include "search.h"

/* How a table compares with the built-in one, problem by problem. */
typedef struct gpu_score {
  double least, most; /* ratios */
  int wins;
} gpu_score;

/* Begins with another table. */
void gpu_begin(search *s);

/* Why nothing was found, in words. */
const char *gpu_no_winner(const search *s);

/* Times s->candidate and s->champion on a problem or on a batch, of which the other one is NULL. *ratio: the champion's
 * time over the candidate's, 0 if the candidate is no good table, and 1 if there is no time before the deadline.
 * Returns false, with the reason, if something failed. */
bool gpu_fight(search *s, const problem *p, const batch_case *of, double *ratio);

/* Adds the result of a problem or a batch to the score. If the candidate seems to be slower, measures again. */
bool gpu_judge(search *s, const problem *p, const batch_case *of, gpu_score *score);

/* Whether the score is better: faster than noise on one problem at least, and slower than noise on none. */
bool gpu_is_better(const gpu_score *score);

/* Search the rows of a routine (batches: and of a type) until the deadline, and add the rows to `found` if they are
 * better than the built-in ones. In either case a comment says what was measured. If the deadline ended the search
 * before anything was found, the rows do not count as measured. Return false, with the reason, if something failed. */
bool search_classes(search *s, int batch, char type);
bool search_tiles(search *s, int tile);

/* Whether the GPU has something to choose for these rows. */
bool search_has_classes(const search *s, int batch, char type);
bool search_has_tiles(const search *s, int tile);

#endif
