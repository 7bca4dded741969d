/* sweep_grid.c - the sweep over every combination of flags, at every awkward size, with every kind of scalar. */
#include "sweep.h"

/* The sizes 0 and 1, and the neighbours of the orders at which the recursion stops: 8, 16 and 32. */
static const int64_t awkward[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 65};
/* The sizes for routines with three sizes. */
static const int64_t awkward3[] = {0, 1, 2, 8, 9, 17, 33};
/* At these sizes the sweep checks all scalars. At other sizes it draws one pair. */
static const int64_t every_scalar[] = {9, 17};
/* Sizes with several levels of recursion, square and with one small dimension. */
static const int64_t large[][3] = {{100, 33, 65}, {33, 100, 40}, {130, 17, 100}, {17, 130, 33}, {100, 130, 17}};

enum { COUNT = sizeof awkward / sizeof *awkward, COUNT3 = sizeof awkward3 / sizeof *awkward3 };
enum { COUNT_SCALAR = sizeof every_scalar / sizeof *every_scalar, COUNT_LARGE = sizeof large / sizeof *large };

/* ---------------------------------------------------------------------------------------------------- flags -- */

static void visit_ops(sweep *s, call *c, void (*visit)(sweep *, call *)) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  const bool two = takes(c->routine, "opA"), one = two || takes(c->routine, "op");
  for (int a = 0; a < (one ? 3 : 1); a++) {
    if (!op_allowed(c->routine, c->type, ops[a])) continue;
    for (int b = 0; b < (two ? 3 : 1); b++) {
      c->op = ops[a];
      c->opB = ops[b];
      visit(s, c);
    }
  }
}

void sweep_flags(sweep *s, enum tested_routine routine, trigon_type type, void (*visit)(sweep *, call *)) {
  for (int side = 0; side < (takes(routine, "side") ? 2 : 1); side++)
    for (int uplo = 0; uplo < (takes(routine, "uplo") ? 2 : 1); uplo++)
      for (int diag = 0; diag < (takes(routine, "diag") ? 2 : 1); diag++) {
        call c = {.routine = routine,
                  .type = type,
                  .side = side ? TRIGON_RIGHT : TRIGON_LEFT,
                  .uplo = uplo ? TRIGON_UPPER : TRIGON_LOWER,
                  .diag = diag ? TRIGON_UNIT : TRIGON_NONUNIT};
        visit_ops(s, &c, visit);
      }
}

/* -------------------------------------------------------------------------------------------------- scalars -- */

enum scalar { ONE, ZERO, MINUS_ONE, REAL, TINY, COMPLEX, SCALARS };

/* Returns whether the scalar may be complex. HERK's scalars are real, and so is HER2K's beta. Real matrices have
 * real scalars. */
static bool may_be_complex(const call *c, bool is_beta) {
  if (!is_complex(c->type) || c->routine == HERK) return false;
  return !(c->routine == HER2K && is_beta);
}

static int kinds(const call *c, bool is_beta) {
  if (!takes(c->routine, is_beta ? "beta" : "alpha")) return 1;
  return may_be_complex(c, is_beta) ? SCALARS : COMPLEX;
}

/* With TINY, a division by alpha, or a product with 1 / alpha, overflows. */
static trigon_scalar scalar(const call *c, enum scalar kind, bool is_beta) {
  const bool single = is_single(c->type);
  switch (kind) {
  case ONE: return (trigon_scalar){1, 0};
  case ZERO: return (trigon_scalar){0, 0};
  case MINUS_ONE: return (trigon_scalar){-1, 0};
  case TINY: return (trigon_scalar){single ? 1e-35 : 1e-300, 0};
  case COMPLEX: return is_beta ? (trigon_scalar){-0.3, 1.1} : (trigon_scalar){0.6, -0.7};
  default: return is_beta ? (trigon_scalar){-1.3, 0} : (trigon_scalar){0.7, 0};
  }
}

static void with_scalars(sweep *s, call *c, int alpha, int beta) {
  c->alpha = scalar(c, (enum scalar)alpha, false);
  c->beta = scalar(c, (enum scalar)beta, true);
  sweep_case(s, c, RANDOM);
}

