/* plot.h - benchmark rows as a picture, drawn by gnuplot. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PLOT_H
#define TRIGON_CLI_BENCH_PICTURE_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct bench_row;
struct picture_source;

/* Whether a program of this name is on the PATH. */
bool program_found(const char *name);

/* Draws the `count` > 0 rows, those of one routine, type and variant in succession, into an SVG file, which appears whole
 * or not at all. Returns false, with the reason in `why`, if that fails. */
bool plot_rows(const char *path, const struct bench_row *rows, int count, const struct picture_source *source,
               char *why, size_t why_size);

#endif
