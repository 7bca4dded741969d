/* chase_hops.cu - bulge chasing whose hops stay where they are, and whose sweeps travel.
 *
 * chase_band.cu shows the hop: D = Hᴴ·D·H, E = H'ᴴ·(E·H), at rows from r0 = s + 1 + k·b on. Here a block of threads has
 * hop k for the whole launch, and its D and E stay in registers. From sweep to sweep the hop's window moves down by one
 * row and one column:
 *
 *     reflector H        from hop k - 1, b numbers                     first row of E      becomes the last row of D
 *     reflector H'       to hop k + 1                                  last column         comes from hop k + 1
 *     first column       to hop k - 1, b + 1 numbers: it is finished, and the others below are zero
 *
 * Row q of the matrix has slot q mod b for ever, and so has a column. So nothing moves in registers, and all vectors
 * are in the order of slots. Block 0 is the head: the place of hop -1. It takes first columns, which are columns of the
 * matrix, leaves d and e, and begins the sweeps.
 *
 * Hops wait for neighbours on both sides. So all blocks must be resident at once, and the launch is refused otherwise.
 * Numbers travel with a tag, the sweep's, counted from 1 (tg_slot). A place holds one message: hop k sends the
 * reflector of sweep s + 1 after it has got a column that hop k + 1 made from the reflector of sweep s; and the same in
 * the other direction. Waits look at tags alone, so that a NaN does not make them longer. */
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

/* What threads of a block exchange. Sweeps use the halves in turn, so that one barrier is enough for a sweep. */
template <class T> struct hop_shared {
  T part[2][2][hop_parts<T>][band_width]; /* of D·v and of E·v */
  T first[2][2][band_width];              /* the columns of D and of E */
  T row[2][band_width];                   /* D's last, but for the diagonal */
};