/* ---------------------------------------------------------------------------------------------------- sizes -- */

static bool among(const int64_t *list, int count, int64_t value) {
  for (int i = 0; i < count; i++)
    if (list[i] == value) return true;
  return false;
}

/* Stores pointers to the sizes that the routine has, in the order m, n, k. Returns how many sizes these are. */
static int sizes_of(call *c, int64_t *size[3]) {
  int count = 0;
  if (takes(c->routine, "m")) size[count++] = &c->m;
  size[count++] = &c->n;
  if (takes(c->routine, "k") || takes(c->routine, "nrhs")) size[count++] = &c->k;
  return count;
}

static void at_size(sweep *s, call *c) {
  int64_t *size[3];
  const int dims = sizes_of(c, size), alphas = kinds(c, false), betas = kinds(c, true);
  if (!sweep_takes(s)) return;
  random_stream draw = sweep_stream(s, c);
  bool all = true;
  for (int i = 0; i < dims; i++) all = all && among(every_scalar, COUNT_SCALAR, *size[i]);
  if (!all || s->share > 1) {
    const int alpha = (int)random_below(&draw, alphas), beta = (int)random_below(&draw, betas);
    with_scalars(s, c, alpha, beta);
    return;
  }
  for (int alpha = 0; alpha < alphas; alpha++)
    for (int beta = 0; beta < betas; beta++) with_scalars(s, c, alpha, beta);
}

void sweep_grid(sweep *s, call *c) {
  int64_t *size[3];
  const int dims = sizes_of(c, size);
  const int64_t *list = s->size_count ? s->sizes : dims == 3 ? awkward3 : awkward;
  const int count = s->size_count ? s->size_count : dims == 3 ? COUNT3 : COUNT;
  const int larger = s->size_count ? 0 : COUNT_LARGE;
  int total = 1;
  for (int i = 0; i < dims; i++) total *= count;
  sweep_sample(s, c, total + larger);
  for (int at = 0; at < total; at++) {
    for (int i = 0, rest = at; i < dims; i++, rest /= count) *size[i] = list[rest % count];
    c->alpha = c->beta = (trigon_scalar){0, 0}; /* the draw depends on flags and sizes */
    at_size(s, c);
  }
  for (int at = 0; at < larger; at++) {
    for (int i = 0; i < dims; i++) *size[i] = large[at][i];
    c->alpha = c->beta = (trigon_scalar){0, 0};
    at_size(s, c);
  }
}

/* ------------------------------------------------------------------------------------------------- families -- */

/* The inverse of a triangle with multipliers up to 5 grows so fast that a larger inverse would overflow in single
 * precision. */
static int64_t largest_of(enum family family, enum storage storage) {
  if (family == MULTIPLIERS) return storage == FACTOR ? 17 : 40;
  return 130;
}

void sweep_families(sweep *s, call *c) {
  static const int64_t orders[] = {2, 8, 9, 17, 33, 40, 65, 100}, others[] = {1, 9, 33};
  enum { ORDERS = sizeof orders / sizeof *orders };
  const enum storage storage = routines[c->routine].operand[0].storage;
  const bool right = c->side == TRIGON_RIGHT, has_m = takes(c->routine, "m");
  const bool single_size = !has_m && !takes(c->routine, "nrhs");
  c->alpha = takes(c->routine, "alpha") ? scalar(c, kinds(c, false) == SCALARS ? COMPLEX : REAL, false)
                                        : (trigon_scalar){0, 0};
  c->beta = (trigon_scalar){0, 0};
  sweep_sample(s, c, (FAMILIES - 1) * ORDERS * (single_size ? 1 : 3));
  for (int family = RANDOM + 1; family < FAMILIES; family++) {
    if (!family_has((enum family)family, storage)) continue;
    for (int i = 0; i < ORDERS; i++)
      for (int j = 0; j < (single_size ? 1 : 3); j++) {
        if (orders[i] > largest_of((enum family)family, storage)) continue;
        c->m = right ? others[j] : orders[i];
        c->n = right || !has_m ? orders[i] : others[j];
        c->k = others[j];
        if (sweep_takes(s)) sweep_case(s, c, (enum family)family);
      }
  }
}
