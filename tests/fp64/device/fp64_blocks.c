/* fp64_blocks.c - products in blocks: many terms, and workspaces from none to more than enough. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp64_product.h"

enum { KIB = 1 << 10 };

/* ----------------------------------------------------------------------------------------------- many terms -- */

/* Sums of products of bytes would overflow without blocks of terms. Small integers need few moduli, so that the
 * simulated GPU is fast enough. The guaranteed grade takes 256 bytes for each term, which the simulated GPU does not
 * have for the most terms. */
static void many_terms(const device *d) {
  static const struct {
    trigon_type type;
    int64_t k;
    int accuracy;
    entry_rule *rule;
    bool on_device;
  } cases[] = {{TRIGON_D, 133145, TRIGON_FP64_GUARANTEED, entry_integer, true},
               {TRIGON_D, (1 << 18) + 3, TRIGON_FP64_FAST, entry_integer, true},
               {TRIGON_Z, 66573, 4, entry_integer, true},
               {TRIGON_D, (1 << 17) + 1, TRIGON_FP64_GUARANTEED, entry_hard, false},
               {TRIGON_Z, (1 << 17) + 1, TRIGON_FP64_GUARANTEED, entry_spread, false}};
  const device cpu = {.name = "cpu"};
  call_target host = {.ctx = device_open(&cpu, "")}, there = {.ctx = device_open(d, "")};
  char text[400];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const bool integers = cases[i].rule == entry_integer;
    product p = product_make(cases[i].type, 1, 2, cases[i].k, i % 2 ? TRIGON_TRANS : TRIGON_NOTRANS, TRIGON_NOTRANS);
    p.call.beta.re = (double)(i % 2);
    product_fill(&p, cases[i].rule, cases[i].rule, integers ? 8 : 0, i + 1); /* kind 0 is of one sign */
    product q = product_copy(&p);
    product_emulate(&p, &host, cases[i].accuracy);
    if (cases[i].on_device) product_emulate(&q, &there, cases[i].accuracy);
    product_text(&p, text, sizeof text);
    check(integers ? product_exact(&p) : product_share(&p) <= 1, "%s: many terms", text);
    check(p.report.emulated == 1 && p.report.unproved == 0, "%s: not emulated", text);
    check(!cases[i].on_device || (product_same(&p, &q) && p.report.moduli == q.report.moduli && q.report.emulated == 1),
          "%s: other bits on the device", text);
    product_free(&p), product_free(&q);
  }
  call_target_free(&there), call_target_free(&host);
  trigon_destroy(there.ctx), trigon_destroy(host.ctx);
}

/* --------------------------------------------------------------------------------------------------- workspaces -- */

static product blocked_product(trigon_type type) {
  const int64_t parts = is_complex(type) ? 2 : 1;
  product p = product_make(type, 260 / parts, 131, 66 / parts, TRIGON_NOTRANS, TRIGON_TRANS);
  p.call.beta.re = 1;
  product_fill(&p, entry_spread, entry_spread, 0.5, 11);
  return p;
}

static const char too_small[] = "the workspace is too small";

static bool is_near(const product *p, const product *q) {
  for (int64_t e = 0; e < p->call.m * p->call.n; e++) {
    const trigon_scalar x = matrix_get(p->stored[OF_C].matrix, e % p->call.m, e / p->call.m),
                        y = matrix_get(q->stored[OF_C].matrix, e % p->call.m, e / p->call.m);
    const double tolerance = 1000 * epsilon_of(p->call.type);
    if (!(fabs(x.re - y.re) <= tolerance) || (is_complex(p->call.type) && !(fabs(x.im - y.im) <= tolerance)))
      return false;
  }
  return true;
}

/* The result under a workspace is that of `due`, bit for bit. If it is emulated must be told truly. */
static bool same_under(call_target *target, const product *due, int accuracy, bool must, const char *what) {
  char text[400];
  product p = product_copy(due);
  product_emulate(&p, target, accuracy);
  product_text(&p, text, sizeof text);
  const bool emulated = p.report.emulated == 1;
  check(is_near(&p, due), "%s, %s: wrong values", text, what);
  check(emulated ? product_same(&p, due) && p.report.moduli == due->report.moduli && !p.report.why
                 : p.report.why && strcmp(p.report.why, too_small) == 0,
        "%s, %s", text, what);
  check(p.report.products == 1 && (emulated || !must), "%s, %s: not emulated", text, what);
  product_free(&p);
  return emulated;
}

/* The vendor's BLAS has a part of a cap, up to 32 MiB, or 4 MiB on the simulated GPU. Without this part caps from
 * 1.25 MiB on are enough. */
