/* plot.c - writes a script for gnuplot and takes the SVG from its standard output. */
#include "plot.h"
#include "atomic_output.h"
#include "bench_report.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool program_found(const char *name) {
  const char *at = getenv("PATH");
  char path[4096];
  while (at && *at) {
    size_t length = strcspn(at, ":");
    int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
    if (written > 0 && written < (int)sizeof path && access(path, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

/* ------------------------------------------------------------------------------------------------- script -- */

/* The size that the horizontal axis shows: the first one that varies. */
static char varying_size(const bench_row *rows, int count) {
  const char *sizes = rows[0].c.routine->sizes;
  for (const char *size = sizes; *size; size++)
    for (int i = 1; i < count; i++)
      if (case_size(&rows[i].c, *size) != case_size(&rows[0].c, *size)) return *size;
  return *sizes;
}

/* A line of the picture: the rows from `first` to before `end`, which have one type and variant. */
static int group_end(const bench_row *rows, int count, int first) {
  int end = first + 1;
  while (end < count && rows[end].c.type == rows[first].c.type &&
         strcmp(rows[end].c.variant, rows[first].c.variant) == 0)
    end++;
  return end;
}

/* Text between single quotes, as gnuplot wants it. */
static void print_quoted(FILE *to, const char *text) {
  fputc('\'', to);
  for (; *text; text++) fprintf(to, *text == '\'' ? "''" : "%c", *text);
  fputc('\'', to);
}

static void print_lines(FILE *to, const bench_row *rows, int count, const char *separator) {
  for (int first = 0; first < count; first = group_end(rows, count, first))
    for (int impl = 0; impl < IMPLS; impl++) {
      const bench_case *c = &rows[first].c;
      if (!rows[first].impl[impl].measured) continue;
      fprintf(to, "%s'-' using 1:2 with linespoints linewidth 2 title '%c%s %s, %s'", separator, c->type,
              c->routine->name, c->variant, impl_names[impl]);
      separator = ", ";
    }
  fputc('\n', to);
}

static void print_points(FILE *to, const bench_row *rows, int count, char axis) {
  for (int first = 0, end; first < count; first = end) {
    end = group_end(rows, count, first);
    for (int impl = 0; impl < IMPLS; impl++) {
      if (!rows[first].impl[impl].measured) continue;
      for (int i = first; i < end; i++)
        fprintf(to, "%" PRId64 " %.6g\n", case_size(&rows[i].c, axis), rows[i].impl[impl].gflops);
      fputs("e\n", to);
    }
  }
}

static void print_script(FILE *to, const bench_row *rows, int count, const char *title, const char *below) {
  char axis = varying_size(rows, count);
  fputs("set terminal svg size 900,560 background rgb 'white' font 'sans-serif,13'\n"
        "set key outside right top noenhanced\n"
        "set grid linecolor rgb '#dddddd'\n"
        "set xrange [0:*]\nset yrange [0:*]\nset offsets graph 0.03, graph 0.03, 0, 0\n"
        "set ylabel 'Gflop/s'\n",
        to);
  fprintf(to, "set xlabel '%c'\nset title ", axis);
  print_quoted(to, title);
  fputs(" noenhanced\nset bmargin 5\nset label ", to);
  print_quoted(to, below);
  fputs(" at screen 0.02, 0.03 font ',9' noenhanced\n", to);
  print_lines(to, rows, count, "plot ");
  print_points(to, rows, count, axis);
}

/* ---------------------------------------------------------------------------------------------- the program -- */

/* Runs gnuplot on the script, its standard output going to `svg`. */
static bool run_gnuplot(FILE *script, FILE *svg, const report *to) {
  char name[] = "gnuplot", *arguments[] = {name, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDOUT_FILENO);
  int error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return report_file(to, "cannot draw: gnuplot: %s", strerror(error));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return report_file(to, "cannot draw: gnuplot: %s", strerror(errno));
  return status == 0 || report_file(to, "cannot draw: gnuplot failed");
}

static bool copy_file(FILE *from, atomic_output *out) {
  char buffer[16384];
  size_t length, total = 0;
  rewind(from);
  while ((length = fread(buffer, 1, sizeof buffer, from)) > 0) {
    if (!output_write(out, buffer, length)) return false;
    total += length;
  }
  return total > 0 || report_file(&out->report, "cannot draw: gnuplot gave nothing");
}

bool plot_rows(const char *path, const bench_row *rows, int count, const char *title, const char *below, char *why,
               size_t why_size) {
  const report to = {path, why, why_size};
  FILE *script = tmpfile(), *svg = tmpfile();
  bool done = script && svg;
  if (!done) report_file(&to, "cannot draw: no temporary file: %s", strerror(errno));
  if (done) {
    print_script(script, rows, count, title, below);
    done = fflush(script) == 0 && fseek(script, 0, SEEK_SET) == 0 && !ferror(script);
    if (!done) report_file(&to, "cannot draw: no temporary file: %s", strerror(errno));
  }
  if (done && (done = run_gnuplot(script, svg, &to))) {
    atomic_output out;
    done = output_open(&out, path, false, why, why_size) && copy_file(svg, &out) && output_commit(&out);
    output_close(&out);
  }
  if (script) fclose(script);
  if (svg) fclose(svg);
  return done;
}
