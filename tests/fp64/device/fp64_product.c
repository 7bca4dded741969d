/* fp64_product.c - emulated products over guarded matrices, and what they promise (fp64_product.h). */
#include "fp64_product.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __float128 quad;

/* ----------------------------------------------------------------------------------------------------- entries -- */

double entry_spread(random_stream *r, int64_t line, int64_t term, double phi) {
  (void)line, (void)term;
  const double u = fabs(random_unit(r)), angle = 3.14159265358979323846 * random_unit(r);
  return random_unit(r) / 2 * exp(phi * sqrt(-2 * log(u)) * cos(angle));
}

/* Lines of one sign, with one huge element, subnormal, with signed zeros, from both ends of the range, whose terms
 * cancel each other, and of powers of two. */
double entry_hard(random_stream *r, int64_t line, int64_t term, double kind) {
  const double x = entry_spread(r, line, term, 0.5);
  switch ((int)kind) {
  case 0: return fabs(x);
  case 1: return term == 3 ? 1e200 : x;
  case 2: return x * 0x1p-1060;
  case 3: return term % 3 == 2 ? x : term % 3 ? 0.0 : -0.0;
  case 4: return term % 2 ? x * 1e-300 : x * 1e300;
  case 5: return term % 2 ? 1.5 : -1.5;
  case 6: return ldexp(term % 3 ? 1 : -1, (int)(term % 40));
  default: return x;
  }
}

double entry_adversarial(random_stream *r, int64_t line, int64_t term, double phi) {
  const double x = entry_hard(r, line, term, (double)(line % HARD_KINDS));
  return line % HARD_KINDS == HARD_KINDS - 1 ? entry_spread(r, line, term, phi) : x;
}

double entry_integer(random_stream *r, int64_t line, int64_t term, double phi) {
  (void)line, (void)term;
  return rint(phi * random_unit(r));
}

double entry_poison(random_stream *r, int64_t line, int64_t term, double phi) {
  (void)r, (void)line, (void)term, (void)phi;
  return NAN;
}

/* ---------------------------------------------------------------------------------------------------- products -- */

static product make(call c) {
  product p = {.call = c};
  for (int i = 0; i < operands(c.routine); i++) {
    int64_t rows, cols;
    operand_shape(&p.call, i, &rows, &cols);
    guarded_shape(&p.stored[i], c.type, rows, cols, rows % 2 ? 2 : 1);
    p.call.stored[i] = p.stored[i].matrix;
    guarded_snapshot(&p.stored[i]);
  }
  return p;
}

static call call_of(enum tested_routine routine, trigon_type type, int64_t m, int64_t n, int64_t k, trigon_op op) {
  return (call){.routine = routine,
                .type = type,
                .side = TRIGON_LEFT,
                .uplo = TRIGON_LOWER,
                .diag = TRIGON_NONUNIT,
                .op = op,
                .opB = TRIGON_NOTRANS,
                .m = m,
                .n = n,
                .k = k,
                .alpha = {1, 0}};
}

product product_make(trigon_type type, int64_t m, int64_t n, int64_t k, trigon_op op, trigon_op opB) {
  call c = call_of(GEMM, type, m, n, k, op);
  c.opB = opB;
  return make(c);
}

product update_make(enum tested_routine routine, trigon_type type, trigon_uplo uplo, int64_t n, int64_t k,
                    trigon_op op) {
  call c = call_of(routine, type, n, n, k, op);
  c.uplo = uplo;
  return make(c);
}

product symm_make(enum tested_routine routine, trigon_type type, trigon_side side, trigon_uplo uplo, int64_t m,
                  int64_t n) {
  call c = call_of(routine, type, m, n, side == TRIGON_LEFT ? m : n, TRIGON_NOTRANS);
  c.side = side, c.uplo = uplo;
  return make(c);
}

void product_free(product *p) {
  for (int i = 0; i < 3; i++) guarded_free(&p->stored[i]);
}

