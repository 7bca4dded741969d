/* check.c - evaluates the identities of bench_case.c on random vectors.
 *
 * For a random X with independent elements of mean 0 and variance v, |E·X|² is on average v·columns·|E|² (Frobenius),
 * so |E| is about |E·X| · sqrt(rows of X) / |X|. Elements are accumulated in double, whatever the routine's type. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of X; a row of them, real parts then imaginary parts, is one vector register or two. */
enum { LANES = 4, ROW = 2 * LANES };

typedef struct block {
  int64_t rows;
  double *data; /* ROW for each row */
} block;

static bool make_block(int64_t rows, block *X) {
  X->rows = rows;
  X->data = calloc((size_t)rows + 1, ROW * sizeof(double));
  return X->data != NULL;
}

/* Magnitudes between 1/2 and 3/2 and random signs: no element of E can be lost to a small factor. */
static bool random_block(int64_t rows, bool complex, block *X) {
  uint64_t state = 20241;
  if (!make_block(rows, X)) return false;
  for (int64_t i = 0; i < rows * ROW; i++) {
    double r = random_number(&state);
    if (complex || i % ROW < LANES) X->data[i] = r + copysign(0.5, r);
  }
  return true;
}

static double block_norm(const block *X) {
  double sum = 0;
  for (int64_t i = 0; i < X->rows * ROW; i++) sum += X->data[i] * X->data[i];
  return sqrt(sum);
}

/* Y += sign·X. */
static void add_block(block *Y, double sign, const block *X) {
  for (int64_t i = 0; i < Y->rows * ROW; i++) Y->data[i] += sign * X->data[i];
}

/* A stored matrix as the routine sees it, and the op on it. */
typedef struct factor {
  const trigon_matrix *stored;
  form form;
  trigon_uplo uplo;
  trigon_diag diag;
  trigon_op op;
} factor;

static int64_t factor_rows(const factor *f) { return f->op == TRIGON_NOTRANS ? f->stored->rows : f->stored->cols; }

/* y += (re + i·im)·x, for rows of blocks. */
static void accumulate(double re, double im, const double *restrict x, double *restrict y) {
  for (int l = 0; l < LANES; l++) {
    y[l] += re * x[l] - im * x[l + LANES];
    y[l + LANES] += re * x[l + LANES] + im * x[l];
  }
}

/* Y += column j of op(F) or its row, given the elements from row `begin` to `end` of the stored column. A half stands
 * for both triangles, so that its elements off the diagonal count twice. */
static void apply_column(const factor *f, int64_t j, int64_t begin, int64_t end, const double *pairs, const block *X,
                         block *Y) {
  bool half = f->form == SYMMETRIC_HALF || f->form == HERMITIAN_HALF;
  bool direct = half || f->op == TRIGON_NOTRANS, turned = half || f->op != TRIGON_NOTRANS;
  double mirror = f->form == HERMITIAN_HALF || f->op == TRIGON_CONJTRANS ? -1 : 1;
  for (int64_t i = begin; i < end; i++) {
    double re = pairs[2 * (i - begin)], im = pairs[2 * (i - begin) + 1];
    if (direct) accumulate(re, im, X->data + j * ROW, Y->data + i * ROW);
    if (turned && !(half && i == j)) accumulate(re, mirror * im, X->data + i * ROW, Y->data + j * ROW);
  }
}

/* A product at work: each part sums its columns' share into a block of its own. */
typedef struct application {
  const factor *f;
  const block *X;
  block Y[MOST_PARTS];
  bool done[MOST_PARTS];
} application;

static void apply_columns(void *data, int part, int parts) {
  application *a = data;
  const factor *f = a->f;
  const trigon_matrix *A = f->stored;
  double *pairs = malloc(sizeof(double) * 2 * (size_t)(A->rows + 1));
  bool ready = make_block(factor_rows(f), &a->Y[part]) && pairs, cut = f->form != FULL;
  for (int64_t j = part; ready && j < A->cols; j += parts) {
    int64_t begin = cut && f->uplo == TRIGON_LOWER ? j : 0, end = cut && f->uplo == TRIGON_UPPER ? j + 1 : A->rows;
    dense_load(A, begin, j, end - begin, pairs);
    double *diagonal = pairs + 2 * (j - begin);
    if (f->form == TRIANGLE && f->diag == TRIGON_UNIT) diagonal[0] = 1;
    if (f->form == HERMITIAN_HALF || (f->form == TRIANGLE && f->diag == TRIGON_UNIT)) diagonal[1] = 0;
    apply_column(f, j, begin, end, pairs, a->X, &a->Y[part]);
  }
  a->done[part] = ready;
  free(pairs);
}

