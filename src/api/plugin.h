/* plugin.h - loads the engines of devices, which are plugins: a machine without a GPU or its driver runs all the rest. */
#ifndef TRIGON_API_PLUGIN_H
#define TRIGON_API_PLUGIN_H

#include "../core/plugin.h"

/* Makes the engine of a device by its plugin, the file libtrigon-KIND.so. If TRIGON_BACKEND_PATH is set, it names the
 * plugin's folder by an absolute path. Else the folder is `trigon` beside the shared object that holds this code, or beside
 * the place where the library was to be installed; the first file that exists is taken. TRIGON_NOT_FOUND if there is no
 * plugin, or it cannot be loaded; else what plugin_create_fn says. Plugins stay loaded until the process ends: they hold
 * functions that a device's driver calls. */
trigon_status plugin_load(const plugin_request *request, reason *why, engine **out);

#endif
