/* device_job.c - makes, calls and checks jobs in device memory (device_job.h). */
#include "device_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

static arena scratch;

trigon_matrix whole_block(const guarded *g, void *data) {
  const int64_t elements = (int64_t)(g->bytes / element_size(g->matrix.type));
  return (trigon_matrix){data, g->matrix.type, elements, 1, elements};
}

/* Returns a call with flags that the routine and type allow. */
static call random_call(enum tested_routine routine, trigon_type type, uint64_t seed) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  random_stream r = {seed};
  call c = {.routine = routine,
            .type = type,
            .side = random_below(&r, 2) ? TRIGON_LEFT : TRIGON_RIGHT,
            .uplo = random_below(&r, 2) ? TRIGON_LOWER : TRIGON_UPPER,
            .op = ops[random_below(&r, 3)],
            .opB = ops[random_below(&r, 3)],
            .diag = TRIGON_NONUNIT,
            .alpha = {0.75, 0},
            .beta = {-0.5, 0}};
  while (!op_allowed(routine, type, c.op)) c.op = ops[random_below(&r, 3)];
  return c;
}

void job_make_sized(job *j, trigon_context *ctx, enum tested_routine routine, trigon_type type, int64_t m, int64_t n,
                    int64_t k, uint64_t seed) {
  *j = (job){.ctx = ctx, .call = random_call(routine, type, seed)};
  j->call.m = m, j->call.n = n, j->call.k = k;
  for (int i = 0; i < operands(routine); i++) {
    int64_t rows, cols;
    operand_shape(&j->call, i, &rows, &cols);
    guarded_shape(&j->host[i], type, rows, cols, i + 1);
    check(trigon_alloc(ctx, (int64_t)j->host[i].bytes, &j->memory[i]) == TRIGON_OK, "memory for a matrix: %s",
          trigon_message(ctx));
    j->call.stored[i] = j->host[i].matrix;
    j->call.stored[i].data = (char *)j->memory[i] + ((unsigned char *)j->host[i].matrix.data - j->host[i].block);
  }
  void *info = NULL;
  if (takes(routine, "info"))
    check(trigon_alloc(ctx, sizeof *j->info, &info) == TRIGON_OK, "memory for info: %s", trigon_message(ctx));
  j->call.info = j->info = info;
  call_print(&j->call, j->text, sizeof j->text);
  job_fill(j, seed);
}

/* All sizes are different. */
void job_make(job *j, trigon_context *ctx, enum tested_routine routine, trigon_type type, int64_t order,
              uint64_t seed) {
  const bool square = routine >= POTRF || routine == TRTRI || routine == LAUUM;
  job_make_sized(j, ctx, routine, type, order, order > 3 && !square ? order - 3 : order, order / 2 + 1, seed);
}

void job_free(job *j) {
  for (int i = 0; i < operands(j->call.routine); i++) {
    check(trigon_free(j->ctx, j->memory[i]) == TRIGON_OK, "freeing a matrix: %s", trigon_message(j->ctx));
    guarded_free(&j->host[i]);
  }
  check(trigon_free(j->ctx, j->info) == TRIGON_OK, "freeing info: %s", trigon_message(j->ctx));
}

void job_fill(job *j, uint64_t seed) {
  random_stream r = {seed};
  for (int i = 0; i < operands(j->call.routine); i++) {
    guarded *g = &j->host[i];
    guarded_shape(g, g->matrix.type, g->matrix.rows, g->matrix.cols, i + 1);
    matrix_fill(g->matrix, routines[j->call.routine].operand[i].storage, j->call.uplo, j->call.diag, RANDOM, &r);
    guarded_snapshot(g);
  }
  j->due = 0;
  j->seed = seed;
}

bool job_can_fail(const job *j) { return takes(j->call.routine, "info"); }

/* Positive definite matrices get a negative pivot. Triangles get a zero. */
void job_spoil(job *j, int64_t at) {
  const bool definite = routines[j->call.routine].operand[0].storage == POSITIVE;
  guarded_restore(&j->host[0]);
  matrix_put(j->host[0].matrix, at, at, (trigon_scalar){definite ? -1 : 0, 0});
  guarded_snapshot(&j->host[0]);
  j->due = at + 1;
}

