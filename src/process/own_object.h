/* own_object.h - the shared object that holds the library's code: libtrigon.so, or one that contains libtrigon.a. */
#ifndef TRIGON_OWN_OBJECT_H
#define TRIGON_OWN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Stores the absolute path of the shared object's folder, as a string of at most `size` bytes. False if the program
 * itself holds the code, if no absolute path is known, or if the path does not fit. */
bool own_object_folder(char *folder, size_t size);

/* Keeps the shared object loaded until the process ends. On failure returns false, and dlerror says why. */
bool own_object_keep(void);

#endif
