/* printer.c - entries as lines of text or as members of a JSON object. */
#include "printer.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------------ values of JSON -- */

/* The fewest digits that read back as the same number: 17 are always enough. */
static void print_number(FILE *to, double number) {
  char digits[40];
  if (!isfinite(number)) {
    fputs("null", to);
    return;
  }
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, number);
    if (strtod(digits, NULL) == number) break;
  }
  fputs(digits, to);
}

/* What is not shown is escaped, so that no byte of a name reaches a terminal as a command to it. */
static void print_string(FILE *to, const char *at) {
  uint32_t code;
  fputc('"', to);
  while (*at) {
    size_t length = text_utf8(at, &code);
    if (length == 0)
      fputs("\\ufffd", to);
    else if (!text_is_shown(code))
      fprintf(to, "\\u%04" PRIx32, code);
    else
      fprintf(to, "%s%.*s", code == '"' || code == '\\' ? "\\" : "", (int)length, at);
    at += length ? length : 1;
  }
  fputc('"', to);
}

static void print_value(FILE *to, value v) {
  switch (v.kind) {
  case NULL_VALUE: fputs("null", to); break;
  case NUMBER_VALUE: print_number(to, v.number); break;
  case INTEGER_VALUE: fprintf(to, "%" PRId64, v.integer); break;
  case TEXT_VALUE: print_string(to, v.text); break;
  case TRUTH_VALUE: fputs(v.truth ? "true" : "false", to); break;
  }
}

/* ------------------------------------------------------------------------------------------------- entries -- */

/* Starts a line of the object, behind whatever stands before. */
static void begin_member(results *r, const char *key) {
  if (!r->begun) fputc('{', r->to);
  r->begun = true;
  fprintf(r->to, "%s\n%*s", r->behind ? "," : "", 2 * (r->depth + 1), "");
  r->behind = true;
  if (!key) return;
  print_string(r->to, key);
  fputs(": ", r->to);
}

void results_member(results *r, const char *key, value v) {
  if (!r->json) return;
  begin_member(r, key);
  print_value(r->to, v);
}

void results_add(results *r, const char *key, value v, const char *label, const char *format, ...) {
  results_member(r, key, v);
  if (r->json || r->quiet || !label) return;
  va_list values;
  va_start(values, format);
  print_clean(r->to, "%-*s ", r->width, label);
  vprint_clean(r->to, format, values);
  fputc('\n', r->to);
  va_end(values);
}

void results_open(results *r, const char *key, char bracket) {
  if (!r->json) return;
  begin_member(r, key);
  fputc(bracket, r->to);
  r->behind = false;
  r->depth++;
}

void results_close(results *r, char bracket) {
  if (!r->json) return;
  r->depth--;
  fprintf(r->to, "\n%*s%c", 2 * (r->depth + 1), "", bracket);
  r->behind = true;
}

void results_end(results *r) {
  if (r->begun) fputs("\n}\n", r->to);
}
