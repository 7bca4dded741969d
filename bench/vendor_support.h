/* vendor_support.h - what the programs share that time the vendor's libraries. */
#ifndef TRIGON_VENDOR_SUPPORT_H
#define TRIGON_VENDOR_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    int status_ = (int)(call);                                                                                         \
    if (status_ != 0) fail(#call, status_);                                                                            \
  } while (0)

static inline void fail(const char *call, int status) {
  fprintf(stderr, "%s: status %d\n", call, status);
  exit(1);
}

static inline double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
