/* atomic_output.c - writes a temporary file in the same folder, synchronizes and renames it. */
#define _XOPEN_SOURCE 700
#include "atomic_output.h"

#include "path.h"
#include "signal_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  ZLIB_BUFFER = 128 * 1024,    /* bytes; with zlib's default, each 8 KiB take a system call */
  LARGEST_WRITE = 1024 * 1024, /* bytes in one call: gzwrite counts them in int */
  TEMPORARY_NAMES = 100,       /* to be tried, in case a killed process with the same number left files behind */
  NEW_FILE_MODE = 0666,        /* without the bits of the umask, as for every new file; mkstemp would use 0600 */
};

/* Creates the temporary file in the folder of the file, because rename does not work across file systems. The temporary
 * name does not contain the file's name, which may have the greatest length that is allowed. */
static bool create_temporary(atomic_output *out) {
  const char *slash = strrchr(out->name, '/');
  int folder = slash == NULL ? 0 : (int)(slash - out->name) + 1;
  size_t size = (size_t)folder + 64;
  char *temporary = malloc(size);
  if (temporary == NULL) return report_no_memory(&out->report);
  guard_begin();
  for (int i = 0; i < TEMPORARY_NAMES && out->fd < 0; i++) {
    snprintf(temporary, size, "%.*s.trigon-%ld-%d.tmp", folder, out->name, (long)getpid(), i);
    out->fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
    if (out->fd < 0 && errno != EEXIST) break;
  }
  int error = errno;
  guard_created(out->fd < 0 ? NULL : temporary);
  if (out->fd < 0) {
    guard_end();
    free(temporary);
    return report_cannot(&out->report, "write", error);
  }
  out->temporary = temporary;
  return true;
}

/* The new file gets the permissions of the old one, and its owner and group if this process may give files away. */
static bool take_over(atomic_output *out, const old_file *old) {
  if (!old->exists) return true;
  bool given = fchown(out->fd, old->owner, old->group) == 0 || fchown(out->fd, (uid_t)-1, old->group) == 0;
  (void)given; /* a failure is allowed: the man page only promises an attempt */
  return fchmod(out->fd, old->mode) == 0 || report_cannot(&out->report, "write", errno);
}

bool output_open(atomic_output *out, const char *path, bool compress, char *why, size_t why_size) {
  *out = (atomic_output){.report = {output_name(path), why, why_size}, .fd = -1};
  if (!is_standard(path)) {
    old_file old;
    out->name = output_resolve(&out->report, &old);
    if (out->name == NULL || !create_temporary(out) || !take_over(out, &old)) return false;
  }
  int duplicate = fcntl(is_standard(path) ? STDOUT_FILENO : out->fd, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) return report_cannot(&out->report, "write", errno);
  out->file = gzdopen(duplicate, compress ? "wb" : "wbT"); /* T: without compression */
  if (out->file == NULL) {
    close(duplicate);
    return report_no_memory(&out->report);
  }
  gzbuffer(out->file, ZLIB_BUFFER);
  return true;
}

/* Reports the error of zlib; returns false. */
static bool failed(const atomic_output *out) {
  int system_error = errno, code;
  const char *message = gzerror(out->file, &code);
  if (code == Z_MEM_ERROR) return report_no_memory(&out->report);
  if (code == Z_ERRNO) return report_cannot(&out->report, "write", system_error);
  return report_file(&out->report, "cannot compress: %s", message);
}

bool output_write(atomic_output *out, const void *data, size_t bytes) {
  const char *at = data;
  while (bytes > 0) {
    size_t some = bytes < LARGEST_WRITE ? bytes : LARGEST_WRITE;
    if (gzwrite(out->file, at, (unsigned)some) == 0) return failed(out);
    at += some;
    bytes -= some;
  }
  return true;
}

bool output_commit(atomic_output *out) {
  if (gzflush(out->file, Z_FINISH) != Z_OK) return failed(out);
  int closed = gzclose(out->file);
  out->file = NULL;
  if (closed != Z_OK) return report_cannot(&out->report, "write", closed == Z_MEM_ERROR ? ENOMEM : errno);
  if (out->temporary == NULL) return true;                    /* standard output */
  bool synchronized = fsync(out->fd) == 0 || errno == EINVAL; /* EINVAL: nothing to synchronize */
  if (!synchronized) return report_cannot(&out->report, "write", errno);
  int fd = out->fd;
  out->fd = -1;
  if (close(fd) != 0) return report_cannot(&out->report, "write", errno);
  if (rename(out->temporary, out->name) != 0) return report_cannot(&out->report, "write", errno);
  free(out->temporary);
  out->temporary = NULL;
  guard_end();
  return true;
}

void output_close(atomic_output *out) {
  if (out->file != NULL) gzclose(out->file);
  if (out->fd >= 0) close(out->fd);
  if (out->temporary != NULL) {
    unlink(out->temporary);
    guard_end();
  }
  free(out->temporary);
  free(out->name);
}
