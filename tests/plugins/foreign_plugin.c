/* foreign_plugin.c - a plugin that nobody named. The plugin prints a line if somebody loads it. */
#include <stdio.h>

__attribute__((constructor)) static void loaded(void) { puts("the foreign plugin was loaded"); }