/* Y = op(F)·X. */
static bool apply(const factor *f, const block *X, block *Y) {
  application a = {.f = f, .X = X};
  for (int i = 0; i < MOST_PARTS; i++) a.done[i] = true; /* parts that there are not are done */
  dense_in_parts(f->stored, apply_columns, &a);
  bool done = a.done[0];
  for (int i = 1; i < MOST_PARTS; i++) {
    done &= a.done[i];
    if (done && a.Y[i].data) add_block(&a.Y[0], 1, &a.Y[i]);
    free(a.Y[i].data);
  }
  *Y = a.Y[0];
  return done;
}

/* What the letters of an identity refer to. */
typedef struct scene {
  const bench_case *c;
  const trigon_matrix *before, *after;
} scene;

/* The factor that `letter`, and a prime behind it, stand for. */
static factor find_factor(const scene *s, char letter, bool primed) {
  const bench_case *c = s->c;
  bool is_after = letter < 'a';
  int index = is_after ? letter - 'A' : letter - 'a';
  const bench_operand *o = &c->routine->operand[index];
  factor f = {is_after ? &s->after[index] : &s->before[index], is_after ? o->after : o->before, c->uplo, c->diag,
              TRIGON_NOTRANS};
  if (o->turns == 'a' || o->turns == 'b') f.op = c->op[o->turns - 'a'];
  trigon_op transposition = c->routine->plain ? TRIGON_TRANS : TRIGON_CONJTRANS;
  if (primed) f.op = f.op == TRIGON_NOTRANS ? transposition : TRIGON_NOTRANS;
  return f;
}

/* The factors of the product at `text`, up to a sign, a space or the end. Returns how many. */
enum { MOST_FACTORS = 4 };
static int parse_product(const scene *s, const char *text, factor *factors) {
  int count = 0;
  for (; *text && !strchr("+- ", *text); text++)
    if (*text != '\'') factors[count++] = find_factor(s, *text, text[1] == '\'');
  return count;
}

/* Y = product·X. */
static bool apply_product(const scene *s, const char *text, const block *X, block *Y) {
  factor factors[MOST_FACTORS];
  int count = parse_product(s, text, factors);
  block last;
  if (!make_block(X->rows, Y)) return false;
  add_block(Y, 1, X);
  for (bool applied = true; count-- > 0;) {
    last = *Y;
    applied = apply(&factors[count], &last, Y);
    free(last.data);
    if (!applied) return false;
  }
  return true;
}

/* The columns of the product, which is not empty. */
static int64_t product_columns(const scene *s, const char *text) {
  factor factors[MOST_FACTORS];
  factor last = factors[parse_product(s, text, factors) - 1];
  last.op = last.op == TRIGON_NOTRANS ? TRIGON_TRANS : TRIGON_NOTRANS;
  return factor_rows(&last);
}

/* |sum of the signed products at `text`|, or of the one product there. */
static bool estimate_norm(const scene *s, const char *text, double *norm) {
  const char *first = text + (*text == '+');
  block X = {0}, sum = {0}, term = {0};
  bool done = random_block(product_columns(s, first), type_is_complex(s->c->type), &X);
  done = done && apply_product(s, first, &X, &sum);
  const char *at = first + strcspn(first, "+- ");
  for (; done && (*at == '+' || *at == '-'); at += 1 + strcspn(at + 1, "+- ")) {
    done = apply_product(s, at + 1, &X, &term);
    if (done) add_block(&sum, *at == '+' ? 1 : -1, &term);
    free(term.data);
  }
  if (done) *norm = block_norm(&sum) * sqrt((double)X.rows) / block_norm(&X);
  free(X.data);
  free(sum.data);
  return done;
}

bool bench_check(const bench_case *c, const trigon_matrix *before, const trigon_matrix *after, double *error,
                 double *limit) {
  const routine *r = c->routine;
  const scene s = {c, before, after};
  double inner = (double)case_size(c, r->inner), scale = r->product ? sqrt(inner + 2) : inner, residual = NAN, norm;
  bool second = strchr(r->letters, 'S') ? c->side == TRIGON_RIGHT : c->uplo == TRIGON_UPPER;
  bool done = estimate_norm(&s, r->identity[second], &residual);
  for (const char *at = r->norms; done && at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
    done = estimate_norm(&s, at, &norm);
    if (done) scale *= norm;
  }
  if (done && r->added) {
    done = estimate_norm(&s, (char[]){r->added, 0}, &norm);
    if (done) scale += 2 * norm;
  }
  *error = residual == 0 ? 0 : isfinite(scale) ? residual / scale : NAN;
  *limit = (r->product ? 3 : 30) * type_roundoff(c->type);
  return done;
}
