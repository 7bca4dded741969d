/* test_tuning_text.c - tuning tables that src/core/tuning/tuning_text.c writes as text: what is written can be read. */
#include <string.h>

#include "gpu/arch/arch.h"
#include "tuning_support.h"

static bool same_tables(const tuning *a, const tuning *b) {
  bool same = true;
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int type = 0; type < TYPES; type++) {
      same = same && a->team_flops[r][type] == b->team_flops[r][type];
      for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < TUNING_RANGES; i++) {
          const tuning_range *x = &a->range[r][type][s][i], *y = &b->range[r][type][s][i];
          same = same && x->last == y->last && x->leaf == y->leaf && x->stop == y->stop;
          if (x->last == INT64_MAX) break; /* no operation gets beyond this range */
        }
    }
  for (int i = 0; i < HOST_NUMBERS; i++) same = same && a->host[i] == b->host[i];
  return same;
}

/* What is written can be read, and is the same table. */
static void test_written(const char *text, const char *line) {
  static char words[1 << 16];
  tuning t, again;
  reason why = {0};
  check(read_text(text, &t, &why) == TRIGON_OK, why.text);
  const size_t length = tuning_write(&t, words, sizeof words);
  check(length == strlen(words) && tuning_write(&t, NULL, 0) == length, "the length is that of the text");
  expect(read_text(words, &again, &why) == TRIGON_OK && same_tables(&t, &again), words, "the text is the same table");
  expect(strstr(words, line) != NULL, words, line);
  char start[100];
  check(tuning_write(&t, start, sizeof start) == length && strlen(start) == sizeof start - 1 &&
            strncmp(start, words, sizeof start - 1) == 0,
        "a text that finds no room is cut");
}

static void test_texts(void) {
  test_written("", "\ngemm   sdcz *          * vendor        *\n");
  test_written(gpu_arch_portable.rows, "\npotrf  sdcz *          * step        128\n");
  test_written(gpu_arch_hopper.rows, "\ntrsm   d    w64     8192 dataflow      *\n");
  test_written("trsm dz w64 9 step 5\ntrsm dz w64 * packed 7\nteam trsm d 12345678",
               "\ntrsm   dz   w64        9 step          5\n");
  test_written("team trsm dz 7\nteam trsm s 8", "\nteam   trsm   s    8\nteam   trsm   dz   7\n");
  test_written("team trsm d 12345678", "\nteam   trsm   d    12345678\n");
  test_written("host columns 77\nhost order *\nhost tiles 8", "\nhost   order      *\nhost   columns     77\n");
  test_written("host link 12 13 14\nhost tiles 9", "\nhost   tiles      9\nhost   link     12     13     14\n");
}

int main(void) {
  test_texts();
  return checked();
}
