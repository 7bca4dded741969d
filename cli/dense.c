/* dense.c - elements of dense matrices of any type. */
#include "dense.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Squares of this order are compared with, or copied to, their mirror images: both fit into the first-level cache, so
 * that memory is only walked down columns. */
enum { TILE = 32 };

#define NAMED(x) x##_float
#define REAL float
#include "dense_real.inc"
#undef NAMED
#undef REAL
#define NAMED(x) x##_double
#define REAL double
#include "dense_real.inc"
#undef NAMED
#undef REAL

static bool is_double(trigon_type type) { return type == TRIGON_D || type == TRIGON_Z; }
bool type_is_complex(trigon_type type) { return type == TRIGON_C || type == TRIGON_Z; }
static int parts(trigon_type type) { return type_is_complex(type) ? 2 : 1; }
size_t type_size(trigon_type type) { return (is_double(type) ? sizeof(double) : sizeof(float)) * (size_t)parts(type); }
double type_roundoff(trigon_type type) { return is_double(type) ? 0x1p-53 : 0x1p-24; }

const char *type_words(trigon_type type) {
  static const char *const words[] = {"real, single precision", "real, double precision", "complex, single precision",
                                      "complex, double precision"};
  return words[2 * type_is_complex(type) + is_double(type)];
}

trigon_type common_type(trigon_type a, trigon_type b) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  return types[2 * (type_is_complex(a) || type_is_complex(b)) + (is_double(a) || is_double(b))];
}

bool dense_alloc(trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A) {
  int64_t ld = rows > 1 ? rows : 1;
  *A = (trigon_matrix){NULL, type, rows, cols, ld};
  if (cols > 0 && (uint64_t)ld > (SIZE_MAX / 2 - 64) / type_size(type) / (uint64_t)cols) return false;
  size_t bytes = (size_t)ld * (size_t)(cols > 0 ? cols : 1) * type_size(type);
  A->data = aligned_alloc(64, (bytes + 63) / 64 * 64);
  return A->data != NULL;
}

static char *element(const trigon_matrix *A, int64_t row, int64_t col) {
  return (char *)A->data + (size_t)(row + col * A->ld) * type_size(A->type);
}

void dense_load(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, double *pairs) {
  (is_double(A->type) ? load_double : load_float)(element(A, row, col), parts(A->type), count, pairs);
}

void dense_store(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, const double *pairs) {
  (is_double(A->type) ? store_double : store_float)(element(A, row, col), parts(A->type), count, pairs);
}

void dense_copy(const trigon_matrix *A, const trigon_matrix *B) {
  for (int64_t j = 0; j < A->cols; j++)
    memcpy(element(B, 0, j), element(A, 0, j), (size_t)A->rows * type_size(A->type));
}

/* Marsaglia's xorshift64*: the upper half of the product is as good as anything for test data. */
double random_number(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return ((double)((x * 0x2545F4914F6CDD1Du) >> 11) + 0.5) * 0x1p-52 - 1;
}

/* Steele, Lea and Flood's splitmix64: neighbouring seeds and columns begin far apart. */
uint64_t random_state(uint64_t seed, int64_t column) {
  uint64_t x = (seed + ((uint64_t)column << 8) + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return x ? x : 1;
}

typedef struct filling {
  const trigon_matrix *A;
  uint64_t seed;
} filling;

static void fill_columns(void *data, int part, int parts) {
  enum { SOME = 64 };
  double pairs[2 * SOME];
  const filling *f = data;
  for (int64_t j = part; j < f->A->cols; j += parts) {
    uint64_t state = random_state(f->seed, j);
    for (int64_t i = 0; i < f->A->rows; i += SOME) {
      int64_t count = f->A->rows - i < SOME ? f->A->rows - i : SOME;
      for (int64_t k = 0; k < 2 * count; k++) pairs[k] = random_number(&state);
      dense_store(f->A, i, j, count, pairs);
    }
  }
}

void dense_random(const trigon_matrix *A, uint64_t seed) {
  filling f = {A, seed};
  dense_in_parts(A, fill_columns, &f);
}

/* One part, and the thread that does it, if it has one of its own. */
typedef struct part {
  column_work *work;
  void *data;
  int part, parts;
  bool apart;
  pthread_t thread;
} part;

static void *do_part(void *argument) {
  part *p = argument;
  p->work(p->data, p->part, p->parts);
  return NULL;
}

static int count_parts(const trigon_matrix *A) {
  const double worth = 1 << 20; /* elements: a millisecond's work, of which a thread costs little */
  double parts = fmin((double)A->rows * (double)A->cols / worth, (double)sysconf(_SC_NPROCESSORS_ONLN));
  return parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int)parts;
}

void dense_in_parts(const trigon_matrix *A, column_work *work, void *data) {
  part all[MOST_PARTS];
  int parts = count_parts(A);
  for (int i = 0; i < parts; i++) {
    all[i] = (part){.work = work, .data = data, .part = i, .parts = parts};
    all[i].apart = i > 0 && pthread_create(&all[i].thread, NULL, do_part, &all[i]) == 0;
  }
  for (int i = 0; i < parts; i++) /* also those for which no thread is to be had */
    if (!all[i].apart) do_part(&all[i]);
  for (int i = 0; i < parts; i++)
    if (all[i].apart) pthread_join(all[i].thread, NULL);
}

static double *column_buffer(int64_t rows) { return malloc(sizeof(double) * 2 * (size_t)(rows + 1)); }

