# Sets TRIGON_STATIC_BLAS, the BLAS in the output of `pkg-config --static`, and TRIGON_STATIC_LINKS. TRIGON_STATIC_LINKS
# is ON if a program without any shared library links with this output. The BLAS is named as -lNAME, because only then
# `cc -static` takes the archive. The archive may need more libraries (a Fortran runtime, OpenMP). No list names these
# libraries, so a program is linked with each of the usual sets.
include(CheckCSourceCompiles)

set(named)
foreach(library IN LISTS TRIGON_BLAS_LINK) # in this order: each library before the libraries that it needs
  string(REGEX REPLACE "^(/.*)/lib([^/]+)\\.so$" "-L\\1;-l\\2" library "${library}")
  list(APPEND named ${library})
endforeach()
set(functions dgemm_ zherk_)
if(TRIGON_HAVE_LAPACK)
  list(APPEND functions zpotrf_ zlauum_ ztrtri_)
endif()
list(TRANSFORM functions APPEND "()")
list(JOIN functions ", " calls)
string(REPLACE "()" "(void)" declarations "${calls}")

set(TRIGON_STATIC_BLAS ${named})
set(TRIGON_STATIC_LINKS OFF)
set(CMAKE_REQUIRED_QUIET ON)
set(CMAKE_REQUIRED_LINK_OPTIONS -static)
foreach(needs "" "-lgomp" "-lgfortran -lquadmath" "-lgfortran -lquadmath -lgomp")
  string(MAKE_C_IDENTIFIER "trigon_cc_static ${named} ${needs}" links)
  separate_arguments(needs)
  set(CMAKE_REQUIRED_LIBRARIES ${named} ${needs} -lpthread -lm)
  check_c_source_compiles("void ${declarations}; int main(void) { ${calls}; return 0; }" ${links})
  if(${links})
    set(TRIGON_STATIC_BLAS ${named} ${needs})
    set(TRIGON_STATIC_LINKS ON)
    break()
  endif()
endforeach()
unset(CMAKE_REQUIRED_QUIET)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT TRIGON_STATIC_LINKS)
  list(JOIN named " " tried)
  message(STATUS "skipped: no program linked by `cc -static` with ${tried}, "
    "neither alone nor with -lgomp or -lgfortran; `cc -static` will not link by pkg-config")
endif()
