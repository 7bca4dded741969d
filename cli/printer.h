/* printer.h - prints the results of a command, as lines of text or as one JSON object. */
#ifndef TRIGON_CLI_PRINTER_H
#define TRIGON_CLI_PRINTER_H

#include "command.h"

#include <stdint.h>

/* The fields after `width` are private, and zero at first. */
typedef struct printer {
  FILE *to;         /* standard output, or standard error if the output file is standard output */
  bool json, quiet; /* quiet: no lines of text are printed; JSON is */
  int width;        /* of the column of labels */
  bool begun, behind;
  int depth;
} printer;

/* A value in JSON. */
typedef enum value_kind { NULL_VALUE, NUMBER_VALUE, INTEGER_VALUE, TEXT_VALUE, TRUTH_VALUE } value_kind;
typedef struct value {
  value_kind kind;
  double number;
  int64_t integer;
  const char *text;
  bool truth;
} value;

static inline value number_value(double number) { return (value){.kind = NUMBER_VALUE, .number = number}; }
static inline value integer_value(int64_t integer) { return (value){.kind = INTEGER_VALUE, .integer = integer}; }
static inline value truth_value(bool truth) { return (value){.kind = TRUTH_VALUE, .truth = truth}; }
/* NULL is JSON's null. */
static inline value text_value(const char *text) {
  return (value){.kind = text ? TEXT_VALUE : NULL_VALUE, .text = text};
}

/* Prints one result. As text: the line "LABEL WORDS", or nothing if the label is NULL. As JSON: the member "KEY":
 * VALUE. Numbers have enough digits to be read back as the same numbers; NaN and Inf become null; bytes that are not
 * UTF-8 become U+FFFD; characters that a terminal does not show are escaped. */
void printer_entry(printer *p, const char *key, value v, const char *label, const char *format, ...) PRINTF_LIKE(5, 6);

/* Prints a result that has no line of text of its own: as JSON a member, as text nothing. */
void printer_member(printer *p, const char *key, value v);

/* Open and close a list ('[' and ']') in the JSON object, or an object ('{' and '}') in that list, whose key is
 * NULL. */
void printer_open(printer *p, const char *key, char bracket);
void printer_close(printer *p, char bracket);

/* Ends the JSON object, if one was begun. */
void printer_end(printer *p);

#endif
