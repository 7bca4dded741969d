/* cpu_create.c - makes the CPU's engine, and describes host memory as its machine.
 *
 * Register kernels of our own compute, or a BLAS that the context's name names. On a processor whose kernels were never
 * measured, an installed BLAS takes large calls. The work is done when a call returns. A call takes no memory beyond
 * the context's buffers, unless it emulates products. */
#include "cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/eigen/cpu_eigen.h"
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

static void cpu_set_threads(machine *m, int threads);

static const machine_ops cpu_ops = {
    .on_host = true,
    .alloc = host_alloc,
    .release = host_release,
    .memory = cpu_memory,
    .upload = host_copy,
    .download = host_copy,
    .copy = host_copy,
    .copy_triangle = host_copy_triangle,
    .finish = cpu_finish,
    .set_workspace = cpu_set_workspace,
    .lend = cpu_lend,
    .most_lent = cpu_most_lent,
    .parallel_for = cpu_parallel_for,
    .threads = cpu_threads,
    .set_threads = cpu_set_threads,
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
                         .eigen = &cpu_eigen,
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

/* Beside the threads of a BLAS, which wait for work and take processor time, own threads would slow both down. */
static int threads_of(const cpu *c) {
  const int processors = team_processors();
  if (c->options.threads > 0) return c->options.threads < processors ? c->options.threads : processors;
  return has_blas(c) && !cpu_is_packed(c) ? 1 : team_default();
}

/* Stores whose kernels compute, in a sentence's form. */
static void describe_kernels(const cpu *c, char *text, size_t size) {
  char own[96];
  snprintf(own, sizeof own, "register kernels of our own (%s), %d thread%s", c->arch->name, c->threads,
           c->threads > 1 ? "s" : "");
  if (!has_blas(c))
    snprintf(text, size, "%s%s", own, c->seeks_blas ? "; an installed BLAS is loaded at the first large call" : "");
  else
    snprintf(text, size, "%s%s%s", c->lib.described, cpu_is_packed(c) ? ", " : "", cpu_is_packed(c) ? own : "");
}

/* Stores what the context tells about itself. */
static void describe(cpu *c) {
  const char *broken = c->source.broken;
  char computing[400], table[tuning_path_size + 16];
  describe_kernels(c, computing, sizeof computing);
  tuning_describe(&c->source, c->tuned_for, table, sizeof table);
  snprintf(c->described, sizeof c->described, "%.300s, %s", computing, table);
  snprintf(c->kind, sizeof c->kind, "kind %s\n", c->arch->name);
  *c->advice = '\0';
  if (c->lib.core)
    openblas_advice(c->lib.core, c->lib.config, vectors_of_cpu(), cpu_is_packed(c), c->advice, sizeof c->advice);
  else if (c->seeks_blas)
    snprintf(
        c->advice, sizeof c->advice,
        "Trigon's kernels were not measured on such a processor, so an installed OpenBLAS or BLIS is loaded at the "
        "first large call; blas=none forbids it");
  if (!*broken) return;
  const size_t used = strlen(c->advice);
  snprintf(c->advice + used, sizeof c->advice - used, "%sthe tuning table is ignored: %s", used ? "; " : "", broken);
}

/* When the options or the BLAS have changed. The engines of the old number of threads go. */
static void use_threads(cpu *c) {
  c->threads = threads_of(c);
  cpu_free_workers(c);
  if (c->packed) packed_set_threads(c->packed, c->threads);
  describe(c);
}

static void cpu_set_threads(machine *m, int threads) {
  cpu_on(m)->options.threads = threads;
  use_threads(cpu_on(m));
}

/* If there is none, or its table cannot be read, our own kernels go on. */
void cpu_seek_blas(cpu *c) {
  reason why;
  c->seeks_blas = false;
  c->found_blas = blas_load_installed(&c->lib, &why) == TRIGON_OK;
  if (c->found_blas && cpu_tuning(c) != TRIGON_OK) {
    blas_leave(&c->lib);
    c->lib = (blas){0}, c->found_blas = false;
    (void)cpu_tuning(c); /* has succeeded before */
  }
  use_threads(c);
}

static trigon_status find_arch(cpu *c) {
  c->arch = cpu_arch_find(c->options.arch);
  if (c->arch) return TRIGON_OK;
  snprintf(c->machine.why->text, sizeof c->machine.why->text,
           "option arch is \"%.20s\", and this CPU has no such instructions", c->options.arch);
  return TRIGON_NOT_SUPPORTED;
}

/* Only a BLAS that is named can compute every leaf. */
static trigon_status check_vendor(const cpu *c, bool named) {
  const engine_options *o = &c->options;
  if (named || !(o->native || (o->forced && o->leaf == VARIANT_VENDOR))) return TRIGON_OK;
  const char *option = o->native ? "native=1" : "leaf=vendor";
  snprintf(c->machine.why->text, sizeof c->machine.why->text,
           "%s needs a BLAS, and the context names none: cpu:LIBRARY, as in cpu:libopenblas.so.0?%s", option, option);
  return TRIGON_NOT_SUPPORTED;
}

trigon_status cpu_create(const char *library, bool wide, const engine_options *options, reason *why, engine **out,
                         int64_t *int_max) {
  cpu *c = make(options, why);
  if (!c) return TRIGON_NO_MEMORY;
  trigon_status status = check_vendor(c, library != NULL);
  if (status == TRIGON_OK) status = find_arch(c);
  if (status == TRIGON_OK && library) status = blas_load(&c->lib, library, wide, why);
  c->int_max = options->int_max > 0 ? options->int_max : library ? c->lib.int_max : INT64_MAX;
  if (status == TRIGON_OK) {
    c->seeks_blas = !library && !c->arch->rows && !options->no_blas && !options->forced;
    status = cpu_tuning(c);
  }
  if (status == TRIGON_OK) {
    c->threads = threads_of(c);
    describe(c);
  }
  if (status == TRIGON_OK && cpu_tuning_has(&c->tuning, VARIANT_PACKED))
    status = packed_create(c->arch->kernels, c->threads, &c->packed, why);
  if (status != TRIGON_OK) {
    cpu_destroy(&c->engine);
    return status;
  }
  *int_max = c->int_max;
  *out = &c->engine;
  return TRIGON_OK;
}
