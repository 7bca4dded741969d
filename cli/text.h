/* text.h - words and numbers in the text of a file, read strictly and in place. */
#ifndef TRIGON_TEXT_H
#define TRIGON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes from `at` up to `end`. A NUL or a blank follows at `end`, so that strtod stops there. */
typedef struct text {
  const char *at, *end;
} text;

static inline size_t text_length(text t) { return (size_t)(t.end - t.at); }

/* Takes the next word off the front of *line: what stands between blanks (a carriage return counts as one). Empty at
 * the end of the line. */
text text_word(text *line);

/* Whether t is `word`, letters of either case being equal. */
bool text_is(text t, const char *word);

/* Whether all of t is a decimal integer within int64_t. */
bool text_integer(text t, int64_t *value);

/* How text_number judges. */
typedef enum number_kind { NUMBER, NOT_A_NUMERAL, NUMBER_TOO_LARGE } number_kind;

/* All of t as a decimal number, correctly rounded, or "nan", "inf", "infinity" with or without a sign, as printf writes
 * them. What strtod knows beyond that (hexadecimal, nan(...)) is refused: Matrix Market has no such numbers. A finite
 * numeral that only infinity could represent is too large; one that underflows is rounded. */
number_kind text_number(text t, double *value);

#endif
