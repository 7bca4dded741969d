/* test_fp64.c - emulated products of doubles keep the bound that they guarantee, against binary128. */
#include <math.h>
#include <stdlib.h>

#include "common/address.h"
#include "decorators/fp64/host_product.h"
#include "support/check.h"

__extension__ typedef __float128 quad;

static uint64_t state = 88172645463325252u;

static double uniform(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static double normal(void) { return sqrt(-2 * log(uniform() + 0x1p-60)) * cos(6.283185307179586 * uniform()); }

typedef double generator(int64_t i, int64_t l, double phi);

static double spread(int64_t i, int64_t l, double phi) {
  (void)i, (void)l;
  return (uniform() - 0.5) * exp(phi * normal());
}

/* Rows of one sign, with a huge element, subnormal, with signed zeros, of both ends of the range, and integers. */
static double adversarial(int64_t i, int64_t l, double phi) {
  const double x = spread(i, l, phi);
  switch (i % 7) {
  case 0: return fabs(x);
  case 1: return l == 3 ? 1e200 : x;
  case 2: return x * 0x1p-1060;
  case 3: return l % 2 ? 0.0 : -0.0;
  case 4: return l % 2 ? x * 1e-300 : x * 1e300;
  case 5: return floor(100 * x);
  default: return l % 2 ? 1 : -1;
  }
}

/* ---------------------------------------------------------------------------------------------- references -- */

static double at(view A, trigon_op op, int64_t i, int64_t l) {
  const double *x = address_of(A);
  return op == TRIGON_NOTRANS ? x[i + l * A.ld] : x[l + i * A.ld];
}

static trigon_status run_plainly(engine *e, const operation *o) {
  (void)e;
  double *C = address_of(o->C);
  for (int64_t c = 0; c < o->C.n; c++)
    for (int64_t r = 0; r < o->C.m; r++) {
      double sum = 0, *x = &C[r + c * o->C.ld];
      for (int64_t l = 0; l < sizes_of(o).k; l++) sum += at(o->A, o->op, r, l) * at(o->B, o->opB, l, c);
      *x = o->alpha.re * sum + (o->beta.re == 0 ? 0 : o->beta.re * *x);
    }
  return TRIGON_OK;
}

static const machine_ops on_host = {.on_host = true};
static machine host = {.ops = &on_host};
static engine plain = {.run = run_plainly, .machine = &host};

static quad magnitude(quad x) { return x < 0 ? -x : x; }

/* The largest error over the guaranteed one. Elements that fell back equal those of plain arithmetic, whose
 * intermediate values may overflow or underflow: these elements are left out if `native` is not NULL. */
static double worst(const operation *o, const double *C0, const double *native) {
  const int64_t k = sizes_of(o).k;
  const double *C = address_of(o->C);
  double most = 0;
  for (int64_t c = 0; c < o->C.n; c++)
    for (int64_t r = 0; r < o->C.m; r++) {
      quad sum = 0, total = 0;
      for (int64_t l = 0; l < k; l++) {
        const quad x = (quad)at(o->A, o->op, r, l) * at(o->B, o->opB, l, c);
        sum += x, total += magnitude(x);
      }
      const quad old = o->beta.re == 0 ? 0 : (quad)o->beta.re * C0[r + c * o->C.ld], exact = o->alpha.re * sum + old;
      const double found = C[r + c * o->C.ld];
      if (magnitude(exact) > 1.797e308 || (native && (found == native[r + c * o->C.ld] || isnan(found)))) continue;
      const quad bound =
          2 * (double)k * 0x1p-53 * magnitude(o->alpha.re) * total + 2 * 0x1p-53 * magnitude(old) + 0x1p-1074;
      const quad share = magnitude(found - exact) / bound;
      if (!(share <= most)) most = (double)share;
    }
  return most;
}

/* ------------------------------------------------------------------------------------------------- a product -- */

typedef struct product_case {
  int64_t m, n, k;
  trigon_op op, opB;
  double alpha, beta, phi;
  generator *fill;
  fp64_grade grade;
  int moduli;
  bool tight; /* the least workspace */
} product_case;

static view filled(int64_t m, int64_t n, generator *fill, double phi, bool by_columns) {
  const int64_t ld = m + 3;
  double *x = malloc((size_t)(ld * n + 1) * sizeof *x);
  if (!x) abort();
  for (int64_t c = 0; c < n; c++)
    for (int64_t r = 0; r < ld; r++)
      x[r + c * ld] = r >= m ? NAN : fill ? by_columns ? fill(c, r, phi) : fill(r, c, phi) : NAN;
  return (view){.base = x, .type = TRIGON_D, .m = m, .n = n, .ld = ld, .count = 1};
}

static operation operation_of(const product_case *p) {
  const bool a = p->op == TRIGON_NOTRANS, b = p->opB == TRIGON_NOTRANS;
  const view A = filled(a ? p->m : p->k, a ? p->k : p->m, p->fill, p->phi, !a);
  const view B = filled(b ? p->k : p->n, b ? p->n : p->k, p->fill, p->phi, b);
  const view C = filled(p->m, p->n, p->beta == 0 ? NULL : p->fill, p->phi, false);
  return gemm(p->op, p->opB, (trigon_scalar){p->alpha, 0}, A, B, (trigon_scalar){p->beta, 0}, C);
}

/* What a product did. */
typedef struct outcome {
  int moduli;
  int64_t not_finite, unproved;
  bool has_statistics; /* lines were looked at */
  const char *why;
} outcome;

static outcome multiply_in(int64_t bytes, const fp64_settings *settings, const operation *o) {
  static crt table[most_moduli + 1];
  emulation_choice choice;
  const fp64_memory memory = {table, &choice};
  fp64_outcome result;
  void *workspace = aligned_alloc(256, (size_t)(bytes + 255) / 256 * 256);
  if (!workspace) abort();
  memset(workspace, 0xff, (size_t)bytes), memset(&choice, 0xff, sizeof choice);
  if (!table[1].count) fp64_make_table(table);
  check(fp64_multiply(&plain, o, settings, &memory, workspace, bytes, true, &result) == TRIGON_OK,
        "a product is computed");
  outcome found = {.why = result.why};
  if (!found.why) found.moduli = choice.moduli, found.not_finite = choice.not_finite, found.unproved = choice.unproved;
  found.has_statistics = ((line_stats *)workspace)->ceilings != UINT32_MAX; /* the workspace begins with them */
  free(workspace);
  return found;
}

static outcome multiply(const product_case *p, const operation *o) {
  const fp64_settings settings = {p->grade, p->moduli, 1};
  const emulated_size size = fp64_size_of(o);
  const int64_t bytes = p->tight ? fp64_least_workspace(&settings, &size) : fp64_best_workspace(&settings, &size);
  return multiply_in(bytes, &settings, o);
}

static void release(operation o) { free(o.A.base), free(o.B.base), free(o.C.base); }

/* Returns the error over the guaranteed one. */
static double share_of_bound(product_case p, outcome *report) {
  operation o = operation_of(&p);
  const size_t bytes = (size_t)(o.C.ld * p.n) * sizeof(double);
  double *C0 = malloc(bytes);
  if (!C0) abort();
  memcpy(C0, o.C.base, bytes);
  *report = multiply(&p, &o);
  operation same = o;
  same.C.base = malloc(bytes);
  if (!same.C.base) abort();
  memcpy(same.C.base, C0, bytes);
  run_plainly(&plain, &same);
  const double share = worst(&o, C0, report->unproved > 0 ? same.C.base : NULL);
  free(same.C.base);
  const double *C = o.C.base;
  for (int64_t c = 0; c < p.n; c++) check(isnan(C[p.m + c * o.C.ld]), "nothing below C is written");
  free(C0), release(o);
  return share;
}

static void keeps_bound(product_case p) {
  char what[200];
  outcome report;
  p.grade = FP64_GUARANTEED;
  const double share = share_of_bound(p, &report);
  snprintf(what, sizeof what, "%d x %d x %d, phi %g, alpha %g, beta %g: %.3g of the bound, %d moduli, %d unproved",
           (int)p.m, (int)p.n, (int)p.k, p.phi, p.alpha, p.beta, share, report.moduli, (int)report.unproved);
  check(share <= 1, what);
  if (getenv("TRIGON_TEST_VERBOSE")) puts(what);
}

/* ---------------------------------------------------------------------------------------------------- tests -- */

static void random_products(void) {
  static const double phis[] = {0, 0.5, 1, 2, 4}, scalars[][2] = {{1, 0}, {-0.7, 1}, {1e300, 1e-3}, {1e-310, -2}};
  static const int64_t shapes[][3] = {{1, 1, 1}, {5, 7, 2}, {3, 4, 3}, {33, 17, 129}, {130, 131, 300}};
  for (int f = 0; f < 5; f++)
    for (int s = 0; s < 5; s++)
      for (int q = 0; q < 4; q++) {
        product_case p = {shapes[s][0],
                          shapes[s][1],
                          shapes[s][2],
                          TRIGON_NOTRANS,
                          TRIGON_NOTRANS,
                          scalars[q][0],
                          scalars[q][1],
                          phis[f],
                          spread,
                          FP64_GUARANTEED,
                          0,
                          q % 2};
        p.op = q & 1 ? TRIGON_TRANS : TRIGON_NOTRANS, p.opB = q & 2 ? TRIGON_TRANS : TRIGON_NOTRANS;
        keeps_bound(p);
        p.fill = adversarial;
        keeps_bound(p);
      }
  keeps_bound((product_case){2, 3, 140001, TRIGON_TRANS, TRIGON_NOTRANS, 1, 1, 1, spread, FP64_GUARANTEED, 0, true});
}

static double small_integer(int64_t i, int64_t l, double phi) {
  (void)i, (void)l;
  return floor(phi * (uniform() - 0.5));
}

static void integers_are_exact(void) {
  for (int grade = FP64_GUARANTEED; grade <= FP64_FAST; grade++) {
    product_case p = {40, 50, 600, TRIGON_NOTRANS, TRIGON_TRANS, 1, -3, 2000, small_integer, grade, 0, true};
    operation o = operation_of(&p), same = o;
    same.C = filled(p.m, p.n, small_integer, 1, false);
    memcpy(same.C.base, o.C.base, (size_t)(o.C.ld * p.n) * sizeof(double));
    const outcome report = multiply(&p, &o);
    run_plainly(&plain, &same);
    bool equal = report.moduli > 0;
    for (int64_t i = 0; i < o.C.ld * p.n; i++)
      if (i % o.C.ld < p.m) equal = equal && ((double *)o.C.base)[i] == ((double *)same.C.base)[i];
    check(equal, "products of integers are exact");
    free(same.C.base), release(o);
  }
}

/* NaN or infinity at each place of A, B and C: the result is of the same kind as in plain arithmetic. */
static void special_values_spread(void) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  const product_case p = {3, 4, 5, TRIGON_NOTRANS, TRIGON_NOTRANS, 2, 1, 1, spread, FP64_GUARANTEED, 0, false};
  for (int v = 0; v < 3; v++)
    for (int where = 0; where < 15 + 20 + 12; where++) {
      operation o = operation_of(&p), same = o;
      view target = where < 15 ? o.A : where < 35 ? o.B : o.C;
      const int64_t i = where < 15 ? where : where < 35 ? where - 15 : where - 35;
      ((double *)target.base)[i % target.m + i / target.m * target.ld] = values[v];
      same.C = filled(p.m, p.n, spread, 1, false);
      memcpy(same.C.base, o.C.base, (size_t)(o.C.ld * p.n) * sizeof(double));
      multiply(&p, &o), run_plainly(&plain, &same);
      bool alike = true;
      for (int64_t c = 0; c < p.n; c++)
        for (int64_t r = 0; r < p.m; r++) {
          const double x = at(o.C, TRIGON_NOTRANS, r, c), y = at(same.C, TRIGON_NOTRANS, r, c);
          alike = alike && (isfinite(y) ? fabs(x - y) < 1e-13 : isnan(y) ? isnan(x) : x == y);
        }
      check(alike, "NaN and infinity come out as in plain arithmetic");
      free(same.C.base), release(o);
    }
}

