/* time_cluster.c - what each routine on distributed matrices sends, and how long it takes, beside the library's own.
 *
 * Usage: mpirun -np P·Q time_cluster N NB P Q [REPEAT [ROUTINE]]
 * Type d, lower triangles, matrices of order N; POTRS has 64 right-hand sides. Prints CSV. `ours` and `library` (the
 * option native=1) take turns, and the shortest time counts. Messages and bytes are those that MPI is handed, by the
 * mean of all processes; they depend on the arguments alone. Rows `agreement` are calls that have nothing to
 * compute. */
#include <string.h>

#include "cluster_support.h"
#include "count_messages.h"

enum { WAYS = 2 };
static const char *const ways[WAYS] = {"ours", "library"};

typedef struct bench {
  int rank, nb;
  int64_t n;
  process_grid grid;
  trigon_context *ctx[WAYS];
  int descriptor[9], thin[9];
  int64_t elements, thin_elements;
  double *source, *factor, *A, *B, *C;
  trigon_cluster_view view[3];
} bench;

enum { THIN = 64 };
typedef trigon_status routine_fn(trigon_context *, trigon_matrix A, trigon_matrix B, trigon_matrix C);

static const trigon_scalar one = {1, 0}, none = {0, 0};
static trigon_status run_nothing(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  const trigon_matrix empty = {NULL, TRIGON_D, 0, 0, 1};
  return (void)A, (void)B, (void)C, trigon_lauum(ctx, TRIGON_LOWER, empty);
}
static trigon_status run_gemm(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return trigon_gemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, one, A, B, none, C);
}
static trigon_status run_syrk(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)A, trigon_syrk(ctx, TRIGON_LOWER, TRIGON_NOTRANS, one, B, none, C);
}
static trigon_status run_trmm(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)C, trigon_trmm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, A, B);
}
static trigon_status run_trsm(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)C, trigon_trsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, A, B);
}
static trigon_status run_potrf(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)A, (void)C, trigon_potrf(ctx, TRIGON_LOWER, B, NULL);
}
static trigon_status run_potrs(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)B, trigon_potrs(ctx, TRIGON_LOWER, A, C);
}
static trigon_status run_trtri(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)A, (void)C, trigon_trtri(ctx, TRIGON_LOWER, TRIGON_NONUNIT, B, NULL);
}
static trigon_status run_lauum(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)A, (void)C, trigon_lauum(ctx, TRIGON_LOWER, B);
}
static trigon_status run_potri(trigon_context *ctx, trigon_matrix A, trigon_matrix B, trigon_matrix C) {
  return (void)A, (void)C, trigon_potri(ctx, TRIGON_LOWER, B, NULL);
}

static const struct {
  const char *name;
  routine_fn *run;
  enum { RANDOM_B, MATRIX_B, FACTOR_B } start;
  bool thin, cut;
} benched[] = {{"agreement", run_nothing, RANDOM_B, false, false}, {"gemm", run_gemm, RANDOM_B, false, false},
               {"syrk", run_syrk, RANDOM_B, false, false},         {"trmm", run_trmm, RANDOM_B, false, false},
               {"trsm", run_trsm, RANDOM_B, false, false},         {"potrf", run_potrf, MATRIX_B, false, false},
               {"potrs", run_potrs, RANDOM_B, true, false},        {"trtri", run_trtri, FACTOR_B, false, true},
               {"lauum", run_lauum, FACTOR_B, false, true},        {"potri", run_potri, FACTOR_B, false, true}};

/* ------------------------------------------------------------------------------------------------ matrices -- */

static int64_t global_index(int64_t at, int block, int own, int count) {
  return (at / block * count + own) * block + at % block;
}

/* Elements of about 1 / 2 at random, which both halves have in common, and a diagonal of n. */
static double value(int64_t i, int64_t j, int64_t n) {
  const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
  if (i == j) return (double)n;
  return (double)((low * 2654435761u + high * 40503u) % 1000003) / 1000003.0 - 0.5;
}

static void fill(bench *b) {
  const int64_t ld = b->descriptor[8], cols = b->elements / ld;
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < ld; i++)
      b->source[i + j * ld] = value(global_index(i, b->nb, b->grid.row, b->grid.rows),
                                    global_index(j, b->nb, b->grid.col, b->grid.cols), b->n);
}

/* A descriptor of n × cols elements. Returns the elements of the local part. */
static int64_t describe(const bench *b, int64_t cols, int *descriptor) {
  const int64_t rows = trigon_cluster_count(b->n, b->nb, b->grid.row, 0, b->grid.rows), ld = rows > 1 ? rows : 1;
  const int made[] = {1, b->grid.context, (int)b->n, (int)cols, b->nb, b->nb, 0, 0, (int)ld};
  memcpy(descriptor, made, sizeof made);
  return ld * trigon_cluster_count(cols, b->nb, b->grid.col, 0, b->grid.cols);
}

