/* int8.c - C = alpha·op(A)·op(B) + beta·C by integer products and the Chinese remainder theorem.
 *
 * Blocks of A and B become planes: one byte for each element and modulus, lines contiguous. The products of two planes,
 * modulo their number, are added up over blocks of k. So a block of C needs few bytes whatever k is. */
#include "../../core/address.h"
#include "../../core/line.h"
#include "../../core/unscale.h"
#include "fp64.h"

enum { least_depth = 64, most_depth = 4096 }; /* of a block of k */

/* Element l of line i is at data + i·line + l·step. */
typedef struct lines {
  const double *data;
  int64_t line, step, count;
  struct line *stats;
  int32_t *log, *E;              /* of each line */
  int32_t *tile_log, *tile_need; /* of each line in each tile of C: the largest */
} lines;

typedef struct job {
  const operation *o;
  int64_t k, tiles_m, tiles_n;
  lines A, B;
  int32_t *room; /* that each tile needs; more than all moduli have: native */
  crt crt;
  /* the present block */
  lines *side;
  int64_t row, col, first, mb, nb, kb, depth;
  uint8_t *a, *b;
  int8_t *c;
  uint64_t *ceilings;
} job;

static int64_t tiles_of(int64_t size) { return (size + fp64_tile - 1) / fp64_tile; }
static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int32_t larger(int32_t x, int32_t y) { return x > y ? x : y; }
static void in_parallel(engine *e, int64_t count, each_work *work, job *j) {
  if (e->each && e->each(e, count, work, j)) return;
  for (int64_t i = 0; i < count; i++) work(e, i, j);
}

static double element(const lines *x, int64_t i, int64_t l) { return x->data[i * x->line + l * x->step]; }
/* ------------------------------------------------------------------------------------------------ statistics -- */

static line line_of(const lines *x, int64_t i, int64_t k) {
  line s = {.finite = true, .grain = 1 << 20};
  double largest = 0;
  for (int64_t l = 0; l < k; l++) {
    const double a = fabs(element(x, i, l));
    if (!is_finite_number(a))
      s.finite = false;
    else if (a > largest)
      largest = a;
  }
  if (largest == 0) return (line){.finite = s.finite};
  s.scale = scale_of(largest);
  for (int64_t l = 0; l < k; l++) {
    const double a = element(x, i, l);
    if (a == 0 || !is_finite_number(a)) continue;
    const uint64_t fine = ceil_scaled(a, s.scale + 8);
    const int32_t grain = grain_of(a);
    s.grain = grain < s.grain ? grain : s.grain;
    s.ceilings += (fine + 255) / 256, s.squares += fine * fine, s.nonzeros++;
  }
  return s;
}

static void find_line(engine *e, int64_t i, void *shared) {
  (void)e;
  job *j = shared;
  j->side->stats[i] = line_of(j->side, i, j->k);
}

/* ---------------------------------------------------------------------------------------------------- blocks -- */

/* The largest block of C with `planes` planes and `bytes` for each element of C, whose buffers fit. */
static void plan_block(job *j, int64_t planes, int64_t bytes, int64_t available) {
  j->mb = j->tiles_m * fp64_tile, j->nb = j->tiles_n * fp64_tile;
  j->depth = j->k < least_depth ? least_depth : least(j->k, most_depth);
  while (planes * (j->mb + j->nb) * j->depth + bytes * j->mb * j->nb > available) {
    if (j->mb > fp64_tile && j->mb >= j->nb)
      j->mb = tiles_of(j->mb / 2) * fp64_tile;
    else if (j->nb > fp64_tile)
      j->nb = tiles_of(j->nb / 2) * fp64_tile;
    else
      j->depth /= 2;
    if (j->depth < least_depth) j->depth = least_depth;
    if (j->mb == fp64_tile && j->nb == fp64_tile && j->depth == least_depth) break;
  }
}

static void place_block(job *j, uint8_t *buffer, int64_t planes, int64_t bytes) {
  j->c = (int8_t *)buffer, j->ceilings = (uint64_t *)(void *)buffer;
  j->a = buffer + bytes * j->mb * j->nb, j->b = j->a + planes * j->mb * j->depth;
}

