/* test_launchers.h - what launchers have, for tests of rows. */
#ifndef TRIGON_TEST_LAUNCHERS_H
#define TRIGON_TEST_LAUNCHERS_H

#include "gpu/arch/check_rows.h"

/* Launchers with these kernels and tiles for each routine and type. */
static inline const batch_kernel *a_kernel(batch_table table, trigon_type type, int at) {
  static const batch_kernel all[] = {{"small", 0, 32, false, true, true},
                                     {"middle", 0, 64, false, false, true},
                                     {"whole", 0, 64, false, true, false},
                                     {"units", 0, 64, true, true, true},
                                     {"tiles", 64, INT64_MAX, false, false, true}};
  (void)table, (void)type;
  return at < (int)(sizeof all / sizeof *all) ? &all[at] : NULL;
}

static inline const tile_shape *a_tile(tile_table table, int at) {
  static const tile_shape all[] = {{64, 32}, {64, 64}};
  return at < 2 && table != TILES_TRSM_VECTORS ? &all[at] : NULL;
}

#endif
