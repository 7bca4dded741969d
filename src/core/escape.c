/* escape.c - escapes control characters and bytes that are not UTF-8. */
#include "escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool continues(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

/* The number of bytes of the UTF-8 character at `at`, which is not the NUL. 0: a control character, or not UTF-8. */
static size_t printable(const char *at) {
  static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; /* for so many bytes; from 0x80 to 0x9f: control */
  const unsigned char first = (unsigned char)*at;
  if (first < 0x80) return first >= 0x20 && first != 0x7f;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first > 0xf7) return 0;
  uint32_t code = first & (0x7fu >> length);
  for (size_t k = 1; k < length; k++) {
    if (!continues(at[k])) return 0;
    code = code << 6 | ((unsigned char)at[k] & 0x3f);
  }
  const bool exists = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return exists ? length : 0;
}

void escape_text(const char *text, char *to, size_t size) {
  static const char digits[] = "0123456789abcdef";
  while (*text) {
    const size_t length = printable(text), used = length ? length : 4;
    const unsigned char byte = (unsigned char)*text;
    if (used >= size) break;
    if (length)
      memcpy(to, text, length);
    else
      memcpy(to, (char[]){'\\', 'x', digits[byte >> 4], digits[byte & 15]}, used);
    text += length ? length : 1;
    to += used;
    size -= used;
  }
  *to = '\0';
}

size_t whole_characters(const char *text, size_t most) {
  enum { longest = 4 };
  const size_t length = strnlen(text, most + 1);
  if (length <= most) return length;
  size_t end = most;
  while (end > 0 && most - end < longest && continues(text[end])) end--;
  return printable(text + end) > most - end ? end : most; /* else the cut is between characters, or not in UTF-8 */
}
