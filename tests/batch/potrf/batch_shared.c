/* batch_shared.c - POTRF of batches with few large matrices on the simulated GPU: blocks share the tiles of a matrix,
 * unless there are so many matrices that each block has one for itself. And the launches of a strided batch. */
#include <stdio.h>
#include <string.h>

#include "batches.h"
#include "support/matrices.h"

/* How the matrices of a type are cut on the simulated GPU: an item has up to `tall` tiles of one column, and that of a
 * diagonal tile may have the tile to its left, too (src/gpu/kernels/batch/batch_share.h). */
typedef struct tiling {
  trigon_type type;
  int64_t tile, tall;
  bool early;
} tiling;

static int64_t items_of(const tiling *t, int64_t n) {
  const int64_t tiles = (n + t->tile - 1) / t->tile;
  int64_t items = 0;
  for (int64_t row = 0; row < tiles; row++) {
    const int64_t below = t->early && row == 0 ? 0 : tiles - 1 - row;
    items += 1 + (below + t->tall - 1) / t->tall;
  }
  return items;
}

/* The words of a matrix behind the lists (src/gpu/kernels/batch/batch_queue.h). */
typedef struct words {
  unsigned taken, done;
} words;

/* Factors the batch. The lists lie in a workspace of the test, which then has the words of each matrix. */
static void factor_and_look(trigon_context *ctx, batch *b, words *of) {
  enum { WORKSPACE = 4 << 20, BINS = 16 };
  static unsigned char seen[WORKSPACE];
  void *space = batch_send(ctx, seen, WORKSPACE);
  batch_check(trigon_set_workspace(ctx, space, WORKSPACE) == TRIGON_OK, "the test gives a workspace");
  batch_check(batch_factor(ctx, b, 0) == TRIGON_OK, "a batch of large matrices runs");
  batch_check(trigon_set_workspace(ctx, NULL, 0) == TRIGON_OK, "the test takes the workspace back");
  batch_receive(ctx, space, seen, WORKSPACE);
  memcpy(of, seen + (size_t)(BINS * b->count) * sizeof(unsigned), (size_t)b->count * sizeof *of);
}

enum { SMALL = 2, MOST = 5, BLOCKS = 3 }; /* the simulated GPU has this many blocks in a launch */

/* Matrices of these orders among small ones, twice on one context. The matrix in the middle may fail, early and again
 * later. `resident` blocks run at once. `alone` matrices have a block for themselves. */
static void test_batch_of(trigon_context *ctx, const tiling *t, int resident, const int64_t *large, int64_t count,
                          int64_t alone, bool fails) {
  int64_t orders[MOST + SMALL];
  for (int64_t i = 0; i < count; i++) orders[i < count / 2 ? i : i + SMALL] = large[i];
  orders[count / 2] = 7, orders[count / 2 + 1] = 40;
  for (int again = 0; again < 2; again++) {
    const int64_t bad = fails ? count / 2 - 1 : -1, column = orders[0] / 3;
    words of[MOST + SMALL];
    int64_t single = 0, sharers = 0;
    batch b = {0};
    batch_fill(&b, t->type, again ? TRIGON_UPPER : TRIGON_LOWER, count + SMALL, orders);
    if (fails)
      for (int k = 1; k < 3; k++) matrix_put(b.stored[bad].matrix, k * column, k * column, (trigon_scalar){-1, 0});
    if (fails) guarded_snapshot(&b.stored[bad]);
    factor_and_look(ctx, &b, of);
    for (int64_t i = 0; i < b.count; i++) {
      if (i == bad)
        batch_check(b.info[i] == column + 1 && batch_is_within(&b, i), "the first column that fails is told");
      else
        batch_check(batch_is_factored(&b, i), "each matrix that blocks share holds its factor");
      if (b.n[i] < 64) continue;
      const int64_t items = items_of(t, b.n[i]), asked = (int64_t)of[i].taken - items;
      single += of[i].taken == 0 && of[i].done == 0;
      if (of[i].taken == 0) continue;
      batch_check(of[i].done == items, "each item of a shared matrix is counted once");
      /* A block that takes items of a matrix asks for one more, and so in each of its slots. Blocks that come later do
       * not ask. */
      const int64_t slots = b.n[i] <= 280 ? 1 : b.n[i] <= 290 ? 8 : 32; /* on the simulated GPU */
      if (resident == 1) batch_check(asked == slots, "a block that runs by itself takes all items");
      if (asked > sharers) sharers = asked;
    }
    batch_check(single == alone, "if there are many matrices, the first ones have a block for themselves");
    if (resident > count && BLOCKS > count) batch_check(sharers > 1, "a block without a matrix helps with another's");
    batch_free(&b);
  }
}

