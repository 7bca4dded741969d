/* test_files_kinds.c - matrix files as other programs write them: types of numbers, line ends, triangles, and notes. */
#define _XOPEN_SOURCE 700
#include "test_files.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- NumPy's numbers -- */

/* The same six numbers 0, 1, 2, 3, 4, 5, as bytes of a little-endian machine, or bytes that represent these numbers. */
enum { ROWS = 2, COLS = 3, NUMBERS = ROWS * COLS };

static size_t put_npy(char *content, const char *descr, const char *shape, bool fortran, const void *data,
                      size_t data_size) {
  int length = sprintf(content + 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s}", descr,
                       fortran ? "True" : "False", shape);
  memcpy(content, "\x93NUMPY\x01\x00", 8);
  content[8] = (char)length;
  content[9] = 0;
  memcpy(content + 10 + length, data, data_size);
  return 10 + (size_t)length + data_size;
}

/* Reads the file with these bytes. If this fails, the message is in `why`. */
static bool read_bytes(const char *content, size_t size, matrix_file *file, char *why, size_t why_size) {
  put_file(scratch("kind"), content, size);
  bool ok = matrix_read(scratch("kind"), file, why, why_size);
  remove(scratch("kind"));
  return ok;
}

/* Small integers of one width, in both byte orders, by rows and by columns. */
static void test_integers(int width, bool is_signed) {
  for (int variant = 0; variant < 4; variant++) {
    bool big = variant & 1, fortran = variant & 2;
    char descr[16], content[256], why[256] = "", want[96];
    unsigned char data[8 * NUMBERS];
    for (int k = 0; k < NUMBERS; k++) {
      uint64_t value = is_signed ? (uint64_t)(int64_t)(k - 3) : (uint64_t)k;
      for (int byte = 0; byte < width; byte++) {
        data[k * width + byte] = (unsigned char)(value >> 8 * (big ? width - 1 - byte : byte));
      }
    }
    snprintf(descr, sizeof descr, "%c%c%d", big ? '>' : '<', is_signed ? 'i' : 'u', width);
    snprintf(want, sizeof want, ": its numbers (%s) are converted to double precision", descr + 1);
    size_t size = put_npy(content, descr, "(2, 3)", fortran, data, (size_t)(width * NUMBERS));
    matrix_file file;
    if (!CHECK(read_bytes(content, size, &file, why, sizeof why), "%s: %s", descr, why)) continue;
    const char *note = strchr(file.note, ':');
    CHECK(file.matrix.type == TRIGON_D && note != NULL && strcmp(note, want) == 0, "%s: type %c, note \"%s\"", descr,
          file.matrix.type, file.note);
    for (int i = 0; i < ROWS; i++) {
      for (int j = 0; j < COLS; j++) {
        int k = fortran ? i + j * ROWS : i * COLS + j;
        CHECK(element(&file.matrix, i, j).re == (is_signed ? k - 3 : k), "%s: (%d, %d)", descr, i, j);
      }
    }
    matrix_free(&file);
  }
}

/* One number of a type, and the number that the reader makes of it. */
static void must_become(const char *descr, uint64_t bits, size_t width, trigon_type type, double value, bool rounded) {
  char content[256], why[256] = "";
  char data[8];
  for (size_t byte = 0; byte < width; byte++) data[byte] = (char)(bits >> 8 * byte);
  size_t size = put_npy(content, descr, "(1,)", false, data, width);
  matrix_file file;
  if (!CHECK(read_bytes(content, size, &file, why, sizeof why), "%s: %s", descr, why)) return;
  double have = element(&file.matrix, 0, 0).re;
  CHECK(file.matrix.type == type && same_number(have, value), "%s %" PRIx64 ": %.17g, not %.17g", descr, bits, have,
        value);
  CHECK((strstr(file.note, "1 of them do not fit it and are rounded") != NULL) == rounded,
        "%s %" PRIx64 ": note \"%s\"", descr, bits, file.note);
  matrix_free(&file);
}

