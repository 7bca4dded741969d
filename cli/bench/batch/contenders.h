/* contenders.h - who computes a batch: the library, by each of its schedules, and what the library is compared with. */
#ifndef TRIGON_CONTENDERS_H
#define TRIGON_CONTENDERS_H

#include "../../report.h"
#include "../native_library.h"
#include "lapack.h"

enum { MOST_CONTENDERS = 12, MOST_BACKEND = 2 * NATIVE_NAME_SIZE, MOST_SCHEDULE = 24 };

/* LIBRARY_KIND: the library. The others are its rivals.
 * TABLE_KIND: the library by another tuning table.
 * LAPACK_KIND: the routine of LAPACK or the BLAS, in a loop that threads share.
 * VENDOR_KIND: what the vendor has for a batch, by a context with native=1: its routine for matrices of one order, or,
 * of the BLAS, a loop over streams.
 * LOOP_KIND: the routine of one matrix, by a context with native=1, for one matrix after the other. */
typedef enum batch_kind { LIBRARY_KIND, TABLE_KIND, LAPACK_KIND, VENDOR_KIND, LOOP_KIND } batch_kind;

typedef struct contender {
  batch_kind kind;
  char schedule[MOST_SCHEDULE]; /* as in --schedule, or "" */
  char backend[MOST_BACKEND];
  trigon_context *ctx;
  direct_fn *lapack; /* of LAPACK_KIND, for the type of the present batch */
} contender;

/* The first contender is the library's. All contexts are of one machine. */
typedef struct contenders {
  native_library library;
  trigon_context *native;   /* on the host: shows what the library is; NULL: no library is called */
  char no_native[WHY_SIZE]; /* why no library is called although it was wanted, or "" */
  void *direct;             /* the library, for LAPACK_KIND */
  lapack_loop *loop;
  int count;
  contender contender[MOST_CONTENDERS];
} contenders;

/* The options that choose the contenders, as they were given; NULL: not given. */
typedef struct batch_choice {
  const batch_routine *batch;
  const bench_routine *routine; /* of one matrix */
  native_choice native;         /* the backend is Trigon's, too */
  const char *schedules, *rivals;
} batch_choice;

/* Makes the contexts. Returns the exit status. contenders_free is due in either case. */
int contenders_make(const batch_choice *choice, contenders *w);
void contenders_free(contenders *w);

/* trigon, native or native-loop: the column impl. */
const char *contender_impl(const contender *who);

/* Prepares the contenders for a batch whose orders are made. Returns the exit status. */
int contenders_prepare(contenders *w, const batch_operands *on);

/* Whether the contender can compute the batch. The vendor's POTRF takes matrices of one order. */
bool contender_takes(const contender *who, const batch_operands *on);

/* Whether contender_call stores the infos where batch_operands_judge finds them. */
bool contender_stores_infos(const contender *who, const batch_operands *on);

/* Computes the batch. largest: the bound that the library is told, or 0. */
trigon_status contender_call(const contenders *w, const contender *who, const batch_operands *on, int64_t largest);

#endif
