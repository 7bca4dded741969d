/* path.h - which file a path leads to, and whether an output can be written there: to be asked before long work. */
#ifndef TRIGON_CLI_FILES_PATH_H
#define TRIGON_CLI_FILES_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct report;

/* Whether the path is "-", which stands for standard input or output; the names that messages use for a path. */
bool is_standard(const char *path);
const char *input_name(const char *path);
const char *output_name(const char *path);

/* What the output takes over from the file that it replaces. */
typedef struct old_file {
  bool exists;
  mode_t mode; /* the permissions */
  uid_t owner;
  gid_t group;
} old_file;

/* Returns the name of the file that the output is written to, which the caller frees: the path with all symbolic links
 * followed, also a link to a file that does not exist, because a rename would replace the link. *old describes the file
 * that exists already.
 * Returns NULL, and reports why, if the file cannot be written: it is not a regular file, or it is a mount point; a
 * descriptor such as standard output is open for it, and would go on writing to the replaced file; the file or its
 * folder must not be written; the folder does not exist; the links form a circle. */
char *output_resolve(const struct report *to, old_file *old);

/* Whether an output can be written to the path or, for "-", to standard output. If not, stores the reason in `why`. */
bool output_check(const char *path, char *why, size_t why_size);

/* Whether the path leads to a pipe or a device, or to the file that is standard output. output_check refuses these, but
 * a shell can make them standard output. */
bool output_is_stream(const char *path);

/* Whether both paths lead to the same regular file, by device and inode. */
bool output_is_input(const char *output, const char *input);

#endif
