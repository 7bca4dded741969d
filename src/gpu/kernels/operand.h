/* operand.h - a matrix in a kernel: strides along rows and columns, and the values of elements that are not stored. */
#ifndef TRIGON_OPERAND_H
#define TRIGON_OPERAND_H

#include "element.h"

/* Which elements are stored. Outside of a triangle the elements are zero; the diagonal of a unit triangle is one. In a
 * symmetric or Hermitian matrix the lower triangle is stored, and the others are the mirror images of stored
 * elements. */
enum shape { FULL, LOWER, UPPER, SYMMETRIC, HERMITIAN };

template <class T> struct matrix {
  T *data;
  int64_t row, col; /* strides in elements */
  bool conjugated;
  shape stored;
  bool unit;

  __device__ T *at(int64_t i, int64_t j) const { return data + i * row + j * col; }

  __device__ T load(int64_t i, int64_t j) const { return conjugated ? conjugate(*at(i, j)) : *at(i, j); }

  /* Element (i, j), stored or not. */
  __device__ T get(int64_t i, int64_t j) const {
    switch (stored) {
    case FULL: return load(i, j);
    case LOWER:
    case UPPER:
      if (i == j) return unit ? one<T>() : load(i, j);
      return (i > j) == (stored == LOWER) ? load(i, j) : T{};
    case SYMMETRIC: return i >= j ? load(i, j) : load(j, i);
    default: return i == j ? only_real(load(i, j)) : i > j ? load(i, j) : conjugate(load(j, i));
    }
  }

  __device__ matrix as(shape s, bool with_unit = false) const { return {data, row, col, conjugated, s, with_unit}; }

  /* The transpose of a triangle or of a full matrix. */
  __device__ matrix transposed() const {
    return {data, col, row, conjugated, stored == LOWER ? UPPER : stored == UPPER ? LOWER : stored, unit};
  }
  __device__ matrix adjoint() const {
    matrix t = transposed();
    t.conjugated = !conjugated;
    return t;
  }
  /* The block that begins at (i, j). */
  __device__ matrix from(int64_t i, int64_t j) const { return {at(i, j), row, col, conjugated, stored, unit}; }
};

template <class T> __device__ inline matrix<T> matrix_of(const operand &o, int64_t b) {
  return {static_cast<T *>(o.data) + b * o.batch_stride, o.row, o.col, o.conjugate, FULL, false};
}

#endif
