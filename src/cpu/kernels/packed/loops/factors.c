/* factors.c - POTRF, the inverse of a triangle, and LAUUM of a block that the buffers hold whole. */
#include <stdatomic.h>

#include "cpu/kernels/packed/blocks/lower_rows.h"

/* --------------------------------------------------------------------------- panels that wait for no other -- */

/* Solved with from the last row to the first, rows of X make X·L - I small. In reverse order, the transpose of L is
 * lower again, and the solve goes forward. Then LᴴL becomes L·Lᴴ. */
static operand backwards(trigon_type type, const operand *A, int64_t n) {
  return reversed(type_size(type), transposed(*A), n);
}

/* X = L⁻¹ or L·Lᴴ: the triangle is packed whole, so each column panel of X depends on packed elements alone. */
typedef struct panel_job {
  const packed *packed;
  lower_rows rows;
  bool invert;
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
} panel_job;

/* The first phase packs the triangle, the second one computes the panels of X. */
static int64_t tasks_of_panels(void *of, int64_t phase) {
  panel_job *j = of;
  const lower_rows *L = &j->rows;
  if (phase == 0) return lower_pieces(L);
  return phase == 1 && !atomic_load(&j->unsafe) ? parts_of(L->n, L->kernel->cols) : -1;
}

static void run_panel_task(void *of, int64_t phase, int64_t task, void *panel) {
  panel_job *j = of;
  const lower_rows *L = &j->rows;
  const kernels *kernel = L->kernel;
  if (phase == 0) {
    if (!lower_pack_piece(L, task, j->packed->cols)) atomic_store(&j->unsafe, true);
    return;
  }
  const int64_t first = task * kernel->cols;
  (j->invert ? kernel->invert : kernel->multiply_adjoint)(L->n, j->packed->cols, first, panel);
  kernel->store_lower(&L->L, L->n, first, L->unit, panel);
}

/* Returns false, and has written nothing, if a reciprocal is not a normal number. */
static bool run_panels(const packed *p, int threads, trigon_type type, const operand *A, int64_t n, bool unit,
                       bool invert) {
  const kernels *kernel = p->of[type_index(type)];
  panel_job j = {.packed = p, .invert = invert};
  j.rows = (lower_rows){kernel, backwards(type, A, n), n, type_size(type), unit, invert};
  const team_work work = {.tasks = tasks_of_panels, .run = run_panel_task};
  run_team(p, work, team_size(p, least(threads, parts_of(n, kernel->cols))), &j);
  return !atomic_load(&j.unsafe);
}

bool packed_invert(const packed *p, int threads, trigon_type type, const operand *A, int64_t n, bool unit) {
  if (n <= small_order) return p->of[type_index(type)]->small_invert(A, n, unit, p->cols);
  return run_panels(p, threads, type, A, n, unit, true);
}

void packed_potrs_column(const packed *p, trigon_type type, const operand *L, int64_t n, void *x) {
  p->of[type_index(type)]->small_potrs(L, n, x);
}

void packed_lauum(const packed *p, int threads, trigon_type type, const operand *A, int64_t n) {
  if (n <= small_order)
    p->of[type_index(type)]->small_lauum(A, n, p->cols);
  else
    run_panels(p, threads, type, A, n, false, false);
}

/* -------------------------------------------------------------------------------------------------- POTRF -- */

/* Rows of R = Lᴴ in steps of potrf_step rows. In step s the rows of block s, whose diagonal is factored already, are
 * solved in the columns to the right, a panel after the other. The columns of block s + 1 come first: the thread that
 * has solved the last of them factors the diagonal of block s + 1 at once, while the others solve the other columns. So
 * nobody waits for a diagonal. */
typedef struct potrf_job {
  const kernels *kernel;
  potrf_block block;
  atomic_llong end;    /* the first row whose pivot is not positive, or n */
  atomic_llong solved; /* columns of the next block, in this step */
} potrf_job;

/* The first row of a step, and the first column of its panels. Step 0 may begin before row 0. */
static int64_t first_of(const potrf_job *j, int64_t step) { return j->block.begin + step * potrf_step; }

static rows_of_panel rows_of_step(potrf_job *j, int64_t step) {
  const int64_t begin = first_of(j, step), end = atomic_load(&j->end);
  return (rows_of_panel){begin > 0 ? begin : 0, least(begin + potrf_step, end)};
}

static void factor_diagonal(potrf_job *j, int64_t step) {
  const rows_of_panel rows = rows_of_step(j, step);
  const int64_t good =
      j->kernel->potrf_rows(&j->block, rows, first_of(j, step), least(first_of(j, step + 1), j->block.n));
  if (good < rows.end) atomic_store(&j->end, good);
}

/* Phase 0 factors the diagonal of step 0. Phase s + 1 is step s: a task for each panel. */
static int64_t tasks_of_potrf(void *of, int64_t phase) {
  potrf_job *j = of;
  const int64_t step = phase - 1, next = first_of(j, step + 1);
  atomic_store(&j->solved, 0);
  if (phase == 0) return 1;
  if (first_of(j, step) >= atomic_load(&j->end)) return -1;
  return next < j->block.n ? parts_of(j->block.n - next, j->kernel->cols) : 0;
}

/* Whether these were the last columns of the block. */
static bool completes(potrf_job *j, int64_t columns, int64_t block) {
  return atomic_fetch_add(&j->solved, columns) + columns == block;
}

static void run_potrf_task(void *of, int64_t phase, int64_t task, void *unused) {
  potrf_job *j = of;
  (void)unused;
  if (phase == 0) {
    factor_diagonal(j, 0);
    return;
  }
  const int64_t step = phase - 1, next = first_of(j, step + 1), others = least(first_of(j, step + 2), j->block.n);
  const int64_t begin = next + task * j->kernel->cols, end = least(begin + j->kernel->cols, j->block.n);
  const rows_of_panel rows = rows_of_step(j, step);
  j->kernel->potrf_rows(&j->block, rows, begin, end);
  if (begin < others && rows.end == next && completes(j, end - begin, others - next)) factor_diagonal(j, step + 1);
}

/* Up to this order the whole triangle is loaded, factored and stored. A larger one would leave the first-level cache.
 * So a row of tiles is stored before the next one is loaded. */
enum { whole_potrf_order = 64 };

int64_t packed_potrf(const packed *p, int threads, trigon_type type, const operand *A, int64_t n) {
  const kernels *kernel = p->of[type_index(type)];
  if (n <= whole_potrf_order) return kernel->small_potrf(A, n, p->cols);
  const int64_t whole = up_to_multiple(n, kernel->rows), panels = parts_of(whole, kernel->cols);
  potrf_job j = {.kernel = kernel, .end = n};
  j.block = (potrf_block){.A = *A, .n = n, .begin = whole - panels * kernel->cols, .panels = p->cols};
  j.block.triangle = (char *)p->cols + panels * kernel->cols * whole * type_size(type);
  const team_work work = {.tasks = tasks_of_potrf, .run = run_potrf_task};
  run_team(p, work, team_size(p, least(threads, panels)), &j);
  const int64_t end = atomic_load(&j.end);
  return end < n ? end + 1 : 0;
}

int packed_lanes(const packed *p, trigon_type type) { return p->of[type_index(type)]->per_vector; }

void packed_potrf_group(const packed *p, trigon_type type, potrf_group *g) {
  p->of[type_index(type)]->potrf_group(g, p->cols);
}
