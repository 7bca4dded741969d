/* int8_product.c - C = alpha·op(A)·op(B) + beta·C, or a triangle of it, by products of residues and the Chinese
 * remainder theorem: the sequence of the steps, and the blocks that fit into the workspace.
 *
 * The lines of a block become planes: one byte for each element and modulus. The products of two planes, modulo their
 * number, are added up over blocks of terms. So a block of C needs few bytes whatever k is.
 * Source: Ozaki, Uchino, Imamura, arXiv 2504.08009; docs/fp64.md has our bounds. */
#include "common/address.h"
#include "fp64/int8/emulation_rules.h"
#include "host_product.h"

enum {
  least_side = fp64_tile, /* of a block of C */
  whole_side = 256,       /* the columns of large blocks are multiples of it: Hopper's kernel takes so many at once */
  wide_side = 1024,       /* a block of C should not be smaller: the residues of its lines would cost too much */
  narrow_side = 512,      /* the same if the block has all rows */
  most_depth = 1 << 17,   /* of a block of terms: sums of products of residues stay below 2^31 */
  deep = 4096,            /* a block of terms should not be shorter: C's residues are read and written for each one */
  alignment = 256,
};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t padded(int64_t x, int64_t to) { return (x + to - 1) / to * to; }
static int64_t half(int64_t x) { return padded((x + 1) / 2, least_side); }

const char fp64_no_room[] = "the workspace is too small";

void fp64_make_table(crt *table) {
  table[0] = (crt){0};
  for (int count = 1; count <= most_moduli; count++) crt_make(&table[count], count);
}

/* ---------------------------------------------------------------------------------------------------- blocks -- */

typedef struct blocks {
  int64_t rows, cols, depth;
} blocks;

/* If the rows of a block are all lines, its columns need no planes of their own. */
static int64_t bytes_of(const emulated_size *s, const blocks *b, int planes, bool with_C) {
  const int64_t C = with_C ? padded(padded(b->rows, residue_chunk) * b->cols, alignment) : 0;
  const int64_t of_cols = s->same_lines && b->rows >= s->m ? 0 : residue_plane(b->cols, b->depth);
  return planes * (residue_plane(b->rows, b->depth) + of_cols + C);
}

/* The most columns with which a block of these rows and terms fits. */
static int64_t most_cols(const emulated_size *s, const blocks *b, int planes, bool with_C, int64_t bytes) {
  blocks narrow = *b, wider = *b;
  narrow.cols = least(s->n, least_side), wider.cols = 2 * least_side;
  const int64_t first = bytes_of(s, &narrow, planes, with_C), more = bytes_of(s, &wider, planes, with_C) - first;
  if (first > bytes) return 0;
  if (s->n <= least_side || more <= 0) return s->n;
  wider.cols = least(s->n, ((bytes - first) / more + 2) * least_side); /* the last lines may be less than a block */
  while (bytes_of(s, &wider, planes, with_C) > bytes) wider.cols = (wider.cols - 1) / least_side * least_side;
  return wider.cols > whole_side && wider.cols < s->n ? wider.cols / whole_side * whole_side : wider.cols;
}

/* The largest blocks that fit. Depths and rows above `depth` and `side` are halved. Columns are not fewer than `side`,
 * except that all rows are enough for fewer columns: A's residues are made once for each block of rows, and B's once
 * for each block of C. So the rows are cut last. */
static bool fit(const emulated_size *s, int planes, bool with_C, int64_t side, int64_t depth, int64_t bytes,
                blocks *b) {
  for (b->depth = least(s->k, with_C ? most_depth : s->k);; b->depth = half(b->depth)) {
    for (b->rows = s->m;; b->rows = half(b->rows)) {
      b->cols = most_cols(s, b, planes, with_C, bytes);
      if (b->cols >= least(s->n, b->rows == s->m ? least(side, narrow_side) : side)) return true;
      if (b->rows <= side) break;
    }
    if (b->depth <= depth) return false;
  }
}

static bool find_blocks(const emulated_size *s, int planes, bool with_C, int64_t bytes, blocks *b) {
  const int64_t whole = with_C ? deep : s->k; /* bounds are found over all terms at once */
  return fit(s, planes, with_C, wide_side, whole, bytes, b) || fit(s, planes, with_C, least_side, whole, bytes, b) ||
         (with_C && fit(s, planes, with_C, least_side, residue_terms, bytes, b));
}

