/* text.c - reads words, numbers and UTF-8 characters of a text. */
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any numeral that Fortran writes: the longest double has 767 digits. */
enum { FORTRAN_NUMERAL = 1000 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* For ASCII, in every locale. */
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

text text_word(text *line) {
  while (line->at < line->end && is_blank(*line->at)) line->at++;
  text word = {line->at, line->at};
  while (word.end < line->end && !is_blank(*word.end)) word.end++;
  line->at = word.end;
  return word;
}

bool text_equals(text t, const char *word) {
  for (; t.at < t.end && *word != '\0'; t.at++, word++) {
    if (lower(*t.at) != lower(*word)) return false;
  }
  return t.at == t.end && *word == '\0';
}

bool text_integer(text t, int64_t *value) {
  bool negative = t.at < t.end && *t.at == '-';
  if (t.at < t.end && (*t.at == '-' || *t.at == '+')) t.at++;
  if (t.at == t.end) return false;
  int64_t sum = 0;
  for (; t.at < t.end; t.at++) {
    if (!is_digit(*t.at)) return false;
    int digit = *t.at - '0';
    if (sum > (INT64_MAX - digit) / 10) return false;
    sum = 10 * sum + digit;
  }
  *value = negative ? -sum : sum;
  return true;
}

/* Reads a numeral whose exponent has the letter D, which strtod does not know, from a copy with an E. */
static bool fortran_number(text t, size_t letter, double *value) {
  char copy[FORTRAN_NUMERAL + 1], *end;
  size_t length = text_length(t);
  if (length > FORTRAN_NUMERAL) return false;
  memcpy(copy, t.at, length);
  copy[length] = '\0';
  copy[letter] = 'E';
  *value = strtod(copy, &end);
  return end == copy + length;
}

/* Whether the numeral's significand has a digit that is not zero. */
static bool is_nonzero(text t) {
  for (; t.at < t.end && lower(*t.at) != 'e' && lower(*t.at) != 'd'; t.at++) {
    if (is_digit(*t.at) && *t.at != '0') return true;
  }
  return false;
}

number_kind text_number(text t, double *value) {
  if (t.at == t.end) return NOT_A_NUMERAL;
  const char *d = NULL;
  for (const char *c = t.at; c < t.end; c++) {
    if (*c == 'x' || *c == 'X' || *c == '(') return NOT_A_NUMERAL;
    if (lower(*c) == 'd') d = c;
  }
  if (d != NULL) {
    if (!fortran_number(t, (size_t)(d - t.at), value)) return NOT_A_NUMERAL;
  } else {
    char *end;
    *value = strtod(t.at, &end);
    if (end != t.end) return NOT_A_NUMERAL;
  }
  bool infinite_numeral = lower(t.end[-1]) == 'f' || lower(t.end[-1]) == 'y';
  if (isinf(*value) && !infinite_numeral) return NUMBER_TOO_LARGE;
  return *value == 0 && is_nonzero(t) ? NUMBER_TOO_SMALL : NUMBER;
}

size_t text_utf8(const char *at, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* a smaller code point in so many bytes is not UTF-8 */
  unsigned char first = (unsigned char)*at;
  *code = first;
  if (first < 0x80) return first != '\0';
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first > 0xf7) return 0;
  *code = first & (0x7fu >> length);
  for (size_t k = 1; k < length; k++) {
    unsigned char byte = (unsigned char)at[k];
    if ((byte & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (byte & 0x3f);
  }
  bool exists = *code >= least[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
  return exists ? length : 0;
}

bool text_is_shown(uint32_t code) {
  static const uint32_t hidden[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                       {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x206f}};
  for (size_t k = 0; k < sizeof hidden / sizeof *hidden; k++)
    if (code >= hidden[k][0] && code <= hidden[k][1]) return false;
  return true;
}

size_t text_character(const char *at) {
  uint32_t code;
  size_t length = text_utf8(at, &code);
  return text_is_shown(code) ? length : 0;
}

char *text_escape(char *to, unsigned char byte) {
  static const char digits[] = "0123456789abcdef";
  *to++ = '\\';
  *to++ = 'x';
  *to++ = digits[byte >> 4];
  *to++ = digits[byte & 15];
  return to;
}