/* A reflector: lane i has the element of slot i. `sent` has tau in the place of the leading one. */
template <class T> struct hop_reflector {
  T v, tau, sent;
  real_of<T> end;
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

/* --------------------------------------------------------------------------------------------------- reflector -- */

/* root = √x and inverse = 1 / √x for x >= reflection<R>::least. One correction makes the root as good as rounding
 * allows, so that H' is unitary. */
__device__ static inline void roots(double x, double &root, double &inverse) {
  inverse = tg_rsqrt(x);
  const double near = x * inverse;
  root = near + (x - near * near) * (0.5 * inverse);
}
__device__ static inline void roots(float x, float &root, float &inverse) {
  root = sqrtf(x);
  inverse = 1 / root;
}
template <class R> __device__ inline R inverse_of(R x) { return 1 / x; }
template <class R> __device__ inline complex<R> inverse_of(complex<R> x) { return scale(conjugate(x), 1 / square(x)); }

/* The reflector of a column whose first element is in slot `lead`: householder.h, without divisions where the next hop
 * waits. `beside` becomes its sum over the lanes. If there is nothing to reflect, what was chased is gone. */
template <class T> __device__ static hop_reflector<T> make_hop_reflector(T x, int lead, real_of<T> &beside) {
  using R = real_of<T>;
  const int at = static_cast<int>(threadIdx.x) % tg_warp();
  const bool leads = row_of_thread() == lead;
  R rest = leads ? R(0) : square(x), root, inverse;
#pragma unroll
  for (int step = 1; step < band_width; step *= 2) {
    rest += shuffle(rest, at ^ step);
    beside += shuffle(beside, at ^ step);
  }
  const T alpha = of_lane(x, lead);
  const R all = square(alpha) + rest;
  roots(all, root, inverse);
  const bool negative = real(alpha) < 0, skips = all < reflection<R>::least || (rest == 0 && imaginary(alpha) == 0);
  hop_reflector<T> h;
  h.end = negative ? root : -root;
  const T pivot = subtract(alpha, make(T{}, h.end, R(0)));
  const T below = skips ? T{} : multiply(x, inverse_of(pivot));
  h.tau = skips ? T{} : scale(pivot, negative ? -inverse : inverse);
  if (skips) h.end = real(alpha);
  h.v = leads ? one<T>() : below;
  h.sent = leads ? h.tau : below;
  return h;
}

/* Stores the reflector of a hop, whose window begins in slot `lead`. */
template <class T>
__device__ static void keep_sent(const chased_band &p, int64_t sweep, int64_t hop, int lead, T sent) {
  const int64_t at = hop * band_width + slot_of(row_of_thread() + band_width - lead);
  if (at < p.n - 1 - sweep) kept_sweep(static_cast<T *>(p.A), p.lower, p.n, p.ld, sweep)[at] = sent;
}

/* ---------------------------------------------------------------------------------------------------- messages -- */

template <class T> __device__ static void send_reflector(hop_box<T> *to, unsigned tag, T sent, bool valid) {
  tg_put(to->reflector + row_of_thread(), sent, tag, valid);
}

template <class T> __device__ static void send_column(hop_box<T> *to, unsigned tag, T x, real_of<T> end, bool valid) {
  tg_put(to->column + row_of_thread(), x, tag, valid);
  tg_put(to->column + band_width, make(T{}, end, real_of<T>(0)), tag, valid && row_of_thread() == 0);
}

/* A column: the element of the lane's slot, and the one behind the window, which has the slot of the first. */
template <class T> struct hop_column { T x[2]; };

/* ------------------------------------------------------------------------------------------------------- head -- */

/* All groups of the first warp compute the same, and the first group writes. Other warps would come too late for
 * messages: once a reflector is sent, the column that it answers may be overwritten. */
template <class T> __device__ static void run_head(const chased_band &p, hop_box<T> *boxes) {
  if (static_cast<int>(threadIdx.x) >= tg_warp()) return;
  using R = real_of<T>;
  const int slot = row_of_thread();
  const bool writes = part_of_thread() == 0;
  const auto place = [&](int e) { return boxes[0].column + (e == 0 ? slot : int(band_width)); };
  for (int64_t s = 0; s < p.n; s++) {
    const int old = slot_of(s), lead = slot_of(s + 1);
    tg_seen<T, 2> seen{};
    hop_column<T> c;
    tg_get(c.x, seen, static_cast<unsigned>(s), s > 0, place, [] {});
    if (s == 0) {
      c.x[0] = slot < p.n ? lower_element<T>(p, slot, 0) : T{};
      c.x[1] = band_width < p.n ? lower_element<T>(p, band_width, 0) : T{};
    }
    const R diagonal = real(of_lane(c.x[0], old));
    R none = 0;
    const hop_reflector<T> h = make_hop_reflector(slot == old ? c.x[1] : c.x[0], lead, none);
    send_reflector(&boxes[1], static_cast<unsigned>(s + 1), h.sent, writes && s < p.n - 1);
    if (!writes) continue;
    if (p.keeps) keep_sent(p, s, 0, lead, h.sent);
    if (slot == 0) static_cast<R *>(p.d)[s] = diagonal;
    if (slot == 0 && s < p.n - 1) static_cast<R *>(p.e)[s] = h.end;
  }
}

/* -------------------------------------------------------------------------------------------------------- hop -- */

template <class T> __device__ static T band_element(const chased_band &p, int64_t i, int64_t j) {
  return i < p.n && i - j <= band_width ? lower_element<T>(p, i, j) : T{};
}

/* D and E of the first sweep, and what each sweep finds in shared memory. */
template <class T>
__device__ static void load_hop(const chased_band &p, int64_t hop, hop_tiles<T> &s, hop_shared<T> &shared) {
  const int64_t r0 = 1 + hop * band_width;
  const int slot = row_of_thread(), first = part_of_thread() * hop_columns<T>, lead = slot_of(1);
  const int64_t i = r0 + slot_of(slot + band_width - lead);
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++) {
    const int64_t j = r0 + slot_of(first + c + band_width - lead);
    s.D[c] = i >= j ? band_element<T>(p, i, j) : conjugate(band_element<T>(p, j, i));
    s.E[c] = j < p.n ? band_element<T>(p, i + band_width, j) : T{};
    if (first + c == lead) shared.first[0][0][slot] = s.D[c], shared.first[0][1][slot] = s.E[c];
  }
  if (part_of_thread() == 0) shared.row[0][slot] = T{};
}

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