product product_copy(const product *p) {
  product q = make(p->call);
  for (int i = 0; i < 3 && q.stored[i].copy; i++) {
    memcpy(q.stored[i].copy, p->stored[i].copy, p->stored[i].bytes);
    guarded_restore(&q.stored[i]);
  }
  return q;
}

static bool is_two(const product *p) { return p->call.routine == SYR2K || p->call.routine == HER2K; }
static bool is_update(const product *p) { return p->call.routine == SYRK || p->call.routine == HERK || is_two(p); }
static int64_t terms_of(const product *p) { return is_two(p) ? 2 * p->call.k : p->call.k; }
static bool is_symm(const product *p) { return p->call.routine == SYMM || p->call.routine == HEMM; }
static bool is_hermitian(const product *p) {
  return (p->call.routine == HERK || p->call.routine == HER2K) && is_complex(p->call.type);
}

/* The stored matrix that holds a term of A or B, or C. Of SYR2K, A has the terms of both operands, and B has those of
 * the other one first. */
static const guarded *stored_of(const product *p, int matrix, int64_t term) {
  if (is_two(p) && matrix != OF_C) return &p->stored[(matrix == OF_A) == (term < p->call.k) ? 0 : 1];
  if (is_two(p)) return &p->stored[2];
  if (is_symm(p) && p->call.side == TRIGON_RIGHT && matrix != OF_C) return &p->stored[matrix == OF_A ? 1 : 0];
  return &p->stored[!is_update(p) ? matrix : matrix == OF_C ? 1 : 0];
}

static bool is_symmetric(const product *p, int matrix) {
  return is_symm(p) && matrix == (p->call.side == TRIGON_LEFT ? OF_A : OF_B);
}

trigon_matrix product_result(const product *p) { return stored_of(p, OF_C, 0)->matrix; }

bool product_computes(const product *p, int64_t row, int64_t col) {
  return !is_update(p) || (p->call.uplo == TRIGON_LOWER ? row >= col : row <= col);
}

/* Whether an element of a symmetric matrix lies in the other triangle. Its place becomes that in the stored one. */
static bool reflect(const product *p, int64_t *row, int64_t *col) {
  const int64_t r = *row;
  if (p->call.uplo == TRIGON_LOWER ? r >= *col : r <= *col) return false;
  *row = *col, *col = r;
  return true;
}

/* The matrix before the call, and the indices of an element in it. */
static trigon_matrix element_of(const product *p, int matrix, int64_t line, int64_t term, int64_t *row, int64_t *col) {
  const bool as_stored =
      matrix == OF_C || (is_update(p) || matrix == OF_A ? p->call.op : p->call.opB) == TRIGON_NOTRANS;
  const bool by_rows = (is_update(p) || matrix != OF_B) == as_stored;
  const int64_t there = matrix != OF_C && term >= p->call.k ? term - p->call.k : term;
  *row = by_rows ? line : there, *col = by_rows ? there : line;
  return guarded_before(stored_of(p, matrix, term));
}

static bool conjugates(const product *p, int matrix) {
  if (is_update(p)) return matrix != OF_C && (p->call.op == TRIGON_CONJTRANS) != (is_hermitian(p) && matrix == OF_B);
  return matrix != OF_C && (matrix == OF_A ? p->call.op : p->call.opB) == TRIGON_CONJTRANS;
}

/* An element of the other triangle. */
static trigon_scalar conjugated(const product *p, trigon_scalar x) {
  return (trigon_scalar){x.re, p->call.routine == HEMM ? -x.im : x.im};
}

trigon_scalar product_get(const product *p, int matrix, int64_t line, int64_t term) {
  int64_t row, col;
  const trigon_matrix before = element_of(p, matrix, line, term, &row, &col);
  trigon_scalar x = matrix_get(before, row, col);
  if (is_symmetric(p, matrix) && reflect(p, &row, &col)) x = conjugated(p, matrix_get(before, row, col));
  if (p->call.routine == HEMM && is_symmetric(p, matrix) && row == col) x.im = 0;
  if (!is_complex(p->call.type)) x.im = 0;
  if (conjugates(p, matrix)) x.im = -x.im;
  return x;
}

