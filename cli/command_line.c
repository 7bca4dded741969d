/* command_line.c - parses command lines; asks for the option that may have been meant by a wrong one. */
#include "command_line.h"
#include "command.h"
#include "similar.h"

#include <stdio.h>
#include <string.h>

static const option *find_long(const option *list, const char *name, size_t length) {
  for (; list->name; list++)
    if (strlen(list->name) == length && memcmp(list->name, name, length) == 0) return list;
  return NULL;
}

static const option *find_short(const option *list, char letter) {
  for (; list->name; list++)
    if (list->letter == letter) return list;
  return NULL;
}

/* Reports an unknown option: the first `shown` bytes of the text, dashes included. The hint looks for a long option
 * even after a single dash. */
static int unknown(const syntax *s, const char *text, int shown) {
  const char *word = text + strspn(text, "-");
  similar meant = {.word = word, .length = strcspn(word, "=")};
  for (const option *o = s->options; o->name; o++) similar_compare(&meant, o->name);
  similar_compare(&meant, "help");
  if (!meant.name) return usage_error(s->command, "unknown option '%.*s'", shown, text);
  return usage_error(s->command, "unknown option '%.*s'; did you mean '--%s'?", shown, text, meant.name);
}

/* Parses argv[*i], which begins with a dash. If its value is the next argument, adds 1 to *i. */
static int parse_option(const syntax *s, int argc, char **argv, int *i) {
  const char *text = argv[*i], *value = NULL;
  const option *found;
  int shown; /* the length of the option's name with its dashes, for messages */
  if (text[1] == '-') {
    size_t length = strcspn(text + 2, "=");
    shown = (int)length + 2;
    found = find_long(s->options, text + 2, length);
    if (text[2 + length]) value = text + length + 3;
  } else {
    shown = 2;
    found = find_short(s->options, text[1]);
    if (text[2]) value = text + 2;
  }
  if (!found) return unknown(s, text, shown);
  if (found->flag) {
    if (value) return usage_error(s->command, "option '%.*s' takes no value", shown, text);
    *found->flag = true;
    return PARSED;
  }
  if (!value && *i + 1 < argc) value = argv[++*i];
  if (!value) return usage_error(s->command, "option '%.*s' needs a value", shown, text);
  *found->value = value;
  return PARSED;
}

int parse_arguments(const syntax *s, int argc, char **argv) {
  int count = 0;
  bool only_operands = false;
  for (int i = 1; i < argc; i++) {
    const char *text = argv[i];
    if (!only_operands && strcmp(text, "--") == 0) {
      only_operands = true;
    } else if (!only_operands && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
      fputs(s->help, stdout);
      return EXIT_DONE;
    } else if (!only_operands && text[0] == '-' && text[1]) {
      int status = parse_option(s, argc, argv, &i);
      if (status != PARSED) return status;
    } else {
      if (count == s->most) return usage_error(s->command, "unexpected argument '%s'", text);
      s->operands[count++] = text;
    }
  }
  if (count < s->least) return usage_error(s->command, "%s", s->missing);
  return PARSED;
}
