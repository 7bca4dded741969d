/* offload.c - the GPU's context, its memory, and which calls are worth their copies. */
#define _GNU_SOURCE /* getpid */
#include "offload.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The least order that is sent to the GPU, by routine, if min=N is not given. These are reasoned, not measured. With an
 * order of n, t matrices of doubles are copied and f·n³ operations are done. The copies are paid for if
 *   8·t·n² / B = f·n³ / R, so n = 8·t·R / (f·B),
 * with R = 1 Tflop/s for the CPU (the GPU, with up to 60, adds little) and B = 55 GB/s for PCIe 5 with pinned memory.
 * Copies of memory that is not pinned reach a quarter of B. So four times this order, rounded.
 * Routines without a row are never sent: level 2 would copy as much as it computes. */
enum { never = 0 };
static const int64_t break_even[ROUTED_ROUTINES] = {
    [ROUTED_gemm] = 1200,  [ROUTED_symm] = 1200,  [ROUTED_hemm] = 1200,  /* t = 4, f = 2 */
    [ROUTED_syr2k] = 1200, [ROUTED_her2k] = 1200,                        /* t = 4, f = 2 */
    [ROUTED_trmm] = 1800,  [ROUTED_trsm] = 1800,  [ROUTED_trtrs] = 1800, /* t = 3, f = 1 */
    [ROUTED_syrk] = 1800,  [ROUTED_herk] = 1800,                         /* t = 3, f = 1 */
    [ROUTED_potrs] = 900,                                                /* t = 3, f = 2 */
    [ROUTED_posv] = 1000,                                                /* t = 4, f = 7/3 */
    [ROUTED_potri] = 1800,                                               /* t = 2, f = 2/3 */
    [ROUTED_potrf] = 3500, [ROUTED_trtri] = 3500, [ROUTED_lauum] = 3500, /* t = 2, f = 1/3 */
    [ROUTED_gemmt] = never};

/* Everything but `wanted` belongs to the thread that has taken the GPU. */
static struct {
  atomic_flag is_taken;
  trigon_context *context;
  bool has_failed;
  pid_t process; /* that has made the context */
  int64_t least; /* min=N, or 0 */
  struct {
    void *data;
    int64_t bytes;
  } memory[most_moved];
} gpu = {.is_taken = ATOMIC_FLAG_INIT};

bool offload_is_wanted(void) {
  enum { unknown, yes, no };
  static atomic_int wanted;
  int w = atomic_load_explicit(&wanted, memory_order_relaxed);
  if (w == unknown) {
    const char *name = getenv("TRIGON_OFFLOAD");
    w = name && *name ? yes : no;
    atomic_store_explicit(&wanted, w, memory_order_relaxed);
  }
  return w == yes;
}

/* Tells why the CPU computes everything from now on. */
static void give_up(const char *why) {
  gpu.has_failed = true;
  fprintf(stderr, "trigon: TRIGON_OFFLOAD=%s: the CPU computes: %s\n", getenv("TRIGON_OFFLOAD"), why);
}

/* Takes min=N out of the name of the context. Returns whether the name is good. */
static bool parse(char *name) {
  static const char key[] = ",min=";
  char *at = strstr(name, key), *end;
  if (!at) return true;
  gpu.least = strtoll(at + sizeof key - 1, &end, 10);
  if (gpu.least < 1 || (*end && *end != ',')) return false;
  memmove(at, end, strlen(end) + 1);
  return true;
}

static void create(void) {
  char why[512], *name = strdup(getenv("TRIGON_OFFLOAD"));
  if (!name || !parse(name))
    give_up("the value must be a context and min=N, as in cuda:0,min=2000");
  else if (trigon_create(name, &gpu.context, why, sizeof why) != TRIGON_OK)
    give_up(why);
  gpu.process = getpid();
  free(name);
}

static bool is_worth_it(enum routed routine, int64_t least) {
  return least >= (gpu.least ? gpu.least : break_even[routine]);
}

trigon_context *offload_begin(enum routed routine, int64_t least) {
  enum { smallest = 2 }; /* no context is made for a smaller call */
  if (!offload_is_wanted() || break_even[routine] == never || least < smallest ||
      atomic_flag_test_and_set(&gpu.is_taken))
    return NULL;
  if (!gpu.context && !gpu.has_failed) create();
  if (gpu.context && !gpu.has_failed && gpu.process == getpid() && is_worth_it(routine, least)) return gpu.context;
  offload_end();
  return NULL;
}

void offload_end(void) { atomic_flag_clear(&gpu.is_taken); }

/* ----------------------------------------------------------------------------------------------------- data -- */

static int64_t bytes_of(trigon_matrix M) {
  static const int64_t element[] = {[TRIGON_S] = 4, [TRIGON_D] = 8, [TRIGON_C] = 8, [TRIGON_Z] = 16};
  return M.ld * M.cols * element[M.type];
}

/* The memory of a matrix only grows, so that calls of equal sizes allocate nothing. */
static trigon_status provide(int which, int64_t bytes) {
  if (bytes <= gpu.memory[which].bytes) return TRIGON_OK;
  const trigon_status status = trigon_free(gpu.context, gpu.memory[which].data);
  gpu.memory[which].data = NULL, gpu.memory[which].bytes = 0;
  if (status != TRIGON_OK) return status;
  const trigon_status allocated = trigon_alloc(gpu.context, bytes, &gpu.memory[which].data);
  if (allocated == TRIGON_OK) gpu.memory[which].bytes = bytes;
  return allocated;
}

/* A GPU that has no memory for this call may have it for the next one. All else is for good. */
static trigon_status told(trigon_status status) {
  static bool is_told;
  if (status == TRIGON_OK || status == TRIGON_BAD_ARGUMENT || status == TRIGON_INCOMPLETE) return status;
  if (status != TRIGON_NO_MEMORY)
    give_up(trigon_message(gpu.context));
  else if (!is_told)
    is_told = true, fprintf(stderr, "trigon: TRIGON_OFFLOAD: the GPU has no memory for a call; the CPU computes it\n");
  return status;
}

trigon_status offload_upload(trigon_context *context, moved *of, int count) {
  for (int i = 0; i < count; i++) {
    const trigon_matrix M = of[i].host;
    of[i].device = (trigon_matrix){NULL, M.type, M.rows, M.cols, M.rows < 1 ? 1 : M.rows};
    if (M.rows < 0 || M.cols < 0 || M.ld < of[i].device.ld) return TRIGON_BAD_ARGUMENT;
    trigon_status status = provide(i, bytes_of(of[i].device));
    of[i].device.data = gpu.memory[i].data;
    if (status == TRIGON_OK && of[i].is_read) status = trigon_upload(context, M, of[i].device);
    if (status != TRIGON_OK) return told(status);
  }
  return TRIGON_OK;
}

trigon_status offload_download(trigon_context *context, moved *of, int count, trigon_status called, int64_t *info,
                               int kept) {
  int64_t failure = 0;
  if (called != TRIGON_OK) return called == TRIGON_BAD_ARGUMENT ? called : told(TRIGON_DEVICE_FAILED);
  const trigon_status finished = trigon_finish(context, &failure);
  if (finished != TRIGON_OK) return told(finished);
  if (info) *info = failure;
  for (int i = 0; i < (failure ? kept : count); i++) {
    if (!of[i].is_written) continue;
    const trigon_status status = trigon_download(context, of[i].device, of[i].host);
    if (status != TRIGON_OK) return TRIGON_INCOMPLETE; /* part of the matrix may be there */
  }
  return TRIGON_OK;
}
