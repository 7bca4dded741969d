/* rows.c - makes the rows that bench measures: each combination of routine, type, variant and sizes. */
#include "../command.h"
#include "job.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIANTS = 64 };

/* Stores the first `length` letters of the text as capitals in `variant`. Returns false if the routine has no such
 * variant for the type. */
static bool take_variant(const bench_routine *r, trigon_type type, const char *text, size_t length,
                         char variant[MOST_VARIANT]) {
  problem p = {.routine = r, .type = type};
  if (length >= MOST_VARIANT) return false;
  for (size_t i = 0; i < length; i++) variant[i] = (char)toupper((unsigned char)text[i]);
  variant[length] = '\0';
  return problem_set_variant(&p, variant);
}

/* Whether any of the routines has this variant. */
static bool variant_known(const bench_job *j, trigon_type type, const char *text, size_t length) {
  char variant[MOST_VARIANT];
  for (int i = 0; i < j->tasks_count; i++)
    if (take_variant(j->task[i].routine, type, text, length, variant)) return true;
  return false;
}

/* Lists the variants that were asked for and that the routine has for the type; if it has none of them, its default.
 * Returns how many, or, if one of them belongs to no routine, a negative exit status. */
static int list_variants(const bench_job *j, const bench_routine *r, trigon_type type,
                         char variants[MOST_VARIANTS][MOST_VARIANT]) {
  int count = 0;
  bool end = false;
  const char *asked = j->variant ? j->variant : r->default_variant;
  if (strcmp(asked, "all") == 0) {
    for (int i = 0; !end; i++) count += problem_variant(r, type, i, variants[count], &end);
    return count;
  }
  for (const char *at = asked; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    size_t length = strcspn(at, ",");
    if (count == MOST_VARIANTS) return -usage_error("bench", "--variant: more than %d", MOST_VARIANTS);
    if (take_variant(r, type, at, length, variants[count]))
      count++;
    else if (j->variant && !variant_known(j, type, at, length))
      return -usage_error("bench", "--variant: '%.*s' is no variant of %s for type %c (letters as in %s)", (int)length,
                          at, r->name, type, r->default_variant);
  }
  if (count == 0) strcpy(variants[count++], r->default_variant);
  return count;
}

static bool add_row(bench_job *j, const problem *p) {
  if ((j->total & (j->total + 1)) == 0) { /* the array is full at 0, 1, 3, 7, ... rows */
    bench_row *rows = realloc(j->rows, sizeof *rows * (2 * (size_t)j->total + 1));
    if (!rows) return false;
    j->rows = rows;
  }
  j->rows[j->total++] = (bench_row){.problem = *p};
  return true;
}

/* Adds a row for each combination of sizes. */
static bool add_sizes(bench_job *j, const bench_task *task, problem p) {
  int at[SIZES], counts[SIZES];
  for (int i = 0; i < SIZES; i++) counts[i] = task->size[i].same_as ? 1 : task->size[i].count;
  for (at[0] = 0; at[0] < counts[0]; at[0]++)
    for (at[1] = 0; at[1] < counts[1]; at[1]++)
      for (at[2] = 0; at[2] < counts[2]; at[2]++) {
        for (int i = 0; i < SIZES; i++) {
          int from = i;
          while (task->size[from].same_as) from = size_index(task->size[from].same_as);
          p.size[i] = task->size[from].size[at[from]];
        }
        if (!routine_has(p.routine, 'm') && routine_has(p.routine, 'k') && !routine_is_eigen(p.routine))
          p.size[0] = p.size[1]; /* C is n × n */
        if (!add_row(j, &p)) return false;
      }
  return true;
}

static int add_variants(bench_job *j, const bench_task *task, trigon_type type) {
  char variants[MOST_VARIANTS][MOST_VARIANT];
  problem p = {.routine = task->routine, .type = type, .hard = j->hard, .spread = j->spread};
  int count = list_variants(j, p.routine, type, variants);
  if (count < 0) return -count;
  for (int v = 0; v < count; v++) {
    problem_set_variant(&p, variants[v]);
    if (!add_sizes(j, task, p)) return failed("bench", "out of memory");
  }
  return EXIT_DONE;
}

/* An order has not more values than rows. */
static int check_values(const bench_job *j) {
  for (int i = 0; i < j->total; i++) {
    const problem *p = &j->rows[i].problem;
    if (routine_is_part(p->routine) && p->size[K] > p->size[N])
      return usage_error("bench", "--k: %s of order %" PRId64 " has no %" PRId64 " values", p->routine->name,
                         p->size[N], p->size[K]);
  }
  return EXIT_DONE;
}

int bench_make_rows(bench_job *j) {
  int status = EXIT_DONE;
  for (int i = 0; i < j->tasks_count; i++)
    for (int t = 0; t < j->types_count && status == EXIT_DONE; t++)
      status = add_variants(j, &j->task[i], (trigon_type)j->type[t]);
  return status == EXIT_DONE ? check_values(j) : status;
}

bench_task *bench_task_of(bench_job *j, const bench_row *row) {
  bench_task *task = j->task;
  while (task->routine != row->problem.routine) task++;
  return task;
}
