/* picture.h - writes the script that draws the benchmark's picture: speeds over the size, the ratio below them. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PICTURE_H
#define TRIGON_CLI_BENCH_PICTURE_PICTURE_H

#include "heading.h"

#include <stdio.h>

/* Writes a script that makes gnuplot print the picture as SVG. Returns false if memory is short. The caller checks the
 * file for errors of writing. */
bool picture_script(FILE *to, const panel_list *panels, const picture_heading *heading);

#endif
