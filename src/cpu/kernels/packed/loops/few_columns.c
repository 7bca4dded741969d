/* few_columns.c - solves and products with few columns, which wait for the triangle's elements and not for arithmetic.
 * The triangle is read once, along its contiguous direction, and is not packed.
 *
 * Whole columns of L are contiguous: a block of columns updates all rows that depend on it. Rows of L are contiguous:
 * a block of rows gets the products with all rows on which it depends. */
#include "few_columns.h"

#include "common/fold.h"

/* Threads share the rows of an update in pieces of this many, so that none writes another's cache line. */
enum { piece = 16 };
/* The order of the diagonal blocks, on each of which one thread works alone. Orders 128 and 256 are no faster. */
enum { shared_order = 64 };
/* Up to these orders one thread computes one column alone: two threads would gain nothing. The order alone decides,
 * because the blocks decide how sums are rounded. */
enum { alone_real = 960, alone_complex = 448 };

typedef struct row_range {
  int64_t begin, end;
} row_range;

bool few_columns_takes(const triangular *t) {
  return t->L.row == 1 || t->L.row == -1 || t->L.col == 1 || t->L.col == -1;
}

/* Vectors in a row of a panel: the most, or one less if this leaves fewer lanes empty and a tile still has enough sums:
 * the processor computes two at once, and each waits for itself four times as long. */
static int panel_vectors(const kernels *kernel, int64_t width) {
  enum { enough_sums = 8 };
  const int64_t all = (width + kernel->per_vector - 1) / kernel->per_vector;
  const int most = kernel->cols / kernel->per_vector;
  if (width == 1 || all <= most) return width == 1 ? 0 : (int)all;
  const bool fewer = kernel->rows * (most - 1) >= enough_sums;
  return fewer && up_to_multiple(all, most - 1) < up_to_multiple(all, most) ? most - 1 : most;
}

static int panel_width(const kernels *kernel, int vectors) { return vectors == 0 ? 1 : vectors * kernel->per_vector; }

int64_t few_columns_bytes(const kernels *kernel, int64_t element, int64_t n, int64_t width) {
  return up_to_multiple(n, kernel->rows) * up_to_multiple(width, panel_width(kernel, panel_vectors(kernel, width))) *
         element;
}

/* ------------------------------------------------------------------------------------------- blocks in sequence -- */

/* Block `step` of a sequence in which no block is overwritten before it is read. */
static row_range block_of(const few_columns *t, row_range all, int64_t order, int64_t step) {
  const int64_t blocks = parts_of(all.end - all.begin, order);
  const int64_t begin = all.begin + (t->lower == t->solve ? step : blocks - 1 - step) * order;
  return (row_range){begin, least(all.end, begin + order)};
}

/* A block's update: these rows get products with these inner indices. */
typedef struct update {
  row_range rows, inner;
} update;

static update update_of(const few_columns *t, row_range all, row_range block) {
  const row_range other =
      t->lower == (t->row == 1) ? (row_range){block.end, all.end} : (row_range){all.begin, block.begin};
  return t->row == 1 ? (update){other, block} : (update){block, other};
}

static bool is_empty(const update *u) { return u->rows.begin >= u->rows.end || u->inner.begin >= u->inner.end; }

static void run_update(const kernels *kernel, const few_columns *t, const update *u) {
  if (!is_empty(u)) kernel->few_columns_update(t, u->rows.begin, u->rows.end, u->inner.begin, u->inner.end);
}

/* A solve finishes a block before the block updates others, and updates a block before it is finished. */
static bool diagonal_first(const few_columns *t) { return t->solve == (t->row == 1); }

static void run_blocks(const kernels *kernel, const few_columns *t, row_range all, int64_t order);

/* A tile, or smaller blocks: the larger the blocks, the less often vectors of the panels are read and written. */
static void run_diagonal(const kernels *kernel, const few_columns *t, row_range block, int64_t order) {
  const int64_t smaller = t->vectors > 0 && order / 4 > kernel->rows ? order / 4 : kernel->rows;
  if (block.begin >= block.end) return;
  if (t->vectors == 0)
    (t->solve ? kernel->solve_column : kernel->multiply_column)(t, block.begin, block.end);
  else if (block.end - block.begin <= kernel->rows)
    kernel->few_columns_tile(t, block.begin, block.end);
  else
    run_blocks(kernel, t, block, smaller);
}

