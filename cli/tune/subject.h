/* subject.h - what a row of a tuning table is about, and the problems by which the row is measured. */
#ifndef TRIGON_CLI_TUNE_SUBJECT_H
#define TRIGON_CLI_TUNE_SUBJECT_H

#include "../bench/problem.h"

/* A routine with a row: its name in tables, and the routine that measures it. */
typedef struct tuned_routine {
  const char *row, *measured;
  bool has_shapes; /* otherwise all of its operations have the shape w2048 */
  bool has_team;   /* a team of threads can share its leaves */
  bool is_cut;     /* the recursion can cut its operations */
} tuned_routine;

/* In the order of dependence: the recursion of a routine calls only routines before it. */
extern const tuned_routine tuned_routines[];
enum { TUNED = 9, TUNED_TYPES = 4 };

/* Tables of GPUs: of tiles, and of classes of batches. `option` names the table in the option --routine, `measured` is
 * the routine, or the routine of one matrix, that measures it. */
typedef struct tuned_table {
  const char *row, *option, *measured;
} tuned_table;

/* In the order of dependence, too. */
extern const tuned_table tuned_tiles[], tuned_batches[];
enum { TUNED_TILES = 5, TUNED_BATCHES = 4 };

/* The rules of contexts with their matrices in host memory. `measured` measures the rule. Of the link it is what
 * runs beside the copies. */
extern const tuned_table tuned_hosts[];
enum { HOST_LINK_ROW = 3, TUNED_HOSTS = 4 };

/* The shapes, most important first, and their names in tables. */
typedef enum tuned_shape { W2048, W512, W64, W16, TUNED_SHAPES } tuned_shape;
extern const char *const tuned_shapes[TUNED_SHAPES];

typedef struct subject {
  const tuned_routine *routine;
  char type;
  tuned_shape shape;
} subject;

/* Makes the problem of an order that belongs to the subject. Returns false if the shape has no such problem. */
bool subject_problem(const subject *s, int64_t order, problem *p);

/* Makes the problem of an order with all sizes equal. */
void subject_square(const subject *s, int64_t order, problem *p);

#endif