/* One modulus less than `guaranteed` takes keeps fewer bits. The test sees that. */
static void fewer_moduli_break_the_bound(void) {
  outcome report;
  const product_case p = {64, 64, 64, TRIGON_NOTRANS, TRIGON_NOTRANS, 1, 0, 1, spread, FP64_FIXED, 12, false};
  check(share_of_bound(p, &report) > 1 && report.moduli == 12, "12 moduli do not keep the bound");
}

static void workspace_does_not_matter(void) {
  product_case p = {140, 130, 4200, TRIGON_NOTRANS, TRIGON_NOTRANS, 1, 0, 1, spread, FP64_GUARANTEED, 0, false};
  operation o = operation_of(&p), same = o;
  same.C = filled(p.m, p.n, NULL, 0, false);
  const outcome report = multiply(&p, &o);
  p.tight = true;
  multiply(&p, &same);
  bool equal = true;
  for (int64_t c = 0; c < p.n; c++)
    for (int64_t r = 0; r < p.m; r++)
      equal = equal && at(o.C, TRIGON_NOTRANS, r, c) == at(same.C, TRIGON_NOTRANS, r, c);
  check(equal && report.unproved == 0, "the size of the workspace does not change a bit");
  free(same.C.base), release(o);
}

/* Whether both triangles have the same bits. The other one must be the NaN that it was. */
static bool same_triangle(const operation *o, view due) {
  bool same = true;
  for (int64_t c = 0; c < o->C.n; c++)
    for (int64_t r = 0; r < o->C.n; r++) {
      const double x = at(o->C, TRIGON_NOTRANS, r, c);
      const bool computed = o->uplo == TRIGON_LOWER ? r >= c : r <= c;
      same = same && (computed ? x == at(due, TRIGON_NOTRANS, r, c) : isnan(x));
    }
  return same;
}

