/* search.h - finds the rows of a tuning table: candidates against the best so far, order by order. */
#ifndef TRIGON_CLI_TUNE_SEARCH_H
#define TRIGON_CLI_TUNE_SEARCH_H

#include "merge.h"

/* What has been found, and what to search with. */
typedef struct search {
  const char *backend;
  bool on_host, quiet;
  bool is_hosted; /* the matrices are in host memory, and GPUs compute */
  bool has_blas;  /* the backend computes leaves with a BLAS, too */
  FILE *report;   /* where rows are printed, unless `quiet` */
  table found;    /* the rows so far */
  measured done;
  char *rows;                /* a GPU's text of trigon_rows without a table */
  int64_t largest, batch;    /* the largest order, and the most matrices of a batch, in tables of GPUs */
  bool was_late;             /* the deadline ended the search of the present table of a GPU */
  int duels;                 /* of the present table of a GPU: how many there were, */
  double last_duel, guess;   /* how long the last one took, and a call in it; 0: not known */
  bool searched;             /* rows with something to choose */
  table candidate, champion; /* the same with one row more, for a duel */
  double deadline;           /* of the present row, on the clock of seconds_now */
  double rate;               /* flops in a second, as last measured for the present row */
  char *why;                 /* the reason of a failure */
  size_t why_size;
} search;

/* Prints what was added to `found` from this length on, unless `quiet`. */
void search_show(const search *s, size_t from);

/* Whether there is something to choose for a row: several leaves, or a cut. */
bool search_has_choice(const search *s, const subject *what);

/* Searches one row, for which there is something to choose, until the deadline, and adds the row to `found` if it is
 * better than the built-in one: faster than noise at two orders at least, and slower than noise at none. In either case
 * a comment says what was measured. Returns false, with the reason, if something failed. */
bool search_row(search *s, const subject *what);

/* Searches the line `team` until the deadline: from which work on a team of all threads is faster than one thread.
 * Returns false, with the reason, if something failed. */
bool search_team(search *s, const subject *what);

#endif
