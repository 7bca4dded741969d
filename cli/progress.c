/* progress.c - a thread that redraws the line, until progress_end joins it. */
#include "progress.h"
#include "report.h"
#include "text.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
  TICK_NS = 250 * 1000 * 1000, /* also the delay of the first drawing, so that short work does not flicker */
  MOST_SHOWN = 58,             /* characters of the text: 80 columns hold them, the share and the time */
};

struct progress {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  bool over, drawn;
  double begun;
  const trigon_context *followed; /* or NULL */
  char text[WHY_SIZE];
};

/* Prints at most MOST_SHOWN characters: if the terminal folded the line, the line could not be erased. */
static void print_shortened(const char *line) {
  for (int shown = 0; *line && shown < MOST_SHOWN;) {
    shown += text_character(line) > 0 ? 1 : ESCAPE_LENGTH;
    line += print_character(stderr, line);
  }
}

static void print_share(const trigon_context *ctx) {
  const double share = ctx ? trigon_progress(ctx) : 1;
  if (share < 1) fprintf(stderr, ", %.0f %%", 100 * share);
}

static void *tick(void *argument) {
  progress *p = argument;
  pthread_mutex_lock(&p->lock);
  while (!p->over) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_nsec += TICK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->wake, &p->lock, &until);
    if (p->over) break;
    fputs("\r\033[K", stderr);
    print_shortened(p->text);
    print_share(p->followed);
    fprintf(stderr, " ... %.1f s", seconds_now() - p->begun);
    p->drawn = true;
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

progress *progress_begin(bool wanted, const char *format, ...) {
  progress *p = wanted && isatty(STDERR_FILENO) ? calloc(1, sizeof *p) : NULL;
  if (!p) return NULL;
  va_list values;
  va_start(values, format);
  vsnprintf(p->text, sizeof p->text, format, values);
  va_end(values);
  p->begun = seconds_now();
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  if (pthread_create(&p->thread, NULL, tick, p) == 0) return p;
  free(p);
  return NULL;
}

void progress_follow(progress *p, const trigon_context *ctx) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->followed = ctx;
  pthread_mutex_unlock(&p->lock);
}

void progress_end(progress *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->over = true;
  pthread_cond_signal(&p->wake);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  if (p->drawn) fputs("\r\033[K", stderr);
  free(p);
}
