/* check.c - evaluates the identities of routine.c on random vectors.
 *
 * For a random X with independent elements of mean 0 and variance v, |E·X|² is on average v·columns·|E|² (Frobenius),
 * so |E| is about |E·X| · sqrt(rows of X) / |X|. Elements are accumulated in double, whatever the routine's type. */
#include "check.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "../matrix/parallel.h"
#include "../matrix/random.h"
#include "spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* X has LANES columns. A row of X, real parts and then imaginary parts, fills one or two vector registers. */
enum { LANES = 4, ROW = 2 * LANES };

typedef struct column_block {
  int64_t rows;
  double *data; /* ROW numbers for each row */
} column_block;

static bool make_block(int64_t rows, column_block *X) {
  X->rows = rows;
  X->data = calloc((size_t)rows + 1, ROW * sizeof(double));
  return X->data != NULL;
}

/* Magnitudes from 1/2 to 3/2 and random signs: no element of E is multiplied by a small number. */
static bool random_block(int64_t rows, bool complex, column_block *X) {
  uint64_t state = 20241;
  if (!make_block(rows, X)) return false;
  for (int64_t i = 0; i < rows * ROW; i++) {
    double r = random_number(&state);
    if (complex || i % ROW < LANES) X->data[i] = r + copysign(0.5, r);
  }
  return true;
}

/* Elements are divided by the largest one, because their squares may overflow. */
static double block_norm(const column_block *X) {
  double largest = 0, sum = 0;
  for (int64_t i = 0; i < X->rows * ROW; i++) largest = fmax(largest, fabs(X->data[i])); /* fmax ignores NaN */
  const double divisor = largest > 0 && isfinite(largest) ? largest : 1;
  for (int64_t i = 0; i < X->rows * ROW; i++) {
    const double x = X->data[i] / divisor;
    sum += x * x;
  }
  return divisor * sqrt(sum);
}

/* Y += sign·X. */
static void add_block(column_block *Y, double sign, const column_block *X) {
  for (int64_t i = 0; i < Y->rows * ROW; i++) Y->data[i] += sign * X->data[i];
}

/* One factor of a product: op(stored matrix), as the routine sees it. */
typedef struct product_factor {
  const trigon_matrix *stored;
  form form;
  trigon_uplo uplo;
  trigon_diag diag;
  trigon_op op;
} product_factor;

static int64_t factor_rows(const product_factor *f) {
  return f->op == TRIGON_NOTRANS ? f->stored->rows : f->stored->cols;
}

/* y += (re + i·im)·x, for rows x and y of blocks. */
static void accumulate(double re, double im, const double *restrict x, double *restrict y) {
  for (int l = 0; l < LANES; l++) {
    y[l] += re * x[l] - im * x[l + LANES];
    y[l + LANES] += re * x[l + LANES] + im * x[l];
  }
}

/* Adds to Y = op(F)·X the share of the stored column j, whose elements from row `begin` to before `end` are given. A
 * half stands for both triangles, so that its elements off the diagonal count twice. */
static void apply_column(const product_factor *f, int64_t j, int64_t begin, int64_t end, const double *pairs,
                         const column_block *X, column_block *Y) {
  bool half = f->form == SYMMETRIC_HALF || f->form == HERMITIAN_HALF;
  bool direct = half || f->op == TRIGON_NOTRANS, transposed = half || f->op != TRIGON_NOTRANS;
  double mirror = f->form == HERMITIAN_HALF || f->op == TRIGON_CONJTRANS ? -1 : 1;
  for (int64_t i = begin; i < end; i++) {
    double re = pairs[2 * (i - begin)], im = pairs[2 * (i - begin) + 1];
    if (direct) accumulate(re, im, X->data + j * ROW, Y->data + i * ROW);
    if (transposed && !(half && i == j)) accumulate(re, mirror * im, X->data + i * ROW, Y->data + j * ROW);
  }
}

/* Y = D·X for a diagonal matrix. */
static bool apply_diagonal(const product_factor *f, const column_block *X, column_block *Y) {
  const trigon_matrix values = spectrum_values(f->stored);
  double value[2];
  if (!make_block(values.rows, Y)) return false;
  for (int64_t i = 0; i < values.rows; i++) {
    dense_load(&values, i, 0, 1, value);
    accumulate(value[0], 0, X->data + i * ROW, Y->data + i * ROW);
  }
  return true;
}

/* A product that several workers compute: each sums the share of its columns into a block of its own. */
typedef struct application {
  const product_factor *f;
  const column_block *X;
  column_block Y[MOST_WORKERS];
  bool done[MOST_WORKERS];
} application;

