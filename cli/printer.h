/* printer.h - what a command found out: lines of text, or one JSON object. Each entry has both forms, and is printed in one
 * of them. */
#ifndef TRIGON_CLI_PRINTER_H
#define TRIGON_CLI_PRINTER_H

#include "command.h"

#include <stdint.h>

/* How a command prints its results. The fields after `width` belong to results.c; they are zero at first. */
typedef struct results {
  FILE *to;         /* standard output, or standard error if the output file is standard output */
  bool json, quiet; /* quiet: no lines of text; JSON is printed all the same */
  int width;        /* of the column of labels */
  bool begun, behind;
  int depth;
} results;

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

/* Prints one entry: as text the line "LABEL WORDS", or nothing if the label is NULL; as JSON the member "KEY": VALUE, in
 * which numbers read back as the same numbers, NaN and Inf are null, bytes that are not UTF-8 become U+FFFD, and characters
 * that a terminal does not show are escaped. */
void results_add(results *r, const char *key, value v, const char *label, const char *format, ...) PRINTF_LIKE(5, 6);

/* Prints a member of the JSON object that no line of text tells, or that another entry's line tells, too. */
void results_member(results *r, const char *key, value v);

/* Open and close a list in the JSON object, and an object in that list; the key of the latter is NULL. */
void results_open(results *r, const char *key, char bracket);
void results_close(results *r, char bracket);

/* Ends the JSON object, if an entry began one. */
void results_end(results *r);

#endif
