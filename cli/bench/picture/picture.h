/* picture.h - the benchmark's picture: for each panel the speeds over the size, and below them the ratio to native. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PICTURE_H
#define TRIGON_CLI_BENCH_PICTURE_PICTURE_H

#include "heading.h"

#include <stdio.h>

/* Writes a script that makes gnuplot print the picture as SVG. Returns false if memory is short; whether the file took
 * the script is for the caller to ask. */
bool picture_script(FILE *to, const panel_list *panels, const picture_heading *heading);

#endif
