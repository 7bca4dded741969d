/* matrix_market.c - Matrix Market files: one line an entry, strictly read, each error with its line. */
#include "matrix_formats.h"

#include <inttypes.h>
#include <stdio.h>

/* In the order of the words below. PATTERN and SKEW are known, so as to be refused by name. */
typedef enum layout { COORDINATE, ARRAY } layout;
typedef enum field { REAL, DOUBLE, INTEGER, COMPLEX, PATTERN } field;
enum { SKEW = HERMITIAN + 1 };

static const char *const layout_words[] = {"coordinate", "array", NULL};
static const char *const field_words[] = {"real", "double", "integer", "complex", "pattern", NULL};
static const char *const structure_words[] = {"general", "symmetric", "hermitian", "skew-symmetric", NULL};

typedef struct market {
  byte_stream *in;
  layout layout;
  field field;
  structure structure;
  int64_t entries;      /* lines of entries that the file must have */
  trigon_matrix matrix; /* TRIGON_D or TRIGON_Z */
} market;

static bool expected(const market *m, const char *what, text found) {
  return report_line(&m->in->report, m->in->line, "expected %s, found %s", what,
                     found.at == NULL        ? "the end of the file"
                     : found.at == found.end ? "the end of the line"
                                             : quote(found.at, text_length(found)).text);
}

static bool end_of_line(const market *m, text line) {
  text word = text_word(&line);
  return word.at == word.end || expected(m, "the end of the line", word);
}

/* The next line that says something: blank lines and comments are skipped anywhere after the banner. */
static bool content_line(market *m, text *line) {
  do {
    if (!stream_line(m->in, line)) return false;
    if (line->at == NULL) return true;
    text rest = *line, word = text_word(&rest);
    if (word.at < word.end && *word.at != '%') return true;
  } while (true);
}

/* ---------------------------------------------------------------------------------------------- header -- */

/* The next word of the banner, which must be one of `words`; *choice is its place among them. */
static bool banner_word(const market *m, text *line, const char *what, const char *const *words, int *choice) {
  text word = text_word(line);
  for (*choice = 0; words[*choice] != NULL; ++*choice) {
    if (text_is(word, words[*choice])) return true;
  }
  return expected(m, what, word);
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
  if (!banner_word(m, &line, "\"%%MatrixMarket\" or a NumPy file", banner, &choice)) return false;
  if (!banner_word(m, &line, "\"matrix\"", object, &choice)) return false;
  if (!banner_word(m, &line, "\"coordinate\" or \"array\"", layout_words, &choice)) return false;
  m->layout = (layout)choice;
  if (!banner_word(m, &line, fields, field_words, &choice)) return false;
  m->field = (field)choice;
  if (m->field == PATTERN) {
    return report_line(to, m->in->line, "expected %s, found \"pattern\": such a file has no values", fields);
  }
  if (!banner_word(m, &line, structures, structure_words, &choice)) return false;
  if (choice == SKEW) {
    return report_line(to, m->in->line, "expected %s, found \"skew-symmetric\", which is not supported", structures);
  }
  m->structure = (structure)choice;
  if (m->structure == HERMITIAN && m->field != COMPLEX) {
    return report_line(to, m->in->line, "expected \"complex\" with \"hermitian\", found \"%s\"", field_words[m->field]);
  }
  return end_of_line(m, line);
}

static bool read_integer(const market *m, text *line, const char *what, int64_t min, int64_t max, int64_t *value) {
  text word = text_word(line);
  if (text_integer(word, value) && *value >= min && *value <= max) return true;
  char range[128];
  snprintf(range, sizeof range, "%s from %" PRId64 " to %" PRId64, what, min, max);
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
  int64_t most = rows > 0 && cols > 0 ? INT64_MAX : 0; /* entries may repeat, so there is no other bound */
  if (m->layout == COORDINATE && !read_integer(m, &line, "a number of entries", 0, most, &m->entries)) return false;
  if (!end_of_line(m, line)) return false;

  if (!matrix_allocate(&m->in->report, m->field == COMPLEX ? TRIGON_Z : TRIGON_D, rows, cols, out)) return false;
  m->matrix = out->matrix;
  /* No overflow: the matrix has been allocated. */
  if (m->layout == ARRAY) m->entries = m->structure == GENERAL ? rows * cols : rows * (rows + 1) / 2;
  return true;
}

