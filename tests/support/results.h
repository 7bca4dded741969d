/* results.h - fingerprints of what calls compute: equal ones mean equal bits. */
#ifndef TRIGON_TESTS_RESULTS_H
#define TRIGON_TESTS_RESULTS_H

#include "calls.h"

enum { tested_types = 4, tested_calls = TESTED_ROUTINES * tested_types };

/* Makes call `number` of tested_calls, which is one routine over one type, on random matrices of this seed. The sizes
 * are about 180 times `scale`: with scale 1, several threads share a leaf. Stores a fingerprint of all matrices.
 * Returns false if the call failed. */
bool result_of(trigon_context *ctx, int number, double scale, uint64_t seed, uint64_t *fingerprint);

/* The name of the routine of a call, and the letter of its type. */
const char *result_routine(int number);
char result_type(int number);

#endif
