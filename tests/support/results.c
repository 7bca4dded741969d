/* results.c - makes calls on random matrices, and fingerprints of the results. */
#include "results.h"

#include <string.h>

#include "guarded.h"
#include "matrices.h"

static const char types[] = "sdcz";

const char *result_routine(int number) { return routines[number / tested_types].name; }
char result_type(int number) { return types[number % tested_types]; }

/* FNV-1a over the whole buffer, guards included, by words of four bytes, because a sanitizer looks at every access. */
static uint64_t fingerprint_of(const guarded *g, uint64_t sum) {
  for (size_t i = 0; i < g->bytes; i += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, g->block + i, sizeof word);
    sum = (sum ^ word) * UINT64_C(0x100000001b3);
  }
  return sum;
}

static call call_of(int number, double scale, int64_t *info) {
  return (call){.routine = (enum tested_routine)(number / tested_types),
                .type = (trigon_type)result_type(number),
                .side = TRIGON_LEFT,
                .uplo = TRIGON_LOWER,
                .op = TRIGON_NOTRANS,
                .opB = TRIGON_NOTRANS,
                .diag = TRIGON_NONUNIT,
                .m = (int64_t)(210 * scale),
                .n = (int64_t)(180 * scale),
                .k = (int64_t)(150 * scale),
                .alpha = {0.7, 0},
                .beta = {-1.3, 0},
                .info = info};
}

bool result_of(trigon_context *ctx, int number, double scale, uint64_t seed, uint64_t *fingerprint) {
  guarded stored[3] = {{0}};
  int64_t info = -1;
  random_stream r = {seed};
  call c = call_of(number, scale, &info);
  for (int i = 0; i < operands(c.routine); i++) {
    int64_t rows, cols;
    operand_shape(&c, i, &rows, &cols);
    guarded_shape(&stored[i], c.type, rows, cols, 3);
    c.stored[i] = stored[i].matrix;
    matrix_fill(c.stored[i], routines[c.routine].operand[i].storage, c.uplo, c.diag, RANDOM, &r);
  }
  const bool succeeded = call_matrix(ctx, &c) == TRIGON_OK && (!takes(c.routine, "info") || info == 0);
  *fingerprint = UINT64_C(0xcbf29ce484222325);
  for (int i = 0; i < operands(c.routine); i++) *fingerprint = fingerprint_of(&stored[i], *fingerprint);
  for (int i = 0; i < 3; i++) guarded_free(&stored[i]);
  return succeeded;
}
