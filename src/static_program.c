#define _GNU_SOURCE /* dl_iterate_phdr */
#include "static_program.h"

#include <link.h>

/* The first object is the program. It names a loader exactly if it is linked dynamically. */
static int look_for_loader(struct dl_phdr_info *program, size_t size, void *found) {
  (void)size;
  for (int i = 0; i < program->dlpi_phnum; i++)
    if (program->dlpi_phdr[i].p_type == PT_INTERP) *(bool *)found = true;
  return 1; /* no further object */
}

bool program_is_static(void) {
  bool has_loader = false;
  dl_iterate_phdr(look_for_loader, &has_loader);
  return !has_loader;
}
