/* api_checks.c - checks of arguments, and the messages of those that fail. */
#include "api_checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

call enter_call(trigon_context *ctx, const char *name, const char *arguments) {
  if (ctx) ctx->message[0] = '\0', ctx->why.argument = NULL;
  return (call){ctx, name, arguments, ctx ? TRIGON_OK : TRIGON_BAD_ARGUMENT};
}

/* The position of an argument, from 1, or 0 where this spelling has no such argument. */
static int position(const call *c, const char *name) {
  size_t length = strlen(name);
  int at = 1;
  for (const char *word = c->arguments; *word; at++) {
    size_t end = strcspn(word, " ");
    if (end == length && strncmp(word, name, length) == 0) return at;
    word += end + (word[end] == ' ');
  }
  return 0;
}

trigon_status refused_call(call *c, trigon_status status) {
  const char *name = c->ctx->why.argument;
  char argument[32] = "";
  if (name) snprintf(argument, sizeof argument, "argument %d (%s): ", position(c, name), name);
  snprintf(c->ctx->message, sizeof c->ctx->message, "%s: %s%s", c->name, argument, c->ctx->why.text);
  return c->status = status;
}

void bad_argument(call *c, const char *name, const char *format, ...) {
  if (c->status != TRIGON_OK) return;
  c->status = TRIGON_BAD_ARGUMENT;
  char *message = c->ctx->message;
  size_t size = sizeof c->ctx->message;
  int used = snprintf(message, size, "%s: argument %d (%s) ", c->name, position(c, name), name);
  va_list values;
  va_start(values, format);
  if (used >= 0 && (size_t)used < size) vsnprintf(message + used, size - (size_t)used, format, values);
  va_end(values);
}

void check_op(call *c, const char *name, trigon_op op) {
  if (op != TRIGON_NOTRANS && op != TRIGON_TRANS && op != TRIGON_CONJTRANS)
    bad_argument(c, name, "is %d, must be TRIGON_NOTRANS (111), TRIGON_TRANS (112) or TRIGON_CONJTRANS (113)", (int)op);
}

void check_uplo(call *c, trigon_uplo uplo) {
  if (uplo != TRIGON_UPPER && uplo != TRIGON_LOWER)
    bad_argument(c, "uplo", "is %d, must be TRIGON_UPPER (121) or TRIGON_LOWER (122)", (int)uplo);
}

void check_side(call *c, trigon_side side) {
  if (side != TRIGON_LEFT && side != TRIGON_RIGHT)
    bad_argument(c, "side", "is %d, must be TRIGON_LEFT (141) or TRIGON_RIGHT (142)", (int)side);
}

void check_diag(call *c, trigon_diag diag) {
  if (diag != TRIGON_NONUNIT && diag != TRIGON_UNIT)
    bad_argument(c, "diag", "is %d, must be TRIGON_NONUNIT (131) or TRIGON_UNIT (132)", (int)diag);
}

static bool is_real(trigon_type type) { return type == TRIGON_S || type == TRIGON_D; }
static bool is_type(trigon_type type) { return is_real(type) || type == TRIGON_C || type == TRIGON_Z; }

void check_symmetric_op(call *c, trigon_op adjoint, trigon_op op, trigon_type type) {
  check_op(c, "op", op);
  if (is_real(type) || op == TRIGON_NOTRANS || op == adjoint) return;
  bad_argument(c, "op", "is %d, must be TRIGON_NOTRANS (111) or %s for complex matrices", (int)op,
               adjoint == TRIGON_TRANS ? "TRIGON_TRANS (112)" : "TRIGON_CONJTRANS (113)");
}

void check_size(call *c, const char *name, const char *matrix, int64_t size) {
  if (size >= 0) return;
  if (position(c, name) > 0)
    bad_argument(c, name, "is %lld, must be at least 0", (long long)size);
  else
    bad_argument(c, matrix, "has a size of %lld, must be at least 0", (long long)size);
}

void check_square(call *c, const char *name, trigon_matrix M) {
  if (M.rows != M.cols) bad_argument(c, name, "is %lld × %lld, must be square", (long long)M.rows, (long long)M.cols);
}

void check_scalar(call *c, const char *name, trigon_scalar x, trigon_type type) {
  if (is_real(type) && x.im != 0)
    bad_argument(c, name, "is %g + %gi, must be real for type '%c'", x.re, x.im, (char)type);
}

/* Whether the last element's offset in bytes is an address that can be; an empty matrix has none. */
static bool fits_memory(trigon_matrix M) {
  const int64_t elements = PTRDIFF_MAX / 16; /* 16 bytes: the largest element */
  return M.rows == 0 || M.cols == 0 || M.ld <= elements / M.cols;
}

void check_matrix(call *c, const char *name, const char *ld, trigon_matrix M, trigon_type type, int64_t rows,
                  int64_t cols) {
  int64_t least = rows > 1 ? rows : 1;
  if (!is_type(M.type))
    bad_argument(c, name, "has type %d, must be 's', 'd', 'c' or 'z'", (int)M.type);
  else if (M.type != type)
    bad_argument(c, name, "has type '%c', must be '%c' as the others", (char)M.type, (char)type);
  else if (M.rows != rows || M.cols != cols)
    bad_argument(c, name, "is %lld × %lld, must be %lld × %lld", (long long)M.rows, (long long)M.cols, (long long)rows,
                 (long long)cols);
  else if (M.ld < least && position(c, ld) > 0)
    bad_argument(c, ld, "is %lld, must be at least %lld", (long long)M.ld, (long long)least);
  else if (M.ld < least)
    bad_argument(c, name, "has leading dimension %lld, must be at least %lld", (long long)M.ld, (long long)least);
  else if (!fits_memory(M))
    bad_argument(c, name, "spans %lld × %lld elements, more than there are addresses", (long long)M.ld,
                 (long long)M.cols);
  else if (!M.data && rows > 0 && cols > 0)
    bad_argument(c, name, "is NULL, must point to %lld × %lld elements", (long long)rows, (long long)cols);
}
