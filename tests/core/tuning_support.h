/* tuning_support.h - operations, and what a tuning table says about them, for the tests of tables. */
#ifndef TRIGON_TESTS_TUNING_SUPPORT_H
#define TRIGON_TESTS_TUNING_SUPPORT_H

#include "core/tuning/tuning.h"
#include "support/check.h"

static inline void expect(bool held, const char *text, const char *what) {
  char message[1200];
  snprintf(message, sizeof message, "%s: \"%.500s\"", what, text);
  check(held, message);
}

static inline trigon_status read_text(const char *text, tuning *t, reason *why) {
  tuning_clear(t);
  return tuning_read(text, t, why);
}

static inline operation solve(trigon_type type, int64_t m, int64_t n, trigon_side side) {
  const int64_t order = side == TRIGON_LEFT ? m : n;
  return (operation){.routine = ROUTINE_TRSM,
                     .side = side,
                     .op = TRIGON_NOTRANS,
                     .A = {.type = type, .m = order, .n = order},
                     .B = {.type = type, .m = m, .n = n}};
}

static inline operation factor(int64_t n) {
  return (operation){.routine = ROUTINE_POTRF, .A = {.type = TRIGON_D, .m = n, .n = n}};
}

/* The table must have this leaf for the operation, and cut it or not. */
static inline void expect_leaf(const tuning *t, operation o, variant leaf, bool cut, const char *what) {
  expect(tuning_leaf(t, &o) == leaf, what, "the leaf");
  expect((tuning_cut(t, CUT_HALVES, &o) > 0) == cut, what, "whether it is cut");
}

#endif
