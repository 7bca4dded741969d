/* ways.h - who computes a batch: the library, by each of its schedules, and what the library is compared with. */
#ifndef TRIGON_CLI_BENCH_BATCH_WAYS_H
#define TRIGON_CLI_BENCH_BATCH_WAYS_H

#include "lapack.h"

enum { MOST_WAYS = 12, MOST_BACKEND = 1200, MOST_SCHEDULE = 24 };

/* LIBRARY_KIND: the library. The others are its rivals.
 * LAPACK_KIND: the linked LAPACK's routine, in a loop that the threads of OpenMP share.
 * VENDOR_KIND: the vendor's routine for a batch, by a context with native=1.
 * LOOP_KIND: the routine of one matrix, by a context with native=1, for one matrix after the other. */
typedef enum batch_kind { LIBRARY_KIND, LAPACK_KIND, VENDOR_KIND, LOOP_KIND } batch_kind;

typedef struct batch_way {
  batch_kind kind;
  char schedule[MOST_SCHEDULE]; /* as in --schedule, or "" */
  char backend[MOST_BACKEND];
  trigon_context *ctx;
  linked_fn *lapack; /* of LAPACK_KIND, for the type of the present batch */
} batch_way;

/* The first way is the library's. All contexts are of one machine. */
typedef struct batch_ways {
  int count;
  batch_way way[MOST_WAYS];
} batch_ways;

/* The options that choose the ways, as they were given; NULL: not given. */
typedef struct batch_choice {
  const routine *routine; /* of one matrix */
  const char *backend, *schedules, *rivals;
} batch_choice;

/* Makes the contexts. Returns the exit status. batch_ways_free is due in either case. */
int batch_ways_make(const batch_choice *choice, batch_ways *w);
void batch_ways_free(batch_ways *w);

/* trigon, native or native-loop: the column impl. */
const char *batch_way_impl(const batch_way *way);

/* Prepares the ways for a batch whose orders are made. Returns the exit status. */
int batch_ways_prepare(batch_ways *w, const batch_operands *on);

/* Whether the way can compute the batch. The vendor's routine for a batch takes matrices of one order. */
bool batch_way_takes(const batch_way *way, const batch_operands *on);

/* Computes the batch. largest: the bound that the library is told, or 0. All but LOOP_KIND store the infos. */
trigon_status batch_way_call(const batch_way *way, const batch_operands *on, int64_t largest);

#endif