static void lay_out_block(emulation *e, const emulated_size *size, const blocks *b, int planes, char *buffer) {
  e->depth = b->depth;
  e->ld = padded(b->rows, residue_chunk), e->plane = padded(e->ld * b->cols, alignment);
  e->A.planes = (int8_t *)buffer;
  e->residues = e->A.planes + bytes_of(size, b, planes, false);
}

/* Enters the block of C that begins at (row, col). Returns whether the lines of its columns are among those of its
 * rows. Then their planes are there, too. */
static bool enter_block(emulation *e, const blocks *b, int planes, int64_t row, int64_t col) {
  e->A.first = row, e->A.present = least(b->rows, e->m - row);
  e->B.first = col, e->B.present = least(b->cols, e->n - col);
  const bool shared = e->same_lines && col >= row && col + e->B.present <= row + e->A.present;
  const int64_t line = residue_blocks(b->depth) * residue_terms; /* bytes; blocks of lines begin at whole blocks */
  e->A.plane = residue_plane(e->A.present, b->depth);
  e->B.plane = shared ? e->A.plane : residue_plane(e->B.present, b->depth);
  e->B.planes = e->A.planes + (shared ? (col - row) * line : planes * residue_plane(b->rows, b->depth));
  return shared;
}

/* ---------------------------------------------------------------------------------------------- the sequence -- */

/* Whether a block of C is the first one of its rows, and whether its columns have planes already. */
typedef struct block_flags {
  bool first, shared;
} block_flags;
typedef trigon_status block_work(engine *native, const emulation_steps *, emulation *, block_flags);

/* Works on all blocks of C that have elements of the computed part. */
static trigon_status each_block(engine *native, const emulation_steps *steps, emulation *e, const blocks *b, int planes,
                                block_work *work) {
  for (int64_t row = 0; row < e->m; row += b->rows) {
    block_flags flags = {.first = true};
    for (int64_t col = 0; col < e->n; col += b->cols) {
      flags.shared = enter_block(e, b, planes, row, col);
      const triangle_part part = part_of_block(e);
      if (!part_meets(&part, 0, 0, e->A.present, e->B.present)) continue;
      TRY(work(native, steps, e, flags));
      flags.first = false;
    }
  }
  return TRIGON_OK;
}

/* If a block has all lines, the ceilings are there already. */
static trigon_status bound_block(engine *native, const emulation_steps *steps, emulation *e, block_flags flags) {
  if (flags.first && !e->packs) TRY(steps->pack_ceilings(native, e, &e->A));
  if (!flags.shared && !e->packs) TRY(steps->pack_ceilings(native, e, &e->B));
  return steps->find_bounds(native, e);
}

/* The rows of a block are prepared once, if a block has all terms. */
static trigon_status multiply_block(engine *native, const emulation_steps *steps, emulation *e, block_flags flags) {
  for (e->first = 0; e->first < e->k; e->first += e->depth) {
    if (flags.first || e->depth < e->k) TRY(steps->make_residues(native, e, &e->A));
    if (!flags.shared) TRY(steps->make_residues(native, e, &e->B));
    TRY(steps->multiply(native, e));
  }
  return steps->finish(native, e);
}

/* ------------------------------------------------------------------------------------------------- workspace -- */

static void *take(char **next, int64_t bytes) {
  void *taken = *next;
  *next += padded(bytes, alignment);
  return taken;
}

static void lay_out_lines(line_set *x, char **next) {
  x->stats = take(next, x->count * (int64_t)sizeof *x->stats);
  x->log = take(next, x->count * 4), x->exponent = take(next, x->count * 4);
}

static void lay_out_bounds(line_set *x, char **next) {
  x->upper = take(next, x->count * x->across * 4), x->need = take(next, x->count * x->across * 4);
  x->totals = take(next, x->count * (int64_t)sizeof *x->totals);
  x->largest = take(next, 2 * (int64_t)sizeof *x->largest);
}

/* Lays out what does not depend on the block. Returns where the blocks begin. */
static char *lay_out(emulation *e, char *workspace) {
  lay_out_lines(&e->A, &workspace);
  if (!e->same_lines) lay_out_lines(&e->B, &workspace);
  lay_out_bounds(&e->A, &workspace);
  if (!e->same_lines) lay_out_bounds(&e->B, &workspace);
  e->probes = take(&workspace, (int64_t)sizeof *e->probes);
  e->headroom_bits = take(&workspace, e->A.across * e->B.across * 4);
  if (e->same_lines) e->B = e->A;
  return workspace;
}

static int64_t bytes_of_lines(int64_t lines, int64_t across) {
  const int64_t line = (int64_t)(sizeof(line_stats) + sizeof(line_totals)) + 8 + 8 * across;
  return lines * line + 7 * alignment;
}

