/* plot.c - gives the picture's script to gnuplot, and stores its standard output as an SVG file. */
#include "plot.h"
#include "../../files/atomic_output.h"
#include "picture.h"

#include <errno.h>
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

/* ---------------------------------------------------------------------------------------------- the program -- */

/* Runs gnuplot on the script, with `svg` as its standard output. In the locale C it would complain about a character
 * that the script does not have. */
static bool run_gnuplot(FILE *script, FILE *svg, const report *to) {
  char name[] = "gnuplot", defaults[] = "--default-settings"; /* without the user's ~/.gnuplot */
  char *arguments[] = {name, defaults, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status;
  if (setenv("LC_ALL", "C.UTF-8", 1) != 0) return report_file(to, "cannot draw: %s", strerror(errno));
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

/* Writes the script, and moves to its beginning for reading. */
static bool write_script(FILE *script, const bench_row *rows, int count, const picture_source *source,
                         const report *to) {
  panel_list panels;
  picture_heading heading;
  bool done = panels_make(rows, count, &panels);
  if (done) {
    heading_make(&panels, source, &heading);
    done = picture_script(script, &panels, &heading);
  }
  panels_free(&panels);
  if (!done) return report_no_memory(to);
  done = fflush(script) == 0 && fseek(script, 0, SEEK_SET) == 0 && !ferror(script);
  return done || report_file(to, "cannot draw: no temporary file: %s", strerror(errno));
}

bool plot_rows(const char *path, const bench_row *rows, int count, const picture_source *source, char *why,
               size_t why_size) {
  const report to = {path, why, why_size};
  FILE *script = tmpfile(), *svg = tmpfile();
  bool done = script && svg;
  if (!done) report_file(&to, "cannot draw: no temporary file: %s", strerror(errno));
  if (done) done = write_script(script, rows, count, source, &to) && run_gnuplot(script, svg, &to);
  if (done) {
    atomic_output out;
    done = output_open(&out, path, false, why, why_size) && copy_file(svg, &out) && output_commit(&out);
    output_close(&out);
  }
  if (script) fclose(script);
  if (svg) fclose(svg);
  return done;
}
