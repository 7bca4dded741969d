/* problem.h - what can be benchmarked: one table of routines, with the operands, flops and identity of each. */
#ifndef TRIGON_CLI_BENCH_PROBLEM_H
#define TRIGON_CLI_BENCH_PROBLEM_H

#include "../dense.h"

enum { MOST_OPERANDS = 3, MOST_VARIANT = 8, MOST_ROUTINES = 16 };

/* Which elements of a stored matrix make up the matrix that a routine sees. */
typedef enum form { FULL, TRIANGLE, SYMMETRIC_HALF, HERMITIAN_HALF } form;

/* An operand, stored as `rows` × `cols` (letters of sizes). `turns` says when these change places: 's' where side is
 * RIGHT, 'a' or 'b' where the first or second op transposes it (and then the routine sees op(stored matrix)). */
typedef struct bench_operand {
  char rows, cols, turns;
  form before, after; /* the call; for inputs the same */
  bool dominant;      /* off the diagonal about 1/n, on it 1 to 2: well conditioned, and positive definite */
  bool written;
} bench_operand;

struct bench_case;
typedef trigon_status routine_call(trigon_context *ctx, const struct bench_case *c, const trigon_matrix *X);

typedef struct routine {
  const char *name;
  const char *letters;                  /* what the letters of a variant choose: Side, Uplo, Op, Diag */
  const char *variant;                  /* when none is given */
  const char *sizes;                    /* of "mnk" */
  const char *gemm;                     /* the sizes of the GEMM that is its ceiling, for LEFT */
  char refused;                         /* letter of an op that complex types do not have, or 0 */
  double (*flops)(const double *sizes); /* of m, n, k, for real types; complex ones take four times as many */
  routine_call *call;
  bench_operand operand[MOST_OPERANDS];
  /* The identity that holds after the call, as a sum of signed products: small letters are the operands (a, b, c)
   * before it, capitals after it, ' transposes (conjugates, unless `plain`), an empty product is the unit matrix. The
   * second holds for RIGHT, or, where there is no side, for UPPER. */
  const char *identity[2];
  const char *norms; /* its error is judged relative to the product of these products' norms, */
  char inner;        /* times sqrt(this size + 2) if `product`, else times this size, */
  char added;        /* plus twice the norm of this operand, or 0 */
  bool product, plain;
} routine;

/* One configuration. */
typedef struct bench_case {
  const routine *routine;
  trigon_type type;
  char variant[MOST_VARIANT];
  trigon_side side;
  trigon_uplo uplo;
  trigon_op op[2];
  trigon_diag diag;
  int64_t size[3]; /* m, n, k */
} bench_case;

/* The routine whose name is the first `length` bytes, or NULL; all names in one string, for messages. */
const routine *routine_find(const char *name, size_t length);
const char *routine_names(void);

/* Whether the routine has a size (letter m, n or k); its value; 0 to 2 for its letter. */
bool routine_has(const routine *r, char size);
int64_t case_size(const bench_case *c, char size);
int size_index(char size);

/* Reads the variant's letters into *c, whose routine and type are set; false where they are no variant. */
bool case_set_variant(bench_case *c, const char *variant);

/* Whether the two have routine, type and variant in common. */
bool same_group(const bench_case *a, const bench_case *b);

/* The variants of a routine one after the other: stores the i-th, from 0; false where there is none for the type, or i
 * is behind the last (*end). Over s and d those with C, which are those with T, are left out. */
bool case_list_variant(const routine *r, trigon_type type, int i, char variant[MOST_VARIANT], bool *end);

/* The GEMM of the same size, with the same type. */
bench_case case_gemm(const bench_case *c);

/* How many operands there are; the shape of one as it is stored. */
int case_operands(const bench_case *c);
void case_shape(const bench_case *c, int operand, int64_t *rows, int64_t *cols);

double case_flops(const bench_case *c);

#endif
