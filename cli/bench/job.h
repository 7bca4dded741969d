/* job.h - what one run of the command bench has to measure, and the rows that it has measured. */
#ifndef TRIGON_CLI_BENCH_JOB_H
#define TRIGON_CLI_BENCH_JOB_H

#include "../report.h"
#include "../type_list.h"
#include "beside.h"
#include "direct.h"
#include "measure/measure.h"
#include "native_library.h"
#include "size_list.h"

/* One of the routines to measure. */
typedef struct bench_task {
  const bench_routine *routine;
  size_list size[SIZES];    /* a size that the routine does not have is a list of one 0 */
  char no_native[WHY_SIZE]; /* why native is not measured although it was wanted, or "" */
} bench_task;

typedef struct bench_job {
  /* The options, as they were given. */
  const char *routines, *types, *sizes[SIZES], *variant, *vs, *only, *repeat, *seconds, *plot, *fp64, *spread_text,
      *beside_text;
  double spread;
  bool csv, hard, wanted[IMPLS];
  native_kind native;
  native_choice choice; /* the backend is Trigon's, too */
  native_library library;
  const trigon_context *library_context; /* native's or GEMM's; NULL: no other library than the backend's */
  void *direct;                          /* the library that is called directly, or NULL */
  beside beside;                         /* processes that compute all the while */
  bench_setup setup;
  copy_rate copy; /* the last one that was measured */
  char type[MOST_TYPES];
  bench_task task[MOST_ROUTINES];
  int types_count, tasks_count;
  bench_row *rows; /* rows of one routine, type and variant are neighbours */
  int count, total;
  bool failed;
} bench_job;

/* Reads the command line. Returns PARSED; or, if help or an error was printed, the exit status. */
int bench_parse(bench_job *j, int argc, char **argv);

/* Makes all rows, not measured yet. Returns the exit status. */
int bench_make_rows(bench_job *j);

/* The task of a row. */
bench_task *bench_task_of(bench_job *j, const bench_row *row);

#endif