/* Runs `make` for the lines of both operands and `multiply` for the columns of C, over all blocks of k; then `end`. */
static void over_blocks(engine *e, job *j, each_work *make, each_work *multiply, each_work *end, int64_t result_bytes) {
  for (j->col = 0; j->col < j->B.count; j->col += j->nb)
    for (j->row = 0; j->row < j->A.count; j->row += j->mb) {
      const int64_t rows = least(j->mb, j->A.count - j->row), cols = least(j->nb, j->B.count - j->col);
      memset(j->c, 0, (size_t)(result_bytes * j->mb * j->nb));
      for (j->first = 0; j->first < j->k; j->first += j->depth) {
        j->kb = least(j->depth, j->k - j->first);
        j->side = &j->A;
        in_parallel(e, rows, make, j);
        j->side = &j->B;
        in_parallel(e, cols, make, j);
        in_parallel(e, cols, multiply, j);
      }
      in_parallel(e, tiles_of(rows) * tiles_of(cols), end, j);
    }
}

/* The tile of C with this number in the present block: its rows and columns. */
typedef struct tile {
  int64_t row, col, end_row, end_col, index;
} tile;

static tile tile_of(const job *j, int64_t i) {
  const int64_t down = tiles_of(least(j->mb, j->A.count - j->row));
  const int64_t row = j->row + i % down * fp64_tile, col = j->col + i / down * fp64_tile;
  return (tile){row, col, least(row + fp64_tile, j->A.count), least(col + fp64_tile, j->B.count),
                row / fp64_tile + col / fp64_tile * j->tiles_m};
}

/* -------------------------------------------------------------------------------------- the guaranteed grade -- */

static void make_ceilings(engine *e, int64_t i, void *shared) {
  (void)e;
  job *j = shared;
  const bool first = j->side == &j->A;
  const int64_t number = (first ? j->row : j->col) + i;
  uint8_t *out = (first ? j->a : j->b) + i * j->depth;
  for (int64_t l = 0; l < j->kb; l++) {
    const double a = element(j->side, number, j->first + l);
    out[l] = is_finite_number(a) ? (uint8_t)ceil_scaled(a, j->side->stats[number].scale) : 0;
  }
}

static void multiply_ceilings(engine *e, int64_t col, void *shared) {
  (void)e;
  job *j = shared;
  const uint8_t *b = j->b + col * j->depth;
  for (int64_t row = 0; row < least(j->mb, j->A.count - j->row); row++) {
    const uint8_t *a = j->a + row * j->depth;
    uint32_t sum = 0; /* at most 4096·255² */
    for (int64_t l = 0; l < j->kb; l++) sum += (uint32_t)a[l] * b[l];
    j->ceilings[row + col * j->mb] += sum;
  }
}

/* The largest bound and the largest need of each line within one tile. */
static void bound_tile(engine *e, int64_t i, void *shared) {
  (void)e;
  job *j = shared;
  const tile t = tile_of(j, i);
  int32_t *row_log = j->A.tile_log + t.col / fp64_tile * j->A.count,
          *col_log = j->B.tile_log + t.row / fp64_tile * j->B.count;
  int32_t *row_need = j->A.tile_need + (row_log - j->A.tile_log),
          *col_need = j->B.tile_need + (col_log - j->B.tile_log);
  for (int64_t r = t.row; r < t.end_row; r++) row_log[r] = 0, row_need[r] = no_need;
  for (int64_t c = t.col; c < t.end_col; c++) {
    col_log[c] = 0, col_need[c] = no_need;
    for (int64_t r = t.row; r < t.end_row; r++) {
      const uint64_t upper = j->ceilings[r - j->row + (c - j->col) * j->mb];
      if (!upper) continue; /* all products are zero */
      const line *a = &j->A.stats[r], *b = &j->B.stats[c];
      const uint64_t lower = lower_bound(upper, a, b, j->k);
      const int32_t log = log2_above(upper);
      row_log[r] = larger(row_log[r], log), col_log[c] = larger(col_log[c], log);
      row_need[r] = larger(row_need[r], need_of(b, lower)), col_need[c] = larger(col_need[c], need_of(a, lower));
    }
  }
}

