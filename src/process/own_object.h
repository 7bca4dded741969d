/* own_object.h - the shared object that holds the library's code: libtrigon.so, or one that has taken in libtrigon.a. */
#ifndef TRIGON_OWN_OBJECT_H
#define TRIGON_OWN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Stores the absolute path of the shared object's folder, as a string of at most `size` bytes. False if the code is in
 * the program itself, if nobody knows an absolute path, or if the path does not fit. */
bool own_object_folder(char *folder, size_t size);

/* Keeps the shared object loaded until the process ends. On failure false: dlerror tells why. */
bool own_object_keep(void);

#endif
