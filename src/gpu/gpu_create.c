/* gpu_create.c - the plugin's entry: makes the engine of one GPU, opens its device and BLAS, and destroys the
 * engine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "core/plugin.h"
#include "gpu/arch/row_text.h"
#include "gpu/kernels/registry.h"
#include "gpu_leaves.h"
#include "launcher_lists.h"

static const char loading[] = "loading the kernels (the build may not name this device: see README.md)";

/* Refuses a name in the option arch= that no kind of GPU has. */
static trigon_status check_arch(const gpu *g) {
  char *const text = g->machine.why->text;
  const size_t size = sizeof g->machine.why->text;
  if (gpu_arch_find(g->options.arch, &g->traits)) return TRIGON_OK;
  int used = snprintf(text, size, "option arch is \"%s\", must be", g->options.arch);
  for (const gpu_arch *const *a = gpu_archs; *a; a++)
    used += snprintf(text + used, size - (size_t)used, "%s %s", a == gpu_archs ? "" : a[1] ? "," : " or", (*a)->name);
  return TRIGON_BAD_ARGUMENT;
}

/* Finds out what the device is, and which kind of GPU serves it. */
static trigon_status find_arch(gpu *g) {
  gpu_traits *t = &g->traits;
  t->capability = tg_compute_capability(g->device);
  t->floats_to_doubles = tg_floats_to_doubles(g->device);
  TRY(gpu_status(g, find_mma(g->device, &t->mma), loading));
  TRY(gpu_status(g, find_int8_mma(g->device, &t->int8_mma), loading));
  g->queue.arch = gpu_arch_find(g->options.arch, t);
  g->queue.has = gpu_features_of(g->queue.arch, t);
  return gpu_check_rows(g->queue.arch, g->queue.has, &gpu_launcher_lists, g->machine.why);
}

/* Loads all kernels now, so that even the first call can be captured into a graph. */
static cudaError_t load_all(const gpu *g) {
  const gpu_features has = g->queue.has;
  return load_kernels(
      (has.fp64_mma ? NEEDS_MMA : 0) | (has.int8_wgmma ? NEEDS_HOPPER : 0) | (has.int8_mma ? NEEDS_INT8_MMA : 0) |
      (g->options.schedule.policy == SCHEDULE_DEVICE ? NEEDS_LAUNCHES : 0) | (has_conditions() ? NEEDS_CONDITIONS : 0));
}

static trigon_status find_device(gpu *g) {
  char text[160] = "the machine has fewer devices";
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && g->device < count) return TRIGON_OK;
  if (error != cudaSuccess) tg_no_devices(error, text, sizeof text);
  snprintf(g->machine.why->text, sizeof g->machine.why->text, "there is no device %s:%d: %s", TG_VENDOR, g->device,
           text);
  (void)cudaGetLastError();
  return TRIGON_NOT_FOUND;
}

static trigon_status open_sides(gpu *g) {
  side_streams *s = &g->sides;
  cudaError_t error = cudaEventCreateWithFlags(&s->begun, cudaEventDisableTiming);
  for (int i = 0; i < sides_of_queue && error == cudaSuccess; i++) {
    error = cudaStreamCreateWithFlags(&s->side[i].stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&s->side[i].done, cudaEventDisableTiming);
  }
  g->queue.sides = s;
  return gpu_status(g, error, "making streams for launches beside each other");
}

static void close_sides(side_streams *s) {
  for (int i = 0; i < sides_of_queue; i++) {
    if (s->side[i].done) cudaEventDestroy(s->side[i].done);
    if (s->side[i].stream) cudaStreamDestroy(s->side[i].stream);
  }
  if (s->begun) cudaEventDestroy(s->begun);
}

