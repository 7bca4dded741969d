/* bench_print.h - prints benchmark rows, as a table or as CSV. */
#ifndef TRIGON_BENCH_PRINT_H
#define TRIGON_BENCH_PRINT_H

#include "linked.h"
#include "measure/measure.h"

extern const char *const impl_names[IMPLS];

/* Begins the output: the names of the columns of CSV; for a table, version and backend. */
void print_begin(bool csv, const char *backend, const char *description);

/* For a table: prints why native is not measured; nothing if `why` is empty. */
void print_no_native(const char *why);

/* For a table: prints the heading for the rows of one routine, type and variant, with a column for each context. */
void print_group(const problem *p, const bench_setup *setup);

void print_table_row(const bench_row *row, const fp64_mode *fp64);
/* `native`: what native called. */
void print_csv_row(const bench_row *row, const char *backend, native_kind native, const fp64_mode *fp64);

/* Whether the errors of all implementations measured are below their limits. */
bool row_is_ok(const bench_row *row);

#endif
