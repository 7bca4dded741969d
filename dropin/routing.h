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

/* The orders of eigenproblems that Trigon computes: from `least` to `small`, and from `large` on. OpenBLAS takes less
 * time for the others, or about as long. Its DSYEVD over Trigon's time, one thread (docs/notebook/eigen.md): values
 * 1.35 to 1.21 at 48 to 96, 0.72 to 0.92 from 128 to 1024; vectors 2.35 to 1.49 at 48 to 96, 0.88 to 0.98 at 128 to
 * 256, 1.04 to 1.11 from 384 on. Its DSYEV with vectors took 2 to 8 times as long in a loop that is not kept. Other
 * types were not measured. Orders below 48 are OpenBLAS's as long as LAPACK's own tests have not run over Trigon's
 * solver there. */
typedef struct eigen_orders {
  int64_t least, small, large;
} eigen_orders;
#define ORDERS_OF_VALUES ((eigen_orders){48, 90, INT64_MAX})
#define ORDERS_OF_DIVISION ((eigen_orders){48, 96, 384})
#define ORDERS_OF_ITERATION ((eigen_orders){48, INT64_MAX, INT64_MAX})

/* The route of a routine and type: `cpu` is Trigon's text about its kernels (trigon_describe), `core` the name that the
 * host gives to its kernels, or NULL. Never returns NULL. */
const route *route_of(enum routed, char letter, const char *cpu, const char *core);

#endif