static void apply_columns(void *data, int worker, int workers) {
  application *a = data;
  const product_factor *f = a->f;
  const trigon_matrix *A = f->stored;
  double *pairs = malloc(sizeof(double) * 2 * (size_t)(A->rows + 1));
  bool ready = make_block(factor_rows(f), &a->Y[worker]) && pairs, cut = f->form != FULL;
  for (int64_t j = worker; ready && j < A->cols; j += workers) {
    int64_t begin = cut && f->uplo == TRIGON_LOWER ? j : 0, end = cut && f->uplo == TRIGON_UPPER ? j + 1 : A->rows;
    dense_load(A, begin, j, end - begin, pairs);
    double *diagonal = pairs + 2 * (j - begin);
    if (f->form == TRIANGLE && f->diag == TRIGON_UNIT) diagonal[0] = 1;
    if (f->form == HERMITIAN_HALF || (f->form == TRIANGLE && f->diag == TRIGON_UNIT)) diagonal[1] = 0;
    apply_column(f, j, begin, end, pairs, a->X, &a->Y[worker]);
  }
  a->done[worker] = ready;
  free(pairs);
}

/* Y = op(F)·X. */
static bool apply(const product_factor *f, const column_block *X, column_block *Y) {
  application a = {.f = f, .X = X};
  if (f->form == DIAGONAL) return apply_diagonal(f, X, Y);
  for (int i = 0; i < MOST_WORKERS; i++) a.done[i] = true; /* workers that do not exist are done */
  parallel_columns(f->stored, apply_columns, &a);
  bool done = a.done[0];
  for (int i = 1; i < MOST_WORKERS; i++) {
    done &= a.done[i];
    if (done && a.Y[i].data) add_block(&a.Y[0], 1, &a.Y[i]);
    free(a.Y[i].data);
  }
  *Y = a.Y[0];
  return done;
}

/* The call that is judged: the letters of an identity are its operands. */
typedef struct finished_call {
  const problem *problem;
  const trigon_matrix *before, *after;
} finished_call;

/* The factor for the letter of an identity, transposed if it is `primed`. */
static product_factor find_factor(const finished_call *call, char letter, bool primed) {
  const problem *p = call->problem;
  bool is_after = letter < 'a';
  int index = is_after ? letter - 'A' : letter - 'a';
  const bench_operand *o = &p->routine->operand[index];
  product_factor f = {is_after ? &call->after[index] : &call->before[index], is_after ? o->after : o->before, p->uplo,
                      p->diag, TRIGON_NOTRANS};
  if (o->transposed_by == 'a' || o->transposed_by == 'b') f.op = p->op[o->transposed_by - 'a'];
  trigon_op transposition = p->routine->plain ? TRIGON_TRANS : TRIGON_CONJTRANS;
  if (primed) f.op = f.op == TRIGON_NOTRANS ? transposition : TRIGON_NOTRANS;
  return f;
}

/* Stores the factors of the product at `text`, which ends at a sign, a space or the end. Returns how many there are. */
enum { MOST_FACTORS = 4 };
static int parse_product(const finished_call *call, const char *text, product_factor *factors) {
  int count = 0;
  for (; *text && !strchr("+- ", *text); text++)
    if (*text != '\'') factors[count++] = find_factor(call, *text, text[1] == '\'');
  return count;
}

