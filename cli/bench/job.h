/* job.h - what one call of the command bench is to measure, and has measured. */
#ifndef TRIGON_CLI_BENCH_JOB_H
#define TRIGON_CLI_BENCH_JOB_H

#include "../report.h"
#include "measure.h"
#include "size_list.h"

enum { MOST_TYPES = 4 };

/* One of the routines to measure. */
typedef struct bench_task {
  const routine *routine;
  size_list size[3];        /* m, n, k; a size that the routine does not have is 0, once */
  char no_native[WHY_SIZE]; /* why nothing native is measured although wanted, or "" */
} bench_task;

typedef struct bench_job {
  const char *routines, *types, *sizes[3], *variant, *backend, *vs, *repeat, *plot; /* the options' texts */
  bool csv, wanted[IMPLS];
  bench_plan plan;
  char type[MOST_TYPES];
  bench_task task[MOST_ROUTINES];
  int types_count, tasks_count;
  bench_row *rows; /* of one routine, type and variant in succession */
  int count, total;
  bool failed;
} bench_job;

/* Reads the command line. Returns PARSED, or the exit status if there is nothing left to do. */
int bench_parse(bench_job *j, int argc, char **argv);

/* Makes all rows, not yet measured; returns an exit status. */
int bench_make_rows(bench_job *j);

/* The task that a row belongs to. */
bench_task *bench_task_of(bench_job *j, const bench_row *row);

#endif
