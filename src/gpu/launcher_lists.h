/* launcher_lists.h - what the launchers have, by the tables of a kind of GPU. */
#ifndef TRIGON_LAUNCHER_LISTS_H
#define TRIGON_LAUNCHER_LISTS_H

#include "gpu/arch/check_rows.h"

extern const launcher_lists gpu_launcher_lists;

#endif
