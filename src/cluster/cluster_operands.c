/* cluster_operands.c - checks the operands of a call, because ScaLAPACK would end the whole program for a bad one. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "cluster.h"

__attribute__((format(printf, 4, 5))) static trigon_status refuse(const cluster *c, trigon_status status,
                                                                  const char *argument, const char *format, ...) {
  reason *why = c->machine.why;
  va_list values;
  va_start(values, format);
  vsnprintf(why->text, sizeof why->text, format, values);
  va_end(values);
  why->argument = argument;
  return status;
}

#define REFUSE(...) return refuse(c, TRIGON_BAD_ARGUMENT, name, __VA_ARGS__)

static trigon_status check_descriptor(const cluster *c, const char *name, const int *d) {
  const grid *g = &c->grid;
  if (d[DESC_TYPE] != 1) REFUSE("has a descriptor of type %d, must be 1", d[DESC_TYPE]);
  if (d[DESC_CONTEXT] != g->context)
    REFUSE("is distributed over the BLACS context %d, must be %d as the context's", d[DESC_CONTEXT], g->context);
  if (d[DESC_M] < 0 || d[DESC_N] < 0)
    REFUSE("has a descriptor of %d × %d elements, must not be negative", d[DESC_M], d[DESC_N]);
  if (d[DESC_MB] < 1 || d[DESC_NB] < 1)
    REFUSE("has blocks of %d × %d elements, must be at least 1 × 1", d[DESC_MB], d[DESC_NB]);
  if (d[DESC_RSRC] < 0 || d[DESC_RSRC] >= g->rows || d[DESC_CSRC] < 0 || d[DESC_CSRC] >= g->cols)
    REFUSE("has its first block at process (%d, %d), must be in the grid of %d × %d", d[DESC_RSRC], d[DESC_CSRC],
           g->rows, g->cols);
  return TRIGON_OK;
}

/* The part that begins at (ia, ja) of the matrix. */
static trigon_status check_place(const cluster *c, const char *name, view A, bool square) {
  const trigon_cluster_view *v = A.base;
  const int *d = v->descriptor;
  const long long ia = v->ia, ja = v->ja;
  if (square && d[DESC_MB] != d[DESC_NB])
    REFUSE("has blocks of %d × %d elements, must be square here", d[DESC_MB], d[DESC_NB]);
  if (ia < 1 || ja < 1) REFUSE("begins at ia = %lld, ja = %lld, must be from 1", ia, ja);
  if (ia - 1 > d[DESC_M] - A.m || ja - 1 > d[DESC_N] - A.n)
    REFUSE("is %lld × %lld from ia = %lld, ja = %lld on, beyond the matrix of %d × %d", (long long)A.m, (long long)A.n,
           ia, ja, d[DESC_M], d[DESC_N]);
  if ((ia - 1) % d[DESC_MB] != 0)
    REFUSE("begins at ia = %lld inside of a block, must be 1 + a multiple of mb = %d", ia, d[DESC_MB]);
  if ((ja - 1) % d[DESC_NB] != 0)
    REFUSE("begins at ja = %lld inside of a block, must be 1 + a multiple of nb = %d", ja, d[DESC_NB]);
  return TRIGON_OK;
}

/* How many of the rows or columns of the whole matrix this process holds. */
static int64_t local_count(int size, int block, int at, int first, int places) {
  return distributed_count(size, block, at >= first ? at - first : at - first + places, places);
}

static trigon_status check_local(const cluster *c, const char *name, const trigon_cluster_view *v) {
  const int *d = v->descriptor;
  const grid *g = &c->grid;
  const int64_t rows = local_count(d[DESC_M], d[DESC_MB], g->row, d[DESC_RSRC], g->rows);
  const int64_t cols = local_count(d[DESC_N], d[DESC_NB], g->col, d[DESC_CSRC], g->cols);
  if (d[DESC_LLD] < 1 || d[DESC_LLD] < rows)
    REFUSE("has the local leading dimension %d, must be at least %lld", d[DESC_LLD], (long long)(rows > 1 ? rows : 1));
  if ((int64_t)d[DESC_LLD] * cols > INT_MAX)
    return refuse(c, TRIGON_NOT_SUPPORTED, name,
                  "has a local part of %d × %lld elements, more than ScaLAPACK's 32-bit integers count: "
                  "take more processes",
                  d[DESC_LLD], (long long)cols);
  if (!v->local && rows > 0 && cols > 0)
    REFUSE("has the local part NULL, must point to %lld × %lld elements", (long long)rows, (long long)cols);
  return TRIGON_OK;
}

static trigon_status check_operand(const cluster *c, const char *name, view A, bool square) {
  if (A.m == 0 || A.n == 0) return TRIGON_OK;
  const trigon_cluster_view *v = A.base;
  if (v->tag != distributed_tag) REFUSE("is no matrix that trigon_cluster_matrix has made");
  TRY(check_descriptor(c, name, v->descriptor));
  TRY(check_place(c, name, A, square));
  return check_local(c, name, v);
}
#undef REFUSE

trigon_status cluster_check_operands(const cluster *c, const operation *o) {
  const bool update = o->routine == ROUTINE_SYRK || o->routine == ROUTINE_SYR2K;
  TRY(check_operand(c, "A", o->A, o->routine != ROUTINE_GEMM && !update));
  TRY(check_operand(c, "B", o->B, false));
  return check_operand(c, "C", o->C, update);
}
