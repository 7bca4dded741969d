/* panel_cluster.cu - a kernel that factors a panel as factor_panel.cu does, in one launch of one cluster of blocks. The
 * panel stays in registers.
 *
 * A group of band_width threads has a few rows; each of its threads has one column of them. For column j
 *
 *   1. the thread with column j of the group shows its elements x_j below the pivot row to the group,
 *   2. each thread sums conj(x_j)·x_i over its rows,
 *   3. the first group adds the sums of all groups, and sends them to all blocks,
 *   4. the cluster meets, and the first group of each block adds the sums of all blocks and makes the reflector,
 *   5. all threads apply it.
 *
 * Rows that a thread has are RUN neighbours, then RUN neighbours behind those of all other groups, and so on. So the
 * pivot rows are among the first RUN rows of the threads. A column of the reflectors' matrix is divided by its pivot
 * when the panel is stored. On their way from and to columns in memory, the rows of a run pass through shared memory:
 * the threads of a group have columns, and would each access a line of memory of their own. */
#include "gpu/kernels/launch.h"
#include "householder.h"
#include "panel_elements.h"

enum {
  RUN = TG_TILE(2, 4),     /* doubles of a sector of memory, if the panel's columns are columns of the matrix */
  GROUPS = TG_TILE(2, 16), /* as many threads as leave each of them the registers for 32 rows */
  THREADS = GROUPS * band_width,
  FEW_BLOCKS = TG_TILE(2, 8),   /* of a cluster that every GPU with clusters has */
  MANY_BLOCKS = TG_TILE(4, 16), /* of one that Hopper can have */
  RUN_ROWS = GROUPS * RUN,      /* of a block's runs together: neighbours */
  MOST_RUNS = 8,                /* of elements of up to 8 bytes: 64 registers */
  MOST_LONG_RUNS = 4            /* of longer elements */
};
static_assert(FEW_BLOCKS * GROUPS * RUN >= band_width, "pivot rows are in the first run");

struct clustered_panel {
  factored_panel of;
  int reflectors;
};

/* How much of a panel a thread has. */
template <class Element, int RUNS, int BLOCKS> struct panel_form {
  using T = Element;
  enum { ROWS = RUNS * RUN, CLUSTER = BLOCKS, MOST_ROWS = BLOCKS * GROUPS * ROWS };
};

template <class T> struct panel_column {
  householder<T> h;
  T inverse; /* of the pivot */
};

template <class Form, class T = typename Form::T> struct cluster_shared {
  alignas(16) T shown[GROUPS][Form::ROWS];
  union {
    struct {
      T of_groups[GROUPS][band_width];
      /* What the blocks have sent for even and odd columns. While a block reads them, others may send the next ones. */
      T of_blocks[2][Form::CLUSTER][band_width];
    } sums;
    T staged[band_width][RUN_ROWS + 1]; /* before the first column, and after the last one */
  };
  T pivots[2][band_width]; /* as of_blocks */
  T all[band_width], of_pivot_row[band_width], factors[band_width];
  panel_column<T> columns[band_width];
};

/* The rows of a thread. */
template <class Form> struct thread_rows {
  int64_t first;
  __device__ thread_rows() : first((static_cast<int64_t>(tg_cluster_rank()) * GROUPS + group()) * RUN) {}
  __device__ static int group() { return static_cast<int>(threadIdx.x) / band_width; }
  __device__ static int column() { return static_cast<int>(threadIdx.x) % band_width; }
  __device__ int64_t operator[](int r) const { return first + r / RUN * (Form::CLUSTER * RUN_ROWS) + r % RUN; }

  /* Of the elements of a run of the whole block a thread has RUN, in one row: its place there, and its row in the
   * panel. Element e is in column staged_column(e). */
  __device__ static int staged_row() { return static_cast<int>(threadIdx.x) % RUN_ROWS; }
  __device__ static int staged_column(int e) {
    return static_cast<int>(threadIdx.x) / RUN_ROWS + e * (THREADS / RUN_ROWS);
  }
  __device__ static int64_t row_of_staged(int run) {
    return static_cast<int64_t>(run * Form::CLUSTER + tg_cluster_rank()) * RUN_ROWS + staged_row();
  }
};

/* Adds the numbers value(k), k < COUNT. Four sums do not wait for each other. */
template <class T, int COUNT, class Value> __device__ static T sum_of(Value value) {
  T parts[4] = {};
#pragma unroll
  for (int k = 0; k < COUNT; k++) parts[k % 4] = add(parts[k % 4], value(k));
  return add(add(parts[0], parts[1]), add(parts[2], parts[3]));
}

/* Stores x at the same place of the shared memory of all blocks. */
template <class Form, class T> __device__ static void send(T *to, T x) {
#pragma unroll
  for (int block = 0; block < Form::CLUSTER; block++) *tg_cluster_shared(to, block) = x;
}

