/* emulation.h - a product of doubles by products of residues: what its steps share.
 *
 * C = alpha·op(A)·op(B) + beta·C. A complex product is a real one of 2m × n × 2k: C and the columns of op(B) are read
 * as they lie in memory, real and imaginary parts in turn. Row 2i of the first factor is (re, -im), row 2i + 1 is
 * (im, re). So only the lines and the last step know complex numbers.
 *
 * An update of rank k, C = alpha·op(A)·op(A)ᴴ + beta·C, is a product of which a triangle is computed. */
#ifndef TRIGON_EMULATION_H
#define TRIGON_EMULATION_H

#include <trigon.h>

#include "line.h"
#include "residue_layout.h"
#include "triangle_part.h"

/* fixed: the caller names the number of moduli. fast: the least number for a bound by norms. guaranteed: the least
 * number that proves |C - (αAB + βC0)| <= 2k·2^-53·|α||A||B| + 2·2^-53·|βC0| + 2^-1074 for each element. */
typedef enum fp64_grade { FP64_GUARANTEED, FP64_FAST, FP64_FIXED } fp64_grade;

/* LINES_REAL: the numbers of a real matrix, each in its place. LINES_COMPOSED: real numbers of which some are elsewhere
 * (`stored`, `more`), as they may be in the other forms. LINES_PAIRS: elements 2l and 2l + 1 are the parts of a complex
 * number. LINES_ROTATED: so are lines 2i and 2i + 1. */
typedef enum line_form { LINES_REAL, LINES_COMPOSED, LINES_PAIRS, LINES_ROTATED } line_form;

/* The lines of an operand. A number of the operand is at data + i·line_step + l·term_step numbers. The arrays have an
 * entry for each line; `upper` and `need` have one for each line within each tile of C, [tile][line]. */
typedef struct line_set {
  const void *data;
  int64_t line_step, term_step, count; /* `count` lines */
  line_form form;
  bool single, conjugate; /* single: floats instead of doubles */
  /* Of a symmetric matrix, line i has terms up to i (lower) or from i on (upper); the others lie in their lines. Of a
   * Hermitian one these are conjugated, and the imaginary parts of the diagonal are taken as zero. */
  triangle_kind stored;
  bool hermitian;
  /* Numbers from term `own` on are those of another operand, if `more` is not NULL: of SYR2K both lie side by side. */
  const void *more;
  int64_t more_line_step, more_term_step, own;
  line_stats *stats;
  line_totals *totals;    /* for machines that have many threads for a line */
  int32_t *log;           /* 512·log2 of what 2^E is multiplied by, from above */
  int32_t *exponent;      /* e of the lines whose residues were made */
  uint32_t *upper;        /* the largest product of ceilings */
  uint32_t *need;         /* the largest stored_need; 0: all products are zero */
  float *largest;         /* the largest norm and the largest excess of all lines */
  int64_t across;         /* tiles */
  int64_t first, present; /* the lines of the present block */
  int8_t *planes;         /* of the present block: the residues, or the ceilings */
  int64_t plane;          /* bytes from plane to plane */
} line_set;

/* A real of an operand. */
static TRIGON_HOST_DEVICE inline double real_at(const line_set *x, const void *data, int64_t at) {
  return x->single ? (double)((const float *)data)[at] : ((const double *)data)[at];
}

/* Whether a number of a symmetric matrix lies in the other line. */
static TRIGON_HOST_DEVICE inline bool is_mirrored(const line_set *x, int64_t line, int64_t term) {
  return x->stored != TRIANGLE_NONE && (x->stored == TRIANGLE_LOWER ? term > line : term < line);
}

/* A part of a number of so many parts. */
static TRIGON_HOST_DEVICE inline double part_of_number(const line_set *x, int64_t line, int64_t term, int parts,
                                                       int part) {
  if (x->more && term >= x->own)
    return real_at(x, x->more, parts * (line * x->more_line_step + (term - x->own) * x->more_term_step) + part);
  const bool mirrored = is_mirrored(x, line, term);
  const int64_t i = mirrored ? term : line, l = mirrored ? line : term;
  return real_at(x, x->data, parts * (i * x->line_step + l * x->term_step) + part);
}

