/* routing.h - which calls the host computes faster than Trigon, by measured tables. */
#ifndef TRIGON_DROPIN_ROUTING_H
#define TRIGON_DROPIN_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

/* The routines that symbols are for. */
enum routed {
  ROUTED_gemm,
  ROUTED_trmm,
  ROUTED_trsm,
  ROUTED_syrk,
  ROUTED_syr2k,
  ROUTED_symm,
  ROUTED_herk,
  ROUTED_her2k,
  ROUTED_hemm,
  ROUTED_gemmt,
  ROUTED_potrf,
  ROUTED_potf2,
  ROUTED_potri,
  ROUTED_potrs,
  ROUTED_posv,
  ROUTED_trtri,
  ROUTED_trti2,
  ROUTED_trtrs,
  ROUTED_lauum,
  ROUTED_lauu2,
  ROUTED_gemv,
  ROUTED_trmv,
  ROUTED_trsv,
  ROUTED_symv,
  ROUTED_hemv,
  ROUTED_ger,
  ROUTED_geru,
  ROUTED_gerc,
  ROUTED_syr,
  ROUTED_her,
  ROUTED_syr2,
  ROUTED_her2,
  ROUTED_syev,
  ROUTED_heev,
  ROUTED_syevd,
  ROUTED_heevd,
  ROUTED_syevr,
  ROUTED_heevr,
  ROUTED_syevx,
  ROUTED_heevx,
  ROUTED_sygv,
  ROUTED_hegv,
  ROUTED_sygvd,
  ROUTED_hegvd,
  ROUTED_sygst,
  ROUTED_hegst,
  ROUTED_ROUTINES
};

/* The sizes of a call: its products of elements are m·n·k. Level 2 has m·n products, and repeats n as k, so that all
 * sizes are orders. */
typedef struct sizes {
  int64_t m, n, k;
} sizes;

static const sizes no_sizes = {-1, -1, -1};

static inline sizes sizes_of(int64_t m, int64_t n, int64_t k) { return (sizes){m, n, k}; }
static inline sizes sizes_of_matrix(int64_t m, int64_t n) { return sizes_of(m, n, n); }
static inline int64_t least_size(sizes s) {
  const int64_t least = s.m < s.n ? s.m : s.n;
  return s.k < least ? s.k : least;
}
static inline int64_t largest_size(sizes s) {
  const int64_t largest = s.m > s.n ? s.m : s.n;
  return s.k > largest ? s.k : largest;
}

/* The host computes calls whose sizes all are between `from` and `to`. */
typedef struct route {
  int64_t from, to;
} route;

static inline bool goes_to_host(const route *r, sizes s) {
  return least_size(s) >= r->from && largest_size(s) <= r->to;
}

/* Whether the tables are followed: TRIGON_BLAS_ROUTES=none turns them off, for measurements. */
bool routes_are_followed(void);

/* The orders of eigenproblems that Trigon computes. OpenBLAS takes less time for the others, or about as long. */
typedef struct eigen_orders {
  int64_t least, most;
} eigen_orders;

/* What is asked for, and how OpenBLAS finds it. */
enum eigen_task {
  EIGEN_VALUES,
  EIGEN_DIVISION,        /* all vectors: SYEVD, SYGVD */
  EIGEN_REPRESENTATIONS, /* SYEVR */
  EIGEN_ITERATION,       /* SYEV, SYEVX, SYGV */
  EIGEN_PARTS,           /* a part of the vectors */
  EIGEN_TASKS
};

eigen_orders orders_of(enum eigen_task, bool is_complex);

/* The route of a routine and type: `cpu` is Trigon's text about its kernels (trigon_describe), `core` the name that the
 * host gives to its kernels, or NULL. Never returns NULL. */
const route *route_of(enum routed, char letter, const char *cpu, const char *core);

#endif
