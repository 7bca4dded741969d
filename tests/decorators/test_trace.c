/* test_trace.c - counts the calls that the recursion hands to the backend.
 *
 * So a whole call to the BLAS cannot pass for the recursion.
 *
 * The flops of all parts sum to the routine's formula exactly, because every formula F satisfies the identity of its
 * recursion, F(p + q) = F(p) + F(q) + coupling of the halves, wherever the cut is. All numbers below are integers,
 * exact in double precision; k is the number of right-hand sides:
 *    TRSM, TRMM   n²k                    coupling: GEMM 2pqk
 *    SYRK         kn(n + 1)              coupling: GEMM 2pqk;  SYR2K and SYMM are twice SYRK, and 2n²k
 *    POTRF        n(n + 1)(2n + 1) / 6   coupling: TRSM p²q, SYRK pq(q + 1)
 *    TRTRI        n(n² + 2) / 3          coupling: two triangular products or solves, p²q + pq²
 *    LAUUM        n(n + 1)(2n + 1) / 6   coupling: SYRK qp(p + 1), TRMM q²p
 * The documents say where an order is cut, so the leaves are known exactly. All other work of TRSM, TRMM, SYRK,
 * SYR2K and SYMM is GEMM. In the Cholesky family the coupling is itself recursive: at most (2·stop + 1)·pq flops of
 * a coupling, and at most (2·stop + 1)·n²/2 in sum, are not GEMM. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/guarded.h"
#include "support/matrices.h"

enum { KINDS = TRIGON_LAUUM + 1 };

/* Programs index their arrays by these numbers. scripts/abi does not see the numbers, because no function takes a
 * trigon_routine. */
_Static_assert(TRIGON_GEMM == 0 && TRIGON_TRMM == 1 && TRIGON_TRSM == 2 && TRIGON_SYRK == 3 && TRIGON_SYR2K == 4 &&
                   TRIGON_SYMM == 5 && TRIGON_POTRF == 6 && TRIGON_TRTRI == 7 && TRIGON_LAUUM == 8,
               "new kinds of work come behind the others");

typedef struct tester {
  int64_t checks, failures;
} tester;

static double square(double n, double k) { return n * n * k; }
static double twice_square(double n, double k) { return 2 * n * n * k; }
static double rank_k(double n, double k) { return k * n * (n + 1); }
static double rank_2k(double n, double k) { return 2 * k * n * (n + 1); }
static double cholesky(double n, double k) { return (void)k, n * (n + 1) * (2 * n + 1) / 6; }
static double inverse(double n, double k) { return (void)k, n * (n * n + 2) / 3; }

/* A part of a routine: the kind of its leaves, how often the leaves cover the order, and their formula. */
typedef struct part {
  trigon_routine kind;
  int times;
  double (*flops)(double n, double k);
  bool couples; /* whether the coupling has more than GEMM */
} part;

typedef struct recursion {
  enum tested_routine routine;
  part parts[2];
} recursion;

static const recursion recursions[] = {
    {TRMM, {{TRIGON_TRMM, 1, square, false}}},
    {TRSM, {{TRIGON_TRSM, 1, square, false}}},
    {SYRK, {{TRIGON_SYRK, 1, rank_k, false}}},
    {HERK, {{TRIGON_SYRK, 1, rank_k, false}}},
    {SYR2K, {{TRIGON_SYR2K, 1, rank_2k, false}}},
    {HER2K, {{TRIGON_SYR2K, 1, rank_2k, false}}},
    {SYMM, {{TRIGON_SYMM, 1, twice_square, false}}},
    {HEMM, {{TRIGON_SYMM, 1, twice_square, false}}},
    {POTRF, {{TRIGON_POTRF, 1, cholesky, true}}},
    {TRTRI, {{TRIGON_TRTRI, 1, inverse, true}}},
    {LAUUM, {{TRIGON_LAUUM, 1, cholesky, true}}},
    {POTRI, {{TRIGON_TRTRI, 1, inverse, true}, {TRIGON_LAUUM, 1, cholesky, true}}},
    {POTRS, {{TRIGON_TRSM, 2, square, false}}},
    {POSV, {{TRIGON_POTRF, 1, cholesky, true}, {TRIGON_TRSM, 2, square, false}}},
};