void product_put(product *p, int matrix, int64_t line, int64_t term, trigon_scalar x) {
  int64_t row, col;
  const trigon_matrix before = element_of(p, matrix, line, term, &row, &col);
  if (conjugates(p, matrix)) x.im = -x.im;
  if (is_symmetric(p, matrix) && reflect(p, &row, &col)) x = conjugated(p, x);
  if (p->call.routine == HEMM && is_symmetric(p, matrix) && row == col) x.im = NAN; /* is not read */
  matrix_put(before, row, col, x);
}

static void fill(product *p, int matrix, entry_rule *rule, double phi, random_stream *r) {
  const int64_t lines = matrix == OF_B ? p->call.n : p->call.m, terms = matrix == OF_C ? p->call.n : terms_of(p);
  const bool single = is_single(p->call.type);
  for (int64_t i = 0; i < lines; i++)
    for (int64_t l = 0; l < terms; l++) {
      if (matrix == OF_C && !product_computes(p, i, l)) continue;
      trigon_scalar x = {.re = rule(r, i, l, phi)};
      x.im = rule(r, i, l, phi);
      if (single) { /* the ends of the range of float */
        x.re = x.re == 0 ? x.re : copysign(fmax(fmin(fabs(x.re), 1e36), 1e-41), x.re);
        x.im = x.im == 0 ? x.im : copysign(fmax(fmin(fabs(x.im), 1e36), 1e-41), x.im);
      }
      if (matrix == OF_C && i == l && is_hermitian(p)) x.im = NAN;
      product_put(p, matrix, i, l, x);
    }
}

void product_fill(product *p, entry_rule *A, entry_rule *B, double phi, uint64_t seed) {
  random_stream r = {seed};
  const bool reads_C = p->call.beta.re != 0 || p->call.beta.im != 0;
  fill(p, OF_A, A, phi, &r);
  if (!is_update(p)) fill(p, OF_B, B, phi, &r);
  if (reads_C) fill(p, OF_C, A == entry_integer ? A : entry_spread, phi, &r);
}

const char *product_text(const product *p, char *text, size_t size) {
  const trigon_fp64_report *r = &p->report;
  char line[200];
  call_print(&p->call, line, sizeof line);
  snprintf(text, size,
           "%s: mode %d, %d moduli, %.1f bits, %lld of %lld emulated, %lld tiles, %lld + %lld fell back%s%s", line,
           (int)r->mode, r->moduli, r->bits, (long long)r->emulated, (long long)r->products, (long long)r->tiles,
           (long long)r->not_finite, (long long)r->unproved, r->why ? ", " : "", r->why ? r->why : "");
  return text;
}

static bool by_pairs(const product *p) { return p->report.mode == TRIGON_FP64_DOUBLE_FLOAT && p->report.emulated > 0; }

