/* dense.c - allocates, loads, stores, converts, compares and mirrors elements of dense matrices. */
#include "dense.h"
#include "element_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The order of the square tiles that are compared with their mirror images, or copied to them. A tile and its mirror
 * image fit into the first-level cache together, so that the loops over memory only run down columns. */
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

/* The benchmark hands matrices to other libraries. OpenBLAS 0.3.21's ZDOTC for Haswell, which ZLAUUM calls, reads
 * beyond the end of its operands, and faults if a page ends there. So each matrix has some bytes behind its end. */
enum { alignment = 64, bytes_behind = 256 };

bool dense_alloc(trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A) {
  int64_t ld = rows > 1 ? rows : 1;
  *A = (trigon_matrix){NULL, type, rows, cols, ld};
  if (cols > 0 && (uint64_t)ld > (SIZE_MAX / 2 - alignment - bytes_behind) / type_bytes(type) / (uint64_t)cols)
    return false;
  size_t bytes = (size_t)ld * (size_t)(cols > 0 ? cols : 1) * type_bytes(type);
  A->data = aligned_alloc(alignment, (bytes + bytes_behind + alignment - 1) / alignment * alignment);
  return A->data != NULL;
}

static char *element(const trigon_matrix *A, int64_t row, int64_t col) {
  return (char *)A->data + (size_t)(row + col * A->ld) * type_bytes(A->type);
}

static bool has_doubles(const trigon_matrix *A) { return type_real_bytes(A->type) == sizeof(double); }

void dense_load(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, double *pairs) {
  (has_doubles(A) ? load_double : load_float)(element(A, row, col), type_reals(A->type), count, pairs);
}

void dense_store(const trigon_matrix *A, int64_t row, int64_t col, int64_t count, const double *pairs) {
  (has_doubles(A) ? store_double : store_float)(element(A, row, col), type_reals(A->type), count, pairs);
}

void dense_copy(const trigon_matrix *A, const trigon_matrix *B) {
  for (int64_t j = 0; j < A->cols; j++)
    memcpy(element(B, 0, j), element(A, 0, j), (size_t)A->rows * type_bytes(A->type));
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
  enum { CHUNK = 256 }; /* elements at a time, on the stack: no allocation can fail */
  double chunk[2 * CHUNK], norm = 0;
  bool complex = type_is_complex(A->type);
  for (int64_t j = 0; j < A->cols; j++) {
    double sum = 0;
    for (int64_t first = 0; first < A->rows; first += CHUNK) {
      int64_t count = A->rows - first < CHUNK ? A->rows - first : CHUNK;
      dense_load(A, first, j, count, chunk);
      for (int64_t i = 0; i < count; i++) sum += complex ? hypot(chunk[2 * i], chunk[2 * i + 1]) : fabs(chunk[2 * i]);
    }
    if (sum > norm || isnan(sum)) norm = sum; /* a NaN stays */
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

typedef struct mirrored_tile {
  double at[TILE][TILE][2]; /* by column, then row */
} mirrored_tile;

static int64_t tile_end(int64_t begin, int64_t n) { return begin + TILE < n ? begin + TILE : n; }

static void load_tile(const trigon_matrix *A, int64_t row, int64_t col, mirrored_tile *t) {
  int64_t rows = tile_end(row, A->rows) - row;
  for (int64_t j = col; j < tile_end(col, A->cols); j++) dense_load(A, row, j, rows, t->at[j - col][0]);
}

static double larger(double a, double b) { return a > b ? a : b; }

double dense_asymmetry(const trigon_matrix *A, int64_t *row, int64_t *col, double *largest) {
  mirrored_tile low, high;
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
static void transpose_tile(const mirrored_tile *from, mirrored_tile *to) {
  for (int j = 0; j < TILE; j++)
    for (int i = 0; i < TILE; i++) {
      to->at[i][j][0] = from->at[j][i][0];
      to->at[i][j][1] = -from->at[j][i][1];
    }
}

/* Stores the tile at (row, col). Of a tile on the diagonal, stores only the elements outside the triangle `uplo`. */
static void store_tile(const trigon_matrix *A, int64_t row, int64_t col, trigon_uplo uplo, const mirrored_tile *t) {
  for (int64_t j = col; j < tile_end(col, A->cols); j++) {
    int64_t begin = row, end = tile_end(row, A->rows);
    if (row == col && uplo == TRIGON_LOWER) end = j;
    if (row == col && uplo == TRIGON_UPPER) begin = j + 1;
    if (begin < end) dense_store(A, begin, j, end - begin, t->at[j - col][begin - row]);
  }
}

void dense_mirror(const trigon_matrix *A, trigon_uplo uplo) {
  mirrored_tile from = {0}, to;
  for (int64_t J = 0; J < A->cols; J += TILE)
    for (int64_t I = J; I < A->rows; I += TILE) {
      int64_t row = uplo == TRIGON_LOWER ? I : J, col = uplo == TRIGON_LOWER ? J : I;
      load_tile(A, row, col, &from);
      transpose_tile(&from, &to);
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
    if (begin < end) memset(element(A, begin, j), 0, (size_t)(end - begin) * type_bytes(A->type));
  }
}