static void test_edges(void) {
  must_become("<i1", 0x80, 1, TRIGON_D, -128, false);
  must_become("<u1", 0xff, 1, TRIGON_D, 255, false);
  must_become("|b1", 1, 1, TRIGON_D, 1, false);
  must_become("|b1", 0, 1, TRIGON_D, 0, false);
  must_become("|b1", 0x80, 1, TRIGON_D, 1, false); /* as in NumPy */
  must_become("<i4", 0x80000000, 4, TRIGON_D, -2147483648.0, false);
  must_become("<u4", 0xffffffff, 4, TRIGON_D, 4294967295.0, false);
  must_become("<i8", UINT64_C(1) << 53, 8, TRIGON_D, 0x1p53, false);
  must_become("<i8", (UINT64_C(1) << 53) + 1, 8, TRIGON_D, 0x1p53, true);
  must_become("<i8", (UINT64_C(1) << 53) + 2, 8, TRIGON_D, 0x1p53 + 2, false);
  must_become("<i8", -(UINT64_C(1) << 53) - 1, 8, TRIGON_D, -0x1p53, true);
  must_become("<i8", UINT64_C(1) << 63, 8, TRIGON_D, -0x1p63, false);
  must_become("<i8", UINT64_MAX >> 1, 8, TRIGON_D, 0x1p63, true);
  must_become("<u8", UINT64_C(1) << 63, 8, TRIGON_D, 0x1p63, false);
  must_become("<u8", UINT64_MAX, 8, TRIGON_D, 0x1p64, true);
  must_become("<f2", 0x3c00, 2, TRIGON_S, 1, false);
  must_become("<f2", 0xc100, 2, TRIGON_S, -2.5, false);
  must_become("<f2", 0x8000, 2, TRIGON_S, -0.0, false);
  must_become("<f2", 0x0001, 2, TRIGON_S, 0x1p-24, false);
  must_become("<f2", 0x03ff, 2, TRIGON_S, 0x3ffp-24, false);
  must_become("<f2", 0x0400, 2, TRIGON_S, 0x1p-14, false);
  must_become("<f2", 0x7bff, 2, TRIGON_S, 65504, false);
  must_become("<f2", 0x7c00, 2, TRIGON_S, INFINITY, false);
  must_become("<f2", 0xfc00, 2, TRIGON_S, -INFINITY, false);
  must_become("<f2", 0x7e01, 2, TRIGON_S, NAN, false);
  must_become("<f8", 0x3ff0000000000000, 8, TRIGON_D, 1, false);
}

/* ------------------------------------------------------------------------------------------ text of others -- */

/* Reads the sample with other line ends, and with a byte order mark. */
static void test_line_ends(const sample *s, const char *end, const char *mark) {
  bytes content = sample_bytes(s);
  char *other = malloc(3 + 2 * content.size + 1), *to = other;
  if (other == NULL) exit(1);
  to += sprintf(to, "%s", mark);
  for (size_t k = 0; k < content.size; k++) {
    if (content.data[k] == '\n')
      to += sprintf(to, "%s", end);
    else if (content.data[k] != '\r')
      *to++ = content.data[k];
  }
  put_file(scratch("ends"), other, (size_t)(to - other));
  sample_reads(s, scratch("ends"));
  remove(scratch("ends"));
  free(other);
  free(content.data);
}

/* Pairs of carriage return and newline across all borders of buffers. Each pair counts as one line end. */
static void test_pairs(void) {
  enum { PAIRS = 200000 };
  static char content[3 * PAIRS + 100];
  for (int comment = 0; comment < 2; comment++) {
    for (int offset = 0; offset < 2; offset++) {
      size_t size = (size_t)sprintf(content, "%%%%MatrixMarket matrix array real general%s\n", offset ? " " : "");
      for (int k = 0; k < PAIRS; k++) {
        if (comment && k % 2 == 0) content[size++] = '%';
        content[size++] = '\r';
        content[size++] = '\n';
      }
      size += (size_t)sprintf(content + size, "x");
      char why[256] = "", want[256];
      matrix_file file;
      snprintf(want, sizeof want, ":%d: expected a number of rows", PAIRS + 2);
      CHECK(!read_bytes(content, size, &file, why, sizeof why) && strstr(why, want) != NULL, "pairs: %s", why);
    }
  }
}

/* Reads a text. The reader must give these four elements (by columns, real and imaginary parts) and this note. */
static void must_give(const char *content, const double want[8], const char *note) {
  char why[256] = "";
  matrix_file file;
  if (!CHECK(read_bytes(content, strlen(content), &file, why, sizeof why), "%s: %s", content, why)) return;
  const char *have = strchr(file.note, ':');
  CHECK(strcmp(have == NULL ? "" : have, note) == 0, "%s: the note is \"%s\"", content, file.note);
  for (int k = 0; k < 4; k++) {
    trigon_scalar value = element(&file.matrix, k % 2, k / 2);
    CHECK(same_number(value.re, want[2 * k]) && same_number(value.im + 0.0, want[2 * k + 1]),
          "%s: element %d is %g%+gi", content, k, value.re, value.im);
  }
  matrix_free(&file);
}

#define BANNER "%%MatrixMarket matrix "

