/* path.c - follows links, checks files, folders and permissions. */
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
  MOST_DESCRIPTORS = 256, /* descriptors that are checked; those that a shell opens by name begin at 10 in bash */
};

bool is_standard(const char *path) { return strcmp(path, "-") == 0; }
const char *input_name(const char *path) { return is_standard(path) ? "standard input" : path; }
const char *output_name(const char *path) { return is_standard(path) ? "standard output" : path; }

/* Reports why the file cannot be written; returns NULL. */
static char *cannot(const report *to, int error) {
  report_cannot(to, "write", error);
  return NULL;
}

/* The length of the folder in the name, with the last slash. */
static size_t folder_length(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash == NULL ? 0 : (size_t)(slash - name) + 1;
}

/* The first `folder` bytes of `name`, then `target`, in memory that the caller frees; NULL if memory is short. */
static char *join(const char *name, size_t folder, const char *target) {
  size_t length = strlen(target);
  char *joined = malloc(folder + length + 1);
  if (joined == NULL) return NULL;
  memcpy(joined, name, folder);
  memcpy(joined + folder, target, length + 1);
  return joined;
}

/* Follows all links. The last one may lead to a file that does not exist. */
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

/* Checks that files in the folder of `name` may be created and renamed. */
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

/* In a folder such as /tmp nobody can replace the files of others, even those that everybody may write. */
static bool is_protected(const struct stat *file, const struct stat *folder) {
  uid_t me = geteuid();
  return (folder->st_mode & S_ISVTX) != 0 && me != 0 && file->st_uid != me && folder->st_uid != me;
}

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Checks that no descriptor is open for the file. A shell's redirection is bound to the file, not to its name: its
 * output would be lost if the file were replaced. */
static bool check_descriptors(const report *to, const struct stat *file) {
  struct stat open;
  for (int fd = STDOUT_FILENO; fd < MOST_DESCRIPTORS; fd++) {
    if (fstat(fd, &open) != 0 || !is_same(&open, file)) continue;
    if (fd == STDOUT_FILENO) return report_file(to, "cannot write: is standard output");
    if (fd == STDERR_FILENO) return report_file(to, "cannot write: is standard error");
    return report_file(to, "cannot write: is open as file descriptor %d", fd);
  }
  return true;
}

/* A file on which another one is mounted cannot be replaced. Kernels before 5.8 do not say so. */
static bool is_mount_point(const char *name) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx file;
  return statx(AT_FDCWD, name, 0, STATX_TYPE, &file) == 0 && (file.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return false;
#endif
}

/* Checks that the file, which exists, can be replaced. */
static bool check_old(const report *to, const char *name, const struct stat *file) {
  if (S_ISDIR(file->st_mode)) return report_file(to, "cannot write: is a folder");
  if (!S_ISREG(file->st_mode)) return report_file(to, "cannot write: not a regular file");
  if (!check_descriptors(to, file)) return false;
  if (access(name, W_OK) != 0) return report_cannot(to, "write", errno);
  return !is_mount_point(name) || report_file(to, "cannot write: is a mount point, which cannot be replaced");
}

/* Checks that the file `name`, which is not a link, can be replaced or created. */
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

/* Checks the path before its links are followed: links in /proc may lead to pipes, which have no usable names. */
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

/* Stores what stat says of the file at the path or, for "-", of a standard descriptor. Returns whether the file is
 * regular. */
static bool find_file(const char *path, int standard, struct stat *file) {
  return (is_standard(path) ? fstat(standard, file) : stat(path, file)) == 0 && S_ISREG(file->st_mode);
}

bool output_is_stream(const char *path) {
  struct stat file, standard;
  if (is_standard(path) || stat(path, &file) != 0 || S_ISDIR(file.st_mode)) return false;
  return !S_ISREG(file.st_mode) || (fstat(STDOUT_FILENO, &standard) == 0 && is_same(&file, &standard));
}

bool output_is_input(const char *output, const char *input) {
  struct stat out, in;
  return find_file(output, STDOUT_FILENO, &out) && find_file(input, STDIN_FILENO, &in) && is_same(&out, &in);
}