/* Y = product·X. */
static bool apply_product(const finished_call *call, const char *text, const column_block *X, column_block *Y) {
  product_factor factors[MOST_FACTORS];
  int count = parse_product(call, text, factors);
  column_block last;
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

/* How many columns the product has, which must not be empty. */
static int64_t product_columns(const finished_call *call, const char *text) {
  product_factor factors[MOST_FACTORS];
  product_factor last = factors[parse_product(call, text, factors) - 1];
  last.op = last.op == TRIGON_NOTRANS ? TRIGON_TRANS : TRIGON_NOTRANS;
  return factor_rows(&last);
}

/* Stores the estimated norm of the sum of signed products at `text`, up to a space or the end. */
static bool estimate_norm(const finished_call *call, const char *text, double *norm) {
  const char *first = text + (*text == '+');
  column_block X = {0}, sum = {0}, term = {0};
  bool done = random_block(product_columns(call, first), type_is_complex(call->problem->type), &X);
  done = done && apply_product(call, first, &X, &sum);
  const char *at = first + strcspn(first, "+- ");
  for (; done && (*at == '+' || *at == '-'); at += 1 + strcspn(at + 1, "+- ")) {
    done = apply_product(call, at + 1, &X, &term);
    if (done) add_block(&sum, *at == '+' ? 1 : -1, &term);
    free(term.data);
  }
  if (done) *norm = block_norm(&sum) * sqrt((double)X.rows) / block_norm(&X);
  free(X.data);
  free(sum.data);
  return done;
}

/* Stores the norm of an identity, divided by `scale` and by the norms of the products at `norms`. */
static bool judge(const finished_call *call, const char *identity, const char *norms, double scale, double *error) {
  double residual = NAN, norm;
  bool done = estimate_norm(call, identity, &residual);
  for (const char *at = norms; done && at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
    done = estimate_norm(call, at, &norm);
    if (done) scale *= norm;
  }
  if (done && call->problem->routine->added) {
    done = estimate_norm(call, (char[]){call->problem->routine->added, 0}, &norm);
    if (done) scale += 2 * norm;
  }
  *error = residual == 0 ? 0 : isfinite(scale) ? residual / scale : NAN;
  return done;
}

/* Stores the larger one of *error and the error of one more identity. */
static bool judge_more(const finished_call *call, const char *identity, const char *norms, double scale,
                       double *error) {
  double more = NAN;
  const bool done = judge(call, identity, norms, scale, &more);
  if (more > *error || isnan(more)) *error = more;
  return done;
}

/* Values without vectors. Those of a generalized problem are those of its standard form C, with A = L·C·Lᴴ or Uᴴ·C·U,
 * which a context of the CPU computes with the factor that the call has left; the identity judges C. */
static bool judge_values(const finished_call *call, double scale, double *error) {
  static const bench_routine standard_form = {.operand = {{'n', 'n', 0, HERMITIAN_HALF, HERMITIAN_HALF, false, true},
                                                          {'n', 'n', 0, TRIANGLE, TRIANGLE, true, false}},
                                              .identity = {"+a-bAb'", "+a-b'Ab"}};
  const problem *p = call->problem;
  const trigon_matrix *A = &call->before[0], *factor = &call->after[1];
  if (routine_is_part(p->routine)) return spectrum_check_part(p, A, &call->after[1], error);
  if (!routine_is_general(p->routine)) return spectrum_check(p, A, &call->after[1], error);
  problem standard = *p;
  standard.routine = &standard_form;
  trigon_matrix before[] = {*A, *factor}, after[] = {{0}, *factor};
  const bool done = spectrum_standard_form(p, A, factor, &after[0]) &&
                    spectrum_check(p, &after[0], &call->after[2], error) &&
                    judge_more(&(finished_call){&standard, before, after},
                               standard_form.identity[p->uplo == TRIGON_UPPER], "a", scale, error);
  free(after[0].data);
  return done;
}

/* A·Z = Z·Λ relative to |A|·|Z|, and Zᴴ·Z = I relative to |Z|², of as many vectors as were asked for. With B: A·Z =
 * B·Z·Λ; Zᴴ·B·Z = I relative to |Z|·|B·Z|; and B's factor. */
static bool judge_eigen(const finished_call *call, double *error) {
  const problem *p = call->problem;
  const bench_routine *r = p->routine;
  const double n = (double)p->size[N];
  const bool general = routine_is_general(r);
  trigon_matrix found[MOST_OPERANDS];
  *error = 0;
  if (general && !judge_more(call, p->uplo == TRIGON_UPPER ? "+b-B'B" : "+b-BB'", "b", n, error)) return false;
  if (p->job == TRIGON_VALUES) {
    double of_values = NAN;
    const bool done = judge_values(call, sqrt(n + 2), &of_values);
    if (of_values > *error || isnan(of_values)) *error = of_values;
    return done;
  }
  memcpy(found, call->after, (size_t)routine_operands(r) * sizeof *found);
  found[0].cols = problem_values(p);
  if (routine_is_part(r)) found[1].rows = problem_values(p);
  const finished_call part = {p, call->before, found};
  return judge_more(&part, r->identity[0], r->norms, 1, error) &&
         judge_more(&part, r->identity[1], general ? "A bA" : "A A", 1, error);
}

bool bench_check(const problem *p, const trigon_matrix *before, const trigon_matrix *after, double *error,
                 double *limit) {
  const bench_routine *r = p->routine;
  const finished_call call = {p, before, after};
  const double inner = (double)problem_size(p, r->inner), scale = r->is_product ? sqrt(inner + 2) : inner;
  const bool second = strchr(r->choices, 'S') ? p->side == TRIGON_RIGHT : p->uplo == TRIGON_UPPER;
  *limit = (r->is_product ? 3 : 30) * type_roundoff(p->type);
  if (routine_is_eigen(r)) return judge_eigen(&call, error);
  return judge(&call, r->identity[second], r->norms, scale, error);
}
