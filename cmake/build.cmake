# Writes build.h: the version, and a hash of the headers that the library shares with its plugins. While somebody
# changes the sources, two builds of one version can have different headers. Such a library and plugin must not be
# loaded together.
set(seam include/trigon.h src/core/error.h src/core/view.h src/core/type.h src/core/routine.h src/core/operation.h
  include/trigon_eigen.h include/trigon_cluster.h src/core/distributed.h src/core/eigen_problem.h src/core/eigen_support.h src/core/machine.h src/core/engine.h
  src/core/small_ops.h src/core/small_call.h src/core/matrix_batch.h src/core/tuning/cut_rule.h src/core/tuning/tuning.h
  src/core/options.h src/core/plugin.h src/fp64/emulation_support.h src/fp64/emulation_steps.h src/fp64/int8/emulation.h
  src/fp64/int8/line.h src/fp64/int8/crt.h src/fp64/int8/triangle_part.h src/fp64/int8/product_times.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${seam})
set(seam_hash)
foreach(header IN LISTS seam)
  file(SHA256 ${PROJECT_SOURCE_DIR}/${header} hash)
  string(SHA256 seam_hash "${seam_hash}${hash}")
endforeach()
string(SUBSTRING ${seam_hash} 0 8 seam_hash)
configure_file(cmake/build.h.in generated/build.h @ONLY)
