/* beside.h - processes that compute beside a measurement, as the other programs of a busy machine do. */
#ifndef TRIGON_CLI_BENCH_BESIDE_H
#define TRIGON_CLI_BENCH_BESIDE_H

#include <stdbool.h>
#include <sys/types.h>

enum { MOST_BESIDE = 64, MOST_NICE = 19 };

typedef struct beside {
  int count, nice; /* how many processes, and their nice value */
  pid_t pid[MOST_BESIDE];
} beside;

/* Reads N or N,NICE: 1 to MOST_BESIDE, 0 to MOST_NICE. */
bool beside_parse(const char *text, beside *b);

/* Starts the processes. Each is bound to no processor, and ends with this process at the latest. To be called before
 * this process has threads. Returns false, with errno set, if one does not start; then none runs. */
bool beside_begin(beside *b);
void beside_end(beside *b);

#endif
