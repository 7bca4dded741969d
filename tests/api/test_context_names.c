/* test_context_names.c - bad names of contexts are refused.
 *
 * Names are malformed, or name a missing library or device. Each name is refused with
 * the right status, and with a message that fits into the caller's array. */
#include <stdio.h>
#include <string.h>
#include <trigon.h>

#include "support/check.h"

static void expect(bool held, const char *name, const char *what) {
  char text[256];
  snprintf(text, sizeof text, "context %s: %s", name, what);
  check(held, text);
}

/* Returns whether the status is a right refusal. A name that starts like no backend may count as malformed or as a
 * missing backend. */
static bool refused(trigon_status status, trigon_status expected) {
  return status == expected || (expected == TRIGON_NOT_FOUND && status == TRIGON_BAD_ARGUMENT);
}

static void expect_no_context(const char *name, trigon_status expected) {
  enum { SIZE = 200 };
  const char *shown = !name ? "NULL" : strlen(name) > 40 ? "a very long name" : name;
  for (size_t size = 0; size <= SIZE; size = size < 2 ? size + 1 : size + 66) {
    char why[SIZE + 1];
    trigon_context *ctx = (trigon_context *)&why;
    memset(why, '#', sizeof why);
    const trigon_status status = trigon_create(name, &ctx, why, size);
    expect(refused(status, expected), shown, "trigon_create must refuse it, with the right status");
    expect(ctx == NULL, shown, "*ctx must be NULL");
    expect(size == 0 || memchr(why, 0, size), shown, "why must be terminated");
    expect(size < 2 || *why != 0, shown, "why must say something");
    size_t end = sizeof why;
    while (end > size && why[end - 1] == '#') end--;
    expect(end == size, shown, "why must not be overrun");
    if (status == TRIGON_OK) trigon_destroy(ctx);
  }
  trigon_context *ctx = NULL;
  expect(refused(trigon_create(name, &ctx, NULL, 0), expected) && !ctx, shown, "why may be NULL");
}

/* Names that the grammar of backends does not allow, and names of no backend. */
static const char *const malformed[] = {"",
                                        "cpu:",
                                        "cpu64:",
                                        "cpu64",
                                        "cpu?",
                                        "cpu?stop",
                                        "cpu?stop=",
                                        "cpu?stop=0",
                                        "cpu?stop=-1",
                                        "cpu?stop=x",
                                        "cpu?stop=8x",
                                        "cpu?stop=+5",
                                        "cpu?stop= 5",
                                        "cpu?stop=5 ",
                                        "cpu?stop=2147483648",
                                        "cpu?stop=99999999999999999999999",
                                        "cpu?bogus=1",
                                        "cpu?split=thirds",
                                        "cpu?native=2",
                                        "cpu?trace=yes",
                                        "cpu?dirty=2",
                                        "cpu?leaf=fast",
                                        "cpu?arch=sse",
                                        "cuda:0?arch=",
                                        "cuda:0?arch=sixteenletters16",
                                        "cpu?leaf=",
                                        "cpu?tuning",
                                        "cpu?tuning=",
                                        "cpu?stop=8&",
                                        "cpu?stop=8&&split=power",
                                        "cpu?=8",
                                        "cpu?warp=64",
                                        "cpu?gemm=own",
                                        "cpu:libblas.so.3?fail=alloc:1",
                                        "cuda",
                                        "cuda?stop=8",
                                        "cuda:",
                                        "cuda: 0",
                                        "cuda:-1",
                                        "cuda:+1",
                                        "cuda:x",
                                        "cuda:0x10",
                                        "cuda:1.5",
                                        "cuda:2147483648",
                                        "cuda:99999999999999999999999",
                                        "cuda:0:",
                                        "cuda:0:hosts",
                                        "cuda:0:host:host",
                                        "cuda:host",
                                        "cuda:0-",
                                        "cuda:-3",
                                        "cuda:0-x",
                                        "cuda:0-1-2",
                                        "cuda:3-0",
                                        "cuda:0-16",
                                        "sim:0-2147483648",
                                        "hip",
                                        "hip:0:",
                                        "hip:0?stop=0",
                                        "hip:0?gemm=1",
                                        "hip:0?warp=64",
                                        "cuda:0?schedule=",
                                        "cuda:0?schedule=asap",
                                        "cuda:0?parents=-1",
                                        "sim:0?pending=x",
                                        "cpu?schedule=ssde",
                                        "cpu?stages=1",
                                        "cpu?parents=4",
                                        "cpu?pending=4",
                                        "cuda:0?fail=alloc:3",
                                        "sim",
                                        "sim:0?",
                                        "sim:0?warp",
                                        "sim:0?=64",
                                        "sim:0?stop=8&warp=64&"};
