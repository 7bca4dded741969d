/* scalapack.c - loads ScaLAPACK by name, and calls its BLACS.
 *
 * The library must share the MPI of the program. So it is loaded into the program's namespace, and not into one of its
 * own, as a BLAS is. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "scalapack.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* C has no conversion from dlsym's void * to a pointer to a function, so the bytes are copied. */
static bool find(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static trigon_status refuse(const scalapack *s, const char *name, reason *why) {
  snprintf(why->text, sizeof why->text, "%s has no function %s, so it is no ScaLAPACK%s",
           s->handle ? "the library" : "the program", name,
           s->handle ? " (if BLACS is in another library, link the program to that)"
                     : ": name its library, as in cluster:libscalapack-openmpi.so.2.2");
  return TRIGON_NOT_FOUND;
}

/* A function of BLACS or MPI. Some libraries have BLACS in another library, to which the program is linked. */
static trigon_status find_below(const scalapack *s, const char *name, void *function, reason *why) {
  const bool found = (s->handle && find(s->handle, name, function)) || find(RTLD_DEFAULT, name, function);
  return found ? TRIGON_OK : refuse(s, name, why);
}

/* The routine `name` of a type is p, the type's letter, the name, and Fortran's underscore. */
static trigon_status find_routine(const scalapack *s, trigon_type type, const char *name, void *function, reason *why) {
  char symbol[16];
  snprintf(symbol, sizeof symbol, "p%c%s_", (char)type, name);
  return find(s->handle ? s->handle : RTLD_DEFAULT, symbol, function) ? TRIGON_OK : refuse(s, symbol, why);
}

static trigon_status find_routines(const scalapack *s, trigon_type type, scalapack_type *t, reason *why) {
  const bool complex = type_is_complex(type);
  const struct {
    const char *name;
    void *function;
  } all[] = {{"gemm", &t->gemm},
             {"symm", &t->symm},
             {complex ? "hemm" : "symm", &t->hemm},
             {"syrk", &t->syrk},
             {complex ? "herk" : "syrk", &t->herk},
             {"syr2k", &t->syr2k},
             {complex ? "her2k" : "syr2k", &t->her2k},
             {"trmm", &t->trmm},
             {"trsm", &t->trsm},
             {"potrf", &t->potrf},
             {"trtri", &t->trtri},
             {"trti2", &t->trti2},
             {"lauum", &t->lauum},
             {"lauu2", &t->lauu2}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) TRY(find_routine(s, type, all[i].name, all[i].function, why));
  return TRIGON_OK;
}

static trigon_status open_library(const char *name, scalapack *s, reason *why) {
  if (!*name) return TRIGON_OK;
  s->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (s->handle) return TRIGON_OK;
  const char *words = dlerror();
  snprintf(why->text, sizeof why->text, "cannot load the library: %.200s",
           words ? words : "the loader does not say why");
  return TRIGON_NOT_FOUND;
}

static trigon_status find_all(scalapack *s, reason *why) {
  TRY(find_below(s, "Cblacs_gridinfo", &s->gridinfo, why));
  TRY(find_below(s, "Cigamx2d", &s->imax, why));
  TRY(find_below(s, "Cdgsum2d", &s->dsum, why));
  TRY(find_below(s, "MPI_Initialized", &s->mpi_initialized, why));
  TRY(find_below(s, "MPI_Finalized", &s->mpi_finalized, why));
  for (int i = 0; i < TYPES; i++) TRY(find_routines(s, types_in_order[i], &s->of_type[i], why));
  return TRIGON_OK;
}

/* A library that is refused may be unloaded, because nothing in it was called. */
trigon_status scalapack_load(const char *name, scalapack *out, reason *why) {
  TRY(open_library(name, out, why));
  const trigon_status status = find_all(out, why);
  if (status != TRIGON_OK && out->handle) dlclose(out->handle);
  return status;
}

/* BLACS would start MPI by itself, with all its processes, if somebody asked it before the program has done so. */
trigon_status scalapack_grid(const scalapack *s, int context, grid *out, reason *why) {
  int started = 0, ended = 0;
  grid g = {.context = context, .rows = -1, .cols = -1, .row = -1, .col = -1};
  if (s->mpi_initialized(&started) != 0 || !started || s->mpi_finalized(&ended) != 0 || ended) {
    snprintf(why->text, sizeof why->text, "MPI %s", started ? "has ended" : "is not initialized: call MPI_Init before");
    return TRIGON_NOT_SUPPORTED;
  }
  if (context >= 0) s->gridinfo(context, &g.rows, &g.cols, &g.row, &g.col);
  if (g.row < 0 || g.col < 0 || g.rows < 1 || g.cols < 1) {
    snprintf(why->text, sizeof why->text,
             "grid is %d, which is no BLACS context of this library in which this process has a place", context);
    return TRIGON_BAD_ARGUMENT;
  }
  *out = g;
  return TRIGON_OK;
}

/* A destination of -1 is every process. With ldia = -1 nobody is told whose number was the largest. */
void scalapack_maximum(const scalapack *s, const grid *g, int count, int *numbers) {
  s->imax(g->context, "All", " ", count, 1, numbers, count, NULL, NULL, -1, -1, -1);
}

double scalapack_sum(const scalapack *s, const grid *g, double x) {
  s->dsum(g->context, "All", " ", 1, 1, &x, 1, -1, -1);
  return x;
}
