/* main.c - the command `trigon`: finds the subcommand, runs it, and checks that its results reached standard output. */
#include "command.h"
#include "files/watched_output.h"
#include "similar.h"

#include <stdio.h>
#include <string.h>
#include <trigon.h>

static const char help[] =
    "usage: trigon COMMAND [ARGUMENTS]\n"
    "\n"
    "Dense linear algebra on symmetric, Hermitian and triangular matrices, in place.\n"
    "\n"
    "  trigon solve A [B] [-o X]   solve A·X = B, A symmetric or Hermitian positive definite\n"
    "  trigon factor A -o L        Cholesky factor: A = L·Lᴴ\n"
    "  trigon invert A -o Ainv     inverse of such an A\n"
    "  trigon bench ROUTINE        time a routine against a BLAS, or a GPU's library\n"
    "  trigon tune                 measure a tuning table for this machine\n"
    "  trigon run PROGRAM ...      run a program with Trigon as its BLAS and LAPACK\n"
    "  trigon info                 version, backends, and what they compute with\n"
    "\n"
    "  trigon COMMAND --help       all about one command; the same: trigon help COMMAND\n"
    "  trigon -V, --version        the version\n"
    "\n"
    "Matrices are read from Matrix Market (.mtx, .mtx.gz) and NumPy (.npy) files and written to the same.\n"
    "Exit status: 0 done; 1 the work failed (a file, not positive definite, an error too large); 2 wrong usage.\n"
    "\n"
    "examples:\n"
    "  trigon solve stiffness.mtx.gz              A·X = A·ones: how fast, how exact\n"
    "  trigon solve covariance.npy y.npy -o x.npy\n"
    "  trigon bench potrf --n 512:4096:*2\n";

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"solve", solve_command}, {"factor", factor_command}, {"invert", invert_command}, {"bench", bench_command},
    {"tune", tune_command},   {"run", run_command},       {"info", info_command},     {NULL, NULL}};

static const command *find_command(const char *name) {
  const command *c = commands;
  while (c->name && strcmp(c->name, name) != 0) c++;
  return c->name ? c : NULL;
}

/* Reports a word that is neither a command nor an option of `trigon` itself. */
static int unknown(const char *name) {
  bool option = name[0] == '-';
  similar meant = {.word = name, .length = strlen(name)};
  static const char *const others[] = {"help", "--help", "--version"};
  for (const command *c = commands; c->name; c++) similar_compare(&meant, c->name);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) similar_compare(&meant, others[i]);
  const char *kind = option ? "option" : "command";
  if (!meant.name) return usage_error("", "unknown %s '%s'", kind, name);
  return usage_error("", "unknown %s '%s'; did you mean '%s'?", kind, name, meant.name);
}

static int help_command(const char *name) {
  char option[] = "--help", *arguments[] = {option, option, NULL};
  const command *c = name ? find_command(name) : NULL;
  if (name && !c) return unknown(name);
  if (c) return c->run(2, arguments);
  fputs(help, stdout);
  return EXIT_DONE;
}

static int run(int argc, char **argv) {
  if (argc < 2) return usage_error("", "which command?");
  const char *name = argv[1];
  const command *c = find_command(name);
  if (c) return c->run(argc - 1, argv + 1);
  bool asks_help = strcmp(name, "help") == 0, asks_version = strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0;
  if (!asks_help && !asks_version && strcmp(name, "--help") != 0 && strcmp(name, "-h") != 0) return unknown(name);
  int most = asks_help ? 3 : 2;
  if (argc > most) return usage_error("", "unexpected argument '%s'", argv[most]);
  if (!asks_version) return help_command(argc == 3 ? argv[2] : NULL);
  printf("trigon %s\n", trigon_version());
  return EXIT_DONE;
}

int main(int argc, char **argv) {
  watched_output output;
  output_watch(&output);
  int status = run(argc, argv);
  int error = output_finish(&output); /* a full disk may be noticed only here */
  return error ? failed("", "cannot write to standard output: %s", strerror(error)) : status;
}
