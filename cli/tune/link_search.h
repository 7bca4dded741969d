/* link_search.h - measures how fast the link between host and GPU is while the GPU computes. */
#ifndef TRIGON_CLI_TUNE_LINK_SEARCH_H
#define TRIGON_CLI_TUNE_LINK_SEARCH_H

#include "search.h"

/* Measures the link until the deadline, and adds the row to `found`. *is_measured: whether there was enough time. A
 * comment says what was measured. Returns false, with the reason, if something failed. */
bool search_link(search *s, bool *is_measured);

#endif
