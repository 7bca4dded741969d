# The sweep: every routine, type, flag and awkward size on every backend. With sanitizers a sample of the sweep runs.
# gpu/sweeps.cmake has the sweeps on the simulated GPU, and fp64/fp64.cmake those over emulated products. All cases take
# a fifth of the time of all quick tests, and run with the second passes.
file(GLOB sources CONFIGURE_DEPENDS sweep/*.c)
test_program(sweep ${sources})
set(quick --quick)
if(TRIGON_SANITIZE)
  set(quick --share 15)
  add_test(NAME sweep COMMAND sweep ${quick})
else()
  add_test(NAME sweep COMMAND sweep --share 3)
  add_test(NAME sweep_whole COMMAND sweep)
  set_tests_properties(sweep_whole PROPERTIES TIMEOUT 900)
endif()
set_tests_properties(sweep PROPERTIES TIMEOUT 600)

# The sweep over BLAS libraries, loaded by name. One library has 64-bit integers. Two libraries have no LAPACK, so that
# Trigon's own leaves run. The sweep makes millions of calls on small matrices: threads of OpenMP that spin between the
# calls would take the cores from other tests.
set(other_blas cpu:libopenblas.so.0 cpu64:libopenblas64.so.0 cpu:libblis.so.4)
set(reference_blas /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/blas/libblas.so.3)
if(EXISTS ${reference_blas})
  list(APPEND other_blas cpu:${reference_blas})
else()
  message(STATUS "skipped: no reference BLAS at ${reference_blas}; its sweep is left out")
endif()
foreach(backend ${other_blas})
  add_test(NAME sweep_${backend} COMMAND sweep ${quick} --backend ${backend})
  set_tests_properties(sweep_${backend} PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=passive)
endforeach()
# The sweep with each variant of a leaf that the CPU has.
add_test(NAME sweep_leaves COMMAND sweep ${quick} --backend "cpu?leaf=step&stop=40" --backend "cpu:libopenblas.so.0?leaf=vendor&stop=24")
# Register kernels compute on the calling thread. One run has sizes of several blocks. A processor with AVX-512 runs the
# kernels for AVX2, too.
add_test(NAME sweep_packed COMMAND sweep ${quick} --backend "cpu?leaf=packed" --backend "cpu?leaf=packed&stop=24"
  --backend "cpu?leaf=packed&arch=portable")
set(packed --backend "cpu?leaf=packed" --backend "cpu?leaf=packed&arch=portable&threads=2")
file(STRINGS /proc/cpuinfo has_avx512 LIMIT_COUNT 1 REGEX "flags.* avx512f ")
if(has_avx512)
  list(APPEND packed --backend "cpu?leaf=packed&arch=avx2")
  add_test(NAME sweep_packed_avx2 COMMAND sweep ${quick} --backend "cpu?leaf=packed&arch=avx2")
endif()
set(share 1500)
if(TRIGON_SANITIZE)
  set(share 6000)
endif()
add_test(NAME sweep_packed_sizes COMMAND sweep --share ${share} --types d --sizes 97,257 ${packed})
if(NOT TRIGON_SANITIZE)
  add_test(NAME sweep_packed_pairs COMMAND sweep --share 1500 --types z --sizes 97,200 ${packed})
endif()
# Small products read their operands where they are. These sizes end with every number of elements of a vector.
set(small --backend cpu --backend "cpu?leaf=packed&arch=portable")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND small --backend "cpu?arch=avx2")
endif()
foreach(routine gemm syrk herk)
  add_test(NAME sweep_small_products_${routine} COMMAND sweep --routine ${routine} --sizes 1,2,3,4,5,6,7,20
    ${small})
  add_test(NAME sweep_small_products_wide_${routine} COMMAND sweep --routine ${routine}
    --sizes 0,9,11,13,14,15,27,30 ${small})
endforeach()
# On a processor whose kernels were never measured, an installed BLAS computes large calls.
add_test(NAME sweep_found_blas COMMAND sweep --share 300 --sizes 30,150,300 --backend "cpu?arch=portable"
  --backend "cpu?arch=portable&blas=none")
# With few columns a triangle is not packed, and a leaf takes any order.
foreach(routine trsm trmm)
  add_test(NAME sweep_packed_few_columns_${routine} COMMAND sweep --share 300 --routine ${routine} --sizes 1,5,30,300
    --backend "cpu?leaf=packed" --backend "cpu?leaf=packed&arch=portable")
endforeach()