void job_send(job *j) {
  int64_t unset = -4711;
  for (int i = 0; i < operands(j->call.routine); i++)
    check(trigon_upload(j->ctx, whole_block(&j->host[i], j->host[i].copy), whole_block(&j->host[i], j->memory[i])) ==
              TRIGON_OK,
          "uploading a matrix of %s: %s", j->text, trigon_message(j->ctx));
  if (j->info)
    check(trigon_upload(j->ctx, (trigon_matrix){&unset, TRIGON_D, 1, 1, 1},
                        (trigon_matrix){j->info, TRIGON_D, 1, 1, 1}) == TRIGON_OK,
          "uploading info: %s", trigon_message(j->ctx));
}

void job_receive(job *j) {
  for (int i = 0; i < operands(j->call.routine); i++)
    check(trigon_download(j->ctx, whole_block(&j->host[i], j->memory[i]), whole_block(&j->host[i], j->host[i].block)) ==
              TRIGON_OK,
          "downloading a matrix of %s: %s", j->text, trigon_message(j->ctx));
}

void job_call(job *j) {
  const trigon_status status = j->seed % 2 && has_blas(j->call.routine, j->call.type) ? call_blas(j->ctx, &j->call)
                                                                                      : call_matrix(j->ctx, &j->call);
  check(status == TRIGON_OK && !*trigon_message(j->ctx), "%s: %s", j->text, trigon_message(j->ctx));
}

static verdict judge(job *j) {
  call before = j->call, after = j->call;
  for (int i = 0; i < operands(j->call.routine); i++) {
    before.stored[i] = guarded_before(&j->host[i]);
    after.stored[i] = j->host[i].matrix;
  }
  const reference_of_type *reference = reference_for(j->call.type);
  if (!scratch.base) scratch = arena_make((size_t)1 << 30);
  scratch.used = 0;
  const expectation *expected = reference->expect(&scratch, &before);
  return reference->judge(&scratch, &before, &after, expected);
}

void job_check(job *j, const char *when) {
  char stray[128];
  int64_t info = j->due;
  job_receive(j);
  if (j->call.info)
    check(trigon_download(j->ctx, (trigon_matrix){j->info, TRIGON_D, 1, 1, 1},
                          (trigon_matrix){&info, TRIGON_D, 1, 1, 1}) == TRIGON_OK,
          "downloading info: %s", trigon_message(j->ctx));
  check(info == j->due, "%s, %s: info is %lld, must be %lld", j->text, when, (long long)info, (long long)j->due);
  for (int i = 0; i < operands(j->call.routine); i++) {
    const char *where = guarded_stray(&j->host[i], written_region(&j->call, i), stray, sizeof stray);
    check(!where, "%s, %s: %c %s", j->text, when, routines[j->call.routine].operand[i].name, where ? where : "");
  }
  if (j->due != 0) return;
  const verdict v = judge(j);
  check(v.held, "%s, %s: %s: residual %.4g u, threshold %g u", j->text, when, v.what, v.residual, v.threshold);
}

unsigned char *job_keep(const job *j) {
  size_t bytes = 0;
  for (int i = 0; i < operands(j->call.routine); i++) bytes += j->host[i].bytes;
  unsigned char *kept = malloc(bytes), *at = kept;
  if (!kept) abort();
  for (int i = 0; i < operands(j->call.routine); i++) {
    memcpy(at, j->host[i].block, j->host[i].bytes);
    at += j->host[i].bytes;
  }
  return kept;
}

bool job_same(const job *j, const unsigned char *kept) {
  for (int i = 0; i < operands(j->call.routine); i++) {
    if (memcmp(kept, j->host[i].block, j->host[i].bytes) != 0) return false;
    kept += j->host[i].bytes;
  }
  return true;
}

void job_whole(trigon_context *ctx, enum tested_routine routine, trigon_type type, int64_t order, uint64_t seed,
               const char *when) {
  job j;
  job_make(&j, ctx, routine, type, order, seed);
  job_send(&j);
  job_call(&j);
  job_check(&j, when);
  job_free(&j);
}
