/* npy.c - reads and writes NumPy's .npy files: a Python dictionary with type, order and shape, and then the numbers. */
#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "formats.h"
#include "npy_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAGIC_BYTES = 8,       /* "\x93NUMPY", major and minor version */
  HEADER_LIMIT = 65535,  /* bytes of a header that is read: version 1 has no larger ones, a matrix needs a hundred */
  ALIGNMENT = 64,        /* of the numbers in a file that is written, as NumPy's format demands */
  PANEL_BYTES = 1 << 18, /* of the rows that are transposed together: panel and columns stay in the caches */
  PANEL_ROWS = 64,
};

static const char native_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';

typedef struct npy_header {
  const npy_numbers *numbers;
  bool swapped; /* the byte order is not that of this machine */
  bool fortran;
  int rank;
  int64_t shape[2];
} npy_header;

/* ------------------------------------------------------------------------------- the Python dictionary -- */

typedef struct parser {
  const report *report;
  int64_t first; /* the position of `from` in the file */
  const char *from, *at, *end;
} parser;

/* Reports what was expected at `at`, which is p->at or shortly before it. Returns false. */
static bool expected(const parser *p, const char *at, const char *wanted) {
  return report_byte(p->report, p->first + (at - p->from), "expected %s, found %s", wanted,
                     at < p->end ? quote(at, (size_t)(p->end - at)).text : "the end of the header");
}

static void skip_blanks(parser *p) {
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) p->at++;
}

/* Takes blanks and then `mark`. Returns false if something else follows the blanks. */
static bool take(parser *p, const char *mark) {
  skip_blanks(p);
  size_t length = strlen(mark);
  if ((size_t)(p->end - p->at) < length || memcmp(p->at, mark, length) != 0) return false;
  p->at += length;
  return true;
}

static bool must_take(parser *p, const char *mark) {
  char wanted[8];
  snprintf(wanted, sizeof wanted, "'%s'", mark);
  return take(p, mark) || expected(p, p->at, wanted);
}

/* Takes a string in single or double quotes, without escapes. */
static bool take_string(parser *p, text *string) {
  skip_blanks(p);
  if (p->at == p->end || (*p->at != '\'' && *p->at != '"')) return false;
  const char *end = memchr(p->at + 1, *p->at, (size_t)(p->end - p->at) - 1);
  if (end == NULL) return false;
  *string = (text){p->at + 1, end};
  p->at = end + 1;
  return true;
}

/* 'descr': byte order, kind and bytes of a number. '=' and '|' mean the byte order of this machine. */
static bool parse_type(parser *p, npy_header *header) {
  skip_blanks(p);
  const char *at = p->at;
  text string;
  if (take_string(p, &string) && string.at < string.end && strchr("<>=|", *string.at) != NULL && *string.at != '\0') {
    header->swapped = (*string.at == '<' || *string.at == '>') && *string.at != native_order;
    header->numbers = npy_numbers_find((text){string.at + 1, string.end});
    if (header->numbers != NULL) return true;
  }
  return expected(p, at, "'<' or '>' with b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8 or c16");
}

static bool parse_order(parser *p, npy_header *header) {
  header->fortran = take(p, "True");
  return header->fortran || take(p, "False") || expected(p, p->at, "True or False");
}

/* 'shape': (), (m,) or (m, n). A comma may follow the last number and must follow a single one. */
static bool parse_shape(parser *p, npy_header *header) {
  if (!must_take(p, "(")) return false;
  for (header->rank = 0; !take(p, ")"); header->rank++) {
    if (header->rank == 2) return expected(p, p->at, "at most two dimensions and ')'");
    text number = {p->at, p->at};
    while (number.end < p->end && *number.end >= '0' && *number.end <= '9') number.end++;
    if (!text_integer(number, &header->shape[header->rank])) return expected(p, p->at, "a dimension");
    p->at = number.end;
    if (take(p, ",")) continue;
    if (header->rank == 0) return expected(p, p->at, "','");
    if (!take(p, ")")) return expected(p, p->at, "',' or ')'");
    header->rank++;
    break;
  }
  return true;
}

