/* results.c - entries as lines of text or as members of a JSON object. */
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------------ values of JSON -- */

/* The fewest digits that read back as the same number: 17 are always enough. */
static void print_number(double number) {
  char digits[40];
  if (!isfinite(number)) {
    fputs("null", stdout);
    return;
  }
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, number);
    if (strtod(digits, NULL) == number) break;
  }
  fputs(digits, stdout);
}

/* How many bytes the UTF-8 sequence at `at` has, 0 if there is no valid one (Unicode 15, table 3-7: no longer form than
 * needed, no surrogates, nothing above U+10FFFF). A NUL is no continuation, so that the end of the text is not passed. */
static int utf8_length(const unsigned char *at) {
  unsigned char least = 0x80, most = 0xBF; /* of the second byte */
  int length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
  if (at[0] == 0xE0) least = 0xA0;
  if (at[0] == 0xED) most = 0x9F;
  if (at[0] == 0xF0) least = 0x90;
  if (at[0] == 0xF4) most = 0x8F;
  for (int i = 1; i < length; i++) {
    if (at[i] < least || at[i] > most) return 0;
    least = 0x80, most = 0xBF;
  }
  return length;
}

static void print_string(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  putchar('"');
  while (*at) {
    int length = utf8_length(at);
    if (length == 0)
      fputs("\\ufffd", stdout);
    else if (*at < ' ')
      printf("\\u%04x", *at);
    else
      printf("%s%.*s", *at == '"' || *at == '\\' ? "\\" : "", length, (const char *)at);
    at += length ? length : 1;
  }
  putchar('"');
}

static void print_value(value v) {
  switch (v.kind) {
  case NULL_VALUE: fputs("null", stdout); break;
  case NUMBER_VALUE: print_number(v.number); break;
  case INTEGER_VALUE: printf("%" PRId64, v.integer); break;
  case TEXT_VALUE: print_string(v.text); break;
  case TRUTH_VALUE: fputs(v.truth ? "true" : "false", stdout); break;
  }
}

/* ------------------------------------------------------------------------------------------------- entries -- */

/* Starts a line of the object, behind whatever stands before. */
static void begin_member(results *r, const char *key) {
  if (!r->begun) putchar('{');
  r->begun = true;
  printf("%s\n%*s", r->behind ? "," : "", 2 * (r->depth + 1), "");
  r->behind = true;
  if (!key) return;
  print_string(key);
  fputs(": ", stdout);
}

void results_member(results *r, const char *key, value v) {
  if (!r->json) return;
  begin_member(r, key);
  print_value(v);
}

void results_add(results *r, const char *key, value v, const char *label, const char *format, ...) {
  results_member(r, key, v);
  if (r->json || r->quiet || !label) return;
  va_list values;
  va_start(values, format);
  printf("%-*s ", r->width, label);
  vprintf(format, values);
  putchar('\n');
  va_end(values);
}

void results_open(results *r, const char *key, char bracket) {
  if (!r->json) return;
  begin_member(r, key);
  putchar(bracket);
  r->behind = false;
  r->depth++;
}

void results_close(results *r, char bracket) {
  if (!r->json) return;
  r->depth--;
  printf("\n%*s%c", 2 * (r->depth + 1), "", bracket);
  r->behind = true;
}

void results_end(results *r) {
  if (r->begun) puts("\n}");
}
