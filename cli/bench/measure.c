/* measure.c - operand sets, calls timed one at a time, medians. */
#include "measure.h"
#include "../command.h"
#include "../transfer.h"
#include "check.h"
#include "memory_use.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 24, SETS_ON_HOST = 3, LEAST_REPEATS = 5, LEAST_ON_DEVICE = 3, MOST_REPEATS = 100 };
static const double row_seconds = 1; /* how long the timed calls of a row are to take together */

/* Bytes up to which a device gets several sets. Larger operands leave nothing of each other in any cache, and there is
 * no asking how much of its memory is left. */
static const double device_share = 0x1p32;

/* A device's sets together are larger than its second-level cache, so that operands come from memory. */
static const double device_cold = 0x1p27;

/* How long a device's stream is held before a timed call: longer than it takes to launch a few kernels. */
static const double device_hold = 100e-6;

/* Where the reason of a failure goes. */
typedef struct complaint {
  char *why;
  size_t size;
} complaint;

/* Whether the call succeeded; if not, says why. */
static bool succeeded(const complaint *to, const char *what, const trigon_context *ctx, trigon_status status) {
  if (status == TRIGON_OK) return true;
  const char *message = trigon_message(ctx);
  snprintf(to->why, to->size, "%s: %s", what, *message ? message : trigon_status_string(status));
  return false;
}

/* ----------------------------------------------------------------------------------------------- operands -- */

/* The operands as they are before a call, on the host, and sets of copies where the calls compute: consecutive calls
 * work on different memory. What calls write is restored from `fresh`: the originals, or a device's copies of them. */
typedef struct operand_sets {
  trigon_context *ctx; /* whose memory the sets are in */
  trigon_matrix original[MOST_OPERANDS], fresh[MOST_OPERANDS], set[MOST_SETS][MOST_OPERANDS];
  trigon_matrix result[MOST_OPERANDS]; /* on a device: where what was written comes to be judged */
  int count, next;                     /* sets; the one for the next timed call, modulo count */
} operand_sets;

static double bytes_of(const bench_case *c, bool written_only) {
  double bytes = 0;
  for (int i = 0; i < case_operands(c); i++) {
    int64_t rows, cols;
    case_shape(c, i, &rows, &cols);
    if (!written_only || c->routine->operand[i].written)
      bytes += (double)rows * (double)cols * (double)type_size(c->type);
  }
  return bytes;
}

static double operand_bytes(const bench_case *c) { return bytes_of(c, false); }

/* What the host must hold: the originals, and a set or, of a device's set, what comes back. */
static double host_bytes(const bench_case *c, const trigon_context *ctx) {
  return operand_bytes(c) + bytes_of(c, !trigon_on_host(ctx));
}

typedef struct dominance {
  const trigon_matrix *A;
  uint64_t seed;
} dominance;

static void dominate_columns(void *data, int part, int parts) {
  enum { SOME = 64 };
  double pairs[2 * SOME];
  const dominance *d = data;
  const trigon_matrix *A = d->A;
  for (int64_t j = part; j < A->cols; j += parts) {
    for (int64_t i = 0; i < A->rows; i += SOME) {
      int64_t count = A->rows - i < SOME ? A->rows - i : SOME;
      dense_load(A, i, j, count, pairs);
      for (int64_t k = 0; k < 2 * count; k++) pairs[k] /= (double)A->rows;
      dense_store(A, i, j, count, pairs);
    }
    uint64_t state = random_state(d->seed, j);
    dense_store(A, j, j, 1, (double[]){1 + fabs(random_number(&state)), 0});
  }
}

/* Off the diagonal up to 1/n, on it between 1 and 2. */
static void make_dominant(const trigon_matrix *A, uint64_t seed) {
  dominance d = {A, seed};
  dense_in_parts(A, dominate_columns, &d);
}

static bool make_originals(const bench_case *c, operand_sets *sets) {
  for (int i = 0; i < case_operands(c); i++) {
    int64_t rows, cols;
    bool written = c->routine->operand[i].written && !trigon_on_host(sets->ctx);
    case_shape(c, i, &rows, &cols);
    if (!dense_alloc(c->type, rows, cols, &sets->original[i])) return false;
    if (written && !dense_alloc(c->type, rows, cols, &sets->result[i])) return false;
    dense_random(&sets->original[i], (uint64_t)i + 1);
    if (c->routine->operand[i].dominant) make_dominant(&sets->original[i], (uint64_t)i + 7);
  }
  return true;
}