static int64_t fixed_bytes(const emulated_size *s) {
  const int64_t rows = fp64_tiles(s->m), cols = fp64_tiles(s->n);
  return bytes_of_lines(s->m, cols) + (s->same_lines ? 0 : bytes_of_lines(s->n, rows)) + 4 * rows * cols +
         2 * alignment;
}

static int64_t workspace_for(const fp64_settings *s, const emulated_size *size, const blocks *product,
                             const blocks *bounds) {
  const int64_t residues = bytes_of(size, product, s->grade == FP64_FIXED ? s->moduli : most_moduli, true);
  const int64_t ceilings = s->grade == FP64_GUARANTEED ? bytes_of(size, bounds, 1, false) : 0;
  return fixed_bytes(size) + (residues > ceilings ? residues : ceilings);
}

int64_t fp64_best_workspace(const fp64_settings *s, const emulated_size *size) {
  const blocks product = {size->m, size->n, least(size->k, most_depth)},
               bounds = {size->m, size->n, least(size->k, most_bounded_terms)};
  return workspace_for(s, size, &product, &bounds);
}

int64_t fp64_least_workspace(const fp64_settings *s, const emulated_size *size) {
  const int64_t rows = least(size->m, least_side), cols = least(size->n, least_side);
  const blocks product = {rows, cols, least(size->k, residue_terms)},
               bounds = {rows, cols, least(size->k, most_bounded_terms)};
  return workspace_for(s, size, &product, &bounds);
}

/* ------------------------------------------------------------------------------------------------- one call -- */

/* The least number of moduli with P >= 128·k, so that C's residues and the rounded norms have room. */
static int least_moduli(int64_t k) {
  double P = 1;
  int count = 0;
  while (count < 2 || P < 128.0 * (double)k) P *= residue_modulus(count++);
  return count;
}

static line_set lines_of(view A, bool along_columns, int64_t count, bool is_complex, bool first, bool conjugate) {
  return (line_set){.data = address_of(A),
                    .line_step = along_columns ? A.ld : 1,
                    .term_step = along_columns ? 1 : A.ld,
                    .count = count,
                    .form = !is_complex ? LINES_REAL
                            : first     ? LINES_ROTATED
                                        : LINES_PAIRS,
                    .single = type_is_single(A.type),
                    .conjugate = conjugate};
}

static bool is_update(const operation *o) { return o->routine == ROUTINE_SYRK || o->routine == ROUTINE_SYR2K; }

/* The product of matrices that an operation is, or of which it computes a triangle; of SYR2K, the first of two. */
static operation product_of(const operation *o) {
  return is_update(o) ? product_of_update(o) : o->routine == ROUTINE_SYMM ? product_of_symm(o) : *o;
}

emulated_size fp64_size(trigon_type type, sizes s) {
  const int64_t parts = type_is_complex(type) ? 2 : 1;
  return (emulated_size){parts * s.m, s.n, parts * s.k, false, false};
}

/* C = A·Bᴴ + B·Aᴴ is the product of (A B) and (B A)ᴴ. */
emulated_size fp64_size_of(const operation *o) {
  const operation product = product_of(o);
  sizes s = sizes_of(&product);
  if (o->routine == ROUTINE_SYR2K) s.k *= 2;
  emulated_size size = fp64_size(o->C.type, s);
  size.triangle = is_update(o), size.same_lines = o->routine == ROUTINE_SYRK && !type_is_complex(o->C.type);
  return size;
}

/* A of a SYMM, whose lines are rows on the left, and columns on the right. */
static void mirror_lines(line_set *x, const operation *o) {
  const bool lower = (o->uplo == TRIGON_LOWER) == (o->side == TRIGON_LEFT);
  x->stored = lower ? TRIANGLE_LOWER : TRIANGLE_UPPER;
  x->hermitian = type_is_complex(o->A.type) && o->adjoint == TRIGON_CONJTRANS;
  if (x->form == LINES_REAL) x->form = LINES_COMPOSED;
}

/* The other operand of SYR2K, whose numbers follow those of the lines. */
static void append(line_set *x, const line_set *other, int64_t own) {
  x->more = other->data, x->more_line_step = other->line_step, x->more_term_step = other->term_step, x->own = own;
  if (x->form == LINES_REAL) x->form = LINES_COMPOSED;
}

static triangle_kind triangle_of(const operation *o) {
  if (!is_update(o)) return TRIANGLE_NONE;
  return o->uplo == TRIGON_LOWER ? TRIANGLE_LOWER : TRIANGLE_UPPER;
}

