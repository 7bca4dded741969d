/* signal_guard.h - no temporary file is left behind if a signal ends the process while the file is written. */
#ifndef TRIGON_SIGNAL_GUARD_H
#define TRIGON_SIGNAL_GUARD_H

/* From guard_begin to guard_end, the signals that people, terminals and batch systems send to end a process (HUP, INT,
 * QUIT, TERM, XCPU, XFSZ) first remove the temporary file, then end the process as they would have. A signal that is
 * ignored, as HUP under nohup, or has a handler already is left alone. One file at a time.
 * The file is created between guard_begin and guard_created: a signal in between waits until the file's name is known.
 * guard_created's path is NULL if no file was created. */
void guard_begin(void);
void guard_created(const char *path);
void guard_end(void);

#endif
