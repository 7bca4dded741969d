/* checks.c - checks the arguments of a call, and writes the message about a bad argument. */
#include "checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Starts the message with the name of the called function. */
static int write_name(const call *c, char *message, size_t size) {
  if (c->name) return snprintf(message, size, "%s", c->name);
  const operation *o = c->routine;
  const routine_spec *r = &routine_table[o->routine];
  const char *name = o->adjoint == TRIGON_CONJTRANS ? r->hermitian : r->name;
  const char letter[] = {c->spelling == SPELLING_BLAS ? (char)o->A.type : '\0', '\0'};
  return snprintf(message, size, "trigon_%s%s", letter, name);
}

int position_among(const char *arguments, const char *name) {
  size_t length = strlen(name);
  int at = 1;
  for (const char *word = arguments; *word; at++) {
    size_t end = strcspn(word, " ");
    if (end == length && strncmp(word, name, length) == 0) return at;
    word += end + (word[end] == ' ');
  }
  return 0;
}

static int position(const call *c, const char *name) { return position_among(c->arguments, name); }

/* The name by which the caller knows an argument that the engine blames. */
static const char *known_name(const call *c, const char *name) {
  const bool is_operand = name && strlen(name) == 1 && *name >= 'A' && *name < 'A' + operands_of_call;
  return is_operand && c->operands ? c->operands[*name - 'A'] : name;
}

trigon_status refused_call(call *c, trigon_status status) {
  const char *name = known_name(c, c->ctx->why.argument);
  char argument[32] = "";
  if (name) snprintf(argument, sizeof argument, "argument %d (%s): ", position(c, name), name);
  char *message = c->ctx->message;
  const int used = write_name(c, message, sizeof c->ctx->message);
  snprintf(message + used, sizeof c->ctx->message - (size_t)used, ": %s%s", argument, c->ctx->why.text);
  return c->status = status;
}

trigon_status check_one_process(call *c) {
  if (c->status != TRIGON_OK || !c->ctx->machine->ops->withdraw) return c->status;
  snprintf(c->ctx->why.text, sizeof c->ctx->why.text, "contexts of distributed matrices have no such function");
  return refused_call(c, TRIGON_NOT_SUPPORTED);
}

void bad_argument(call *c, const char *name, const char *format, ...) {
  if (c->status != TRIGON_OK) return;
  c->status = TRIGON_BAD_ARGUMENT;
  char *message = c->ctx->message;
  size_t size = sizeof c->ctx->message;
  int used = write_name(c, message, size); /* names of functions and arguments are short */
  used += snprintf(message + used, size - (size_t)used, ": argument %d (%s) ", position(c, name), name);
  va_list values;
  va_start(values, format);
  vsnprintf(message + used, size - (size_t)used, format, values);
  va_end(values);
}

static void check_op(call *c, const char *name, trigon_op op) {
  if (op != TRIGON_NOTRANS && op != TRIGON_TRANS && op != TRIGON_CONJTRANS)
    bad_argument(c, name, "is %d, must be TRIGON_NOTRANS (111), TRIGON_TRANS (112) or TRIGON_CONJTRANS (113)", (int)op);
}

static void check_uplo(call *c, trigon_uplo uplo) {
  if (uplo != TRIGON_UPPER && uplo != TRIGON_LOWER)
    bad_argument(c, "uplo", "is %d, must be TRIGON_UPPER (121) or TRIGON_LOWER (122)", (int)uplo);
}

static void check_side(call *c, trigon_side side) {
  if (side != TRIGON_LEFT && side != TRIGON_RIGHT)
    bad_argument(c, "side", "is %d, must be TRIGON_LEFT (141) or TRIGON_RIGHT (142)", (int)side);
}

static void check_diag(call *c, trigon_diag diag) {
  if (diag != TRIGON_NONUNIT && diag != TRIGON_UNIT)
    bad_argument(c, "diag", "is %d, must be TRIGON_NONUNIT (131) or TRIGON_UNIT (132)", (int)diag);
}

/* The op of a symmetric (adjoint = TRANS) or Hermitian (adjoint = CONJTRANS) update must be NOTRANS or the adjoint. For
 * real types both transpositions are the same. */
