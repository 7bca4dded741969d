# The BLAS and LAPACK that the context "cpu" runs on: target trigon_blas, what it links in TRIGON_BLAS_LINK, and
# TRIGON_HAVE_LAPACK. Choose another with -DBLA_VENDOR=... (CMake's FindBLAS); OpenBLAS is preferred, then any.
if(NOT DEFINED BLA_VENDOR)
  set(BLA_VENDOR OpenBLAS)
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    unset(BLA_VENDOR)
  endif()
endif()
find_package(BLAS REQUIRED)
set(TRIGON_BLAS_LINK ${BLAS_LINKER_FLAGS} ${BLAS_LIBRARIES})

set(TRIGON_HAVE_LAPACK 0)
if(TRIGON_LAPACK)
  find_package(LAPACK QUIET)
  if(LAPACK_FOUND)
    set(TRIGON_HAVE_LAPACK 1)
    list(PREPEND TRIGON_BLAS_LINK ${LAPACK_LINKER_FLAGS} ${LAPACK_LIBRARIES}) # in archives the linker looks ahead only
  endif()
endif()
list(REMOVE_DUPLICATES TRIGON_BLAS_LINK)

add_library(trigon_blas INTERFACE)
target_link_libraries(trigon_blas INTERFACE ${TRIGON_BLAS_LINK})
message(STATUS "BLAS: ${TRIGON_BLAS_LINK} (LAPACK: ${TRIGON_HAVE_LAPACK})")
