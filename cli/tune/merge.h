/* merge.h - keeps the rows of an older tuning table that were not measured again. */
#ifndef TRIGON_CLI_TUNE_MERGE_H
#define TRIGON_CLI_TUNE_MERGE_H

#include "subject.h"
#include "table.h"

/* What was measured, whether or not the built-in table turned out to be better: rows and teams, by the index of the
 * routine in tuned_routines and by the type; tiles, classes of batches, and rules of matrices in host memory, by the
 * index in tuned_tiles, tuned_batches and tuned_hosts. */
typedef struct measured {
  bool row[TUNED][TUNED_TYPES][TUNED_SHAPES], team[TUNED][TUNED_TYPES];
  bool tile[TUNED_TILES], batch[TUNED_BATCHES][TUNED_TYPES], host[TUNED_HOSTS];
} measured;

/* The index of a type in these arrays. */
int type_number(char type);

/* Whether any row or team was measured. */
bool measured_any(const measured *m);

/* Reads the table at the path, which may not exist: then *old is empty, and *exists false. Returns false, with the
 * reason, if the file cannot be read or is too large for a table. */
bool merge_read(const char *path, table *old, bool *exists, char *why, size_t why_size);

/* Adds the lines of the old table, which must be a good one, to the new one. A line that also belongs to rows that were
 * measured is kept for the others. Stores how many lines were added. Returns false if they do not fit. */
bool merge_lines(const table *old, const measured *m, table *t, int *added);

#endif
