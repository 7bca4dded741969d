/* worker.c - the thread of a context that plays its plans, one after the other. */
#include <stdlib.h>
#include <unistd.h>

#include "hosted.h"

void hosted_free_job(hosted_job *j) {
  plan_clear(&j->plan);
  residence_clear(&j->residence);
  free(j);
}

/* A failure ends the plans that were handed over before `finish` tells it: they would read what is half written. */
static void end_job(hosted *h, hosted_job *j, trigon_status status, int64_t info) {
  if (h->failure == TRIGON_OK)
    h->failure = status == TRIGON_OK || status == TRIGON_DEVICE_FAILED ? status : TRIGON_INCOMPLETE;
  if (status == TRIGON_OK && j->plan.info) *j->plan.info = info;
  if (status == TRIGON_OK && !j->plan.info && h->kept == 0) h->kept = info;
  h->first = j->next;
  if (!h->first) h->last = NULL;
  pthread_cond_broadcast(&h->changed);
}

static void *work(void *of) {
  hosted *h = of;
  pthread_mutex_lock(&h->lock);
  for (;;) {
    while (!h->first && !h->stop) pthread_cond_wait(&h->changed, &h->lock);
    hosted_job *j = h->first;
    if (!j) break;
    const bool skipped = h->failure != TRIGON_OK;
    int64_t info = 0;
    trigon_status status = h->failure;
    pthread_mutex_unlock(&h->lock);
    for (int g = 0; g < h->devices; g++) h->device[g].runs = 0;
    if (!skipped) status = hosted_play(h, j, &info);
    pthread_mutex_lock(&h->lock);
    end_job(h, j, status, info);
    hosted_free_job(j);
  }
  pthread_mutex_unlock(&h->lock);
  return NULL;
}

trigon_status hosted_start_worker(hosted *h) {
  if (pthread_create(&h->worker, NULL, work, h) != 0)
    return hosted_refuse(h, TRIGON_NO_MEMORY, "the thread that moves the data cannot be created");
  h->running = true;
  return TRIGON_OK;
}

void hosted_stop_worker(hosted *h) {
  if (!h->running) return;
  pthread_mutex_lock(&h->lock);
  h->stop = true;
  pthread_cond_broadcast(&h->changed);
  pthread_mutex_unlock(&h->lock);
  pthread_join(h->worker, NULL);
  h->running = false;
}

static double flops_of(const plan *p) {
  double flops = 0;
  for (int64_t i = 0; i < p->step_count; i++) flops += work_of(&p->steps[i].o).flops;
  return flops;
}

void hosted_submit(hosted *h, hosted_job *j) {
  pthread_mutex_lock(&h->lock);
  j->next = NULL;
  if (!h->first) h->planned = h->played = 0;
  h->planned += flops_of(&j->plan);
  if (h->last)
    h->last->next = j;
  else
    h->first = j;
  h->last = j;
  pthread_cond_broadcast(&h->changed);
  pthread_mutex_unlock(&h->lock);
}

void hosted_count(hosted *h, const operation *step) {
  pthread_mutex_lock(&h->lock);
  h->played += work_of(step).flops;
  pthread_mutex_unlock(&h->lock);
}

double hosted_progress(machine *m) {
  hosted *h = hosted_on(m);
  pthread_mutex_lock(&h->lock);
  const double progress = h->first && h->planned > 0 ? h->played / h->planned : 1;
  pthread_mutex_unlock(&h->lock);
  return progress < 1 ? progress : 1;
}

bool hosted_is_forked(const hosted *h) { return h->process != getpid(); }

/* In a child of fork nobody plays plans, so nobody waits for them. */
void hosted_drain(hosted *h) {
  if (hosted_is_forked(h)) return;
  pthread_mutex_lock(&h->lock);
  while (h->first) pthread_cond_wait(&h->changed, &h->lock);
  pthread_mutex_unlock(&h->lock);
}
