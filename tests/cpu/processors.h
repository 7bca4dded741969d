/* processors.h - lets a test choose how many processors a context may use, so that every machine computes with as many
 * threads. The program is linked with --wrap=team_processors. */
#ifndef TRIGON_TESTS_PROCESSORS_H
#define TRIGON_TESTS_PROCESSORS_H

enum { processors = 4 };

int __wrap_team_processors(void);
int __wrap_team_processors(void) { return processors; }

#endif
