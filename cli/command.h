/* command.h - the subcommands of `trigon`, their exit statuses, their messages on standard error, and the clock. */
#ifndef TRIGON_CLI_COMMAND_H
#define TRIGON_CLI_COMMAND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses, which every subcommand returns. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The subcommands. argv[0] is the subcommand's name. */
int solve_command(int argc, char **argv);
int factor_command(int argc, char **argv);
int invert_command(int argc, char **argv);
int info_command(int argc, char **argv);
int bench_command(int argc, char **argv);
int tune_command(int argc, char **argv);
int run_command(int argc, char **argv);

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* Prints the character at `at` so that a terminal shows it and does nothing else: a byte that does not belong to a
 * printable UTF-8 character becomes \xNN. Returns the number of bytes of the character. */
size_t print_character(FILE *to, const char *at);

/* Print text character by character in this way. Newlines become \x0a, except one at the end of the format. Every text
 * that contains the name of a file or library must be printed with these functions; the three functions below use
 * them. */
void print_safe(FILE *to, const char *format, ...) PRINTF_LIKE(2, 3);
void vprint_safe(FILE *to, const char *format, va_list values);

/* Prints "trigon COMMAND: " and why the work could not be done on standard error. Returns EXIT_FAILED. */
int failed(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Prints "trigon COMMAND: ", what is wrong with the command line, and a hint at --help on standard error. Returns
 * EXIT_USAGE. */
int usage_error(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Prints "trigon COMMAND: note: " and what the user should know while the work goes on, on standard error. */
void note(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Seconds since a fixed moment. */
double seconds_now(void);

#endif
