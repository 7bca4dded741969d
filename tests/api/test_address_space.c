/* test_address_space.c - contexts in a process whose address space is limited.
 *
 * OpenBLAS 0.3.21 asks for its buffer again and again until it gets one. So every case is a program of its own that
 * an alarm ends, and a hang is a failure. A fork without exec is not enough: OpenBLAS frees its threads' buffers
 * before a fork, and the child would find a buffer. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/small_system.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

enum { MIB = 1 << 20, seconds = 30 };

/* The result of a child. A child that does not end by itself has hung. */
enum { FINE, REFUSED, UNNAMED, WRONG, HUNG };

static void limit_to(int64_t more) {
  long long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  if (!statm || fscanf(statm, "%lld", &pages) != 1) _exit(WRONG);
  fclose(statm);
  const rlim_t bytes = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + more);
  if (setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0) _exit(WRONG);
}

static void fill_space(void) {
  for (int64_t piece = 512 * MIB; piece >= 8 * MIB; piece /= 2)
    while (mmap(NULL, (size_t)piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
    }
}

/* Creates a context and solves with it. If `fill` is set, almost all of the remaining address space is filled in
 * between. */
static int create_and_solve(const char *name, bool fill) {
  char why[400] = "";
  trigon_context *ctx;
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status == TRIGON_NO_MEMORY) return strstr(why, "RLIMIT_AS") && strstr(why, "MiB") ? REFUSED : UNNAMED;
  if (status != TRIGON_OK) return WRONG;
  if (fill) fill_space();
  const bool solved = solves(ctx);
  trigon_destroy(ctx);
  return solved ? FINE : WRONG;
}

static int alone(const char *name) { return create_and_solve(name, false); }
static int filled(const char *name) { return create_and_solve(name, true); }
/* The second context finds the address space full. OpenBLAS has its buffer from the first context. */
static int twice(const char *name) {
  const int first = create_and_solve(name, true);
  return first == FINE ? create_and_solve(name, false) : first;
}

enum { order = 200, products = 200 };
static pthread_barrier_t ready;

static void *multiply(void *ctx) {
  static const double A[order * order];
  static _Thread_local double C[order * order];
  bool done = true;
  pthread_barrier_wait(&ready); /* the threads have begun */
  pthread_barrier_wait(&ready); /* the address space is full */
  for (int i = 0; i < products; i++)
    done = done && trigon_dgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, order, order, order, 1, A, order, A, order, 0, C,
                                order) == TRIGON_OK;
  return done ? ctx : NULL;
}

/* Two contexts call at once while the address space is full. */
static int both(const char *name) {
  trigon_context *ctx[2] = {NULL};
  pthread_t thread[2];
  void *done[2] = {NULL};
  char why[400] = "";
  for (int i = 0; i < 2; i++) {
    const trigon_status status = trigon_create(name, &ctx[i], why, sizeof why);
    if (status == TRIGON_NO_MEMORY) return strstr(why, "RLIMIT_AS") ? REFUSED : UNNAMED;
    if (status != TRIGON_OK) return WRONG;
  }
  if (pthread_barrier_init(&ready, NULL, 3) != 0) return WRONG;
  for (int i = 0; i < 2; i++)
    if (pthread_create(&thread[i], NULL, multiply, ctx[i]) != 0) return WRONG;
  pthread_barrier_wait(&ready);
  fill_space();
  pthread_barrier_wait(&ready);
  for (int i = 0; i < 2; i++)
    if (pthread_join(thread[i], &done[i]) != 0) return WRONG;
  for (int i = 0; i < 2; i++) trigon_destroy(ctx[i]);
  return done[0] && done[1] ? FINE : WRONG;
}

/* A batch on two threads would need two buffers of OpenBLAS. */
static int batch(const char *name) {
  enum { count = 20, n = 300 };
  static double elements[count][n * n];
  double *A[count];
  int64_t orders[count], info[count];
  char why[400] = "";
  trigon_context *ctx;
  if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) return WRONG;
  for (int b = 0; b < count; b++) {
    A[b] = elements[b], orders[b] = n, info[b] = -1;
    for (int i = 0; i < n; i++) A[b][i + i * n] = 4;
  }
  fill_space();
  const trigon_status status = trigon_dpotrf_batch(ctx, TRIGON_LOWER, count, n, orders, A, orders, info);
  bool right = status == TRIGON_OK;
  for (int b = 0; b < count; b++) right = right && info[b] == 0 && A[b][n * n - 1] == 2;
  trigon_destroy(ctx);
  return right ? FINE : WRONG;
}

/* Runs this program again as `test_address_space CASE NAME BYTES`. If `whole` is not 0, the program has a limit of
 * `whole` bytes from its start. */
static int in_child_of(int64_t whole, const char *part, const char *name, int64_t more) {
  char bytes[24];
  snprintf(bytes, sizeof bytes, "%lld", (long long)more);
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    if (whole && setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)whole, RLIM_INFINITY}) != 0) _exit(WRONG);
    alarm(seconds); /* the alarm survives exec, because OpenBLAS can hang before main */
    execl("/proc/self/exe", "test_address_space", part, name, bytes, (char *)NULL);
    _exit(WRONG);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return WRONG;
  return WIFEXITED(status) ? WEXITSTATUS(status) : HUNG;
}

