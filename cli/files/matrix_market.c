/* matrix_market.c - reads and writes Matrix Market files: strictly, and each error is reported with its line. */
#include "../matrix/element_type.h"
#include "formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the words below. PATTERN and SKEW are recognized, so that messages can name them. */
typedef enum format { COORDINATE, ARRAY } format;
typedef enum field { REAL, DOUBLE, INTEGER, COMPLEX, PATTERN } field;
enum { SKEW = HERMITIAN + 1 };

static const char *const format_words[] = {"coordinate", "array", NULL};
static const char *const field_words[] = {"real", "double", "integer", "complex", "pattern", NULL};
static const char *const structure_words[] = {"general", "symmetric", "hermitian", "skew-symmetric", NULL};

typedef struct market {
  byte_stream *in;
  format format;
  field field;
  file_structure structure;
  int64_t entries;      /* how many lines of entries the file must have */
  trigon_matrix matrix; /* TRIGON_D or TRIGON_Z */
  uint64_t *listed;     /* in a symmetric or hermitian coordinate file: a bit for each element, set if it has entries */
  int64_t too_small;    /* how many numbers became zero, and the line of the first one */
  int64_t too_small_line;
} market;

static bool expected(const market *m, const char *wanted, text found) {
  return report_line(&m->in->report, m->in->line, "expected %s, found %s", wanted,
                     found.at == NULL        ? "the end of the file"
                     : found.at == found.end ? "the end of the line"
                                             : quote(found.at, text_length(found)).text);
}

static bool end_of_line(const market *m, text line) {
  text word = text_word(&line);
  return word.at == word.end || expected(m, "the end of the line", word);
}

/* Takes the next line that is neither blank nor a comment; both are allowed anywhere after the banner. */
static bool content_line(market *m, text *line) {
  do {
    if (!stream_skip_blanks(m->in) || !stream_line(m->in, line)) return false;
    if (line->at == NULL) return true;
    text rest = *line, word = text_word(&rest);
    if (word.at < word.end && *word.at != '%') return true;
  } while (true);
}

/* ---------------------------------------------------------------------------------------------- header -- */

/* Takes the next word of the banner, which must be one of `words`, and stores its index in *choice. */
static bool banner_word(const market *m, text *line, const char *wanted, const char *const *words, int *choice) {
  text word = text_word(line);
  for (*choice = 0; words[*choice] != NULL; ++*choice) {
    if (text_equals(word, words[*choice])) return true;
  }
  return expected(m, wanted, word);
}

static bool read_banner(market *m) {
  static const char *const banner[] = {"%%MatrixMarket", NULL}, *const object[] = {"matrix", NULL};
  static const char fields[] = "\"real\", \"integer\" or \"complex\"";
  static const char structures[] = "\"general\", \"symmetric\" or \"hermitian\"";
  const report *to = &m->in->report;
  text line;
  int choice;
  if (!stream_line(m->in, &line)) return false;
  if (line.at == NULL) return expected(m, "\"%%MatrixMarket\" or a NumPy file", line);
  if (text_length(line) >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0) line.at += 3; /* a byte order mark */
  if (!banner_word(m, &line, "\"%%MatrixMarket\" or a NumPy file", banner, &choice)) return false;
  if (!banner_word(m, &line, "\"matrix\"", object, &choice)) return false;
  if (!banner_word(m, &line, "\"coordinate\" or \"array\"", format_words, &choice)) return false;
  m->format = (format)choice;
  if (!banner_word(m, &line, fields, field_words, &choice)) return false;
  m->field = (field)choice;
  if (m->field == PATTERN) {
    return report_line(to, m->in->line, "expected %s, found \"pattern\": such a file has no values", fields);
  }
  if (!banner_word(m, &line, structures, structure_words, &choice)) return false;
  if (choice == SKEW) {
    return report_line(to, m->in->line, "expected %s, found \"skew-symmetric\", which is not supported", structures);
  }
  m->structure = (file_structure)choice;
  if (m->structure == HERMITIAN && m->field != COMPLEX) {
    return report_line(to, m->in->line, "expected \"complex\" with \"hermitian\", found \"%s\"", field_words[m->field]);
  }
  return end_of_line(m, line);
}

static bool read_integer(const market *m, text *line, const char *wanted, int64_t min, int64_t max, int64_t *value) {
  text word = text_word(line);
  if (text_integer(word, value) && *value >= min && *value <= max) return true;
  char range[128];
  snprintf(range, sizeof range, "%s from %" PRId64 " to %" PRId64, wanted, min, max);
  return expected(m, range, word);
}

