/* execute.c - runs kernels: gives turns to the blocks of a launch, and to the threads of a block. Several blocks are
 * resident at once, and take turns. In its turn a block runs until each of its threads waits or has ended. So the turn
 * of a block ends at barriers, and at the operations of dataflow.c. */
#include "races.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

scheduler sim_scheduler;
static fiber fibers[sim_most_fibers];

simIndex simThreadIdx, simBlockIdx, simBlockDim, simGridDim;
int simWarpSize;
void *simShared;

void sim_fail(simError_t error, const char *format, ...) {
  sim_device *d = sim_scheduler.device;
  if (d->error) return;
  d->error = error;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(d->report, sizeof d->report, format, arguments);
  va_end(arguments);
}

void simBarrier(const char *file, int line) {
  sim_fiber_running()->site = (site){file, line};
  sim_fiber_suspend(AT_BARRIER);
}

void simShuffle(void *result, const void *x, size_t size, int lane, const char *file, int line) {
  fiber *f = sim_fiber_running();
  f->result = result, f->x = x, f->size = size, f->lane = lane, f->site = (site){file, line};
  sim_fiber_suspend(AT_SHUFFLE);
}

/* What the lanes of a warp handed over in their last gathering. */
static _Alignas(16) unsigned char gathered[sim_most_lanes * sim_most_gathered];

const void *simGather(const void *x, size_t size, const char *file, int line) {
  fiber *f = sim_fiber_running();
  f->result = NULL, f->x = x, f->size = size, f->lane = 0, f->site = (site){file, line};
  sim_fiber_suspend(AT_SHUFFLE);
  return gathered;
}

static bool same_site(site a, site b) { return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0); }

/* --------------------------------------------------------------------------------------------------- order -- */

/* An order of the numbers 0 .. n-1: ascending, descending or mixed. The order begins at any number, and goes on in
 * steps (modulo n) that have no common divisor with n. */
typedef struct order {
  uint64_t at, step, n;
} order;

static uint64_t next_random(void) { /* splitmix64 */
  uint64_t x = sim_scheduler.random += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b == 0 ? a : common_divisor(b, a % b); }

static order new_order(int64_t count) {
  uint64_t n = (uint64_t)count;
  if (sim_scheduler.device->set.seed == 1) return (order){0, 1, n};
  if (sim_scheduler.device->set.seed == 2) return (order){n - 1, n - 1, n};
  order o = {next_random() % n, 1 + next_random() % n, n};
  while (common_divisor(o.step, n) != 1) o.step++;
  return o;
}

static int64_t next_of(order *o) {
  uint64_t at = o->at;
  o->at = (at + o->step) % o->n;
  return (int64_t)at;
}

/* --------------------------------------------------------------------------------------------------- block -- */

/* Hands out the values of a shuffle or a gathering in which all lanes of the warp wait. */
static void exchange(fiber *warp, int lanes) {
  for (fiber *f = warp; f < warp + lanes; f++) {
    if (!same_site(f->site, warp->site) || f->size != warp->size || !f->result != !warp->result) {
      sim_fail(simErrorShuffle, "lanes of a warp wait in different shuffles: %s:%d and %s:%d", warp->site.file,
               warp->site.line, f->site.file, f->site.line);
      return;
    }
    if (f->lane < 0 || f->lane >= lanes) {
      sim_fail(simErrorLane, "the shuffle at %s:%d reads lane %d of %d", f->site.file, f->site.line, f->lane, lanes);
      return;
    }
    memcpy(f->result ? f->result : gathered + (f - warp) * (ptrdiff_t)f->size, warp[f->result ? f->lane : f - warp].x,
           f->size);
  }
  for (fiber *f = warp; f < warp + lanes; f++) f->state = READY;
}

static void report_shuffle(const fiber *warp) {
  while (warp->state != AT_SHUFFLE) warp++;
  sim_fail(simErrorShuffle, "lanes of a warp do not arrive at the shuffle at %s:%d in which others wait",
           warp->site.file, warp->site.line);
}

/* Runs the lanes of a warp, and completes their shuffles. Returns if no lane waits in a shuffle, or if a lane waits for
 * the block's next turn or for a flag. */
