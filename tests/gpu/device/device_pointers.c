/* device_pointers.c - addresses and streams that do not belong to the device are refused.
 *
 * The message names the argument, and nothing is written. Empty operands need no address. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/device_job.h"

/* Makes the job's call with a wrong address as the argument `name`. Both spellings must refuse the call and name the
 * argument, and nothing is written. */
static void refused(job *j, const char *name, const char *words) {
  char argument[64];
  for (int blas = 0; blas < 2; blas++) {
    if (blas && !has_blas(j->call.routine, j->call.type)) continue;
    const char *list = blas ? routines[j->call.routine].blas : routines[j->call.routine].matrix;
    snprintf(argument, sizeof argument, "argument %d (%s)", argument_position(list, name), name);
    const trigon_status status = blas ? call_blas(j->ctx, &j->call) : call_matrix(j->ctx, &j->call);
    const char *message = trigon_message(j->ctx);
    check(status == TRIGON_BAD_ARGUMENT, "%s: a wrong address for %s gives status %d", j->text, name, (int)status);
    check(strstr(message, argument) && strstr(message, words), "%s, wrong %s: the message is \"%s\"", j->text, name,
          message);
  }
}

static void unwritten(job *j) {
  char stray[128];
  job_receive(j);
  for (int i = 0; i < operands(j->call.routine); i++)
    check(!guarded_stray(&j->host[i], (region){REGION_NONE, false}, stray, sizeof stray),
          "%s: a refused call writes nothing", j->text);
}

/* Every operand of a routine, and info, is on the host or on another device. */
static void wrong_addresses(trigon_context *ctx, enum tested_routine routine, trigon_type type, void *other) {
  job j;
  job_make(&j, ctx, routine, type, 12, (uint64_t)routine);
  job_send(&j);
  for (int i = 0; i < operands(routine); i++) {
    const char name[] = {routines[routine].operand[i].name, '\0'};
    void *right = j.call.stored[i].data;
    unsigned char *block = j.host[i].block;
    guarded_restore(&j.host[i]);
    j.call.stored[i].data = j.host[i].matrix.data;
    refused(&j, name, "is not device memory");
    check(memcmp(block, j.host[i].copy, j.host[i].bytes) == 0, "%s: a refused call leaves host memory alone", j.text);
    j.call.stored[i].data = other;
    if (other) refused(&j, name, "must be memory of");
    j.call.stored[i].data = right;
  }
  if (j.info) {
    int64_t on_host = -4711;
    j.call.info = &on_host;
    refused(&j, "info", "is not device memory");
    check(on_host == -4711, "%s: a refused info is untouched", j.text);
    j.call.info = other;
    if (other) refused(&j, "info", "must be memory of");
    j.call.info = j.info;
  }
  unwritten(&j);
  job_call(&j);
  job_check(&j, "after refused calls");
  job_free(&j);
}

/* Functions that copy or free memory take addresses, too. */
static void wrong_storage(const device *d, trigon_context *ctx, void *other) {
  double host[4] = {1, 2, 3, 4};
  void *memory;
  const trigon_matrix on_host = {host, TRIGON_D, 2, 2, 2};
  check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory");
  trigon_matrix on_device = on_host, elsewhere = on_host;
  on_device.data = memory, elsewhere.data = other ? other : host;
  check(trigon_upload(ctx, on_host, elsewhere) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "2 (to)"),
        "an upload to elsewhere: %s", trigon_message(ctx));
  check(trigon_download(ctx, elsewhere, on_host) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (from)"),
        "a download from elsewhere: %s", trigon_message(ctx));
  check(trigon_upload(ctx, on_device, on_device) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (from)"),
        "an upload from the device: %s", trigon_message(ctx));
  check(trigon_download(ctx, on_device, on_device) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "2 (to)"),
        "a download to the device: %s", trigon_message(ctx));
  check(trigon_free(ctx, other ? other : host) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (data)"),
        "freeing memory of another device: %s", trigon_message(ctx));
  check(trigon_free(ctx, host) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (data)"),
        "freeing host memory: %s", trigon_message(ctx));
  check(trigon_free(ctx, (char *)memory + 8) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (data)"),
        "freeing an address inside an allocation: %s", trigon_message(ctx));
  check(d->runtime.last_error() == 0, "the runtime has no error after refused calls");
  check(trigon_set_workspace(ctx, host, 1 << 20) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (buffer)"),
        "a workspace on the host: %s", trigon_message(ctx));
  if (other)
    check(trigon_set_workspace(ctx, other, 256) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (buffer)"),
          "a workspace on another device: %s", trigon_message(ctx));
  check(trigon_set_workspace(ctx, (char *)memory + 8, 8) == TRIGON_BAD_ARGUMENT &&
            strstr(trigon_message(ctx), "aligned"),
        "a workspace that is not aligned: %s", trigon_message(ctx));
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
  check(host[0] == 1 && host[3] == 4, "host memory is as it was");
}