static const char *const kinds[KINDS] = {"GEMM", "TRMM", "TRSM", "SYRK", "SYR2K", "SYMM", "POTRF", "TRTRI", "LAUUM"};

static void check(tester *t, bool held, const char *name, const call *c, const char *what) {
  char text[256];
  t->checks++;
  if (held) return;
  t->failures++;
  call_print(c, text, sizeof text);
  printf("FAIL %s on \"%s\": %s\n", text, name, what);
}

/* Makes one good call of order n with k right-hand sides (or inner size k) on a context and stores its counts. If
 * `counts` is NULL, the context keeps the counts. */
static bool traced(trigon_context *ctx, call *c, bool upper_right, int64_t n, int64_t k, trigon_count counts[KINDS]) {
  static guarded stored[3];
  random_stream r = {5};
  int64_t info = -1;
  const bool has_m = takes(c->routine, "m");
  c->side = upper_right ? TRIGON_RIGHT : TRIGON_LEFT;
  c->uplo = upper_right ? TRIGON_UPPER : TRIGON_LOWER;
  c->m = upper_right ? k : n;
  c->n = has_m && !upper_right ? k : n;
  c->k = k;
  c->info = &info;
  for (int i = 0; i < operands(c->routine); i++) {
    int64_t rows, cols;
    operand_shape(c, i, &rows, &cols);
    guarded_shape(&stored[i], c->type, rows, cols, 1);
    c->stored[i] = stored[i].matrix;
    matrix_fill(c->stored[i], routines[c->routine].operand[i].storage, c->uplo, c->diag, RANDOM, &r);
  }
  const trigon_status status = call_matrix(ctx, c);
  c->info = NULL;
  return status == TRIGON_OK && (!counts || trigon_trace(ctx, counts, KINDS) == TRIGON_OK);
}

static double all_flops(const trigon_count counts[KINDS]) {
  double sum = 0;
  for (int i = 0; i < KINDS; i++) sum += counts[i].flops;
  return sum;
}

/* A context of the test, as its name describes it. */
typedef struct setting {
  char name[64];
  int64_t stop;
  bool power;
} setting;

/* Returns where an order n > stop is cut. One way cuts at the largest power of two below n. The other way cuts
 * between the fewest blocks of at most `stop`. These blocks have equal sizes, except for rounding up to a multiple
 * of 16 if the rounded size is below `stop`. Half of the blocks are on each side. */
static int64_t first_block(const setting *s, int64_t n) {
  int64_t power = 1, blocks = 1, size = 0;
  while (2 * power < n) power *= 2;
  while (blocks * s->stop < n) blocks++;
  while (size * blocks < n) size++;
  while (size % 16 != 0 && size < s->stop) size++;
  return s->power ? power : size * (blocks - blocks / 2);
}

/* The leaves of the recursion over order n. */
typedef struct leaves {
  int64_t blocks;
  double flops, most;
} leaves;

static leaves leaves_of(const setting *s, const part *p, int64_t n, int64_t k) {
  if (n <= s->stop) return (leaves){1, p->flops((double)n, (double)k), p->flops((double)n, (double)k)};
  const int64_t first = first_block(s, n);
  const leaves a = leaves_of(s, p, first, k), b = leaves_of(s, p, n - first, k);
  return (leaves){a.blocks + b.blocks, a.flops + b.flops, a.most > b.most ? a.most : b.most};
}

/* Calls over order n, on one block, or on several blocks that are `step` apart. If two halves of a block are equal,
 * they become one call. So all blocks of the call are evenly spaced. */
typedef struct call_counts {
  int64_t leaves, cuts;
} call_counts;

static call_counts calls_of(const setting *s, int64_t n, int64_t step) {
  if (n <= s->stop) return (call_counts){1, 0};
  const int64_t first = first_block(s, n);
  const bool paired = 2 * first == n && (step == 0 || step == n);
  const call_counts a = calls_of(s, first, paired ? first : step);
  const call_counts b = paired ? (call_counts){0, 0} : calls_of(s, n - first, step);
  return (call_counts){a.leaves + b.leaves, a.cuts + b.cuts + 1};
}