static bool parse_dictionary(parser *p, npy_header *header) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  static bool (*const values[])(parser *, npy_header *) = {parse_type, parse_order, parse_shape};
  bool seen[3] = {false, false, false};
  if (!must_take(p, "{")) return false;
  while (!take(p, "}")) {
    const char *at = p->at;
    text key;
    int k = 0;
    if (!take_string(p, &key)) return expected(p, at, "a key in quotation marks or '}'");
    while (k < 3 && (text_length(key) != strlen(keys[k]) || memcmp(key.at, keys[k], text_length(key)) != 0)) k++;
    if (k == 3 || seen[k]) return expected(p, at, "'descr', 'fortran_order' and 'shape', each once");
    seen[k] = true;
    if (!must_take(p, ":") || !values[k](p, header)) return false;
    if (take(p, ",")) continue;
    if (!take(p, "}")) return expected(p, p->at, "',' or '}'");
    break;
  }
  for (int k = 0; k < 3; k++) {
    if (!seen[k]) return report_byte(p->report, p->first, "expected the key '%s', found none", keys[k]);
  }
  skip_blanks(p);
  return p->at == p->end || expected(p, p->at, "nothing but blanks after '}'");
}

/* ---------------------------------------------------------------------------------------------- reading -- */

static bool read_exactly(byte_stream *in, void *to, size_t count, const char *wanted) {
  int64_t from = in->byte;
  size_t taken;
  if (!stream_read(in, to, count, &taken)) return false;
  return taken == count || report_byte(&in->report, from, "expected %zu bytes of %s, found %zu", count, wanted, taken);
}

static bool read_magic(byte_stream *in, int *version) {
  char magic[MAGIC_BYTES];
  if (!read_exactly(in, magic, sizeof magic, "magic string and version")) return false;
  if (memcmp(magic, "\x93NUMPY", 6) != 0) {
    return report_byte(&in->report, 0, "expected \"\\x93NUMPY\", found %s", quote(magic, 6).text);
  }
  *version = (unsigned char)magic[6];
  int minor = (unsigned char)magic[7];
  return (*version >= 1 && *version <= 3 && minor == 0) ||
         report_byte(&in->report, 6, "expected version 1.0, 2.0 or 3.0, found %d.%d", *version, minor);
}

static bool read_header(byte_stream *in, npy_header *header) {
  int version = 0;
  unsigned char bytes[4] = {0};
  if (!read_magic(in, &version)) return false;
  if (!read_exactly(in, bytes, version == 1 ? 2 : 4, "header length")) return false;
  uint32_t length = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
  if (length > HEADER_LIMIT) {
    return report_byte(&in->report, MAGIC_BYTES, "expected a header of at most %d bytes, found %" PRIu32, HEADER_LIMIT,
                       length);
  }
  char *dictionary = malloc((size_t)length + 1);
  if (dictionary == NULL) return report_no_memory(&in->report);
  parser p = {&in->report, in->byte, dictionary, dictionary, dictionary + length};
  bool ok = read_exactly(in, dictionary, length, "header") && parse_dictionary(&p, header);
  free(dictionary);
  return ok;
}

/* The position of the numbers in the file, how many they are, and how many of them did not fit their new type. */
typedef struct tally {
  int64_t first;
  size_t total;
  int64_t rounded;
} tally;

/* Reads and converts the next `count` numbers. */
static bool read_numbers(byte_stream *in, const npy_header *header, char *to, size_t count, tally *t) {
  size_t bytes = header->numbers->bytes, spare = type_bytes(header->numbers->type) - bytes, taken;
  if (!stream_read(in, to + count * spare, count * bytes, &taken)) return false;
  if (taken < count * bytes) {
    return report_byte(&in->report, t->first, "expected %zu bytes of numbers, found %" PRId64, t->total * bytes,
                       in->byte - t->first);
  }
  npy_numbers_convert(header->numbers, header->swapped, to, count, &t->rounded);
  return true;
}

/* One memcpy for each size: with a size that the compiler does not know, the call takes longer than the copy. */
static void copy_element(char *to, const char *from, size_t size) {
  switch (size) {
  case 4: memcpy(to, from, 4); break;
  case 8: memcpy(to, from, 8); break;
  default: memcpy(to, from, 16); break;
  }
}

/* Reads a file in C's order, some rows at a time, and stores the rows in the columns of A. */
static bool read_rows(byte_stream *in, const npy_header *header, trigon_matrix A, tally *t) {
  size_t size = type_bytes(A.type), row = (size_t)A.cols * size;
  int64_t most = (int64_t)(PANEL_BYTES / row);
  most = most < 1 ? 1 : most > PANEL_ROWS ? PANEL_ROWS : most;
  char *panel = malloc((size_t)most * row);
  if (panel == NULL) return report_no_memory(&in->report);
  bool ok = true;
  for (int64_t i = 0; ok && i < A.rows; i += most) {
    int64_t rows = A.rows - i < most ? A.rows - i : most;
    ok = read_numbers(in, header, panel, (size_t)rows * (size_t)A.cols, t);
    for (int64_t j = 0; ok && j < A.cols; j++) {
      char *column = (char *)A.data + (size_t)(i + j * A.ld) * size;
      for (int64_t k = 0; k < rows; k++) {
        copy_element(column + (size_t)k * size, panel + (size_t)k * row + (size_t)j * size, size);
      }
    }
  }
  free(panel);
  return ok;
}