static void run_warp(fiber *warp, int lanes) {
  while (!sim_scheduler.device->error) {
    order o = new_order(lanes);
    int shuffling = 0, parked = 0;
    for (int i = 0; i < lanes; i++) {
      fiber *f = &warp[next_of(&o)];
      if (f->state == READY) {
        simThreadIdx.x = (unsigned)f->thread;
        sim_fiber_resume(f);
      }
      shuffling += f->state == AT_SHUFFLE;
      parked += f->state == YIELDED || f->state == AWAITING;
    }
    sim_scheduler.running->parked += parked;
    if (shuffling == 0 || parked > 0) return;
    if (shuffling == lanes)
      exchange(warp, lanes);
    else
      report_shuffle(warp);
  }
}

void sim_pass(block *b) {
  for (fiber *f = b->fibers; f < b->fibers + sim_scheduler.launch->threads; f++)
    if (f->state != ENDED) f->state = READY;
  b->epoch++;
  if (sim_race_checked()) sim_race_barrier(b);
}

/* Lets the threads of a block go on after a barrier. Each thread waits in a barrier or has ended. */
static void pass_barrier(block *b, int threads) {
  const fiber *first = NULL;
  for (fiber *f = b->fibers; f < b->fibers + threads; f++) {
    if (f->state == ENDED) continue;
    if (!first) first = f;
    if (f->state != first->state || !same_site(f->site, first->site)) {
      sim_fail(simErrorBarrier, "threads of a block wait in different barriers: %s:%d and %s:%d", first->site.file,
               first->site.line, f->site.file, f->site.line);
      return;
    }
  }
  b->ended = !first;
  b->at_cluster = first && first->state == AT_CLUSTER;
  if (!b->at_cluster) sim_pass(b);
  if (b->at_cluster || b->ended) sim_pass_cluster_barrier(b);
}

/* Makes the fibers ready that have waited for the block's next turn, or for a flag that has its value now. Returns
 * whether there was such a fiber. */
static bool wake(block *b, int threads) {
  bool any = false;
  b->parked = 0;
  for (fiber *f = b->fibers; f < b->fibers + threads; f++) {
    if (f->state != YIELDED && f->state != AWAITING) continue;
    bool ready = f->state == YIELDED || sim_await_is_over(f);
    if (ready) f->state = READY;
    b->parked += !ready;
    any |= ready;
  }
  return any;
}

/* Gives a block its turn. Returns false if no thread of the block can go on before another block does. */
static bool take_turn(block *b) {
  const int threads = sim_scheduler.launch->threads, warp = simWarpSize, warps = (threads + warp - 1) / warp;
  if (b->at_cluster || (b->parked > 0 && !wake(b, threads))) return false;
  sim_scheduler.running = b;
  simBlockIdx.x = b->index;
  simShared = b->shared;
  b->parked = 0;
  order o = new_order(warps);
  for (int i = 0; i < warps && !sim_scheduler.device->error; i++) {
    int first = (int)next_of(&o) * warp;
    run_warp(b->fibers + first, threads - first < warp ? threads - first : warp);
  }
  if (!sim_scheduler.device->error && b->parked == 0) pass_barrier(b, threads);
  sim_scheduler.running = NULL;
  return true;
}

/* -------------------------------------------------------------------------------------------------- launch -- */

/* Bytes behind shared memory that no thread may write. The address sanitizer needs no such bytes. */
enum { canary = SIM_ASAN ? 0 : 64 };

static void call_kernel(void) { sim_scheduler.launch->call(sim_scheduler.launch + 1); }

static void begin_block(block *b, uint32_t index) {
  const launch *l = sim_scheduler.launch;
  for (int i = 0; i < l->threads; i++) sim_fiber_start(&b->fibers[i], i, call_kernel);
  memset(b->shared, sim_unwritten, l->shared + canary);
  b->index = index;
  b->epoch = 1;
  b->parked = 0;
  b->ended = b->at_cluster = b->met = false;
  b->counter = NULL;
  if (sim_race_checked()) sim_race_begin_block(b);
}

