/* sweep_run.c - one call of the sweep: makes the matrices, calls, compares unchanged bytes, and judges. */
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES_SHOWN = 12 }; /* number of failures printed for each routine; the others are only counted */
enum { TWICE = 8 };           /* one of this many cases is called twice */

static void mix(random_stream *r, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    r->state ^= ((const unsigned char *)bytes)[i];
    r->state = random_bits(r);
  }
}

random_stream sweep_stream(const sweep *s, const call *c) {
  random_stream r = {s->seed};
  const int64_t integers[] = {c->routine, c->type, c->side, c->uplo, c->op, c->opB, c->diag, c->m, c->n, c->k};
  const double scalars[] = {c->alpha.re, c->alpha.im, c->beta.re, c->beta.im};
  mix(&r, integers, sizeof integers);
  mix(&r, scalars, sizeof scalars);
  return r;
}

void sweep_sample(sweep *s, const call *c, int64_t cases) {
  enum { FEWEST = 3 };
  const call flags = {.routine = c->routine,
                      .type = c->type,
                      .side = c->side,
                      .uplo = c->uplo,
                      .op = c->op,
                      .opB = c->opB,
                      .diag = c->diag};
  s->sample.share = s->share < cases / FEWEST ? s->share : cases / FEWEST;
  s->sample.at = 0;
  s->sample.draw = sweep_stream(s, &flags);
}

bool sweep_takes(sweep *s) {
  if (s->sample.share <= 1) return true;
  const int64_t position = s->sample.at++ % s->sample.share;
  if (position == 0) s->sample.pick = random_below(&s->sample.draw, s->sample.share);
  return position == s->sample.pick;
}

/* Returns whether the routine may read the operand at all. If not, the whole operand stays poison. */
static bool is_read(const call *c, int index) {
  const bool written = routines[c->routine].operand[index].written;
  if (written && takes(c->routine, "beta")) return c->beta.re != 0 || c->beta.im != 0;
  return !product_vanishes(c);
}

/* Prepares the first of two calls. The flags, sizes and gaps are those of c; the data differ. Three calls of eight
 * have another type, so that the leaf buffer has held other elements. Half of the calls have matrices of NaN, which
 * make a factorization fail. */
static void prepare_first(sweep *s, const call *c, random_stream *r) {
  call *f = &s->first;
  *f = *c;
  const trigon_type type = (trigon_type) "sdcz"[random_below(r, 4)];
  if (random_below(r, 2) && op_allowed(c->routine, type, c->op) && op_allowed(c->routine, type, c->opB)) f->type = type;
  if (!is_complex(f->type)) f->alpha.im = f->beta.im = 0;
  const bool fails = random_below(r, 2);
  for (int i = 0; i < operands(c->routine); i++) {
    const trigon_matrix same = c->stored[i];
    guarded_shape(&s->other[i], f->type, same.rows, same.cols, same.ld - (same.rows > 1 ? same.rows : 1));
    f->stored[i] = s->other[i].matrix;
    if (!fails) matrix_fill(f->stored[i], routines[c->routine].operand[i].storage, c->uplo, c->diag, RANDOM, r);
    guarded_snapshot(&s->other[i]);
  }
}

void sweep_prepare(sweep *s, call *c, enum family family) {
  static const int64_t gaps[] = {0, 1, 2, 5};
  random_stream r = sweep_stream(s, c);
  s->family = family;
  s->turn++; /* makes each backend see both spellings, however many backends there are */
  for (int i = 0; i < operands(c->routine); i++) {
    const enum storage storage = routines[c->routine].operand[i].storage;
    int64_t rows, cols;
    operand_shape(c, i, &rows, &cols);
    guarded_shape(&s->stored[i], c->type, rows, cols, gaps[random_below(&r, 4)]);
    c->stored[i] = s->stored[i].matrix;
    if (is_read(c, i)) matrix_fill(c->stored[i], storage, c->uplo, c->diag, storage ? family : RANDOM, &r);
  }
  sweep_snapshot(s);
  s->twice = random_below(&r, TWICE) == 0;
  if (s->twice) prepare_first(s, c, &r);
}

void sweep_snapshot(sweep *s) {
  for (int i = 0; i < 3; i++)
    if (s->stored[i].block) guarded_snapshot(&s->stored[i]);
}

call sweep_before(const sweep *s, const call *c) {
  call before = *c;
  for (int i = 0; i < operands(c->routine); i++) before.stored[i] = guarded_before(&s->stored[i]);
  return before;
}

static void report(sweep *s, int backend, const call *c, const char *what) {
  tally *t = &s->tally[c->routine];
  char text[CALL_TEXT];
  if (t->failures++ >= FAILURES_SHOWN) return;
  call_print(c, text, sizeof text);
  printf("FAIL %s\n     backend \"%s\", %s spelling, %s matrices, seed %" PRIu64 ": %s\n", text, s->names[backend],
         s->blas ? "BLAS" : "matrix", family_names[s->family], s->seed, what);
}

