# Tests of the decorators narrow and trace. The decorator of emulated products has the room fp64.
trigon_test(test_integers)
with_plugins("" test_integers)
trigon_test(test_trace)
