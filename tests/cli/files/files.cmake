# Tests of the command's matrix files: test_files, and a fuzz target if clang is found.
find_package(ZLIB)
if(NOT ZLIB_FOUND)
  message(STATUS "no zlib: test_files and fuzz_files are not built")
  return()
endif()

set(reader_sources atomic_output.c byte_stream.c matrix_file.c matrix_market.c npy.c npy_numbers.c path.c
  signal_guard.c)
list(TRANSFORM reader_sources PREPEND files/)
list(APPEND reader_sources report.c text.c matrix/dense.c matrix/element_type.c)
list(TRANSFORM reader_sources PREPEND ${PROJECT_SOURCE_DIR}/cli/)

file(GLOB sources CONFIGURE_DEPENDS cli/files/test_files*.c)
trigon_test(test_files ${sources} ${reader_sources})
target_compile_definitions(test_files PRIVATE TRIGON_SAMPLES="${CMAKE_CURRENT_SOURCE_DIR}/cli/files/data"
  TRIGON_DEFAULT_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
# With a static zlib the test can make zlib's own allocations fail, too.
find_library(TRIGON_STATIC_ZLIB libz.a)
if(TRIGON_STATIC_ZLIB)
  target_include_directories(test_files PRIVATE ${ZLIB_INCLUDE_DIRS})
  target_link_libraries(test_files PRIVATE ${TRIGON_STATIC_ZLIB})
else()
  message(STATUS "no static zlib: test_files does not fail zlib's own allocations")
  target_link_libraries(test_files PRIVATE ZLIB::ZLIB)
endif()
foreach(symbol malloc calloc realloc free realpath fsync rename)
  target_link_options(test_files PRIVATE LINKER:--wrap=${symbol})
endforeach()

# libFuzzer needs clang, even if another compiler builds the rest. `ctest -L fuzz` runs the fuzz target, and
# `ctest -LE fuzz` runs all other tests. The libraries for another processor are not for this clang.
set(TRIGON_FUZZ_SECONDS 60 CACHE STRING "how long the fuzz target runs")
find_program(TRIGON_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
set(fuzz_flags -std=gnu17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined)
set(fuzz_works 1)
if(TRIGON_CLANG AND NOT CMAKE_CROSSCOMPILING)
  # clang may be installed without the library that contains libFuzzer. So a small program is compiled first.
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/fuzz_probe)
  file(WRITE ${probe}.c "int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && !n; }\n")
  execute_process(COMMAND ${TRIGON_CLANG} ${fuzz_flags} ${probe}.c -o ${probe} RESULT_VARIABLE fuzz_works
    OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT fuzz_works EQUAL 0)
  message(STATUS "skipped: no clang with libFuzzer, or another processor; fuzz_files is not built")
  return()
endif()

file(GLOB_RECURSE reader_headers ${PROJECT_SOURCE_DIR}/cli/*.h ${PROJECT_SOURCE_DIR}/cli/*.inc)
add_custom_command(OUTPUT fuzz_files
  COMMAND ${TRIGON_CLANG} ${fuzz_flags} -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/cli
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/files/fuzz_files.c ${reader_sources} -Wl,--wrap=malloc -Wl,--wrap=calloc
    ${ZLIB_LIBRARIES} -o fuzz_files
  COMMAND ${CMAKE_COMMAND} -E make_directory fuzz_corpus
  DEPENDS cli/files/fuzz_files.c ${reader_sources} ${reader_headers}
  VERBATIM)
add_custom_target(build_fuzz_files ALL DEPENDS fuzz_files)
# New inputs go to fuzz_corpus in the build folder. The samples are only read.
add_test(NAME fuzz_files
  COMMAND ${CMAKE_CURRENT_BINARY_DIR}/fuzz_files -max_total_time=${TRIGON_FUZZ_SECONDS} -max_len=4096 -timeout=10
    -print_final_stats=1 -dict=${CMAKE_CURRENT_SOURCE_DIR}/cli/files/fuzz_files.dict fuzz_corpus
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/files/data)
set_tests_properties(fuzz_files PROPERTIES LABELS fuzz)