/* The least workspace of an update, the best one, and some between, in which blocks share all planes, some or none. */
static void workspace_does_not_matter_to_updates(void) {
  enum { N = 290, TERMS = 140, STEPS = 5 };
  for (int turn = 0; turn < 8; turn++) {
    const trigon_uplo uplo = turn % 2 ? TRIGON_UPPER : TRIGON_LOWER;
    const trigon_op op = turn / 2 % 2 ? TRIGON_TRANS : TRIGON_NOTRANS;
    const fp64_settings settings = {turn / 4 ? FP64_FIXED : FP64_GUARANTEED, 5, 1};
    const view A = op == TRIGON_NOTRANS ? filled(N, TERMS, spread, 1, false) : filled(TERMS, N, spread, 1, true);
    const operation due =
        herk(uplo, op, (trigon_scalar){-1, 0}, A, (trigon_scalar){0, 0}, filled(N, N, NULL, 0, false));
    const emulated_size size = fp64_size_of(&due);
    const int64_t least = fp64_least_workspace(&settings, &size), best = fp64_best_workspace(&settings, &size);
    multiply_in(best, &settings, &due);
    for (int step = 0; step < STEPS; step++) {
      operation o = due;
      o.C = filled(N, N, NULL, 0, false);
      const outcome found = multiply_in(least + (best - least) * step / STEPS, &settings, &o);
      check(!found.why && found.unproved == 0 && same_triangle(&o, due.C),
            "the size of the workspace does not change a bit of a triangle");
      free(o.C.base);
    }
    free(due.A.base), free(due.C.base);
  }
}

