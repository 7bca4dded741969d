/* kriging_cluster - exact kriging over the processes of an MPI program: a Gaussian process whose covariance no process
 * holds as a whole.
 *
 *   mpirun -np 4 kriging_cluster [POINTS [BLOCK [LIBRARY]]]     default: 20000 64 libscalapack-openmpi.so.2.2
 *
 * Each process computes its own part of the covariance C of the points, in place. POTRF factors C = L·Lᴴ. TRSM solves
 * L·z = y for the observations y, so that the log-likelihood is -(zᴴz + log det C + n·log 2π) / 2. A second solve gives
 * the weights C⁻¹y, and a product with the covariances between points and places predicts at 100 other places. The
 * program prints the error of the predictions, which are compared with the function that was observed. The exit status
 * is 1 if it is large. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>
#include <trigon_cluster.h>

/* BLACS in C, as ScaLAPACK's library exports it. */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);

enum { PLACES = 100 };
static const double range = 0.3, nugget = 1e-4, pi = 3.14159265358979323846;

/* One process's view of the grid. */
typedef struct grid {
  int context, rows, cols, row, col, block;
  trigon_context *ctx;
} grid;

/* A distributed matrix, and this process's part of it. */
typedef struct distributed {
  trigon_cluster_view view;
  trigon_matrix whole;
  double *local;
  int64_t rows, cols, ld; /* of the part */
} distributed;

