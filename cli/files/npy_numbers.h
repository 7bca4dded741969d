/* npy_numbers.h - the number types of NumPy files, and their conversion to the elements of a matrix. */
#ifndef TRIGON_CLI_FILES_NPY_NUMBERS_H
#define TRIGON_CLI_FILES_NPY_NUMBERS_H

#include "../text.h"

#include <trigon.h>

/* How a file stores a number. AS_IS: as an element of the matrix. */
typedef enum stored_kind { AS_IS, HALF, BOOLEAN, SIGNED, UNSIGNED } stored_kind;

typedef struct npy_numbers {
  const char *code; /* NumPy's name without the byte order: "f8" */
  size_t bytes;     /* of a number in the file; never more than those of an element of the matrix */
  trigon_type type; /* of the matrix: double precision for integers and booleans, single for f2 */
  stored_kind kind;
} npy_numbers;

/* The entry with this code, or NULL. */
const npy_numbers *npy_numbers_find(text code);

/* Converts `count` numbers of a file to elements of a matrix, in place. The elements begin at `to`; the numbers of the
 * file, which may be smaller, end where the elements will end. `swapped`: the file's byte order is not that of this
 * machine. Adds to *rounded how many integers double precision does not hold exactly. */
void npy_numbers_convert(const npy_numbers *numbers, bool swapped, char *to, size_t count, int64_t *rounded);

#endif
