/* shuffles.h - vectors made of lanes of two vectors. */
#ifndef TRIGON_SHUFFLES_H
#define TRIGON_SHUFFLES_H

/* The lanes of a, then of b, that the list names. */
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Lists for vectors of 2, 4, 8 or 16 lanes. */

/* n lanes: from `first` on, each `step` behind the one before it. */
#define STEPS_2(first, step) (first), (first) + (step)
#define STEPS_4(first, step) STEPS_2(first, step), STEPS_2((first) + 2 * (step), step)
#define STEPS_8(first, step) STEPS_4(first, step), STEPS_4((first) + 4 * (step), step)
#define STEPS_16(first, step) STEPS_8(first, step), STEPS_8((first) + 8 * (step), step)

/* n lanes: `first` of one vector, `first` of the other one, and so on in turns. `n` is the number of lanes too. */
#define TURNS_2(first, n) (first), (first) + (n)
#define TURNS_4(first, n) TURNS_2(first, n), TURNS_2((first) + 1, n)
#define TURNS_8(first, n) TURNS_4(first, n), TURNS_4((first) + 2, n)
#define TURNS_16(first, n) TURNS_8(first, n), TURNS_8((first) + 4, n)

#define JOIN(a, b) a##b
#define WITH_LANES(list, n) JOIN(list, n)
#define STEPS(n, first, step) WITH_LANES(STEPS_, n)(first, step)
#define TURNS(n, first) WITH_LANES(TURNS_, n)(first, n)

#endif