static TRIGON_HOST_DEVICE inline double element_of_line(const line_set *x, int64_t i, int64_t l) {
  if (x->form == LINES_REAL) return real_at(x, x->data, i * x->line_step + l * x->term_step);
  if (x->form == LINES_COMPOSED) return part_of_number(x, i, l, 1, 0);
  const bool rotated = x->form == LINES_ROTATED, odd = rotated && i % 2;
  const bool imaginary = (l % 2 != 0) != odd;
  const int64_t line = rotated ? i / 2 : i, term = l / 2;
  if (imaginary && x->hermitian && line == term) return 0;
  const bool conjugate = x->conjugate != (x->hermitian && is_mirrored(x, line, term));
  const double a = part_of_number(x, line, term, 2, imaginary);
  return imaginary && (rotated && !odd) != conjugate ? -a : a;
}

/* Why all tiles of a product fall back: all have NaN or infinity in their lines; no other tile can be proved; or so
 * many cannot be proved that native arithmetic is faster. */
typedef enum native_reason { NATIVE_NOT_FINITE, NATIVE_UNPROVED, NATIVE_FASTER } native_reason;

/* What the machine decides for a product, and what it has decided since the call began. Tiles have fp64_tile rows and
 * columns of the real product. */
typedef struct emulation_choice {
  int32_t moduli;        /* 0: everything is computed natively */
  int32_t headroom;      /* of these moduli; a tile that needs more falls back */
  int32_t some_headroom; /* the same if some tiles fall back, but not all; otherwise no tile needs more */
  int32_t most_moduli, least_headroom;
  int64_t not_finite, unproved; /* tiles that fell back: because of NaN or infinity, or without proof */
  int64_t native;               /* products of which all tiles fell back */
  native_reason why;            /* of the last of these products */
} emulation_choice;

/* Tiles of which a few elements were looked at (fp64/int8/probe.h). */
typedef struct probe_count {
  unsigned long long all, unproved;
} probe_count;

/* The size of a real product. */
typedef struct emulated_size {
  int64_t m, n, k;
  bool triangle, same_lines; /* as in `emulation` */
} emulated_size;

typedef struct emulation {
  int64_t m, n, k; /* of the real product */
  triangle_kind triangle;
  /* hermitian: imaginary parts of the diagonal are taken as zero, and stored as zero. same_lines: the columns of op(B)
   * are the rows of op(A), as in real updates. Then both sets have the same arrays, and find_lines fills them once. */
  bool hermitian, same_lines;
  bool is_complex, single; /* single: in float, with 24 instead of 53 digits in the bound */
  bool begins;             /* it is the first product of a call */
  bool packs;              /* find_lines makes the ceilings, too: the present block is the whole product */
  trigon_scalar alpha, beta;
  void *C;
  int64_t ldc;            /* in reals */
  int bits;               /* of ceilings */
  line_set A, B;          /* the rows of op(A), the columns of op(B) */
  int32_t *headroom_bits; /* for each tile of C, as [column][row]: how many bits the moduli must have for its sums */
  probe_count *probes;
  double most_native; /* the share of tiles that may fall back; if more do, everything is computed natively */
  fp64_grade grade;
  int least, most;  /* numbers of moduli; FP64_FIXED: both are the caller's */
  const crt *table; /* table[N] has the constants of the first N moduli */
  emulation_choice *choice;
  /* the present block of terms and of C */
  int64_t first, depth;
  int8_t *residues; /* of C, planes of ld × B.present bytes */
  int64_t ld, plane;
  const struct operation *o; /* for the host alone */
} emulation;

static TRIGON_HOST_DEVICE inline int64_t fp64_tiles(int64_t size) { return (size + fp64_tile - 1) / fp64_tile; }

/* Whether everything is computed natively if so many tiles of all fall back. */
static TRIGON_HOST_DEVICE inline bool stays_native(const emulation *e, int64_t native, int64_t all) {
  return native == all || (double)native > e->most_native * (double)all;
}

/* Whether a look at a few elements has shown this. Then no bounds are looked for. */
static TRIGON_HOST_DEVICE inline bool is_hopeless(const emulation *e) {
  return e->grade == FP64_GUARANTEED && e->probes->all > 0 &&
         stays_native(e, (int64_t)e->probes->unproved, (int64_t)e->probes->all);
}

/* The exponent of a line: e = scale + E. */
static TRIGON_HOST_DEVICE inline int32_t exponent_of_line(const emulation *e, const line_set *x, int64_t i) {
  const line_stats *a = &x->stats[i];
  if (!a->nonzeros) return 0;
  const int32_t headroom = e->choice->headroom;
  int32_t E = exponent_for(headroom, x->log[i]);
  /* A norm with E < 8 and rounding: 48/256 of a bit pay for sqrt(k)/2, because k <= P/128. */
  if (e->grade != FP64_GUARANTEED && E < 8 && E < exact_from(a)) E = exponent_for(headroom - 48, x->log[i]);
  return a->scale + E;
}

#endif