static trigon_status open_device(gpu *g) {
  TRY(gpu_status(g, cudaStreamCreateWithFlags(&g->own_stream, cudaStreamDefault), "making a stream"));
  g->queue.stream = g->own_stream;
  TRY(gpu_status(g, cudaEventCreateWithFlags(&g->handover, cudaEventDisableTiming), "making an event"));
  TRY(open_sides(g));
  void *leaf = NULL;
  TRY(gpu_allocate(g, leaf_buffer_bytes, &leaf, "the leaf buffer"));
  g->info_block = leaf;
  TRY(gpu_open_timer(g));
  TRY(gpu_status(g, cudaMemsetAsync(&g->info_block->failure, 0xff, sizeof g->info_block->failure, g->own_stream),
                 "the start of the info block"));
  TRY(gpu_status(
      g, cudaMemsetAsync(&g->info_block->kept, 0, sizeof(info_block) - offsetof(info_block, kept), g->own_stream),
      "the start of the info block"));
  TRY(gpu_status(g, cudaDeviceGetAttribute(&g->most_pitch, cudaDevAttrMaxPitch, g->device),
                 "asking for the longest pitch of a copy"));
  TRY(gpu_status(g, cudaDeviceGetAttribute(&g->coherent, cudaDevAttrPageableMemoryAccessUsesHostPageTables, g->device),
                 "asking how the device reads host memory"));
  TRY(gpu_open_schedule(g)); /* before kernels are loaded that launch kernels */
  TRY(find_arch(g));
  TRY(gpu_status(g, load_all(g), loading));
  return gpu_status(g, cudaStreamSynchronize(g->own_stream), "starting");
}

static trigon_status open_blas(gpu *g) {
  if (g->options.native) TRY(gpu_vendor_support(g));
  if (g->options.own_gemm && !g->options.native) return TRIGON_OK;
  trigon_status status = gpu_blas_create(&g->blas, g->machine.why);
  return status == TRIGON_NOT_FOUND && !TG_BLAS_NEEDED && !g->options.native ? TRIGON_OK : status;
}

/* Makes the table: the built-in one, changed by the file of the table and by the options. Rows of tiles and of classes
 * in the file replace those of the kind, unless the file is ignored. */
static trigon_status make_tuning(gpu *g, const char *name) {
  tuning portable, builtin;
  tuning_clear(&portable);
  TRY(tuning_read(gpu_arch_portable.rows, &portable, g->machine.why));
  builtin = portable;
  TRY(tuning_read(g->queue.arch->rows, &builtin, g->machine.why));
  TRY(tuning_read(gpu_vector_rows, &portable, g->machine.why));
  TRY(tuning_read(gpu_vector_rows, &builtin, g->machine.why));
  g->tuning = builtin;
  const gpu_arch *const kind = g->queue.arch;
  file_rows_begin(&g->file_rows, kind, g->queue.has, &gpu_launcher_lists);
  const line_reader reader = file_rows_reader(&g->file_rows);
  TRY(tuning_load(g->options.tuning, name, &(changed_by_file){&g->tuning, &reader}, &g->source, g->machine.why));
  if (!g->source.used) file_rows_begin(&g->file_rows, kind, g->queue.has, &gpu_launcher_lists);
  g->queue.arch = &g->file_rows.arch;
  apply_options(&g->options, &g->tuning, (const tuning *const[]){&builtin, &portable}, 2);
  return TRIGON_OK;
}

/* The BLAS is the last item of the description. */
static void describe(gpu *g, const char *name, int processors, size_t bytes) {
  char table[tuning_path_size + 48], kind[48];
  const bool nearest =
      !*g->options.arch && g->queue.arch->capability > 0 && g->queue.arch->capability < g->traits.capability;
  snprintf(kind, sizeof kind, "%s%s", g->queue.arch->made_for, nearest ? " (the nearest kind)" : "");
  tuning_describe(&g->source, kind, table, sizeof table);
  snprintf(g->described, sizeof g->described, "%s, %d multiprocessors, %zu MiB, %s, %s", name, processors, bytes >> 20,
           table, g->blas ? gpu_blas_name(g->blas) : "products by kernels of our own");
  if (*g->source.broken) snprintf(g->advice, sizeof g->advice, "the tuning table is ignored: %s", g->source.broken);
}

static trigon_status describe_rows(gpu *g) {
  const size_t size = gpu_rows_text(g->queue.arch, g->queue.has, &gpu_launcher_lists, NULL, 0) + 1;
  if (!(g->rows = malloc(size))) return gpu_refuse(g, TRIGON_NO_MEMORY, "out of memory");
  gpu_rows_text(g->queue.arch, g->queue.has, &gpu_launcher_lists, g->rows, size);
  g->machine.rows = g->rows;
  return TRIGON_OK;
}