static bool read_sizes(market *m, matrix_file *out) {
  text line;
  int64_t rows, cols;
  if (!content_line(m, &line)) return false;
  if (line.at == NULL) return expected(m, "the numbers of rows and columns", line);
  if (!read_integer(m, &line, "a number of rows", 0, INT64_MAX, &rows)) return false;
  if (!read_integer(m, &line, "a number of columns", 0, INT64_MAX, &cols)) return false;
  if (m->structure != GENERAL && rows != cols) {
    return report_line(&m->in->report, m->in->line,
                       "expected as many columns as rows in a %s matrix, found %" PRId64 " rows and %" PRId64
                       " columns",
                       structure_words[m->structure], rows, cols);
  }
  int64_t most = rows > 0 && cols > 0 ? INT64_MAX : 0; /* no smaller bound: entries may repeat */
  if (m->format == COORDINATE && !read_integer(m, &line, "a number of entries", 0, most, &m->entries)) return false;
  if (!end_of_line(m, line)) return false;

  if (!matrix_allocate(&m->in->report, m->field == COMPLEX ? TRIGON_Z : TRIGON_D, rows, cols, out)) return false;
  m->matrix = out->matrix;
  /* This cannot overflow, because the matrix has been allocated. */
  if (m->format == ARRAY) m->entries = m->structure == GENERAL ? rows * cols : rows * (rows + 1) / 2;
  if (m->format == ARRAY || m->structure == GENERAL) return true;
  m->listed = calloc((size_t)(rows * cols / 64 + 1), sizeof *m->listed);
  return m->listed != NULL || report_no_memory(&m->in->report);
}

/* --------------------------------------------------------------------------------------------- entries -- */

/* Stores the indices of the entry on `line`. In an array file they follow those of the entry before it, in *i and
 * *j. */
static bool read_position(const market *m, text *line, int64_t *i, int64_t *j) {
  if (m->format == ARRAY) {
    if (++*i == m->matrix.rows) {
      ++*j;
      *i = m->structure == GENERAL ? 0 : *j;
    }
    return true;
  }
  if (!read_integer(m, line, "a row index", 1, m->matrix.rows, i)) return false;
  if (!read_integer(m, line, "a column index", 1, m->matrix.cols, j)) return false;
  --*i;
  --*j;
  return true;
}

static bool read_number(market *m, text *line, const char *wanted, double *value) {
  text word = text_word(line);
  number_kind kind = text_number(word, value);
  if (kind == NUMBER_TOO_SMALL) {
    if (m->too_small++ == 0) m->too_small_line = m->in->line;
    kind = NUMBER;
  }
  if (m->field == INTEGER && kind == NUMBER) {
    /* Not text_integer: an integer beyond 64 bits is allowed, and rounded as any number. */
    for (const char *c = word.at + (*word.at == '-' || *word.at == '+'); c < word.end; c++) {
      if (*c < '0' || *c > '9') kind = NOT_A_NUMERAL;
    }
  }
  if (kind == NUMBER_TOO_LARGE) return expected(m, "a number within the range of double precision", word);
  return kind == NUMBER || expected(m, wanted, word);
}

static bool read_value(market *m, text *line, trigon_scalar *value) {
  value->im = 0;
  if (m->field != COMPLEX) return read_number(m, line, m->field == INTEGER ? "an integer" : "a number", &value->re);
  return read_number(m, line, "a real part", &value->re) && read_number(m, line, "an imaginary part", &value->im);
}

/* Adds to an element, because entries may occur twice. A value that is added to zero is stored as it is: -0 stays
 * -0. */
static void add(const trigon_matrix *A, int64_t i, int64_t j, trigon_scalar value) {
  int reals = type_reals(A->type);
  double *at = (double *)A->data + reals * (i + j * A->ld);
  at[0] = at[0] != 0 ? at[0] + value.re : value.re;
  if (reals == 2) at[1] = at[1] != 0 ? at[1] + value.im : value.im;
}

/* Adds an entry. In an array file all entries are in one triangle, and each is mirrored at once. In a coordinate file
 * an entry may be in either triangle: it is marked in `listed`, and mirrored at the end. Only entries are mirrored, not
 * all elements: most of the time goes into the first access to each page of memory, and a sparse matrix has entries on
 * few. */
static void add_entry(market *m, int64_t i, int64_t j, trigon_scalar value) {
  add(&m->matrix, i, j, value);
  if (m->structure == GENERAL || i == j) return;
  if (m->listed != NULL) {
    int64_t index = i + j * m->matrix.ld;
    m->listed[index / 64] |= UINT64_C(1) << index % 64;
    return;
  }
  if (m->structure == HERMITIAN) value.im = -value.im;
  add(&m->matrix, j, i, value);
}

static shown_number show(const market *m, trigon_scalar value) {
  return show_number(value.re, value.im, m->field == COMPLEX, 17);
}

