/* host_steps.c - the steps of an emulated product in plain C: the reference that every machine matches bit for bit.
 *
 * The planes of a block are rows of bytes, one for each line, as long as whole blocks of terms. */
#include "common/address.h"
#include "fp64/double_float/double_float_matrices.h"
#include "fp64/int8/emulation_rules.h"
#include "fp64/int8/probe.h"
#include "host_double_float.h"
#include "host_product.h"

typedef struct host_task {
  const emulation *e;
  const line_set *side;
} host_task;

static int32_t larger(int32_t x, int32_t y) { return x > y ? x : y; }
static uint32_t larger_bits(uint32_t x, uint32_t y) { return x > y ? x : y; }

static trigon_status in_parallel(engine *e, int64_t count, index_work *work, const emulation *of,
                                 const line_set *side) {
  host_task t = {of, side};
  machine_parallel_for(e->machine, count, work, &t);
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------------- the lines -- */

static int64_t bytes_of_line(const emulation *e) { return residue_blocks(e->depth) * residue_terms; }

static void pack_ceiling_line(int64_t i, void *shared) {
  const host_task *t = shared;
  const int64_t number = t->side->first + i;
  const split_power scale = power_of(t->side->stats[number].scale);
  uint8_t *out = (uint8_t *)t->side->planes + i * bytes_of_line(t->e);
  for (int64_t l = 0; l < t->e->k; l++)
    out[l] = (uint8_t)packed_ceiling(element_of_line(t->side, number, l), scale, t->e->bits);
}

static void find_line(int64_t i, void *shared) {
  const host_task *t = shared;
  const line_set *x = t->side;
  double largest = 0;
  bool finite = true;
  for (int64_t l = 0; l < t->e->k; l++) {
    const double a = fabs(element_of_line(x, i, l));
    if (!is_finite_number(a))
      finite = false;
    else if (a > largest)
      largest = a;
  }
  line_scale scale = scale_of_line(t->e, largest);
  const split_power fine = fine_power(&scale);
  line_sample sample = {0, 0};
  for (int64_t l = 0; t->e->grade == FP64_GUARANTEED && l < t->e->k; l += sample_step(t->e))
    add_sample(&sample, element_of_line(x, i, l), fine);
  scale.cut = cut_for(&sample, scale.bits);
  line_sums sums = no_line_sums();
  for (int64_t l = 0; l < t->e->k; l++) add_element(&sums, element_of_line(x, i, l), fine, &scale);
  x->stats[i] = stats_of(&sums, &scale, finite, t->e->k);
  if (t->e->packs) pack_ceiling_line(i, shared);
}

static void find_largest(const line_set *x) {
  for (int64_t i = 0; i < x->count; i++) {
    x->largest[0] = x->stats[i].norm > x->largest[0] ? x->stats[i].norm : x->largest[0];
    x->largest[1] = x->stats[i].excess > x->largest[1] ? x->stats[i].excess : x->largest[1];
  }
}

static void clear_bounds(const line_set *x) {
  memset(x->upper, 0, sizeof *x->upper * (size_t)(x->across * x->count));
  memset(x->need, 0, sizeof *x->need * (size_t)(x->across * x->count));
  memset(x->largest, 0, 2 * sizeof *x->largest);
}

static trigon_status find_lines_of(engine *native, const emulation *e, const line_set *x) {
  clear_bounds(x);
  TRY(in_parallel(native, x->count, find_line, e, x));
  find_largest(x);
  return TRIGON_OK;
}

static int32_t grain_of_line(const line_set *x, int64_t i, int64_t k) {
  int32_t grain = no_grain;
  for (int64_t l = 0; l < k; l++) grain = finer_grain(grain, element_of_line(x, i, l));
  return grain;
}

/* Whether the tile that begins at (row, col) fails at a look. */
static bool fails(const emulation *e, int64_t row, int64_t col) {
  tile_probe p;
  clear_probe(&p);
  for (int64_t l = 0; l < e->k; l++) {
    double a[probe_lines], b[probe_lines];
    for (int i = 0; i < probe_lines; i++)
      a[i] = element_of_line(&e->A, probed_line(&e->A, row, i), l),
      b[i] = element_of_line(&e->B, probed_line(&e->B, col, i), l);
    probe_term(&p, a, b);
  }
  if (!tile_fails(e, &p)) return false;
  for (int i = 0; i < probe_lines; i++)
    p.rows[i].grain = grain_of_line(&e->A, probed_line(&e->A, row, i), e->k),
    p.cols[i].grain = grain_of_line(&e->B, probed_line(&e->B, col, i), e->k);
  return tile_fails(e, &p);
}

/* A look at a few tiles. */
static void count_probes(const emulation *e) {
  const int64_t down = e->B.across, across = e->A.across;
  *e->probes = (probe_count){0};
  for (int64_t j = 0; e->grade == FP64_GUARANTEED && j < probes_of(across); j++)
    for (int64_t i = 0; i < probes_of(down); i++) {
      const int64_t row = probed_tile(i, down), col = probed_tile(j, across);
      if (!computes_tile(e, row, col)) continue;
      e->probes->all++, e->probes->unproved += fails(e, row * fp64_tile, col * fp64_tile);
    }
}

static trigon_status find_lines(engine *native, const emulation *e) {
  count_probes(e);
  if (is_hopeless(e)) return TRIGON_OK;
  TRY(find_lines_of(native, e, &e->A));
  return e->same_lines ? TRIGON_OK : find_lines_of(native, e, &e->B);
}

/* -------------------------------------------------------------------------------------- the guaranteed grade -- */

static trigon_status pack_ceilings(engine *native, const emulation *e, const line_set *side) {
  return in_parallel(native, is_hopeless(e) ? 0 : side->present, pack_ceiling_line, e, side);
}

/* A tile of C within the present block: its first and last rows and columns. */
typedef struct result_tile {
  int64_t row, col, end_row, end_col;
} result_tile;

static result_tile tile_of(const emulation *e, int64_t i) {
  const int64_t down = fp64_tiles(e->A.present);
  const int64_t row = e->A.first + i % down * fp64_tile, col = e->B.first + i / down * fp64_tile;
  return (result_tile){row, col, least(row + fp64_tile, e->A.first + e->A.present),
                       least(col + fp64_tile, e->B.first + e->B.present)};
}
static int64_t tiles_of_block(const emulation *e) { return fp64_tiles(e->A.present) * fp64_tiles(e->B.present); }

static void bound_tile(int64_t i, void *shared) {
  const emulation *e = ((host_task *)shared)->e;
  const result_tile t = tile_of(e, i);
  if (!computes_tile(e, t.row / fp64_tile, t.col / fp64_tile)) return;
  uint32_t *const row_upper = e->A.upper + t.col / fp64_tile * e->m, *const row_need =
                                                                         e->A.need + (row_upper - e->A.upper);
  uint32_t *const col_upper = e->B.upper + t.row / fp64_tile * e->n, *const col_need =
                                                                         e->B.need + (col_upper - e->B.upper);
  for (int64_t c = t.col; c < t.end_col; c++)
    for (int64_t r = t.row; r < t.end_row; r++) {
      const uint8_t *a = (uint8_t *)e->A.planes + (r - e->A.first) * bytes_of_line(e),
                    *b = (uint8_t *)e->B.planes + (c - e->B.first) * bytes_of_line(e);
      uint32_t upper = 0;
      for (int64_t l = 0; l < e->k; l++) upper += (uint32_t)a[l] * b[l];
      if (!upper) continue; /* all products are zero */
      const line_stats *row = &e->A.stats[r], *col = &e->B.stats[c];
      const uint32_t lower =
          lower_bound(upper, row->ceilings + col->ceilings, row->nonzeros + col->nonzeros - (uint32_t)e->k);
      row_upper[r] = larger_bits(row_upper[r], upper), col_upper[c] = larger_bits(col_upper[c], upper);
      const uint32_t bits = bits_of_bound(upper, lower);
      row_need[r] = larger_bits(row_need[r], stored_need(need_from(need_share(col->log_norm), bits)));
      col_need[c] = larger_bits(col_need[c], stored_need(need_from(need_share(row->log_norm), bits)));
    }
}

static trigon_status find_bounds(engine *native, const emulation *e) {
  return in_parallel(native, is_hopeless(e) ? 0 : tiles_of_block(e), bound_tile, e, NULL);
}

/* ------------------------------------------------------------------------------------------ the number of moduli -- */

static void find_log(int64_t i, void *shared) {
  const host_task *t = shared;
  t->side->log[i] = log_of_line(t->e, t->side, i);
}

static void find_headroom(int64_t i, void *shared) {
  const emulation *e = ((host_task *)shared)->e;
  const int64_t row = i % e->B.across, col = i / e->B.across;
  int32_t headroom = 0;
  if (!computes_tile(e, row, col)) return;
  if (is_hopeless(e)) {
    e->headroom_bits[i] = hopeless_headroom;
    return;
  }
  for (int64_t r = row * fp64_tile; r < least((row + 1) * fp64_tile, e->m); r++)
    headroom = larger(headroom, headroom_of_line(e, &e->A, r, col));
  for (int64_t c = col * fp64_tile; c < least((col + 1) * fp64_tile, e->n); c++)
    headroom = larger(headroom, headroom_of_line(e, &e->B, c, row));
  e->headroom_bits[i] = headroom;
}

static trigon_status choose(engine *native, const emulation *e) {
  if (!is_hopeless(e)) TRY(in_parallel(native, e->m, find_log, e, &e->A));
  if (!is_hopeless(e) && !e->same_lines) TRY(in_parallel(native, e->n, find_log, e, &e->B));
  TRY(in_parallel(native, e->A.across * e->B.across, find_headroom, e, NULL));
  tile_count count = {0};
  for (int64_t i = 0; i < e->A.across * e->B.across; i++)
    if (computes_tile(e, i % e->B.across, i / e->B.across)) count_tile(&count, e, e->headroom_bits[i]);
  decide(e, &count);
  return TRIGON_OK;
}

/* ----------------------------------------------------------------------------------------------- the product -- */

static void make_line_residues(int64_t i, void *shared) {
  const host_task *t = shared;
  const emulation *e = t->e;
  const crt *r = &e->table[e->choice->moduli];
  const int64_t number = t->side->first + i, plane = t->side->plane;
  const int64_t terms = least(e->depth, e->k - e->first);
  const int exponent = exponent_of_line(e, t->side, number);
  t->side->exponent[number] = exponent;
  int8_t *out = t->side->planes + i * bytes_of_line(e);
  for (int64_t l = 0; l < terms; l++) {
    const double a = element_of_line(t->side, number, e->first + l);
    const scaled integer = round_scaled(is_finite_number(a) ? a : 0, exponent);
    for (int m = 0; m < r->count; m++) out[m * plane + l] = residue_of(integer, &r->moduli[m]);
  }
}

static trigon_status make_residues(engine *native, const emulation *e, const line_set *side) {
  return in_parallel(native, e->choice->moduli ? side->present : 0, make_line_residues, e, side);
}

/* Sums stay below 2^31 for `shortest` terms. Modulo 256 they may overflow: their low bytes stay right. */
static void multiply_column(int64_t col, void *shared) {
  enum { shortest = 1 << 16 };
  const emulation *e = ((host_task *)shared)->e;
  const crt *r = &e->table[e->choice->moduli];
  const int64_t terms = least(e->depth, e->k - e->first);
  for (int m = 0; m < r->count; m++) {
    const int8_t *b = e->B.planes + m * e->B.plane + col * bytes_of_line(e);
    int8_t *c = e->residues + m * e->plane + col * e->ld;
    for (int64_t row = 0; row < e->A.present; row++) {
      if (!computes_element(e, e->A.first + row, e->B.first + col)) continue;
      const int8_t *a = e->A.planes + m * e->A.plane + row * bytes_of_line(e);
      int32_t sum = e->first ? (int32_t)c[row] : 0;
      for (int64_t from = 0; from < terms; from += shortest) {
        for (int64_t l = from; l < least(from + shortest, terms); l++) sum += (int32_t)a[l] * b[l];
        sum = (int32_t)residue_of_sum(sum, &r->moduli[m]);
      }
      c[row] = (int8_t)sum;
    }
  }
}

static trigon_status multiply(engine *native, const emulation *e) {
  return in_parallel(native, e->choice->moduli ? e->B.present : 0, multiply_column, e, NULL);
}

static double_double integer_at(const emulation *e, int64_t row, int64_t col) {
  const int8_t *residues = e->residues + (row - e->A.first) + (col - e->B.first) * e->ld;
  return reconstruct(&e->table[e->choice->moduli], residues, e->plane);
}

static void finish_tile(int64_t i, void *shared) {
  const emulation *e = ((host_task *)shared)->e;
  const result_tile t = tile_of(e, i);
  const int64_t row = t.row / fp64_tile, col = t.col / fp64_tile;
  if (!computes_tile(e, row, col) || !is_emulated(e, row, col)) return;
  for (int64_t c = t.col; c < t.end_col; c++)
    for (int64_t r = t.row; r < t.end_row; r += e->is_complex ? 2 : 1) {
      if (!computes_element(e, r, c)) continue;
      const int exponent = e->A.exponent[r] + e->B.exponent[c];
      if (e->is_complex)
        finish_complex(e, r, c, integer_at(e, r, c), exponent, integer_at(e, r + 1, c),
                       e->A.exponent[r + 1] + e->B.exponent[c]);
      else
        store_real(e, r + c * e->ldc, real_of_integer(e, r + c * e->ldc, integer_at(e, r, c), exponent));
    }
}

static trigon_status finish(engine *native, const emulation *e) {
  return in_parallel(native, e->choice->moduli ? tiles_of_block(e) : 0, finish_tile, e, NULL);
}

/* ----------------------------------------------------------------------------------------------------- pairs -- */

static trigon_status multiply_by_pairs(engine *native, const operation *o, void *workspace, int64_t bytes) {
  const product p = fold_gemm(o);
  double_float_gemm(native->machine, o->C.type, &p, workspace, bytes);
  return TRIGON_OK;
}

static trigon_status gemm_of_pairs(machine *m, const operation *o) {
  const double_float_product pairs = double_float_product_of(o);
  gemm_pairs(m, &pairs);
  return TRIGON_OK;
}

static trigon_status copy_views(machine *m, view from, view to) {
  const double_float_copy c = double_float_copy_of(from, to);
  copy_pairs(m, &c);
  return TRIGON_OK;
}

static const emulation_steps steps = {
    .find_lines = find_lines,
    .pack_ceilings = pack_ceilings,
    .find_bounds = find_bounds,
    .choose = choose,
    .make_residues = make_residues,
    .multiply = multiply,
    .finish = finish,
    .run_natively = fp64_host_fallback,
    .multiply_double_float = multiply_by_pairs,
};

static const pair_calls pairs = {.gemm = gemm_of_pairs, .copy = copy_views};

const emulation_support fp64_host_support = {.steps = &steps, .pairs = &pairs};
