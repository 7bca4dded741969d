/* heading.c - makes the text above the benchmark's picture. */
#include "heading.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <trigon.h>

/* ------------------------------------------------------------------------------------- the machine, the day -- */

void processor_name(char name[MOST_PROCESSOR]) {
  static const char key[] = "model name";
  char line[256];
  struct utsname system;
  snprintf(name, MOST_PROCESSOR, "%s CPU", uname(&system) == 0 ? system.machine : "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
    colon += strspn(colon, ": \t");
    snprintf(name, MOST_PROCESSOR, "%.*s", (int)strcspn(colon, "\n"), colon);
    break;
  }
  if (file) fclose(file);
}

void date_today(char date[MOST_DATE]) {
  struct tm local;
  time_t now = time(NULL);
  if (!localtime_r(&now, &local) || strftime(date, MOST_DATE, "%Y-%m-%d", &local) == 0) *date = '\0';
}

/* -------------------------------------------------------------------------------------------------- words -- */

static void add(char text[MOST_HEADING], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char text[MOST_HEADING], const char *format, ...) {
  size_t length = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + length, MOST_HEADING - length, format, values);
  va_end(values);
  for (char *at = text + length; *at; at++)
    if (*at < ' ' || *at > '~') *at = '?';
}

/* The length of a library's name and version, "OpenBLAS 0.3.21", at the beginning of its description. */
static size_t library_length(const char *described) {
  size_t all = strcspn(described, ","), name = strcspn(described, " ,"), version = name + 1;
  if (name == all || !isdigit((unsigned char)described[version])) return all;
  return version + strcspn(described + version, " ,");
}

/* The text after the last comma. */
static const char *last_item(const char *described) {
  const char *comma = strrchr(described, ',');
  return comma ? comma + 1 + strspn(comma + 1, " ") : described;
}

/* The BLAS that native calls. It comes first in the description of a context on the host, and last in that of a context
 * on a device. */
static const char *library_of(const picture_source *source) {
  if (source->native) return source->native;
  return source->on_host ? source->described : last_item(source->described);
}

/* Adds the title of the only panel or, if there are several, the names of their routines. */
static void add_subject(char title[MOST_HEADING], const panel_list *panels) {
  char words[MOST_PANEL_WORDS];
  if (panels->count == 1) {
    panel_words(&panels->panel[0], words);
    add(title, "%s", words);
    return;
  }
  const bench_routine *last = NULL;
  for (int i = 0; i < panels->count; i++) {
    const bench_routine *r = panels->panel[i].row[0]->problem.routine;
    if (r != last) add(title, "%s%s", last ? ", " : "", r->name);
    last = r;
  }
}

static void make_title(const panel_list *panels, const picture_source *source, char title[MOST_HEADING]) {
  const char *library = library_of(source);
  *title = '\0';
  add_subject(title, panels);
  add(title, ": Trigon");
  if (panels->native) add(title, " against native %.*s", (int)library_length(library), library);
  if (panels->gemm) add(title, panels->native ? " and GEMM" : " against GEMM");
}

static void make_machine(const picture_source *source, char machine[MOST_HEADING]) {
  *machine = '\0';
  if (source->on_host) {
    const char *threads = strstr(source->described, " thread");
    add(machine, "%s, %.*s", source->processor, (int)library_length(source->described), source->described);
    while (threads && threads > source->described && threads[-1] != ',') threads--;
    if (threads) add(machine, ",%.*s", (int)strcspn(threads, ","), threads);
  } else {
    add(machine, "%s", source->described);
  }
  add(machine, ", backend %s, Trigon %s, %s", source->backend, trigon_version(), source->date);
}

static void make_note(const panel_list *panels, char note[MOST_HEADING]) {
  *note = '\0';
  if (panels->gemm) add(note, "Grey: GEMM of the same size, the ceiling. ");
  if (panels->native) add(note, "Ratio: native's time over Trigon's; above 1, Trigon is faster.");
}

void heading_make(const panel_list *panels, const picture_source *source, picture_heading *h) {
  make_title(panels, source, h->title);
  make_machine(source, h->machine);
  make_note(panels, h->note);
}
