# The library inside the Python wheel (pyproject.toml). Wheels hold no symbolic links. So the library gets
# the name of its soname, and no other name.
get_target_property(soversion trigon SOVERSION)
install(FILES $<TARGET_FILE:trigon> DESTINATION trigon_linalg RENAME libtrigon.so.${soversion} COMPONENT python)