static _Noreturn void stop(const char *what, const char *why) {
  fprintf(stderr, "kriging_cluster: %s: %s\n", what, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void accept(const grid *g, trigon_status status) {
  if (status != TRIGON_OK) stop(trigon_status_string(status), trigon_message(g->ctx));
}

/* ----------------------------------------------------------------------------------------------------- points -- */

typedef struct point {
  double x, y;
} point;

/* Point i of Kronecker's sequence, which is spread evenly. The places have negative numbers. */
static point point_of(int64_t i) {
  const double s = (double)i + 0.5;
  return (point){fmod(fmod(s * 0.7548776662466927, 1) + 1, 1), fmod(fmod(s * 0.5698402909980532, 1) + 1, 1)};
}

static double height(point p) { return sin(2 * pi * p.x) * cos(pi * p.y) + p.x; }

/* Matérn's covariance of smoothness 3/2. */
static double covariance(point a, point b) {
  const double r = sqrt(3.0) * hypot(a.x - b.x, a.y - b.y) / range;
  return (1 + r) * exp(-r);
}

/* The lower triangle, which is all that POTRF reads. */
static double of_points(int64_t i, int64_t j) {
  return i < j ? 0 : covariance(point_of(i), point_of(j)) + (i == j ? nugget : 0);
}
static double of_places(int64_t i, int64_t j) { return covariance(point_of(i), point_of(-1 - j)); }
static double observed(int64_t i, int64_t j) { return (void)j, height(point_of(i)); }
static double nothing(int64_t i, int64_t j) { return (void)i, (void)j, 0; }

/* --------------------------------------------------------------------------------------------------- matrices -- */

/* The row or column of the whole matrix that lies at place `at` of the part of process `own` of `count`. */
static int64_t global_index(const grid *g, int64_t at, int own, int count) {
  return (at / g->block * count + own) * g->block + at % g->block;
}

/* Makes a matrix whose elements are value(i, j). Each process computes its own. */
static distributed make(const grid *g, int64_t m, int64_t n, double (*value)(int64_t i, int64_t j)) {
  distributed d = {.rows = trigon_cluster_count(m, g->block, g->row, 0, g->rows),
                   .cols = trigon_cluster_count(n, g->block, g->col, 0, g->cols)};
  d.ld = d.rows > 1 ? d.rows : 1;
  d.local = malloc(((size_t)(d.ld * d.cols) + 1) * sizeof *d.local);
  if (!d.local) stop("a matrix", "out of memory");
  for (int64_t j = 0; j < d.cols; j++)
    for (int64_t i = 0; i < d.rows; i++)
      d.local[i + j * d.ld] = value(global_index(g, i, g->row, g->rows), global_index(g, j, g->col, g->cols));
  return d;
}

/* The whole matrix for calls. *d must not move any more. */
static trigon_matrix whole(const grid *g, distributed *d, int64_t m, int64_t n) {
  const int descriptor[] = {1, g->context, (int)m, (int)n, g->block, g->block, 0, 0, (int)d->ld};
  return d->whole = trigon_cluster_matrix(&d->view, TRIGON_D, m, n, d->local, descriptor, 1, 1);
}

/* The sum of the squares of (element - value), over all processes. */
static double squares(const grid *g, const distributed *d, double (*value)(int64_t i, int64_t j)) {
  double own = 0, all = 0;
  for (int64_t j = 0; j < d->cols; j++)
    for (int64_t i = 0; i < d->rows; i++) {
      const double at = value(global_index(g, i, g->row, g->rows), global_index(g, j, g->col, g->cols));
      own += (d->local[i + j * d->ld] - at) * (d->local[i + j * d->ld] - at);
    }
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static double height_of_place(int64_t i, int64_t j) { return (void)j, height(point_of(-1 - i)); }

/* ----------------------------------------------------------------------------------------------- the program -- */

static grid open_grid(int argc, char **argv) {
  int processes = 1;
  char name[1024], why[400];
  grid g = {.block = argc > 2 ? atoi(argv[2]) : 64};
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int rows = (int)sqrt(processes);
  while (processes % rows != 0) rows--;
  Cblacs_get(0, 0, &g.context);
  Cblacs_gridinit(&g.context, "Row", rows, processes / rows);
  Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
  snprintf(name, sizeof name, "cluster:%s", argc > 3 ? argv[3] : "libscalapack-openmpi.so.2.2");
  if (trigon_cluster_create(name, g.context, &g.ctx, why, sizeof why) != TRIGON_OK) stop("no context", why);
  return g;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int64_t n = argc > 1 ? atoll(argv[1]) : 20000;
  if (n < 1 || n > 1000000 || (argc > 2 && atoi(argv[2]) < 1))
    stop("usage", "kriging_cluster [POINTS [BLOCK [LIBRARY]]], POINTS from 1 to 1000000, BLOCK from 1");
  grid g = open_grid(argc, argv);
  const trigon_scalar one = {1, 0}, zero = {0, 0};
  int64_t info = 0;
  double logdet = 0;
  const double begun = MPI_Wtime();

  distributed C = make(&g, n, n, of_points), y = make(&g, n, 1, observed);
  const trigon_matrix c = whole(&g, &C, n, n), z = whole(&g, &y, n, 1);
  const double built = MPI_Wtime();
  accept(&g, trigon_potrf(g.ctx, TRIGON_LOWER, c, &info));
  if (info != 0) stop("POTRF", "the covariance is not positive definite");
  const double factored = MPI_Wtime();
  accept(&g, trigon_logdet(g.ctx, c, &logdet));
  accept(&g, trigon_trsm(g.ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, c, z));
  const double likelihood = -0.5 * (squares(&g, &y, nothing) + logdet + (double)n * log(2 * pi));
  accept(&g, trigon_trsm(g.ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_TRANS, TRIGON_NONUNIT, one, c, z));

  distributed K = make(&g, n, PLACES, of_places), f = make(&g, PLACES, 1, nothing);
  const trigon_matrix k = whole(&g, &K, n, PLACES), predicted = whole(&g, &f, PLACES, 1);
  accept(&g, trigon_gemm(g.ctx, TRIGON_TRANS, TRIGON_NOTRANS, one, k, z, zero, predicted));
  const double error = sqrt(squares(&g, &f, height_of_place) / PLACES);
  if (g.row == 0 && g.col == 0) {
    printf("%lld points on %d x %d processes, log-likelihood %.10g, error at %d places %.3g\n", (long long)n, g.rows,
           g.cols, likelihood, PLACES, error);
    printf("covariance %.2f s, POTRF %.2f s, the rest %.2f s, %.0f MB a process\n", built - begun, factored - built,
           MPI_Wtime() - factored, 8e-6 * (double)(C.ld * C.cols));
  }
  trigon_destroy(g.ctx);
  Cblacs_gridexit(g.context);
  double *const parts[] = {C.local, y.local, K.local, f.local};
  for (int i = 0; i < 4; i++) free(parts[i]);
  MPI_Finalize();
  return error > 0.05;
}
