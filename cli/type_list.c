/* type_list.c - parses the option --type. */
#include "type_list.h"
#include "command.h"
#include "command_line.h"
#include "matrix/element_type.h"

#include <ctype.h>
#include <string.h>

int parse_types(const char *command, const char *text, char type[MOST_TYPES], int *count) {
  *count = 0;
  for (const char *at = text; *at; at++) {
    if (*at == ',') continue;
    char letter = (char)tolower((unsigned char)*at);
    if (!type_is_known(letter)) return usage_error(command, "--type: 's', 'd', 'c' or 'z' is expected at '%s'", at);
    if (!memchr(type, letter, (size_t)*count)) type[(*count)++] = letter;
  }
  return *count ? PARSED : usage_error(command, "--type: 's', 'd', 'c' or 'z' is expected");
}