static void collect_logs(lines *x, int64_t tiles) {
  for (int64_t i = 0; i < x->count; i++) {
    x->log[i] = 0;
    for (int64_t t = 0; t < tiles; t++) x->log[i] = larger(x->log[i], x->tile_log[t * x->count + i]);
  }
}

static int32_t room_of_lines(const lines *x, int64_t first, int64_t across, int64_t k) {
  int32_t room = 0;
  for (int64_t i = first; i < least(first + fp64_tile, x->count); i++)
    room = larger(room, room_for(&x->stats[i], x->log[i], x->tile_need[across * x->count + i], k));
  return room;
}

static void find_bounds(engine *e, job *j, uint8_t *buffer, int64_t available) {
  plan_block(j, 1, 8, available);
  place_block(j, buffer, 1, 8);
  over_blocks(e, j, make_ceilings, multiply_ceilings, bound_tile, 8);
  collect_logs(&j->A, j->tiles_n), collect_logs(&j->B, j->tiles_m);
  for (int64_t c = 0; c < j->tiles_n; c++)
    for (int64_t r = 0; r < j->tiles_m; r++)
      j->room[r + c * j->tiles_m] =
          larger(room_of_lines(&j->A, r * fp64_tile, c, j->k), room_of_lines(&j->B, c * fp64_tile, r, j->k));
}

/* ---------------------------------------------------------------------------------- the grades by norms alone -- */

static int32_t find_norms(lines *x, int64_t k) {
  int32_t room = 0;
  for (int64_t i = 0; i < x->count; i++) {
    const line *a = &x->stats[i];
    x->log[i] = log_of_norm(a);
    if (a->squares) room = larger(room, room_for(a, x->log[i], -x->log[i], k));
  }
  return room;
}

/* ----------------------------------------------------------------------------------------------- the product -- */

static void choose_exponents(const job *j, lines *x, fp64_grade grade) {
  for (int64_t i = 0; i < x->count; i++) {
    x->E[i] = exponent_for(j->crt.room, x->log[i]);
    /* A norm with E < 8 and rounding: 48/256 of a bit pay for sqrt(k)/2, as k <= P/128. */
    if (grade != FP64_GUARANTEED && x->E[i] < 8 && x->E[i] < exact_from(&x->stats[i]))
      x->E[i] = exponent_for(j->crt.room - 48, x->log[i]);
    if (!x->stats[i].nonzeros) x->E[i] = 0;
  }
}

static void make_residues(engine *e, int64_t i, void *shared) {
  (void)e;
  job *j = shared;
  const bool first = j->side == &j->A;
  const int64_t number = (first ? j->row : j->col) + i, plane = (first ? j->mb : j->nb) * j->depth;
  int8_t *out = (int8_t *)(first ? j->a : j->b) + i * j->depth;
  const int exponent = j->side->stats[number].scale + j->side->E[number];
  for (int64_t l = 0; l < j->kb; l++) {
    const double a = element(j->side, number, j->first + l);
    const scaled integer = round_scaled(is_finite_number(a) ? a : 0, exponent);
    for (int t = 0; t < j->crt.count; t++) out[t * plane + l] = residue_of(integer, &j->crt.moduli[t]);
  }
}

static void multiply_residues(engine *e, int64_t col, void *shared) {
  (void)e;
  job *j = shared;
  for (int t = 0; t < j->crt.count; t++) {
    const int8_t *b = (int8_t *)j->b + (t * j->nb + col) * j->depth;
    int8_t *c = j->c + (t * j->nb + col) * j->mb;
    for (int64_t row = 0; row < least(j->mb, j->A.count - j->row); row++) {
      const int8_t *a = (int8_t *)j->a + (t * j->mb + row) * j->depth;
      int32_t sum = (int32_t)c[row]; /* |sum| <= 128 + 4096·128² */
      for (int64_t l = 0; l < j->kb; l++) sum += (int32_t)a[l] * b[l];
      c[row] = residue_of_sum(sum, &j->crt.moduli[t]);
    }
  }
}