static void run_blocks(const kernels *kernel, const few_columns *t, row_range all, int64_t order) {
  for (int64_t step = 0; step * order < all.end - all.begin; step++) {
    const row_range block = block_of(t, all, order, step);
    const update u = update_of(t, all, block);
    if (!diagonal_first(t)) run_update(kernel, t, &u);
    run_diagonal(kernel, t, block, order);
    if (diagonal_first(t)) run_update(kernel, t, &u);
  }
}

/* --------------------------------------------------------------------------------------------------- the panels -- */

/* Loads or stores rows of the panels. */
static void move_rows(const kernels *kernel, trigon_type type, const few_columns *t, operand B, row_range rows,
                      const trigon_scalar *alpha) {
  const int64_t element = type_size(type), n = rows.end - rows.begin;
  B.data = (char *)B.data + rows.begin * B.row * element;
  const int width = panel_width(kernel, t->vectors);
  for (int64_t j = 0; j < t->width && n > 0; j += width) {
    const int64_t w = least(t->width - j, width);
    char *panel = (char *)t->panels + (t->rows * j + rows.begin * width) * element;
    if (alpha)
      kernel->load_panel(&B, n, j, w, width, *alpha, panel);
    else
      kernel->store_panel(&B, n, j, w, width, panel);
  }
}

/* ----------------------------------------------------------------------------------------------------- the team -- */

typedef struct few_job {
  const kernels *kernel;
  trigon_type type;
  few_columns t;
  operand B;
  trigon_scalar alpha;
  int threads;
  int64_t block_order;
} few_job;

/* Tasks have so many rows: whole pieces, and two tasks for each thread, because one may come late. Phases are short, so
 * that more tasks would cost more than they gain. */
static int64_t rows_of_task(const few_job *j, row_range rows) {
  const int64_t pieces = parts_of(rows.end - rows.begin, piece), wanted = j->threads == 1 ? 1 : 2 * j->threads;
  if (pieces == 0) return piece;
  return piece * parts_of(pieces, least(pieces, wanted));
}

static int64_t count_tasks(const few_job *j, row_range rows) {
  return rows.begin < rows.end ? parts_of(rows.end - rows.begin, rows_of_task(j, rows)) : 0;
}

static row_range rows_of(const few_job *j, row_range rows, int64_t task) {
  const int64_t each = rows_of_task(j, rows), begin = rows.begin + task * each;
  return (row_range){begin, least(rows.end, begin + each)};
}

static row_range all_rows(const few_job *j) { return (row_range){0, j->t.n}; }

/* Block `step`; empty if there is no such block. */
static row_range block_at(const few_job *j, int64_t step) {
  if (step < 0 || step >= parts_of(j->t.n, j->block_order)) return (row_range){0, 0};
  return block_of(&j->t, all_rows(j), j->block_order, step);
}

/* The first phase loads the panels, the last one stores them. Between them a solve has a phase for each block, and a
 * product has two. */
typedef enum phase_kind { LOAD, SOLVE, DIAGONAL, UPDATE, STORE, NO_PHASE } phase_kind;

typedef struct few_phase {
  phase_kind kind;
  int64_t step; /* the number of the block */
} few_phase;

static few_phase phase_of(const few_job *j, int64_t number) {
  const int64_t blocks = parts_of(j->t.n, j->block_order), each = j->t.solve ? 1 : 2, inner = number - 1;
  if (number == 0) return (few_phase){LOAD, 0};
  if (inner >= each * blocks) return (few_phase){inner == each * blocks ? STORE : NO_PHASE, 0};
  if (j->t.solve) return (few_phase){SOLVE, inner};
  return (few_phase){diagonal_first(&j->t) == (inner % 2 == 0) ? DIAGONAL : UPDATE, inner / 2};
}

/* What one thread computes of a block that is solved: the products with the block before, and then the diagonal. All
 * older products are there already. */
