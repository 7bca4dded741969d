/* offload.h - TRIGON_OFFLOAD=cuda:0[,min=N]: large calls with O(n³) work go to a GPU. Off by default. Their matrices
 * are copied to the GPU and back, and results have the GPU's native FP64.
 *
 * There is one context of the GPU. While a thread uses it, the CPU computes the calls of others. If the context cannot
 * be made, one line on stderr says why, and the CPU computes everything. If a call fails on the GPU, the CPU computes
 * it, because nothing is copied back before all has succeeded. A forked child does not use the GPU. */
#ifndef TRIGON_DROPIN_OFFLOAD_H
#define TRIGON_DROPIN_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <trigon.h>

#include "routing.h"

/* Whether the environment asks for a GPU. */
bool offload_is_wanted(void);

/* Takes the GPU for a call whose least size is this. Returns NULL if the CPU computes the call. */
trigon_context *offload_begin(enum routed, int64_t least);
void offload_end(void);

/* ------------------------------------------------------------------------------------- inside the offload -- */

/* A matrix of a call. On the GPU it has no gaps between columns. */
typedef struct moved {
  trigon_matrix host;
  bool is_read, is_written;
  trigon_matrix device;
} moved;

enum { most_moved = 3 };

/* Copies what is read to the GPU. */
trigon_status offload_upload(trigon_context *gpu, moved *of, int count);

/* Waits for the call, whose status is given, and copies back what is written. If info is not NULL, *info receives the
 * failure of the mathematics. Then the matrices from number `kept` on stay as they were. Returns TRIGON_INCOMPLETE if
 * some matrices were copied back and others could not be. */
trigon_status offload_download(trigon_context *gpu, moved *of, int count, trigon_status, int64_t *info, int kept);

/* The routines with trigon.h's arguments, but for matrices of the host. */
#define OFFLOADED(letter, routine)                                                                                     \
  extern __typeof__(trigon_##letter##routine) offload_##letter##routine __attribute__((visibility("hidden")))
#define OFFLOADED_TYPE(letter)                                                                                         \
  OFFLOADED(letter, gemm);                                                                                             \
  OFFLOADED(letter, trmm);                                                                                             \
  OFFLOADED(letter, trsm);                                                                                             \
  OFFLOADED(letter, syrk);                                                                                             \
  OFFLOADED(letter, syr2k);                                                                                            \
  OFFLOADED(letter, symm);                                                                                             \
  OFFLOADED(letter, potrf);                                                                                            \
  OFFLOADED(letter, potri);                                                                                            \
  OFFLOADED(letter, potrs);                                                                                            \
  OFFLOADED(letter, posv);                                                                                             \
  OFFLOADED(letter, trtri);                                                                                            \
  OFFLOADED(letter, lauum)
#define OFFLOADED_HERMITIAN(letter)                                                                                    \
  OFFLOADED(letter, herk);                                                                                             \
  OFFLOADED(letter, her2k);                                                                                            \
  OFFLOADED(letter, hemm)

OFFLOADED_TYPE(s);
OFFLOADED_TYPE(d);
OFFLOADED_TYPE(c);
OFFLOADED_TYPE(z);
OFFLOADED_HERMITIAN(c);
OFFLOADED_HERMITIAN(z);

#endif
