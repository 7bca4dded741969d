/* static_program.h - whether the program is linked statically, and so cannot load shared libraries. */
#ifndef TRIGON_STATIC_PROGRAM_H
#define TRIGON_STATIC_PROGRAM_H

#include <stdbool.h>

/* Whether the program was linked with -static. If so, the C library refuses dlmopen. A library that dlopen loads brings
 * a second C library, in which the first thread or allocation may crash. */
bool program_is_static(void);

#endif
