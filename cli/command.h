/* command.h - what the subcommands of `trigon` share: their entries, exit statuses, messages and the clock. */
#ifndef TRIGON_CLI_COMMAND_H
#define TRIGON_CLI_COMMAND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses of the command, which every entry returns. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The subcommands. argv[0] is the subcommand's name. */
int solve_command(int argc, char **argv);
int factor_command(int argc, char **argv);
int invert_command(int argc, char **argv);
int info_command(int argc, char **argv);
int bench_command(int argc, char **argv);

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* Prints the character at `at` fit for a terminal: a byte that is no part of a printable UTF-8 character becomes \xNN.
 * Returns how many bytes it took. */
size_t print_character(FILE *to, const char *at);

/* Print the text character by character in this way, newlines as \x0a, except one at the end of the format. Whatever holds
 * the name of a file or library goes through here; the three functions below use it. */
void print_clean(FILE *to, const char *format, ...) PRINTF_LIKE(2, 3);
void vprint_clean(FILE *to, const char *format, va_list values);

/* Say on standard error, behind "trigon COMMAND: ", why the work could not be done; returns EXIT_FAILED. */
int failed(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a command line that makes no sense, with a hint at the help; returns EXIT_USAGE. */
int misused(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for what the user should know although the work goes on. */
void note(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Seconds since some fixed moment. */
double seconds_now(void);

#endif
