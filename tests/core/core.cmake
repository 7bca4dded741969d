# Tests of the seam, src/core and src/common.
trigon_test(test_tuning core/test_tuning.c ${gpu_archs})
trigon_test(test_tuning_forced)
trigon_test(test_tuning_host)
trigon_test(test_tuning_text core/test_tuning_text.c ${gpu_archs})
trigon_test(test_schedule)
trigon_test(test_seam)