/* An address that kernels cannot read is refused before a kernel reads there. The address is half an element behind
 * a good one. */
static void misaligned(trigon_context *ctx) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  void *memory = NULL;
  check(trigon_alloc(ctx, 64 * 16, &memory) == TRIGON_OK, "memory: %s", trigon_message(ctx));
  for (int t = 0; t < 4; t++) {
    trigon_matrix A = {(char *)memory + element_size(types[t]) / 2, types[t], 3, 3, 3};
    check(trigon_potrf(ctx, TRIGON_LOWER, A, NULL) == TRIGON_BAD_ARGUMENT &&
              strstr(trigon_message(ctx), "argument 2 (A)") && strstr(trigon_message(ctx), "aligned"),
          "a matrix of type %c between two elements: %s", (char)types[t], trigon_message(ctx));
  }
  trigon_matrix A = {memory, TRIGON_D, 3, 3, 3};
  check(trigon_potrf(ctx, TRIGON_LOWER, A, (int64_t *)((char *)memory + 516)) == TRIGON_BAD_ARGUMENT &&
            strstr(trigon_message(ctx), "argument 3 (info)"),
        "an info between two: %s", trigon_message(ctx));
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

/* The matrix begins in the device's memory and ends beyond this memory, for example because its leading dimension
 * belongs to another matrix. The test covers every operand, every transferred matrix, and a workspace. */
static void beyond(trigon_context *ctx) {
  enum { order = 8 };
  const int64_t far = INT64_C(1) << 40;
  static double host[order * order];
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    job j;
    job_make(&j, ctx, (enum tested_routine)r, TRIGON_D, order, 2);
    job_send(&j);
    for (int i = 0; i < operands((enum tested_routine)r); i++) {
      const char name[] = {routines[r].operand[i].name, '\0'};
      const int64_t ld = j.call.stored[i].ld;
      j.call.stored[i].ld = far;
      refused(&j, name, "but the last of");
      j.call.stored[i].ld = ld;
    }
    unwritten(&j);
    job_free(&j);
  }
  void *memory = NULL;
  check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory: %s", trigon_message(ctx));
  const trigon_matrix there = {memory, TRIGON_D, order, order, far}, here = {host, TRIGON_D, order, order, order};
  check(trigon_upload(ctx, here, there) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "argument 2 (to): "),
        "an upload to beyond: %s", trigon_message(ctx));
  check(trigon_download(ctx, there, here) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "argument 1 (from): "),
        "a download from beyond: %s", trigon_message(ctx));
  check(trigon_set_workspace(ctx, memory, far) == TRIGON_BAD_ARGUMENT &&
            strstr(trigon_message(ctx), "argument 1 (buffer): "),
        "a workspace from beyond: %s", trigon_message(ctx));
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

/* The matrix begins in one allocation and ends in the next one, which the call must not overwrite. A real GPU cannot
 * tell allocations apart that are mapped side by side, so only the simulated GPU refuses such a matrix. */
static void into_another(const device *d, trigon_context *ctx) {
  enum { order = 8, size = order * order };
  void *memory[2] = {NULL, NULL}, *info = NULL;
  double ones[size], after[size];
  if (!d->simulated) {
    printf("skipped: matrices across allocations; %s does not tell allocations apart\n", d->name);
    return;
  }
  for (int i = 0; i < size; i++) ones[i] = 1;
  check(trigon_alloc(ctx, sizeof ones, &memory[0]) == TRIGON_OK && trigon_alloc(ctx, sizeof ones, &memory[1]) == 0 &&
            trigon_alloc(ctx, 2 * sizeof(int64_t), &info) == TRIGON_OK,
        "memory: %s", trigon_message(ctx));
  const int first = (char *)memory[0] > (char *)memory[1];
  double *A = memory[first], *other = memory[!first];
  const trigon_matrix here = {ones, TRIGON_D, size, 1, size}, neighbour = {other, TRIGON_D, size, 1, size};
  check(trigon_upload(ctx, here, neighbour) == TRIGON_OK, "upload: %s", trigon_message(ctx));
  const trigon_matrix across = {A, TRIGON_D, order, 2, other - A}, corner = {ones, TRIGON_D, order, 2, order};
  check(trigon_potrf(ctx, TRIGON_LOWER, (trigon_matrix){A, TRIGON_D, 2, 2, other - A}, NULL) == TRIGON_BAD_ARGUMENT &&
            strstr(trigon_message(ctx), "argument 2 (A): ") && strstr(trigon_message(ctx), "its allocation ends"),
        "a matrix across allocations: %s", trigon_message(ctx));
  check(trigon_upload(ctx, corner, across) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "argument 2 (to): "),
        "an upload across allocations: %s", trigon_message(ctx));
  check(trigon_set_workspace(ctx, A, (other - A + 1) * 8) == TRIGON_BAD_ARGUMENT &&
            strstr(trigon_message(ctx), "argument 1 (buffer): "),
        "a workspace across allocations: %s", trigon_message(ctx));
  check(trigon_dpotrf_strided(ctx, TRIGON_LOWER, 2, 2, A, 2, other - A, info) == TRIGON_BAD_ARGUMENT &&
            strstr(trigon_message(ctx), "(A): "),
        "a batch across allocations: %s", trigon_message(ctx));
  check(trigon_finish(ctx, NULL) == TRIGON_OK &&
            trigon_download(ctx, neighbour, (trigon_matrix){after, TRIGON_D, size, 1, size}) == TRIGON_OK,
        "download: %s", trigon_message(ctx));
  check(memcmp(after, ones, sizeof ones) == 0, "refused calls leave the other allocation alone");
  check(trigon_free(ctx, memory[0]) == TRIGON_OK && trigon_free(ctx, memory[1]) == TRIGON_OK &&
            trigon_free(ctx, info) == TRIGON_OK,
        "free");
}

