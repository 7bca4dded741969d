/* test_registry.c - the registry of kernels (src/gpu/kernels/registry.h): a context loads every kernel that its device
 * can run. The plugin of the simulated GPU tells its rows and what was loaded. */
#include "gpu/kernels/registry.h"
#include "support/check.h"
#include "trigon.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct plugin {
  const kernel_row *(*rows)(void);
  bool (*is_loaded)(int device, const void *kernel);
} plugin;

static void find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  check(found != NULL, name);
  memcpy(function, &found, sizeof found);
}

static trigon_context *make(const char *name) {
  trigon_context *ctx = NULL;
  check(trigon_create(name, &ctx, NULL, 0) == TRIGON_OK, name);
  return ctx;
}

/* The plugin must be loaded already. */
static plugin open_plugin(void) {
  plugin p = {NULL, NULL};
  char path[4096];
  const char *folder = getenv("TRIGON_BACKEND_PATH");
  snprintf(path, sizeof path, "%s/libtrigon-sim.so", folder ? folder : ".");
  void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  check(library != NULL, path);
  if (!library) exit(checked());
  find(library, "registered_kernels", &p.rows);
  find(library, "sim_is_loaded", &p.is_loaded);
  return p;
}

/* Whether the device's loaded kernels are exactly those that need no more than it has. */
static bool loads(const plugin *p, int device, unsigned has) {
  for (const kernel_row *k = p->rows(); k; k = k->next)
    if (p->is_loaded(device, k->function) != ((k->needs & ~has) == 0)) return printf("%s\n", k->name), false;
  return true;
}

static void check_rows(const plugin *p) {
  enum { MANY = 100, MOST = 227 << 10 };
  int count = 0;
  for (const kernel_row *k = p->rows(); k; k = k->next, count++) {
    check(k->function != NULL && k->shared <= MOST && strstr(k->name, "KERNEL = "), k->name);
    check(k->shared <= TG_SHARED_MOST || k->needs != 0, "only some GPUs have so much shared memory");
    for (const kernel_row *other = k->next; other; other = other->next)
      check(strcmp(k->name, other->name) != 0 && k->function != other->function, k->name);
  }
  check(count > MANY, "there are many kernels");
}

/* A kind that is asked for by its name gives its rows, and takes away the kernels that it does not have. */
static void check_kinds(const plugin *p) {
  char why[200] = "";
  trigon_context *ctx = make("sim:0");
  check(strstr(trigon_describe(ctx), "table: built in for the simulated GPU"), trigon_describe(ctx));
  trigon_destroy(ctx);
  ctx = make("sim:0?arch=portable");
  check(loads(p, 0, 0), "the kind for any GPU has no kernels for matrix units");
  check(strstr(trigon_describe(ctx), "table: built in for any GPU"), trigon_describe(ctx));
  trigon_destroy(ctx);
  ctx = make("sim:0?arch=hopper");
  check(loads(p, 0, NEEDS_MMA | NEEDS_INT8_MMA), "the simulated GPU gets no kernel for Hopper alone");
  check(strstr(trigon_describe(ctx), "table: built in for Hopper,"), trigon_describe(ctx));
  trigon_destroy(ctx);
  static const char *const kinds[] = {"ampere", "ampere-rtx", "ada", "blackwell-rtx"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char name[40];
    snprintf(name, sizeof name, "sim:0?arch=%s", kinds[i]);
    ctx = make(name);
    check(loads(p, 0, NEEDS_INT8_MMA), name);
    trigon_destroy(ctx);
  }
  ctx = make("sim:0?arch=blackwell");
  check(loads(p, 0, NEEDS_MMA | NEEDS_INT8_MMA), "Blackwell has matrix units for doubles");
  check(strstr(trigon_describe(ctx), "table: built in for Blackwell,"), trigon_describe(ctx));
  trigon_destroy(ctx);
  check(trigon_create("sim:0?arch=avx2", &ctx, why, sizeof why) == TRIGON_BAD_ARGUMENT && !ctx, "no GPU has AVX2");
  check(strstr(why, "option arch is \"avx2\", must be blackwell-rtx, blackwell, hopper, ada, ampere-rtx, ampere, "
                    "simulated, sweeps or portable"),
        why);
}

int main(void) {
  trigon_context *ctx = make("sim:0");
  const plugin p = open_plugin();
  check_rows(&p);
  check(loads(&p, 0, NEEDS_MMA | NEEDS_INT8_MMA), "a context loads every kernel");
  trigon_context *wide = make("sim:1?warp=64");
  check(loads(&p, 1, 0), "a GPU without matrix units loads no kernel for them");
  trigon_context *scheduled = make("sim:2?schedule=ssde");
  check(loads(&p, 2, NEEDS_MMA | NEEDS_INT8_MMA), "those of schedules are among them");
  trigon_destroy(scheduled);
  trigon_destroy(wide);
  trigon_destroy(ctx);
  ctx = make("sim:0?warp=64");
  check(loads(&p, 0, 0), "with its last context a device forgets its kernels");
  trigon_destroy(ctx);
  check_kinds(&p);
  return checked();
}