static void finish_tile(engine *e, int64_t i, void *shared) {
  (void)e;
  const job *j = shared;
  const tile t = tile_of(j, i);
  const operation *o = j->o;
  if (j->room[t.index] > j->crt.room) return;
  for (int64_t c = t.col; c < t.end_col; c++)
    for (int64_t r = t.row; r < t.end_row; r++) {
      const pair sum = reconstruct(&j->crt, j->c + (c - j->col) * j->mb + r - j->row, j->mb * j->nb);
      const int exponent = j->A.stats[r].scale + j->A.E[r] + j->B.stats[c].scale + j->B.E[c];
      double *x = (double *)address_of(o->C) + r + c * o->C.ld;
      *x = unscale(sum, -exponent, o->alpha.re, o->beta.re, o->beta.re == 0 ? 0 : *x);
    }
}

/* ---------------------------------------------------------------------------------------------------- native -- */

static view block_of(view A, trigon_op op, int64_t row, int64_t col, int64_t m, int64_t n) {
  return op == TRIGON_NOTRANS ? block(A, row, col, m, n) : block(A, col, row, n, m);
}

static trigon_status run_native_tiles(engine *e, const job *j) {
  const operation *o = j->o;
  for (int64_t c = 0; c < j->B.count; c += fp64_tile)
    for (int64_t r = 0; r < j->A.count; r += fp64_tile) {
      if (j->room[r / fp64_tile + c / fp64_tile * j->tiles_m] <= j->crt.room) continue;
      const int64_t m = least(fp64_tile, j->A.count - r), n = least(fp64_tile, j->B.count - c);
      const operation part =
          over(o, block_of(o->A, o->op, r, 0, m, j->k), block_of(o->B, o->opB, 0, c, j->k, n), block(o->C, r, c, m, n));
      TRY(e->run(e, &part));
    }
  return TRIGON_OK;
}

static bool has_infinite_lines(const lines *x, int64_t first) {
  for (int64_t i = first; i < least(first + fp64_tile, x->count); i++)
    if (!x->stats[i].finite) return true;
  return false;
}

/* Marks the tiles that fall back. Returns the room that the others need. */
static int32_t settle_tiles(job *j, int32_t most, fp64_report *report) {
  int32_t room = 0;
  for (int64_t i = 0; i < j->tiles_m * j->tiles_n; i++) {
    const bool infinite =
        has_infinite_lines(&j->A, i % j->tiles_m * fp64_tile) || has_infinite_lines(&j->B, i / j->tiles_m * fp64_tile);
    if (infinite)
      report->not_finite++;
    else if (j->room[i] > most)
      report->unproved++;
    else
      room = larger(room, j->room[i]);
    if (infinite) j->room[i] = endless_need;
  }
  return room;
}

/* ------------------------------------------------------------------------------------------------- workspace -- */

static void *take(uint8_t **next, int64_t bytes) {
  void *taken = *next;
  *next += (bytes + 63) / 64 * 64;
  return taken;
}

static void place_lines(lines *x, uint8_t **next, int64_t tiles) {
  x->stats = take(next, x->count * (int64_t)sizeof *x->stats);
  x->log = take(next, x->count * 4), x->E = take(next, x->count * 4);
  x->tile_log = take(next, x->count * tiles * 4), x->tile_need = take(next, x->count * tiles * 4);
}

static uint8_t *place(job *j, uint8_t *workspace) {
  place_lines(&j->A, &workspace, j->tiles_n), place_lines(&j->B, &workspace, j->tiles_m);
  j->room = take(&workspace, j->tiles_m * j->tiles_n * 4);
  return workspace;
}

