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
  atomic_long next;   /* the first panel that no member has taken */
} panel_job;

static void work_on_panels(member m, void *of) {
  panel_job *j = of;
  const lower_rows *L = &j->rows;
  const kernels *kernel = L->kernel;
  void *panel = rows_of(j->packed, m);
  if (!lower_pack_share(L, m, j->packed->cols)) atomic_store(&j->unsafe, true);
  team_wait(m);
  if (atomic_load(&j->unsafe)) return;
  for (;;) {
    const int64_t first = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed) * kernel->cols;
    if (first >= L->n) break;
    (j->invert ? kernel->invert : kernel->multiply_adjoint)(L->n, j->packed->cols, first, panel);
    kernel->store_lower(&L->L, L->n, first, L->unit, panel);
  }
}

/* Returns false, and has written nothing, if a reciprocal is not a normal number. */
static bool run_panels(const packed *p, int threads, trigon_type type, const operand *A, int64_t n, bool unit,
                       bool invert) {
  const kernels *kernel = p->of[type_index(type)];
  panel_job j = {.packed = p, .invert = invert};
  j.rows = (lower_rows){kernel, backwards(type, A, n), n, type_size(type), unit, invert};
  team_run(team_size(p, least(threads, parts_of(n, kernel->cols))), work_on_panels, &j);
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
 * solved in the columns to the right. The columns of block s + 1 come first: the member that has solved them factors
 * the diagonal of block s + 1 at once, while the others solve the other columns. So nobody waits for a diagonal. */
typedef struct potrf_job {
  const kernels *kernel;
  potrf_block block;
  atomic_llong end;    /* the first row whose pivot is not positive, or n */
  atomic_long next[2]; /* in even and odd steps: the first task that no member has taken */
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

/* Task 0 is the columns of the next block. The other tasks are a panel each. */
static void solve_step(potrf_job *j, int64_t step) {
  const rows_of_panel rows = rows_of_step(j, step);
  const int64_t n = j->block.n, next = first_of(j, step + 1), others = first_of(j, step + 2), cols = j->kernel->cols;
  for (;;) {
    const long task = atomic_fetch_add_explicit(&j->next[step % 2], 1, memory_order_relaxed);
    const int64_t begin = task == 0 ? next : others + (task - 1) * cols;
    if (begin >= n) break;
    j->kernel->potrf_rows(&j->block, rows, begin, least(task == 0 ? others : begin + cols, n));
    if (task == 0 && rows.end == next) factor_diagonal(j, step + 1);
  }
}

static void work_on_potrf(member m, void *of) {
  potrf_job *j = of;
  if (m.id == 0) factor_diagonal(j, 0);
  team_wait(m);
  for (int64_t step = 0; first_of(j, step) < atomic_load(&j->end); step++) {
    if (m.id == 0) atomic_store(&j->next[(step + 1) % 2], 0);
    solve_step(j, step);
    team_wait(m);
  }
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
  team_run(team_size(p, least(threads, panels)), work_on_potrf, &j);
  const int64_t end = atomic_load(&j.end);
  return end < n ? end + 1 : 0;
}

int packed_lanes(const packed *p, trigon_type type) { return p->of[type_index(type)]->per_vector; }

void packed_potrf_group(const packed *p, trigon_type type, potrf_group *g) {
  p->of[type_index(type)]->potrf_group(g, p->cols);
}
