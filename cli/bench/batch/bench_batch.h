/* bench_batch.h - the command bench for batches: trigon bench potrf_batch. */
#ifndef TRIGON_BENCH_BATCH_H
#define TRIGON_BENCH_BATCH_H

#include <stdbool.h>

/* Whether an argument of bench names a batched routine, also one whose batches cannot be measured. */
bool asks_for_batch(int argc, char **argv);

/* argv[0] is the subcommand's name. Returns the exit status. */
int bench_batch_command(int argc, char **argv);

#endif
