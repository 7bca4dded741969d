/* merge.c - reads an older table, and copies its lines as far as they were not measured again. */
#include "merge.h"
#include "../report.h"

#include <errno.h>
#include <string.h>

static const char type_letters[] = "sdcz";

int type_number(char type) { return (int)(strchr(type_letters, type) - type_letters); }

bool measured_any(const measured *m) {
  static const measured nothing;
  return memcmp(m, &nothing, sizeof nothing) != 0; /* an array of bool has no gaps */
}

bool merge_read(const char *path, table *old, bool *exists, char *why, size_t why_size) {
  const report to = {path, why, why_size};
  FILE *const file = fopen(path, "rb");
  *exists = file || errno != ENOENT;
  old->length = 0;
  if (!file) return !*exists || report_cannot(&to, "read", errno);
  old->length = fread(old->text, 1, sizeof old->text, file);
  const int error = ferror(file) ? errno : 0;
  fclose(file);
  if (error) return report_cannot(&to, "read", error);
  if (old->length == sizeof old->text) return report_file(&to, "is larger than a table may be");
  old->text[old->length] = '\0';
  return true;
}

/* ----------------------------------------------------------------------------------------------------- lines -- */

enum { MOST_WORDS = 6, FILE_SHAPES = TUNED_SHAPES + 2 };

/* A line of a table: the line itself, and its words, which end at a comment. */
typedef struct words {
  const char *line;
  int length, count;
  char text[MOST_LINE], *word[MOST_WORDS];
} words;

static void split(words *w, const char *line, int length) {
  char *rest = w->text, *word;
  w->line = line, w->length = length, w->count = 0;
  snprintf(w->text, sizeof w->text, "%.*s", length, line);
  w->text[strcspn(w->text, "#")] = '\0';
  while (w->count < MOST_WORDS && (word = strtok_r(rest, " \t\r", &rest)) != NULL) w->word[w->count++] = word;
}

/* The index of the routine in tuned_routines, or TUNED. */
static int routine_number(const char *name) {
  int i = 0;
  while (i < TUNED && strcmp(tuned_routines[i].row, name) != 0) i++;
  return i;
}

/* Tables also have the shapes w1 and w*, which are never measured. */
static const char *shape_name(int shape) {
  return shape < TUNED_SHAPES ? tuned_shapes[shape] : shape == TUNED_SHAPES ? "w1" : "w*";
}

/* Routines without shapes are measured by the shape w2048 alone. */
static bool row_is_measured(const measured *m, int row, char type, int shape) {
  if (row == TUNED) return false;
  if (!tuned_routines[row].has_shapes) shape = W2048;
  return shape < TUNED_SHAPES && m->row[row][type_number(type)][shape];
}

/* Copies the whole line, with its comment. */
static void copy_line(const words *w, table *t) { table_add(t, "%.*s\n", w->length, w->line); }

/* team ROUTINE TYPES FLOPS. Returns how many lines were added. */
static int merge_team(const words *w, const measured *m, table *t) {
  const int row = routine_number(w->word[1]);
  char types[MOST_LINE];
  size_t count = 0;
  for (const char *c = w->word[2]; *c; c++)
    if (row == TUNED || !m->team[row][type_number(*c)]) types[count++] = *c;
  types[count] = '\0';
  if (count == strlen(w->word[2]))
    copy_line(w, t);
  else if (count > 0)
    table_add(t, "team %s %s %s\n", w->word[1], types, w->word[3]);
  return count > 0;
}

/* The index of the table with this name, or `count`. */
static int table_number(const tuned_table *tables, int count, const char *name) {
  int i = 0;
  while (i < count && strcmp(tables[i].row, name) != 0) i++;
  return i;
}

/* tile ROUTINE SHAPE LIMITS and batch ROUTINE TYPE MOST KERNEL. Returns how many lines were added. */
static int merge_gpu(const words *w, const measured *m, table *t) {
  const bool is_tile = strcmp(w->word[0], "tile") == 0;
  const char *const name = w->count > 1 ? w->word[1] : "";
  bool again = false;
  if (is_tile) {
    const int i = table_number(tuned_tiles, TUNED_TILES, name);
    again = i < TUNED_TILES && m->tile[i];
  } else {
    const int i = table_number(tuned_batches, TUNED_BATCHES, name);
    again =
        i < TUNED_BATCHES && w->count > 2 && strchr(type_letters, *w->word[2]) && m->batch[i][type_number(*w->word[2])];
  }
  if (!again) copy_line(w, t);
  return !again;
}

/* host RULE NUMBER. Returns how many lines were added. */
static int merge_host(const words *w, const measured *m, table *t) {
  const int i = table_number(tuned_hosts, TUNED_HOSTS, w->count > 1 ? w->word[1] : "");
  const bool again = i < TUNED_HOSTS && m->host[i];
  if (!again) copy_line(w, t);
  return !again;
}

static bool is_gpu_line(const char *first) { return strcmp(first, "tile") == 0 || strcmp(first, "batch") == 0; }

/* ROUTINE TYPES SHAPE ORDER LEAF STOP. Returns how many lines were added. */
static int merge_range(const words *w, const measured *m, table *t) {
  const int row = routine_number(w->word[0]);
  const size_t before = t->length;
  int kept = 0, all = 0;
  for (const char *c = w->word[1]; *c; c++)
    for (int s = 0; s < FILE_SHAPES; s++) {
      if (strcmp(w->word[2], "*") != 0 && strcmp(w->word[2], shape_name(s)) != 0) continue;
      all++;
      if (row_is_measured(m, row, *c, s)) continue;
      table_add(t, "%s %c %s %s %s %s\n", w->word[0], *c, shape_name(s), w->word[3], w->word[4], w->word[5]);
      kept++;
    }
  if (kept < all) return kept;
  t->length = before; /* one line is shorter */
  copy_line(w, t);
  return 1;
}

bool merge_lines(const table *old, const measured *m, table *t, int *added) {
  enum { reserve = 4 * MOST_LINE * FILE_SHAPES }; /* more than one line can become */
  words w;
  *added = 0;
  for (const char *at = old->text, *end = at + old->length; at < end;) {
    const int length = (int)strcspn(at, "\n");
    if (t->length + reserve > sizeof t->text) return false;
    split(&w, at, length);
    const char *first = w.count > 0 ? w.word[0] : "version";
    if (strcmp(first, "version") != 0) /* the new table has this line already */
      *added += is_gpu_line(first)           ? merge_gpu(&w, m, t)
                : strcmp(first, "host") == 0 ? merge_host(&w, m, t)
                : strcmp(first, "team") == 0 ? merge_team(&w, m, t)
                                             : merge_range(&w, m, t);
    at += length + (at[length] == '\n');
  }
  return true;
}
