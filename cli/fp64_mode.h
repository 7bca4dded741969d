/* fp64_mode.h - the option --fp64, and the report of what was emulated. */
#ifndef TRIGON_CLI_FP64_MODE_H
#define TRIGON_CLI_FP64_MODE_H

#include <stdbool.h>
#include <trigon.h>

/* A mode of products, as an option names it. */
typedef struct fp64_mode {
  bool given;       /* the option is there */
  trigon_fp64 mode; /* if it is not there: native */
  int accuracy;     /* of trigon_set_fp64 */
} fp64_mode;

/* The options that set a mode and its accuracy, for the help of a command. */
#define FP64_HELP                                                                                                      \
  "  --fp64 MODE         how products are computed: native (default); double-float, by pairs of floats; int8, by\n"    \
  "                      integers; auto, by native or int8, whichever is faster. Behind int8: or auto: stands the\n"   \
  "                      accuracy: guaranteed (default), fast, or a number of moduli from 2 to 20, as in int8:14\n"

/* Parses the value of --fp64; NULL: the option is not given. Returns PARSED (command_line.h); or, if a usage error of
 * the command was printed, the exit status. */
int parse_fp64(const char *command, const char *text, fp64_mode *mode);

/* Makes the context compute in this mode, if the option was given. */
trigon_status set_fp64_mode(trigon_context *ctx, const fp64_mode *mode);

/* What limits of residuals are multiplied by, because products keep fewer bits than the type has. */
static inline double fp64_limit_factor(const fp64_mode *mode, trigon_type type) {
  const bool has_fewer_bits = mode->mode == TRIGON_FP64_DOUBLE_FLOAT && (type == TRIGON_D || type == TRIGON_Z);
  return has_fewer_bits ? 32 : 1; /* 48 bits instead of 53 */
}

/* The name of a mode with its accuracy: native, int8:guaranteed, auto:14. Returned by value. */
typedef struct fp64_name {
  char text[32];
} fp64_name;
fp64_name name_fp64_mode(const fp64_mode *mode);

/* The name of a mode: native, double-float, int8, auto. */
const char *fp64_mode_word(trigon_fp64 mode);

/* Tiles of emulated products that were computed natively. */
int64_t fp64_fell_back(const trigon_fp64_report *report);

/* A report in words: what was emulated, and why something was not. Returned by value. */
typedef struct fp64_words {
  char text[512];
} fp64_words;
fp64_words fp64_report_words(const trigon_fp64_report *report);

#endif
