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
    "Runs a program with Trigon's drop-in library: Trigon computes its calls of BLAS level 3, of CBLAS, and of "
    "LAPACK's\n"
    "Cholesky and triangular routines, and the program's own library all others. Nothing is installed or changed.\n"
    "Programs that bring a BLAS under names of its own, as the wheels of NumPy do, are not reached.\n"
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

/* Puts the library in front of those that are preloaded already. */
static bool preload(const char *path) {
  const char *others = getenv("LD_PRELOAD");
  if (!others || !*others) return setenv("LD_PRELOAD", path, 1) == 0;
  const size_t size = strlen(path) + strlen(others) + 2;
  char *list = malloc(size);
  if (!list) return false;
  snprintf(list, size, "%s:%s", path, others);
  const bool done = setenv("LD_PRELOAD", list, 1) == 0;
  free(list);
  return done;
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
  char path[8192];
  const char *file = int64 ? "libtrigon-blas64.so" : "libtrigon-blas.so";
  if (!find_library(file, path, sizeof path)) return failed("run", "there is no %s beside this command", file);
  if (strpbrk(path, " :")) return failed("run", "the loader cannot preload a path with spaces or colons: %s", path);
  if (!preload(path) || (log && setenv("TRIGON_BLAS_LOG", "1", 1) != 0)) return failed("run", "out of memory");
  return start(program);
}
