/* context_name.h - parses a context's name into its kind, its library or device, and its options. */
#ifndef TRIGON_CONTEXT_NAME_H
#define TRIGON_CONTEXT_NAME_H

#include "core/error.h"
#include "core/options.h"

/* The sizes of the buffers for the pieces of a name. Longer pieces are refused. */
enum { library_size = 1024, option_size = tuning_path_size, extra_size = 256 };

typedef enum context_kind { CONTEXT_CPU, CONTEXT_CUDA, CONTEXT_HIP, CONTEXT_SIM, CONTEXT_CLUSTER } context_kind;

/* KIND[:LIBRARY or :DEVICE or :DEVICE:host or :DEVICE-DEVICE][?KEY=VALUE[&KEY=VALUE]...] */
typedef struct parsed_name {
  context_kind kind;
  char library[library_size]; /* cpu, cluster: the library, or "": none is named */
  bool wide;                  /* cpu64: the library has 64-bit integers */
  int device, last_device;    /* the same device, or more of them for matrices in host memory */
  bool on_host;               /* devices: the matrices are in host memory */
  engine_options options;
  char extra[extra_size]; /* sim: the options that only the simulated GPU knows, separated by '&' */
} parsed_name;

/* TRIGON_BAD_ARGUMENT if the name is not valid, TRIGON_NOT_SUPPORTED if the name asks for something that does not exist
 * yet. */
trigon_status parse_name(const char *name, parsed_name *out, reason *why);

/* "cpu", "cuda", "hip", "sim" or "cluster". */
const char *kind_word(context_kind);

#endif
