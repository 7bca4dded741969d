/* problem.c - variants, sizes, shapes and flops of problems. */
#include "problem.h"
#include "../flops.h"
#include "../matrix/element_type.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------- variants -- */

/* The letters of each choice, and the flag that the first letter stands for. The flags of the other letters follow it,
 * as in CBLAS. */
static const struct {
  char kind;
  const char *letters;
  int first;
} choices[] = {
    {'S', "LR", TRIGON_LEFT},    {'U', "UL", TRIGON_UPPER},  {'O', "NTC", TRIGON_NOTRANS},
    {'D', "NU", TRIGON_NONUNIT}, {'J', "NV", TRIGON_VALUES},
};

static int choice_of(char kind) {
  int i = 0;
  while (choices[i].kind != kind) i++;
  return i;
}

bool problem_set_variant(problem *p, const char *variant) {
  const char *kinds = p->routine->choices;
  p->side = TRIGON_LEFT, p->uplo = TRIGON_LOWER, p->diag = TRIGON_NONUNIT, p->job = TRIGON_VALUES;
  p->op[0] = p->op[1] = TRIGON_NOTRANS;
  if (strlen(variant) != strlen(kinds)) return false;
  for (int i = 0, ops = 0; kinds[i]; i++) {
    int choice = choice_of(kinds[i]);
    const char *found = strchr(choices[choice].letters, variant[i]);
    if (!found) return false;
    if (kinds[i] == 'O' && type_is_complex(p->type) && variant[i] == p->routine->refused_op) return false;
    int flag = choices[choice].first + (int)(found - choices[choice].letters);
    switch (kinds[i]) {
    case 'S': p->side = (trigon_side)flag; break;
    case 'U': p->uplo = (trigon_uplo)flag; break;
    case 'O': p->op[ops++] = (trigon_op)flag; break;
    case 'D': p->diag = (trigon_diag)flag; break;
    case 'J': p->job = (trigon_job)flag; break;
    }
  }
  strcpy(p->variant, variant);
  return true;
}

bool same_group(const problem *a, const problem *b) {
  return a->routine == b->routine && a->type == b->type && strcmp(a->variant, b->variant) == 0;
}

bool problem_variant(const bench_routine *r, trigon_type type, int i, char variant[MOST_VARIANT], bool *end) {
  size_t length = strlen(r->choices);
  bool repeats = false;
  variant[length] = 0;
  for (size_t at = length;
       at-- > 0;) { /* the letters are the digits of i, each with a radix of its own; the last one changes fastest */
    const char *letters = choices[choice_of(r->choices[at])].letters;
    int count = (int)strlen(letters);
    variant[at] = letters[i % count];
    repeats |= variant[at] == 'C' && !type_is_complex(type);
    i /= count;
  }
  problem p = {.routine = r, .type = type};
  *end = i > 0;
  return !*end && !repeats && problem_set_variant(&p, variant);
}

/* ------------------------------------------------------------------------------------------- sizes, shapes -- */

int64_t problem_size(const problem *p, char size) { return size == '1' ? 1 : p->size[size_index(size)]; }

int64_t problem_values(const problem *p) { return p->size[routine_is_part(p->routine) ? K : N]; }

static void exchange(int64_t *rows, int64_t *cols) {
  int64_t kept = *rows;
  *rows = *cols;
  *cols = kept;
}

shape_letters problem_letters(const problem *p, int number) {
  const bench_operand *o = &p->routine->operand[number];
  const bool transposed = o->transposed_by == 's' ? p->side == TRIGON_RIGHT
                                                  : o->transposed_by && p->op[o->transposed_by - 'a'] != TRIGON_NOTRANS;
  return transposed ? (shape_letters){o->cols, o->rows} : (shape_letters){o->rows, o->cols};
}

void problem_shape(const problem *p, int number, int64_t *rows, int64_t *cols) {
  const shape_letters letters = problem_letters(p, number);
  *rows = problem_size(p, letters.rows);
  *cols = problem_size(p, letters.cols);
}

problem problem_gemm(const problem *p) {
  problem g = {.routine = routine_find("gemm", 4), .type = p->type};
  for (int i = 0; i < SIZES; i++) g.size[i] = problem_size(p, p->routine->gemm_sizes[i]);
  if (p->side == TRIGON_RIGHT) exchange(&g.size[M], &g.size[N]);
  problem_set_variant(&g, "NN");
  return g;
}

/* How many elements of a stored rows × cols operand belong to this form. */
static double form_elements(form f, trigon_diag diag, double rows, double cols) {
  if (f == FULL || f == DIAGONAL) return rows * cols;
  return rows * (f == TRIANGLE && diag == TRIGON_UNIT ? rows - 1 : rows + 1) / 2;
}

double problem_bytes(const problem *p) {
  double elements = 0;
  for (int i = 0; i < routine_operands(p->routine); i++) {
    const bench_operand *o = &p->routine->operand[i];
    int64_t rows, cols;
    problem_shape(p, i, &rows, &cols);
    elements += form_elements(o->before, p->diag, (double)rows, (double)cols);
    if (o->written) elements += form_elements(o->after, p->diag, (double)rows, (double)cols);
  }
  return elements * (double)type_bytes(p->type);
}

double problem_flops(const problem *p) {
  double counted[COUNTED] = {[VECTORS] = p->job == TRIGON_VECTORS};
  for (int i = 0; i < SIZES; i++) counted[i] = (double)p->size[i];
  return flops_in_type(p->type, p->routine->flops(counted));
}