static void end_block(block *b) {
  const launch *l = sim_scheduler.launch;
  if (!sim_unwritten_bytes(b->shared + l->shared, canary))
    sim_fail(simErrorSharedOverrun, "block %u wrote beyond the end of its shared memory", b->index);
  if (sim_race_checked()) sim_race_end_block(b);
}

/* Gives each resident block its turn, or, in a mixed order, one to three turns in a row. Returns false if no block
 * could go on. */
static bool run_round(void) {
  scheduler *s = &sim_scheduler;
  bool moved = false;
  order o = new_order(s->live);
  if (s->device->set.seed == 2) o = (order){0, 1, (uint64_t)s->live}; /* `resident` is in descending order already */
  for (int i = 0; i < s->live; i++) {
    block *b = s->resident[next_of(&o)];
    uint64_t turns = s->device->set.seed <= 2 ? 1 : 1 + next_random() % 3;
    for (; turns > 0 && !b->ended && !s->device->error && take_turn(b); turns--) moved = true;
  }
  return moved;
}

/* Moves the blocks that have ended behind the running blocks of `resident`, so that new blocks take their places. */
static void retire_blocks(void) {
  scheduler *s = &sim_scheduler;
  for (int i = 0; i < s->live;) {
    block *b = s->resident[i];
    if (!b->ended) {
      i++;
      continue;
    }
    end_block(b);
    s->live--;
    memmove(&s->resident[i], &s->resident[i + 1], (size_t)(s->live - i) * sizeof *s->resident);
    s->resident[s->live] = b;
  }
}

static void begin_cluster(int64_t number) {
  scheduler *s = &sim_scheduler;
  const int size = s->launch->cluster;
  for (int i = 0; i < size; i++) {
    const int rank = s->device->set.seed == 2 ? size - 1 - i : i;
    begin_block(s->resident[s->live++], (uint32_t)(number * size + rank));
  }
}

static void run_blocks(int64_t most) {
  scheduler *s = &sim_scheduler;
  const int64_t clusters = s->launch->blocks / s->launch->cluster;
  order starts = new_order(clusters);
  for (int64_t begun = 0; !s->device->error; retire_blocks()) {
    for (; s->live + s->launch->cluster <= most && begun < clusters; begun++) begin_cluster(next_of(&starts));
    if (s->live == 0) return;
    if (!run_round() && !s->device->error) sim_report_deadlock();
  }
}

/* Returns how many blocks of the launch are resident at once: the setting `resident`, or the number that the seed
 * draws. The fibers and the blocks of the launch limit the number. A launch of blocks together has room for all, and
 * clusters are resident as a whole. */
static int64_t most_resident(void) {
  const scheduler *s = &sim_scheduler;
  enum { drawn = 8 };
  if (s->launch->together) return s->launch->blocks;
  int64_t most = s->device->set.resident ? s->device->set.resident : 1 + (int64_t)(next_random() % drawn);
  if (most > sim_most_fibers / s->launch->threads) most = sim_most_fibers / s->launch->threads;
  const int cluster = s->launch->cluster;
  most = most < cluster ? cluster : most - most % cluster;
  return most < s->launch->blocks ? most : s->launch->blocks;
}

/* Each block's shared memory is an allocation of its own, so that the address sanitizer finds accesses beyond its
 * end. */
static bool provide_blocks(block *blocks, int64_t count) {
  scheduler *s = &sim_scheduler;
  const int threads = s->launch->threads;
  bool good = sim_fiber_provide(fibers, (int)count * threads);
  for (int64_t i = 0; i < count; i++) {
    blocks[i] = (block){.fibers = fibers + i * threads, .shared = malloc(s->launch->shared + canary)};
    s->resident[i] = &blocks[i];
    good = good && blocks[i].shared;
  }
  return good && sim_race_begin();
}

