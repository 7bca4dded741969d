/* test_files_output.c - a matrix file is written whole or not at all.
 *
 * The tests cover full disks, links, permissions, signals, and names. */
#define _XOPEN_SOURCE 700
#include "files/signal_guard.h"
#include "test_files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program must fail to write, with this message, and leave every file unchanged. */
static void must_not_write(const char *path, const char *message) {
  char why[512] = "", want[512];
  snprintf(want, sizeof want, "%s%s", path, message);
  int files = scratch_files();
  bool ok = matrix_write(path, NULL, output_matrix(), GENERAL, why, sizeof why);
  CHECK(!ok && strcmp(why, want) == 0, "expected the message\n  %s\nfound\n  %s", want, ok ? "none" : why);
  CHECK(scratch_files() == files, "%s: files are left over", path);
}

static void must_write(const char *path) {
  char why[256] = "";
  CHECK(matrix_write(path, NULL, output_matrix(), GENERAL, why, sizeof why), "%s", why);
}

/* The disk is full after 8000 bytes, with and without an old file that the output replaces. Then the last steps
 * fail, one at a time. */
static void test_full_disk(const char *name) {
  static const bytes old = {"old", 3};
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 8000;
  for (int present = 0; present < 2; present++) {
    if (present) put_file(scratch(name), old.data, old.size);
    setrlimit(RLIMIT_FSIZE, &small);
    must_not_write(scratch(name), ": cannot write: File too large");
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int k = 1; k <= 2; k++) {
      fail_system_call(k);
      must_not_write(scratch(name), ": cannot write: Input/output error");
    }
    fail_system_call(0);
    if (present) {
      bytes now = get_file(scratch(name));
      CHECK(same_bytes(now, old), "%s: the old file is damaged", name);
      free(now.data);
    }
  }
  remove(scratch(name));
}

static mode_t mode_of(const char *path) {
  struct stat there = {0};
  return stat(path, &there) == 0 ? there.st_mode & 0777 : 0;
}

/* The writer follows links, keeps permissions, and leaves other programs' temporary files alone. */
static void test_replacing(void) {
  mode_t mask = umask(027);
  must_write(scratch("new.npy"));
  CHECK(mode_of(scratch("new.npy")) == 0640, "a new file has mode %o", mode_of(scratch("new.npy")));
  umask(mask);
  chmod(scratch("new.npy"), 0604);
  must_write(scratch("new.npy"));
  CHECK(mode_of(scratch("new.npy")) == 0604, "a replaced file has mode %o", mode_of(scratch("new.npy")));

  struct stat link;
  CHECK(symlink("new.npy", scratch("link.npy")) == 0, "symlink: %s", strerror(errno));
  remove(scratch("new.npy"));
  must_write(scratch("link.npy")); /* the link leads to a file that does not exist yet */
  CHECK(lstat(scratch("link.npy"), &link) == 0 && S_ISLNK(link.st_mode) && mode_of(scratch("new.npy")) != 0,
        "a link to a new file is not followed");
  put_file(scratch("new.npy"), "old", 3);
  must_write(scratch("link.npy"));
  bytes now = get_file(scratch("new.npy"));
  CHECK(lstat(scratch("link.npy"), &link) == 0 && S_ISLNK(link.st_mode) && now.size > 3, "a link is not followed");
  free(now.data);

  char name[64];
  for (int k = 0; k < 100; k++) {
    snprintf(name, sizeof name, ".trigon-%ld-%d.tmp", (long)getpid(), k);
    if (k == 99) must_write(scratch("new.npy"));
    put_file(scratch(name), "a stranger's", 12);
  }
  must_not_write(scratch("new.npy"), ": cannot write: File exists");
  for (int k = 0; k < 100; k++) {
    snprintf(name, sizeof name, ".trigon-%ld-%d.tmp", (long)getpid(), k);
    remove(scratch(name));
  }
  remove(scratch("link.npy"));
  remove(scratch("new.npy"));

  memset(name, 'n', sizeof name);
  char path[400], longest[256];
  memset(longest, 'n', 251);
  strcpy(longest + 251, ".npy"); /* 255 bytes, the longest name possible */
  snprintf(path, sizeof path, "%s", scratch("x"));
  strcpy(strrchr(path, '/') + 1, longest);
  must_write(path);
  remove(path);
}

/* Outputs that are refused without the superuser's rights. A child process tests this, because a child can give up
 * these rights. */