/* The reflector of the sweep, and the column that comes back, if the thread owns it. The products with the columns that
 * are there do not wait for this column. Both are looked for at once. u = D·v and y = E·v are those of this part. */
template <class T>
__device__ static T receive(const hop_turn &t, bool fresh, const hop_box<T> *box, const hop_tiles<T> &s, T &sent, T &u,
                            T &y, hop_column<T> &column) {
  const int slot = row_of_thread(), first = part_of_thread() * hop_columns<T>;
  const unsigned before = static_cast<unsigned>(t.sweep);
  const auto reflector_at = [&](int) { return box->reflector + slot; };
  const auto column_at = [&](int e) { return box->column + (e == 0 ? slot : int(band_width)); };
  tg_seen<T, 1> seen{};
  tg_seen<T, 2> seen_column{};
  T x[1];
  tg_get(x, seen, t.tag(), true, reflector_at, [&] { tg_look(seen_column, before, fresh, column_at); });
  tg_look(seen_column, before, fresh, column_at); /* is on its way during the products */
  sent = x[0];
  const T v = slot == t.lead ? one<T>() : sent;
  T odd_u = {}, odd_y = {};
  u = y = T{};
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c += 2) {
    const T even = of_lane(v, first + c), odd = of_lane(v, first + c + 1);
    u = multiply_add(s.D[c], even, u), odd_u = multiply_add(s.D[c + 1], odd, odd_u);
    y = multiply_add(s.E[c], even, y), odd_y = multiply_add(s.E[c + 1], odd, odd_y);
  }
  u = add(u, odd_u), y = add(y, odd_y);
  tg_get(column.x, seen_column, before, fresh, column_at, [] {});
  return v;
}

/* u and y become sums over all parts, and the last column of D is completed from its last row. */
template <class T>
__device__ static void add_parts(const hop_turn &t, T last_v, hop_shared<T> &shared, T &u, T &y, T &above) {
  const int slot = row_of_thread(), part = part_of_thread();
  shared.part[t.half][0][part][slot] = u, shared.part[t.half][1][part][slot] = y;
  __syncthreads();
  above = conjugate(shared.row[t.half][slot]);
  u = multiply(above, last_v), y = T{};
#pragma unroll
  for (int q = 0; q < hop_parts<T>; q++)
    u = add(u, shared.part[t.half][0][q][slot]), y = add(y, shared.part[t.half][1][q][slot]);
}

/* D = D - v·wᴴ - w·vᴴ, E = H'ᴴ·(E - y·vᴴ) */
template <class T> __device__ static void update_tiles(T v, T w, T y, const hop_reflector<T> &next, hop_tiles<T> &s) {
  const int first = part_of_thread() * hop_columns<T>;
  const T left = multiply(conjugate(next.tau), next.v);
  T sums[hop_columns<T>];
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++) {
    const T to_w = conjugate(of_lane(w, first + c)), to_v = conjugate(of_lane(v, first + c));
    s.D[c] = subtract_product(subtract_product(s.D[c], v, to_w), w, to_v);
    s.E[c] = subtract_product(s.E[c], y, to_v);
    sums[c] = multiply(conjugate(next.v), s.E[c]);
  }
  const T sum = fold_sums<band_width>(sums);
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++)
    s.E[c] = subtract_product(s.E[c], left, of_lane(sum, c * (band_width / hop_columns<T>)));
}

