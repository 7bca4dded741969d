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

/* The orders of eigenproblems that Trigon computes: from `least` to `small`, and from `large` on. OpenBLAS takes less
 * time for the others, or about as long. Trigon's time over OpenBLAS's, D, one thread, a Cascade Lake
 * (bench/results/2026-11-28-cascadelake-dropin-eigen.csv):
 *   values: 1.03 to 1.12 at order 4, 0.62 to 0.88 from 6 to 96, 1.4 at 128; a tenth of them 0.62 to 1.01 from 6 to 96
 *   SYEVD's vectors: 0.42 to 0.66 from 6 to 96, 1.19 at 128, 1.00 at 256, 0.87 to 0.88 at 512 and 1024
 *   SYEVR's vectors: 0.35 to 0.58 from 6 to 96, 0.93 to 0.95 at 128 and 256, 0.68 to 0.83 at 512 and 1024
 *   SYEV's and SYEVX's vectors: 0.27 to 0.63 from 6 to 256, 0.12 to 0.17 at 512 and 1024
 *   a tenth of the vectors: 0.54 to 0.97 from 6 to 96, 1.02 to 1.43 from 128 to 512, 0.95 to 0.96 at 1024 */
typedef struct eigen_orders {
  int64_t least, small, large;
} eigen_orders;
#define ORDERS_OF_VALUES ((eigen_orders){6, 90, INT64_MAX})
#define ORDERS_OF_DIVISION ((eigen_orders){6, 96, 384})
#define ORDERS_OF_REPRESENTATIONS ((eigen_orders){6, INT64_MAX, INT64_MAX})
#define ORDERS_OF_ITERATION ((eigen_orders){6, INT64_MAX, INT64_MAX})
#define ORDERS_OF_PARTS ((eigen_orders){6, 96, 1024}) /* some of the vectors */

/* The route of a routine and type: `cpu` is Trigon's text about its kernels (trigon_describe), `core` the name that the
 * host gives to its kernels, or NULL. Never returns NULL. */
const route *route_of(enum routed, char letter, const char *cpu, const char *core);

#endif
