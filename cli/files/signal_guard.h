/* signal_guard.h - no temporary file is left behind if a signal ends the process while the file is written. */
#ifndef TRIGON_CLI_FILES_SIGNAL_GUARD_H
#define TRIGON_CLI_FILES_SIGNAL_GUARD_H

/* Between guard_begin and guard_end, each signal that ends a process by default first removes the temporary file, and
 * then ends the process as usual. This does not hold for KILL and for signals of faults (SEGV, BUS, FPE, ILL, TRAP,
 * SYS), nor for signals that are ignored (HUP under nohup) or have a handler already. One file at a time.
 * The file is created between guard_begin and guard_created. A signal that arrives between them waits until
 * guard_created knows the name of the file. `path` is NULL if no file was created. */
void guard_begin(void);
void guard_created(const char *path);
void guard_end(void);

#endif