static trigon_status restore(const bench_case *c, const operand_sets *sets, int which) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < case_operands(c) && status == TRIGON_OK; i++)
    if (c->routine->operand[i].written) status = trigon_copy(sets->ctx, sets->fresh[i], sets->set[which][i]);
  return status;
}

/* A matrix like the original where the calls compute. */
static trigon_status make_copy(const operand_sets *sets, int operand, trigon_matrix *copy) {
  const trigon_matrix *A = &sets->original[operand];
  trigon_status status = placed_alloc(sets->ctx, A->type, A->rows, A->cols, copy);
  return status == TRIGON_OK ? trigon_upload(sets->ctx, *A, *copy) : status;
}

static trigon_status make_fresh(const bench_case *c, operand_sets *sets) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < case_operands(c) && status == TRIGON_OK; i++)
    if (trigon_on_host(sets->ctx))
      sets->fresh[i] = sets->original[i];
    else if (c->routine->operand[i].written)
      status = make_copy(sets, i, &sets->fresh[i]);
  return status;
}

static trigon_status make_set(const bench_case *c, operand_sets *sets, int which) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < case_operands(c) && status == TRIGON_OK; i++) status = make_copy(sets, i, &sets->set[which][i]);
  return status;
}

static trigon_status free_copies(trigon_context *ctx, trigon_matrix copies[MOST_OPERANDS]) {
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < MOST_OPERANDS && ctx; i++) {
    trigon_status freed = trigon_free(ctx, copies[i].data);
    copies[i].data = NULL;
    if (status == TRIGON_OK) status = freed;
  }
  return status;
}

/* How many sets to make where there is room for `fit` of them. */
static int sets_wanted(const bench_case *c, const trigon_context *ctx, double fit) {
  const double wanted = trigon_on_host(ctx) ? SETS_ON_HOST : ceil(device_cold / fmax(operand_bytes(c), 1)) + 1;
  return (int)fmax(1, fmin(fmin(fit, wanted), MOST_SETS));
}

/* `available` bytes are there for sets; the first one is made in any case. */
static bool make_operands(const bench_case *c, double available, operand_sets *sets, const complaint *to) {
  const int most = sets_wanted(c, sets->ctx, available / fmax(operand_bytes(c), 1));
  if (!make_originals(c, sets)) {
    snprintf(to->why, to->size, "out of memory");
    return false;
  }
  if (!succeeded(to, "making operands", sets->ctx, make_fresh(c, sets))) return false;
  for (sets->count = 0; sets->count < most; sets->count++) {
    trigon_status status = make_set(c, sets, sets->count);
    if (status == TRIGON_NO_MEMORY && sets->count > 0)
      return succeeded(to, "freeing operands", sets->ctx, free_copies(sets->ctx, sets->set[sets->count]));
    if (!succeeded(to, "making operands", sets->ctx, status)) return false;
  }
  return true;
}

/* Returns false, with the reason unless there is one already, where that fails. */
static bool free_operands(operand_sets *sets, bool done, const complaint *to) {
  for (int k = 0; k < MOST_SETS; k++) {
    trigon_status status = free_copies(sets->ctx, sets->set[k]);
    if (done) done = succeeded(to, "freeing operands", sets->ctx, status);
  }
  if (sets->ctx && !trigon_on_host(sets->ctx)) {
    trigon_status status = free_copies(sets->ctx, sets->fresh);
    if (done) done = succeeded(to, "freeing operands", sets->ctx, status);
  }
  for (int i = 0; i < MOST_OPERANDS; i++) {
    free(sets->original[i].data);
    free(sets->result[i].data);
  }
  return done;
}

/* -------------------------------------------------------------------------------------------------- calls -- */

/* One implementation at work on one configuration. */
typedef struct contestant {
  int impl;
  bench_case c;
  trigon_context *ctx;
  operand_sets *sets; /* shared by those with the same case */
  double *seconds;    /* of each timed call, */
  double *host;       /* and of the call behind it on an idle device */
  measurement *result;
} contestant;

/* One call on a set with fresh contents, up to its end. The context's timer tells *seconds; on a device that is asked for,
 * with the device idle before, *host_seconds is what the host's clock tells instead. */
static trigon_status time_call(const contestant *who, int set, double *seconds, double *host_seconds, int64_t *info) {
  double begun = 0;
  trigon_status status = host_seconds ? TRIGON_OK : trigon_timer_start(who->ctx, device_hold);
  if (host_seconds) begun = seconds_now();
  if (status == TRIGON_OK) status = who->c.routine->call(who->ctx, &who->c, who->sets->set[set]);
  if (status == TRIGON_OK && seconds) status = trigon_timer_stop(who->ctx, seconds);
  if (status == TRIGON_OK) status = trigon_finish(who->ctx, info);
  if (host_seconds) *host_seconds = seconds_now() - begun;
  return status;
}

