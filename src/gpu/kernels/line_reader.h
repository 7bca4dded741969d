/* line_reader.h - reads the terms of a line of an emulated product. Lines of doubles, which are nearly all, are read
 * without a branch, so that many loads are under way at once. */
#ifndef TRIGON_LINE_READER_H
#define TRIGON_LINE_READER_H

#include "emulation.h"

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

#endif
