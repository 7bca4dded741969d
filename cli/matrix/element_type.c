/* element_type.c - the table of element types. */
#include "element_type.h"

typedef struct element_type {
  trigon_type type;
  const char *words;
  int reals;
  size_t real_bytes;
  double roundoff;
} element_type;

/* The smaller ones first. */
static const element_type types[] = {
    {TRIGON_S, "real, single precision", 1, sizeof(float), 0x1p-24},
    {TRIGON_D, "real, double precision", 1, sizeof(double), 0x1p-53},
    {TRIGON_C, "complex, single precision", 2, sizeof(float), 0x1p-24},
    {TRIGON_Z, "complex, double precision", 2, sizeof(double), 0x1p-53},
};

enum { TYPES = sizeof types / sizeof *types };

/* The entry of a type; the callers' types are known. */
static const element_type *entry_of(trigon_type type) {
  const element_type *t = types;
  while (t->type != type) t++;
  return t;
}

bool type_is_known(char letter) {
  for (int i = 0; i < TYPES; i++)
    if (types[i].type == (trigon_type)letter) return true;
  return false;
}

const char *type_words(trigon_type type) { return entry_of(type)->words; }
bool type_is_complex(trigon_type type) { return type_reals(type) == 2; }
int type_reals(trigon_type type) { return entry_of(type)->reals; }
size_t type_real_bytes(trigon_type type) { return entry_of(type)->real_bytes; }
size_t type_bytes(trigon_type type) { return (size_t)type_reals(type) * type_real_bytes(type); }
double type_roundoff(trigon_type type) { return entry_of(type)->roundoff; }

trigon_type type_common(trigon_type a, trigon_type b) {
  const element_type *ta = entry_of(a), *tb = entry_of(b), *t = types;
  while (t->reals < ta->reals || t->reals < tb->reals || t->real_bytes < ta->real_bytes ||
         t->real_bytes < tb->real_bytes)
    t++;
  return t->type;
}