static void test_permissions(void) {
  mkdir(scratch("closed"), 0755);
  put_file(scratch("closed/read-only.npy"), "old", 3);
  chmod(scratch("closed/read-only.npy"), 0444);
  chmod(scratch("closed"), 0555);
  char above[128];
  snprintf(above, sizeof above, "%s", scratch("x"));
  *strrchr(above, '/') = '\0';
  mode_t mode = mode_of(above);
  chmod(above, 0777);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    enum { NOBODY = 65534 };
    if (geteuid() == 0 && setuid(NOBODY) != 0) _exit(77);
    char why[256] = "", want[256];
    snprintf(want, sizeof want, "%s: cannot write into the folder %s: Permission denied", scratch("closed/new.npy"),
             scratch("closed"));
    bool held = !matrix_write(scratch("closed/new.npy"), NULL, output_matrix(), GENERAL, why, sizeof why) &&
                strcmp(why, want) == 0;
    snprintf(want, sizeof want, "%s: cannot write: Permission denied", scratch("closed/read-only.npy"));
    held = held && !matrix_write(scratch("closed/read-only.npy"), NULL, output_matrix(), GENERAL, why, sizeof why);
    _exit(held && strcmp(why, want) == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    printf("SKIPPED: permissions (the superuser's rights cannot be given up here)\n");
  } else {
    CHECK(status == 0, "a folder or file that is not writable (status %d)", status);
  }
  chmod(above, mode);
  chmod(scratch("closed"), 0755);
  remove(scratch("closed/read-only.npy"));
  rmdir(scratch("closed"));
}

/* Returns how a child that calls `act` ends. The guarded file exists before. Signals end the child, although this
 * program may run under nohup, or in the background of a script, where signals are ignored. */
static int end_of(void (*act)(const char *path), const char *path) {
  put_file(path, "", 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; i++) signal((const int[]){SIGTERM, SIGHUP, SIGINT}[i], SIG_DFL);
    act(path);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

static void signal_while_creating(const char *path) {
  guard_begin();
  raise(SIGTERM); /* after the file is created, and before its name is known */
  guard_created(path);
}

static void signal_after_creating(const char *path) {
  guard_begin();
  guard_created(path);
  raise(SIGHUP);
}

static void signal_that_is_ignored(const char *path) {
  signal(SIGHUP, SIG_IGN);
  signal_after_creating(path);
}

static void signal_after_all(const char *path) {
  guard_begin();
  guard_created(path);
  guard_end();
  raise(SIGINT);
}

static void test_signals(void) {
  int status = end_of(signal_while_creating, scratch("guarded"));
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && scratch_files() == 0, "a signal while creating: %d",
        status);
  status = end_of(signal_after_creating, scratch("guarded"));
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP && scratch_files() == 0, "a signal while writing: %d",
        status);
  status = end_of(signal_that_is_ignored, scratch("guarded"));
  CHECK(status == 0 && scratch_files() == 1, "a signal that is ignored: %d", status);
  status = end_of(signal_after_all, scratch("guarded"));
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT && scratch_files() == 1, "a signal at the end: %d", status);
  remove(scratch("guarded"));
}

static void test_names(void) {
  static const char *const good[] = {"a.npy", "a.mtx", "b/a.mtx.gz", "a.gz.mtx", ".npy", "b/.mtx"};
  static const char *const bad[] = {"a", "a.mtx.bz2", "a.npy.gz", "a.MTX", "mtx", "", "a.npy/"};
  char why[256] = "", want[256];
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    CHECK(matrix_format(good[k], NULL, why, sizeof why) && why[0] == '\0', "%s: %s", good[k], why);
  }
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    snprintf(want, sizeof want, "%s: expected a name that ends in .npy, .mtx or .mtx.gz, or the option --format",
             bad[k]);
    CHECK(!matrix_format(bad[k], NULL, why, sizeof why) && strcmp(why, want) == 0, "%s: %s", bad[k], why);
    why[0] = '\0';
    CHECK(!matrix_write(bad[k], NULL, output_matrix(), GENERAL, why, sizeof why) && strcmp(why, want) == 0, "%s: %s",
          bad[k], why);
  }
}

void test_atomic_output(void) {
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN); /* otherwise the limit ends the program */
  for (int k = 0; k < OUTPUT_NAMES; k++) test_full_disk(output_names[k]);
  signal(SIGXFSZ, handler);

  char message[256];
  snprintf(message, sizeof message, ": cannot write into the folder %s: No such file or directory", scratch("none"));
  must_not_write(scratch("none/out.npy"), message);
  put_file(scratch("file"), "", 0);
  must_not_write(scratch("file/out.npy"), ": cannot write: Not a directory");
  mkdir(scratch("folder.npy"), 0700);
  must_not_write(scratch("folder.npy"), ": cannot write: is a folder");
  CHECK(symlink("/dev/null", scratch("device.mtx")) == 0, "symlink: %s", strerror(errno));
  must_not_write(scratch("device.mtx"), ": cannot write: not a regular file");
  remove(scratch("device.mtx"));
  rmdir(scratch("folder.npy"));
  remove(scratch("file"));
  test_signals();
  test_replacing();
  test_permissions();
  test_names();
  CHECK(scratch_files() == 0, "files are left over");
}
