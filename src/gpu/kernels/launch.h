/* launch.h - what the launchers of all kernels share. */
#ifndef TRIGON_LAUNCH_H
#define TRIGON_LAUNCH_H

#include "element.h"

/* How many blocks of so many threads to launch for so many tiles: each takes its number, and every further one that many
 * on. AMD launches fewer than 2^32 threads, and everyone fewer than 2^31 blocks, which follows for two threads or more. */
inline int64_t blocks_for(int64_t tiles, int threads) {
  const int64_t most = UINT32_MAX / static_cast<unsigned>(threads);
  return tiles < most ? tiles : most;
}

/* launch(T{}) for the type T of elements that `type` names. */
template <class Launch> inline cudaError_t with_type(trigon_type type, Launch launch) {
  switch (type) {
  case TRIGON_S: return launch(float{});
  case TRIGON_D: return launch(double{});
  case TRIGON_C: return launch(pair<float>{});
  default: return launch(pair<double>{});
  }
}

#endif