static bool agree(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Mirrors element (i, j) if its mirror image has no entries; else checks that the two agree. */
static bool mirror_entry(const market *m, int64_t i, int64_t j) {
  int64_t index = j + i * m->matrix.ld;
  double sign = m->structure == HERMITIAN ? -1 : 1;
  trigon_scalar value = matrix_entry(&m->matrix, GENERAL, i, j);
  if ((m->listed[index / 64] >> index % 64 & 1) == 0) {
    add(&m->matrix, j, i, (trigon_scalar){value.re, sign * value.im});
    return true;
  }
  trigon_scalar image = matrix_entry(&m->matrix, GENERAL, j, i);
  if (agree(value.re, image.re) && agree(value.im, sign * image.im)) return true;
  return report_file(&m->in->report,
                     "expected entries (%" PRId64 ",%" PRId64 ") and (%" PRId64 ",%" PRId64
                     ") of a %s matrix to agree, found %s and %s",
                     i + 1, j + 1, j + 1, i + 1, structure_words[m->structure], show(m, value).text,
                     show(m, image).text);
}

static bool mirror_listed(const market *m) {
  int64_t n = m->matrix.rows;
  for (int64_t word = 0; m->listed != NULL && word <= n * n / 64; word++) {
    for (uint64_t bits = m->listed[word]; bits != 0; bits &= bits - 1) {
      int64_t index = 64 * word + __builtin_ctzll(bits);
      if (!mirror_entry(m, index % n, index / n)) return false;
    }
  }
  return true;
}

static bool read_entries(market *m, matrix_file *out) {
  text line;
  int64_t i = -1, j = 0;
  for (int64_t k = 0; k < m->entries; k++) {
    trigon_scalar value;
    if (!content_line(m, &line)) return false;
    if (line.at == NULL) {
      return report_line(&m->in->report, m->in->line,
                         "expected %" PRId64 " entries, found the end of the file after %" PRId64, m->entries, k);
    }
    if (!read_position(m, &line, &i, &j) || !read_value(m, &line, &value) || !end_of_line(m, line)) return false;
    if (m->structure == HERMITIAN && i == j && !(value.im == 0)) {
      return report_line(&m->in->report, m->in->line,
                         "expected a zero imaginary part on the diagonal of a hermitian matrix, found %.17g", value.im);
    }
    if (out->nonfinite.row == 0 && !(isfinite(value.re) && isfinite(value.im))) {
      out->nonfinite.row = i + 1;
      out->nonfinite.col = j + 1;
    }
    add_entry(m, i, j, value);
  }
  if (!content_line(m, &line)) return false;
  if (line.at == NULL) return mirror_listed(m);
  char wanted[64];
  snprintf(wanted, sizeof wanted, "the end of the file after %" PRId64 " entries", m->entries);
  return expected(m, wanted, line);
}

static void note_too_small(const market *m, matrix_file *out) {
  const report note = {m->in->report.path, out->note, sizeof out->note};
  if (m->too_small == 1)
    report_line(&note, m->too_small_line, "a number below the range of double precision becomes 0");
  else if (m->too_small > 1)
    report_line(&note, m->too_small_line,
                "%" PRId64 " numbers below the range of double precision become 0; the first is in this line",
                m->too_small);
}

bool market_read(byte_stream *in, matrix_file *out) {
  market m = {.in = in};
  bool ok = read_banner(&m) && read_sizes(&m, out) && read_entries(&m, out);
  free(m.listed);
  out->structure = m.structure;
  note_too_small(&m, out);
  return ok;
}

/* --------------------------------------------------------------------------------------------- writing -- */

/* Writes the array format, with 17 digits for all types: a float is then read back as the double that equals it. */
bool market_write(atomic_output *out, const trigon_matrix *A, file_structure kind) {
  bool complex = type_is_complex(A->type);
  if (kind == VECTOR) kind = GENERAL;
  if (!complex && kind == HERMITIAN) kind = SYMMETRIC; /* the format's name for it */
  char line[128];
  int length = snprintf(line, sizeof line, "%%%%MatrixMarket matrix array %s %s\n%" PRId64 " %" PRId64 "\n",
                        complex ? "complex" : "real", structure_words[kind], A->rows, A->cols);
  if (!output_write(out, line, (size_t)length)) return false;
  for (int64_t j = 0; j < A->cols && A->rows > 0; j++) {
    for (int64_t i = kind == GENERAL ? 0 : j; i < A->rows; i++) {
      trigon_scalar value = matrix_entry(A, kind, i, j);
      length = complex ? snprintf(line, sizeof line, "%.17g %.17g\n", value.re, value.im)
                       : snprintf(line, sizeof line, "%.17g\n", value.re);
      if (!output_write(out, line, (size_t)length)) return false;
    }
  }
  return true;
}
