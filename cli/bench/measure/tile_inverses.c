/* tile_inverses.c - inverts diagonal tiles by substitution, and bounds what products with the inverses would cost. */
#include "tile_inverses.h"
#include "../../matrix/dense.h"

#include <complex.h>
#include <math.h>

/* The command is over trigon.h alone, so it has a copy of the constants of src/gpu/kernels/diagonal/inverse_rule.h. */
enum { ORDER = COUNTED_TILE, RESIDUAL_LIMIT = 30, SUM_ROUNDINGS = 2 };

/* A lower triangle. */
typedef struct diagonal_tile {
  double complex at[ORDER][ORDER];
} diagonal_tile;

/* |re| + |im|, as the kernels have it. */
static double magnitude(double complex x) { return fabs(creal(x)) + fabs(cimag(x)); }

/* Loads the diagonal tile of `count` rows from row `first` on. An upper triangle is reversed, which changes no sum of a
 * row. Conjugation changes no magnitude. */
static void load_tile(const problem *p, const trigon_matrix *A, bool transposed, int64_t first, int count,
                      diagonal_tile *L) {
  const bool upper = (p->uplo == TRIGON_UPPER) != transposed;
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++) {
      const int row = upper ? count - 1 - i : i, col = upper ? count - 1 - j : j;
      double pair[2] = {1, 0};
      if (i > j || p->diag != TRIGON_UNIT)
        dense_load(A, first + (transposed ? col : row), first + (transposed ? row : col), 1, pair);
      L->at[i][j] = pair[0] + pair[1] * I;
    }
}

/* V = L⁻¹. Returns whether all reciprocals are normal numbers. */
static bool invert(const diagonal_tile *L, int count, diagonal_tile *V) {
  bool normal = true;
  for (int j = 0; j < count; j++)
    for (int i = j; i < count; i++) {
      double complex sum = i == j;
      for (int k = j; k < i; k++) sum -= L->at[i][k] * V->at[k][j];
      V->at[i][j] = sum / L->at[i][i];
      if (i == j) normal = normal && isnormal(magnitude(V->at[i][i]));
    }
  return normal;
}

/* ‖|F||G|‖ of two lower triangles, as the largest element of |F|·(|G|·1). A NaN stays. */
static double norm_of_product(const diagonal_tile *F, const diagonal_tile *G, int count) {
  double sums[ORDER], norm = 0;
  for (int i = 0; i < count; i++) {
    double sum = sums[i] = 0;
    for (int j = 0; j <= i; j++) sums[i] += magnitude(G->at[i][j]);
    for (int j = 0; j <= i; j++) sum += magnitude(F->at[i][j]) * sums[j];
    if (!(sum <= norm)) norm = sum;
  }
  return norm;
}

static bool is_refused(const diagonal_tile *L, int count, int64_t n) {
  diagonal_tile V;
  if (!invert(L, count, &V)) return true;
  const double most = RESIDUAL_LIMIT * (double)n, roundings = SUM_ROUNDINGS * ORDER;
  return !(roundings * norm_of_product(&V, L, count) <= most) && !(roundings * norm_of_product(L, &V, count) <= most);
}

tile_inverses count_tile_inverses(const problem *p, const trigon_matrix *A) {
  tile_inverses found = {0, 0};
  const bool transposed = (p->op[0] != TRIGON_NOTRANS) != (p->side == TRIGON_RIGHT);
  for (const char *solve = p->routine->solves; *solve; solve++)
    for (int64_t first = 0; first < A->rows; first += ORDER) {
      diagonal_tile L;
      const int count = (int)(A->rows - first < ORDER ? A->rows - first : ORDER);
      load_tile(p, A, (*solve == 't') != transposed, first, count, &L);
      found.tiles++;
      found.refused += is_refused(&L, count, A->rows);
    }
  return found;
}
