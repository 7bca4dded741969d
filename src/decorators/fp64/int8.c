/* int8.c - C = alpha·op(A)·op(B) + beta·C by products of residues and the Chinese remainder theorem: the sequence of
 * the steps, and the blocks that fit into the workspace.
 *
 * The lines of a block become planes: one byte for each element and modulus. The products of two planes, modulo their
 * number, are added up over blocks of terms. So a block of C needs few bytes whatever k is.
 * Source: Ozaki, Uchino, Imamura, arXiv 2504.08009; docs/fp64.md has our bounds. */
#include "../../core/address.h"
#include "fp64.h"

enum {
  least_side = fp64_tile, /* of a block of C */
  wide_side = 1024,       /* a block of C should not be smaller: the residues of its lines would cost too much */
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

static int64_t bytes_of(const blocks *b, int planes, bool with_C) {
  const int64_t C = with_C ? padded(padded(b->rows, residue_chunk) * b->cols, alignment) : 0;
  return planes * (residue_plane(b->rows, b->depth) + residue_plane(b->cols, b->depth) + C);
}

/* The largest blocks that fit, and are not smaller than `side` and `depth`. A's residues are made once for each block
 * of rows, and B's once for each block of C. So the rows are cut last. */
static bool fit(const emulation *e, int planes, bool with_C, int64_t side, int64_t depth, int64_t bytes, blocks *b) {
  for (b->depth = least(e->k, with_C ? most_depth : e->k);; b->depth = half(b->depth)) {
    for (b->rows = e->m;; b->rows = half(b->rows)) {
      for (b->cols = e->n;; b->cols = half(b->cols)) {
        if (bytes_of(b, planes, with_C) <= bytes) return true;
        if (b->cols <= side) break;
      }
      if (b->rows <= side) break;
    }
    if (b->depth <= depth) return false;
  }
}

static bool find_blocks(const emulation *e, int planes, bool with_C, int64_t bytes, blocks *b) {
  const int64_t whole = with_C ? deep : e->k; /* bounds are found over all terms at once */
  return fit(e, planes, with_C, wide_side, whole, bytes, b) || fit(e, planes, with_C, least_side, whole, bytes, b) ||
         (with_C && fit(e, planes, with_C, least_side, residue_terms, bytes, b));
}

static void place_block(emulation *e, const blocks *b, int planes, char *buffer) {
  e->depth = b->depth;
  e->ld = padded(b->rows, residue_chunk), e->plane = padded(e->ld * b->cols, alignment);
  e->A.planes = (int8_t *)buffer;
  e->B.planes = e->A.planes + planes * residue_plane(b->rows, b->depth);
  e->residues = e->B.planes + planes * residue_plane(b->cols, b->depth);
}

/* ---------------------------------------------------------------------------------------------- the sequence -- */

/* If a block has all lines, the ceilings are there already. */
static trigon_status find_all_bounds(engine *native, const emulation_steps *steps, emulation *e, const blocks *b) {
  for (e->A.first = 0; e->A.first < e->m; e->A.first += b->rows) {
    e->A.present = least(b->rows, e->m - e->A.first);
    if (!e->packs) TRY(steps->pack_ceilings(native, e, &e->A));
    for (e->B.first = 0; e->B.first < e->n; e->B.first += b->cols) {
      e->B.present = least(b->cols, e->n - e->B.first);
      if (!e->packs) TRY(steps->pack_ceilings(native, e, &e->B));
      TRY(steps->find_bounds(native, e));
    }
  }
  return TRIGON_OK;
}

/* The rows of a block are prepared once, if a block has all terms. */
static trigon_status multiply_block(engine *native, const emulation_steps *steps, emulation *e) {
  for (e->first = 0; e->first < e->k; e->first += e->depth) {
    if (e->B.first == 0 || e->depth < e->k) TRY(steps->make_residues(native, e, &e->A));
    TRY(steps->make_residues(native, e, &e->B));
    TRY(steps->multiply(native, e));
  }
  return steps->finish(native, e);
}

static trigon_status multiply_all(engine *native, const emulation_steps *steps, emulation *e, const blocks *b) {
  for (e->A.first = 0; e->A.first < e->m; e->A.first += b->rows)
    for (e->B.first = 0; e->B.first < e->n; e->B.first += b->cols) {
      e->A.present = least(b->rows, e->m - e->A.first), e->B.present = least(b->cols, e->n - e->B.first);
      TRY(multiply_block(native, steps, e));
    }
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------------- workspace -- */

static void *take(char **next, int64_t bytes) {
  void *taken = *next;
  *next += padded(bytes, alignment);
  return taken;
}

static void place_lines(line_set *x, char **next) {
  x->stats = take(next, x->count * (int64_t)sizeof *x->stats);
  x->log = take(next, x->count * 4), x->exponent = take(next, x->count * 4);
}

static void place_bounds(line_set *x, char **next) {
  x->upper = take(next, x->count * x->across * 4), x->need = take(next, x->count * x->across * 4);
  x->totals = take(next, x->count * (int64_t)sizeof *x->totals);
  x->largest = take(next, 2 * (int64_t)sizeof *x->largest);
}

/* Places what does not depend on the block. Returns where the blocks begin. */
static char *place(emulation *e, char *workspace) {
  place_lines(&e->A, &workspace), place_lines(&e->B, &workspace);
  place_bounds(&e->A, &workspace), place_bounds(&e->B, &workspace);
  e->rooms = take(&workspace, e->A.across * e->B.across * 4);
  return workspace;
}

static int64_t fixed_bytes(int64_t m, int64_t n) {
  const int64_t rows = fp64_tiles(m), cols = fp64_tiles(n);
  const int64_t line = (int64_t)(sizeof(line_stats) + sizeof(line_totals)) + 8;
  return (m + n) * line + 8 * (m * cols + n * rows) + 4 * rows * cols + 15 * alignment;
}

static int64_t workspace_for(const fp64_settings *s, int64_t m, int64_t n, const blocks *product,
                             const blocks *bounds) {
  const int64_t residues = bytes_of(product, s->grade == FP64_FIXED ? s->moduli : most_moduli, true);
  const int64_t ceilings = s->grade == FP64_GUARANTEED ? bytes_of(bounds, 1, false) : 0;
  return fixed_bytes(m, n) + (residues > ceilings ? residues : ceilings);
}

int64_t fp64_best_workspace(const fp64_settings *s, int64_t m, int64_t n, int64_t k) {
  const blocks product = {m, n, least(k, most_depth)}, bounds = {m, n, least(k, most_bounded_terms)};
  return workspace_for(s, m, n, &product, &bounds);
}

int64_t fp64_least_workspace(const fp64_settings *s, int64_t m, int64_t n, int64_t k) {
  const int64_t rows = least(m, least_side), cols = least(n, least_side);
  const blocks product = {rows, cols, least(k, residue_terms)}, bounds = {rows, cols, least(k, most_bounded_terms)};
  return workspace_for(s, m, n, &product, &bounds);
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
                            : first     ? LINES_TURNED
                                        : LINES_PAIRS,
                    .single = type_is_single(A.type),
                    .conjugate = conjugate};
}

static emulation emulation_of(const operation *o, const fp64_settings *s, const fp64_memory *memory) {
  const sizes size = sizes_of(o);
  const bool is_complex = type_is_complex(o->C.type), fixed = s->grade == FP64_FIXED;
  const int64_t parts = is_complex ? 2 : 1;
  emulation e = {.m = parts * size.m,
                 .n = size.n,
                 .k = parts * size.k,
                 .is_complex = is_complex,
                 .single = type_is_single(o->C.type),
                 .alpha = o->alpha,
                 .beta = o->beta,
                 .C = address_of(o->C),
                 .ldc = parts * o->C.ld,
                 .grade = s->grade,
                 .table = memory->table,
                 .choice = memory->choice,
                 .o = o};
  e.bits = s->grade == FP64_GUARANTEED ? ceiling_bits(e.k) : 8;
  e.least = fixed ? s->moduli : least_moduli(e.k), e.most = fixed ? s->moduli : most_moduli;
  e.A = lines_of(o->A, o->op != TRIGON_NOTRANS, e.m, is_complex, true, o->op == TRIGON_CONJTRANS);
  e.B = lines_of(o->B, o->opB == TRIGON_NOTRANS, e.n, is_complex, false, o->opB == TRIGON_CONJTRANS);
  e.A.across = fp64_tiles(e.n), e.B.across = fp64_tiles(e.m);
  return e;
}

/* Why a product cannot be emulated, or NULL. */
static const char *obstacle(const emulation *e) {
  if (!is_finite_number(e->alpha.re) || !is_finite_number(e->alpha.im)) return "alpha is not finite";
  if (e->k >> 32) return "k is 2^32 or more";
  if (e->grade == FP64_GUARANTEED && e->k >= most_bounded_terms) return "k is 2^28 or more";
  if (e->grade == FP64_FIXED && e->most < least_moduli(e->k)) return "too few moduli for k";
  return NULL;
}

trigon_status fp64_gemm(engine *native, const operation *o, const fp64_settings *settings, const fp64_memory *memory,
                        void *workspace, int64_t bytes, bool begins, const char **why) {
  const emulation_steps *steps = fp64_steps(native);
  emulation e = emulation_of(o, settings, memory);
  blocks product, bounds = {0};
  const bool bounded = settings->grade == FP64_GUARANTEED;
  const int64_t left = bytes - fixed_bytes(e.m, e.n);
  char *const buffer = left > 0 ? place(&e, workspace) : NULL; /* if nothing is left, no block fits */
  e.begins = begins;
  *why = is_trivial(o) ? "nothing is multiplied" : obstacle(&e);
  if (!*why &&
      (!find_blocks(&e, e.most, true, left, &product) || (bounded && !find_blocks(&e, 1, false, left, &bounds))))
    *why = fp64_no_room;
  if (*why) return native->run(native, o);

  if (bounded) place_block(&e, &bounds, 1, buffer);
  e.packs = bounded && bounds.rows == e.m && bounds.cols == e.n;
  TRY(steps->find_lines(native, &e));
  if (bounded) TRY(find_all_bounds(native, steps, &e, &bounds));
  TRY(steps->choose(native, &e));
  place_block(&e, &product, e.most, buffer);
  TRY(multiply_all(native, steps, &e, &product));
  return steps->run_natively(native, &e);
}