static double *take(int64_t elements) {
  double *data = calloc((size_t)elements + 1, sizeof *data);
  if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
  return data;
}

static trigon_matrix matrix(bench *b, int i, double *data, bool thin) {
  return trigon_cluster_matrix(&b->view[i], TRIGON_D, b->n, thin ? THIN : b->n, data, thin ? b->thin : b->descriptor, 1,
                               1);
}

static void accept(const bench *b, int way, trigon_status status) {
  if (status == TRIGON_OK) return;
  printf("process %d: %s\n", b->rank, trigon_message(b->ctx[way]));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void open_bench(bench *b, char **argv) {
  b->n = strtoll(argv[1], NULL, 10), b->nb = atoi(argv[2]);
  b->grid = grid_open(atoi(argv[3]), atoi(argv[4]));
  for (int way = 0; way < WAYS; way++) {
    char name[300];
    snprintf(name, sizeof name, "%s%s", cluster_name(), way ? "?native=1" : "");
    b->ctx[way] = open_cluster(name, &b->grid);
  }
  b->elements = describe(b, b->n, b->descriptor), b->thin_elements = describe(b, THIN, b->thin);
  double **const all[] = {&b->source, &b->factor, &b->A, &b->B, &b->C};
  for (int i = 0; i < 5; i++) *all[i] = take(b->elements + b->thin_elements);
  fill(b);
  memcpy(b->factor, b->source, (size_t)b->elements * sizeof(double));
  accept(b, 0, trigon_potrf(b->ctx[0], TRIGON_LOWER, matrix(b, 0, b->factor, false), NULL));
}

/* ---------------------------------------------------------------------------------------------------- times -- */

typedef struct measured {
  double seconds;
  message_count count;
} measured;

static measured run_once(bench *b, int r, int way) {
  const size_t bytes = (size_t)b->elements * sizeof(double);
  memcpy(b->A, b->factor, bytes);
  memcpy(b->B, benched[r].start == FACTOR_B ? b->factor : b->source, bytes);
  const trigon_matrix A = matrix(b, 0, b->A, false), B = matrix(b, 1, b->B, false);
  const trigon_matrix C = matrix(b, 2, b->C, benched[r].thin);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  count_start();
  accept(b, way, benched[r].run(b->ctx[way], A, B, C));
  const message_count count = count_stop();
  MPI_Barrier(MPI_COMM_WORLD);
  return (measured){MPI_Wtime() - begun, count};
}

static void run_turns(bench *b, int r, int repeat) {
  measured best[WAYS] = {{1e300, {0, 0}}, {1e300, {0, 0}}};
  for (int turn = 0; turn < repeat; turn++)
    for (int i = 0; i < WAYS; i++) {
      const int way = (i + turn) % WAYS;
      const measured m = run_once(b, r, way);
      best[way].count = m.count;
      if (m.seconds < best[way].seconds) best[way].seconds = m.seconds;
    }
  for (int way = 0; b->rank == 0 && way < WAYS; way++)
    printf("%s,%s,%s,%lld,%d,%dx%d,%.1f,%.0f,%.4f\n", benched[r].name, ways[way], benched[r].cut ? "" : "yes",
           (long long)b->n, b->nb, b->grid.rows, b->grid.cols, best[way].count.calls, best[way].count.bytes,
           best[way].seconds);
  fflush(stdout);
}

int main(int argc, char **argv) {
  bench b = {0};
  b.rank = start(&argc, &argv, 3600);
  if (argc < 5 || atoi(argv[1]) < 1 || atoi(argv[2]) < 1) {
    if (b.rank == 0) fprintf(stderr, "usage: time_cluster N NB P Q [REPEAT [ROUTINE]]\n");
    MPI_Finalize();
    return 2;
  }
  open_bench(&b, argv);
  if (b.rank == 0) printf("routine,way,handed_over,n,nb,grid,messages,bytes,seconds\n");
  for (int r = 0; r < (int)(sizeof benched / sizeof *benched); r++)
    if (argc < 7 || strcmp(argv[6], benched[r].name) == 0) run_turns(&b, r, argc > 5 ? atoi(argv[5]) : 1);
  for (int way = 0; way < WAYS; way++) trigon_destroy(b.ctx[way]);
  double *const all[] = {b.source, b.factor, b.A, b.B, b.C};
  for (int i = 0; i < 5; i++) free(all[i]);
  MPI_Finalize();
  return failed > 0;
}