/* Loads do not wait for comparisons: outside of the panel they take other elements. Columns of the matrix are loaded in
 * the order of the staged elements, and then turned; rows of the matrix need no turning. */
template <class Form, class T, int ROWS>
__device__ static void load_rows(const panel_matrix &p, const thread_rows<Form> &rows, T (&x)[ROWS],
                                 cluster_shared<Form> &shared) {
  const bool turns = p.row == 1;
  const auto row = [&](int r) { return turns ? rows.row_of_staged(r / RUN) : rows[r]; };
  const auto column = [&](int r) { return turns ? rows.staged_column(r % RUN) : rows.column(); };
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    x[r] = load_element<T>(p, row(r) < p.m ? row(r) : 0, column(r) < p.cols ? column(r) : 0);
#pragma unroll
  for (int r = 0; r < ROWS; r++) x[r] = row(r) < p.m && column(r) < p.cols ? x[r] : T{};
#pragma unroll
  for (int run = 0; run < ROWS / RUN && turns; run++) {
#pragma unroll
    for (int e = 0; e < RUN; e++) shared.staged[rows.staged_column(e)][rows.staged_row()] = x[run * RUN + e];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < RUN; e++) x[run * RUN + e] = shared.staged[rows.column()][rows.group() * RUN + e];
    __syncthreads();
  }
}

/* Stores an element of R and of the reflectors. */
template <class T> __device__ static void store_both(const clustered_panel &p, int64_t row, int column, T x) {
  const panel_matrix &to = p.of.of;
  if (row >= to.m || column >= to.cols) return;
  if (to.row == 1) store_element(to, row, column, x);
  if (column < p.reflectors)
    static_cast<T *>(p.of.V)[row + column * p.of.ld_v] = row > column ? x : row == column ? one<T>() : T{};
}

template <class Form, class T, int ROWS>
__device__ static void store_rows(const clustered_panel &p, const thread_rows<Form> &rows, const T (&x)[ROWS],
                                  cluster_shared<Form> &shared) {
  const panel_matrix &to = p.of.of;
  const int i = rows.column();
  const T inverse = i < p.reflectors ? shared.columns[i].inverse : one<T>();
#pragma unroll
  for (int run = 0; run < ROWS / RUN; run++) {
#pragma unroll
    for (int e = 0; e < RUN; e++) {
      const int r = run * RUN + e;
      const T stored = rows[r] > i ? multiply(x[r], inverse) : x[r];
      if (to.row != 1 && rows[r] < to.m && i < to.cols) store_element(to, rows[r], i, stored);
      shared.staged[i][rows.group() * RUN + e] = stored;
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < RUN; e++)
      store_both(p, rows.row_of_staged(run), rows.staged_column(e),
                 shared.staged[rows.staged_column(e)][rows.staged_row()]);
    __syncthreads();
  }
  const int t = static_cast<int>(threadIdx.x);
  if (tg_cluster_rank() != 0 || t >= p.reflectors) return;
  T *const tau = static_cast<T *>(p.of.taus) + t;
  tau[0] = shared.columns[t].h.tau, tau[p.of.ld_taus] = shared.columns[t].h.inverse();
}

/* Sends the pivot row and the block's sums of column j with all columns. Those with earlier columns mean nothing. */
template <class Form, class T, int ROWS>
__device__ static void send_sums(const thread_rows<Form> &rows, const T (&x)[ROWS], int j,
                                 cluster_shared<Form> &shared) {
  const int group = rows.group(), i = rows.column();
  T *const shown = shared.shown[group], sums[2] = {};
  T pivot = {};
  bool has_pivot = false;
#pragma unroll
  for (int r = 0; r < RUN; r++) pivot = rows[r] == j ? x[r] : pivot, has_pivot |= rows[r] == j;
  if (has_pivot) send<Form>(&shared.pivots[j % 2][i], pivot);
  tg_sync_warp(); /* the group does not read the column before any more */
  if (i == j)
#pragma unroll
    for (int r = 0; r < ROWS; r++) shown[r] = r >= RUN || rows[r] > j ? x[r] : T{};
  tg_sync_warp();
#pragma unroll
  for (int r = 0; r < ROWS; r++) sums[r % 2] = multiply_add(conjugate(shown[r]), x[r], sums[r % 2]);
  shared.sums.of_groups[group][i] = add(sums[0], sums[1]);
  __syncthreads();
  if (group > 0) return;
  send<Form>(&shared.sums.of_blocks[j % 2][tg_cluster_rank()][i],
             sum_of<T, GROUPS>([&](int k) { return shared.sums.of_groups[k][i]; }));
}