/* --------------------------------------------------------------------------------- products without a proof -- */

static outcome multiply_best(const operation *o, double most_native) {
  const fp64_settings settings = {FP64_GUARANTEED, 0, most_native};
  const emulated_size size = fp64_size_of(o);
  return multiply_in(fp64_best_workspace(&settings, &size), &settings, o);
}

static double power_of_two_only(int64_t i, int64_t l, double phi) {
  (void)i, (void)l;
  return ldexp(uniform() < 0.5 ? -1 : 1, (int)(phi * normal()));
}

/* A look at a few elements does not say that a tile falls back whose bounds can be proved. With a tile of zeros beside
 * it, the bounds of the same tile are found. */
static void looks_agree_with_bounds(void) {
  enum { WIDE = fp64_tile + 2, NARROW = 4 };
  int hopeless = 0, proved = 0;
  for (int turn = 0; turn < 300; turn++) {
    const double phi = 1 + turn % 30;
    generator *const fill = turn % 3 ? spread : power_of_two_only;
    operation wide = gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, (trigon_scalar){1, 0}, filled(5, 40, fill, phi, false),
                          filled(40, WIDE, fill, phi, true), (trigon_scalar){0, 0}, filled(5, WIDE, NULL, 0, false));
    const operation narrow = over(&wide, wide.A, block(wide.B, 0, 0, 40, NARROW), block(wide.C, 0, 0, 5, NARROW));
    memset((double *)wide.B.base + NARROW * wide.B.ld, 0, (size_t)((WIDE - NARROW) * wide.B.ld) * sizeof(double));
    const outcome looked = multiply_best(&narrow, 1), bounded = multiply_best(&wide, 1);
    check(bounded.has_statistics && bounded.unproved <= 1, "the bounds of one tile of two");
    check(looked.has_statistics || bounded.unproved == 1, "a tile that can be proved does not fail at a look");
    check(looked.unproved == bounded.unproved, "zeros do not change a proof");
    hopeless += !looked.has_statistics, proved += bounded.unproved == 0;
    release(wide);
  }
  check(hopeless > 100 && proved > 30, "many products fail at a look, and many are proved");
}