/* --------------------------------------------------------------------------------------------- entries -- */

/* Where the entry on `line` belongs. In an array file, *i and *j are where the previous one was. */
static bool read_position(const market *m, text *line, int64_t *i, int64_t *j) {
  if (m->layout == ARRAY) {
    if (++*i == m->matrix.rows) {
      ++*j;
      *i = m->structure == GENERAL ? 0 : *j;
    }
    return true;
  }
  if (!read_integer(m, line, "a row index", 1, m->matrix.rows, i)) return false;
  if (!read_integer(m, line, "a column index", 1, m->matrix.cols, j)) return false;
  if (m->structure != GENERAL && *i < *j) {
    return report_line(&m->in->report, m->in->line,
                       "expected an entry on or below the diagonal of a %s matrix, found row %" PRId64
                       ", column %" PRId64,
                       structure_words[m->structure], *i, *j);
  }
  --*i;
  --*j;
  return true;
}

static bool read_number(const market *m, text *line, const char *what, double *value) {
  text word = text_word(line);
  number_kind kind = text_number(word, value);
  if (m->field == INTEGER && kind == NUMBER) {
    /* Not text_integer: an integer beyond 64 bits is one too, and is rounded as any number is. */
    for (const char *c = word.at + (*word.at == '-' || *word.at == '+'); c < word.end; c++) {
      if (*c < '0' || *c > '9') kind = NOT_A_NUMERAL;
    }
  }
  if (kind == NUMBER_TOO_LARGE) return expected(m, "a number within the range of double precision", word);
  return kind == NUMBER || expected(m, what, word);
}

static bool read_value(const market *m, text *line, trigon_scalar *value) {
  value->im = 0;
  if (m->field != COMPLEX) return read_number(m, line, m->field == INTEGER ? "an integer" : "a number", &value->re);
  return read_number(m, line, "a real part", &value->re) && read_number(m, line, "an imaginary part", &value->im);
}

/* Entries that occur twice are added up. What is added to zero is stored as it is: -0 stays -0. */
static void add(const trigon_matrix *A, int64_t i, int64_t j, trigon_scalar value) {
  double *at = A->data;
  if (A->type == TRIGON_D) {
    at += i + j * A->ld;
  } else {
    at += 2 * (i + j * A->ld);
    at[1] = at[1] != 0 ? at[1] + value.im : value.im;
  }
  at[0] = at[0] != 0 ? at[0] + value.re : value.re;
}

static bool read_entries(market *m) {
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
    add(&m->matrix, i, j, value);
    /* Mirrored entry by entry: a sparse matrix then touches few of its pages, which is most of the time. */
    if (m->structure == HERMITIAN) value.im = -value.im;
    if (m->structure != GENERAL && i != j) add(&m->matrix, j, i, value);
  }
  if (!content_line(m, &line)) return false;
  if (line.at == NULL) return true;
  char what[64];
  snprintf(what, sizeof what, "the end of the file after %" PRId64 " entries", m->entries);
  return expected(m, what, line);
}

bool market_read(byte_stream *in, matrix_file *out) {
  market m = {.in = in};
  if (!read_banner(&m) || !read_sizes(&m, out)) return false;
  out->structure = m.structure;
  return read_entries(&m);
}

/* --------------------------------------------------------------------------------------------- writing -- */

/* Array format, with 17 digits in every precision: a float then reads back as the double that equals it. */
bool market_write(atomic_output *out, const trigon_matrix *A, structure kind) {
  bool complex = is_complex(A->type);
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
