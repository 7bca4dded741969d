/* signal_guard.h - no temporary file is left behind if a signal ends the process while the file is written. */
#ifndef TRIGON_CLI_FILES_SIGNAL_GUARD_H
#define TRIGON_CLI_FILES_SIGNAL_GUARD_H

/* From guard_begin to guard_end, each signal that ends a process by default, except KILL and those of faults (SEGV, BUS,
 * FPE, ILL, TRAP, SYS), first removes the temporary file, then ends the process as it would have. A signal that is
 * ignored, as HUP under nohup, or has a handler already is left alone. One file at a time.
 * The file is created between guard_begin and guard_created: a signal in between waits until the file's name is known.
 * guard_created's path is NULL if no file was created. */
void guard_begin(void);
void guard_created(const char *path);
void guard_end(void);

#endif
