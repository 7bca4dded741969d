/* device_dataflow.c - dataflow leaves: each launch leaves its tickets and flags as it found them, and the order of
 * blocks changes no bit of the result. */
#include <stdio.h>
#include <stdlib.h>

#include "support/device_recording.h"

/* The whole call is one leaf, of several tile rows and slabs. */
static trigon_context *open_dataflow(const device *d, const char *tile, const char *more) {
  char options[80];
  snprintf(options, sizeof options, "leaf=dataflow&stop=100000%s%s", tile, more);
  trigon_context *ctx = device_open(d, options);
  accepted(ctx, trigon_reserve(ctx, 1), "reserve");
  return ctx;
}

/* TRSM with few columns has kernels of its own, and of doubles one for many columns, which an option asks for. */
typedef struct subject {
  enum tested_routine routine;
  bool few;
  const char *tile;
} subject;
static const subject subjects[] = {{TRSM, false, ""}, {TRSM, true, ""},   {TRSM, false, "&tile=128x128"},
                                   {TRMM, false, ""}, {POTRF, false, ""}, {TRTRI, false, ""},
                                   {LAUUM, false, ""}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* The tiles of the simulated GPU are small. */
static void make_dataflow(job *j, trigon_context *ctx, const device *d, subject s, trigon_type type, uint64_t seed) {
  const int64_t order = d->simulated ? 70 : 300;
  if (s.few)
    job_make_sized(j, ctx, s.routine, type, d->simulated ? 140 : 1300, 3, 0, seed);
  else if (s.tile[0]) /* so many columns share inverses */
    job_make_sized(j, ctx, s.routine, type, 140, d->simulated ? 150 : 4200, 0, seed);
  else if (s.routine == TRSM || s.routine == TRMM)
    job_make_sized(j, ctx, s.routine, type, d->simulated ? 40 : 700, d->simulated ? 19 : 100, 0, seed);
  else
    job_make_sized(j, ctx, s.routine, type, order, order, 0, seed);
}

static void again(job *j, const unsigned char *kept, const char *when) {
  job_receive(j);
  check(job_same(j, kept), "%s: the same bits, %s", j->text, when);
}

/* Flags that an earlier launch left behind would make a replay wrong. */
static void replayed_often(const device *d, subject s, trigon_type type) {
  const bool often = type == TRIGON_D && !s.tile[0];
  const int replays = often || !d->simulated ? 1000 : 40, live = replays / 4;
  trigon_context *ctx = open_dataflow(d, s.tile, "");
  job j;
  make_dataflow(&j, ctx, d, s, type, 1);
  recording r = record(d, ctx, &j, GLOBAL);
  job_fill(&j, 5);
  replay(&r, &j, "replayed");
  unsigned char *kept = job_keep(&j);
  for (int i = 1; i <= replays; i++) {
    job_send(&j);
    record_launch(&r, j.text);
    if (i % live != 0) continue;
    again(&j, kept, "replayed often");
    job_whole(ctx, s.routine, (trigon_type) "sdcz"[i / live % 4], 49, 3, "between replays");
  }
  free(kept);
  record_free(&r, ctx);
  job_free(&j);
  trigon_destroy(ctx);
}

/* Two contexts compute at the same time on two streams. Each has its own flags. */
static void side_by_side(const device *d, subject s) {
  trigon_context *ctx[2];
  job j[2];
  unsigned char *kept[2];
  for (int i = 0; i < 2; i++) {
    ctx[i] = open_dataflow(d, s.tile, "");
    make_dataflow(&j[i], ctx[i], d, s, i ? TRIGON_D : TRIGON_Z, 7 + (uint64_t)i);
    job_fill(&j[i], 8);
    job_send(&j[i]);
    job_call(&j[i]);
    job_check(&j[i], "alone");
    kept[i] = job_keep(&j[i]);
  }
  for (int turn = 0; turn < 20; turn++) {
    for (int i = 0; i < 2; i++) job_send(&j[i]);
    for (int i = 0; i < 2; i++) job_call(&j[i]);
    for (int i = 0; i < 2; i++) again(&j[i], kept[i], "beside another context");
  }
  for (int i = 0; i < 2; i++) {
    free(kept[i]);
    job_free(&j[i]);
    trigon_destroy(ctx[i]);
  }
}

static void any_order_of(const device *d, subject s, trigon_type type) {
  static const char *const orders[] = {"&seed=1&resident=1", "&seed=1&resident=64", "&seed=2&resident=3", "&seed=3",
                                       "&seed=4&resident=2", "&seed=5&resident=64"};
  unsigned char *kept = NULL;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    trigon_context *ctx = open_dataflow(d, s.tile, d->simulated ? orders[i] : "");
    job j;
    make_dataflow(&j, ctx, d, s, type, 11);
    job_fill(&j, 12);
    job_send(&j);
    job_call(&j);
    job_check(&j, orders[i]);
    if (kept)
      again(&j, kept, orders[i]);
    else
      kept = job_keep(&j);
    job_free(&j);
    trigon_destroy(ctx);
  }
  free(kept);
}

/* A failed pivot leaves no block waiting, and no flag behind. */
static void failed_pivots(const device *d, trigon_type type) {
  trigon_context *ctx = open_dataflow(d, "", "");
  job j;
  make_dataflow(&j, ctx, d, (subject){POTRF, false, ""}, type, 21);
  const int64_t n = j.host[0].matrix.rows, failing[] = {0, n / 3, n / 2, n - 1};
  for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
    job_fill(&j, 22);
    job_spoil(&j, failing[i]);
    job_send(&j);
    job_call(&j);
    job_check(&j, "a failed pivot");
    job_whole(ctx, POTRF, type, 49, 3, "after a failed pivot");
  }
  job_free(&j);
  trigon_destroy(ctx);
}

/* TRTRI of a singular triangle runs to its end, and leaves the flags at zero for the next call. */
static void singular(const device *d) {
  trigon_context *ctx = open_dataflow(d, "", "");
  job j;
  make_dataflow(&j, ctx, d, (subject){TRTRI, false, ""}, TRIGON_D, 21);
  j.call.diag = TRIGON_NONUNIT;
  job_fill(&j, 22);
  for (int64_t at = 0; at < j.call.n; at += j.call.n - 1) {
    job_spoil(&j, at);
    job_send(&j);
    job_call(&j);
    job_check(&j, "singular");
    job_fill(&j, 23);
    job_send(&j);
    job_call(&j);
    job_check(&j, "after a singular triangle");
  }
  job_free(&j);
  trigon_destroy(ctx);
}

void test_dataflow(const device *d) {
  for (int i = 0; i < SUBJECTS; i++) {
    side_by_side(d, subjects[i]);
    for (int t = 0; t < 4; t++) {
      replayed_often(d, subjects[i], (trigon_type) "sdcz"[t]);
      any_order_of(d, subjects[i], (trigon_type) "sdcz"[t]);
    }
  }
  for (int t = 0; t < 4; t++) failed_pivots(d, (trigon_type) "sdcz"[t]);
  singular(d);
}