/* Returns the number of GEMM calls at each cut for kinds whose diagonal blocks are paired, and 0 for the other
 * kinds. */
static int gemms_of(trigon_routine kind) {
  return kind == TRIGON_SYRK ? 1 : kind == TRIGON_SYR2K || kind == TRIGON_SYMM ? 2 : 0;
}

/* Checks the calls of one part exactly. No other part has calls of the same kinds. */
static void check_calls(tester *t, const setting *s, const call *c, const part *p, int64_t n,
                        const trigon_count counts[KINDS]) {
  const trigon_count *leaf = &counts[p->kind];
  const call_counts due = calls_of(s, n, 0);
  const int gemms = gemms_of(p->kind);
  check(t, leaf->calls == (gemms ? due.leaves : leaf->blocks), s->name, c, "the leaves' calls");
  if (gemms) check(t, counts[TRIGON_GEMM].calls == gemms * due.cuts, s->name, c, "the calls of GEMM");
}

/* Checks the counts of one part's leaves. Returns the flops that these leaves must have. */
static double check_leaves(tester *t, const setting *s, const call *c, const part *p, int64_t n, int64_t k,
                           const trigon_count counts[KINDS]) {
  const trigon_count *count = &counts[p->kind];
  const double unit = is_complex(c->type) ? 4 : 1;
  const leaves due = leaves_of(s, p, n, k);
  /* POSV and POTRI have the same kind of leaf inside another part, too */
  const bool alone = c->routine != POSV && c->routine != POTRI;
  if (alone) check(t, count->blocks == p->times * due.blocks, s->name, c, "leaves that the split does not make");
  if (alone) check(t, count->flops == unit * p->times * due.flops, s->name, c, "the leaves' flops");
  if (alone) check(t, count->most == unit * due.most, s->name, c, "the largest leaf");
  if (alone) check_calls(t, s, c, p, n, counts);
  check(t, count->calls <= count->blocks && count->calls > 0, s->name, c, "more calls than blocks");
  check(t, count->least <= count->most && count->least > 0, s->name, c, "the smallest block exceeds the largest");
  return unit * p->times * due.flops;
}

static void check_recursion(tester *t, trigon_context *ctx, const setting *s, const recursion *f, trigon_type type,
                            bool upper_right, int64_t n, int64_t k) {
  trigon_count counts[KINDS];
  call c = {.routine = f->routine,
            .type = type,
            .op = TRIGON_NOTRANS,
            .opB = TRIGON_NOTRANS,
            .diag = TRIGON_NONUNIT,
            .alpha = {0.7, 0},
            .beta = {1.3, 0}};
  const double unit = is_complex(type) ? 4 : 1;
  double total = 0, in_leaves = 0, coupling = 0;
  bool expected[KINDS] = {[TRIGON_GEMM] = true};
  if (!traced(ctx, &c, upper_right, n, k, counts)) {
    check(t, false, s->name, &c, "the call failed");
    return;
  }
  for (int i = 0; i < 2 && f->parts[i].times; i++) {
    const part *p = &f->parts[i];
    total += unit * p->times * p->flops((double)n, (double)k);
    in_leaves += check_leaves(t, s, &c, p, n, k, counts);
    if (p->couples && n > s->stop) coupling += unit * (double)(2 * s->stop + 1) * (double)(n * n) / 2;
    expected[p->kind] = true;
  }
  check(t, all_flops(counts) == total, s->name, &c, "the flops do not sum to the routine's");
  check(t, counts[TRIGON_GEMM].flops >= total - in_leaves - coupling, s->name, &c,
        "less GEMM than the recursion makes");
  for (int kind = 0; kind < KINDS; kind++) {
    /* inside the Cholesky family, triangular and symmetric leaves span up to n rows */
    const double widest = coupling > 0 ? unit * (double)(s->stop * (s->stop + 1)) * (double)n : 0;
    if (!expected[kind]) check(t, counts[kind].most <= widest, s->name, &c, kinds[kind]);
    check(t, (counts[kind].blocks > 0) == (counts[kind].bytes > 0), s->name, &c, "blocks without bytes");
  }
  check(t, n > s->stop || counts[TRIGON_GEMM].calls == 0, s->name, &c, "GEMM although one leaf is enough");
}

