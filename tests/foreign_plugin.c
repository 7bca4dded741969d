/* foreign_plugin.c - a plugin that nobody named: whoever loads it hears of it. */
#include <stdio.h>

__attribute__((constructor)) static void loaded(void) { puts("the foreign plugin was loaded"); }
