/* size_list.c - parses lists of sizes. */
#include "size_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t largest_size = 1000000000; /* 16 times its square fits into 64 bits */

/* Reads a number from 1 to largest_size at *at, and moves *at to its end. */
static bool take_number(const char **at, int64_t *number) {
  int64_t value = 0;
  const char *begin = *at;
  for (; **at >= '0' && **at <= '9'; ++*at)
    if (value <= largest_size) value = 10 * value + (**at - '0');
  *number = value;
  return *at > begin && value >= 1 && value <= largest_size;
}

static bool append(size_list *list, int64_t size) {
  if (list->count == MOST_SIZES) return false;
  list->size[list->count++] = size;
  return true;
}

/* Reads one item, up to a comma. Returns what is wrong, or NULL. */
static const char *take_item(const char **at, size_list *list) {
  static const char too_many[] = "more than 1000 sizes";
  int64_t first, last, step;
  if (!take_number(at, &first)) return "a size from 1 to 1000000000 is expected";
  if (**at != ':') return append(list, first) ? NULL : too_many;
  ++*at;
  if (!take_number(at, &last)) return "the last size of a range is expected";
  if ((*at)[0] != ':' || !strchr("*+", (*at)[1]) || !(*at)[1]) return "a step is expected, as in ':*2' or ':+512'";
  char kind = (*at)[1];
  *at += 2;
  if (!take_number(at, &step) || (kind == '*' && step < 2)) return "a step of at least '*2' or '+1' is expected";
  if (last < first) return "the range ends before it begins";
  for (int64_t size = first; size <= last; size = kind == '*' ? size * step : size + step)
    if (!append(list, size)) return too_many;
  return NULL;
}

bool size_list_parse(const char *text, const char *letters, size_list *list, char *why, size_t why_size) {
  *list = (size_list){0};
  if (strlen(text) == 1 && strchr(letters, *text)) {
    list->same_as = *text;
    return true;
  }
  const char *at = text, *wrong = NULL;
  do {
    wrong = take_item(&at, list);
    if (!wrong && *at && *at != ',') wrong = "',' or the end is expected";
  } while (!wrong && *at++ == ',');
  if (wrong) snprintf(why, why_size, *at ? "'%s': %s, at '%s'" : "'%s': %s at its end%s", text, wrong, at);
  return !wrong;
}
