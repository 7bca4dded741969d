/* tuning_file.c - finds, reads and applies the file of a tuning table. */
#define _GNU_SOURCE /* secure_getenv */
#include "tuning_file.h"

#include "core/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { most_bytes = 64 * 1024, name_size = 96, path_shown = 140 };

/* ---------------------------------------------------------------------------------------- where the file is -- */

/* What the processor calls itself, or the name of its architecture. (The kernel's /proc/cpuinfo says the same, but on
 * some machines reading it takes milliseconds.) */
static void processor(char name[name_size]) {
  struct utsname system;
  snprintf(name, name_size, "%s", uname(&system) == 0 ? system.machine : "cpu");
#if defined(__x86_64__) || defined(__i386__)
  enum { leaves = 3 };
  const unsigned first_leaf = 0x80000002u;
  unsigned words[4 * leaves + 1] = {0};
  bool known = true;
  for (unsigned i = 0; i < leaves && known; i++) {
    unsigned *at = words + 4 * (size_t)i;
    known = __get_cpuid(first_leaf + i, at, at + 1, at + 2, at + 3);
  }
  if (known && words[0]) memcpy(name, words, sizeof words);
#endif
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Makes a name a part of a file's name: see tuning_load. No part begins with a dot or ends with a hyphen. */
static void make_safe(const char *name, char safe[name_size]) {
  size_t length = 0;
  for (const char *at = name; *at && length + 1 < name_size; at++) {
    const char c = lower(*at);
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (c == '.' && length > 0);
    if (kept)
      safe[length++] = c;
    else if (length > 0 && safe[length - 1] != '-')
      safe[length++] = '-';
  }
  while (length > 0 && safe[length - 1] == '-') length--;
  safe[length] = '\0';
}

/* The file that belongs to this machine, or "" if the environment names no folder, or too long a one. */
static void name_default(const char *library, char file[tuning_path_size]) {
  const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME"), *within = "";
  char cpu[name_size], safe_cpu[name_size], safe_library[name_size];
  if (!config || *config != '/') config = home, within = "/.config";
  *file = '\0';
  if (!config || *config != '/') return;
  processor(cpu);
  make_safe(cpu, safe_cpu);
  make_safe(library, safe_library);
  const int length =
      snprintf(file, tuning_path_size, "%s%s/trigon/%s-%s.table", config, within, safe_library, safe_cpu);
  if (length < 0 || length >= tuning_path_size) *file = '\0';
}

/* ---------------------------------------------------------------------------------------------- its content -- */

/* Stores "PATH: MESSAGE". A long path loses its beginning. */
static trigon_status complain(const char *file, trigon_status status, const char *message, reason *why) {
  char text[sizeof why->text];
  const size_t length = strlen(file);
  const char *end = length > path_shown ? file + length - path_shown : file;
  snprintf(text, sizeof text, "%s%.*s: %.170s", end > file ? "..." : "", path_shown, end, message);
  memcpy(why->text, text, sizeof text);
  return status;
}

/* Reads at most most_bytes + 1 bytes. Returns how many, or -1. */
static int64_t read_bytes(int fd, char *bytes) {
  int64_t count = 0;
  while (count <= most_bytes) {
    const ssize_t got = read(fd, bytes + count, (size_t)(most_bytes + 1 - count));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    count += got;
  }
  return count;
}

/* Whether the first line that is neither empty nor a comment names a version. */
static bool has_version(const char *text) {
  static const char word[] = "version";
  for (;;) {
    text += strspn(text, " \t\r\n");
    if (*text != '#') return strncmp(text, word, sizeof word - 1) == 0;
    text += strcspn(text, "\n");
  }
}

/* The lines of a text are those of tuning_read, after a line with the version. A byte 0 would end the text before the
 * end of the file. */
static trigon_status apply(const char *file, const char *bytes, int64_t count, const changed_by_file *t, reason *why) {
  if (count < 0) return complain(file, TRIGON_BAD_ARGUMENT, strerror(errno), why);
  if (count > most_bytes) return complain(file, TRIGON_BAD_ARGUMENT, "is larger than 64 KiB", why);
  const char *end = memchr(bytes, '\0', (size_t)count);
  if (end) {
    char message[64];
    int line = 1;
    for (const char *at = bytes; at < end; at++) line += *at == '\n';
    snprintf(message, sizeof message, "line %d: a byte is 0", line);
    return complain(file, TRIGON_BAD_ARGUMENT, message, why);
  }
  if (!has_version(bytes)) {
    char message[128];
    snprintf(message, sizeof message, "is too old: the line `version %d` is missing; `trigon tune` makes a new table",
             tuning_version);
    return complain(file, TRIGON_BAD_ARGUMENT, message, why);
  }
  if (tuning_read_with(bytes, t->table, t->others, why) == TRIGON_OK) return TRIGON_OK;
  return complain(file, TRIGON_BAD_ARGUMENT, why->text, why);
}

static trigon_status apply_open(const char *file, int fd, const changed_by_file *t, reason *why) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return complain(file, TRIGON_BAD_ARGUMENT, "is not a regular file", why);
  char *bytes = malloc(most_bytes + 2);
  if (!bytes) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  const int64_t count = read_bytes(fd, bytes);
  if (count >= 0) bytes[count] = '\0';
  const trigon_status applied = apply(file, bytes, count, t, why);
  free(bytes);
  return applied;
}

/* *absent becomes whether there is no such file. Without O_NONBLOCK a pipe would wait for a writer. */
static trigon_status apply_file(const char *file, const changed_by_file *t, bool *absent, reason *why) {
  const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  *absent = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
  if (fd < 0) return complain(file, TRIGON_NOT_FOUND, strerror(errno), why);
  const trigon_status applied = apply_open(file, fd, t, why);
  close(fd);
  return applied;
}

/* A file that the caller did not ask for is no reason to fail. The text becomes advice, so its path and its words are
 * escaped here. (trigon_create escapes its own message.) */
static trigon_status forgive(tuning_source *source, reason *why) {
  escape_text(why->text, source->broken, sizeof source->broken);
  *why->text = '\0';
  return TRIGON_OK;
}

trigon_status tuning_load(const char *asked, const char *library, const changed_by_file *t, tuning_source *source,
                          reason *why) {
  const char *environment = secure_getenv("TRIGON_TUNING");
  const char *named = *asked ? asked : environment && *environment ? environment : NULL;
  bool absent = false;
  trigon_status status = TRIGON_OK;
  *source = (tuning_source){0};
  if (named && strcmp(named, "none") == 0) return TRIGON_OK;
  if (!named)
    name_default(library, source->file);
  else if (strlen(named) < sizeof source->file)
    strcpy(source->file, named);
  else
    status = complain(named, TRIGON_BAD_ARGUMENT, "the path is too long", why);
  if (status == TRIGON_OK && !*source->file) return TRIGON_OK;
  if (status == TRIGON_OK) status = apply_file(source->file, t, &absent, why);
  source->used = status == TRIGON_OK;
  if (source->used || *asked || status == TRIGON_NO_MEMORY) return status;
  const trigon_status forgiven = forgive(source, why);
  if (!named && absent) *source->broken = '\0';
  return forgiven;
}

void tuning_describe(const tuning_source *source, const char *machines, char *text, size_t size) {
  const int used = snprintf(text, size, "table: %s", source->used ? "" : "built in for ");
  escape_text(source->used ? source->file : machines, text + used, size - (size_t)used);
}