/* With one, two and many resident blocks. */
void test_shared(const char *name, bool part) {
  static const int residents[] = {1, 2, 64};
  const bool has_units = strstr(name, "warp=64") == NULL;
  const tiling tilings[] = {{TRIGON_S, has_units ? 64 : 8, has_units ? 1 : 2, !has_units},
                            {TRIGON_C, 8, 2, true},
                            {TRIGON_Z, has_units ? 16 : 8, 2, true},
                            {TRIGON_D, has_units ? 64 : 8, has_units ? 1 : 2, !has_units}};
  for (int k = 0; k < 3; k++) {
    char with[100];
    snprintf(with, sizeof with, "%s%cresident=%d", name, strchr(name, '?') ? '&' : '?', residents[k]);
    trigon_context *ctx = batch_context(with);
    for (int i = 0; ctx && i < 4; i++) {
      const tiling *t = &tilings[i];
      const bool is_single = t->type == TRIGON_S;
      const int64_t one[] = {is_single ? 290 : 161}, few[] = {129, is_single ? 264 : 200},
                    many[] = {130, 150, 129, 160, 144}, seated[] = {1030};
      test_batch_of(ctx, t, residents[k], one, 1, 0, false);
      test_batch_of(ctx, t, residents[k], few, 2, 0, true);
      if (part) continue;
      if (!is_single || !has_units) test_batch_of(ctx, t, residents[k], many, 5, 2, true);
      /* Several blocks begin with a matrix above order 1024. Where tiles are large, this takes few seconds. */
      if (t->tile == 64 && residents[k] > 2) test_batch_of(ctx, t, residents[k], seated, 1, 0, false);
    }
    trigon_destroy(ctx);
  }
}

/* A strided batch has one order and one number of columns. POTRF takes the first launch, which makes the lists, and the
 * launch of this order. POTRS takes the launch of this number of columns. */
static void test_strided(const char *name, int64_t columns, int launches) {
  enum { ORDER = 200, COUNT = 2, ELEMENTS = ORDER * ORDER };
  static double A[COUNT * ELEMENTS];
  const double result = columns > 0 ? 0.25 : 2;
  for (int k = 1; k <= launches + 1; k++) {
    char failing[100];
    snprintf(failing, sizeof failing, "%s%cfail=launch:%d", name, strchr(name, '?') ? '&' : '?', k);
    trigon_context *ctx = batch_context(failing);
    for (int64_t e = 0; e < COUNT * ELEMENTS; e++) A[e] = e % ELEMENTS % (ORDER + 1) == 0 ? (columns > 0 ? 2 : 4) : 0;
    double *there = batch_send(ctx, A, sizeof A), *B = NULL;
    int64_t info[COUNT] = {BATCH_UNTOUCHED, BATCH_UNTOUCHED}, wrong = 0, *infos = batch_send(ctx, info, sizeof info);
    for (int64_t e = 0; e < COUNT * ELEMENTS; e++) A[e] = e % ELEMENTS % (ORDER + 1) == 0;
    if (columns > 0) B = batch_send(ctx, A, sizeof A);
    const trigon_status status =
        columns > 0 ? trigon_dpotrs_strided(ctx, TRIGON_LOWER, COUNT, ORDER, columns, there, ORDER, ELEMENTS, B, ORDER,
                                            ELEMENTS)
                    : trigon_dpotrf_strided(ctx, TRIGON_LOWER, COUNT, ORDER, there, ORDER, ELEMENTS, infos);
    batch_check(status == (k <= launches ? TRIGON_DEVICE_FAILED : TRIGON_OK), "a strided batch takes so many launches");
    batch_receive(ctx, infos, info, sizeof info);
    if (B) batch_receive(ctx, there, A, sizeof A);
    batch_receive(ctx, B ? B : there, A, sizeof A);
    for (int64_t e = 0; e < COUNT * ELEMENTS; e++) {
      const int64_t at = e % ELEMENTS, column = at / ORDER;
      if (columns == 0 || column < columns) wrong += A[e] != (at % (ORDER + 1) == 0 ? result : 0);
    }
    if (k > launches)
      batch_check(wrong == 0 && (columns > 0 || (info[0] == 0 && info[1] == 0)), "it holds its results");
    trigon_destroy(ctx);
  }
}

void test_strided_launches(const char *name) {
  test_strided(name, 0, 2);
  for (int64_t columns = 1; columns < 30; columns += 5) test_strided(name, columns, 1);
}
