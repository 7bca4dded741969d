/* static_program.c - whether the program is linked statically: looks for a loader in the program's headers. */
#include "static_program.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/* A program names a loader (PT_INTERP) exactly if the program is linked dynamically. The kernel tells the address of
 * the program's headers. (The loader's list of objects does not serve: if dlmopen has loaded the library, the list has
 * the objects of the library's namespace, and the program is in another.) */
bool program_is_static(void) {
  const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  const unsigned long count = headers ? getauxval(AT_PHNUM) : 0;
  for (unsigned long i = 0; i < count; i++)
    if (headers[i].p_type == PT_INTERP) return false;
  return true;
}
