# Tests of parts of `trigon bench`: the checks of its results, its measurements, its picture.
set(cli ${PROJECT_SOURCE_DIR}/cli)
set(bench ${cli}/bench)
set(measure ${bench}/measure)
set(problem ${bench}/problem.c ${bench}/bench_routine.c ${cli}/flops.c ${cli}/matrix/dense.c
  ${cli}/matrix/element_type.c)
set(matrices ${cli}/matrix/parallel.c ${cli}/matrix/random.c ${problem})
set(check ${bench}/check.c ${bench}/spectrum.c)
trigon_test(test_bench_check cli/bench/test_bench_check.c ${check} ${measure}/product_error.c ${matrices})
file(GLOB sources CONFIGURE_DEPENDS ${measure}/*.c)
trigon_test(test_bench_measure cli/bench/test_bench_measure.c ${sources} ${bench}/operands.c ${bench}/verdict.c
  ${check} ${cli}/matrix/transfer.c ${matrices})
target_compile_definitions(test_bench_measure PRIVATE _DEFAULT_SOURCE)
trigon_test(test_bench_floor cli/bench/test_bench_floor.c ${measure}/copy_rate.c ${measure}/floor.c
  ${measure}/median.c ${measure}/tile_inverses.c ${bench}/verdict.c ${cli}/matrix/transfer.c ${matrices})
trigon_test(test_bench_turns cli/bench/test_bench_turns.c ${bench}/batch/interleave.c ${bench}/batch/contenders.c
  ${bench}/batch/batch_operands.c ${bench}/batch/batch_routines.c ${bench}/batch/orders.c ${bench}/batch/lapack.c ${bench}/direct.c
  ${bench}/lapack_eigen.c
  ${bench}/native_library.c
  ${measure}/median.c ${measure}/memory_use.c ${bench}/verdict.c ${check} ${cli}/matrix/transfer.c
  ${matrices})
target_link_libraries(test_bench_turns PRIVATE ZLIB::ZLIB)
target_compile_definitions(test_bench_turns PRIVATE _DEFAULT_SOURCE)
set(picture ${problem})
foreach(name axis heading layout panels plan)
  list(APPEND picture ${bench}/picture/${name}.c)
endforeach()
trigon_test(test_picture cli/bench/test_picture.c ${picture})
test_program(test_picture_svg cli/bench/test_picture_svg.c ${picture} ${bench}/picture/picture.c
  ${bench}/picture/canvas.c ${bench}/picture/plot.c ${cli}/files/atomic_output.c ${cli}/files/path.c
  ${cli}/files/signal_guard.c ${cli}/report.c ${cli}/text.c)
target_link_libraries(test_picture_svg PRIVATE ZLIB::ZLIB)
target_compile_definitions(test_picture_svg PRIVATE _DEFAULT_SOURCE)
add_test(NAME test_picture_svg COMMAND test_picture_svg ${CMAKE_CURRENT_BINARY_DIR})
if(TRIGON_SIM)
  on_simulated_gpu(test_bench_floor_sim test_bench_floor sim:0)
endif()
