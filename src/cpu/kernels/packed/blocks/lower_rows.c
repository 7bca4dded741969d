/* lower_rows.c - rows of a lower triangle become row panels, one behind the other. */
#include "lower_rows.h"

bool lower_pack(const lower_rows *t, int64_t begin, int64_t end, char *to) {
  return t->kernel->pack_triangle(&t->L, t->n, begin, end, t->unit, t->solve, to);
}

int64_t lower_pieces(const lower_rows *t) { return parts_of(up_to_multiple(t->n, t->kernel->rows), packed_piece); }

bool lower_pack_piece(const lower_rows *t, int64_t piece, char *to) {
  const int64_t whole = up_to_multiple(t->n, t->kernel->rows), i = piece * packed_piece;
  return lower_pack(t, i, least(i + packed_piece, whole), to + lower_at(t->kernel, t->element, i, 0));
}
