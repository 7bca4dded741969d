/* path.h - which file a path means, and whether an output can be written there: asked before long work. */
#ifndef TRIGON_CLI_FILES_PATH_H
#define TRIGON_CLI_FILES_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct report;

/* The path "-" stands for standard input or output, which messages name. */
bool is_standard(const char *path);
const char *input_name(const char *path);
const char *output_name(const char *path);

/* What a file that the output replaces hands on to it. */
typedef struct old_file {
  bool exists;
  mode_t mode; /* the permissions */
  uid_t owner;
  gid_t group;
} old_file;

/* The file that takes the output: the path with every symbolic link followed, also one that leads to nothing, since a
 * rename would replace the link. To be freed. *old says what is there already.
 * Returns NULL and reports why if the file cannot be written: it is no regular file, or a mount point; a descriptor
 * such as standard output leads into it, and would go on into the file that was replaced; it or its folder may not be
 * written; the folder does not exist; links lead in a circle. */
char *output_resolve(const struct report *to, old_file *old);

/* Whether an output can be written to the path, or, for "-", to standard output. If not, `why` says the reason. */
bool output_check(const char *path, char *why, size_t why_size);

/* Whether both paths lead to the same regular file, by device and inode. */
bool output_is_input(const char *output, const char *input);

#endif
