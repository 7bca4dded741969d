/* path.c - follows links, asks for permissions. */
#define _GNU_SOURCE /* statx */
#include "path.h"

#include "../report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MOST_LINKS = 40,        /* Linux's own limit */
  MOST_DESCRIPTORS = 256, /* of those that a shell may have opened; bash's own names for them begin at 10 */
};

bool is_standard(const char *path) { return strcmp(path, "-") == 0; }
const char *input_name(const char *path) { return is_standard(path) ? "standard input" : path; }
const char *output_name(const char *path) { return is_standard(path) ? "standard output" : path; }

/* Returns NULL after saying why nothing can be written. */
static char *cannot(const report *to, int error) {
  report_cannot(to, "write", error);
  return NULL;
}

/* How much of the name is its folder, with the last slash. */
static size_t folder_length(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash == NULL ? 0 : (size_t)(slash - name) + 1;
}

/* The first `folder` bytes of `name`, then `target`. To be freed; NULL if memory is short. */
static char *join(const char *name, size_t folder, const char *target) {
  size_t length = strlen(target);
  char *joined = malloc(folder + length + 1);
  if (joined == NULL) return NULL;
  memcpy(joined, name, folder);
  memcpy(joined + folder, target, length + 1);
  return joined;
}

/* Follows links, the last of which may lead to a file that does not exist yet. */
static char *follow(const report *to) {
  char target[PATH_MAX], *name = join("", 0, to->path);
  for (int links = 0; name != NULL && links <= MOST_LINKS; links++) {
    char *whole = realpath(name, NULL);
    int error = errno;
    ssize_t length = whole == NULL && error == ENOENT ? readlink(name, target, sizeof target - 1) : -1;
    if (length < 0) {
      if (whole == NULL && error == ENOENT) return name; /* a new file */
      free(name);
      return whole != NULL ? whole : cannot(to, error);
    }
    target[length] = '\0';
    char *next = join(name, *target == '/' ? 0 : folder_length(name), target);
    free(name);
    name = next;
  }
  int error = name != NULL ? ELOOP : ENOMEM;
  free(name);
  return cannot(to, error);
}

/* Whether files in the folder may be created and renamed. */
static bool check_folder(const report *to, const char *name, struct stat *folder) {
  size_t length = folder_length(name);
  char *path = length > 0 ? join(name, length, "") : join("", 0, ".");
  if (path == NULL) return report_no_memory(to);
  if (length > 1) path[length - 1] = '\0';
  bool ok = access(path, W_OK | X_OK) == 0 && stat(path, folder) == 0;
  if (!ok) report_file(to, "cannot write into the folder %s: %s", path, strerror(errno));
  free(path);
  return ok;
}

/* A folder such as /tmp lets nobody replace what belongs to others, even if they let everybody write. */
static bool is_protected(const struct stat *file, const struct stat *folder) {
  uid_t me = geteuid();
  return (folder->st_mode & S_ISVTX) != 0 && me != 0 && file->st_uid != me && folder->st_uid != me;
}

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A shell's redirections lead into the file, not to its name: what goes there is lost if the file is replaced. */
static bool check_descriptors(const report *to, const struct stat *file) {
  struct stat open;
  for (int fd = STDOUT_FILENO; fd < MOST_DESCRIPTORS; fd++) {
    if (fstat(fd, &open) != 0 || !is_same(&open, file)) continue;
    if (fd == STDOUT_FILENO) return report_file(to, "cannot write: is standard output: use -o -");
    if (fd == STDERR_FILENO) return report_file(to, "cannot write: is standard error");
    return report_file(to, "cannot write: is open as file descriptor %d", fd);
  }
  return true;
}

/* A file on which another one is mounted cannot be replaced. Kernels before 5.8 do not tell. */
static bool is_mount_point(const char *name) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx file;
  return statx(AT_FDCWD, name, 0, STATX_TYPE, &file) == 0 && (file.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return false;
#endif
}

/* What stands in the way of replacing the file. */
static bool check_old(const report *to, const char *name, const struct stat *file) {
  if (S_ISDIR(file->st_mode)) return report_file(to, "cannot write: is a folder");
  if (!S_ISREG(file->st_mode)) return report_file(to, "cannot write: not a regular file");
  if (!check_descriptors(to, file)) return false;
  if (access(name, W_OK) != 0) return report_cannot(to, "write", errno);
  return !is_mount_point(name) || report_file(to, "cannot write: is a mount point, which cannot be replaced");
}

/* What stands in the way of replacing the file `name`, the end of all links, or of creating it. */
static bool check_file(const report *to, const char *name, old_file *old) {
  struct stat file, folder;
  bool exists = stat(name, &file) == 0;
  if (!exists && errno != ENOENT) return report_cannot(to, "write", errno);
  if (exists && !check_old(to, name, &file)) return false;
  if (!check_folder(to, name, &folder)) return false;
  if (exists && is_protected(&file, &folder)) return report_cannot(to, "write", EPERM);
  *old = exists ? (old_file){true, file.st_mode & 0777, file.st_uid, file.st_gid} : (old_file){0};
  return true;
}

/* What a path means before its links are followed: links in /proc lead to pipes, whose names lead nowhere. */
static bool check_path(const report *to) {
  struct stat file;
  if (*to->path == '\0') return report_file(&(report){"the output", to->why, to->size}, "its name is empty");
  return stat(to->path, &file) != 0 || S_ISREG(file.st_mode) || check_old(to, to->path, &file);
}

char *output_resolve(const report *to, old_file *old) {
  char *name = check_path(to) ? follow(to) : NULL;
  if (name == NULL || check_file(to, name, old)) return name;
  free(name);
  return NULL;
}

bool output_check(const char *path, char *why, size_t why_size) {
  const report to = {output_name(path), why, why_size};
  old_file old;
  if (is_standard(path)) return fcntl(STDOUT_FILENO, F_GETFL) >= 0 || report_cannot(&to, "write", errno);
  char *name = output_resolve(&to, &old);
  free(name);
  return name != NULL;
}

/* The file behind a path or, for "-", behind one of the standard streams. */
static bool find_file(const char *path, int standard, struct stat *file) {
  return (is_standard(path) ? fstat(standard, file) : stat(path, file)) == 0 && S_ISREG(file->st_mode);
}

bool output_is_input(const char *output, const char *input) {
  struct stat out, in;
  return find_file(output, STDOUT_FILENO, &out) && find_file(input, STDIN_FILENO, &in) && is_same(&out, &in);
}