void product_run(product *p, call_target *target) {
  char text[400], stray[128];
  const int count = operands(p->call.routine);
  for (int i = 0; i < count; i++) guarded_restore(&p->stored[i]);
  const bool blas = p->call.m % 2 && has_blas(p->call.routine, p->call.type);
  const trigon_status status = call_on(target, &p->call, p->stored, blas);
  const trigon_status reported = trigon_last_fp64(target->ctx, &p->report);
  product_text(p, text, sizeof text);
  check(status == TRIGON_OK && !*target->message && reported == TRIGON_OK, "%s: status %d, \"%s\"; %d, \"%s\"", text,
        (int)status, target->message, (int)reported, trigon_message(target->ctx));
  for (int i = 0; i < count; i++) {
    const char *where = guarded_stray(&p->stored[i], written_region(&p->call, i), stray, sizeof stray);
    check(!where, "%s: %c %s", text, "ABC"[i], where ? where : "");
  }
  const trigon_fp64_report *r = &p->report;
  check((r->emulated > 0) == (r->moduli > 0 || by_pairs(p)) && (r->emulated == r->products) == !r->why,
        "%s: an impossible report of what was emulated", text);
  check(r->emulated <= r->products && r->not_finite >= 0 && r->unproved >= 0 &&
            r->not_finite + r->unproved <= r->tiles && (r->moduli == 0 || (r->moduli >= 2 && r->moduli <= 20)) &&
            (r->moduli == 0) == (r->tiles == r->not_finite + r->unproved) &&
            (by_pairs(p) ? r->moduli == 0 && r->bits == 48 && r->tiles == 0 : (r->bits > 0) == (r->moduli > 0)),
        "%s: an impossible report", text);
}

void product_emulate(product *p, call_target *target, int accuracy) {
  const trigon_status status = accuracy == BY_PAIRS ? trigon_set_fp64(target->ctx, TRIGON_FP64_DOUBLE_FLOAT, 0)
                                                    : trigon_set_fp64(target->ctx, TRIGON_FP64_INT8, accuracy);
  check(status == TRIGON_OK, "trigon_set_fp64: %s", trigon_message(target->ctx));
  product_run(p, target);
}

/* ------------------------------------------------------------------------------------------------------ judging -- */

bool product_same(const product *p, const product *q) {
  for (int64_t j = 0; j < p->call.n; j++)
    for (int64_t i = 0; i < p->call.m; i++) {
      const trigon_scalar x = matrix_get(product_result(p), i, j), y = matrix_get(product_result(q), i, j);
      const bool complex = is_complex(p->call.type);
      if (x.re != y.re && !(isnan(x.re) && isnan(y.re))) return false;
      if (complex && x.im != y.im && !(isnan(x.im) && isnan(y.im))) return false;
    }
  return true;
}

/* The exact parts of an element, and what the bound multiplies. Plain arithmetic is safe if no intermediate value
 * overflows or underflows, in whatever order. */
typedef struct expected {
  quad exact[2], products[2], old[2], largest; /* the product of the largest elements of both lines, and of alpha */
  bool safe;
} expected;

static quad magnitude(quad x) { return x < 0 ? -x : x; }
static quad larger(quad x, quad y) { return x > y ? x : y; }
/* Whether plain arithmetic loses nothing if x is an intermediate value. */
static bool is_safe(bool single, quad x) {
  const quad least = single ? FLT_MIN : DBL_MIN, most = single ? FLT_MAX / 4 : DBL_MAX / 4;
  return x == 0 || (magnitude(x) >= least && magnitude(x) <= most);
}

static bool is_safe_times(bool single, trigon_scalar a, trigon_scalar b) {
  return is_safe(single, (quad)a.re * b.re) && is_safe(single, (quad)a.im * b.im) &&
         is_safe(single, (quad)a.re * b.im) && is_safe(single, (quad)a.im * b.re);
}

