/* file_path.c - follows links, asks for permissions. */
#define _XOPEN_SOURCE 700
#include "file_path.h"

#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; /* Linux's own limit */

bool is_standard(const char *path) { return strcmp(path, "-") == 0; }
const char *input_name(const char *path) { return is_standard(path) ? "standard input" : path; }
const char *output_name(const char *path) { return is_standard(path) ? "standard output" : path; }

/* Returns NULL after saying what could not be written. */
static char *cannot(const report *to, int error) {
  if (error == ENOMEM)
    report_no_memory(to);
  else
    report_file(to, "cannot write: %s", strerror(error));
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

/* What else stands in the way of replacing the file `name`, or of creating it. */
static bool check_file(const report *to, const char *name, mode_t *mode) {
  struct stat file, folder;
  bool exists = stat(name, &file) == 0;
  if (!exists && errno != ENOENT) return cannot(to, errno) != NULL;
  if (exists && S_ISDIR(file.st_mode)) return report_file(to, "cannot write: is a folder");
  if (exists && !S_ISREG(file.st_mode)) return report_file(to, "cannot write: not a regular file");
  if (exists && access(name, W_OK) != 0) return cannot(to, errno) != NULL;
  if (!check_folder(to, name, &folder)) return false;
  if (exists && is_protected(&file, &folder)) return cannot(to, EPERM) != NULL;
  *mode = exists ? file.st_mode & 0777 : 0;
  return true;
}

char *output_resolve(const report *to, mode_t *mode) {
  char *name = follow(to);
  if (name == NULL || check_file(to, name, mode)) return name;
  free(name);
  return NULL;
}

bool output_check(const char *path, char *why, size_t why_size) {
  const report to = {output_name(path), why, why_size};
  mode_t mode;
  if (is_standard(path)) return fcntl(STDOUT_FILENO, F_GETFL) >= 0 || cannot(&to, errno) != NULL;
  char *name = output_resolve(&to, &mode);
  free(name);
  return name != NULL;
}

/* The file behind a path or, for "-", behind one of the standard streams. */
static bool find_file(const char *path, int standard, struct stat *file) {
  return (is_standard(path) ? fstat(standard, file) : stat(path, file)) == 0 && S_ISREG(file->st_mode);
}

bool output_is_input(const char *output, const char *input) {
  struct stat out, in;
  return find_file(output, STDOUT_FILENO, &out) && find_file(input, STDIN_FILENO, &in) && out.st_dev == in.st_dev &&
         out.st_ino == in.st_ino;
}
