/* cluster.h - the engine for distributed matrices: its members, and the functions that its files share. */
#ifndef TRIGON_CLUSTER_CLUSTER_H
#define TRIGON_CLUSTER_CLUSTER_H

#include "core/distributed.h"
#include "core/plugin.h"
#include "scalapack.h"

typedef struct cluster {
  engine engine; /* first: an engine * is a cluster * */
  machine machine;
  bool native;       /* the option: TRTRI and LAUUM are the library's */
  int64_t failure;   /* of the present call */
  int64_t kept;      /* the first failure of calls without an info of their own, for `finish` */
  int64_t *info;     /* where the present call stores its failure, or NULL */
  scalapack library; /* its functions */
  grid grid;
  char described[400];
} cluster;

static inline cluster *cluster_of(engine *e) { return (cluster *)e; }
static inline cluster *cluster_on(machine *m) { return (cluster *)(void *)((char *)m - offsetof(cluster, machine)); }

/* An operand as ScaLAPACK takes it. */
typedef struct piece {
  const trigon_cluster_view *of;
  int ia, ja;
} piece;

static inline piece piece_of(view A) {
  const trigon_cluster_view *v = A.base;
  return (piece){v, (int)(v->ia + A.row), (int)(v->ja + A.col)};
}

/* The members of a descriptor. */
enum { DESC_TYPE, DESC_CONTEXT, DESC_M, DESC_N, DESC_MB, DESC_NB, DESC_RSRC, DESC_CSRC, DESC_LLD };

/* Finds out what is wrong with the operands of a public call, as far as this process can see. */
trigon_status cluster_check_operands(const cluster *c, const operation *o);

/* Compares the call with those of the other processes. `own` is what this process has found. All processes get the same
 * status. If this process has no reason of its own, `why` gets one. */
trigon_status cluster_agree(cluster *c, const operation *o, trigon_status own);
trigon_status cluster_withdraw(machine *m);

/* Runs a leaf: a routine of ScaLAPACK, or one over diagonals. */
trigon_status cluster_run(engine *e, const operation *o);

/* The first column of a diagonal, from 1, that no pivot can be: where A is exactly zero, or is not above zero. 0: there
 * is none. The same on all processes. */
typedef enum pivot_test { PIVOT_ZERO, PIVOT_NOT_POSITIVE } pivot_test;
int64_t cluster_first_bad_pivot(const cluster *c, view A, pivot_test test);

/* The logarithm of the squared product of a diagonal, the same on all processes. */
double cluster_log_diagonal(const cluster *c, view A);

extern const engine cluster_engine;

#endif