bool dense_convert(trigon_matrix *A, trigon_type type) {
  if (A->type == type) return true;
  trigon_matrix B;
  double *column = column_buffer(A->rows);
  if (!dense_alloc(type, A->rows, A->cols, &B) || !column) {
    free(B.data);
    free(column);
    return false;
  }
  for (int64_t j = 0; j < A->cols; j++) {
    dense_load(A, 0, j, A->rows, column);
    dense_store(&B, 0, j, A->rows, column);
  }
  free(column);
  free(A->data);
  *A = B;
  return true;
}

double dense_norm1(const trigon_matrix *A) {
  enum { CHUNK = 256 }; /* elements at a time: a norm needs no memory that it could fail to get */
  double chunk[2 * CHUNK], norm = 0;
  bool complex = type_is_complex(A->type);
  for (int64_t j = 0; j < A->cols; j++) {
    double sum = 0;
    for (int64_t first = 0; first < A->rows; first += CHUNK) {
      int64_t count = A->rows - first < CHUNK ? A->rows - first : CHUNK;
      dense_load(A, first, j, count, chunk);
      for (int64_t i = 0; i < count; i++) sum += complex ? hypot(chunk[2 * i], chunk[2 * i + 1]) : fabs(chunk[2 * i]);
    }
    if (sum > norm || isnan(sum)) norm = sum; /* once NaN, it stays */
  }
  return norm;
}

bool dense_find_nonfinite(const trigon_matrix *A, const trigon_uplo *uplo, int64_t *row, int64_t *col) {
  double pair[2];
  for (*col = 0; *col < A->cols; ++*col) {
    int64_t begin = uplo && *uplo == TRIGON_LOWER ? *col : 0;
    int64_t end = uplo && *uplo == TRIGON_UPPER ? *col + 1 : A->rows;
    for (*row = begin; *row < end; ++*row) {
      dense_load(A, *row, *col, 1, pair);
      if (!isfinite(pair[0]) || !isfinite(pair[1])) return true;
    }
  }
  return false;
}

typedef struct tile {
  double at[TILE][TILE][2]; /* by column, then row */
} tile;

static int64_t tile_end(int64_t begin, int64_t n) { return begin + TILE < n ? begin + TILE : n; }

static void load_tile(const trigon_matrix *A, int64_t row, int64_t col, tile *t) {
  int64_t rows = tile_end(row, A->rows) - row;
  for (int64_t j = col; j < tile_end(col, A->cols); j++) dense_load(A, row, j, rows, t->at[j - col][0]);
}

static double larger(double a, double b) { return a > b ? a : b; }

double dense_asymmetry(const trigon_matrix *A, int64_t *row, int64_t *col, double *largest) {
  tile low, high;
  double worst = 0;
  int64_t n = A->rows;
  *row = *col = 0;
  *largest = 0;
  for (int64_t J = 0; J < n; J += TILE)
    for (int64_t I = J; I < n; I += TILE) {
      load_tile(A, I, J, &low);
      load_tile(A, J, I, &high);
      for (int64_t j = J; j < tile_end(J, n); j++)
        for (int64_t i = I > j ? I : j; i < tile_end(I, n); i++) {
          const double *a = low.at[j - J][i - I], *b = high.at[i - I][j - J];
          double difference = larger(fabs(a[0] - b[0]), fabs(a[1] + b[1]));
          *largest = larger(*largest, larger(larger(fabs(a[0]), fabs(a[1])), larger(fabs(b[0]), fabs(b[1]))));
          if (difference > worst) worst = difference, *row = i, *col = j;
        }
    }
  return worst;
}

/* The tile's conjugate transpose. */
static void turn_tile(const tile *from, tile *to) {
  for (int j = 0; j < TILE; j++)
    for (int i = 0; i < TILE; i++) {
      to->at[i][j][0] = from->at[j][i][0];
      to->at[i][j][1] = -from->at[j][i][1];
    }
}

/* Stores the tile at (row, col); of one on the diagonal only the part beyond the triangle `uplo`. */
static void store_tile(const trigon_matrix *A, int64_t row, int64_t col, trigon_uplo uplo, const tile *t) {
  for (int64_t j = col; j < tile_end(col, A->cols); j++) {
    int64_t begin = row, end = tile_end(row, A->rows);
    if (row == col && uplo == TRIGON_LOWER) end = j;
    if (row == col && uplo == TRIGON_UPPER) begin = j + 1;
    if (begin < end) dense_store(A, begin, j, end - begin, t->at[j - col][begin - row]);
  }
}

void dense_mirror(const trigon_matrix *A, trigon_uplo uplo) {
  tile from = {0}, to;
  for (int64_t J = 0; J < A->cols; J += TILE)
    for (int64_t I = J; I < A->rows; I += TILE) {
      int64_t row = uplo == TRIGON_LOWER ? I : J, col = uplo == TRIGON_LOWER ? J : I;
      load_tile(A, row, col, &from);
      turn_tile(&from, &to);
      store_tile(A, col, row, uplo, &to);
    }
  for (int64_t j = 0; j < A->cols; j++) {
    double pair[2];
    dense_load(A, j, j, 1, pair);
    dense_store(A, j, j, 1, (double[]){pair[0], 0});
  }
}

void dense_clear_opposite(const trigon_matrix *A, trigon_uplo uplo) {
  for (int64_t j = 0; j < A->cols; j++) {
    int64_t begin = uplo == TRIGON_LOWER ? 0 : j + 1, end = uplo == TRIGON_LOWER ? j : A->rows;
    if (begin < end) memset(element(A, begin, j), 0, (size_t)(end - begin) * type_size(A->type));
  }
}
