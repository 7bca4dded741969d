# Finds the BLAS and LAPACK of the context "cpu". The target trigon_blas links them. TRIGON_BLAS_LINK lists what the
# target links. TRIGON_HAVE_LAPACK is 1 if LAPACK was found. -DBLA_VENDOR=... chooses another BLAS (CMake's FindBLAS).
# Without BLA_VENDOR, OpenBLAS is taken if there is one, else any BLAS.
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
    # LAPACK comes before BLAS, because a linker searches archives in their order.
    list(PREPEND TRIGON_BLAS_LINK ${LAPACK_LINKER_FLAGS} ${LAPACK_LIBRARIES})
  endif()
endif()
list(REMOVE_DUPLICATES TRIGON_BLAS_LINK)

add_library(trigon_blas INTERFACE)
target_link_libraries(trigon_blas INTERFACE ${TRIGON_BLAS_LINK})
message(STATUS "BLAS: ${TRIGON_BLAS_LINK} (LAPACK: ${TRIGON_HAVE_LAPACK})")
