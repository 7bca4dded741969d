/* loaded_library.h - finds symbols of a library that a test program has loaded at run time. */
#ifndef TRIGON_LOADED_LIBRARY_H
#define TRIGON_LOADED_LIBRARY_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stores the address of a function in the pointer at `function`. In C the pointer that dlsym returns is not a
 * pointer to a function. */
static void find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  if (!symbol) {
    printf("cannot find %s: %s\n", name, dlerror());
    exit(1);
  }
  memcpy(function, &symbol, sizeof symbol);
}

#endif
