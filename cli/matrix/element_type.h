/* element_type.h - the four types of matrix elements: letters, words, sizes in bytes, unit roundoff. */
#ifndef TRIGON_CLI_MATRIX_ELEMENT_TYPE_H
#define TRIGON_CLI_MATRIX_ELEMENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* Whether the letter is a type's; a trigon_type is its letter. */
bool type_is_known(char letter);

/* The type in words, as "real, double precision". */
const char *type_words(trigon_type type);

bool type_is_complex(trigon_type type);

/* How many real numbers an element consists of (2 if it is complex), the bytes of one of them, and the bytes of an
 * element. */
int type_reals(trigon_type type);
size_t type_real_bytes(trigon_type type);
size_t type_bytes(trigon_type type);

/* The unit roundoff u: 2^-24 or 2^-53. */
double type_roundoff(trigon_type type);

/* The smallest type that holds the values of both. */
trigon_type type_common(trigon_type a, trigon_type b);

#endif
