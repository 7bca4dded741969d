/* type_list.h - the element types that an option lists: d,z or sdcz. */
#ifndef TRIGON_CLI_TYPE_LIST_H
#define TRIGON_CLI_TYPE_LIST_H

enum { MOST_TYPES = 4 };

/* Stores each type of the text once, in the order given, and how many there are. Returns PARSED (command_line.h); or,
 * if a usage error of the command was printed, the exit status. */
int parse_types(const char *command, const char *text, char type[MOST_TYPES], int *count);

#endif