template <class T>
__device__ static void run_turn(const chased_band &p, int64_t hop, const hop_turn &t, hop_box<T> *boxes,
                                hop_tiles<T> &s, hop_shared<T> &shared) {
  using R = real_of<T>;
  const int slot = row_of_thread(), part = part_of_thread();
  const bool last = slot == t.old;
  hop_column<T> column;
  T sent, u, y, above;
  const T v = receive(t, t.owns && t.r0 - 1 + band_width < p.n, boxes + hop + 1, s, sent, u, y, column);
  const T tau = of_lane(sent, t.lead), last_v = of_lane(v, t.old);
  const T in_d = last ? only_real(column.x[0]) : T{}, in_e = last ? column.x[1] : column.x[0];
  if (t.owns) u = multiply_add(in_d, last_v, u), y = multiply_add(in_e, last_v, y);
  add_parts(t, last_v, shared, u, y, above);
  y = multiply(tau, y);
  R dot = real(multiply(conjugate(v), u)); /* vᴴ·D·v is real */
  const hop_reflector<T> next = make_hop_reflector(subtract(shared.first[t.half][1][slot], y), t.lead, dot);
  send_reflector(boxes + hop + 2, t.tag(), next.sent, t.next && part == SENDS_REFLECTOR);
  const T w = add(multiply(tau, u), scale(v, R(-0.5) * square(tau) * dot));
  const T finished = subtract(subtract_product(shared.first[t.half][0][slot], v, conjugate(of_lane(w, t.lead))), w);
  send_column(boxes + hop, t.tag(), finished, next.end, part == SENDS_COLUMN);
  if (p.keeps && t.next && part == hop_parts<T> - 1) keep_sent(p, t.sweep, hop + 1, t.lead, next.sent);
  place_column(t, last ? in_d : above, in_e, s);
  update_tiles(v, w, y, next, s);
  move_window(t, s, shared);
}

template <class T>
__device__ static void run_hop(const chased_band &p, int64_t hop, hop_box<T> *boxes, hop_shared<T> &shared) {
  hop_tiles<T> s;
  load_hop(p, hop, s, shared);
  for (int64_t sweep = 0; sweep < p.n - 1 - hop * band_width; sweep++) {
    const int64_t r0 = sweep + 1 + hop * band_width;
    const int old = slot_of(sweep);
    const hop_turn t = {sweep,
                        r0,
                        slot_of(sweep + 1),
                        old,
                        static_cast<int>(sweep % 2),
                        sweep > 0 && old / hop_columns<T> == part_of_thread(),
                        r0 + band_width < p.n};
    run_turn(p, hop, t, boxes, s, shared);
  }
}

template <class T>
__global__ void __launch_bounds__(hop_threads<T>, hop_residents<T>) chase_hops_kernel(chased_band p) {
  hop_box<T> *const boxes = static_cast<hop_box<T> *>(p.band);
  if (blockIdx.x == 0)
    run_head(p, boxes);
  else
    run_hop(p, static_cast<int64_t>(blockIdx.x) - 1, boxes, *tg_shared<hop_shared<T>>());
}

/* ----------------------------------------------------------------------------------------------------- launch -- */

/* The boxes take less memory than the band, whose place they have. They are empty when the launch begins, also if it is
 * replayed. */
template <class T> cudaError_t launch_chase_hops(queue q, const chased_band &p, bool *done) {
  const int64_t blocks = p.n < 2 ? 0 : (p.n - 2) / band_width + 2;
  const auto &kernel = registered<chase_hops_kernel<T>, sizeof(hop_shared<T>)>();
  chased_band task = p;
  int64_t most = 0;
  *done = false;
  if (blocks == 0 || !q.arch->limits->chase_together) return cudaSuccess;
  cudaError_t error = tg_most_together(kernel.function, hop_threads<T>, kernel.shared, &most);
  if (error != cudaSuccess || blocks > most) return error;
  *done = true;
  task.band = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(p.band) + alignof(hop_box<T>) - 1) /
                                       alignof(hop_box<T>) * alignof(hop_box<T>));
  error = cudaMemsetAsync(task.band, 0, static_cast<size_t>(blocks) * sizeof(hop_box<T>), q.stream);
  return error == cudaSuccess ? launch_kernel_together(q, kernel, blocks, hop_threads<T>, task) : error;
}

template cudaError_t launch_chase_hops<float>(queue, const chased_band &, bool *);
template cudaError_t launch_chase_hops<double>(queue, const chased_band &, bool *);
template cudaError_t launch_chase_hops<complex<float>>(queue, const chased_band &, bool *);
template cudaError_t launch_chase_hops<complex<double>>(queue, const chased_band &, bool *);