/* Notes that the numbers of the file were converted, and how many of them were rounded. */
static void note_conversion(const report *to, const npy_numbers *numbers, int64_t rounded, matrix_file *out) {
  const report note = {to->path, out->note, sizeof out->note};
  const char *precision = numbers->type == TRIGON_S ? "single" : "double";
  if (numbers->kind == AS_IS) return;
  if (rounded == 0)
    report_file(&note, "its numbers (%s) are converted to %s precision", numbers->code, precision);
  else
    report_file(&note,
                "its numbers (%s) are converted to %s precision; %" PRId64
                " of them do not fit it and are rounded (integers beyond 2^53)",
                numbers->code, precision, rounded);
}

bool npy_read(byte_stream *in, matrix_file *out) {
  npy_header header = {.shape = {1, 1}};
  if (!read_header(in, &header)) return false;
  int64_t rows = header.rank > 0 ? header.shape[0] : 1, cols = header.rank > 1 ? header.shape[1] : 1;
  if (!matrix_allocate(&in->report, header.numbers->type, rows, cols, out)) return false;
  if (header.rank == 1) out->structure = VECTOR;
  tally t = {.first = in->byte, .total = (size_t)rows * (size_t)cols};
  bool columns =
      header.fortran || rows <= 1 || cols <= 1; /* a matrix of one row or column is the same in both orders */
  if (columns ? !read_numbers(in, &header, out->matrix.data, t.total, &t) : !read_rows(in, &header, out->matrix, &t)) {
    return false;
  }
  note_conversion(&in->report, header.numbers, t.rounded, out);
  int next;
  if (!stream_peek(in, &next)) return false;
  return next < 0 ||
         report_byte(&in->report, in->byte,
                     "expected the end of the file after %" PRId64 " x %" PRId64 " numbers, found more", rows, cols);
}

/* ---------------------------------------------------------------------------------------------- writing -- */

static bool write_header(atomic_output *out, const trigon_matrix *A, file_structure kind) {
  char letter = type_is_complex(A->type) ? 'c' : 'f', cols[32] = "", dictionary[160];
  if (kind != VECTOR) snprintf(cols, sizeof cols, " %" PRId64, A->cols);
  int length = snprintf(dictionary, sizeof dictionary,
                        "{'descr': '%c%c%zu', 'fortran_order': True, 'shape': (%" PRId64 ",%s), }", native_order,
                        letter, type_bytes(A->type), A->rows, cols);
  char header[2 * ALIGNMENT + sizeof dictionary];
  size_t used = MAGIC_BYTES + 2 + (size_t)length + 1, size = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  size_t padded = size - MAGIC_BYTES - 2;
  memset(header, ' ', size);
  memcpy(header, "\x93NUMPY\x01\x00", MAGIC_BYTES);
  header[MAGIC_BYTES] = (char)(padded & 255);
  header[MAGIC_BYTES + 1] = (char)(padded >> 8);
  memcpy(header + MAGIC_BYTES + 2, dictionary, (size_t)length);
  header[size - 1] = '\n';
  return output_write(out, header, size);
}

bool npy_write(atomic_output *out, const trigon_matrix *A, file_structure kind) {
  if (!write_header(out, A, kind)) return false;
  size_t size = type_bytes(A->type);
  trigon_matrix column = {malloc((size_t)A->rows * size + 1), A->type, A->rows, 1, A->rows};
  if (column.data == NULL) return report_no_memory(&out->report);
  bool ok = true;
  for (int64_t j = 0; ok && j < A->cols && A->rows > 0; j++) {
    memcpy(column.data, (const char *)A->data + (size_t)(j * A->ld) * size, (size_t)A->rows * size);
    for (int64_t i = 0; is_mirrored(kind) && i <= j; i++) {
      trigon_scalar value = matrix_entry(A, kind, i, j);
      dense_store(&column, i, 0, 1, (double[]){value.re, value.im});
    }
    ok = output_write(out, column.data, (size_t)A->rows * size);
  }
  free(column.data);
  return ok;
}
