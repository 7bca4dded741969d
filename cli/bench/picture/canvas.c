/* canvas.c - writes commands of gnuplot. */
#include "canvas.h"

#include <inttypes.h>

static const char settings[] = "set encoding utf8\n"
                               "set multiplot\n"
                               "set datafile missing 'NaN'\n"
                               "unset key\n"
                               "set border 3 linewidth 0.7 linecolor rgb '#777777'\n"
                               "set tics out nomirror scale 0.5 textcolor rgb '#555555'\n"
                               "set xtics offset 0, 0.4\n"
                               "set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#e0e0e0' back\n";

void canvas_begin(const canvas *c) {
  fprintf(c->to, "set terminal svg size %d,%.0f noenhanced rounded font 'Helvetica,%d' background '#ffffff'\n%s",
          PICTURE_WIDTH, c->height, FONT, settings);
}

/* ---------------------------------------------------------------------------------------- text and strokes -- */

/* A place on the picture. gnuplot counts from the bottom left, from 0 to 1. */
static void print_point(const canvas *c, double x, double y) {
  fprintf(c->to, "screen %.6f, screen %.6f", x / PICTURE_WIDTH, 1 - y / c->height);
}

/* A string in single quotes; quotes in it are doubled. */
static void print_quoted(FILE *to, const char *text, size_t length) {
  fputc('\'', to);
  for (size_t i = 0; i < length; i++) fprintf(to, text[i] == '\'' ? "''" : "%c", text[i]);
  fputc('\'', to);
}

void canvas_text(const canvas *c, const char *text, size_t length, double x, double y, const text_style *style) {
  fputs("set label ", c->to);
  print_quoted(c->to, text, length);
  fputs(" at ", c->to);
  print_point(c, x, y);
  fprintf(c->to, " %s font ',%d' textcolor rgb '%s'\n", style->anchor, style->font, style->colour);
}

void canvas_stroke(const canvas *c, double x0, double y0, double x1, double y1, const char *colour) {
  fputs("set arrow from ", c->to);
  print_point(c, x0, y0);
  fputs(" to ", c->to);
  print_point(c, x1, y1);
  fprintf(c->to, " nohead linewidth 0.8 linecolor rgb '%s'\n", colour);
}

void canvas_forget(const canvas *c) { fputs("unset label\nunset arrow\n", c->to); }

/* --------------------------------------------------------------------------------------------------- axes -- */

void canvas_frame(const canvas *c, const frame *f) {
  fprintf(c->to, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", f->left / PICTURE_WIDTH,
          f->right / PICTURE_WIDTH);
  fprintf(c->to, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", 1 - f->top / c->height,
          1 - f->bottom / c->height);
}

static void print_range(const canvas *c, char which, const axis *a) {
  fprintf(c->to, "%s logscale %c\nset %crange [%.9g:%.9g]\nset %ctics (", a->logarithmic ? "set" : "unset", which,
          which, a->low, a->high, which);
}

void canvas_values(const canvas *c, const axis *a) {
  print_range(c, 'y', a);
  for (int i = 0; i < a->tics; i++) fprintf(c->to, "%s'%g' %.9g", i ? ", " : "", a->tic[i], a->tic[i]);
  fputs(")\n", c->to);
}

void canvas_sizes(const canvas *c, const axis *a, const size_tic *tics, int count, bool labels) {
  print_range(c, 'x', a);
  for (int i = 0; i < count; i++) {
    fputs(i ? ", '" : "'", c->to);
    if (tics[i].labelled && labels) fprintf(c->to, "%" PRId64, tics[i].size);
    fprintf(c->to, "' %" PRId64, tics[i].size);
  }
  fputs(")\n", c->to);
}
