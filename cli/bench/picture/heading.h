/* heading.h - the text above the benchmark's picture: what was measured, against what, on which machine, and when. */
#ifndef TRIGON_CLI_BENCH_PICTURE_HEADING_H
#define TRIGON_CLI_BENCH_PICTURE_HEADING_H

#include "panels.h"

enum { MOST_HEADING = 1024 };

/* Printable ASCII; other bytes of names become question marks. */
typedef struct picture_heading {
  char title[MOST_HEADING], machine[MOST_HEADING], note[MOST_HEADING];
} picture_heading;

/* What the rows were measured with. */
typedef struct picture_source {
  const char *backend, *described; /* the context: its name, and what trigon_describe says of it */
  const char *native;              /* the same of the library that native calls; NULL: the context's own */
  const char *processor;           /* the name of the CPU; not used for a device */
  const char *date;
  bool on_host; /* the context computes on the host */
} picture_source;

void heading_make(const panel_list *panels, const picture_source *source, picture_heading *h);

/* Store the name of this machine's processor, and today's date as 2026-11-21. */
enum { MOST_PROCESSOR = 128, MOST_DATE = 32 };
void processor_name(char name[MOST_PROCESSOR]);
void date_today(char date[MOST_DATE]);

#endif
