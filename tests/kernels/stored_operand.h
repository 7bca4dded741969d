/* stored_operand.h - operands of kernels for tests: matrices of any layout in device memory, with a copy on the host,
 * and sums of products in long doubles. */
#ifndef TRIGON_STORED_OPERAND_H
#define TRIGON_STORED_OPERAND_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/fold_flags.h"
#include "gpu/vendor/vendor.h"
#include "support/check.h"

typedef struct number {
  long double re, im;
} number;

static inline int element_size(trigon_type t) { return t == TRIGON_S ? 4 : t == TRIGON_Z ? 16 : 8; }
static inline bool is_complex(trigon_type t) { return t == TRIGON_C || t == TRIGON_Z; }
static inline bool is_single(trigon_type t) { return t == TRIGON_S || t == TRIGON_C; }

static uint64_t state = 88172645463325252u;
static inline unsigned random_below(unsigned n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}
static inline bool random_bool(void) { return random_below(2); }

/* ------------------------------------------------------------------------------------------------ operands -- */

/* A matrix in device memory, and a copy on the host. */
typedef struct stored {
  trigon_type type;
  int64_t rows, cols, bytes;
  operand on_host, on_device;
  char *host, *device;
} stored;

static inline void put(const stored *s, int64_t i, int64_t j, number x) {
  void *at = (char *)s->on_host.data + (i * s->on_host.row + j * s->on_host.col) * element_size(s->type);
  if (is_single(s->type))
    memcpy(at, (float[]){(float)x.re, (float)x.im}, (size_t)element_size(s->type));
  else
    memcpy(at, (double[]){(double)x.re, (double)x.im}, (size_t)element_size(s->type));
}

/* The element as it is stored. */
static inline number get(const stored *s, int64_t i, int64_t j) {
  const void *at = (char *)s->on_host.data + (i * s->on_host.row + j * s->on_host.col) * element_size(s->type);
  float f[2] = {0, 0};
  double d[2] = {0, 0};
  memcpy(is_single(s->type) ? (void *)f : (void *)d, at, (size_t)element_size(s->type));
  return is_single(s->type) ? (number){f[0], f[1]} : (number){d[0], d[1]};
}

static inline number conjugate_if(bool wanted, number x) { return wanted ? (number){x.re, -x.im} : x; }
static inline number element(const stored *s, int64_t i, int64_t j) {
  return conjugate_if(s->on_host.conjugate, get(s, i, j));
}

static inline bool good(cudaError_t error) {
  if (error != cudaSuccess) printf("error: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess;
}

static inline void send(const stored *s) {
  if (!good(cudaMemcpy(s->device, s->host, (size_t)s->bytes, cudaMemcpyHostToDevice))) abort();
}

/* How rows and columns lie in memory. Words are aligned in layouts without `odd`. */
typedef struct layout {
  bool by_rows, odd, apart, backward;
} layout;
static const layout layouts[] = {{0},
                                 {.by_rows = true},
                                 {.odd = true},
                                 {.by_rows = true, .odd = true},
                                 {.backward = true},
                                 {.by_rows = true, .backward = true},
                                 {.apart = true, .backward = true}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts, GUARD = 16 };

/* Random numbers, and NaNs around them. With `lower` there are NaNs above the diagonal, too. */
static inline stored make(trigon_type type, int64_t rows, int64_t cols, layout l, bool lower) {
  const int64_t near = l.apart ? 3 : 1, length = l.by_rows ? cols : rows, lines = l.by_rows ? rows : cols;
  const int64_t line = (length * near + 7) / 4 * 4 + l.odd, size = element_size(type);
  stored s = {.type = type, .rows = rows, .cols = cols, .bytes = (lines * line + 2 * GUARD) * size};
  s.host = malloc((size_t)s.bytes);
  if (!s.host || !good(cudaMalloc((void **)&s.device, (size_t)s.bytes))) abort();
  memset(s.host, 0xff, (size_t)s.bytes);
  const int64_t row = l.by_rows ? line : near, col = l.by_rows ? near : line;
  const int64_t first = GUARD + (l.backward ? (rows - 1) * row + (cols - 1) * col : 0);
  s.on_host = (operand){s.host + first * size, l.backward ? -row : row, l.backward ? -col : col, 0, false};
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = lower ? j : 0; i < rows; i++)
      put(&s, i, j, (number){random_below(2001) / 1000.0L - 1, random_below(2001) / 1000.0L - 1});
  s.on_device = s.on_host;
  s.on_device.data = s.device + ((char *)s.on_host.data - s.host);
  return s;
}

static inline void release(stored *s) {
  cudaFree(s->device);
  free(s->host);
}

static inline void conjugate_stored(stored *s, bool wanted) { s->on_host.conjugate = s->on_device.conjugate = wanted; }

/* A column with any increment. */
static inline stored make_vector(trigon_type type, int64_t n) {
  static const layout increments[] = {{0}, {.apart = true}, {.backward = true}, {.apart = true, .backward = true}};
  return make(type, n, 1, increments[random_below(4)], false);
}

/* ---------------------------------------------------------------------------------------------------- sums -- */

static inline number times(number x, number y) {
  return (number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
static inline number of_scalar(trigon_type t, trigon_scalar x) { return (number){x.re, is_complex(t) ? x.im : 0}; }
static inline long double size_of(number x) { return fabsl(x.re) + fabsl(x.im); }

/* A sum with a bound of its terms. */
typedef struct sum {
  number value;
  long double terms;
} sum;
static inline void add_product(sum *s, number x, number y) {
  const number xy = times(x, y);
  s->value.re += xy.re, s->value.im += xy.im;
  s->terms += size_of(x) * size_of(y);
}

/* Infinities and NaNs must be the same. */
static inline bool is_near(number found, const sum *expected, trigon_type type, int64_t terms) {
  const long double unit = is_single(type) ? 0x1p-24L : 0x1p-53L;
  const long double most = (long double)(terms + 10) * unit * expected->terms;
  if (!isfinite(expected->value.re))
    return isnan(expected->value.re) ? isnan(found.re) : found.re == expected->value.re;
  return fabsl(found.re - expected->value.re) <= most && fabsl(found.im - expected->value.im) <= most;
}

#endif
