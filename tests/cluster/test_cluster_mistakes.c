/* test_cluster_mistakes.c - whatever is refused, is refused on every process, before anything is sent or written: bad
 * names and grids, bad operands, processes that make different calls, functions that have no distributed form. */
#include <string.h>
#include <trigon_eigen.h>

#include "cluster_support.h"
#include "support/matrices.h"

enum { N = 20, NB = 4 };

static int rank;

/* Two matrices of order N on one grid. */
typedef struct pair {
  process_grid grid;
  trigon_context *ctx;
  distributed A, B;
} pair;

static const distribution plain = {.mb = NB, .nb = NB};

static void fill(distributed *d, const process_grid *g, const distribution *how) {
  guarded whole = {0};
  random_stream r = {7};
  guarded_shape(&whole, TRIGON_D, N, N, 0);
  matrix_fill(whole.matrix, POSITIVE, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
  distribute(d, g, how, whole.matrix);
  guarded_free(&whole);
}

static void pair_open(pair *p) {
  memset(p, 0, sizeof *p);
  p->grid = grid_open(2, 2);
  p->ctx = open_cluster(cluster_name(), &p->grid);
  fill(&p->A, &p->grid, &plain);
  fill(&p->B, &p->grid, &plain);
}

static void pair_close(pair *p) {
  distributed_free(&p->A), distributed_free(&p->B);
  trigon_destroy(p->ctx);
  Cblacs_gridexit(p->grid.context);
}

/* All processes have the status and a message with these words. Nothing has changed. */
static void refused(const pair *p, trigon_status status, trigon_status due, const char *words, const char *what) {
  char stray[128];
  const char *message = trigon_message(p->ctx);
  check_that(status == due, "process %d, %s: status %s, must be %s", rank, what, trigon_status_string(status),
             trigon_status_string(due));
  check_that(strstr(message, words) != NULL, "process %d, %s: \"%s\" lacks \"%s\"", rank, what, message, words);
  const char *at = distributed_stray(&p->A, (region){REGION_NONE, false}, stray, sizeof stray);
  check_that(!at, "process %d, %s: A %s", rank, what, at);
  at = distributed_stray(&p->B, (region){REGION_NONE, false}, stray, sizeof stray);
  check_that(!at, "process %d, %s: B %s", rank, what, at);
}

/* The message where the mistake is, and on the other processes. */
static const char *told(int culprit, const char *words) {
  return rank == culprit ? words : "of the grid refuses this call";
}

/* ------------------------------------------------------------------------------------------------ operands -- */

/* A matrix over a changed view of A. */
typedef struct mistake {
  const char *what, *words;
  int member, value;    /* of the descriptor; -1: none */
  int64_t ia, ja;       /* 0: 1 */
  int64_t rows;         /* 0: N */
  bool lost, untagged;  /* no local part; no view */
  trigon_status status; /* 0: a bad argument */
} mistake;

static const mistake mistakes[] = {
    {"type", "descriptor of type 502", 0, 502, 0, 0, 0, false, false, TRIGON_OK},
    {"context", "over the BLACS context 77", 1, 77, 0, 0, 0, false, false, TRIGON_OK},
    {"m", "must not be negative", 2, -1, 0, 0, 0, false, false, TRIGON_OK},
    {"mb", "blocks of 0", 4, 0, 0, 0, 0, false, false, TRIGON_OK},
    {"square", "must be square here", 4, 5, 0, 0, 0, false, false, TRIGON_OK},
    {"rsrc", "first block at process (2, 0)", 6, 2, 0, 0, 0, false, false, TRIGON_OK},
    {"csrc", "first block at process (0, -1)", 7, -1, 0, 0, 0, false, false, TRIGON_OK},
    {"lld", "local leading dimension 1,", 8, 1, 0, 0, 0, false, false, TRIGON_OK},
    {"ia", "begins at ia = 3 inside of a block", -1, 0, 3, 1, 8, false, false, TRIGON_OK},
    {"ja", "begins at ja = 4 inside of a block", -1, 0, 1, 4, 8, false, false, TRIGON_OK},
    {"ia of 0", "must be from 1", -1, 0, -1, 1, 8, false, false, TRIGON_OK},
    {"beyond", "beyond the matrix of 20 × 20", -1, 0, 5, 1, 0, false, false, TRIGON_OK},
    {"no local part", "has the local part NULL", -1, 0, 0, 0, 0, true, false, TRIGON_OK},
    {"no view", "that trigon_cluster_matrix has made", -1, 0, 0, 0, 0, false, true, TRIGON_OK},
    {"32 bits", "32-bit integers", 8, 1 << 29, 0, 0, 0, false, false, TRIGON_NOT_SUPPORTED},
};

static trigon_matrix changed_operand(pair *p, const mistake *m, trigon_cluster_view *view) {
  int descriptor[9];
  const int64_t rows = m->rows ? m->rows : N;
  memcpy(descriptor, p->A.descriptor, sizeof descriptor);
  if (m->member >= 0) descriptor[m->member] = m->value;
  const trigon_matrix M = trigon_cluster_matrix(view, TRIGON_D, rows, rows, m->lost ? NULL : p->A.local.matrix.data,
                                                descriptor, m->ia ? m->ia : 1, m->ja ? m->ja : 1);
  if (m->untagged) view->tag = 1;
  if (m->ia < 0) view->ia = 0;
  return M;
}

/* On all processes, and on one of them. */
static void check_mistake(pair *p, const mistake *m) {
  trigon_cluster_view view;
  int64_t info = -1;
  const trigon_status due = m->status ? m->status : TRIGON_BAD_ARGUMENT;
  trigon_matrix bad = changed_operand(p, m, &view), good = distributed_operand(&p->A);
  refused(p, trigon_potrf(p->ctx, TRIGON_LOWER, bad, &info), due, m->words, m->what);
  check_that(strstr(trigon_message(p->ctx), "trigon_potrf: argument 2 (A): ") != NULL, "%s names no argument", m->what);
  for (int culprit = 0; culprit < 4; culprit += 3) {
    const trigon_status status = trigon_potrf(p->ctx, TRIGON_LOWER, rank == culprit ? bad : good, &info);
    refused(p, status, due, told(culprit, m->words), m->what);
  }
  check_that(info == -1, "%s: info was written", m->what);
}

/* --------------------------------------------------------------------------------------- different calls -- */

static void check_differences(pair *p) {
  const trigon_matrix A = distributed_operand(&p->A), B = distributed_operand(&p->B);
  const bool odd = rank == 2;
  const trigon_scalar one = {1, 0}, two = {2, 0};
  const trigon_op n = TRIGON_NOTRANS;
  const trigon_diag diag = TRIGON_NONUNIT;
  refused(p, trigon_trsm(p->ctx, TRIGON_LEFT, odd ? TRIGON_UPPER : TRIGON_LOWER, n, diag, one, A, B),
          TRIGON_BAD_ARGUMENT, "different routines or flags", "another uplo");
  refused(p, trigon_trsm(p->ctx, TRIGON_LEFT, TRIGON_LOWER, n, diag, odd ? two : one, A, B), TRIGON_BAD_ARGUMENT,
          "different scalars", "another alpha");
  refused(p, odd ? trigon_lauum(p->ctx, TRIGON_LOWER, A) : trigon_trtri(p->ctx, TRIGON_LOWER, diag, A, NULL),
          TRIGON_BAD_ARGUMENT, "different routines or flags", "another routine");
  trigon_matrix thin = B;
  thin.cols = odd ? 3 : 4;
  refused(p, trigon_trsm(p->ctx, TRIGON_LEFT, TRIGON_LOWER, n, diag, one, A, thin), TRIGON_BAD_ARGUMENT,
          "different sizes", "another size");
  trigon_cluster_view moved = p->B.view;
  const trigon_matrix at = {&moved, TRIGON_D, N, 4, N};
  moved.ja = odd ? 5 : 1;
  refused(p, trigon_trsm(p->ctx, TRIGON_LEFT, TRIGON_LOWER, n, diag, one, A, at), TRIGON_BAD_ARGUMENT,
          "descriptors, ia or ja of B", "another ja");
  refused(p, trigon_trsm(p->ctx, odd ? (trigon_side)0 : TRIGON_LEFT, TRIGON_LOWER, n, diag, one, A, B),
          TRIGON_BAD_ARGUMENT, told(2, "argument 1 (side) is 0"), "a bad flag on one process");
  trigon_matrix wrong = B;
  if (odd) wrong.rows = N - 1;
  refused(p, trigon_trsm(p->ctx, TRIGON_LEFT, TRIGON_LOWER, n, diag, one, A, wrong), TRIGON_BAD_ARGUMENT,
          told(2, "argument"), "a bad shape on one process");
  double logdet = 0;
  refused(p, trigon_logdet(p->ctx, A, odd ? NULL : &logdet), TRIGON_BAD_ARGUMENT, told(2, "logdet"), "no logdet");
}

/* Two kinds of mistakes at once: all processes get one status. */
static void check_one_status(pair *p) {
  trigon_cluster_view view;
  const mistake *large = &mistakes[sizeof mistakes / sizeof *mistakes - 1];
  const trigon_matrix bad = changed_operand(p, large, &view), A = distributed_operand(&p->A);
  const trigon_uplo uplo = rank == 1 ? (trigon_uplo)0 : TRIGON_LOWER;
  const trigon_status status = trigon_potrf(p->ctx, uplo, rank == 3 ? bad : A, NULL);
  const char *words = rank == 1 ? "argument 1 (uplo)" : told(3, large->words);
  refused(p, status, TRIGON_NOT_SUPPORTED, words, "two mistakes");
}

/* --------------------------------------------------------------------------------------- other functions -- */

static void check_unsupported(pair *p) {
  const trigon_matrix A = distributed_operand(&p->A);
  double x[N] = {0}, *at[] = {x};
  const int64_t n[] = {1}, ld[] = {1};
  int64_t info[] = {0};
  trigon_pair pairs[1] = {{0, 0}};
  const trigon_status due = TRIGON_NOT_SUPPORTED;
  refused(p, trigon_dpotrf_batch(p->ctx, TRIGON_LOWER, 1, 1, n, at, ld, info), due, "distributed", "a batch");
  refused(p, trigon_dtrsv(p->ctx, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, N, A.data, N, x, 1), due, "distributed",
          "vectors");
  refused(p, trigon_syevd(p->ctx, TRIGON_VALUES, TRIGON_LOWER, A, x, info), due, "no eigensolver", "eigenvalues");
  refused(p, trigon_set_fp64(p->ctx, TRIGON_FP64_INT8, 14), due, "distributed", "emulated products");
  refused(p, trigon_gemm_pairs(p->ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, 1, 1, 1, 1, pairs, 1, pairs, 1, 0, pairs, 1),
          due, "distributed", "pairs");
  refused(p, trigon_copy(p->ctx, A, A), due, "its own part", "a copy");
  refused(p, trigon_upload(p->ctx, A, A), due, "its own part", "an upload");
  refused(p, trigon_download(p->ctx, A, A), due, "its own part", "a download");
  refused(p, trigon_copy_triangle(p->ctx, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_KEEP, A, A), due, "its own part",
          "a triangle");
  check(trigon_set_fp64(p->ctx, TRIGON_FP64_NATIVE, 0) == TRIGON_OK, "native products");
  check(!trigon_on_host(p->ctx), "a distributed matrix is not one of the host");
  check(*trigon_rows(p->ctx) == '\0', "there is no tuning table");
}

/* --------------------------------------------------------------------------------------------- creation -- */

static void not_created(const char *name, int grid, trigon_status due, const char *words) {
  char why[400] = "";
  trigon_context *ctx = NULL;
  const trigon_status status = trigon_cluster_create(name, grid, &ctx, why, sizeof why);
  check_that(status == due && !ctx, "\"%s\", grid %d: %s, must be %s", name ? name : "NULL", grid,
             trigon_status_string(status), trigon_status_string(due));
  check_that(strstr(why, words) != NULL && strncmp(why, "trigon_cluster_create: ", 23) == 0,
             "\"%s\": \"%s\" lacks \"%s\"", name ? name : "NULL", why, words);
  trigon_destroy(ctx);
}

static void check_creation(const process_grid *g) {
  char why[400] = "";
  trigon_context *ctx = NULL;
  not_created(cluster_name(), -1, TRIGON_BAD_ARGUMENT, "grid is -1");
  not_created(cluster_name(), 999, TRIGON_BAD_ARGUMENT, "grid is 999");
  not_created("cluster:libno-such-scalapack.so", g->context, TRIGON_NOT_FOUND, "libno-such-scalapack.so");
  not_created("cluster:libz.so.1", g->context, TRIGON_NOT_FOUND, "so it is no ScaLAPACK");
  not_created("cluster:", g->context, TRIGON_BAD_ARGUMENT, "names no library");
  not_created("cpu", g->context, TRIGON_BAD_ARGUMENT, "cluster:LIBRARY expected");
  not_created("cluster?stop=3", g->context, TRIGON_BAD_ARGUMENT, "unknown option");
  not_created(NULL, g->context, TRIGON_BAD_ARGUMENT, "argument 1 (name) is NULL");
  check(trigon_cluster_create("cluster", g->context, NULL, why, sizeof why) == TRIGON_BAD_ARGUMENT &&
            strstr(why, "argument 3 (ctx) is NULL"),
        "no ctx");
  check(trigon_create(cluster_name(), &ctx, why, sizeof why) == TRIGON_BAD_ARGUMENT && !ctx &&
            strstr(why, "trigon_create: a cluster needs a BLACS context"),
        "trigon_create has no grid");
  check(trigon_cluster_create("cluster", g->context, &ctx, why, sizeof why) == TRIGON_OK && ctx &&
            strstr(trigon_describe(ctx), "grid of 2 × 2"),
        "the program's own ScaLAPACK");
  trigon_destroy(ctx);
  const process_grid small = grid_open(1, 2);
  if (small.row < 0) not_created(cluster_name(), small.context, TRIGON_BAD_ARGUMENT, "has a place");
  if (small.row >= 0) Cblacs_gridexit(small.context);
}

static void check_matrices(void) {
  const int d[9] = {0};
  trigon_cluster_view view;
  check(!trigon_cluster_matrix(NULL, TRIGON_D, 1, 1, NULL, d, 1, 1).data, "no view");
  check(!trigon_cluster_matrix(&view, TRIGON_D, 1, 1, NULL, NULL, 1, 1).data, "no descriptor");
  check(trigon_cluster_matrix(&view, TRIGON_D, 0, 0, NULL, d, 1, 1).ld == 1, "the ld of an empty matrix");
}

int main(int argc, char **argv) {
  pair p;
  not_created(cluster_name(), 0, TRIGON_NOT_SUPPORTED, "MPI is not initialized");
  rank = start(&argc, &argv, 120);
  pair_open(&p);
  check_matrices();
  check_creation(&p.grid);
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) check_mistake(&p, &mistakes[i]);
  check_differences(&p);
  check_one_status(&p);
  check_unsupported(&p);
  int64_t info = -1;
  const trigon_status status = trigon_potrf(p.ctx, TRIGON_LOWER, distributed_operand(&p.A), &info);
  check_that(status == TRIGON_OK && info == 0, "process %d: a good call after all: %s", rank, trigon_message(p.ctx));
  pair_close(&p);
  return finish_checks(rank);
}