static void check_symmetric_op(call *c, trigon_op adjoint, trigon_op op, trigon_type type) {
  check_op(c, "op", op);
  if (!type_is_complex(type) || op == TRIGON_NOTRANS || op == adjoint) return;
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

static void check_scalar(call *c, const char *name, trigon_scalar x, trigon_type type) {
  if (!type_is_complex(type) && x.im != 0)
    bad_argument(c, name, "is %g + %gi, must be real for type '%c'", x.re, x.im, (char)type);
}

/* The first thing that is wrong with an operand. */
typedef enum fault {
  FAULT_NONE,
  FAULT_TYPE,
  FAULT_OTHER_TYPE,
  FAULT_SHAPE,
  FAULT_LEADING,
  FAULT_SPAN,
  FAULT_NULL
} fault;

static inline fault fault_of(const view *M, trigon_type type, int64_t rows, int64_t cols) {
  if (M->type != type || !type_is_valid(type)) return type_is_valid(M->type) ? FAULT_OTHER_TYPE : FAULT_TYPE;
  if (M->m != rows || M->n != cols) return FAULT_SHAPE;
  if (M->ld < rows || M->ld < 1) return FAULT_LEADING;
  if (M->m > 0 && !fits_memory(M->ld, M->n)) return FAULT_SPAN;
  return !M->base && rows > 0 && cols > 0 ? FAULT_NULL : FAULT_NONE;
}

/* Writes the message. Calls without faults do not come here. */
__attribute__((cold)) static void blame(call *c, fault f, const char *name, const char *ld, const view *M,
                                        trigon_type type, int64_t rows, int64_t cols) {
  const long long least = rows > 1 ? rows : 1, leading = M->ld;
  if (f == FAULT_TYPE)
    bad_argument(c, name, "has type %d, must be 's', 'd', 'c' or 'z'", (int)M->type);
  else if (f == FAULT_OTHER_TYPE)
    bad_argument(c, name, "has type '%c', must be '%c' like the other operands", (char)M->type, (char)type);
  else if (f == FAULT_SHAPE)
    bad_argument(c, name, "is %lld × %lld, must be %lld × %lld", (long long)M->m, (long long)M->n, (long long)rows,
                 (long long)cols);
  else if (f == FAULT_LEADING && position(c, ld) > 0)
    bad_argument(c, ld, "is %lld, must be at least %lld", leading, least);
  else if (f == FAULT_LEADING)
    bad_argument(c, name, "has leading dimension %lld, must be at least %lld", leading, least);
  else if (f == FAULT_SPAN)
    bad_argument(c, name, "spans %lld × %lld elements, more than the address space holds", leading, (long long)M->n);
  else
    bad_argument(c, name, "is NULL, must point to %lld × %lld elements", (long long)rows, (long long)cols);
}

static inline void check_view(call *c, const char *name, const char *ld, const view *M, trigon_type type, int64_t rows,
                              int64_t cols) {
  const fault f = fault_of(M, type, rows, cols);
  if (f != FAULT_NONE) blame(c, f, name, ld, M, type, rows, cols);
}

void check_matrix(call *c, const char *name, const char *ld, trigon_matrix M, trigon_type type, int64_t rows,
                  int64_t cols) {
  const view A = view_of(M);
  check_view(c, name, ld, &A, type, rows, cols);
}

/* ----------------------------------------------------------------------------------------------- a routine -- */

void check_flags(call *c, const routine_spec *r, const operation *o) {
  if (r->takes & TAKES_SIDE) check_side(c, o->side);
  if (r->takes & TAKES_UPLO) check_uplo(c, o->uplo);
  if (r->takes & TAKES_OPB) {
    check_op(c, "opA", o->op);
    check_op(c, "opB", o->opB);
  } else if (r->hermitian && r->takes & TAKES_OP) {
    check_symmetric_op(c, o->adjoint, o->op, o->A.type);
  } else if (r->takes & TAKES_OP) {
    check_op(c, "op", o->op);
  }
  if (r->takes & TAKES_DIAG) check_diag(c, o->diag);
}

/* The operand that a message blames for a bad size, in the spelling over matrices. */
static const char *operand_of(const routine_spec *r, char size) {
  if (r->C.rows) return size == 'k' ? "A" : "C";
  return r->A.rows == 'o' || size == 'r' ? "B" : "A";
}

static void check_sizes(call *c, const routine_spec *r, const operation *o, sizes s) {
  if ((s.m | s.n | s.k) >= 0 && (r->C.rows != 'n' || o->C.m == o->C.n)) return;
  for (const char *size = r->sizes; *size; size++) {
    const int64_t value = *size == 'm' ? s.m : *size == 'n' ? s.n : s.k;
    const char name[] = {*size, '\0'};
    if (value < 0) check_size(c, *size == 'r' ? "nrhs" : name, operand_of(r, *size), value);
    if (*size == 'n' && r->C.rows == 'n' && o->C.m != o->C.n)
      bad_argument(c, "C", "is %lld × %lld, must be square", (long long)o->C.m, (long long)o->C.n);
  }
}

/* The values of the letters in shapes, from 'k' to 'o'. A look-up takes less time than a chain of comparisons. */
typedef struct letters {
  int64_t value['o' - 'k' + 1];
} letters;

static inline letters letters_of(const operation *o, sizes s) {
  const int64_t order = o->side == TRIGON_LEFT ? s.m : s.n;
  return (letters){.value = {[0] = s.k, ['m' - 'k'] = s.m, ['n' - 'k'] = s.n, ['o' - 'k'] = order}};
}

static inline void check_operand(call *c, const char *name, const char *ld, const view *A, stored_shape is,
                                 const operation *o, const letters *l) {
  const int64_t rows = l->value[is.rows - 'k'], cols = l->value[is.cols - 'k'];
  const bool transposed = is.transposed_by && (is.transposed_by == 'a' ? o->op : o->opB) != TRIGON_NOTRANS;
  check_view(c, name, ld, A, o->A.type, transposed ? cols : rows, transposed ? rows : cols);
}

void check_operation(call *c, const operation *o) {
  const routine_spec *r = &routine_table[o->routine];
  check_flags(c, r, o);
  const sizes s = sizes_of(o);
  check_sizes(c, r, o, s);
  const letters l = letters_of(o, s);
  if (r->takes & TAKES_ALPHA) check_scalar(c, "alpha", o->alpha, o->A.type);
  check_operand(c, "A", "lda", &o->A, r->A, o, &l);
  if (r->B.rows) check_operand(c, "B", "ldb", &o->B, r->B, o, &l);
  if (r->takes & TAKES_BETA) check_scalar(c, "beta", o->beta, o->A.type);
  if (r->C.rows) check_operand(c, "C", "ldc", &o->C, r->C, o, &l);
  if (o->routine == ROUTINE_LOGDET && !o->logdet)
    bad_argument(c, "logdet", "is NULL, must point to a double that gets the logarithm");
}
