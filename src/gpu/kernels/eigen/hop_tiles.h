/* hop_tiles.h - the tiles D and E of a hop that stays (chase_hops.cu), in registers, and what threads of a block
 * exchange. */
#ifndef TRIGON_HOP_TILES_H
#define TRIGON_HOP_TILES_H

#include "chase_hops.h"

enum {
  /* Parts share what is done once for a hop. */
  SENDS_REFLECTOR = 0,
  SENDS_COLUMN = 1
};

/* Of the columns of D and E. Z, with four times the products, has twice as many. */
template <class T> constexpr int hop_parts = TG_TILE(2, sizeof(T) == 16 ? 8 : 4);
template <class T> constexpr int hop_threads = band_width *hop_parts<T>;
template <class T> constexpr int hop_columns = band_width / hop_parts<T>;

/* Blocks for which the registers of a multiprocessor must suffice: D and E take 16 of a thread's in S, 32 in D and C,
 * and in Z, whose blocks have twice as many threads. So the 132 multiprocessors of an H100 have room for orders up to
 * 16,865, and up to 8,417 in Z. */
template <class T> constexpr int hop_residents = sizeof(T) > 8 && !std::is_same<T, complex<float>>::value ? 2 : 4;

/* The messages for a block. */
template <class T> struct hop_box { tg_slot<T> reflector[band_width], column[band_width + 1]; };

/* Whether warps of a hop have roles: one looks for reflectors and makes the next one, and one finishes the column. The
 * warps of Z are too many to do it all beside each other: in each sweep 8 warps read 16 sums of 512 bytes, and shuffle
 * 500 words, where a multiprocessor does 128 bytes, or one, in a cycle. */
template <class T> constexpr bool hop_has_roles = sizeof(T) == 16;

/* What threads of a block exchange. Sweeps use the halves in turn, so that one barrier is enough for a sweep without
 * roles. With roles there are three, and vectors that all threads read. */
template <class T> struct hop_shared {
  T part[2][2][hop_parts<T>][band_width]; /* of D·v and of E·v */
  T first[2][2][band_width];              /* the columns of D and of E */
  T row[2][band_width];                   /* D's last, but for the diagonal */
  T v[2][band_width], tau[2];
  T w[band_width], y[band_width], next_v[band_width], left[band_width];
};

/* One hop in one sweep. */
struct hop_turn {
  int64_t sweep, r0;
  int lead, old; /* slots of the window's first row, and of the last one, which was the first one's before */
  int half;
  bool owns, next; /* the thread has the last column; there is a hop k + 1 */
  __device__ unsigned tag() const { return static_cast<unsigned>(sweep + 1); }
};

template <class T> struct hop_tiles { T D[hop_columns<T>], E[hop_columns<T>]; };

__device__ static int slot_of(int64_t row) { return static_cast<int>(static_cast<uint64_t>(row) % band_width); }

/* Sums over the lanes of a group for each of COUNT values, in SPAN lanes that are neighbours: a lane hands the half of
 * the values to the other half of the lanes. */
template <int SPAN, class T, int COUNT> __device__ static T fold_sums(const T (&t)[COUNT]) {
  const int at = static_cast<int>(threadIdx.x) % tg_warp();
  if constexpr (COUNT == 1) {
    T sum = t[0];
#pragma unroll
    for (int step = SPAN / 2; step > 0; step /= 2) sum = add(sum, shuffle(sum, at ^ step));
    return sum;
  } else {
    const bool upper = (at & (SPAN / 2)) != 0;
    T half[COUNT / 2];
#pragma unroll
    for (int c = 0; c < COUNT / 2; c++)
      half[c] = add(upper ? t[c + COUNT / 2] : t[c], shuffle(upper ? t[c] : t[c + COUNT / 2], at ^ (SPAN / 2)));
    return fold_sums<SPAN / 2>(half);
  }
}

/* Bit c is set if column c of the thread has this slot. A compiler that knew where the bit comes from would take an
 * element by its index, and keep D and E in memory. */
template <class T> __device__ static unsigned column_mask(int slot) {
  unsigned mask = slot / hop_columns<T> == part_of_thread() ? 1u << slot % hop_columns<T> : 0;
  tg_forget(mask);
  return mask;
}

/* The last column of D and E takes its registers. */
template <class T> __device__ static void place_column(const hop_turn &t, T in_d, T in_e, hop_tiles<T> &s) {
  const unsigned mask = t.owns ? column_mask<T>(t.old) : 0;
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++) {
    s.D[c] = mask >> c & 1 ? in_d : s.D[c];
    s.E[c] = mask >> c & 1 ? in_e : s.E[c];
  }
}

/* The window moves by one row and one column. The first column is gone; its registers wait for a new one. */
template <class T> __device__ static void move_window(const hop_turn &t, hop_tiles<T> &s, hop_shared<T> &shared) {
  const int slot = row_of_thread(), first = part_of_thread() * hop_columns<T>, then = slot_of(t.lead + 1);
  const unsigned leads = column_mask<T>(t.lead), follows = column_mask<T>(then);
  T in_d = {}, in_e = {};
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++) {
    const bool gone = leads >> c & 1, moves = slot == t.lead;
    if (moves) shared.row[t.half ^ 1][first + c] = gone ? T{} : s.E[c];
    s.D[c] = gone ? T{} : moves ? s.E[c] : s.D[c];
    s.E[c] = gone || moves ? T{} : s.E[c];
    in_d = follows >> c & 1 ? s.D[c] : in_d;
    in_e = follows >> c & 1 ? s.E[c] : in_e;
  }
  if (then / hop_columns<T> != part_of_thread()) return;
  shared.first[t.half ^ 1][0][slot] = in_d, shared.first[t.half ^ 1][1][slot] = in_e;
}

/* D = D - v·wᴴ - w·vᴴ, E = H'ᴴ·(E - y·vᴴ), with left = conj(tau')·v'. of_w(i) is element i of w. */
template <class T, class OfW, class OfV>
__device__ static void update_tiles(T v, T w, T y, T next_v, T left, OfW of_w, OfV of_v, hop_tiles<T> &s) {
  const int first = part_of_thread() * hop_columns<T>;
  T sums[hop_columns<T>];
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++) {
    const T to_w = conjugate(of_w(first + c)), to_v = conjugate(of_v(first + c));
    s.D[c] = subtract_product(subtract_product(s.D[c], v, to_w), w, to_v);
    s.E[c] = subtract_product(s.E[c], y, to_v);
    sums[c] = multiply(conjugate(next_v), s.E[c]);
  }
  const T sum = fold_sums<band_width>(sums);
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++)
    s.E[c] = subtract_product(s.E[c], left, of_lane(sum, c * (band_width / hop_columns<T>)));
}

#endif