static void test_triangles(void) {
  const double real[] = {4, 0, 2, 0, 2, 0, 5, 0}, complex[] = {4, 0, 2, 1, 2, -1, 5, 0},
               both[] = {4, 0, 2, 1, 2, 1, 5, 0};
  const double none[] = {4, 0, NAN, 0, NAN, 0, 5, 0};
  must_give(BANNER "coordinate real symmetric\n2 2 3\n1 1 4\n1 2 2\n2 2 5\n", real, "");
  must_give(BANNER "coordinate real symmetric\n2 2 4\n2 1 2\n1 1 4\n1 2 2\n2 2 5\n", real, "");
  must_give(BANNER "coordinate real symmetric\n2 2 4\n1 2 1.5\n1 1 4\n1 2 .5\n2 2 5\n", real, "");
  must_give(BANNER "coordinate real symmetric\n2 2 5\n1 2 1.5\n2 1 2\n1 1 4\n1 2 .5\n2 2 5\n", real, "");
  must_give(BANNER "coordinate real symmetric\n2 2 4\n1 2 nan\n2 1 nan\n1 1 4\n2 2 5\n", none, "");
  must_give(BANNER "coordinate complex hermitian\n2 2 3\n1 1 4 0\n1 2 2 -1\n2 2 5 0\n", complex, "");
  must_give(BANNER "coordinate complex hermitian\n2 2 4\n1 1 4 0\n1 2 2 -1\n2 1 2 1\n2 2 5 0\n", complex, "");
  must_give(BANNER "coordinate complex symmetric\n2 2 3\n1 1 4 0\n1 2 2 1\n2 2 5 0\n", both, "");
}

/* The reader counts numbers that become zero. It does not count zeros, or numbers that only lose digits. */
static void test_small_numbers(void) {
  static const char start[] = BANNER "array real general\n2 2\n";
  const double zeros[8] = {0}, tiny[] = {5e-324, 0, 0, 0, 0, 0, 1e-310, 0};
  char content[256];
  snprintf(content, sizeof content, "%s0\n0e-999\n0.00D-500\n0.0\n", start);
  must_give(content, zeros, "");
  snprintf(content, sizeof content, "%s4.9e-324\n0\n0\n1e-310\n", start);
  must_give(content, tiny, "");
  snprintf(content, sizeof content, "%s0\n1e-400\n0\n0\n", start);
  must_give(content, zeros, ":4: a number below the range of double precision becomes 0");
  snprintf(content, sizeof content, "%s0\n.001D-400\n0\n2e-324\n", start);
  must_give(content, zeros, ":4: 2 numbers below the range of double precision become 0; the first is in this line");
}

/* A numeral that is longer than Fortran writes is still read if its letter is E. */
static void test_long_numerals(void) {
  char content[2000], digits[1500];
  const double want[8] = {1};
  memset(digits, '0', sizeof digits);
  snprintf(content, sizeof content, "%sarray real general\n2 2\n1.%.700sD0\n0\n0\n0\n", BANNER, digits);
  must_give(content, want, "");
  snprintf(content, sizeof content, "%sarray real general\n2 2\n1.%.1400sE0\n0\n0\n0\n", BANNER, digits);
  must_give(content, want, "");
  snprintf(content, sizeof content, "%sarray real general\n2 2\n1.%.1400sD0\n0\n0\n0\n", BANNER, digits);
  char why[256] = "";
  matrix_file file;
  CHECK(!read_bytes(content, strlen(content), &file, why, sizeof why) && strstr(why, ":3: expected a number") != NULL,
        "a long numeral: %s", why);
}

/* The characters that a terminal may get. */
static void test_characters(void) {
  static const struct {
    const char *at;
    size_t length;
  } characters[] = {
      {"", 0},
      {"\n", 0},
      {"\x1b", 0},
      {"\x7f", 0},
      {" ", 1},
      {"~", 1},
      {"\xc2\x9b", 0},
      {"\xc2\xa0", 2},
      {"\xc3\xa4", 2},
      {"\xc3", 0},
      {"\xc3x", 0},
      {"\x80", 0},
      {"\xff", 0},
      {"\xc0\x80", 0},
      {"\xe2\x82\xac", 3},
      {"\xe2\x82", 0},
      {"\xe0\x82\x9b", 0},
      {"\xed\xa0\x80", 0},
      {"\xe2\x80\xae", 0},
      {"\xe2\x80\x8d", 3},
      {"\xe2\x80\x8e", 0},
      {"\xe2\x80\x8f", 0},
      {"\xd8\x9b", 2},
      {"\xd8\x9c", 0},
      {"\xe2\x81\xa7", 0},
      {"\xf0\x9f\x98\x80", 4},
      {"\xf4\x90\x80\x80", 0},
      {"\xf0\x80\x82\x9b", 0},
      {"\xf8\x88\x80\x80\x80", 0},
  };
  for (size_t k = 0; k < sizeof characters / sizeof *characters; k++) {
    CHECK(text_character(characters[k].at) == characters[k].length, "character %zu of the list", k);
  }
}

void test_kinds(void) {
  for (int width = 1; width <= 8; width *= 2) {
    test_integers(width, true);
    test_integers(width, false);
  }
  test_edges();
  for (int s = 0; s < sample_count; s++) {
    if (is_npy(&samples[s])) continue;
    test_line_ends(&samples[s], "\r", "");
    test_line_ends(&samples[s], "\r\n", "\xef\xbb\xbf");
    test_line_ends(&samples[s], "\n\r", "");
    test_line_ends(&samples[s], "\n", "\xef\xbb\xbf");
  }
  test_pairs();
  test_triangles();
  test_small_numbers();
  test_long_numerals();
  test_characters();
  CHECK(scratch_files() == 0, "files are left over");
}
