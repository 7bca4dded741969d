/* heading.h - the words above the benchmark's picture: what was measured against what, where and when. */
#ifndef TRIGON_CLI_BENCH_PICTURE_HEADING_H
#define TRIGON_CLI_BENCH_PICTURE_HEADING_H

#include "panels.h"

enum { MOST_HEADING = 1024 };

/* In printable ASCII: other bytes of names become question marks. */
typedef struct picture_heading {
  char title[MOST_HEADING], machine[MOST_HEADING], note[MOST_HEADING];
} picture_heading;

/* Where a picture's rows come from: `described` by trigon_describe, of a context on the host or not. */
typedef struct picture_source {
  const char *backend, *described, *processor; /* processor: the CPU's name; not used unless on the host */
  const char *date;
  bool on_host;
} picture_source;

void heading_make(const panel_list *panels, const picture_source *source, picture_heading *h);

/* The name of this machine's processor, and today's date as 2026-11-21. */
enum { MOST_PROCESSOR = 128, MOST_DATE = 32 };
void processor_name(char name[MOST_PROCESSOR]);
void date_today(char date[MOST_DATE]);

#endif
