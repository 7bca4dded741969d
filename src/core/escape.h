/* escape.h - makes a message that quotes a user's text safe for a terminal and for a log. */
#ifndef TRIGON_ESCAPE_H
#define TRIGON_ESCAPE_H

#include <stddef.h>

/* Copies the text to `to`, which has `size` bytes, at least 1. Each byte of a control character, and each byte that is
 * not UTF-8, becomes \xNN. What does not fit is left out, whole characters and whole \xNN only. */
void escape_text(const char *text, char *to, size_t size);

/* How many of the first `most` bytes of the text a message can quote without cutting a UTF-8 character. */
size_t whole_characters(const char *text, size_t most);

#endif
