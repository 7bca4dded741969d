/* npy_numbers.h - the numbers of NumPy files: which there are, and how they become those of a matrix. */
#ifndef TRIGON_CLI_FILES_NPY_NUMBERS_H
#define TRIGON_CLI_FILES_NPY_NUMBERS_H

#include "../text.h"

#include <trigon.h>

/* How a file stores a number. AS_IS: as the matrix does. */
typedef enum stored_kind { AS_IS, HALF, BOOLEAN, SIGNED, UNSIGNED } stored_kind;

typedef struct npy_numbers {
  const char *code; /* NumPy's, without the byte order: "f8" */
  size_t bytes;     /* of an element in the file; never more than an element of the matrix has */
  trigon_type type; /* of the matrix: double precision for integers and booleans, single for f2 */
  stored_kind kind;
} npy_numbers;

/* NULL if there are no such numbers. */
const npy_numbers *npy_numbers_find(text code);

/* Turns `count` elements as the file has them into those of a matrix, in place: they end where the elements of the matrix
 * will end, which begin at `to`. `swapped`: the file's byte order is not this machine's. *rounded grows by the number of
 * integers that double precision does not hold exactly. */
void npy_numbers_convert(const npy_numbers *numbers, bool swapped, char *to, size_t count, int64_t *rounded);

#endif