static emulation emulation_of(const operation *o, const fp64_settings *s, const fp64_memory *memory) {
  const operation product = product_of(o);
  const emulated_size size = fp64_size_of(o);
  const bool is_complex = type_is_complex(o->C.type), fixed = s->grade == FP64_FIXED;
  emulation e = {.m = size.m,
                 .n = size.n,
                 .k = size.k,
                 .triangle = triangle_of(o),
                 .hermitian = is_complex && triangle_of(o) && o->adjoint == TRIGON_CONJTRANS,
                 .same_lines = size.same_lines,
                 .is_complex = is_complex,
                 .single = type_is_single(o->C.type),
                 .alpha = o->alpha,
                 .beta = o->beta,
                 .C = address_of(o->C),
                 .ldc = (is_complex ? 2 : 1) * o->C.ld,
                 .grade = s->grade,
                 .most_native = s->most_native,
                 .table = memory->table,
                 .choice = memory->choice,
                 .o = o};
  e.bits = s->grade == FP64_GUARANTEED ? ceiling_bits(e.k) : 8;
  e.least = fixed ? s->moduli : least_moduli(e.k), e.most = fixed ? s->moduli : most_moduli;
  e.A = lines_of(product.A, product.op != TRIGON_NOTRANS, e.m, is_complex, true, product.op == TRIGON_CONJTRANS);
  e.B = lines_of(product.B, product.opB == TRIGON_NOTRANS, e.n, is_complex, false, product.opB == TRIGON_CONJTRANS);
  if (o->routine == ROUTINE_SYMM) mirror_lines(o->side == TRIGON_LEFT ? &e.A : &e.B, o);
  if (o->routine == ROUTINE_SYR2K) {
    const line_set A = e.A;
    append(&e.A, &e.B, sizes_of(o).k), append(&e.B, &A, sizes_of(o).k);
  }
  e.A.across = fp64_tiles(e.n), e.B.across = fp64_tiles(e.m);
  return e;
}

const char *fp64_obstacle(const operation *o, const fp64_settings *settings) {
  const fp64_memory none = {0};
  const emulation e = emulation_of(o, settings, &none);
  if (is_trivial(o)) return "nothing is multiplied";
  if (!is_finite_number(e.alpha.re) || !is_finite_number(e.alpha.im)) return "alpha is not finite";
  if (e.k >> 32) return "k is 2^32 or more";
  if (e.grade == FP64_GUARANTEED && e.k >= most_bounded_terms) return "k is 2^28 or more";
  if (e.grade == FP64_FIXED && e.most < least_moduli(e.k)) return "too few moduli for k";
  return NULL;
}

trigon_status fp64_multiply(engine *native, const operation *o, const fp64_settings *settings,
                            const fp64_memory *memory, void *workspace, int64_t bytes, bool begins,
                            fp64_outcome *outcome) {
  const emulation_steps *steps = fp64_support(native->machine)->steps;
  const emulated_size size = fp64_size_of(o);
  emulation e = emulation_of(o, settings, memory);
  blocks product, bounds = {0};
  const bool bounded = settings->grade == FP64_GUARANTEED;
  const int64_t left = bytes - fixed_bytes(&size);
  char *const buffer = left > 0 ? lay_out(&e, workspace) : NULL; /* if nothing is left, no block fits */
  const triangle_part part = part_from(&e, 0, 0);
  const char *why = fp64_obstacle(o, settings);
  if (!why &&
      (!find_blocks(&size, e.most, true, left, &product) || (bounded && !find_blocks(&size, 1, false, left, &bounds))))
    why = fp64_no_room;
  *outcome = (fp64_outcome){why, why ? 0 : count_part_of_tiles(&part, e.m, e.n, fp64_tile, fp64_tile)};
  if (why) return native->run(native, o);

  e.begins = begins;
  if (bounded) {
    lay_out_block(&e, &size, &bounds, 1, buffer);
    (void)enter_block(&e, &bounds, 1, 0, 0);
  }
  e.packs = bounded && bounds.rows == e.m && bounds.cols == e.n;
  TRY(steps->find_lines(native, &e));
  if (bounded) TRY(each_block(native, steps, &e, &bounds, 1, bound_block));
  TRY(steps->choose(native, &e));
  lay_out_block(&e, &size, &product, e.most, buffer);
  TRY(each_block(native, steps, &e, &product, e.most, multiply_block));
  return steps->run_natively(native, &e);
}
