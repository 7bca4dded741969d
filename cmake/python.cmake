# The library inside the wheel of the Python package (pyproject.toml). Wheels hold no symbolic links, so the library gets
# the name of its soname, and no other name.
get_target_property(soversion trigon SOVERSION)
install(FILES $<TARGET_FILE:trigon> DESTINATION trigon_linalg RENAME libtrigon.so.${soversion} COMPONENT python)
