/* line_reader.h - reads the terms of a line of an emulated product. Lines of doubles, which are nearly all, are read
 * without a branch, so that many loads are under way at once. */
#ifndef TRIGON_LINE_READER_H
#define TRIGON_LINE_READER_H

#include "int8_launchers.h"

struct plain_reader {
  const double *first;
  int64_t step;
  __device__ double operator()(int64_t l) const { return first[l * step]; }
};

struct any_reader {
  const line_set &x;
  int64_t line;
  __device__ double operator()(int64_t l) const { return element_of_line(&x, line, l); }
};

/* Calls what(read), where read(l) is term l of the line. */
template <class What> __device__ inline void with_reader(const line_set &x, int64_t i, What what) {
  if (x.form == LINES_REAL && !x.single)
    what(plain_reader{static_cast<const double *>(x.data) + i * x.line_step, x.term_step});
  else
    what(any_reader{x, i});
}

/* Reads term first + l of a line, whose terms are neighbours in memory if CONTIGUOUS. */
template <class T, bool CONTIGUOUS> struct term_reader {
  const T *first;
  int64_t step;
  __device__ double operator()(int l) const { return first[CONTIGUOUS ? l : l * step]; }
};

struct any_term_reader {
  const line_set &x;
  int64_t line, first;
  __device__ double operator()(int l) const { return element_of_line(&x, line, first + l); }
};

/* The compiler would keep the multiples of the step in registers from tile to tile. */
template <class T, bool CONTIGUOUS>
__device__ inline term_reader<T, CONTIGUOUS> terms_from(const line_set &x, int64_t i, int64_t l) {
  int64_t step = x.term_step;
  if (!CONTIGUOUS) tg_forget(step);
  return {static_cast<const T *>(x.data) + i * x.line_step + l * step, step};
}

/* Calls what(read), where read(j) is term l + j of line i. REAL: of real numbers. */
template <bool REAL, bool CONTIGUOUS, class What>
__device__ inline void with_terms(const line_set &x, int64_t i, int64_t l, What what) {
  if constexpr (!REAL)
    what(any_term_reader{x, i, l});
  else if (x.single)
    what(terms_from<float, CONTIGUOUS>(x, i, l));
  else
    what(terms_from<double, CONTIGUOUS>(x, i, l));
}

#endif
