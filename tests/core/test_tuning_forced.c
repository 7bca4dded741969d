/* test_tuning_forced.c - where the recursion stops if the option leaf= forces a variant. */
#include "tuning_support.h"

/* A variant that the option leaf= forces stops where a table says so for this variant. */
int main(void) {
  static const char older_text[] = "potrf sdcz * * step 128\ntrsm sdcz * * step 128\ninvert d * * step 128\n";
  static const char text[] = "potrf d * * dataflow 8192\n"
                             "trsm d w64 64 step *\ntrsm d w64 500 dataflow *\ntrsm d w64 * vendor 2000\n"
                             "invert d * 200 vendor 150\ninvert d * * dataflow 300\n";
  tuning older, read, t;
  reason why;
  expect(read_text(older_text, &older, &why) == TRIGON_OK, why.text, "the older table");
  read = older;
  expect(tuning_read(text, &read, &why) == TRIGON_OK, why.text, "the newer table");
  const tuning *const all[] = {&older};

  t = read, tuning_force(&t, VARIANT_STEP, all, 1);
  expect_leaf(&t, factor(128), VARIANT_STEP, false, "a step takes what the older table says");
  expect_leaf(&t, factor(129), VARIANT_STEP, true, "a step does not take what the newer table says for dataflow");
  expect_leaf(&t, solve(TRIGON_D, 64, 64, TRIGON_LEFT), VARIANT_STEP, false, "the range has the step");
  expect_leaf(&t, solve(TRIGON_D, 65, 64, TRIGON_LEFT), VARIANT_STEP, true, "a stop holds up to the end of its range");
  t = read, tuning_force(&t, VARIANT_DATAFLOW, all, 1);
  expect_leaf(&t, factor(8192), VARIANT_DATAFLOW, false, "the row has dataflow");
  expect_leaf(&t, factor(8193), VARIANT_DATAFLOW, true, "the row's stop for dataflow");
  expect_leaf(&t, solve(TRIGON_D, 60, 64, TRIGON_LEFT), VARIANT_DATAFLOW, false, "a range above has dataflow");
  expect_leaf(&t, solve(TRIGON_D, 501, 64, TRIGON_LEFT), VARIANT_DATAFLOW, true, "the range below has dataflow");
  expect_leaf(&t, solve(TRIGON_S, 128, 64, TRIGON_LEFT), VARIANT_DATAFLOW, false, "no table has dataflow for floats");
  expect_leaf(&t, solve(TRIGON_S, 129, 64, TRIGON_LEFT), VARIANT_DATAFLOW, true, "so the row's stop remains");
  t = read, tuning_force(&t, VARIANT_VENDOR, all, 1);
  expect_leaf(&t, solve(TRIGON_D, 2000, 64, TRIGON_LEFT), VARIANT_VENDOR, false, "the last range has the vendor");
  expect_leaf(&t, solve(TRIGON_D, 300, 64, TRIGON_LEFT), VARIANT_VENDOR, false, "and serves those before");
  t = read, tuning_force(&t, VARIANT_PACKED, all, 1);
  expect_leaf(&t, factor(8193), VARIANT_PACKED, true, "no table has packed leaves");
  const tuning *const two[] = {&read, &older};
  expect(read_text("potrf d * * vendor 77", &t, &why) == TRIGON_OK, why.text, "a third table");
  tuning_force(&t, VARIANT_STEP, two, 2);
  expect_leaf(&t, factor(128), VARIANT_STEP, false, "the last table that has the variant counts");
  expect_leaf(&t, factor(129), VARIANT_STEP, true, "the last table that has the variant counts");
  return checked();
}
