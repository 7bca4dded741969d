/* test_tuning_host.c - lines of tuning tables about matrices in host memory: what they say, what is refused, and what
 * is written. */
#include <string.h>

#include "tuning_support.h"

static bool has_link(const tuning *t, int64_t of_short, int64_t of_middle, int64_t of_long) {
  const int64_t *rate = &t->host[HOST_LINK];
  return rate[LINK_SHORT] == of_short && rate[LINK_MIDDLE] == of_middle && rate[LINK_LONG] == of_long;
}

static void test_reasoned(void) {
  tuning t;
  reason why;
  check(read_text("", &t, &why) == TRIGON_OK && t.host[HOST_ORDER] == 512 && t.host[HOST_COLUMNS] == 32 &&
            t.host[HOST_TILES] == 8 && has_link(&t, 31, 44, 53),
        "without a line the numbers are those that were reasoned");
}

static void test_lines(void) {
  tuning t;
  reason why;
  expect(read_text("host order 100\nhost columns *\nhost tiles 1024\nhost order 90\n", &t, &why) == TRIGON_OK, why.text,
         "host");
  check(t.host[HOST_ORDER] == 90 && t.host[HOST_COLUMNS] == INT64_MAX && t.host[HOST_TILES] == 1024,
        "the later line counts");
  check(has_link(&t, 31, 44, 53), "without a line the rates stay");
  expect(read_text("host link 1 22 100000   # GB/s\nhost order 8", &t, &why) == TRIGON_OK, why.text, "host link");
  check(has_link(&t, 1, 22, 100000) && t.host[HOST_ORDER] == 8 && t.host[HOST_TILES] == 8, "a line has three rates");
}

static const struct {
  const char *text, *message;
} broken[] = {
    {"host rows 5", "line 1: \"rows\" is no rule: order, columns, tiles or link expected"},
    {"host order 0", "line 1: \"0\" is no order"},
    {"host columns -1", "line 1: \"-1\" is no order"},
    {"host tiles *", "line 1: \"*\" is no number of tiles"},
    {"host tiles 1025", "line 1: \"1025\" is no number of tiles"},
    {"host", "line 1: \"host\" begins no line of the form"},
    {"host order", "line 1: host order needs a number"},
    {"host tiles 4 5", "line 1: host tiles needs a number"},
    {"host link", "line 1: host link needs three numbers"},
    {"host link 31", "line 1: host link needs three numbers"},
    {"host order 8\nhost link 31 44", "line 2: host link needs three numbers"},
    {"host link 31 44 53 60", "line 1: host link needs three numbers"},
    {"host link 0 44 53", "line 1: \"0\" is no rate in GB/s"},
    {"host link 31 -44 53", "line 1: \"-44\" is no rate in GB/s"},
    {"host link 31 44 53.5", "line 1: \"53.5\" is no rate in GB/s"},
    {"host link 31 * 53", "line 1: \"*\" is no rate in GB/s"},
    {"host link 31 44 100001", "line 1: \"100001\" is no rate in GB/s"},
};

static void test_broken(void) {
  tuning before, t;
  tuning_clear(&before);
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    reason why = {0};
    memcpy(&t, &before, sizeof t);
    expect(tuning_read(broken[i].text, &t, &why) == TRIGON_BAD_ARGUMENT, broken[i].text, "a broken table is refused");
    expect(strstr(why.text, broken[i].message) != NULL, why.text, broken[i].message);
    expect(memcmp(&t, &before, sizeof t) == 0, broken[i].text, "a refused table changes nothing");
  }
}

/* What a table without advice says is not written. */
static void test_unwritten(void) {
  static char words[1 << 16];
  tuning t;
  reason why = {0};
  expect(read_text("host link 31 44 53\nhost tiles 8", &t, &why) == TRIGON_OK, why.text, "a table is read");
  tuning_write(&t, words, sizeof words);
  expect(!strstr(words, "host"), words, "no line about matrices in host memory");
}

int main(void) {
  test_reasoned();
  test_lines();
  test_broken();
  test_unwritten();
  return checked();
}
