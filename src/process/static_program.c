#include "static_program.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/* The kernel tells where the program's headers are. (The loader's list of objects is that of the caller's namespace, which the
 * program is not in if dlmopen has loaded the library.) A program names a loader exactly if it is linked dynamically. */
bool program_is_static(void) {
  const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  const unsigned long count = headers ? getauxval(AT_PHNUM) : 0;
  for (unsigned long i = 0; i < count; i++)
    if (headers[i].p_type == PT_INTERP) return false;
  return true;
}
