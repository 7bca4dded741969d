/* text.h - words and numbers in the text of a file, read strictly and in place. */
#ifndef TRIGON_CLI_TEXT_H
#define TRIGON_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes from `at` up to `end`. A NUL or a blank follows at `end`, so that strtod stops there. */
typedef struct text {
  const char *at, *end;
} text;

static inline size_t text_length(text t) { return (size_t)(t.end - t.at); }

/* A blank within a line. */
static inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* Takes the next word off the front of *line: what stands between blanks. Empty at the end of the line. */
text text_word(text *line);

/* Whether t is `word`, letters of either case being equal. */
bool text_is(text t, const char *word);

/* Whether all of t is a decimal integer within int64_t. */
bool text_integer(text t, int64_t *value);

/* How text_number judges. */
typedef enum number_kind { NUMBER, NOT_A_NUMERAL, NUMBER_TOO_LARGE, NUMBER_TOO_SMALL } number_kind;

/* All of t as a decimal number, correctly rounded, or "nan", "inf", "infinity" with or without a sign, as printf writes
 * them. The exponent's letter is E or, as Fortran writes it, D. What strtod knows beyond that (hexadecimal, nan(...)) is
 * refused: Matrix Market has no such numbers. A finite numeral that only infinity could represent is too large. A numeral
 * that is not zero, but rounds to zero, is too small: *value is that zero. */
number_kind text_number(text t, double *value);

/* The number of bytes of the UTF-8 character at `at`, of a string that a NUL ends, and its code point. 0: the NUL, or bytes
 * that are no UTF-8. */
size_t text_utf8(const char *at, uint32_t *code);

/* Whether a terminal shows the character, and does nothing else: control characters, and those that end a line or change
 * the direction of writing, are not shown. */
bool text_is_shown(uint32_t code);

/* The number of bytes of the UTF-8 character at `at`, of a string that a NUL ends. 0: no character stands there, or one
 * that is not shown, or the NUL. */
size_t text_character(const char *at);

/* Writes the byte as \xNN. Returns the place behind these four characters. */
enum { ESCAPE_LENGTH = 4 };
char *text_escape(char *to, unsigned char byte);

#endif
