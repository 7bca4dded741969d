/* devices.c - the simulated devices, their settings, and failures on demand. */
#include "sim_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sim_machine sim;
pthread_mutex_t sim_mutex = PTHREAD_MUTEX_INITIALIZER;
_Thread_local int sim_current_device;
_Thread_local simError_t sim_last_error;

static const settings defaults = {
    .warp = 32, .memory = (size_t)256 << 20, .pitch = INT32_MAX, .seed = 1, .together = 12};
static const char *const operation_names[OPERATIONS] = {"alloc", "copy",   "launch", "blas",  "blas_memory", "event",
                                                        "pin",   "stream", "wait",   "query", "lost"};

int sim_take(void) {
  pthread_mutex_lock(&sim_mutex);
  for (int d = 0; d < sim_devices && sim.ids < sim_devices; d++) {
    sim.device[d].set = defaults;
    sim.device[d].legacy = (struct simStream){.device = &sim.device[d], .id = ++sim.ids, .blocking = true};
  }
  return 0;
}

void sim_drop(const int *held) {
  (void)held;
  pthread_mutex_unlock(&sim_mutex);
}

simError_t sim_report(simError_t error) {
  if (error) sim_last_error = error;
  return error;
}

sim_device *sim_current(void) { return &sim.device[sim_current_device]; }
bool sim_is_device(int device) { return device >= 0 && device < sim_devices; }

simError_t sim_attempt(sim_device *d, sim_operation what) {
  static const simError_t errors[] = {[ALLOC] = simErrorMemoryAllocation,
                                      [COPY] = simErrorUnknown,
                                      [LAUNCH] = simErrorLaunchOutOfResources,
                                      [BLAS] = simErrorLaunchFailure,
                                      [BLAS_MEMORY] = simErrorMemoryAllocation,
                                      [EVENT] = simErrorMemoryAllocation,
                                      [PIN] = simErrorMemoryAllocation,
                                      [STREAM] = simErrorMemoryAllocation,
                                      [WAIT] = simErrorLaunchFailure};
  if (d->error) return d->error;
  d->count[what]++;
  d->count[LOST] += what != BLAS_MEMORY; /* a product counts once, as BLAS */
  if (d->count[d->set.fail] != d->set.fail_at) return simSuccess;
  if (d->set.fail == LOST) d->error = simErrorDevicesUnavailable;
  return d->set.fail == LOST ? d->error : d->set.fail == what ? errors[what] : simSuccess;
}

simError_t sim_attempt_query(sim_device *d) {
  return ++d->count[QUERY] == d->set.fail_at && d->set.fail == QUERY ? simErrorUnknown : simSuccess;
}

/* ------------------------------------------------------------------------------------------------ settings -- */

/* Reads a whole number from `least` to `most`. The number may end in a suffix: the first suffix of `suffixes`
 * multiplies by 1024, the second by 1024², and so on. */
static bool read_number(const char *text, const char *suffixes, uint64_t least, uint64_t most, uint64_t *number) {
  if (*text < '0' || *text > '9') return false;
  char *end;
  *number = strtoull(text, &end, 10);
  const char *suffix = *end ? strchr(suffixes, *end) : NULL;
  for (const char *s = suffixes; suffix && s <= suffix && *number <= most; s++) *number *= 1024;
  return *(end + (suffix ? 1 : 0)) == '\0' && *number >= least && *number <= most;
}

static bool read_warp(const char *text, settings *set) {
  uint64_t number;
  if (!read_number(text, "", 32, 64, &number) || (number != 32 && number != 64)) return false;
  set->warp = (int)number;
  return true;
}

static bool read_memory(const char *text, settings *set) {
  uint64_t number;
  if (!read_number(text, "KMG", 0, UINT64_C(32) << 30, &number)) return false;
  set->memory = (size_t)number;
  return true;
}

static bool read_pitch(const char *text, settings *set) {
  uint64_t number;
  if (!read_number(text, "KMG", 0, INT32_MAX, &number)) return false;
  set->pitch = (size_t)number;
  return true;
}

/* 0 or 1. *flag becomes `one` for 1, and the other value for 0. */
static bool read_flag(const char *text, bool *flag, bool one) {
  uint64_t number;
  if (!read_number(text, "", 0, 1, &number)) return false;
  *flag = (number == 1) == one;
  return true;
}

static bool read_blas(const char *text, settings *set) { return read_flag(text, &set->no_blas, false); }

static bool read_solver(const char *text, settings *set) { return read_flag(text, &set->solver, true); }

static bool read_peers(const char *text, settings *set) { return read_flag(text, &set->no_peers, false); }

static bool read_coherent(const char *text, settings *set) { return read_flag(text, &set->coherent, true); }

static bool read_resident(const char *text, settings *set) {
  uint64_t number;
  if (!read_number(text, "", 1, sim_most_resident, &number)) return false;
  set->resident = (int)number;
  return true;
}

static bool read_together(const char *text, settings *set) {
  uint64_t number;
  if (!read_number(text, "", 0, sim_most_resident, &number)) return false;
  set->together = (int)number;
  return true;
}

static bool read_seed(const char *text, settings *set) { return read_number(text, "", 0, UINT64_MAX, &set->seed); }

static bool read_fail(const char *text, settings *set) {
  uint64_t number;
  const char *colon = strchr(text, ':');
  if (!colon || !read_number(colon + 1, "", 1, INT64_MAX, &number)) return false;
  for (int what = 0; what < OPERATIONS; what++)
    if (strncmp(text, operation_names[what], (size_t)(colon - text)) == 0 &&
        operation_names[what][colon - text] == '\0') {
      set->fail = (sim_operation)what;
      set->fail_at = (int64_t)number;
      return true;
    }
  return false;
}

