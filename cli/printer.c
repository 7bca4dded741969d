/* printer.c - prints values and entries, as lines of text or as members of a JSON object. */
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

/* Characters that a terminal does not show are escaped: a name must not contain commands to the terminal. */
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

/* Starts a line of the object, after a comma if there is a member before it. */
static void begin_member(printer *p, const char *key) {
  if (!p->begun) fputc('{', p->to);
  p->begun = true;
  fprintf(p->to, "%s\n%*s", p->behind ? "," : "", 2 * (p->depth + 1), "");
  p->behind = true;
  if (!key) return;
  print_string(p->to, key);
  fputs(": ", p->to);
}

void printer_member(printer *p, const char *key, value v) {
  if (!p->json) return;
  begin_member(p, key);
  print_value(p->to, v);
}

void printer_entry(printer *p, const char *key, value v, const char *label, const char *format, ...) {
  printer_member(p, key, v);
  if (p->json || p->quiet || !label) return;
  va_list values;
  va_start(values, format);
  print_safe(p->to, "%-*s ", p->width, label);
  vprint_safe(p->to, format, values);
  fputc('\n', p->to);
  va_end(values);
}

void printer_open(printer *p, const char *key, char bracket) {
  if (!p->json) return;
  begin_member(p, key);
  fputc(bracket, p->to);
  p->behind = false;
  p->depth++;
}

void printer_close(printer *p, char bracket) {
  if (!p->json) return;
  p->depth--;
  fprintf(p->to, "\n%*s%c", 2 * (p->depth + 1), "", bracket);
  p->behind = true;
}

void printer_end(printer *p) {
  if (p->begun) fputs("\n}\n", p->to);
}
