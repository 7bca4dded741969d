# Finds Open MPI and its ScaLAPACK for the example and the tests of distributed matrices (Debian:
# libscalapack-openmpi-dev, libopenmpi-dev, openmpi-bin), and MPICH and its ScaLAPACK for one more test. The library needs neither. TRIGON_CLUSTER_PROGRAMS says whether programs can be built.
# CMake's own search for MPI ends with an error if the compiler's wrapper is there and the headers are not.
find_program(TRIGON_MPIRUN NAMES mpirun.openmpi mpirun)
find_path(TRIGON_MPI_HEADER mpi.h PATH_SUFFIXES openmpi
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi)
find_library(TRIGON_MPI NAMES mpi PATH_SUFFIXES openmpi/lib)
find_library(TRIGON_SCALAPACK NAMES scalapack-openmpi)
mark_as_advanced(TRIGON_MPIRUN TRIGON_MPI_HEADER TRIGON_MPI TRIGON_SCALAPACK)
find_program(TRIGON_MPICH_RUN mpirun.mpich)
find_path(TRIGON_MPICH_HEADER mpi.h PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich NO_DEFAULT_PATH)
find_library(TRIGON_MPICH NAMES mpich)
find_library(TRIGON_MPICH_SCALAPACK NAMES scalapack-mpich)
mark_as_advanced(TRIGON_MPICH_RUN TRIGON_MPICH_HEADER TRIGON_MPICH TRIGON_MPICH_SCALAPACK)
set(TRIGON_CLUSTER_PROGRAMS OFF)
if(TARGET trigon-cluster AND NOT TRIGON_SANITIZE AND TRIGON_MPIRUN AND TRIGON_MPI_HEADER AND TRIGON_MPI AND
   TRIGON_SCALAPACK)
  set(TRIGON_CLUSTER_PROGRAMS ON)
else()
  message(STATUS
    "skipped: no Open MPI with ScaLAPACK, or sanitizers; tests and example of distributed matrices are left out")
endif()

# cluster_libraries(TARGET): makes a program one of MPI and ScaLAPACK.
function(cluster_libraries name)
  target_include_directories(${name} SYSTEM PRIVATE ${TRIGON_MPI_HEADER})
  target_link_libraries(${name} PRIVATE ${TRIGON_SCALAPACK} ${TRIGON_MPI})
  add_dependencies(${name} trigon-cluster)
endfunction()
