/* library.h - shared libraries that are loaded by name, each into a namespace of its own, so that their symbols meet
 * nobody else's. */
#ifndef TRIGON_LIBRARY_H
#define TRIGON_LIBRARY_H

#include "../core/error.h"
#include <stdbool.h>

typedef struct loaded_library loaded_library;

/* For so many users a library keeps something: OpenBLAS has 50 buffers at least, half of which calls may be using. */
enum { most_users = 24 };

/* Whether a library is what its user needs; if not, `why` says so. */
typedef trigon_status library_check(const char *name, void *handle, reason *why);

/* Stores the library that `name` names: one that is loaded already, or a new one, which must pass the check. Libraries
 * stay loaded until the process ends. TRIGON_NOT_FOUND: the loader has no such library, or no room for another; `why`
 * has its words. Else TRIGON_NO_MEMORY, or what the check returned. */
trigon_status library_load(const char *name, library_check *check, loaded_library **out, reason *why);

/* Makes the calling thread ready for calls into the library; to be called before any. TRIGON_NO_MEMORY. */
trigon_status library_enter(loaded_library *library, reason *why);

/* Takes for one more user what a library takes only once for each: stores it in kept[count], where those before it are. */
typedef trigon_status library_take(const void *argument, void **kept, int count, reason *why);

/* Counts a user of a library; NULL is the one that the program is linked with. If there are more users at once than ever
 * before, runs `take` first. What was taken stays for later users. Returns what `take` returned; if that failed, nothing is
 * counted. Beyond most_users nothing more is taken. */
trigon_status library_add_user(loaded_library *library, library_take *take, const void *argument, reason *why);
void library_remove_user(loaded_library *library);

/* For dlsym. */
void *library_handle(const loaded_library *library);

/* Stores the address of the function `name` in the pointer to a function at `function`, or NULL if there is no such
 * function; returns whether there is. */
bool library_find(void *handle, const char *name, void *function);

#endif