static void solve_block(const few_job *j, const few_columns *t, int64_t step) {
  const update last = {block_at(j, step), block_at(j, step - 1)};
  run_update(j->kernel, t, &last);
  run_diagonal(j->kernel, t, block_at(j, step), j->block_order);
}

/* What the others compute meanwhile: the products of the block before with the rows behind this block, or, if rows of L
 * are contiguous, the products of the next block with all rows before this block. */
static update beside_block(const few_job *j, int64_t step) {
  const update of_block = update_of(&j->t, all_rows(j), block_at(j, step));
  if (j->t.row == 1) return (update){of_block.rows, block_at(j, step - 1)};
  return (update){block_at(j, step + 1), of_block.inner};
}

static int64_t tasks_of_phase(void *of, int64_t number) {
  const few_job *j = of;
  const few_phase p = phase_of(j, number);
  if (p.kind == NO_PHASE) return -1;
  if (p.kind == DIAGONAL) return 1;
  if (p.kind == LOAD || p.kind == STORE) return count_tasks(j, all_rows(j));
  const update u = p.kind == SOLVE ? beside_block(j, p.step) : update_of(&j->t, all_rows(j), block_at(j, p.step));
  return (p.kind == SOLVE ? 1 : 0) + (is_empty(&u) ? 0 : count_tasks(j, u.rows));
}

static void run_share(const few_job *j, const few_columns *t, update u, int64_t task) {
  u.rows = rows_of(j, u.rows, task);
  run_update(j->kernel, t, &u);
}

static void run_task(void *of, int64_t number, int64_t task, void *scratch) {
  const few_job *j = of;
  const few_phase p = phase_of(j, number);
  few_columns t = j->t;
  t.scratch = scratch;
  switch (p.kind) {
  case SOLVE:
    if (task == 0)
      solve_block(j, &t, p.step);
    else
      run_share(j, &t, beside_block(j, p.step), task - 1);
    break;
  case DIAGONAL: run_diagonal(j->kernel, &t, block_at(j, p.step), j->block_order); break;
  case UPDATE: run_share(j, &t, update_of(&t, all_rows(j), block_at(j, p.step)), task); break;
  default: move_rows(j->kernel, j->type, &t, j->B, rows_of(j, all_rows(j), task), p.kind == LOAD ? &j->alpha : NULL);
  }
}

/* The triangle, with positive strides, and the panels. */
static few_columns columns_of(const kernels *kernel, trigon_type type, const triangular *problem, bool solve) {
  const bool lower = problem->L.row > 0;
  const operand L = lower ? problem->L : reversed(type_size(type), problem->L, problem->n);
  return (few_columns){.L = L.data,
                       .row = L.row,
                       .col = L.col,
                       .n = problem->n,
                       .width = problem->width,
                       .rows = up_to_multiple(problem->n, kernel->rows),
                       .vectors = panel_vectors(kernel, problem->width),
                       .lower = lower,
                       .unit = problem->unit,
                       .solve = solve};
}

/* conj(L)·X = B is L·conj(X) = conj(B). A contiguous column that one thread computes stays where it is. */
void few_columns_run(const packed *p, int threads, trigon_type type, const triangular *problem, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t n = problem->n;
  few_columns t = columns_of(kernel, type, problem, solve);
  const operand B = t.lower ? problem->B : rows_reversed(type_size(type), problem->B, n);
  const bool alone = t.vectors == 0 && n <= (type_is_complex(type) ? alone_complex : alone_real);
  if (alone && B.row == 1 && !problem->L.conjugate && is_one(problem->alpha)) {
    t.panels = B.data;
    run_diagonal(kernel, &t, (row_range){0, n}, n);
    return;
  }
  t.panels = p->cols;
  few_job j = {.kernel = kernel, .type = type, .threads = alone ? 1 : team_size(p, threads), .t = t, .B = B};
  j.B.conjugate = problem->L.conjugate;
  j.alpha = problem->L.conjugate ? conjugate(problem->alpha) : problem->alpha;
  j.block_order = alone ? up_to_multiple(n, shared_order) : shared_order;
  run_team(p, (team_work){.tasks = tasks_of_phase, .run = run_task}, j.threads, &j);
}
