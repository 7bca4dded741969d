/* test_fp64_devices.c - emulated products through the public interface, on the CPU and on a device.
 *
 *   test_fp64_devices [CONTEXT [TEST]]     default: sim:0, all tests */
#include "fp64_product.h"

int main(int argc, char **argv) {
  static const device_part parts[] = {{"bits", test_bits},
                                      {"few", test_few_bits},
                                      {"bounds", test_bounds},
                                      {"blocks", test_blocks},
                                      {"reports", test_reports},
                                      {"specials", test_specials},
                                      {"symms", test_symms},
                                      {"updates", test_updates},
                                      {"few_updates", test_few_updates},
                                      {"tiles", test_update_tiles},
                                      {"pairs", test_pairs},
                                      {"matrices", test_pair_matrices},
                                      {"captures", test_emulated_captures},
                                      {"failures", test_emulated_failures}};
  return run_parts(argc > 1 ? argv[1] : "sim:0", argc > 2 ? argv[2] : NULL, parts, sizeof parts / sizeof *parts);
}