static void check_split(tester *t, int64_t stop, bool power) {
  static const int64_t orders[] = {1, 7, 8, 9, 16, 17, 33, 40, 65, 96, 100, 130, 200, 256}, widths[] = {1, 5, 64};
  setting s = {.stop = stop, .power = power};
  trigon_context *ctx;
  snprintf(s.name, sizeof s.name, "cpu?stop=%" PRId64 "&split=%s&trace=1", stop, power ? "power" : "halves");
  if (trigon_create(s.name, &ctx, NULL, 0) != TRIGON_OK) {
    t->failures++;
    printf("FAIL no context \"%s\"\n", s.name);
    return;
  }
  for (size_t f = 0; f < sizeof recursions / sizeof *recursions; f++)
    for (size_t n = 0; n < sizeof orders / sizeof *orders; n++)
      for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int flags = 0; flags < 2; flags++)
          check_recursion(t, ctx, &s, &recursions[f], (trigon_type) "sdcz"[(n + k) % 4], flags, orders[n], widths[k]);
  trigon_destroy(ctx);
}

/* More levels give a larger share of GEMM. The share grows with the order, and grows when the stop size falls. */
static void check_shares(tester *t) {
  static const char *const names[] = {"cpu?stop=8&trace=1", "cpu?stop=16&trace=1", "cpu?stop=32&trace=1"};
  for (size_t f = 0; f < sizeof recursions / sizeof *recursions; f++) {
    double above = 1;
    call c = {.routine = recursions[f].routine,
              .type = TRIGON_D,
              .op = TRIGON_NOTRANS,
              .opB = TRIGON_NOTRANS,
              .diag = TRIGON_NONUNIT,
              .alpha = {1, 0}};
    for (int i = 0; i < 3; i++) {
      trigon_context *ctx;
      trigon_count small[KINDS], large[KINDS];
      if (trigon_create(names[i], &ctx, NULL, 0) != TRIGON_OK) continue;
      const bool ran = traced(ctx, &c, false, 64, 32, small) && traced(ctx, &c, false, 256, 32, large);
      const double share = ran ? large[TRIGON_GEMM].flops / all_flops(large) : 0;
      check(t, ran && small[TRIGON_GEMM].flops / all_flops(small) < share, names[i], &c,
            "GEMM's share must grow with n");
      check(t, share < above, names[i], &c, "GEMM's share must fall as the stop size grows");
      above = share;
      trigon_destroy(ctx);
    }
  }
}

/* With native=1, and with register kernels for small orders, each part of a routine is one call of one block. */
static void check_whole(tester *t, const char *name, int64_t n, int64_t k) {
  trigon_context *ctx;
  if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) {
    t->failures++;
    printf("FAIL no context \"%s\"\n", name);
    return;
  }
  for (size_t f = 0; f < sizeof recursions / sizeof *recursions; f++) {
    trigon_count counts[KINDS], again[KINDS];
    call c = {.routine = recursions[f].routine,
              .type = TRIGON_Z,
              .op = TRIGON_NOTRANS,
              .opB = TRIGON_NOTRANS,
              .diag = TRIGON_NONUNIT,
              .alpha = {1, 0}};
    int64_t calls = 0, parts = 0;
    double total = 0;
    check(t, traced(ctx, &c, false, n, k, counts), name, &c, "the call failed");
    for (int i = 0; i < 2; i++) {
      const part *p = &recursions[f].parts[i];
      if (!p->times) break;
      parts += p->times;
      total += 4 * p->times * p->flops((double)n, (double)k);
      check(t, counts[p->kind].calls == p->times && counts[p->kind].blocks == p->times, name, &c, "not one call");
    }
    for (int kind = 0; kind < KINDS; kind++) calls += counts[kind].calls;
    check(t, calls == parts, name, &c, "more than the routine itself");
    check(t, all_flops(counts) == total, name, &c, "the flops are not the routine's");
    check(t, trigon_trace(ctx, again, KINDS) == TRIGON_OK && all_flops(again) == 0 && again[TRIGON_TRSM].calls == 0,
          name, &c, "trigon_trace must start anew");
  }
  trigon_destroy(ctx);
}