static const char *const unknown[] = {"gpu", "CPU", "cp", "cpux", " cpu"};

/* Each option is short enough. All options together are too many for the simulated GPU. */
static void many_options(char *name, size_t size) {
  size_t used = (size_t)snprintf(name, size, "sim:0?x=y");
  while (used < 1000) used += (size_t)snprintf(name + used, size - used, "&option%zu=1", used);
}

#if defined(__aarch64__)
#define KERNELS_ELSEWHERE "avx2"
#else
#define KERNELS_ELSEWHERE "neon"
#endif

/* Options that the message names. */
static const char *const named[][2] = {
    {"cpu?native=2", "option native is \"2\", must be 0 or 1"},
    {"cpu?leaf=fast", "option leaf is \"fast\", must be vendor, step or packed on the CPU"},
    {"cpu?leaf=dataflow", "option leaf is \"dataflow\", must be vendor, step or packed on the CPU"},
    {"cpu:libblis.so.4?leaf=dataflow", "option leaf is \"dataflow\", must be vendor, step or packed on the CPU"},
    {"sim:0?leaf=packed", "option leaf is \"packed\", must be vendor, step or dataflow on devices"},
    {"cuda:0?leaf=packed", "option leaf is \"packed\", must be vendor, step or dataflow on devices"},
    {"cpu?arch=sse", "option arch is \"sse\", must be portable, avx2, avx512 or neon"},
    {"cpu?blas=libopenblas.so.0", "option blas is \"libopenblas.so.0\", must be none; cpu:LIBRARY names a BLAS"},
    {"cpu:libopenblas.so.0?blas=none", "option blas=none contradicts cpu:libopenblas.so.0"},
    {"cpu?native=1", "native=1 needs a BLAS, and the context names none: cpu:LIBRARY, as in"},
    {"cpu?leaf=vendor", "leaf=vendor needs a BLAS, and the context names none: cpu:LIBRARY"},
    {"cpu?arch=portable&leaf=vendor", "leaf=vendor needs a BLAS, and the context names none"},
    {"cpu?leaf=packed&arch=" KERNELS_ELSEWHERE,
     "option arch is \"" KERNELS_ELSEWHERE "\", and this CPU has no such instructions"},
    {"cuda:0?arch=sixteenletters16",
     "option arch is \"sixteenletters16\", must be a kind of GPU, with at most 15 characters"},
    {"cuda:0?tile=64x128",
     "option tile is \"64x128\", must be 64x8, 64x16, 64x32, 64x64, 128x8, 128x16, 128x32, 128x64 or 128x128"},
    {"cpu?tile=64x8",
     "unknown option \"tile=64x8\": stop split leaf tuning threads blas arch native trace dirty are known"},
    {"cpu?dirty=2", "option dirty is \"2\", must be 0 or 1"},
    {"cpu?no=1", "unknown option \"no=1\": stop split leaf tuning threads blas arch native trace dirty are known"},
    {"cpu?gemm=own",
     "unknown option \"gemm=own\": stop split leaf tuning threads blas arch native trace dirty are known"},
    {"hip:0?no=1",
     "unknown option \"no=1\": stop split leaf tuning arch gemm tile stages schedule parents pending native trace "
     "dirty are known"},
    {"cpu?schedule=dsse",
     "unknown option \"schedule=dsse\": stop split leaf tuning threads blas arch native trace dirty are known"},
    {"sim:0?stages=3", "option stages is \"3\", must be 1 or 2"},
    {"sim:0?schedule=late", "option schedule is \"late\", must be auto, ssde, dsse or device"},
    {"cuda:0?parents=many", "option parents is \"many\", must be an integer from 0 to 2147483647"},
    {"cuda:0?pending=-1", "option pending is \"-1\", must be an integer from 0 to 2147483647"},
    {"cpu?trace=yes", "option trace is \"yes\", must be 0 or 1"},
    {"cpu?stop=+5", "option stop is \"+5\", must be an integer from 1 to 2147483647"}};