/* A stream of another device is refused, captured or not. The context stays in its own stream. */
static void wrong_stream(const device *d, trigon_context *ctx) {
  void *stream = NULL;
  job j;
  job_make(&j, ctx, POTRI, TRIGON_D, 40, 5);
  job_send(&j);
  check(d->runtime.set_device((d->number + 1) % d->count) == 0 &&
            d->runtime.stream_create(&stream, RUNTIME_UNORDERED) == 0 && d->runtime.set_device(d->number) == 0,
        "another device's stream");
  check(trigon_set_stream(ctx, stream) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (stream)"),
        "another device's stream is refused: %s", trigon_message(ctx));
  void *graph = NULL;
  check(trigon_finish(ctx, NULL) == TRIGON_OK && d->runtime.begin_capture(stream, 0) == 0, "its capture");
  check(trigon_set_stream(ctx, stream) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), "1 (stream)"),
        "another device's captured stream is refused: %s", trigon_message(ctx));
  check(d->runtime.end_capture(stream, &graph) == 0 && d->runtime.graph_destroy(graph) == 0, "the capture's end");
  job_call(&j);
  job_check(&j, "after another device's stream");
  job_free(&j);
  check(d->runtime.stream_destroy(stream) == 0, "the stream's end");
}

/* Allocates memory of the next device. Returns NULL if there is only one device. */
static void *on_another(const device *d) {
  void *other = NULL;
  if (d->count < 2) {
    printf("skipped: memory of another device; there is one alone\n");
    return NULL;
  }
  check(d->runtime.set_device((d->number + 1) % d->count) == 0 && d->runtime.malloc(&other, 1 << 16) == 0,
        "memory on another device");
  check(d->runtime.set_device(d->number) == 0, "back to the device");
  return other;
}

/* Products without terms: C = beta·C for every alpha. */
static void sum_of_nothing(trigon_context *ctx, enum tested_routine routine, trigon_type type) {
  job j;
  job_make(&j, ctx, routine, type, 20, 4);
  j.call.alpha.re = INFINITY;
  j.call.k = 0;
  for (int i = 0; i + 1 < operands(routine); i++) {
    int64_t rows, cols;
    operand_shape(&j.call, i, &rows, &cols);
    j.call.stored[i].rows = j.host[i].matrix.rows = rows;
    j.call.stored[i].cols = j.host[i].matrix.cols = cols;
  }
  job_send(&j);
  job_call(&j);
  job_check(&j, "of nothing");
  job_free(&j);
}

void test_pointers(const device *d) {
  trigon_context *ctx = device_open(d, "");
  void *other = on_another(d);
  for (int r = 0; r < TESTED_ROUTINES; r++)
    wrong_addresses(ctx, (enum tested_routine)r, (trigon_type) "sdcz"[r % 4], other);
  wrong_storage(d, ctx, other);
  misaligned(ctx);
  beyond(ctx);
  into_another(d, ctx);
  if (other) wrong_stream(d, ctx);
  job_whole(ctx, POSV, TRIGON_Z, 20, 3, "after wrong addresses");
  for (int r = 0; r < TESTED_ROUTINES; r++) { /* empty matrices need no address */
    call empty = {.routine = (enum tested_routine)r, .type = TRIGON_D, .side = TRIGON_LEFT, .uplo = TRIGON_LOWER};
    empty.op = empty.opB = TRIGON_NOTRANS, empty.diag = TRIGON_NONUNIT;
    for (int i = 0; i < 3; i++) empty.stored[i] = (trigon_matrix){NULL, TRIGON_D, 0, 0, 1};
    check(call_matrix(ctx, &empty) == TRIGON_OK, "%s of nothing: %s", routines[r].name, trigon_message(ctx));
  }
  static const enum tested_routine sums[] = {GEMM, SYRK, HERK, SYR2K, HER2K};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) sum_of_nothing(ctx, sums[i], i % 2 ? TRIGON_D : TRIGON_Z);
  trigon_destroy(ctx);
  check(!other || d->runtime.free(other) == 0, "freeing the other device's memory");
  d->runtime.last_error();
}
