/* copy_rate.c - copies between two matrices of random numbers, in the memory of a context, and their median time. */
#include "copy_rate.h"
#include "../../command.h"
#include "../../matrix/dense.h"
#include "../../matrix/parallel.h"
#include "../../matrix/random.h"
#include "../../matrix/transfer.h"
#include "median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 7 };

/* Bytes that a copy of A reads and writes. */
static double bytes_moved(const trigon_matrix *A) { return 2 * sizeof(double) * (double)A->rows * (double)A->cols; }

/* -------------------------------------------------------------------------------------------------- the host -- */

/* The elements of a column, and from how many columns on all cores share a copy: to ask how many there are takes longer
 * than a small copy. */
enum { HOST_COLUMN = 4096, SHARED_COLUMNS = 256 };

/* A copy of so many bytes goes past every cache: the rate of larger copies is the same. */
static const double host_most = 0x1p28;

/* A sample takes at least this long: see measure.c. */
static const double host_sample = 20e-6;

typedef struct matrix_pair {
  trigon_matrix from, to;
} matrix_pair;

static void copy_columns(void *data, int worker, int workers) {
  const matrix_pair *p = data;
  for (int64_t j = worker; j < p->from.cols; j += workers)
    memcpy((double *)p->to.data + j * p->to.ld, (const double *)p->from.data + j * p->from.ld,
           (size_t)p->from.rows * sizeof(double));
}

/* The seconds of a copy when `calls` follow each other. */
static double time_host(matrix_pair *p, int64_t calls) {
  double begun = seconds_now();
  for (int64_t i = 0; i < calls; i++)
    if (p->from.cols < SHARED_COLUMNS)
      copy_columns(p, 0, 1);
    else
      parallel_columns(&p->from, copy_columns, p);
  return (seconds_now() - begun) / (double)calls;
}

static void measure_host(double bytes, copy_rate *rate) {
  matrix_pair p = {{0}, {0}};
  double seconds[SAMPLES], elements = fmax(ceil(fmin(bytes, host_most) / (2 * sizeof(double))), 1);
  int64_t calls = 1, cols = (int64_t)ceil(elements / HOST_COLUMN), rows = (int64_t)ceil(elements / (double)cols);
  if (dense_alloc(TRIGON_D, rows, cols, &p.from) && dense_alloc(TRIGON_D, rows, cols, &p.to)) {
    random_fill(&p.from, 1);
    time_host(&p, 1); /* the pages of p.to are there from now on */
    while (time_host(&p, calls) * (double)calls < host_sample) calls *= 2;
    for (int i = 0; i < SAMPLES; i++) seconds[i] = time_host(&p, calls);
    rate->bytes_per_second = bytes_moved(&p.from) / median(seconds, SAMPLES);
  }
  free(p.from.data);
  free(p.to.data);
}

/* -------------------------------------------------------------------------------------------------- a device -- */

/* A column has 1 MiB. A copy takes as many columns, a power of two, as last `device_copy` seconds: a launch is then one
 * or two percent of it. */
enum { DEVICE_COLUMN = 1 << 17, MOST_COLUMNS = 1 << 10 };
static const double device_copy = 200e-6;

/* How long the device waits before a timed copy: see measure.c. */
static const double device_hold = 100e-6;

static trigon_status time_device(trigon_context *ctx, const matrix_pair *p, double *seconds) {
  trigon_status status = TRIGON_OK;
  double samples[SAMPLES];
  for (int i = -1; i < SAMPLES && status == TRIGON_OK; i++) { /* -1: warms up */
    status = trigon_timer_start(ctx, device_hold);
    if (status == TRIGON_OK) status = trigon_copy(ctx, p->from, p->to);
    if (status == TRIGON_OK) status = trigon_timer_stop(ctx, &samples[i < 0 ? 0 : i]);
  }
  if (status == TRIGON_OK) *seconds = median(samples, SAMPLES);
  return status;
}

/* The columns from `first` to before `end`. */
static trigon_matrix columns(const trigon_matrix *A, int64_t first, int64_t end) {
  return (trigon_matrix){(double *)A->data + first * A->ld, A->type, A->rows, end - first, A->ld};
}

/* Fills A with copies of a column of random numbers. */
static trigon_status fill_device(trigon_context *ctx, const trigon_matrix *column, const trigon_matrix *A) {
  trigon_status status = trigon_upload(ctx, *column, columns(A, 0, 1));
  for (int64_t filled = 1; filled < A->cols && status == TRIGON_OK; filled *= 2)
    status = trigon_copy(ctx, columns(A, 0, filled), columns(A, filled, 2 * filled));
  return status;
}

/* Stores the seconds of a copy of this size and of a copy of one element. */
static trigon_status measure_size(trigon_context *ctx, const trigon_matrix *column, int64_t cols, double *seconds,
                                  double *launch) {
  matrix_pair p = {{0}, {0}};
  trigon_status status = transfer_alloc(ctx, TRIGON_D, DEVICE_COLUMN, cols, &p.from);
  if (status == TRIGON_OK) status = transfer_alloc(ctx, TRIGON_D, DEVICE_COLUMN, cols, &p.to);
  if (status == TRIGON_OK) status = fill_device(ctx, column, &p.from);
  if (status == TRIGON_OK) status = time_device(ctx, &p, seconds);
  p.from.rows = p.from.cols = p.to.rows = p.to.cols = 1;
  if (status == TRIGON_OK) status = time_device(ctx, &p, launch);
  for (int i = 0; i < 2; i++) {
    trigon_status freed = trigon_free(ctx, i == 0 ? p.from.data : p.to.data);
    if (status == TRIGON_OK) status = freed;
  }
  return status;
}

static bool measure_device(trigon_context *ctx, copy_rate *rate, const verdict *to) {
  trigon_matrix column;
  trigon_status status = TRIGON_OK;
  if (!dense_alloc(TRIGON_D, DEVICE_COLUMN, 1, &column)) return no_memory(to);
  random_fill(&column, 1);
  double seconds = 0;
  for (int64_t cols = 1; cols <= MOST_COLUMNS && seconds < device_copy && status == TRIGON_OK; cols *= 2) {
    status = measure_size(ctx, &column, cols, &seconds, &rate->launch);
    if (status == TRIGON_OK) rate->bytes_per_second = bytes_moved(&column) * (double)cols / seconds;
  }
  free(column.data);
  return status == TRIGON_NO_MEMORY || succeeded(to, "measuring a copy", ctx, status);
}

bool copy_rate_measure(trigon_context *ctx, double bytes, copy_rate *rate, const verdict *to) {
  if (!trigon_on_host(ctx)) return rate->bytes_per_second > 0 || measure_device(ctx, rate, to);
  measure_host(bytes, rate);
  return true;
}
