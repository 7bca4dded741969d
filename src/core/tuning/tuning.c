/* tuning.c - reads tuning tables from text, and finds the range of an operation. */
#include "tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sizes.h"
#include "core/word_list.h"

const char *const variant_names[VARIANTS] = {
    [VARIANT_VENDOR] = "vendor", [VARIANT_STEP] = "step", [VARIANT_PACKED] = "packed", [VARIANT_DATAFLOW] = "dataflow"};
const char *const shape_names[SHAPES] = {[SHAPE_W1] = "w1",     [SHAPE_W16] = "w16",     [SHAPE_W64] = "w64",
                                         [SHAPE_W512] = "w512", [SHAPE_W2048] = "w2048", [SHAPE_W_MORE] = "w*"};

/* ------------------------------------------------------------------------------------------------- finding -- */

static shape_class shape_of(const operation *o) {
  const bool left = o->side == TRIGON_LEFT;
  int64_t width = 0;
  switch (o->routine) {
  case ROUTINE_GEMM: width = least(sizes_of(o).k, least(o->C.m, o->C.n)); break;
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: width = sizes_of(o).k; break;
  case ROUTINE_SYMM: width = left ? o->C.n : o->C.m; break;
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: width = left ? o->B.n : o->B.m; break;
  default: return SHAPE_W2048;
  }
  static const int64_t most[] = {
      [SHAPE_W1] = 1, [SHAPE_W16] = 16, [SHAPE_W64] = 64, [SHAPE_W512] = 512, [SHAPE_W2048] = 2048};
  int class = SHAPE_W1;
  while (class < SHAPE_W_MORE && width > most[class]) class ++;
  return (shape_class) class;
}

static double cube(double m, double n, double k) { return m * n * k; }

const tuning_range *tuning_find(const tuning *t, const operation *o) {
  const tuning_range *r = t->range[o->routine][type_index(o->A.type)][shape_of(o)];
  if (o->routine == ROUTINE_GEMM) {
    const double work = cube((double)o->C.m, (double)o->C.n, (double)sizes_of(o).k);
    while (r->last < INT64_MAX && work > cube((double)r->last, (double)r->last, (double)r->last)) r++;
    return r;
  }
  const int64_t n = order_of(o);
  while (r->last < n) r++;
  return r;
}

static bool has_leaves(routine r) { return r < ROUTINE_CHECK_DIAGONAL; }

int64_t tuning_cut(const tuning *t, cut_rule rule, const operation *o) {
  if (!has_leaves(o->routine)) return is_composite(o->routine) ? 1 : 0;
  const int64_t n = order_of(o), stop = tuning_find(t, o)->stop;
  return n <= stop || o->routine == ROUTINE_GEMM ? 0 : first_block(rule, stop, n);
}

variant tuning_leaf(const tuning *t, const operation *o) {
  return has_leaves(o->routine) ? tuning_find(t, o)->leaf : VARIANT_VENDOR;
}

/* ------------------------------------------------------------------------------------------------- forcing -- */

/* The stop for a variant at the range that reaches this order, by the row itself, or 0 if no range has the variant.
 * What a range says holds up to its last order. */
static int64_t stop_in_row(const tuning_range *row, int64_t order, variant leaf) {
  int at = 0;
  while (row[at].last < order) at++;
  if (row[at].leaf == leaf) return row[at].stop;
  for (int i = at - 1; i >= 0; i--)
    if (row[i].leaf == leaf) return least(row[i].stop, row[i].last);
  for (int i = at; i < TUNING_RANGES; i++)
    if (row[i].leaf == leaf) return row[i].stop;
  return 0;
}

void tuning_force(tuning *t, variant leaf, const tuning *const *older, int count) {
  const tuning before = *t;
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++)
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++) {
          tuning_range *range = &t->range[r][type][s][i];
          int64_t stop = stop_in_row(before.range[r][type][s], range->last, leaf);
          for (int k = 0; k < count && stop == 0; k++)
            stop = stop_in_row(older[k]->range[r][type][s], range->last, leaf);
          range->leaf = leaf;
          if (stop > 0) range->stop = stop;
        }
}

/* ------------------------------------------------------------------------------------------------- reading -- */

enum { range_words = 6, most_words = 16, longest_line = 200 };

const char *const host_rule_names[HOST_RULES] = {
    [HOST_ORDER] = "order", [HOST_COLUMNS] = "columns", [HOST_TILES] = "tiles", [HOST_LINK] = "link"};

/* The rates were measured on an H100 (docs/notebook/hosted.md). */
const int64_t reasoned_host[HOST_NUMBERS] = {
    [HOST_ORDER] = 512, [HOST_COLUMNS] = 32, [HOST_TILES] = 8, [HOST_LINK] = 31, 44, 53};

