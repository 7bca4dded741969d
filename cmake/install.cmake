# `cmake --install` installs the headers, the libraries, the CMake package, the pkg-config file and the man pages.
include(CMakePackageConfigHelpers)

install(FILES include/trigon.h include/trigon_eigen.h include/trigon_cluster.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS trigon trigon_static EXPORT trigon
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES man/trigon.1 man/trigon-tune.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES man/trigon.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

# A page for each public name, written from the headers. The build has the pages, too: man -M build/release/man NAME.
find_program(TRIGON_AWK NAMES awk mawk gawk DOC "writes the man pages of the functions")
if(TRIGON_AWK)
  set(pages ${PROJECT_BINARY_DIR}/man/man3)
  set(page_sources ${PROJECT_SOURCE_DIR}/man/trigon.3 ${PROJECT_SOURCE_DIR}/include/trigon.h
    ${PROJECT_SOURCE_DIR}/include/trigon_eigen.h ${PROJECT_SOURCE_DIR}/include/trigon_cluster.h)
  add_custom_command(OUTPUT ${pages}/trigon.h.3
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
    COMMAND ${TRIGON_AWK} -f ${PROJECT_SOURCE_DIR}/scripts/man -v folder=${pages} ${page_sources}
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/man ${page_sources} VERBATIM)
  add_custom_target(trigon_pages ALL DEPENDS ${pages}/trigon.h.3)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
else()
  message(STATUS "skipped: no awk found; the man pages of the functions are left out")
endif()

# CMake package: find_package(trigon) gives the targets trigon::trigon and trigon::trigon_static.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trigon)
install(EXPORT trigon NAMESPACE trigon:: DESTINATION ${package_dir} FILE trigon-targets.cmake)
configure_package_config_file(cmake/trigon-config.cmake.in trigon-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(trigon-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trigon-config.cmake ${PROJECT_BINARY_DIR}/trigon-config-version.cmake
  DESTINATION ${package_dir})

# pkg-config file: `pkg-config --static` adds what the static library needs. All paths are relative to the folder of the
# file. So the paths stay right if `cmake --install` gets a --prefix, or if the whole installation is moved.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH to_lib ${pc_dir} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH to_include ${pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/trigon.pc.in trigon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/trigon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
