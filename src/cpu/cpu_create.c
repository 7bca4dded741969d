/* cpu_create.c - makes the CPU's engine, and describes host memory as its machine.
 *
 * A BLAS computes products and triangular leaves. Its LAPACK, or leaves of our own, compute factorizations. The work is
 * done when a call returns. A call takes no memory beyond the context's leaf buffer, unless it emulates products. */
#include "cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/library/openblas_core.h"
#include "cpu_create.h"

/* ---------------------------------------------------------------------------------------------- the machine -- */

static trigon_status cpu_finish(machine *m, int64_t *info) {
  if (info) *info = cpu_on(m)->kept;
  cpu_on(m)->kept = 0;
  return TRIGON_OK;
}

static int64_t cpu_memory(machine *m) {
  const cpu *c = cpu_on(m);
  return leaf_copy_bytes + packed_memory(c->packed) + cpu_worker_memory(c) + c->workspace_bytes;
}

static const machine_ops cpu_ops = {
    .on_host = true,
    .alloc = host_alloc,
    .release = host_release,
    .memory = cpu_memory,
    .upload = host_copy,
    .download = host_copy,
    .copy = host_copy,
    .finish = cpu_finish,
    .set_workspace = cpu_set_workspace,
    .lend = cpu_lend,
    .most_lent = cpu_most_lent,
    .parallel_for = cpu_parallel_for,
    .threads = cpu_threads,
};

/* ------------------------------------------------------------------------------------------------- creation -- */

static void cpu_destroy(engine *e) {
  blas_leave(&cpu_of(e)->lib);
  cpu_free_workers(cpu_of(e));
  packed_destroy(cpu_of(e)->packed);
  free(cpu_of(e)->workspace);
  free(cpu_of(e)->leaf_copy);
  free(e);
}

/* Makes an engine that has no BLAS yet. */
static cpu *make(const engine_options *options, reason *why) {
  cpu *c = calloc(1, sizeof *c);
  if (c) c->leaf_copy = calloc(1, leaf_copy_bytes);
  if (!c || !c->leaf_copy) {
    free(c);
    snprintf(why->text, sizeof why->text, "out of memory");
    return NULL;
  }
  c->engine = cpu_engine;
  c->engine.destroy = cpu_destroy;
  c->engine.machine = &c->machine;
  c->machine = (machine){.ops = &cpu_ops,
                         .description = c->described,
                         .advice = c->advice,
                         .tuning_file = c->source.file,
                         .tuning = &c->tuning,
                         .rows = c->kind,
                         .why = why};
  c->options = *options;
  c->cap = -1;
  c->leaf_used = leaf_copy_bytes; /* zeros so far */
  return c;
}

/* The linked OpenBLAS shares its threads with us if it uses OpenMP. Beside the threads of another BLAS, which wait for
 * work and take processor time, own threads would slow both down. An outranked BLAS gets no work, so its threads
 * sleep. The region of threads in which a context may be made says nothing about its calls, so its limit does not
 * count. */
static int threads_of(const cpu *c) {
  if (c->options.threads > 0) return c->options.threads;
  return c->lib.openmp || c->lib.outranked ? team_most() : 1;
}

/* Stores what the context tells about itself. */
static void describe(cpu *c) {
  const bool own = cpu_is_packed(c);
  const char *broken = c->source.broken;
  char table[tuning_path_size + 16];
  tuning_describe(&c->source, c->tuned_for, table, sizeof table);
  snprintf(c->described, sizeof c->described, "%s%s, %s", c->lib.described, own ? ", register kernels of our own" : "",
           table);
  snprintf(c->kind, sizeof c->kind, "kind %s\n", c->arch->name);
  if (c->lib.core) openblas_advice(c->lib.core, c->lib.config, vectors_of_cpu(), own, c->advice, sizeof c->advice);
  if (!*broken) return;
  const size_t used = strlen(c->advice);
  snprintf(c->advice + used, sizeof c->advice - used, "%sthe tuning table is ignored: %s", used ? "; " : "", broken);
}

static trigon_status find_arch(cpu *c) {
  c->arch = cpu_arch_find(c->options.arch);
  if (c->arch) return TRIGON_OK;
  snprintf(c->machine.why->text, sizeof c->machine.why->text,
           "option arch is \"%.20s\", and this CPU has no such instructions", c->options.arch);
  return TRIGON_NOT_SUPPORTED;
}

trigon_status cpu_create(const char *library, bool wide, const engine_options *options, reason *why, engine **out,
                         int64_t *int_max) {
  cpu *c = make(options, why);
  if (!c) return TRIGON_NO_MEMORY;
  trigon_status status = find_arch(c);
  if (status == TRIGON_OK) status = library ? blas_load(&c->lib, library, wide, why) : blas_linked(&c->lib, why);
  if (options->int_max > 0) c->lib.int_max = options->int_max;
  if (status == TRIGON_OK) status = cpu_tuning(c);
  if (status == TRIGON_OK) describe(c);
  c->threads = threads_of(c);
  if (status == TRIGON_OK && cpu_tuning_has(&c->tuning, VARIANT_PACKED))
    status = packed_create(c->arch->kernels, c->threads, &c->packed, why);
  if (status != TRIGON_OK) {
    cpu_destroy(&c->engine);
    return status;
  }
  *int_max = c->lib.int_max;
  *out = &c->engine;
  return TRIGON_OK;
}
