/* fp64_product.h - emulated products over guarded matrices, and what they promise.
 *
 * A product is a GEMM, an update (SYRK, HERK, SYR2K, HER2K), or a SYMM or HEMM. The operands have odd leading
 * dimensions and lie between guards. The files of test_fp64_devices share this code. */
#ifndef TRIGON_TESTS_FP64_PRODUCT_H
#define TRIGON_TESTS_FP64_PRODUCT_H

#include "support/device_call.h"
#include "support/device_job.h"

enum { HARD_KINDS = 8 };
enum { BY_PAIRS = -1 }; /* in the place of an accuracy: the mode double-float */

/* The matrices of a product. B of an update is the transpose of A, or its adjoint: it cannot be filled. Of SYR2K and
 * HER2K, A is (A B), and B is the transpose of (B A), or its adjoint. Of SYMM on the
 * right, B is the symmetric matrix. */
enum { OF_A, OF_B, OF_C };

typedef struct product {
  call call;
  guarded stored[3];
  trigon_fp64_report report; /* of the last run */
} product;

/* The real or imaginary part of an element. A line is a row of op(A) or C, or a column of op(B). `phi` is the spread of
 * the exponents. */
typedef double entry_rule(random_stream *, int64_t line, int64_t term, double phi);

entry_rule entry_spread;      /* (uniform - 1/2)·exp(phi·normal) */
entry_rule entry_hard;        /* of a kind that is hard to scale; phi is the kind */
entry_rule entry_adversarial; /* lines of every kind, in turn */
entry_rule entry_integer;     /* integers of magnitude phi at most */
entry_rule entry_poison;      /* NaN */

/* Makes a product of poison. product_free frees the matrices. */
product product_make(trigon_type, int64_t m, int64_t n, int64_t k, trigon_op op, trigon_op opB);
product update_make(enum tested_routine, trigon_type, trigon_uplo, int64_t n, int64_t k, trigon_op op);
product symm_make(enum tested_routine, trigon_type, trigon_side, trigon_uplo, int64_t m, int64_t n);
void product_free(product *);
/* Copies a product and its matrices. */
product product_copy(const product *);

/* Fills A, B and C. If beta is 0, C stays poison, and so do the other triangle of an update and the imaginary parts of
 * a Hermitian diagonal. The call and the scalars have been set. */
void product_fill(product *, entry_rule *A, entry_rule *B, double phi, uint64_t seed);
/* Reads and writes an element of op(A) or op(B) by line and term, or one of C by row and column. product_put stores the
 * number as it is to be multiplied. */
trigon_scalar product_get(const product *, int matrix, int64_t line, int64_t term);
void product_put(product *, int matrix, int64_t line, int64_t term, trigon_scalar);

/* Whether an element of C is computed. */
bool product_computes(const product *, int64_t row, int64_t col);

/* Runs the product on the matrices before it. Checks that the call is accepted, that nothing is written outside of C,
 * and that the report is plausible. */
void product_run(product *, call_target *);
/* Sets the mode of the context before: int8 with this accuracy, or double-float. */
void product_emulate(product *, call_target *, int accuracy);

/* Writes the product and its report on one line. */
const char *product_text(const product *, char *text, size_t size);

/* C after the last run. */
trigon_matrix product_result(const product *);
/* Whether C of both products is the same. NaN equals NaN. */
bool product_same(const product *, const product *);
/* Whether C is the exact result, rounded once. */
bool product_exact(const product *);
/* Returns the largest error over the one that the mode guarantees, of the real and imaginary parts of all elements. If
 * tiles fell back, only elements count for which plain arithmetic neither overflows nor underflows on its way. */
double product_share(const product *);

/* The CPU and a device. */
typedef struct two_targets {
  call_target host, there;
} two_targets;
two_targets targets_open(const device *);
void targets_close(two_targets *);

/* Runs the product, which is emulated as one, on both targets. Checks that it has so many tiles, that the reports are
 * the same, and the bits unless tiles fall back, and the bound if it is guaranteed. */
void targets_compare(two_targets *, product *, int accuracy, int64_t tiles);

/* Sets scalars and fills the product, of the kinds in turn. Returns an accuracy, in turn as well. */
int product_vary(product *, uint64_t kind);

/* The tests, one in each file. */
void test_bits(const device *);
void test_few_bits(const device *);
void test_bounds(const device *);
void test_specials(const device *);
void test_updates(const device *);
void test_symms(const device *);
void test_few_updates(const device *);
void test_update_tiles(const device *);
void test_pairs(const device *);
void test_pair_matrices(const device *);
void test_blocks(const device *);
void test_emulated_captures(const device *);
void test_reports(const device *);
void test_emulated_failures(const device *);

#endif