void tuning_clear(tuning *t) {
  memcpy(t->host, reasoned_host, sizeof t->host);
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++) {
      t->team_flops[r][type] = (double)INT64_MAX;
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++)
          t->range[r][type][s][i] = (tuning_range){INT64_MAX, VARIANT_VENDOR, INT64_MAX};
    }
}

/* A table in the making: how many ranges of each row the text has given. */
typedef struct reading {
  tuning table;
  int ranges[TUNED_ROUTINES][TYPES][SHAPES];
  const line_reader *others;
  reason *why;
  int line;
} reading;

static trigon_status refuse(const reading *r, const char *message, const char *word) {
  const int used = snprintf(r->why->text, sizeof r->why->text, "line %d: ", r->line);
  snprintf(r->why->text + used, sizeof r->why->text - (size_t)used, message, word);
  return TRIGON_BAD_ARGUMENT;
}

static int routine_of(const char *word) {
  int i = 0;
  while (i < TUNED_ROUTINES && strcmp(word, routine_table[i].name) != 0) i++;
  return i < TUNED_ROUTINES ? i : -1;
}

/* A positive whole number, or * for the largest; 0 if the word is neither. */
static int64_t order(const char *word) {
  if (strcmp(word, "*") == 0) return INT64_MAX;
  const size_t digits = strspn(word, "0123456789");
  return digits == 0 || digits > 18 || word[digits] ? 0 : strtoll(word, NULL, 10);
}

static trigon_status read_types(const reading *r, const char *word, bool types[TYPES]) {
  static const char letters[] = "sdcz";
  memset(types, 0, TYPES * sizeof *types);
  for (const char *c = word; *c; c++) {
    const char *found = strchr(letters, *c);
    if (!found) return refuse(r, "\"%.40s\" are no types: letters of sdcz expected", word);
    types[found - letters] = true;
  }
  return TRIGON_OK;
}

static trigon_status add_range(reading *r, int row, int type, int width, tuning_range range) {
  tuning_range *ranges = r->table.range[row][type][width];
  int *count = &r->ranges[row][type][width];
  if (*count > 0 && ranges[*count - 1].last >= range.last)
    return refuse(r, "the orders of a row must increase, and * is the last (%.40s)", routine_table[row].name);
  if (*count == TUNING_RANGES || (*count == TUNING_RANGES - 1 && range.last < INT64_MAX))
    return refuse(r, "a row of %.40s has too many ranges", routine_table[row].name);
  /* A new row has no old range behind its last one. */
  for (int i = *count; i < TUNING_RANGES; i++) ranges[i] = range;
  (*count)++;
  return TRIGON_OK;
}

static trigon_status read_range(reading *r, char *const *word) {
  bool types[TYPES];
  const int row = routine_of(word[0]), width = index_of_word(word[2], shape_names, SHAPES);
  const int leaf = index_of_word(word[4], variant_names, VARIANTS);
  const tuning_range range = {order(word[3]), (variant)leaf, order(word[5])};
  if (row < 0) return refuse(r, "\"%.40s\" is no routine with leaves", word[0]);
  TRY(read_types(r, word[1], types));
  if (width < 0 && strcmp(word[2], "*") != 0)
    return refuse(r, "\"%.40s\" is no shape: w1, w16, w64, w512, w2048, w* or * expected", word[2]);
  if (range.last == 0) return refuse(r, "\"%.40s\" is no order", word[3]);
  if (leaf < 0) return refuse(r, "\"%.40s\" is no leaf: vendor, step, packed or dataflow expected", word[4]);
  if (range.stop == 0) return refuse(r, "\"%.40s\" is no order", word[5]);
  for (int t = 0; t < TYPES; t++)
    for (int s = 0; s < SHAPES; s++)
      if (types[t] && (width < 0 || s == width)) TRY(add_range(r, row, t, s, range));
  return TRIGON_OK;
}

static trigon_status read_team(reading *r, char *const *word) {
  bool types[TYPES];
  const int row = routine_of(word[1]);
  const int64_t flops = order(word[3]);
  if (row < 0) return refuse(r, "\"%.40s\" is no routine with leaves", word[1]);
  TRY(read_types(r, word[2], types));
  if (flops == 0) return refuse(r, "\"%.40s\" is no number of flops", word[3]);
  for (int t = 0; t < TYPES; t++)
    if (types[t]) r->table.team_flops[row][t] = (double)flops;
  return TRIGON_OK;
}

