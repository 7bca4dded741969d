/* fp64_mode.c - parses and names modes of products; tells a report in words. */
#include "fp64_mode.h"
#include "command.h"
#include "command_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library checks these numbers, too, but it does not know the option that it would have to name. */
enum { LEAST_MODULI = 2, MOST_MODULI = 20 };

static const struct {
  const char *name;
  trigon_fp64 mode;
  bool has_accuracy;
} modes[] = {
    {"native", TRIGON_FP64_NATIVE, false},
    {"double-float", TRIGON_FP64_DOUBLE_FLOAT, false},
    {"int8", TRIGON_FP64_INT8, true},
    {"auto", TRIGON_FP64_AUTO, true},
};
enum { MODES = sizeof modes / sizeof *modes };

/* --------------------------------------------------------------------------------------------------- parsing -- */

static int parse_accuracy(const char *command, const char *text, int *accuracy) {
  if (strcmp(text, "guaranteed") == 0 || strcmp(text, "fast") == 0) {
    *accuracy = *text == 'g' ? TRIGON_FP64_GUARANTEED : TRIGON_FP64_FAST;
    return PARSED;
  }
  char *end;
  const long moduli = strtol(text, &end, 10);
  if (*end || !strchr("0123456789", *text) || moduli < LEAST_MODULI || moduli > MOST_MODULI)
    return usage_error(command,
                       "--fp64: 'guaranteed', 'fast' or a number of moduli from %d to %d is expected behind the "
                       "colon, not '%s'",
                       LEAST_MODULI, MOST_MODULI, text);
  *accuracy = (int)moduli;
  return PARSED;
}

int parse_fp64(const char *command, const char *text, fp64_mode *mode) {
  *mode = (fp64_mode){false, TRIGON_FP64_NATIVE, TRIGON_FP64_GUARANTEED};
  if (!text) return PARSED;
  const size_t length = strcspn(text, ":");
  int i = 0;
  while (i < MODES && (strlen(modes[i].name) != length || memcmp(modes[i].name, text, length) != 0)) i++;
  if (i == MODES)
    return usage_error(command, "--fp64: 'native', 'double-float', 'int8' or 'auto' is expected, not '%s'", text);
  *mode = (fp64_mode){true, modes[i].mode, TRIGON_FP64_GUARANTEED};
  if (!text[length]) return PARSED;
  if (!modes[i].has_accuracy) return usage_error(command, "--fp64: %s has no accuracy: '%s'", modes[i].name, text);
  return parse_accuracy(command, text + length + 1, &mode->accuracy);
}

trigon_status set_fp64_mode(trigon_context *ctx, const fp64_mode *mode) {
  return mode->given ? trigon_set_fp64(ctx, mode->mode, mode->accuracy) : TRIGON_OK;
}

/* ---------------------------------------------------------------------------------------------------- words -- */

static int index_of(trigon_fp64 mode) {
  int i = 0;
  while (i + 1 < MODES && modes[i].mode != mode) i++;
  return i;
}

const char *fp64_mode_word(trigon_fp64 mode) { return modes[index_of(mode)].name; }

fp64_name name_fp64_mode(const fp64_mode *mode) {
  fp64_name name;
  const int i = index_of(mode->mode);
  if (!modes[i].has_accuracy)
    snprintf(name.text, sizeof name.text, "%s", modes[i].name);
  else if (mode->accuracy >= LEAST_MODULI)
    snprintf(name.text, sizeof name.text, "%s:%d", modes[i].name, mode->accuracy);
  else
    snprintf(name.text, sizeof name.text, "%s:%s", modes[i].name,
             mode->accuracy == TRIGON_FP64_FAST ? "fast" : "guaranteed");
  return name;
}

int64_t fp64_fell_back(const trigon_fp64_report *report) { return report->not_finite + report->unproved; }

fp64_words fp64_report_words(const trigon_fp64_report *r) {
  fp64_words words;
  char tiles[160] = "", why[256] = "", moduli[48] = "";
  if (fp64_fell_back(r) > 0)
    snprintf(tiles, sizeof tiles,
             "; native: %" PRId64 " of %" PRId64 " tiles (%" PRId64 " with NaN or infinity, %" PRId64 " without proof)",
             fp64_fell_back(r), r->tiles, r->not_finite, r->unproved);
  if (r->why) snprintf(why, sizeof why, " (%s)", r->why);
  if (r->mode != TRIGON_FP64_DOUBLE_FLOAT) snprintf(moduli, sizeof moduli, ", with up to %d moduli", r->moduli);
  if (r->products == 0)
    snprintf(words.text, sizeof words.text, "no product was emulated: the call was native as a whole%s", why);
  else if (r->emulated == 0)
    snprintf(words.text, sizeof words.text, "none of %" PRId64 " products was emulated%s%s", r->products, why, tiles);
  else
    snprintf(words.text, sizeof words.text,
             "%" PRId64 " of %" PRId64 " products were emulated%s%s, at least %.1f bits kept%s", r->emulated,
             r->products, why, moduli, r->bits, tiles);
  return words;
}
