/* sturm_rows.h - how many eigenvalues of a tridiagonal matrix lie below a point, from rows in shared memory. What
 * sturm_count.h does, in the form that is faster for large matrices: rows come in pieces, and a zero is looked for
 * behind a few rows, and not in each.
 *
 * A minor that is zero needs no care if the next one is not: the one behind it has the other sign than the one before
 * it, so that there is one change of sign, whatever the sign of the zero. If the next one is zero, too, so are all that
 * follow. Then the rows are counted again, and a zero is replaced by a small number. */
#ifndef TRIGON_STURM_ROWS_H
#define TRIGON_STURM_ROWS_H

#include "sturm_count.h"

/* Element i of the diagonal, and the square of the one above it beside the diagonal. */
struct alignas(16) sturm_row {
  double d, square;
};

enum { COUNTED_TOGETHER = 8 }; /* rows, before a look at the minors' range and at zeros */

/* The last two minors, and the changes of sign. The rows come in pieces of a multiple of COUNTED_TOGETHER, but for the
 * last. */
struct sturm_minors {
  double before = 0, minor = 1;
  int changes = 0;

  /* High words of bounds. Below the first one a minor may be zero. */
  static constexpr unsigned zero = 0x07b00000, small = 0x33700000, large = 0x4c700000; /* 2^-900, 2^-200, 2^200 */

  /* Only one product is on the way from a minor to the next one. */
  __device__ TG_INLINE void take(const sturm_row &row, double x) {
    const double next = fma(row.d - x, minor, -(row.square * before));
    changes += static_cast<int>((high_word(next) ^ high_word(minor)) >> 31);
    before = minor, minor = next;
  }
  /* A step makes minors smaller by 2^-106, or by so little a square that this does not count. */
  __device__ void take_with_care(const sturm_row *rows, int n, double x) {
    for (int i = 0; i < n; i++) {
      if (i % RESCALED == 0) rescale();
      double next = (rows[i].d - x) * minor - rows[i].square * before;
      if (next == 0) next = minor * least_pivot;
      changes += (next < 0) != (minor < 0);
      before = minor, minor = next;
    }
  }
  __device__ TG_INLINE void rescale() {
    constexpr unsigned magnitudes = 0x7fffffff;
    const unsigned a = high_word(minor) & magnitudes, b = high_word(before) & magnitudes, most = a > b ? a : b;
    if (most >= small && most <= large) return;
    const double power = most < small ? large_minor : small_minor;
    before *= power, minor *= power;
  }
  __device__ TG_INLINE bool may_be_zero() const { return (high_word(minor) & 0x7fffffff) < zero; }

  /* Counts the changes of sign at point x, in so many more rows. */
  __device__ void count(const sturm_row *rows, int n, double x) {
    for (int first = 0; first < n; first += COUNTED_TOGETHER) {
      const sturm_minors begun = *this;
      const bool is_whole = first + COUNTED_TOGETHER <= n;
      if (is_whole)
#pragma unroll
        for (int i = 0; i < COUNTED_TOGETHER; i++) take(rows[first + i], x);
      if (!is_whole || may_be_zero()) {
        *this = begun;
        take_with_care(rows + first, is_whole ? int{COUNTED_TOGETHER} : n - first, x);
      }
      rescale();
    }
  }
};

#endif
