# Tests of the library as users get it: its symbols, and programs that build against an installation.
script_test(test_exports $<TARGET_FILE:trigon> $<TARGET_FILE:trigon_static> 
  ${PROJECT_SOURCE_DIR}/include/trigon.h ${PROJECT_SOURCE_DIR}/include/trigon_eigen.h
  ${PROJECT_SOURCE_DIR}/include/trigon_cluster.h)
script_test(test_release ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
find_program(TRIGON_ABIDIFF abidiff)
if(TRIGON_ABIDIFF AND NOT TRIGON_SANITIZE AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set_target_properties(trigon_abi PROPERTIES EXCLUDE_FROM_ALL OFF)
  script_test(test_abi ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
else()
  message(STATUS "skipped: no abidiff, or sanitizers, or no 64-bit machine; the check of the ABI is left out")
endif()
if(NOT TRIGON_SANITIZE) # the address sanitizer moves constants that hold addresses to the mutable data
  set(library_objects $<TARGET_OBJECTS:trigon_objects>)
  if(TARGET trigon-sim) # the plugin compiles the library's sources from another folder
    list(APPEND library_objects $<FILTER:$<TARGET_OBJECTS:trigon-sim>,INCLUDE,/__/.*[.]c[.]>)
  endif()
  if(TARGET trigon-cluster)
    list(APPEND library_objects $<TARGET_OBJECTS:trigon-cluster>)
  endif()
  script_test(test_globals ${CMAKE_C_COMPILER} ${library_objects} COMMAND_EXPAND_LISTS)
endif()
if(NOT TRIGON_SANITIZE) # a sanitized library needs the sanitizers, too
  script_test(test_dependencies $<TARGET_FILE:trigon> $<CONFIG>)
endif()
# Programs over a sanitized library need the sanitizers, too. So these tests run without sanitizers.
if(TRIGON_INSTALL AND TARGET trigon_command AND NOT TRIGON_SANITIZE)
  script_test(test_install ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  script_test(test_man ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  script_test(test_snippets ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  script_test(test_static_link ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  script_test(test_subproject ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
endif()
if(TRIGON_EXAMPLES)
  add_test(NAME kriging COMMAND kriging ${PROJECT_SOURCE_DIR}/examples/kriging/volcano.txt
    ${CMAKE_CURRENT_BINARY_DIR}/kriging)
  script_test(test_examples ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} $<IF:$<BOOL:${TRIGON_SANITIZE}>,ON,OFF>)
endif()
