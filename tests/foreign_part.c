/* foreign_part.c - a part that nobody named: whoever loads it hears of it. */
#include <stdio.h>

__attribute__((constructor)) static void loaded(void) { puts("the foreign part was loaded"); }
