/* library.h - shared libraries loaded by name, each into a namespace of its own, where their symbols cannot clash. */
#ifndef TRIGON_LIBRARY_H
#define TRIGON_LIBRARY_H

#include "core/error.h"
#include <stdbool.h>

typedef struct loaded_library loaded_library;

/* The most users for which a library keeps something. OpenBLAS has at least 50 buffers, and calls may be using half of
 * them. */
enum { most_users = 24 };

/* Returns TRIGON_OK if the library is of the kind that its user needs. Else `why` says what is missing. */
typedef trigon_status library_check(const char *name, void *handle, reason *why);

/* Stores the library of this name in *out. Loads the library if no earlier call has done so; a new library must pass
 * the check. Libraries stay loaded until the process ends. TRIGON_NOT_FOUND if the loader does not find the library, or
 * has no room for one more; `why` has the loader's words. TRIGON_NO_MEMORY. If the check fails, its status. */
trigon_status library_load(const char *name, library_check *check, loaded_library **out, reason *why);

/* Makes the calling thread ready for calls into the library. To be called before such calls. TRIGON_NO_MEMORY. */
trigon_status library_enter(loaded_library *library, reason *why);

/* Takes something for one more user, and stores it in kept[count]. kept[0 .. count - 1] belong to the users before. */
typedef trigon_status library_take(const void *argument, void **kept, int count, reason *why);

/* Adds a user to a library. If there are more users at once than
 * ever before, runs `take` first, but not beyond most_users. Later users reuse the things that `take` stored. If `take`
 * fails, returns its status and adds no user. */
trigon_status library_add_user(loaded_library *library, library_take *take, const void *argument, reason *why);
void library_remove_user(loaded_library *library);

/* For dlsym. */
void *library_handle(const loaded_library *library);

/* Stores the address of the function `name`, or NULL, in the pointer at `function`. Returns whether the function
 * exists. */
bool library_find(void *handle, const char *name, void *function);

#endif
