/* lower_rows.c - rows of a lower triangle become row panels, one behind the other. */
#include "lower_rows.h"

/* Columns are too short for the processor to foresee the next ones. */
static void prefetch(const lower_rows *t, int64_t begin, int64_t end, int64_t k0, int64_t k1) {
  enum { line = 64 };
  for (int64_t k = k0; k < k1; k++)
    for (int64_t i = begin; i < end; i += line / t->element)
      __builtin_prefetch((const char *)t->L.data + (i * t->L.row + k * t->L.col) * t->element);
}

/* If columns are contiguous, some of them at a time are read from end to end: the first-level TLB has pages for
 * them. */
bool lower_pack(const lower_rows *t, int64_t begin, int64_t end, char *to) {
  const int64_t step = t->L.row == 1 || t->L.row == -1 ? packed_piece : end,
                at = lower_at(t->kernel, t->element, begin, 0);
  bool safe = true;
  for (int64_t k = 0; k < end; k += step) {
    if (k + step < end) prefetch(t, begin, least(end, t->n), k + step, least(k + 2 * step, begin));
    for (int64_t i = begin; i < end; i += t->kernel->rows)
      safe = t->kernel->pack_triangle(&t->L, t->n, i, k, k + step, t->unit, t->solve,
                                      to + lower_at(t->kernel, t->element, i, 0) - at) &&
             safe;
  }
  return safe;
}

bool lower_pack_share(const lower_rows *t, member m, char *to) {
  const int64_t whole = up_to_multiple(t->n, t->kernel->rows);
  bool safe = true;
  for (int64_t i = m.id * packed_piece; i < whole; i += (int64_t)m.size * packed_piece)
    safe = lower_pack(t, i, least(i + packed_piece, whole), to + lower_at(t->kernel, t->element, i, 0)) && safe;
  return safe;
}