static void caps(const device *d, trigon_type type, int accuracy, int step) {
  static const int64_t all[] = {0,       512 * KIB, 1536 * KIB, MIB,           5 * MIB,  2 * MIB,
                                3 * MIB, 4 * MIB,   1280 * KIB, 5 * MIB + 300, 64 * MIB, INT64_MAX};
  char what[64];
  call_target target = {.ctx = device_open(d, "")};
  product due = blocked_product(type);
  product_emulate(&due, &target, accuracy);
  check(due.report.emulated == 1 && due.report.unproved == 0 && (accuracy == BY_PAIRS || due.report.moduli > 0),
        "the product is emulated");
  for (size_t i = 0; i < sizeof all / sizeof *all; i += (size_t)step) {
    accepted(target.ctx, trigon_set_workspace(target.ctx, NULL, all[i]), "a cap");
    snprintf(what, sizeof what, "accuracy %d, a cap of %lld bytes", accuracy, (long long)all[i]);
    const bool without_blas = all[i] >= 1280 * KIB && all[i] < 2 * MIB;
    same_under(&target, &due, accuracy, without_blas || all[i] >= (d->simulated ? 5 : 64) * (int64_t)MIB, what);
  }
  product_free(&due);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

/* A buffer of the caller's: nothing else is allocated, and nothing behind the buffer is written. */
static void callers_buffer(const device *d) {
  enum { BEHIND = 4096, LARGEST = 12 * MIB };
  static const int64_t sizes[] = {2 * MIB, 3 * MIB, 5 * MIB, 6 * MIB, LARGEST};
  static unsigned char after[BEHIND];
  const trigon_matrix host = {after, TRIGON_S, BEHIND / 4, 1, BEHIND / 4};
  char what[64];
  void *buffer;
  call_target target = {.ctx = device_open(d, "")};
  product due = blocked_product(TRIGON_D);
  product_emulate(&due, &target, TRIGON_FP64_GUARANTEED);
  accepted(target.ctx, trigon_alloc(target.ctx, LARGEST + BEHIND, &buffer), "a buffer");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const trigon_matrix behind = {(char *)buffer + sizes[i], TRIGON_S, BEHIND / 4, 1, BEHIND / 4};
    memset(after, 0x5a, sizeof after);
    accepted(target.ctx, trigon_upload(target.ctx, host, behind), "an upload");
    accepted(target.ctx, trigon_set_workspace(target.ctx, buffer, sizes[i]), "the buffer");
    const int64_t before = d->simulated ? d->runtime.allocated(d->number) : 0;
    snprintf(what, sizeof what, "a buffer of %lld bytes", (long long)sizes[i]);
    same_under(&target, &due, TRIGON_FP64_GUARANTEED, d->simulated && sizes[i] >= 5 * MIB, what);
    check(!d->simulated || d->runtime.allocated(d->number) == before, "%s: something is allocated", what);
    accepted(target.ctx, trigon_download(target.ctx, behind, host), "a download");
    bool kept = true;
    for (int b = 0; b < BEHIND; b++) kept = kept && after[b] == 0x5a;
    check(kept, "%s: written behind the buffer", what);
  }
  accepted(target.ctx, trigon_set_workspace(target.ctx, NULL, 64 * MIB), "the buffer is given back");
  accepted(target.ctx, trigon_free(target.ctx, buffer), "free");
  same_under(&target, &due, TRIGON_FP64_GUARANTEED, true, "after the buffer was given back");
  product_free(&due);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

/* A device whose memory is full computes natively. When trigon_set_workspace asks for the memory again, products are
 * emulated again. */
static void full_device(const device *d) {
  if (!d->simulated) return;
  void *most = NULL;
  int64_t free_bytes = 24 * MIB;
  call_target target = {.ctx = device_open(d, "memory=24M")};
  product due = blocked_product(TRIGON_D);
  product_emulate(&due, &target, TRIGON_FP64_GUARANTEED);
  check(due.report.emulated == 1, "there is memory at first");
  accepted(target.ctx, trigon_set_workspace(target.ctx, NULL, INT64_MAX), "the workspace is freed");
  while (free_bytes > 0 && trigon_alloc(target.ctx, free_bytes, &most) != TRIGON_OK) free_bytes -= 64 * KIB;
  same_under(&target, &due, TRIGON_FP64_GUARANTEED, false, "on a full device");
  check(!same_under(&target, &due, TRIGON_FP64_GUARANTEED, false, "on a full device, again"), "memory from nowhere");
  accepted(target.ctx, trigon_free(target.ctx, most), "free");
  accepted(target.ctx, trigon_set_workspace(target.ctx, NULL, INT64_MAX), "the workspace is asked for again");
  same_under(&target, &due, TRIGON_FP64_GUARANTEED, true, "after trigon_set_workspace, when there is memory again");
  product_free(&due);
  call_target_free(&target);
  trigon_destroy(target.ctx);
  trigon_destroy(device_open(d, "")); /* resets the device to its defaults */
}

/* ------------------------------------------------------------------------------------- memory that is held -- */

static int64_t held(call_target *target) {
  int64_t bytes = -1;
  accepted(target->ctx, trigon_memory(target->ctx, &bytes), "trigon_memory");
  return bytes;
}

/* trigon_memory counts the memory of emulated products. A second call takes no more. */
static void memory_is_reported(const device *d) {
  call_target target = {.ctx = device_open(d, "")};
  product p = blocked_product(TRIGON_D);
  product_run(&p, &target);
  const int64_t before = held(&target), all = d->simulated ? d->runtime.allocated(d->number) : 0;
  product_emulate(&p, &target, TRIGON_FP64_GUARANTEED);
  const int64_t after = held(&target), more = d->simulated ? d->runtime.allocated(d->number) - all : after - before;
  check(after - before > MIB && after - before == more, "trigon_memory tells %lld bytes more, %lld are taken",
        (long long)(after - before), (long long)more);
  product_run(&p, &target);
  check(held(&target) == after, "a second call takes more memory");
  product_free(&p);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

/* After trigon_reserve, calls on operands of that size allocate nothing. */
static void reserved(const device *d) {
  if (!d->simulated) return;
  call_target target = {.ctx = device_open(d, "")};
  product p = blocked_product(TRIGON_D);
  product_run(&p, &target);
  accepted(target.ctx, trigon_set_fp64(target.ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED), "trigon_set_fp64");
  accepted(target.ctx, trigon_reserve(target.ctx, 8 * 260 * 131), "trigon_reserve");
  const int64_t before = d->runtime.allocated(d->number);
  product_run(&p, &target);
  check(p.report.emulated == 1 && d->runtime.allocated(d->number) == before,
        "after trigon_reserve an emulated product allocates %lld bytes",
        (long long)(d->runtime.allocated(d->number) - before));
  product_free(&p);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

/* After trigon_reserve no call of any type and routine on square operands of that size asks for memory. */
static void reserved_for_all(const device *d, trigon_fp64 mode, int accuracy, int64_t order) {
  if (!d->simulated) return;
  for (int t = 0; t < 4; t++) {
    const trigon_type type = (trigon_type) "sdcz"[t];
    trigon_context *ctx = device_open(d, "stop=32");
    accepted(ctx, trigon_set_fp64(ctx, mode, accuracy), "trigon_set_fp64");
    accepted(ctx, trigon_reserve(ctx, order * order * element_size(type)), "trigon_reserve");
    for (int r = 0; r < TESTED_ROUTINES; r++) {
      job j;
      job_make_sized(&j, ctx, (enum tested_routine)r, type, order, order, order, 3);
      job_send(&j);
      const int64_t before = d->runtime.operations(d->number, "alloc");
      job_call(&j);
      accepted(ctx, trigon_finish(ctx, NULL), "finish");
      const int64_t more = d->runtime.operations(d->number, "alloc") - before;
      check(more == 0, "mode %d: %s allocates %lld times after trigon_reserve", (int)mode, j.text, (long long)more);
      job_free(&j);
    }
    trigon_destroy(ctx);
  }
}

void test_blocks(const device *d) {
  const device cpu = {.name = "cpu"};
  many_terms(d);
  caps(d, TRIGON_D, TRIGON_FP64_GUARANTEED, 1);
  caps(d, TRIGON_D, 14, 2);
  caps(d, TRIGON_C, TRIGON_FP64_GUARANTEED, 4);
  caps(d, TRIGON_Z, TRIGON_FP64_FAST, 4);
  caps(d, TRIGON_D, BY_PAIRS, 1);
  caps(d, TRIGON_Z, BY_PAIRS, 4);
  callers_buffer(d);
  full_device(d);
  memory_is_reported(d);
  memory_is_reported(&cpu);
  reserved(d);
  reserved_for_all(d, TRIGON_FP64_INT8, 3, 100);
  reserved_for_all(d, TRIGON_FP64_INT8, TRIGON_FP64_FAST, 70);
  reserved_for_all(d, TRIGON_FP64_DOUBLE_FLOAT, 0, 130);
}
