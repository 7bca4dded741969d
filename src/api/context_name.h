/* context_name.h - a context's name, taken apart. */
#ifndef TRIGON_CONTEXT_NAME_H
#define TRIGON_CONTEXT_NAME_H

#include "../core/error.h"
#include "../core/options.h"

/* Sizes of the parts of a name that are copied; longer ones are refused. */
enum { library_size = 1024, option_size = 64, extra_size = 256 };

typedef enum context_kind { CONTEXT_CPU, CONTEXT_CUDA, CONTEXT_HIP, CONTEXT_SIM } context_kind;

/* KIND[:LIBRARY or :DEVICE][?KEY=VALUE[&KEY=VALUE]...] */
typedef struct parsed_name {
  context_kind kind;
  char library[library_size]; /* cpu: "" where none is named */
  bool wide;                  /* cpu64 */
  int device;
  engine_options options;
  char extra[extra_size]; /* sim: the options that are not known here, separated by '&' */
} parsed_name;

/* TRIGON_BAD_ARGUMENT where it is no name, TRIGON_NOT_SUPPORTED where what it names is not there yet. */
trigon_status parse_name(const char *name, parsed_name *out, reason *why);

/* "cpu", "cuda", "hip" or "sim". */
const char *kind_word(context_kind);

#endif
