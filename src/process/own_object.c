/* own_object.c - finds the shared object that holds the library's code, by the loader and by /proc/self/maps. */
#define _GNU_SOURCE /* dladdr1 */
#include "own_object.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char inside = 0; /* its address is in the shared object */

/* The name by which the loader found the shared object, or "" for the program itself. */
static const char *own_name(void) {
  Dl_info found;
  struct link_map *map = NULL;
  if (!dladdr1(&inside, &found, (void **)&map, RTLD_DL_LINKMAP) || !map) return "";
  return map->l_name;
}

/* The file that a line of /proc/self/maps names, if `inside` lies in the range of this line; else NULL. */
static const char *mapped_file(const char *line) {
  uintptr_t first, end;
  int path = 0;
  if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &first, &end, &path) != 2 || path == 0) return NULL;
  return (uintptr_t)&inside >= first && (uintptr_t)&inside < end ? line + path : NULL;
}

static bool take_folder(const char *file, char *folder, size_t size) {
  const char *slash = strrchr(file, '/');
  if (file[0] != '/') return false;
  return snprintf(folder, size, "%.*s", (int)(slash - file), file) < (int)size;
}

/* The kernel knows the absolute path of the file, even if the program has changed its current folder. */
static bool mapped_folder(char *folder, size_t size) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return false;
  char *line = NULL;
  const char *file = NULL;
  size_t room = 0;
  while (!file && getline(&line, &room, maps) > 0) file = mapped_file(line);
  bool known = file && take_folder(file, folder, size);
  free(line);
  fclose(maps);
  return known;
}

/* The loader's name may be relative (LD_LIBRARY_PATH=., dlopen("./libtrigon.so")), and the program may have left the
 * folder that the name is relative to. */
bool own_object_folder(char *folder, size_t size) {
  const char *name = own_name();
  if (name[0] == '/') return take_folder(name, folder, size);
  return name[0] && mapped_folder(folder, size);
}

bool own_object_keep(void) {
  const char *name = own_name();
  return !name[0] || dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != NULL;
}