/* On the host the operands are restored just before a call, so that every call finds them equally warm. A device's sets are all
 * made fresh, and each is restored behind its call: the other sets pass through the cache before its turn comes again. */
static bool refresh(const contestant *who, int set, bool before_call, const complaint *to) {
  trigon_context *ctx = who->sets->ctx;
  if (trigon_on_host(ctx) != before_call) return true;
  return succeeded(to, "restoring operands", ctx, restore(&who->c, who->sets, set)) &&
         succeeded(to, "restoring operands", ctx, trigon_finish(ctx, NULL));
}

/* Runs one call on a set with fresh contents; the timer's seconds, or the host's, are stored. */
static bool run_call(const contestant *who, int set, double *seconds, double *host_seconds, const complaint *to) {
  const char *name = who->c.routine->name;
  int64_t info = 0;
  if (!refresh(who, set, true, to)) return false;
  if (!succeeded(to, name, who->ctx, trigon_finish(who->ctx, NULL))) return false;
  if (!succeeded(to, name, who->ctx, time_call(who, set, seconds, host_seconds, &info))) return false;
  if (info != 0) snprintf(to->why, to->size, "%s: info is %" PRId64 " for a well-conditioned matrix", name, info);
  return info == 0;
}

/* A call to warm up; then one under observation. Returns what the latter took, on a device with the restoring of its
 * operands, which takes longer there than many a call; or a negative number. */
static double run_first(const contestant *who, const complaint *to) {
  double seconds;
  bool on_host = trigon_on_host(who->ctx);
  if (!run_call(who, 0, &seconds, NULL, to) || !refresh(who, 0, false, to)) return -1;
  trigon_trace(who->ctx, who->result->counts); /* where it counts: the warm-up's work is forgotten */
  double begun = seconds_now();
  memory_mark before = on_host ? memory_mark_now() : (memory_mark){-1}; /* a device's memory is not seen from here */
  if (!run_call(who, 0, &seconds, NULL, to) || !refresh(who, 0, false, to)) return -1;
  who->result->extra_bytes = on_host ? memory_peak_since(before) : -1;
  if (!on_host && !succeeded(to, "memory", who->ctx, trigon_memory(who->ctx, &who->result->extra_bytes))) return -1;
  who->result->traced = trigon_trace(who->ctx, who->result->counts) == TRIGON_OK;
  return on_host ? seconds : seconds_now() - begun;
}

/* Stores the operands of a set in `after` as the host sees them. */
static trigon_status show_operands(const contestant *who, int set, trigon_matrix after[MOST_OPERANDS]) {
  const operand_sets *sets = who->sets;
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < case_operands(&who->c) && status == TRIGON_OK; i++) {
    bool written = who->c.routine->operand[i].written;
    after[i] = trigon_on_host(sets->ctx) ? sets->set[set][i] : written ? sets->result[i] : sets->original[i];
    if (written) status = fetch(sets->ctx, &sets->set[set][i], &after[i]);
  }
  return status;
}

static bool judge(const contestant *who, int set, const complaint *to) {
  double limit;
  measurement *r = who->result;
  trigon_matrix after[MOST_OPERANDS];
  if (!succeeded(to, "fetching results", who->sets->ctx, show_operands(who, set, after))) return false;
  if (!bench_check(&who->c, who->sets->original, after, &r->error, &limit)) {
    snprintf(to->why, to->size, "out of memory");
    return false;
  }
  r->ok = r->error < limit;
  r->measured = true;
  return true;
}

/* ------------------------------------------------------------------------------------------------ medians -- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void summarize(contestant *who, int count, int repeat, bench_row *row) {
  double *trigon = NULL, *native = NULL, ratios[MOST_REPEATS_ALLOWED];
  for (int i = 0; i < count; i++) {
    if (who[i].impl == TRIGON_IMPL) trigon = who[i].seconds;
    if (who[i].impl == NATIVE_IMPL) native = who[i].seconds;
  }
  for (int r = 0; native && r < repeat; r++) ratios[r] = native[r] / trigon[r];
  row->ratio = native ? median(ratios, repeat) : NAN;
  for (int i = 0; i < count; i++) {
    measurement *result = who[i].result;
    result->seconds = median(who[i].seconds, repeat);
    if (!trigon_on_host(who[i].ctx)) result->host_seconds = median(who[i].host, repeat);
    result->gflops = 1e-9 * case_flops(&who[i].c) / result->seconds;
  }
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

/* All of them in turns, so that what else the machine does meets each alike; forwards and backwards, and each call on
 * the set that was used longest ago, so that none finds its operands warmer in the caches than the others do. */
