/* team.h - a team of threads that computes one leaf together. The threads are those of the process's OpenMP, which the
 * OpenMP build of OpenBLAS uses, too: so no thread waits in a second pool and takes processor time. */
#ifndef TRIGON_TEAM_H
#define TRIGON_TEAM_H

/* One member of a team, and how many members there are. */
typedef struct member {
  int id, size; /* id is 0 .. size - 1 */
} member;

/* The most threads that OpenMP would use for the calling thread outside of parallel regions. */
int team_most(void);

/* The most threads that OpenMP would use now for the calling thread: 1 inside a parallel region. */
int team_limit(void);

/* Runs work(member, job) on each of at most `threads` members, and returns when all have returned. The calling thread
 * is member 0. */
void team_run(int threads, void (*work)(member, void *job), void *job);

/* Waits until each member of the calling member's team has come here. What a member wrote before, the others then read.
 * To be called by all members of a team, or by none. */
void team_wait(member);

/* The share of one member, if `count` units are divided into consecutive parts that differ by one unit at most. */
typedef struct share {
  long first, end;
} share;

static inline share share_of(long count, int part, int parts) {
  return (share){count * part / parts, count * (part + 1) / parts};
}

#endif