/* A table that was made for packed leaves does not say where the recursion stops with the BLAS's leaves. */
static void check_forced(tester *t) {
  static const char table_of_packed[] = "version 2\npotrf sdcz * * packed 40\n";
  char path[] = "/tmp/trigon-trace-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0 || write(fd, table_of_packed, strlen(table_of_packed)) != (ssize_t)strlen(table_of_packed)) abort();
  close(fd);
  trigon_count counts[2][KINDS];
  for (int with_table = 0; with_table < 2; with_table++) {
    char name[100];
    trigon_context *ctx;
    call c = {.routine = POTRF, .type = TRIGON_D, .op = TRIGON_NOTRANS, .opB = TRIGON_NOTRANS};
    snprintf(name, sizeof name, "cpu:libopenblas.so.0?leaf=vendor&trace=1&tuning=%s", with_table ? path : "none");
    if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) abort();
    check(t, traced(ctx, &c, false, 100, 1, counts[with_table]), name, &c, "the call failed");
    check(t, counts[with_table][TRIGON_POTRF].calls == counts[0][TRIGON_POTRF].calls, name, &c, "the leaves");
    trigon_destroy(ctx);
  }
  unlink(path);
}

static void check_gemm(tester *t) {
  trigon_context *ctx;
  trigon_count counts[KINDS];
  call c = {.routine = GEMM, .type = TRIGON_C, .op = TRIGON_NOTRANS, .opB = TRIGON_NOTRANS, .alpha = {1, 0}};
  if (trigon_create("cpu?trace=1", &ctx, NULL, 0) != TRIGON_OK) return;
  const bool ran = traced(ctx, &c, false, 70, 30, counts);
  check(t, ran && counts[TRIGON_GEMM].calls == 1 && all_flops(counts) == 8.0 * 70 * 30 * 30, "cpu?trace=1", &c,
        "one call of 8mnk flops");
  trigon_destroy(ctx);
}

/* Makes one call of each kind of work. The arrays for the counts are shorter and longer than the library's list.
 * Every element is written, and nothing behind the last element. */
static void check_arrays(tester *t) {
  enum { LONGEST = KINDS + 3 };
  static const char name[] = "cpu?stop=16&trace=1";
  const trigon_count mark = {-7, -7, -7, -7, -7, -7};
  trigon_context *ctx;
  call c = {.routine = POTRI, .type = TRIGON_D, .op = TRIGON_NOTRANS, .opB = TRIGON_NOTRANS, .diag = TRIGON_NONUNIT};
  trigon_count all[KINDS], counts[LONGEST + 1];
  if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) abort();
  for (int count = 0; count <= LONGEST; count++) {
    check(t, traced(ctx, &c, false, 40, 5, all) && all_flops(all) > 0, name, &c, "the call failed");
    for (int i = 0; i <= LONGEST; i++) counts[i] = mark;
    check(t, traced(ctx, &c, false, 40, 5, NULL), name, &c, "the call failed");
    check(t, trigon_trace(ctx, count ? counts : NULL, count) == TRIGON_OK, name, &c, "an array of any length");
    for (int i = 0; i <= LONGEST; i++) {
      const int64_t due = i >= count ? mark.calls : i < KINDS ? all[i].calls : 0;
      check(t, counts[i].calls == due && (due != 0 || counts[i].flops == 0), name, &c, "an element of the array");
    }
    check(t, trigon_trace(ctx, all, KINDS) == TRIGON_OK && all_flops(all) == 0, name, &c, "counting starts anew");
  }
  trigon_destroy(ctx);
}

int main(void) {
  tester t = {0};
  for (int64_t stop = 8; stop <= 32; stop *= 2)
    for (int power = 0; power < 2; power++) check_split(&t, stop, power);
  check_shares(&t);
  check_whole(&t, "cpu:libopenblas.so.0?native=1&trace=1", 150, 70);
  check_whole(&t, "cpu?leaf=packed&trace=1", 20, 5);
  check_forced(&t);
  check_gemm(&t);
  check_arrays(&t);
  printf("%" PRId64 " passed, %" PRId64 " failed\n", t.checks - t.failures, t.failures);
  return t.failures || !t.checks ? 1 : 0;
}
