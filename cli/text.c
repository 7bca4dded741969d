/* text.c - words and numbers in the text of a file. */
#include "text.h"

#include <math.h>
#include <stdlib.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* ASCII only, whatever the locale. */
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

text text_word(text *line) {
  while (line->at < line->end && is_blank(*line->at)) line->at++;
  text word = {line->at, line->at};
  while (word.end < line->end && !is_blank(*word.end)) word.end++;
  line->at = word.end;
  return word;
}

bool text_is(text t, const char *word) {
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

number_kind text_number(text t, double *value) {
  if (t.at == t.end) return NOT_A_NUMERAL;
  for (const char *c = t.at; c < t.end; c++) {
    if (*c == 'x' || *c == 'X' || *c == '(') return NOT_A_NUMERAL;
  }
  char *end;
  *value = strtod(t.at, &end);
  if (end != t.end) return NOT_A_NUMERAL;
  bool infinite_numeral = lower(t.end[-1]) == 'f' || lower(t.end[-1]) == 'y';
  return isinf(*value) && !infinite_numeral ? NUMBER_TOO_LARGE : NUMBER;
}
