/* run_program.c - the command run: starts a program that computes with BLAS and LAPACK. Trigon's drop-in library comes
 * before the program's own. */
#include "command.h"
#include "command_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: trigon run [--log] [--int64] [--] PROGRAM [ARGUMENTS]\n"
    "\n"
    "Runs a program with Trigon's drop-in libraries: Trigon computes its calls of BLAS level 3, of CBLAS, and of "
    "LAPACK's\n"
    "Cholesky and triangular routines, and the program's own library all others. Nothing is installed or changed.\n"
    "The wheels of NumPy and SciPy bring a BLAS of their own (scipy_dgemm_). Trigon computes its calls, too.\n"
    "\n"
    "  --log               print at the end what was called how often, how long it took, and who computed it\n"
    "  --int64             for programs whose BLAS has 64-bit integers\n"
    "  -h, --help          this text\n"
    "\n"
    "Environment: TRIGON_NUM_THREADS, or as many threads as the program's BLAS would use; TRIGON_BLAS_LOG=1 as --log;\n"
    "TRIGON_BLAS_UNDER, the BLAS that computes what Trigon does not (default: OpenBLAS).\n"
    "Exit status: the program's; 126 or 127 if the program cannot be started; 1 without the library, 2 wrong usage.\n";

enum { CANNOT_START = 126, NO_PROGRAM = 127 };

/* The folder of the command, with a slash at its end. */
static bool find_own_folder(char *folder, size_t size) {
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  if (length <= 0) return false;
  folder[length] = '\0';
  strrchr(folder, '/')[1] = '\0';
  return true;
}

/* The path of the drop-in library: beside the command's library, or in the folder of the build. */
static bool find_library(const char *file, char *path, size_t size) {
  static const char *const places[] = {TRIGON_TO_DROPIN, "../dropin"};
  char folder[4096];
  if (!find_own_folder(folder, sizeof folder)) return false;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const int length = snprintf(path, size, "%s%s/%s", folder, places[i], file);
    if (length > 0 && (size_t)length < size && access(path, R_OK) == 0) return true;
  }
  return false;
}

/* Puts these paths, which end with a colon, in front of the libraries that are preloaded already. */
static bool preload(char *paths) {
  const char *others = getenv("LD_PRELOAD");
  if (!others || !*others) {
    paths[strlen(paths) - 1] = '\0';
    return setenv("LD_PRELOAD", paths, 1) == 0;
  }
  const size_t size = strlen(paths) + strlen(others) + 1;
  char *list = malloc(size);
  if (!list) return false;
  snprintf(list, size, "%s%s", paths, others);
  const bool done = setenv("LD_PRELOAD", list, 1) == 0;
  free(list);
  return done;
}

/* Lists the drop-in libraries. Those for wheels need no system library, so that no program is hurt by them. The first
 * one is not built if there is no OpenBLAS to stand on. Returns the exit status of a failure, or 0. */
static int list_libraries(bool int64, char *paths, size_t size) {
  const char *const files[] = {int64 ? "libtrigon-blas64.so" : "libtrigon-blas.so", "libtrigon-scipy.so",
                               "libtrigon-scipy64.so"};
  size_t used = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[8192];
    if (find_library(files[i], path, sizeof path)) {
      if (strpbrk(path, " :")) return failed("run", "the loader cannot preload a path with spaces or colons: %s", path);
      used += (size_t)snprintf(paths + used, size - used, "%s:", path);
    } else if (i == 0)
      fprintf(stderr, "trigon run: there is no %s beside this command: only Python's wheels are served\n", files[0]);
  }
  return used > 0 ? 0 : failed("run", "there is no drop-in library beside this command");
}

/* Replaces this process by the program. Returns only on failure. */
static int start(char **program) {
  execvp(program[0], program);
  const int status = errno == ENOENT ? NO_PROGRAM : CANNOT_START;
  failed("run", "cannot start %s: %s", program[0], strerror(errno));
  return status;
}

int run_command(int argc, char **argv) {
  bool log = false, int64 = false;
  const option options[] = {{"log", 0, NULL, &log}, {"int64", 0, NULL, &int64}, {NULL, 0, NULL, NULL}};
  const syntax s = {"run", help, options, NULL, 0, 0, NULL};
  int own = 1; /* our arguments end with the first one that is no option */
  while (own < argc && argv[own][0] == '-' && argv[own][1] && strcmp(argv[own], "--") != 0) own++;
  const int status = parse_arguments(&s, own, argv);
  if (status != PARSED) return status;
  char **program = argv + own + (own < argc && strcmp(argv[own], "--") == 0);
  if (!*program) return usage_error("run", "which program?");
  char paths[3 * 8193]; /* three paths and their colons */
  const int missing = list_libraries(int64, paths, sizeof paths);
  if (missing) return missing;
  if (!preload(paths) || (log && setenv("TRIGON_BLAS_LOG", "1", 1) != 0)) return failed("run", "out of memory");
  return start(program);
}
