/* count_messages.h - counts what the library of this program hands to MPI. */
#ifndef TRIGON_TESTS_COUNT_MESSAGES_H
#define TRIGON_TESTS_COUNT_MESSAGES_H

/* The mean over all processes: calls that send, broadcast or reduce, and the bytes of their buffers. */
typedef struct message_count {
  double calls, bytes;
} message_count;

/* Starts counting anew. */
void count_start(void);

/* Collective. What was counted since the start. */
message_count count_stop(void);

#endif