static trigon_status read_host(reading *r, char *const *word, int words) {
  static const struct {
    int64_t most;
    const char *refusal;
  } numbers[HOST_RULES] = {[HOST_ORDER] = {INT64_MAX, "\"%.40s\" is no order"},
                           [HOST_COLUMNS] = {INT64_MAX, "\"%.40s\" is no order"},
                           [HOST_TILES] = {most_host_tiles, "\"%.40s\" is no number of tiles"},
                           [HOST_LINK] = {most_link_rate, "\"%.40s\" is no rate in GB/s"}};
  const int rule = index_of_word(word[1], host_rule_names, HOST_RULES), count = numbers_of_rule(rule);
  if (rule < 0) return refuse(r, "\"%.40s\" is no rule: order, columns, tiles or link expected", word[1]);
  if (words != 2 + count)
    return refuse(r, count == 1 ? "host %.40s needs a number" : "host %.40s needs three numbers", word[1]);
  for (int i = 0; i < count; i++) {
    const int64_t number = order(word[2 + i]);
    if (number == 0 || number > numbers[rule].most) return refuse(r, numbers[rule].refusal, word[2 + i]);
    r->table.host[rule + i] = number;
  }
  return TRIGON_OK;
}

static trigon_status read_version(reading *r, const char *word) {
  char current[8];
  snprintf(current, sizeof current, "%d", tuning_version);
  if (strcmp(word, current) == 0) return TRIGON_OK;
  return refuse(r, "the table has version %.40s, but this library reads another one: `trigon tune` makes a table",
                word);
}

/* Puts the number of the line, or another place, before the reason of the reader of other lines. */
static trigon_status place(const reading *r, const char *where, trigon_status status) {
  const reason found = *r->why;
  if (status != TRIGON_OK) snprintf(r->why->text, sizeof r->why->text, "%s: %.280s", where, found.text);
  return status;
}

static trigon_status read_other(const reading *r, char *const *word, int words) {
  char where[24];
  if (!r->others) return TRIGON_OK;
  if (words > most_words) return refuse(r, "the line has more than %s words", "16");
  snprintf(where, sizeof where, "line %d", r->line);
  return place(r, where, r->others->line(r->others->to, word, words, r->why));
}

static trigon_status read_line(reading *r, char *line) {
  char *word[most_words + 1] = {0}, *rest = line;
  int words = 0;
  line[strcspn(line, "#\r")] = '\0';
  for (char *w; words <= most_words && (w = strtok_r(rest, " \t", &rest)) != NULL;) word[words++] = w;
  if (words == 0) return TRIGON_OK;
  if (strcmp(word[0], "version") == 0 && words == 2) return read_version(r, word[1]);
  if (strcmp(word[0], "team") == 0 && words == 4) return read_team(r, word);
  if (strcmp(word[0], "host") == 0 && words > 1) return read_host(r, word, words);
  if (strcmp(word[0], "tile") == 0 || strcmp(word[0], "batch") == 0) return read_other(r, word, words);
  if (words == range_words) return read_range(r, word);
  return refuse(r, "\"%.40s\" begins no line of the form ROUTINE TYPES SHAPES ORDER LEAF STOP", word[0]);
}

/* Every row that the text names must reach every order. */
static trigon_status check_rows(const reading *r) {
  for (int i = 0; i < TUNED_ROUTINES; i++)
    for (int t = 0; t < TYPES; t++)
      for (int s = 0; s < SHAPES; s++) {
        const int count = r->ranges[i][t][s];
        if (count > 0 && r->table.range[i][t][s][count - 1].last < INT64_MAX)
          return refuse(r, "end of the table: a row of %.40s lacks the range with the order *", routine_table[i].name);
      }
  return TRIGON_OK;
}

/* Gives a shape the row of its neighbour if the text has a row for the neighbour alone. */
static void fill_shape(reading *r, shape_class shape, shape_class neighbour) {
  for (int i = 0; i < TUNED_ROUTINES; i++)
    for (int t = 0; t < TYPES; t++)
      if (r->ranges[i][t][neighbour] > 0 && r->ranges[i][t][shape] == 0)
        memcpy(r->table.range[i][t][shape], r->table.range[i][t][neighbour], sizeof r->table.range[i][t][shape]);
}

trigon_status tuning_read_with(const char *text, tuning *t, const line_reader *others, reason *why) {
  reading r = {.table = *t, .others = others, .why = why};
  while (*text) {
    const size_t length = strcspn(text, "\n");
    char line[longest_line];
    r.line++;
    if (length >= sizeof line) return refuse(&r, "the line is longer than %s characters", "199");
    memcpy(line, text, length);
    line[length] = '\0';
    TRY(read_line(&r, line));
    text += length + (text[length] == '\n');
  }
  TRY(check_rows(&r));
  if (others) TRY(place(&r, "end of the table", others->end(others->to, why)));
  fill_shape(&r, SHAPE_W_MORE, SHAPE_W2048);
  if (!others) fill_shape(&r, SHAPE_W1, SHAPE_W16);
  *t = r.table;
  return TRIGON_OK;
}

trigon_status tuning_read(const char *text, tuning *t, reason *why) { return tuning_read_with(text, t, NULL, why); }
