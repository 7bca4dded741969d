/* load_plugin.h - makes the engine of a GPU by a plugin, so that the library runs on machines without GPU or driver. */
#ifndef TRIGON_LOAD_PLUGIN_H
#define TRIGON_LOAD_PLUGIN_H

#include "core/plugin.h"

/* Makes the engine of a device by its plugin, the file libtrigon-KIND.so, or libtrigon-cuda-ptx80.so if the option
 * `arch` asks for a kind of GPU that takes this build. TRIGON_BACKEND_PATH names the plugin's folder
 * by an absolute path. If TRIGON_BACKEND_PATH is not set, the folder is `trigon` beside the shared object that holds
 * this code, or `trigon` in the folder of the installation. The first file that exists is loaded. TRIGON_NOT_FOUND if
 * there is no plugin, or if the plugin does not load. Else the status of the plugin's function (core/plugin.h). Plugins
 * stay loaded until the process ends, because a device's driver calls functions of theirs. */
trigon_status plugin_load(const plugin_request *request, reason *why, engine **out);

#endif
