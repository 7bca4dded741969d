/* reference.c - the reference of all types, and memory for it (reference.h). */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>

arena arena_make(size_t size) {
  arena a = {malloc(size), 0, size};
  if (!a.base) {
    fputs("out of memory\n", stderr);
    exit(2);
  }
  return a;
}

void *arena_take(arena *a, size_t bytes) {
  const size_t alignment = _Alignof(max_align_t), rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded > a->size - a->used) {
    fputs("the reference ran out of its memory\n", stderr);
    exit(2);
  }
  void *taken = a->base + a->used;
  a->used += rounded;
  return taken;
}

void arena_free(arena *a) {
  free(a->base);
  *a = (arena){0};
}

static bool is_zero(trigon_scalar x) { return x.re == 0 && x.im == 0; }

bool product_vanishes(const call *c) {
  if (!takes(c->routine, "alpha")) return false;
  return is_zero(c->alpha) || (takes(c->routine, "k") && c->k == 0);
}

bool returns_at_once(const call *c) {
  if (c->n == 0 || (takes(c->routine, "m") && c->m == 0) || (c->routine == POTRS && c->k == 0)) return true;
  return takes(c->routine, "beta") && product_vanishes(c) && c->beta.re == 1 && c->beta.im == 0;
}

bool is_product(enum tested_routine r) {
  return r == GEMM || r == TRMM || r == LAUUM || r == SYRK || r == HERK || r == SYR2K || r == HER2K || r == SYMM ||
         r == HEMM;
}

const reference_of_type *reference_for(trigon_type type) {
  switch (type) {
  case TRIGON_S: return &reference_s;
  case TRIGON_D: return &reference_d;
  case TRIGON_C: return &reference_c;
  default: return &reference_z;
  }
}