/* A message with a user's text has no control character, and is UTF-8: é and 😀 stay, U+009B and the bytes FF do not. */
static const char *const escaped[][2] = {
    {"cpu\x1b[31m", "\"cpu\\x1b[31m\" names no backend"},
    {"cpu?stop=\n\x7f", "option stop is \"\\x0a\\x7f\", must"},
    {"cpu?x\xff=1", "unknown option \"x\\xff=1\""},
    {"cpu?\xc2\x9b=1", "unknown option \"\\xc2\\x9b=1\""},
    {"cpu?\xc3\xa9\xf0\x9f\x98\x80=1", "unknown option \"\xc3\xa9\xf0\x9f\x98\x80=1\""},
    {"cpu?\xc0\xaf\xed\xa0\x80=1", "unknown option \"\\xc0\\xaf\\xed\\xa0\\x80=1\""},
    {"cpu?\xf0\x9f\x98=1", "unknown option \"\\xf0\\x9f\\x98=1\""},
    {"cpu:./no\x1b]0;.so", "./no\\x1b]0;.so"},
    {"cpu?tuning=no\x1b.table", "no\\x1b.table: "},
    /* 40 bytes are quoted, and no character is cut. */
    {"cpu?stop=345678901234567890123456789012345678\xf0\x9f\x98\x80", "12345678\xf0\x9f\x98\x80\", must"},
    {"cpu?stop=3456789012345678901234567890123456789\xf0\x9f\x98\x80", "123456789\", must"},
    {"cpu?stop=345678901234567890123456789012345678901\xc3\xa9", "12345678901\", must"}};

static void expect_escaped(void) {
  for (size_t i = 0; i < sizeof escaped / sizeof *escaped; i++) {
    char why[200];
    trigon_context *ctx;
    trigon_create(escaped[i][0], &ctx, why, sizeof why);
    expect(!ctx && strstr(why, escaped[i][1]), escaped[i][1], why);
    for (size_t size = 1; size < 40; size++) { /* a short message has no part of an escape or of a character */
      char little[40];
      trigon_create(escaped[i][0], &ctx, little, size);
      const size_t length = strlen(little);
      expect(length < size && length + 4 >= size && strncmp(little, why, length) == 0, little, "the beginning of why");
      expect(length < 2 || (strcmp(little + length - 2, "\\x") != 0 && little[length - 1] != '\\'), little, "whole");
    }
  }
}

static void expect_words(const char *name, const char *words) {
  char why[256];
  trigon_context *ctx;
  trigon_create(name, &ctx, why, sizeof why);
  expect(!ctx && strstr(why, words), name, words);
  trigon_destroy(ctx);
}

int main(void) {
  static char endless[100000];
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) expect_words(named[i][0], named[i][1]);
  expect_escaped();
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
    expect_no_context(malformed[i], TRIGON_BAD_ARGUMENT);
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) expect_no_context(unknown[i], TRIGON_NOT_FOUND);
  expect_no_context("cpu:/no/such/lib.so", TRIGON_NOT_FOUND);
  expect_no_context("cpu64:/no/such/lib.so?stop=8", TRIGON_NOT_FOUND);
  expect_no_context(NULL, TRIGON_BAD_ARGUMENT);
  memset(endless, 'c', sizeof endless - 1);
  expect_no_context(endless, TRIGON_NOT_FOUND);
  memcpy(endless, "cpu?stop=", 9);
  expect_no_context(endless, TRIGON_BAD_ARGUMENT);
  memcpy(endless, "cpu?tuning=", 11);
  expect_no_context(endless, TRIGON_BAD_ARGUMENT);
  memcpy(endless, "sim:0?xx=", 9);
  expect_no_context(endless, TRIGON_BAD_ARGUMENT);
  many_options(endless, sizeof endless);
  expect_no_context(endless, TRIGON_BAD_ARGUMENT);
  memset(endless, 'c', sizeof endless - 1);
  memcpy(endless, "cpu:/ccc/", 9);
  expect_no_context(endless, TRIGON_NOT_FOUND);
  expect(trigon_create("cpu", NULL, NULL, 0) == TRIGON_BAD_ARGUMENT, "no place for the context", "must be refused");
  return checked();
}