static expected expect(const product *p, int64_t i, int64_t j) {
  const trigon_scalar alpha = p->call.alpha, beta = p->call.beta;
  const bool single = is_single(p->call.type), reads_C = beta.re != 0 || beta.im != 0;
  quad sum[2] = {0, 0}, total[2] = {0, 0}, most_a = 0, most_b = 0;
  bool safe = true;
  for (int64_t l = 0; l < terms_of(p); l++) {
    const trigon_scalar a = product_get(p, OF_A, i, l), b = product_get(p, OF_B, j, l);
    const quad rr = (quad)a.re * b.re, ii = (quad)a.im * b.im, ri = (quad)a.re * b.im, ir = (quad)a.im * b.re;
    sum[0] += rr - ii, sum[1] += ri + ir;
    total[0] += magnitude(rr) + magnitude(ii), total[1] += magnitude(ri) + magnitude(ir);
    most_a = larger(most_a, larger(magnitude(a.re), magnitude(a.im)));
    most_b = larger(most_b, larger(magnitude(b.re), magnitude(b.im)));
    safe = safe && is_safe_times(single, a, b) && is_safe_times(single, alpha, a) && is_safe_times(single, alpha, b);
  }
  trigon_scalar c = reads_C ? product_get(p, OF_C, i, j) : (trigon_scalar){0, 0};
  if (is_hermitian(p) && i == j) c.im = 0, sum[1] = total[1] = 0;
  const quad rr = (quad)beta.re * c.re, ii = (quad)beta.im * c.im, ri = (quad)beta.re * c.im, ir = (quad)beta.im * c.re;
  expected e = {{alpha.re * sum[0] - alpha.im * sum[1] + rr - ii, alpha.re * sum[1] + alpha.im * sum[0] + ri + ir},
                {magnitude(alpha.re) * total[0] + magnitude(alpha.im) * total[1],
                 magnitude(alpha.re) * total[1] + magnitude(alpha.im) * total[0]},
                {magnitude(rr) + magnitude(ii), magnitude(ri) + magnitude(ir)},
                (magnitude(alpha.re) + magnitude(alpha.im)) * most_a * most_b,
                safe};
  for (int part = 0; part < 2; part++)
    e.safe = e.safe && is_safe(single, total[part]) && is_safe(single, e.products[part] + e.old[part]);
  return e;
}

/* Whether each part of each element is good. */
static bool all_elements(const product *p,
                         bool (*good)(const product *, const expected *, int part, double found, void *to), void *to) {
  for (int64_t j = 0; j < p->call.n; j++)
    for (int64_t i = 0; i < p->call.m; i++) {
      if (!product_computes(p, i, j)) continue;
      const trigon_scalar x = matrix_get(product_result(p), i, j);
      const expected e = expect(p, i, j);
      if (!good(p, &e, 0, x.re, to) || (is_complex(p->call.type) && !good(p, &e, 1, x.im, to))) return false;
    }
  return true;
}

static bool is_exact(const product *p, const expected *e, int part, double found, void *to) {
  (void)to;
  return found == (is_single(p->call.type) ? (double)(float)e->exact[part] : (double)e->exact[part]);
}

bool product_exact(const product *p) { return all_elements(p, is_exact, NULL); }

static bool fell_back(const product *p) { return p->report.unproved + p->report.not_finite > 0; }

static quad share_of(const product *p, const expected *e, int part, double found) {
  const bool single = is_single(p->call.type);
  const double u = single ? 0x1p-24 : 0x1p-53, least = single ? 0x1p-149 : 0x1p-1074;
  const double terms = (double)((is_complex(p->call.type) ? 2 : 1) * terms_of(p));
  if (by_pairs(p))
    return magnitude(found - e->exact[part]) / ((3 * terms + 8) * 0x1p-48 * e->products[part] +
                                                terms * 0x1p-190 * e->largest + u * magnitude(e->exact[part]) + least);
  /* Native arithmetic rounds beta·C0 of complex numbers up to three times, and two sums of SYR2K. */
  const double of_old = is_complex(p->call.type) && fell_back(p) ? 5 : 2;
  return magnitude(found - e->exact[part]) / (2 * terms * u * e->products[part] + of_old * u * e->old[part] + least);
}

static bool is_within(const product *p, const expected *e, int part, double found, void *to) {
  double *const most = to;
  const double largest = is_single(p->call.type) ? (double)FLT_MAX : DBL_MAX;
  if (magnitude(e->exact[part]) >= largest) return true; /* the exact result overflows */
  const quad share = share_of(p, e, part, found);
  if (fell_back(p) && !e->safe) return true;
  if (!(share <= *most)) *most = (double)share;
  return true;
}

double product_share(const product *p) {
  double most = 0;
  all_elements(p, is_within, &most);
  return most;
}
