/* cells.h - tg_cell, tg_empty, tg_send and tg_receive for real GPUs: see vendor.h. Each vendor's header defines
 *
 *   tg_store_relaxed(p, x), tg_load_relaxed(p)
 *                               write and read a word of 4 or 8 bytes at once, seen by all blocks of the device
 *   tg_pause(nanoseconds)       waits for about this time
 *
 * A cell holds the complement of its number, word by word, or zeros if the cell is empty. So a word is data and flag
 * at once: no fence, and no second read, lies between a sender and a receiver. The one word whose complement is zero
 * is a NaN, and is sent as another NaN. */
#ifndef TRIGON_VENDOR_CELLS_H
#define TRIGON_VENDOR_CELLS_H

/* The words that a cell for numbers of SIZE bytes consists of. */
template <int SIZE> struct tg_cell_word { using type = unsigned long long; };
template <> struct tg_cell_word<4> { using type = unsigned; };

template <class T> struct tg_cell {
  using word = typename tg_cell_word<sizeof(T)>::type;
  static constexpr int WORDS = sizeof(T) / sizeof(word);
  word of[WORDS];
};

template <class T> __device__ inline void tg_empty(tg_cell<T> *cell) {
  for (int i = 0; i < tg_cell<T>::WORDS; i++) cell->of[i] = 0;
}

template <class T> __device__ inline void tg_send(tg_cell<T> *cell, T x, bool valid) {
  typename tg_cell<T>::word words[tg_cell<T>::WORDS];
  memcpy(words, &x, sizeof words);
#pragma unroll
  for (int i = 0; i < tg_cell<T>::WORDS; i++) {
    const typename tg_cell<T>::word coded = ~words[i];
    if (valid) tg_store_relaxed(cell->of + i, coded == 0 ? 1 : coded);
  }
}

template <class T, int COUNT> struct tg_letters { typename tg_cell<T>::word of[COUNT][tg_cell<T>::WORDS]; };

template <class T, int COUNT, class Cell> __device__ inline void tg_look(tg_letters<T, COUNT> &letters, Cell cell) {
#pragma unroll
  for (int e = 0; e < COUNT; e++)
#pragma unroll
    for (int i = 0; i < tg_cell<T>::WORDS; i++) letters.of[e][i] = tg_load_relaxed(cell(e)->of + i);
}

template <class T, int COUNT> __device__ inline bool tg_complete(const tg_letters<T, COUNT> &letters) {
  bool all = true;
#pragma unroll
  for (int e = 0; e < COUNT; e++)
#pragma unroll
    for (int i = 0; i < tg_cell<T>::WORDS; i++) all = all && letters.of[e][i] != 0;
  return all;
}

template <class T, int COUNT, class Cell>
__device__ inline void tg_receive(T (&x)[COUNT], tg_letters<T, COUNT> &letters, unsigned pause, Cell cell) {
  while (!tg_complete(letters)) {
    if (pause > 0) tg_pause(pause);
    tg_look(letters, cell);
  }
#pragma unroll
  for (int e = 0; e < COUNT; e++) {
#pragma unroll
    for (int i = 0; i < tg_cell<T>::WORDS; i++) letters.of[e][i] = ~letters.of[e][i];
    memcpy(&x[e], letters.of[e], sizeof(T));
  }
}

#endif
