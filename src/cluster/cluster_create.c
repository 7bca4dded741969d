/* cluster_create.c - the plugin's entry: makes the engine of a grid of processes, and its machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "cluster.h"

const char PLUGIN_BUILD[] = "cluster " TRIGON_BUILD;

/* --------------------------------------------------------------------------------------------------- machine -- */

static trigon_status refuse(machine *m) {
  snprintf(m->why->text, sizeof m->why->text,
           "distributed matrices have no such function: each process reads and writes its own part");
  return TRIGON_NOT_SUPPORTED;
}

static trigon_status refuse_copy(machine *m, view from, view to) { return (void)from, (void)to, refuse(m); }
static trigon_status refuse_triangle(machine *m, const triangle_move *t) { return (void)t, refuse(m); }

/* ScaLAPACK takes its workspace itself. */
static trigon_status ignore_workspace(machine *m, void *buffer, int64_t bytes) {
  return (void)m, (void)buffer, (void)bytes, TRIGON_OK;
}

static trigon_status cluster_alloc(machine *m, int64_t bytes, void **data) {
  *data = malloc((size_t)bytes);
  if (*data) return TRIGON_OK;
  snprintf(m->why->text, sizeof m->why->text, "out of memory: %lld bytes", (long long)bytes);
  return TRIGON_NO_MEMORY;
}

static trigon_status cluster_release(machine *m, void *data) {
  (void)m;
  free(data);
  return TRIGON_OK;
}

static int64_t no_memory_held(machine *m) { return (void)m, (int64_t)sizeof(cluster); }

static trigon_status cluster_finish(machine *m, int64_t *info) {
  if (info) *info = cluster_on(m)->kept;
  cluster_on(m)->kept = 0;
  return TRIGON_OK;
}

static const machine_ops cluster_ops = {.alloc = cluster_alloc,
                                        .release = cluster_release,
                                        .memory = no_memory_held,
                                        .upload = refuse_copy,
                                        .download = refuse_copy,
                                        .copy = refuse_copy,
                                        .copy_triangle = refuse_triangle,
                                        .finish = cluster_finish,
                                        .set_workspace = ignore_workspace,
                                        .withdraw = cluster_withdraw};

/* -------------------------------------------------------------------------------------------------- creation -- */

static void cluster_destroy(engine *e) { free(cluster_of(e)); }

static void describe(cluster *c, const char *library) {
  snprintf(c->described, sizeof c->described, "ScaLAPACK (%.200s), process (%d, %d) of a grid of %d × %d",
           *library ? library : "the program's own", c->grid.row, c->grid.col, c->grid.rows, c->grid.cols);
}

static trigon_status open_grid(cluster *c, const plugin_request *request) {
  TRY(scalapack_load(request->extra, &c->library, c->machine.why));
  TRY(scalapack_grid(&c->library, request->device, &c->grid, c->machine.why));
  describe(c, request->extra);
  return TRIGON_OK;
}

trigon_status PLUGIN_CREATE(const plugin_request *request, reason *why, engine **out) {
  cluster *c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  c->engine = cluster_engine;
  c->engine.destroy = cluster_destroy;
  c->engine.machine = &c->machine;
  c->native = request->options.native;
  c->machine = (machine){
      .ops = &cluster_ops, .description = c->described, .advice = "", .tuning_file = "", .rows = "", .why = why};
  const trigon_status status = open_grid(c, request);
  if (status != TRIGON_OK) {
    free(c);
    return status;
  }
  *out = &c->engine;
  return TRIGON_OK;
}
