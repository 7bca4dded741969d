/* static_program.h - whether this process can load shared libraries. */
#ifndef TRIGON_STATIC_PROGRAM_H
#define TRIGON_STATIC_PROGRAM_H

#include <stdbool.h>

/* Whether the program was linked with -static. The C library then refuses dlmopen, and what dlopen loads gets a second C
 * library, in which the first thread or allocation may crash. */
bool program_is_static(void);

#endif