static bool run_turns(const contestant *who, int count, int repeat, const complaint *to) {
  for (int r = 0; r < repeat; r++)
    for (int i = 0; i < count; i++) {
      const contestant *now = &who[r % 2 ? count - 1 - i : i];
      int set = now->sets->next++ % now->sets->count;
      if (!run_call(now, set, &now->seconds[r], NULL, to)) return false;
      if (r == repeat - 1 && !judge(now, set, to)) return false;
      if (!refresh(now, set, false, to)) return false;
      if (trigon_on_host(now->ctx)) continue;
      set = now->sets->next++ % now->sets->count;
      if (!run_call(now, set, NULL, &now->host[r], to) || !refresh(now, set, false, to)) return false;
    }
  return true;
}

static bool measure(contestant *who, int count, int repeat, bench_row *row, const complaint *to) {
  double total = 0, first;
  for (int i = 0; i < count; i++) {
    if ((first = run_first(&who[i], to)) < 0) return false;
    total += first;
  }
  int least = trigon_on_host(who->ctx) ? LEAST_REPEATS : LEAST_ON_DEVICE;
  if (repeat == 0) repeat = (int)fmin(fmax(row_seconds / fmax(total, 1e-9), least), MOST_REPEATS);
  if (!run_turns(who, count, repeat, to)) return false;
  summarize(who, count, repeat, row);
  return true;
}

/* Sets for all, where memory has room; the ceiling has its own operands. */
static bool make_all_operands(const contestant *who, int count, const complaint *to) {
  const contestant *last = &who[count - 1];
  bool two = last->sets != who->sets, on_host = trigon_on_host(who->ctx);
  double needed = host_bytes(&who->c, who->ctx) + (two ? host_bytes(&last->c, last->ctx) : 0);
  double left = memory_available();
  if (needed > left) {
    snprintf(to->why, to->size, "this size takes %.3g GB of memory, and %.3g GB are left", 1e-9 * needed, 1e-9 * left);
    return false;
  }
  /* Half of what is left, of which the originals take some: the checks and other programs want memory, too. */
  double share = left / (two ? 4 : 2);
  return make_operands(&who->c, on_host ? share - operand_bytes(&who->c) : device_share, who->sets, to) &&
         (!two || make_operands(&last->c, on_host ? share - operand_bytes(&last->c) : device_share, last->sets, to));
}

bool bench_measure(const bench_plan *plan, bench_row *row, char *why, size_t why_size) {
  const complaint to = {why, why_size};
  trigon_context *ctx = plan->ctx[TRIGON_IMPL];
  operand_sets own = {.ctx = ctx}, ceiling = {.ctx = ctx};
  contestant who[IMPLS];
  double times[IMPLS][MOST_REPEATS_ALLOWED], host_times[IMPLS][MOST_REPEATS_ALLOWED];
  int count = 0;
  for (int i = 0; i < IMPLS; i++) {
    row->impl[i] = (measurement){.extra_bytes = -1};
    if (!plan->ctx[i]) continue;
    who[count] = (contestant){i, row->c, plan->ctx[i], &own, times[i], host_times[i], &row->impl[i]};
    if (i == GEMM_IMPL) who[count].c = case_gemm(&row->c), who[count].sets = &ceiling;
    count++;
  }
  bool done = make_all_operands(who, count, &to) && measure(who, count, plan->repeat, row, &to);
  done = free_operands(&own, done, &to);
  return free_operands(&ceiling, done, &to);
}

bool bench_supported(trigon_context *ctx, const bench_case *c, char *why, size_t why_size) {
  const complaint to = {why, why_size};
  bench_case smallest = *c;
  operand_sets sets = {.ctx = ctx};
  for (int i = 0; i < 3; i++) smallest.size[i] = 1;
  bool refused = false;
  if (make_operands(&smallest, 0, &sets, &to)) {
    trigon_status status = c->routine->call(ctx, &smallest, sets.set[0]);
    refused = status == TRIGON_NOT_SUPPORTED && !succeeded(&to, c->routine->name, ctx, status);
    trigon_finish(ctx, NULL); /* what else went wrong shows again when it is measured */
  }
  free_operands(&sets, !refused, &to);
  return !refused;
}
