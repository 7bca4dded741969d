/* bench_report.h - prints benchmark rows, as a table or as CSV. */
#ifndef TRIGON_BENCH_REPORT_H
#define TRIGON_BENCH_REPORT_H

#include "bench_measure.h"

extern const char *const impl_names[IMPLS];

/* Opens the results: the CSV's column names, or for the table what computes, and why there is no native column where
 * one was wanted (else ""). */
void report_begin(bool csv, const char *backend, const char *description, const char *no_native);

/* Opens the table's part for one type and variant; `wanted` are the implementations that are measured. */
void report_group(const bench_case *c, const bool wanted[IMPLS]);

void report_table_row(const bench_row *row);
void report_csv_row(const bench_row *row, const char *backend);

/* Whether all that was measured in the row is exact enough. */
bool row_is_ok(const bench_row *row);

#endif
