/* batch_native.c - batches by the vendor's BLAS, in a context with native=1: results, wrong entries, refused batches.
 *
 * The simulated GPU's BLAS has products, and TRSM of matrices that are a stride apart, alone. */
#include <stdio.h>
#include <string.h>

#include "batch_case.h"

static bool is_simulated;

static bool is_native(enum tested_routine routine, bool strided) {
  if (is_simulated) return routine == GEMM || (routine == TRSM && strided);
  return routine == GEMM || routine == TRSM || routine == TRMM || routine == SYRK || routine == HERK;
}

/* Every third order is wrong. */
static void spoil_orders(batch_case *t) {
  for (int64_t i = 1; i < t->all.count; i += 3) {
    if (t->due[i] != 0) continue;
    t->n[i] = -1 - t->n[i];
    t->due[i] = -argument_position(routines[t->all.flags.routine].blas, "n");
  }
}

static void computed(enum tested_routine routine, trigon_type type, bool strided, random_stream *r) {
  for (int turn = 0; turn < 6; turn++) {
    batch_case *t = case_make(routine, type, strided, r);
    const bool ran = case_run(t, !strided && turn % 2 ? spoil_orders : NULL) == TRIGON_OK;
    case_check(ran, ran ? "the vendor runs a batch" : trigon_message(batch_at.caller));
    case_judge(t);
    case_free(t);
  }
}

/* What the call says: bringing the matrices back has messages of its own. */
static char said[200];
static void keep_message(void) { snprintf(said, sizeof said, "%s", trigon_message(batch_at.caller)); }

static void refused(enum tested_routine routine, trigon_type type, bool strided, const char *words, random_stream *r) {
  batch_case *t = case_make(routine, type, strided, r);
  batch_at.after_call = keep_message;
  const trigon_status status = case_run(t, NULL);
  batch_at.after_call = NULL;
  char text[300];
  snprintf(text, sizeof text, "%s of a batch: status %d: %s", routines[routine].name, (int)status, said);
  case_check(status == TRIGON_NOT_SUPPORTED && strstr(text, words), text);
  case_free(t);
}

static void test_routine(enum tested_routine routine, trigon_type type, random_stream *r) {
  for (int strided = 0; strided < 2; strided++) {
    batch_at.device_arrays = false;
    if (!is_native(routine, strided)) {
      refused(routine, type, strided, "native=1 has ", r);
      continue;
    }
    computed(routine, type, strided, r);
    batch_at.device_arrays = true;
    if (strided)
      computed(routine, type, strided, r);
    else
      refused(routine, type, strided, "sizes that the host knows", r);
  }
}

/* The addresses of a batch stay on the device: a batch at another place, or of more matrices, needs others. */
static void test_other_batches(trigon_type type, random_stream *r) {
  for (int64_t n = 1; n < 40; n += 7) {
    batch_case *t = case_of(TRSM, type, n, 3, r);
    for (int again = 0; again < 2; again++) {
      case_check(case_run(t, NULL) == TRIGON_OK, "TRSM of another batch");
      case_judge(t);
      case_free(t);
      t = case_of(TRSM, type, n, 3 + again, r);
    }
    case_free(t);
  }
}

void test_native(const char *name) {
  random_stream r = {77};
  char why[400];
  is_simulated = strncmp(name, "sim", 3) == 0;
  if (trigon_create(name, &batch_at.ctx, why, sizeof why) != TRIGON_OK) {
    case_check(false, why);
    return;
  }
  batch_at.caller = batch_at.ctx, batch_at.on_device = true;
  for (int routine = 0; routine < TESTED_ROUTINES; routine++)
    for (const char *type = "sdcz"; *type; type++)
      if (routine != POTRF && has_batch((enum tested_routine)routine, (trigon_type)*type))
        test_routine((enum tested_routine)routine, (trigon_type)*type, &r);
  for (const char *type = "sdcz"; *type; type++) test_other_batches((trigon_type)*type, &r);
  trigon_destroy(batch_at.ctx);
}
