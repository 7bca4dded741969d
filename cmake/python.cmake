# What the Python wheels contain: the library (pyproject.toml), or the plugin for NVIDIA GPUs
# (packaging/cuda-wheel/pyproject.toml). Wheels hold no symbolic links. So the library gets the name of its soname, and
# no other name.
get_target_property(soversion trigon SOVERSION)
install(FILES $<TARGET_FILE:trigon> DESTINATION trigon_linalg RENAME libtrigon.so.${soversion} COMPONENT python)

# The library looks for plugins in the folder `trigon` beside itself. So the second wheel puts a file into the package of
# the first one. The plugin finds cuBLAS and cuSOLVER in NVIDIA's packages beside that package, of CUDA 13 and 12.
if(TARGET trigon-cuda)
  set_target_properties(trigon-cuda PROPERTIES
    INSTALL_RPATH "$ORIGIN/../../nvidia/cu13/lib;$ORIGIN/../../nvidia/cublas/lib")
  install(TARGETS trigon-cuda LIBRARY DESTINATION trigon_linalg/trigon COMPONENT python-cuda)
endif()