static int in_child(const char *part, const char *name, int64_t more) { return in_child_of(0, part, name, more); }

static void expect(const char *part, const char *name, int64_t more, int due, const char *what) {
  static const char *const words[] = {"fine", "refused", "refused without the limit's name", "wrong", "hung"};
  char text[200];
  const int found = in_child(part, name, more);
  snprintf(text, sizeof text, "%s with %lld MiB more, %s: %s, must be %s", name, (long long)(more / MIB), what,
           words[found <= HUNG ? found : WRONG], words[due]);
  check(found == due, text);
}

/* Trigon's own kernels and workers need room for their buffers, and for a stack. If there is none for a worker, the
 * other threads compute. */
static void own_kernels(void) {
  static const char name[] = "cpu?threads=2";
  expect("alone", name, 2 * MIB, UNNAMED, "too little for the context's buffers");
  for (int more = 20; more <= 100; more += 20) {
    expect("alone", name, more * MIB, FINE, "enough");
    expect("filled", name, more * MIB, FINE, "the space is filled before the first call");
    expect("twice", name, more * MIB, FINE, "a second context in a full space");
    if (more > 20) /* the callers' stacks take 16 MiB */
      expect("both", name, more * MIB, FINE, "two contexts that call at once in a full space");
    expect("batch", name, more * MIB, FINE, "a batch in a full space");
  }
  check(in_child_of(INT64_C(64) * MIB, "alone", name, 0) == FINE, "a limit of 64 MiB from the start");
}

/* OpenBLAS for OpenMP ignores OPENBLAS_NUM_THREADS, and takes a buffer for each thread when it is loaded. */
static void other_threads(void) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "2", 1);
  for (int more = 100; more < 500; more += 50) {
    char text[120];
    const int loaded = in_child("alone", "cpu:libopenblas.so.0", (int64_t)more * MIB);
    snprintf(text, sizeof text, "OPENBLAS_NUM_THREADS=1, loaded by name with %d MiB more: %d", more, loaded);
    check(loaded == REFUSED || loaded == FINE, text);
  }
  unsetenv("OPENBLAS_NUM_THREADS");
  setenv("OMP_NUM_THREADS", "1", 1);
}

/* Returns FINE if a context of that name computes with OpenBLAS. */
static int is_openblas(const char *name) {
  trigon_context *ctx;
  if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) return WRONG;
  const int answer = strstr(trigon_describe(ctx), "OpenBLAS") ? FINE : REFUSED;
  trigon_destroy(ctx);
  return answer;
}

static int run_part(const char *part, const char *name, int64_t more) {
  static const struct {
    const char *part;
    int (*run)(const char *name);
  } parts[] = {{"alone", alone}, {"filled", filled}, {"twice", twice},
               {"both", both},   {"batch", batch},   {"openblas", is_openblas}};
  if (more > 0) limit_to(more);
  for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++)
    if (strcmp(parts[i].part, part) == 0) return parts[i].run(name);
  return WRONG;
}

int main(int argc, char **argv) {
  if (argc == 4) return run_part(argv[1], argv[2], strtoll(argv[3], NULL, 10));
#ifdef SANITIZED
  printf("skipped: the address sanitizer takes more address space than any limit of this test\n");
  return 0;
#endif
  static const int64_t unlimited = INT64_C(1) << 46, enough = INT64_C(16) << 30;
  static const char *const loaded[] = {"cpu:libopenblas.so.0", "cpu64:libopenblas64.so.0", "cpu:libblas.so.3"};
  setenv("OMP_NUM_THREADS", "1", 1); /* each thread takes a buffer when OpenBLAS is loaded by name */
  own_kernels();
  for (int i = 0; i < 3; i++) { /* Debian's libblas.so.3 is a small library that needs OpenBLAS */
    if (in_child("openblas", loaded[i], unlimited) != FINE) {
      printf("skipped: no %s, or not OpenBLAS\n", loaded[i]);
      continue;
    }
    for (int more = 100; more < 460; more += 20) { /* how much is enough depends on the build; a hang is never right */
      const int found = in_child("filled", loaded[i], (int64_t)more * MIB);
      char text[120];
      snprintf(text, sizeof text, "%s with %d MiB more: %d", loaded[i], more, found);
      check(found == REFUSED || (found == FINE && more > 160), text);
    }
    expect("filled", loaded[i], 480 * MIB, FINE, "enough");
    expect("twice", loaded[i], enough, FINE, "more than enough");
    expect("both", loaded[i], enough, FINE, "two contexts that call at once in a full space");
    char batched[80];
    snprintf(batched, sizeof batched, "%s?threads=2", loaded[i]);
    expect("batch", batched, enough, FINE, "a batch in a full space");
  }
  if (in_child("openblas", loaded[0], unlimited) == FINE) other_threads();
  return checked();
}