static int64_t fixed_bytes(int64_t m, int64_t n) {
  return (m + n) * (int64_t)(sizeof(line) + 8) + 8 * (m * tiles_of(n) + n * tiles_of(m)) +
         4 * tiles_of(m) * tiles_of(n) + 11 * 64;
}

int64_t fp64_least_workspace(int64_t m, int64_t n) {
  return fixed_bytes(m, n) + most_moduli * (2 * fp64_tile * least_depth + fp64_tile * fp64_tile);
}

int64_t fp64_best_workspace(int64_t m, int64_t n, int64_t k) {
  const int64_t rows = tiles_of(m) * fp64_tile, cols = tiles_of(n) * fp64_tile;
  const int64_t depth = k < least_depth ? least_depth : least(k, most_depth);
  return fixed_bytes(m, n) + most_moduli * ((rows + cols) * depth + rows * cols);
}

/* ------------------------------------------------------------------------------------------------ the call -- */

static lines lines_of(view A, bool turned, int64_t count) {
  return (lines){.data = address_of(A), .line = turned ? A.ld : 1, .step = turned ? 1 : A.ld, .count = count};
}

static trigon_status run_natively(engine *e, const operation *o, const char *why, fp64_report *report) {
  report->why = why;
  return e->run(e, o);
}

/* The least number of moduli, from `count` on, that has this room. */
static void choose_moduli(crt *r, int count, int32_t room) {
  for (crt_make(r, count); r->room < room && count < most_moduli;) crt_make(r, ++count);
}

trigon_status fp64_gemm(engine *e, const operation *o, fp64_grade grade, int moduli, void *workspace, int64_t bytes,
                        fp64_report *report) {
  const sizes s = sizes_of(o);
  job j = {.o = o, .k = s.k, .tiles_m = tiles_of(s.m), .tiles_n = tiles_of(s.n)};
  *report = (fp64_report){.tiles = j.tiles_m * j.tiles_n};
  if (is_trivial(o)) return run_natively(e, o, "nothing is multiplied", report);
  if (!is_finite_number(o->alpha.re)) return run_natively(e, o, "alpha is not finite", report);
  if (s.k >> 32) return run_natively(e, o, "k is 2^32 or more", report);
  if (bytes < fp64_least_workspace(s.m, s.n)) return TRIGON_NO_MEMORY;
  j.A = lines_of(o->A, o->op != TRIGON_NOTRANS, s.m), j.B = lines_of(o->B, o->opB == TRIGON_NOTRANS, s.n);
  uint8_t *buffer = place(&j, workspace);
  const int64_t available = bytes - (buffer - (uint8_t *)workspace);
  j.side = &j.A;
  in_parallel(e, s.m, find_line, &j);
  j.side = &j.B;
  in_parallel(e, s.n, find_line, &j);
  int32_t room = 0;
  memset(j.room, 0, (size_t)(report->tiles * 4));
  if (grade == FP64_GUARANTEED)
    find_bounds(e, &j, buffer, available);
  else
    room = larger(find_norms(&j.A, s.k), find_norms(&j.B, s.k));
  crt_make(&j.crt, most_moduli);
  const int32_t settled = settle_tiles(&j, j.crt.room, report);
  if (report->not_finite + report->unproved == report->tiles)
    return run_natively(e, o, report->not_finite ? "NaN or infinity" : "no number of moduli proves the bound", report);
  choose_moduli(&j.crt, grade == FP64_FIXED ? moduli : 2, grade == FP64_FIXED ? 0 : larger(room, settled));
  if (grade != FP64_GUARANTEED && j.crt.inverse * 128 * (double)s.k > 1)
    return run_natively(e, o, "too few moduli for k", report);
  report->moduli = j.crt.count, report->bits = j.crt.room / 512.0;
  choose_exponents(&j, &j.A, grade), choose_exponents(&j, &j.B, grade);
  plan_block(&j, j.crt.count, j.crt.count, available);
  place_block(&j, buffer, j.crt.count, j.crt.count);
  over_blocks(e, &j, make_residues, multiply_residues, finish_tile, j.crt.count);
  return run_native_tiles(e, &j);
}
