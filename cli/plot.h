/* plot.h - benchmark rows as a picture, drawn by gnuplot. */
#ifndef TRIGON_PLOT_H
#define TRIGON_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct bench_row;

/* Whether a program of this name is on the PATH. */
bool program_found(const char *name);

/* Draws Gflop/s over size, a line for each type, variant and implementation, into an SVG file, which appears whole or
 * not at all; `title` stands above and `below` under the picture. Returns false, with the reason in `why`, where that
 * fails. */
bool plot_rows(const char *path, const struct bench_row *rows, int count, const char *title, const char *below,
               char *why, size_t why_size);

#endif