static void run_launch(sim_device *d, void *argument) {
  static block blocks[sim_most_resident];
  scheduler *s = &sim_scheduler;
  const launch *l = argument;
  *s = (scheduler){.device = d, .launch = l, .random = d->set.seed ^ (++d->launches << 32)};
  simWarpSize = d->set.warp;
  simBlockDim.x = (unsigned)l->threads;
  simGridDim.x = (unsigned)l->blocks;
  const int64_t most = most_resident();
  if (provide_blocks(blocks, most))
    run_blocks(most);
  else
    sim_fail(simErrorLaunchFailure, "the simulated GPU has no memory for its threads");
  for (int64_t i = 0; i < most; i++) {
    sim_race_end_block(&blocks[i]);
    free(blocks[i].shared);
  }
  sim_race_end();
  sim_forget_copies(fibers, (int)most * l->threads);
  sim_forget_publications();
}

/* The error sticks, as those of kernels do, so that no test can miss it. */
static simError_t refuse_unloaded(sim_device *d, const launch *l) {
  if (d->error) return d->error;
  d->error = simErrorNotLoaded;
  snprintf(d->report, sizeof d->report,
           "a kernel was launched that was not loaded, with %d threads and %zu bytes of shared memory in a block",
           l->threads, l->shared);
  return d->error;
}

static int64_t most_together(const sim_device *d, int threads) {
  const int most = sim_most_fibers / threads;
  return d->set.together < most ? d->set.together : most;
}

simError_t simMostTogether(int64_t *blocks, int threads) {
  HOLD;
  if (threads < 1 || threads > sim_most_threads) return sim_report(simErrorInvalidValue);
  *blocks = most_together(sim_current(), threads);
  return sim_report(sim_attempt_query(sim_current()));
}

/* The blocks of a cluster take the room of blocks together. */
static int most_clusters(const sim_device *d, int threads, int cluster) {
  return cluster < 1 || cluster > sim_most_cluster ? 0 : (int)most_together(d, threads) / cluster;
}

simError_t simMostClusters(int *clusters, int threads, int cluster) {
  HOLD;
  if (threads < 1 || threads > sim_most_threads) return sim_report(simErrorInvalidValue);
  *clusters = most_clusters(sim_current(), threads, cluster);
  return sim_report(sim_attempt_query(sim_current()));
}

static simError_t push_launch(simStream_t s, const void *kernel, const launch *l, const void *argument, size_t size) {
  if (s->device != sim_current()) return simErrorInvalidResourceHandle;
  if (l->blocks < 1 || l->blocks > INT32_MAX || l->threads < 1 || l->threads > sim_most_threads ||
      l->shared > sim_most_shared)
    return simErrorInvalidValue;
  if (l->cluster != 1 && (most_clusters(s->device, l->threads, l->cluster) == 0 || l->blocks % l->cluster != 0))
    return simErrorInvalidClusterSize;
  const loaded_kernel *loaded = sim_loaded(s->device, kernel);
  if (!loaded) return refuse_unloaded(s->device, l);
  if (l->shared > sim_unasked_shared && l->shared > loaded->shared) return simErrorInvalidValue;
  if (l->together && l->blocks > most_together(s->device, l->threads)) return simErrorCooperativeLaunchTooLarge;
  const simError_t error = sim_attempt(s->device, LAUNCH);
  return error ? error : sim_push(s, run_launch, l, sizeof *l, argument, size);
}

simError_t simLaunch(simStream_t stream, const void *kernel, sim_kernel *call, const void *argument, size_t size,
                     int64_t blocks, int threads, size_t shared) {
  return simLaunchClusters(stream, kernel, call, argument, size, blocks, threads, shared, 1);
}

simError_t simLaunchClusters(simStream_t stream, const void *kernel, sim_kernel *call, const void *argument,
                             size_t size, int64_t blocks, int threads, size_t shared, int cluster) {
  HOLD;
  const launch l = {
      .call = call, .blocks = blocks, .threads = threads, .cluster = cluster, .shared = shared, .together = false};
  return sim_report(push_launch(sim_stream(stream), kernel, &l, argument, size));
}

simError_t simLaunchTogether(simStream_t stream, const void *kernel, sim_kernel *call, const void *argument,
                             size_t size, int64_t blocks, int threads, size_t shared) {
  HOLD;
  const launch l = {
      .call = call, .blocks = blocks, .threads = threads, .cluster = 1, .shared = shared, .together = true};
  return sim_report(push_launch(sim_stream(stream), kernel, &l, argument, size));
}