/* The first group makes the reflector, for all. The sum of column i becomes w_i = (vᴴ·X)_i. */
template <class Form, class T = typename Form::T>
__device__ static void make_reflector(int j, cluster_shared<Form> &shared) {
  const int t = static_cast<int>(threadIdx.x);
  const T *const pivots = shared.pivots[j % 2];
  if (t < band_width)
    shared.all[t] = sum_of<T, Form::CLUSTER>([&](int k) { return shared.sums.of_blocks[j % 2][k][t]; });
  tg_sync_warp();
  if (t < band_width) {
    const householder<T> h(pivots[j], real(shared.all[j]));
    const T inverse = h.factor_of_rest(), w = add(pivots[t], multiply(shared.all[t], conjugate(inverse)));
    const T of_pivot_row = t > j ? multiply(conjugate(h.tau), w) : T{};
    shared.of_pivot_row[t] = of_pivot_row;
    shared.factors[t] = multiply(of_pivot_row, inverse);
    if (t == 0) shared.columns[j] = {h, inverse};
  }
  __syncthreads();
}

template <class Form, class T, int ROWS>
__device__ static void apply_reflector(const thread_rows<Form> &rows, T (&x)[ROWS], int j,
                                       const cluster_shared<Form> &shared) {
  const int i = rows.column();
  const T *const shown = shared.shown[rows.group()], left = shared.factors[i];
#pragma unroll
  for (int r = 0; r < ROWS; r++) x[r] = subtract_product(x[r], shown[r], left);
#pragma unroll
  for (int r = 0; r < RUN; r++)
    if (rows[r] == j)
      x[r] = i == j ? make(T{}, shared.columns[j].h.end, real_of<T>(0)) : subtract(x[r], shared.of_pivot_row[i]);
}

template <class Form> __device__ static void factor_rows(const clustered_panel &p, cluster_shared<Form> &shared) {
  const thread_rows<Form> rows;
  typename Form::T x[Form::ROWS];
  load_rows(p.of.of, rows, x, shared);
  tg_cluster_sync(); /* all blocks have begun: their shared memory is there */
  for (int j = 0; j < p.reflectors; j++) {
    send_sums(rows, x, j, shared);
    tg_cluster_sync();
    make_reflector(j, shared);
    apply_reflector(rows, x, j, shared);
  }
  store_rows(p, rows, x, shared);
}

template <class Form> __global__ void __launch_bounds__(THREADS) panel_cluster_kernel(clustered_panel p) {
  if constexpr (has_code<true>()) factor_rows(p, *tg_shared<cluster_shared<Form>>());
}

/* ----------------------------------------------------------------------------------------------------- launch -- */

template <class Form> static cudaError_t launch_form(queue q, const clustered_panel &p, bool *done) {
  static_assert(sizeof(cluster_shared<Form>) <= TG_SHARED_BYTES, "every block has this much");
  const auto &kernel = registered<panel_cluster_kernel<Form>, sizeof(cluster_shared<Form>)>();
  int clusters = 0;
  if (*done || p.of.of.m > Form::MOST_ROWS) return cudaSuccess;
  const cudaError_t error = tg_most_clusters(kernel.function, THREADS, kernel.shared, Form::CLUSTER, &clusters);
  if (error != cudaSuccess || clusters == 0) return error;
  *done = true;
  return launch_kernel_clusters(q, kernel, Form::CLUSTER, THREADS, p, Form::CLUSTER);
}

/* Tries the forms in this order. */
template <class... Forms> static cudaError_t launch_first(queue q, const clustered_panel &p, bool *done) {
  cudaError_t error = cudaSuccess;
  *done = false;
  (void)((error = launch_form<Forms>(q, p, done), error == cudaSuccess) && ...);
  return error;
}

template <class T> cudaError_t launch_panel_cluster(queue q, const factored_panel &of, bool *done) {
  enum { MOST = sizeof(T) > 8 ? MOST_LONG_RUNS : MOST_RUNS };
  const clustered_panel p = {of, of.of.m < of.of.cols ? static_cast<int>(of.of.m) : of.of.cols};
  *done = false;
  if (!q.arch->limits->panel_in_cluster) return cudaSuccess;
  return launch_first<panel_form<T, MOST / 4, FEW_BLOCKS>, panel_form<T, MOST / 2, FEW_BLOCKS>,
                      panel_form<T, MOST, FEW_BLOCKS>, panel_form<T, MOST, MANY_BLOCKS>>(q, p, done);
}

template cudaError_t launch_panel_cluster<float>(queue, const factored_panel &, bool *);
template cudaError_t launch_panel_cluster<double>(queue, const factored_panel &, bool *);
template cudaError_t launch_panel_cluster<complex<float>>(queue, const factored_panel &, bool *);
template cudaError_t launch_panel_cluster<complex<double>>(queue, const factored_panel &, bool *);
