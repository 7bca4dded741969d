# Tests of the command, from outside, and with allocations that fail on demand.
include(cli/files/files.cmake)
if(NOT TARGET trigon_command)
  return()
endif()
include(cli/bench/bench.cmake)
foreach(name test_cli test_cli_files test_cli_bench test_cli_batch test_cli_fp64 test_cli_report test_cli_tune
  test_completion test_openblas)
  script_test(${name} $<TARGET_FILE:trigon_command>)
endforeach()
# On a machine whose OpenBLAS is older than its CPU, bench prints advice. OPENBLAS_CORETYPE makes this machine one.
if(NOT TRIGON_SANITIZE) # the code is the same
  add_test(NAME test_cli_bench_advice COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/test_cli_bench.sh
    $<TARGET_FILE:trigon_command>)
  set_tests_properties(test_cli_bench_advice PROPERTIES ENVIRONMENT OPENBLAS_CORETYPE=Prescott)
endif()
if(TRIGON_SANITIZERS STREQUAL thread)
  script_test(test_cli_threads $<TARGET_FILE:trigon_command>)
endif()

if(TRIGON_SIM)
  with_plugins("" test_cli test_cli_files test_cli_bench test_cli_batch test_cli_fp64 test_cli_report test_cli_tune
    test_openblas)
  # A plugin with native=1, beside the folder of the other plugin.
  add_library(native_plugin MODULE cli/native_plugin.c)
  target_link_libraries(native_plugin PRIVATE trigon_flags ${CMAKE_DL_LIBS})
  target_include_directories(native_plugin PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(native_plugin PRIVATE TRIGON_SIM_PLUGIN="$<TARGET_FILE:trigon-sim>")
  set_target_properties(native_plugin PROPERTIES PREFIX lib OUTPUT_NAME trigon-sim C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins-native)
endif()

# The command again, with allocations that fail on demand.
get_target_property(command_sources trigon_command SOURCES)
list(TRANSFORM command_sources PREPEND ${PROJECT_SOURCE_DIR}/cli/)
# Shared libraries call the allocation functions, too.
set_source_files_properties(cli/fail_allocation.c PROPERTIES COMPILE_OPTIONS -fvisibility=default)
add_executable(trigon_failing cli/fail_allocation.c ${command_sources})
target_link_libraries(trigon_failing PRIVATE $<TARGET_PROPERTY:trigon_command,LINK_LIBRARIES>)
target_compile_definitions(trigon_failing PRIVATE $<TARGET_PROPERTY:trigon_command,COMPILE_DEFINITIONS>)
target_link_options(trigon_failing PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=main)
script_test(test_cli_memory $<TARGET_FILE:trigon_failing>)
if(TRIGON_SIM)
  with_plugins("" test_cli_memory)
endif()
