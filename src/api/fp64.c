/* fp64.c - the public functions for emulated products. */
#include "checks.h"
#include "core/decorator.h"
#include "decorators/fp64/fp64_decorator.h"
#include "fp64/int8/residue_layout.h"
#include "hosted/hosted_create.h"

/* The place of an engine that computes products: of a device that computes for the host, else the context's, but inside
 * of a trace. NULL if there are fewer. */
static engine **place_of(trigon_context *ctx, int number) {
  if (ctx->hosted) return hosted_place(ctx->hosted, number);
  if (number > 0) return NULL;
  return ctx->traced ? &((decorator *)ctx->engine)->inner : &ctx->engine;
}

/* Puts a decorator around each of them. */
static trigon_status wrap(trigon_context *ctx) {
  for (engine **place; (place = place_of(ctx, ctx->emulating)); ctx->emulating++) {
    TRY(fp64_create(*place, ctx->hosted ? 0 : ctx->stop, place));
    if (!ctx->fp64) ctx->fp64 = *place;
  }
  return TRIGON_OK;
}

/* A failure of one of the devices behind a context is told as the context's. */
static trigon_status refused(call *c, trigon_context *ctx, trigon_status status) {
  if (ctx->hosted) hosted_tell_reason(ctx->hosted);
  return refused_call(c, status);
}

trigon_status trigon_set_fp64(trigon_context *ctx, trigon_fp64 mode, int accuracy) {
  call c = enter_call(ctx, "trigon_set_fp64", "mode accuracy");
  if ((int)mode < TRIGON_FP64_NATIVE || mode > TRIGON_FP64_AUTO)
    bad_argument(&c, "mode", "is %d, must be a mode of trigon_fp64", (int)mode);
  if (accuracy < TRIGON_FP64_GUARANTEED || accuracy > residue_moduli)
    bad_argument(&c, "accuracy",
                 "is %d, must be TRIGON_FP64_GUARANTEED, TRIGON_FP64_FAST or a number of moduli from 2 to %d", accuracy,
                 residue_moduli);
  if (c.status != TRIGON_OK) return c.status;
  if (mode == TRIGON_FP64_NATIVE && !ctx->fp64) return TRIGON_OK;
  if (check_one_process(&c) != TRIGON_OK) return c.status;
  const trigon_status status = wrap(ctx);
  if (status != TRIGON_OK) return refused(&c, ctx, status);
  for (int number = 0; number < ctx->emulating; number++) fp64_set(*place_of(ctx, number), mode, accuracy);
  if (!ctx->hosted) return TRIGON_OK;
  const bool emulates = mode == TRIGON_FP64_INT8 || mode == TRIGON_FP64_AUTO;
  const trigon_status changed = hosted_set_emulation(ctx->hosted, emulates, mode != TRIGON_FP64_NATIVE);
  return changed == TRIGON_OK ? TRIGON_OK : refused(&c, ctx, changed);
}

/* Adds what one of several devices has done in a call. */
static void add_report(trigon_fp64_report *all, const trigon_fp64_report *device) {
  if (device->emulated > 0 && (all->emulated == 0 || device->bits < all->bits)) all->bits = device->bits;
  if (device->moduli > all->moduli) all->moduli = device->moduli;
  if (device->why) all->why = device->why;
  all->products += device->products, all->emulated += device->emulated, all->tiles += device->tiles;
  all->not_finite += device->not_finite, all->unproved += device->unproved;
}

static trigon_status report_of_devices(trigon_context *ctx, trigon_fp64_report *report) {
  for (int number = 0; number < ctx->emulating; number++) {
    trigon_fp64_report device;
    report->mode = fp64_mode(*place_of(ctx, number));
    if (ctx->hosted && !hosted_has_computed(ctx->hosted, number)) continue;
    TRY(fp64_last_report(*place_of(ctx, number), &device));
    add_report(report, &device);
  }
  return TRIGON_OK;
}

trigon_status trigon_last_fp64(trigon_context *ctx, trigon_fp64_report *report) {
  call c = enter_call(ctx, "trigon_last_fp64", "report");
  if (!report) bad_argument(&c, "report", "is NULL, must point to a report");
  if (c.status != TRIGON_OK) return c.status;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): bad_argument, in another file, has set the status */
  *report = (trigon_fp64_report){.mode = TRIGON_FP64_NATIVE};
  const trigon_status status = report_of_devices(ctx, report);
  return status == TRIGON_OK ? TRIGON_OK : refused(&c, ctx, status);
}