/* Even terms are tiny, or odd ones if phi is 1. Where both factors have other tiny terms, all products are tiny. */
static double tiny_terms(int64_t i, int64_t l, double phi) {
  return spread(i, l, 0.5) * ((l + (int64_t)phi) % 2 ? 1 : 0x1p-200);
}

/* Of ten tiles the first ones, as `strips` says, have no proof. */
static operation with_bad_strips(int strips) {
  enum { COLS = 10 * fp64_tile, TERMS = 30 };
  const view good = filled(TERMS, COLS, spread, 0.5, true), bad = filled(TERMS, COLS, tiny_terms, 1, true);
  for (int64_t c = 0; c < strips * fp64_tile; c++)
    memcpy((double *)good.base + c * good.ld, (double *)bad.base + c * bad.ld, TERMS * sizeof(double));
  free(bad.base);
  return gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, (trigon_scalar){1, 0}, filled(20, TERMS, tiny_terms, 0, false), good,
              (trigon_scalar){0, 0}, filled(20, COLS, NULL, 0, false));
}

/* Few tiles without a proof fall back alone; if there are too many, all tiles do. */
static void most_tiles_fall_back(void) {
  static const struct {
    int strips;
    double most_native;
    int64_t unproved;
    bool has_statistics;
  } cases[] = {{0, 1, 0, true},    {2, 1, 2, true},      {8, 1, 8, true},      {9, 1, 10, false},
               {2, 0.25, 2, true}, {3, 0.05, 10, false}, {3, 0.28, 10, false}, {0, 0, 0, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    operation o = with_bad_strips(cases[i].strips);
    const outcome found = multiply_best(&o, cases[i].most_native);
    check(found.unproved == cases[i].unproved && found.has_statistics == cases[i].has_statistics &&
              (found.moduli == 0) == (found.unproved == 10),
          "of ten strips those without a proof fall back, or all if there are too many");
    release(o);
  }
}

int main(void) {
  random_products();
  integers_are_exact();
  special_values_spread();
  fewer_moduli_break_the_bound();
  workspace_does_not_matter();
  workspace_does_not_matter_to_updates();
  looks_agree_with_bounds();
  most_tiles_fall_back();
  return checked();
}