/* Asks the device what it is. The table's file is named after the device. */
static trigon_status inspect(gpu *g) {
  char name[96];
  int processors = 0;
  size_t available = 0, total = 0;
  TRY(gpu_status(g, tg_device_name(g->device, name, sizeof name), "asking for the device's name"));
  TRY(gpu_status(g, cudaMemGetInfo(&available, &total), "asking for the device's memory"));
  TRY(gpu_status(g, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, g->device),
                 "asking for the number of multiprocessors"));
  TRY(make_tuning(g, name));
  TRY(describe_rows(g));
  gpu_open_emulation(g);
  gpu_open_eigen(g);
  describe(g, name, processors, total);
  return TRIGON_OK;
}

static trigon_status start(gpu *g, const char *extra) {
  char *text = g->machine.why->text;
  TRY(check_arch(g));
  TRY(find_device(g));
  if (tg_configure(g->device, extra, text, sizeof g->machine.why->text) != 0) return TRIGON_BAD_ARGUMENT;
  TRY(gpu_status(g, tg_open(g->device, &g->guard), "starting the device"));
  g->open = true;
  TRY(gpu_enter(g));
  trigon_status status = open_device(g);
  if (status == TRIGON_OK) status = open_blas(g);
  if (status == TRIGON_OK) status = inspect(g);
  gpu_leave(g);
  return status;
}

static void free_all(gpu *g) {
  condition_free(&g->conditions, true);
  if (g->recording) cudaStreamDestroy(g->recording);
  gpu_vendor_close_batches(g);
  gpu_solver_destroy(g->solver);
  gpu_blas_destroy(g->blas);
  if (g->workspace.own) cudaFree(g->workspace.data);
  if (g->lent.own) cudaFree(g->lent.data);
  if (g->eigen_memory.own) cudaFree(g->eigen_memory.data);
  if (g->kept.data) cudaFree(g->kept.data);
  for (int i = 0; i < g->retired_count; i++) cudaFree(g->retired[i]);
  if (g->info_block) cudaFree(g->info_block);
  if (g->handover) cudaEventDestroy(g->handover);
  close_sides(&g->sides);
  gpu_close_timer(g);
  gpu_close_queues(g);
  if (g->own_stream) cudaStreamDestroy(g->own_stream);
}

/* Frees everything that the engine holds, even if the engine was not made completely. Failures are not reported,
 * because the context is gone. */
static void gpu_destroy(engine *e) {
  gpu *g = gpu_of(e);
  const bool entered = g->open && gpu_enter(g) == TRIGON_OK;
  free_all(g);
  if (entered) gpu_leave(g);
  if (g->open) tg_close(&g->guard);
  free(g->retired);
  free(g->rows);
  free(g);
}

#ifndef TRIGON_PLUGIN_SUFFIX /* the build's own, beside the vendor's name (CMakeLists.txt) */
#define TRIGON_PLUGIN_SUFFIX ""
#endif
const char PLUGIN_BUILD[] = TG_VENDOR TRIGON_PLUGIN_SUFFIX " " TRIGON_BUILD;

trigon_status PLUGIN_CREATE(const plugin_request *request, reason *why, engine **out) {
  gpu *g = calloc(1, sizeof *g);
  if (!g) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  g->engine = gpu_engine;
  g->engine.destroy = gpu_destroy;
  g->engine.machine = &g->machine;
  g->machine = (machine){.ops = &gpu_machine_ops,
                         .eigen = &g->eigen,
                         .emulation = &g->emulation,
                         .queues = &gpu_queue_ops,
                         .description = g->described,
                         .advice = g->advice,
                         .tuning_file = g->source.file,
                         .tuning = &g->tuning,
                         .why = why};
  g->options = request->options;
  g->device = request->device;
  g->cap = g->lent_most = -1;
  trigon_status status = start(g, request->extra);
  if (status == TRIGON_OK) {
    *out = &g->engine;
  } else {
    reason first = *why;
    gpu_destroy(&g->engine);
    *why = first;
  }
  return status;
}
