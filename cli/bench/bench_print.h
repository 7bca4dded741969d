/* bench_print.h - prints benchmark rows, as a table or as CSV. */
#ifndef TRIGON_BENCH_PRINT_H
#define TRIGON_BENCH_PRINT_H

#include "beside.h"
#include "direct.h"
#include "measure/measure.h"
#include "native_library.h"

extern const char *const impl_names[IMPLS];

/* Begins the output: the names of the columns of CSV; for a table, version and backend. */
void print_begin(bool csv, const char *backend, const char *description);

/* Prints a remark on all rows: as a line of the table's header, or with CSV as a note on standard error. */
void print_remark(bool csv, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Remarks what native, or another implementation, computes with, and advice on it. Prints nothing if this is the
 * backend's library, or if ctx is NULL. */
void print_library(bool csv, const char *impl, const native_library *library, const trigon_context *ctx);

/* For a table: prints the heading for the rows of one routine, type and variant, with a column for each context. */
void print_group(const problem *p, const bench_setup *setup);

void print_table_row(const bench_row *row, const fp64_mode *fp64);
/* `native`: what native called. */
void print_csv_row(const bench_row *row, const char *backend, native_kind native, const fp64_mode *fp64,
                   const beside *others);

/* Whether the errors of all implementations measured are below their limits. */
bool row_is_ok(const bench_row *row);

#endif
