/* slots.h - tg_slot, tg_put, tg_look and tg_get for real GPUs: see vendor.h. Each vendor's header defines
 *
 *   tg_store_relaxed(p, x), tg_load_relaxed(p)
 *                               write and read a word of 8 bytes at once, seen by all blocks of the device
 *   tg_store_relaxed_pair(p, x, y), tg_load_relaxed_pair(p, &x, &y)
 *                               the same for two neighbours, each of them at once; p is a multiple of 16
 *
 * Each word of a slot has four bytes of the number, and the tag. So a word is data and flag at once, whatever the size
 * of the number: no fence, and no second read, lies between a sender and a receiver. */
#ifndef TRIGON_VENDOR_SLOTS_H
#define TRIGON_VENDOR_SLOTS_H

template <class T> struct alignas(sizeof(T) == 4 ? 8 : 16) tg_slot {
  static constexpr int WORDS = sizeof(T) / 4;
  unsigned long long of[WORDS];
};

template <class T> __device__ inline void tg_put(tg_slot<T> *slot, T x, unsigned tag, bool valid) {
  constexpr int WORDS = tg_slot<T>::WORDS;
  unsigned pieces[WORDS];
  unsigned long long words[WORDS];
  memcpy(pieces, &x, sizeof pieces);
#pragma unroll
  for (int i = 0; i < WORDS; i++) words[i] = static_cast<unsigned long long>(tag) << 32 | pieces[i];
  if (!valid) return;
  if constexpr (WORDS == 1) {
    tg_store_relaxed(slot->of, words[0]);
  } else {
#pragma unroll
    for (int i = 0; i < WORDS; i += 2) tg_store_relaxed_pair(slot->of + i, words[i], words[i + 1]);
  }
}

template <class T, int COUNT> struct tg_seen { unsigned long long of[COUNT][tg_slot<T>::WORDS]; };

template <class T, int COUNT> __device__ inline bool tg_arrived(const tg_seen<T, COUNT> &seen, unsigned tag, int e) {
  bool all = true;
#pragma unroll
  for (int i = 0; i < tg_slot<T>::WORDS; i++) all = all && static_cast<unsigned>(seen.of[e][i] >> 32) == tag;
  return all;
}

template <class T, int COUNT, class Slot>
__device__ inline void tg_look(tg_seen<T, COUNT> &seen, unsigned tag, bool wanted, Slot slot) {
#pragma unroll
  for (int e = 0; e < COUNT; e++) {
    if (!wanted || tg_arrived(seen, tag, e)) continue;
    if constexpr (tg_slot<T>::WORDS == 1) {
      seen.of[e][0] = tg_load_relaxed(slot(e)->of);
    } else {
#pragma unroll
      for (int i = 0; i < tg_slot<T>::WORDS; i += 2)
        tg_load_relaxed_pair(slot(e)->of + i, &seen.of[e][i], &seen.of[e][i + 1]);
    }
  }
}

template <class T, int COUNT, class Slot, class Meanwhile>
__device__ inline void tg_get(T (&x)[COUNT], tg_seen<T, COUNT> &seen, unsigned tag, bool wanted, Slot slot,
                              Meanwhile meanwhile) {
  const auto missing = [&] {
    bool any = false;
#pragma unroll
    for (int e = 0; e < COUNT; e++) any = any || !tg_arrived(seen, tag, e);
    return wanted && any;
  };
  while (missing()) {
    tg_look(seen, tag, wanted, slot);
    meanwhile();
  }
#pragma unroll
  for (int e = 0; e < COUNT; e++) {
    unsigned pieces[tg_slot<T>::WORDS];
#pragma unroll
    for (int i = 0; i < tg_slot<T>::WORDS; i++) pieces[i] = wanted ? static_cast<unsigned>(seen.of[e][i]) : 0;
    memcpy(&x[e], pieces, sizeof(T));
  }
}

#endif
