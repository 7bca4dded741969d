/* text.h - words and numbers in a text, read strictly and in place; characters that a terminal shows. */
#ifndef TRIGON_CLI_TEXT_H
#define TRIGON_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes from `at` to before `end`. *end is a NUL or a blank, so that strtod stops there. */
typedef struct text {
  const char *at, *end;
} text;

static inline size_t text_length(text t) { return (size_t)(t.end - t.at); }

/* A blank within a line. */
static inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* Removes the next word, up to a blank, from the front of *line. Returns the word, which is empty at the end of the
 * line. */
text text_word(text *line);

/* Whether t equals `word`; upper and lower case are the same. */
bool text_equals(text t, const char *word);

/* Whether all of t is a decimal integer that int64_t holds; stores it in *value. */
bool text_integer(text t, int64_t *value);

/* What text_number found. */
typedef enum number_kind { NUMBER, NOT_A_NUMERAL, NUMBER_TOO_LARGE, NUMBER_TOO_SMALL } number_kind;

/* Reads all of t as a decimal number, correctly rounded, or as "nan", "inf" or "infinity", with or without a sign, as
 * printf writes them. The letter of the exponent is E or, as Fortran writes it, D. Other numerals of strtod
 * (hexadecimal, nan(...)) are refused: Matrix Market does not have them. A finite numeral that rounds to infinity is
 * too large. A numeral that is not zero, but rounds to zero, is too small: *value is that zero. */
number_kind text_number(text t, double *value);

/* The number of bytes of the UTF-8 character at `at`, in a string that ends in NUL; stores its code point. Returns 0 at
 * the NUL, and at bytes that are not UTF-8. */
size_t text_utf8(const char *at, uint32_t *code);

/* Whether a terminal shows the character and does nothing else. Control characters, ends of lines, and characters that
 * change the direction of writing do not count as shown. */
bool text_is_shown(uint32_t code);

/* The number of bytes of the UTF-8 character at `at`, in a string that ends in NUL, if that character is shown; else
 * 0. */
size_t text_character(const char *at);

/* Writes the byte as \xNN. Returns the address after these four characters. */
enum { ESCAPE_LENGTH = 4 };
char *text_escape(char *to, unsigned char byte);

#endif
