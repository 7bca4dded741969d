/* random.c - generators of random numbers, and fillings of matrices, a column at a time. */
#include "random.h"
#include "dense.h"
#include "element_type.h"
#include "parallel.h"

#include <math.h>
#include <stdbool.h>

/* Marsaglia's xorshift64*: the upper half of the product is good enough for test data. */
double random_number(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return ((double)((x * 0x2545F4914F6CDD1Du) >> 11) + 0.5) * 0x1p-52 - 1;
}

/* The state at the beginning of a column. Steele, Lea and Flood's splitmix64: the states of neighbouring seeds and
 * columns have nothing in common. */
static uint64_t column_state(uint64_t seed, int64_t column) {
  uint64_t x = (seed + ((uint64_t)column << 8) + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return x ? x : 1;
}

typedef struct filling {
  const trigon_matrix *A;
  uint64_t seed;
  double divisor; /* of the elements off the diagonal */
  double spread;  /* they are also multiplied by exp(spread·z), z normal, */
  bool shrinks;   /* or by exp(-spread·|z|) */
  bool diagonal;  /* the diagonal has numbers from 1 to 2 */
  bool hard;      /* the 2 × 2 blocks on the diagonal have large numbers */
} filling;

/* The element beside the diagonal in the 2 × 2 block that column j belongs to. */
static void fill_block(const filling *f, int64_t j, uint64_t *state) {
  const int64_t i = j % 2 ? j - 1 : j + 1;
  const double x = random_number(state);
  if (i < f->A->rows) dense_store(f->A, i, j, 1, (double[]){1e6 * (x < 0 ? x - 1 : x + 1), 0});
}

/* Two of a thousand million numbers of the normal distribution are farther from 0. */
static const double farthest = 6;

/* A random number of the normal distribution, by Box and Muller's method, or ±farthest. */
static double random_normal(uint64_t *state) {
  const double turn = 6.283185307179586, u = 0.5 * (random_number(state) + 1); /* u is in (0, 1) */
  return fmin(sqrt(-2 * log(u)), farthest) * cos(turn * random_number(state));
}

static double random_factor(const filling *f, uint64_t *state) {
  const double z = random_normal(state);
  return exp(f->spread * (f->shrinks ? -fabs(z) : z));
}

static void fill_column(const filling *f, int64_t j) {
  enum { CHUNK = 64 };
  double pairs[2 * CHUNK], divisor = f->divisor;
  const int step = type_is_complex(f->A->type) ? 1 : 2; /* real matrices have no imaginary parts */
  uint64_t state = column_state(f->seed, j);
  for (int64_t i = 0; i < f->A->rows; i += CHUNK) {
    int64_t count = f->A->rows - i < CHUNK ? f->A->rows - i : CHUNK;
    for (int64_t k = 0; k < 2 * count; k++) pairs[k] = random_number(&state) / divisor;
    for (int64_t k = 0; f->spread != 0 && k < 2 * count; k += step) pairs[k] *= random_factor(f, &state);
    dense_store(f->A, i, j, count, pairs);
  }
  if (f->diagonal) dense_store(f->A, j, j, 1, (double[]){1 + fabs(random_number(&state)), 0});
  if (f->hard) fill_block(f, j, &state);
}

static void fill_columns(void *data, int worker, int workers) {
  const filling *f = data;
  for (int64_t j = worker; j < f->A->cols; j += workers) fill_column(f, j);
}

static void fill_matrix(filling f) { parallel_columns(f.A, fill_columns, &f); }

double random_most_spread(trigon_type type) {
  const bool has_floats = type == TRIGON_S || type == TRIGON_C;
  return has_floats ? 5 : 50; /* exp(2·5·farthest) is 2^87, and a float is below 2^128. exp(2·50·farthest) is 2^866. */
}

void random_fill(const trigon_matrix *A, uint64_t seed) { random_fill_spread(A, seed, 0); }

void random_fill_spread(const trigon_matrix *A, uint64_t seed, double spread) {
  fill_matrix((filling){.A = A, .seed = seed, .divisor = 1, .spread = spread});
}

void random_fill_dominant(const trigon_matrix *A, uint64_t seed, double spread) {
  fill_matrix((filling){A, seed, (double)A->rows, spread, true, true, false});
}

void random_fill_hard(const trigon_matrix *A, uint64_t seed) {
  fill_matrix((filling){.A = A, .seed = seed, .divisor = 1e9, .diagonal = true, .hard = true});
}