static const struct {
  const char *key, *takes;
  bool (*read)(const char *text, settings *);
} keys[] = {
    {"warp=", "32 or 64", read_warp},
    {"memory=", "a size up to 32G, with K, M or G", read_memory},
    {"pitch=", "a size up to 2147483647, with K, M or G", read_pitch},
    {"blas=", "0 or 1", read_blas},
    {"solver=", "0 or 1", read_solver},
    {"peers=", "0 or 1", read_peers},
    {"coherent=", "0 or 1", read_coherent},
    {"seed=", "a whole number", read_seed},
    {"resident=", "a number from 1 to 64", read_resident},
    {"together=", "a number from 0 to 64", read_together},
    {"fail=",
     "KIND:K, KIND one of alloc, copy, launch, blas, blas_memory, event, pin, stream, wait, query, lost, and K >= 1",
     read_fail}};

static bool read_option(const char *option, settings *set, char *why, size_t why_size) {
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    size_t length = strlen(keys[i].key);
    if (strncmp(option, keys[i].key, length) != 0) continue;
    bool good = keys[i].read(option + length, set);
    if (!good) snprintf(why, why_size, "\"%s\": expected %s", option, keys[i].takes);
    return good;
  }
  snprintf(why, why_size, "the simulated GPU has no option \"%s\"", option);
  return false;
}

int sim_configure(int device, const char *text, char *why, size_t why_size) {
  HOLD;
  if (!sim_is_device(device)) {
    snprintf(why, why_size, "there is no simulated GPU %d", device);
    return 1;
  }
  settings set = defaults;
  for (const char *p = text; *p; p += *p == '&') {
    char option[128];
    snprintf(option, sizeof option, "%.*s", (int)strcspn(p, "&"), p);
    if (!read_option(option, &set, why, why_size)) return 1;
    p += strcspn(p, "&");
  }
  sim_device *d = &sim.device[device];
  sim_finish(d);
  d->set = set;
  d->error = simSuccess;
  d->report[0] = '\0';
  d->launches = 0;
  memset(d->count, 0, sizeof d->count);
  if (d->handles == 0) sim_unload(d);
  return 0;
}

int64_t sim_operations(int device, const char *kind) {
  HOLD;
  for (int what = 0; what < OPERATIONS && sim_is_device(device); what++)
    if (strcmp(kind, operation_names[what]) == 0) return sim.device[device].count[what];
  return -1;
}

int64_t sim_handles(int device) {
  HOLD;
  return sim_is_device(device) ? sim.device[device].handles : -1;
}

/* ------------------------------------------------------------------------------------------------- devices -- */

/* Returns the report of a device that has failed with this error, if possible of the current device, or NULL if no
 * device has such a report. A report stays until its device is configured. */
static const char *report_of(simError_t error) {
  const char *report = NULL;
  for (sim_device *d = sim.device; d < sim.device + sim_devices; d++)
    if (error && d->error == error && d->report[0] && (!report || d == sim_current())) report = d->report;
  return report;
}

const char *simGetErrorString(simError_t error) {
  HOLD;
  const char *report = report_of(error);
  if (report) return report;
#define TEXT(name, number, text)                                                                                       \
  case name: return text;
  switch (error) {
    SIM_ERRORS(TEXT)
  default: return "unrecognized error code";
  }
}

simError_t simGetLastError(void) {
  simError_t error = sim_last_error;
  sim_last_error = simSuccess;
  return error;
}

simError_t simGetDeviceCount(int *count) {
  *count = sim_devices;
  return simSuccess;
}

simError_t simGetDevice(int *device) {
  HOLD;
  *device = sim_current_device;
  return sim_report(sim_attempt_query(sim_current()));
}

simError_t simSetDevice(int device) {
  if (!sim_is_device(device)) return sim_report(simErrorInvalidDevice);
  sim_current_device = device;
  return simSuccess;
}

simError_t simDeviceGetAttribute(int *value, simDeviceAttr attribute, int device) {
  HOLD;
  if (!sim_is_device(device)) return sim_report(simErrorInvalidDevice);
  switch (attribute) {
  case simDevAttrWarpSize: *value = sim.device[device].set.warp; break;
  case simDevAttrMaxPitch: *value = (int)sim.device[device].set.pitch; break;
  case simDevAttrMultiProcessorCount: *value = 2 + device % 3; break;
  case simDevAttrPageableMemoryAccessUsesHostPageTables: *value = sim.device[device].set.coherent; break;
  default: return sim_report(simErrorInvalidValue);
  }
  return sim_report(sim_attempt_query(&sim.device[device]));
}

simError_t simDeviceCanAccessPeer(int *can, int device, int peer) {
  HOLD;
  if (!sim_is_device(device) || !sim_is_device(peer)) return sim_report(simErrorInvalidDevice);
  *can = device != peer && !sim.device[device].set.no_peers;
  return sim_report(sim_attempt_query(&sim.device[device]));
}

simError_t simDeviceEnablePeerAccess(int peer, unsigned flags) {
  HOLD;
  if (flags) return sim_report(simErrorInvalidValue);
  return sim_report(sim_is_device(peer) ? simSuccess : simErrorInvalidDevice);
}

simError_t simDeviceName(int device, char *text, size_t size) {
  HOLD;
  if (!sim_is_device(device)) return sim_report(simErrorInvalidDevice);
  snprintf(text, size, "simulated GPU %d", device);
  return sim_report(sim_attempt_query(&sim.device[device]));
}
