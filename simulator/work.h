/* work.h - lists of deferred work. */
#ifndef TRIGON_SIMULATOR_WORK_H
#define TRIGON_SIMULATOR_WORK_H

#include <stdlib.h>
#include <string.h>

#include "sim_machine.h"

static inline void append(work_list *list, work *w) {
  if (list->last)
    list->last->next = w;
  else
    list->first = w;
  list->last = w;
}

static inline work *take_first(work_list *list) {
  work *w = list->first;
  list->first = w->next;
  if (!list->first) list->last = NULL;
  return w;
}

static inline void free_works(work_list *list) {
  while (list->first) free(take_first(list));
}

static inline work *new_work(work_fn *run, const void *head, size_t head_size, const void *tail, size_t tail_size) {
  work *w = malloc(sizeof *w + head_size + tail_size);
  if (!w) return NULL;
  *w = (work){.run = run, .size = head_size + tail_size};
  memcpy(w->argument, head, head_size);
  if (tail_size > 0) memcpy(w->argument + head_size, tail, tail_size);
  return w;
}

#endif
