/* print.h - prints benchmark rows, as a table or as CSV. */
#ifndef TRIGON_CLI_BENCH_PRINT_H
#define TRIGON_CLI_BENCH_PRINT_H

#include "measure.h"

extern const char *const impl_names[IMPLS];

/* Opens the results: the CSV's column names, or for the table what computes. */
void report_begin(bool csv, const char *backend, const char *description);

/* For the table: why there is no native column that was wanted; nothing if `why` is empty. */
void report_no_native(const char *why);

/* Opens the table's part for one routine, type and variant; the plan says what is measured. */
void report_group(const bench_case *c, const bench_plan *plan);

void report_table_row(const bench_row *row);
void report_csv_row(const bench_row *row, const char *backend);

/* Whether all that was measured in the row is exact enough. */
bool row_is_ok(const bench_row *row);

#endif
