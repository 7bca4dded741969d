/* test_installed_blas.c - of the installed libraries, one with threads is loaded, though a serial one comes before it.
 *
 * The test's environment lets the loader find a serial OpenBLAS with 64-bit integers, and one with 32-bit integers and
 * OpenMP. */
#include <string.h>

#include "cpu/library/blas_table.h"
#include "support/check.h"

/* Whether the loader finds the library, and whether it is serial. */
static bool finds(const char *name, bool wide, bool serial) {
  blas table;
  reason why;
  const bool found = blas_load(&table, name, wide, &why) == TRIGON_OK && table.serial == serial;
  blas_leave(&table);
  return found;
}

int main(void) {
  blas table;
  reason why;
  if (!finds("libopenblas64.so.0", true, true) || !finds("libopenblas.so.0", false, false)) {
    printf("skipped: no serial OpenBLAS with 64-bit integers, or none with threads and 32-bit integers\n");
    return 0;
  }
  check(blas_load_installed(&table, &why) == TRIGON_OK, "an installed BLAS is found");
  check(!table.serial, "the library has threads");
  check(!table.wide && strcmp(table.name, "libopenblas.so.0") == 0, "the serial library is passed over");
  blas_leave(&table);
  return checked();
}
