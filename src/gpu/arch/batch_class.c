/* batch_class.c - finds the rows of a table of classes that fit a batch. */
#include "batch_class.h"

#include <stddef.h>

int gpu_choose_classes(const batch_class *table, int64_t largest, const batch_class *chosen[MOST_CLASSES]) {
  int64_t covered = 0;
  int count = 0;
  for (const batch_class *r = table; r->kernel; r++) {
    if (r->alone && r->most >= largest) return chosen[0] = r, 1;
    if (r->alone || r->most <= covered) continue;
    if (count < MOST_CLASSES) chosen[count] = r;
    count++;
    if (r->most_order == 0) covered = r->most;
  }
  return count;
}
