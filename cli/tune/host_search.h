/* host_search.h - finds the rules of a context with its matrices in host memory. */
#ifndef TRIGON_CLI_TUNE_HOST_SEARCH_H
#define TRIGON_CLI_TUNE_HOST_SEARCH_H

#include "search.h"

/* Searches the rule with this index in tuned_hosts until the deadline, and adds it to `found`. A comment says what was
 * measured. Returns false, with the reason, if something failed. */
bool search_host(search *s, int rule);

#endif