void sweep_score(sweep *s, int backend, const call *c, verdict v) {
  tally *t = &s->tally[c->routine];
  t->checks++;
  if (!v.held) {
    char text[128];
    snprintf(text, sizeof text, "%s: residual %.4g u, threshold %g u", v.what, v.residual, v.threshold);
    report(s, backend, c, text);
    return;
  }
  if (v.threshold > 0 &&
      (t->worst.threshold == 0 || v.residual / v.threshold > t->worst.residual / t->worst.threshold)) {
    t->worst = v;
    call_print(c, t->worst_call, sizeof t->worst_call);
  }
}

/* Makes the first call. Only the status is checked. */
static trigon_status call_first(sweep *s, int backend) {
  int64_t info = -1;
  for (int i = 0; i < operands(s->first.routine); i++) guarded_restore(&s->other[i]);
  s->first.info = &info;
  return call_on(&s->targets[backend], &s->first, s->other, false);
}

/* Counts the products of the last call, and those that were emulated. */
static bool count_products(sweep *s, trigon_context *ctx) {
  trigon_fp64_report report = {0};
  if (s->fp64 != TRIGON_FP64_NATIVE && trigon_last_fp64(ctx, &report) != TRIGON_OK) return false;
  s->products += report.products, s->emulated += report.emulated;
  return true;
}

bool sweep_call(sweep *s, int backend, call *c, int64_t due, unsigned unchanged) {
  call_target *target = &s->targets[backend];
  const bool has_info = takes(c->routine, "info");
  int64_t info = -1;
  char stray[128], text[256];
  for (int i = 0; i < operands(c->routine); i++) guarded_restore(&s->stored[i]);
  trigon_status status = s->twice ? call_first(s, backend) : TRIGON_OK;
  c->info = &info;
  s->blas = s->turn++ % 2 == 0 && has_blas(c->routine, c->type);
  if (status == TRIGON_OK) status = call_on(target, c, s->stored, s->blas);
  c->info = NULL;
  *text = 0;
  if (strncmp(s->names[backend], "cpu", 3) != 0) unchanged = 0; /* a device does not wait to learn of a failure */
  if (status != TRIGON_OK || *target->message)
    snprintf(text, sizeof text, "%s: \"%s\"", trigon_status_string(status), target->message);
  else if (!count_products(s, target->ctx))
    snprintf(text, sizeof text, "trigon_last_fp64 failed");
  else if (trigon_finish(target->ctx, NULL) != TRIGON_OK)
    snprintf(text, sizeof text, "trigon_finish failed");
  else if (has_info && info != due)
    snprintf(text, sizeof text, "info is %" PRId64 ", must be %" PRId64, info, due);
  for (int i = 0; i < operands(c->routine) && !*text; i++) {
    const bool left_alone = (unchanged >> i & 1) || returns_at_once(c);
    const region allowed = left_alone ? (region){REGION_NONE, false} : written_region(c, i);
    const char *where = guarded_stray(&s->stored[i], allowed, stray, sizeof stray);
    if (where) snprintf(text, sizeof text, "%c %s", routines[c->routine].operand[i].name, where);
  }
  if (!*text) return true;
  s->tally[c->routine].checks++;
  report(s, backend, c, text);
  return false;
}

trigon_matrix sweep_matrix(const sweep *s, int index) { return s->stored[index].matrix; }

verdict sweep_fact(bool held, const char *what) { return (verdict){held ? 0 : INFINITY, 0, held, what}; }

double sweep_roundoffs(const sweep *s, trigon_type type) {
  return s->fp64 == TRIGON_FP64_DOUBLE_FLOAT && !is_single(type) ? 32 : 1;
}

/* Divides a residual by `units`, how many u of the type are one u of the mode. */
static verdict in_units(verdict v, double units) {
  if (v.threshold == 0) return v;
  v.residual /= units;
  v.held = v.residual <= v.threshold;
  return v;
}

void sweep_case(sweep *s, call *c, enum family family) {
  const reference_of_type *reference = reference_for(c->type);
  sweep_prepare(s, c, family);
  const call before = sweep_before(s, c);
  s->scratch.used = 0;
  const expectation *expected = reference->expect(&s->scratch, &before);
  const size_t mark = s->scratch.used;
  for (int b = 0; b < s->backends; b++) {
    if (!sweep_call(s, b, c, 0, 0)) continue;
    s->scratch.used = mark;
    sweep_score(s, b, c, in_units(reference->judge(&s->scratch, &before, c, expected), sweep_roundoffs(s, c->type)));
  }
}
