/* thread_keys.c - a program that makes thread-specific keys of its own and loads libtrigon later.
 *
 *   thread_keys LIBRARY NAME MODULE
 *
 * The context NAME works in threads that begin and end. The program's values must stay unchanged, each value must
 * reach its destructor, and all threads must end. The threads use a thread-local variable of MODULE. The loader
 * allocates this variable by the program's own malloc (own_malloc.c), and only the program's free may free it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <trigon.h>

#include "loaded_library.h"
#include "support/check.h"

/* In glibc a thread holds 32 values without an allocation. So the program takes many keys first. Then libtrigon
 * takes a key, and the key of the BLAS library is beyond the 32. */
enum { last_key = 30, most_keys = 40, threads = 8, order = 400 };

static trigon_status (*create)(const char *, trigon_context **, char *, size_t);
static void (*destroy)(trigon_context *);
static trigon_status (*gemm)(trigon_context *, trigon_op, trigon_op, int64_t, int64_t, int64_t, double, const double *,
                             int64_t, const double *, int64_t, double, double *, int64_t);

static int *(*thread_variable)(void);

static pthread_key_t keys[most_keys];
static int key_count, destroyed, strangers;
static char values[most_keys];

static void destructor(void *value) {
  if ((char *)value >= values && (char *)value < values + most_keys)
    destroyed++;
  else
    strangers++;
}

/* Large enough that the BLAS uses several threads. */
static bool multiply(trigon_context *ctx) {
  static double A[order * order], C[order * order];
  for (int i = 0; i < order * order; i++) A[i] = 1;
  return gemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, order, order, order, 1, A, order, A, order, 0, C, order) ==
             TRIGON_OK &&
         C[0] == order && C[order * order - 1] == order;
}

static void *work(void *name) {
  char why[400];
  trigon_context *ctx;
  *thread_variable() = 1;
  for (int i = 0; i < key_count; i++)
    if (pthread_setspecific(keys[i], values + i) != 0) abort();
  check(create(name, &ctx, why, sizeof why) == TRIGON_OK && multiply(ctx), "a product in a thread");
  destroy(ctx);
  for (int i = 0; i < key_count; i++) check(pthread_getspecific(keys[i]) == values + i, "a value of the program's own");
  return NULL;
}

/* Threads that run at the same time and that each leave a thread-local variable on their stack. OpenMP's threads
 * start later, and would find these stacks. */
static void *use_variable(void *barrier) {
  *thread_variable() = 1;
  pthread_barrier_wait(barrier);
  return NULL;
}

static void leave_stacks(void) {
  pthread_t thread[threads];
  pthread_barrier_t barrier;
  if (pthread_barrier_init(&barrier, NULL, threads) != 0) abort();
  for (int i = 0; i < threads; i++)
    if (pthread_create(&thread[i], NULL, use_variable, &barrier) != 0) abort();
  for (int i = 0; i < threads; i++)
    if (pthread_join(thread[i], NULL) != 0) abort();
  pthread_barrier_destroy(&barrier);
}

static int count_threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) return 0;
  while (readdir(tasks)) count++;
  closedir(tasks);
  return count;
}

/* A thread that was joined may be in the list for a moment yet. */
static bool threads_become(int count) {
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int looks = 0; looks < 5000; looks++) {
    if (count_threads() == count) return true;
    nanosleep(&pause, NULL);
  }
  return false;
}

static void make_key(void) {
  if (key_count == most_keys || pthread_key_create(&keys[key_count++], destructor) != 0) abort();
}

static void work_in_threads(char *name) {
  destroyed = 0;
  int before = count_threads();
  for (int i = 0; i < threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, name) != 0) abort();
    if (pthread_join(thread, NULL) != 0) abort();
  }
  check(destroyed == threads * key_count && strangers == 0,
        "the destructors get the program's values and nothing else");
  check(threads_become(before), "all threads have ended");
}

int main(int count, char **words) {
  if (count != 4) return 2;
  make_key();
  void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL), *module = dlopen(words[3], RTLD_NOW | RTLD_LOCAL);
  if (!library || !module) {
    printf("cannot load %s or %s: %s\n", words[1], words[3], dlerror());
    return 1;
  }
  while (keys[key_count - 1] < last_key) make_key();
  find(library, "trigon_create", &create);
  find(library, "trigon_destroy", &destroy);
  find(library, "trigon_dgemm", &gemm);
  find(module, "thread_variable", &thread_variable);
  leave_stacks();
  work_in_threads(words[2]);
  while (key_count < most_keys) make_key();
  work_in_threads(words[2]);
  return checked();
}
