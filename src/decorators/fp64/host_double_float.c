/* host_double_float.c - C = alpha·A·B + beta·C in pairs of floats, on the host. A thread takes a line of an operand, or
 * a column of C. */
#include "host_double_float.h"

/* Lines of pairs: element l of line i is at data + i·line + l·term. */
typedef struct stored_lines {
  const double_float *data;
  int64_t line, term;
} stored_lines;

typedef struct double_float_job {
  const product *p;
  bool is_complex;
  double_lines A, B;
  double_float_blocks all;
  int32_t *a_exponent, *b_exponent;
  /* the present step */
  double_float_step step;
  double_float *a, *b, *sums; /* pairs by lines; sums by columns */
  const double_lines *lines;
  int32_t *exponent;
  const double_float_product *pairs;
  const double_float_copy *copy;
} double_float_job;

/* ----------------------------------------------------------------------------------------------------- the sums -- */

/* sum + the products of the terms of line i of A and line j of B. */
static double_float add_products(double_float sum, stored_lines A, stored_lines B, int64_t i, int64_t j,
                                 int64_t terms) {
  const double_float *a = A.data + i * A.line, *b = B.data + j * B.line;
  double_float exact = sum;
  for (int64_t l = 0; l < terms; l++) exact = multiply_add_double_floats(a[l * A.term], b[l * B.term], exact);
  if (is_finite_float(exact.high)) return exact;
  for (int64_t l = 0; l < terms; l++) sum.high = multiply_add_special(a[l * A.term], b[l * B.term], sum.high);
  return (double_float){sum.high, 0};
}

/* ------------------------------------------------------------------------------------------------------- doubles -- */

static void find_exponent(int64_t i, void *shared) {
  const double_float_job *j = shared;
  double largest = 0;
  for (int64_t l = 0; l < j->all.k; l++) {
    const double x = fabs(line_element(j->lines, i, l));
    if (is_finite_number(x) && x > largest) largest = x;
  }
  j->exponent[i] = line_exponent(largest, j->all.k);
}

static void convert_line(int64_t i, void *shared) {
  const double_float_job *j = shared;
  const bool first = j->lines == &j->A;
  const int64_t number = (first ? j->step.row : j->step.col) + i, terms = j->step.terms;
  double_float *out = (first ? j->a : j->b) + i * terms;
  for (int64_t l = 0; l < terms; l++)
    out[l] = scaled_double_float(line_element(j->lines, number, j->step.term + l), j->exponent[number]);
}

static void set_lines(double_float_job *j, bool first) {
  j->lines = first ? &j->A : &j->B;
  j->exponent = first ? j->a_exponent : j->b_exponent;
}

/* Element (r, c) of the step's block from its sum. */
static void end_real(const double_float_job *j, int64_t r, int64_t c, double_float sum) {
  const product *p = j->p;
  const int64_t row = j->step.row + r, col = j->step.col + c;
  double *x = (double *)p->C.data + row * p->C.row + col * p->C.col;
  const int exponent = -(j->a_exponent[row] + j->b_exponent[col]);
  *x = last_step(sum, exponent, p->alpha.re, p->beta.re, p->beta.re == 0 ? 0 : *x);
}

/* The complex element of the rows r and r + 1. */
static void end_complex(const double_float_job *j, int64_t r, int64_t c, const double_float sum[2]) {
  const product *p = j->p;
  const int64_t row = j->step.row + r, col = j->step.col + c;
  const complex_number alpha = {p->alpha.re, p->alpha.im}, beta = {p->beta.re, p->beta.im}, none = {0, 0};
  complex_number *x = (complex_number *)p->C.data + row / 2 * p->C.row + col * p->C.col;
  const int exponent = -(j->a_exponent[row] + j->b_exponent[col]);
  *x = last_complex_step(sum[0], sum[1], exponent, alpha, beta, beta.re == 0 && beta.im == 0 ? none : *x);
}

static void multiply_column(int64_t c, void *shared) {
  const double_float_job *j = shared;
  const double_float_step *s = &j->step;
  const stored_lines A = {j->a, s->terms, 1}, B = {j->b, s->terms, 1};
  const int parts = j->is_complex ? 2 : 1;
  for (int64_t r = 0; r < s->rows; r += parts) {
    double_float sum[2] = {{0, 0}, {0, 0}}, *kept = j->sums + r + c * s->rows;
    for (int i = 0; i < parts; i++) {
      sum[i] = add_products(s->first ? sum[i] : kept[i], A, B, r + i, c, s->terms);
      if (!s->last) kept[i] = sum[i];
    }
    if (!s->last) continue;
    if (j->is_complex)
      end_complex(j, r, c, sum);
    else
      end_real(j, r, c, sum[0]);
  }
}

void double_float_gemm(machine *threads, trigon_type type, const product *p, void *workspace, int64_t bytes) {
  double_float_job j = {.p = p, .is_complex = type == TRIGON_Z};
  j.all = whole_product(j.is_complex, p->m, p->n, p->k);
  j.A = lines_of_A(j.is_complex, &p->A, p->m, p->k), j.B = lines_of_B(j.is_complex, &p->B, p->k, p->n);
  const double_float_blocks of = blocks_within(j.all, bytes);
  const double_float_arrays at = arrays_in(workspace, j.all, of);
  j.a = at.a, j.b = at.b, j.sums = at.sums, j.a_exponent = at.a_exponent, j.b_exponent = at.b_exponent;
  set_lines(&j, true);
  machine_parallel_for(threads, j.all.m, find_exponent, &j);
  set_lines(&j, false);
  machine_parallel_for(threads, j.all.n, find_exponent, &j);
  for (int64_t i = 0; i < double_float_steps(j.all, of); i++) {
    j.step = double_float_step_at(j.all, of, i);
    set_lines(&j, true);
    if (j.step.converts_A) machine_parallel_for(threads, j.step.rows, convert_line, &j);
    set_lines(&j, false);
    if (j.step.converts_B) machine_parallel_for(threads, j.step.cols, convert_line, &j);
    machine_parallel_for(threads, j.step.cols, multiply_column, &j);
  }
}

/* --------------------------------------------------------------------------------------------------------- pairs -- */

static void multiply_pair_column(int64_t c, void *shared) {
  const double_float_product *p = ((const double_float_job *)shared)->pairs;
  const stored_lines A = {p->A, p->a_row, p->a_col}, B = {p->B, p->b_col, p->b_row};
  const double_float none = {0, 0};
  for (int64_t r = 0; r < p->m; r++) {
    double_float *x = p->C + r + c * p->ldc;
    const double_float sum = add_products(none, A, B, r, c, p->alpha.high == 0 ? 0 : p->k);
    *x = last_double_float_step(sum, p->alpha, p->beta, p->beta.high == 0 ? none : *x);
  }
}

void gemm_pairs(machine *threads, const double_float_product *p) {
  double_float_job j = {.pairs = p};
  machine_parallel_for(threads, p->n, multiply_pair_column, &j);
}

static void copy_column(int64_t c, void *shared) {
  const double_float_copy *p = ((const double_float_job *)shared)->copy;
  for (int64_t r = 0; r < p->m; r++) copy_pair(p, r, c);
}

void copy_pairs(machine *threads, const double_float_copy *p) {
  double_float_job j = {.copy = p};
  machine_parallel_for(threads, p->n, copy_column, &j);
}
