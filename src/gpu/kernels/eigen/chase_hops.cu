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
#include "hop_reflector.h"
#include "hop_tiles.h"

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
  const T left = multiply(conjugate(next.tau), next.v);
  update_tiles(
      v, w, y, next.v, left, [&](int i) { return of_lane(w, i); }, [&](int i) { return of_lane(v, i); }, s);
  move_window(t, s, shared);
}

/* ------------------------------------------------------------------------------------------------------ roles -- */

/* Warp `role` has the role, or the only warp has all. Its groups compute the same, and the first one writes. */
__device__ static bool has_role(int role, int threads) {
  const int warps = (threads + tg_warp() - 1) / tg_warp();
  return static_cast<int>(threadIdx.x) / tg_warp() == role % warps;
}
__device__ static bool writes_of_warp() { return static_cast<int>(threadIdx.x) % tg_warp() < band_width; }

/* The first warp looks for the reflector, which all read then, and the warp that owns the last column looks for this
 * one. u = D·v and y = E·v are those of this part. */
template <class T>
__device__ static void receive_by_roles(const hop_turn &t, bool fresh, const hop_box<T> *box, const hop_tiles<T> &s,
                                        hop_shared<T> &shared, T &u, T &y, hop_column<T> &column) {
  const int slot = row_of_thread(), first = part_of_thread() * hop_columns<T>;
  const unsigned before = static_cast<unsigned>(t.sweep);
  const auto column_at = [&](int e) { return box->column + (e == 0 ? slot : int(band_width)); };
  tg_seen<T, 2> seen_column{};
  tg_look(seen_column, before, fresh, column_at); /* is on its way until the products are made */
  if (has_role(0, hop_threads<T>)) {
    tg_seen<T, 1> seen{};
    T sent[1];
    tg_get(
        sent, seen, t.tag(), true, [&](int) { return box->reflector + slot; }, [] {});
    if (writes_of_warp()) {
      shared.v[t.half][slot] = slot == t.lead ? one<T>() : sent[0];
      if (slot == t.lead) shared.tau[t.half] = sent[0];
    }
  }
  __syncthreads();
  u = y = T{};
#pragma unroll
  for (int c = 0; c < hop_columns<T>; c++) {
    const T v = shared.v[t.half][first + c];
    u = multiply_add(s.D[c], v, u), y = multiply_add(s.E[c], v, y);
  }
  tg_get(column.x, seen_column, before, fresh, column_at, [] {});
}

/* The sum over all parts. */
template <class T> __device__ static T sum_of_parts(const T (&part)[hop_parts<T>][band_width], T sum) {
#pragma unroll
  for (int q = 0; q < hop_parts<T>; q++) sum = add(sum, part[q][row_of_thread()]);
  return sum;
}

/* The next reflector, from y: the next hop waits for it. Leaves y, v' and conj(tau')·v'. */
template <class T>
__device__ static void send_next(const chased_band &p, int64_t hop, const hop_turn &t, hop_box<T> *boxes,
                                 hop_shared<T> &shared) {
  const int slot = row_of_thread();
  const bool writes = writes_of_warp();
  const T y = multiply(shared.tau[t.half], sum_of_parts(shared.part[t.half][1], T{}));
  real_of<T> none = 0;
  const hop_reflector<T> next = make_hop_reflector<false>(subtract(shared.first[t.half][1][slot], y), t.lead, none);
  send_reflector(boxes + hop + 2, t.tag(), next.sent, t.next && writes);
  tg_put(boxes[hop].column + band_width, make(T{}, next.end, real_of<T>(0)), t.tag(), writes && slot == 0);
  if (!writes) return;
  shared.y[slot] = y, shared.next_v[slot] = next.v;
  shared.left[slot] = multiply(conjugate(next.tau), next.v);
  if (p.keeps && t.next) keep_sent(p, t.sweep, hop + 1, t.lead, next.sent);
}

/* The first column, from u: the hop before waits for it. Leaves w. */
template <class T>
__device__ static void send_first_column(int64_t hop, const hop_turn &t, hop_box<T> *boxes, hop_shared<T> &shared) {
  using R = real_of<T>;
  const int slot = row_of_thread();
  const T v = shared.v[t.half][slot], tau = shared.tau[t.half];
  const T above = multiply(conjugate(shared.row[t.half][slot]), shared.v[t.half][t.old]);
  const T u = sum_of_parts(shared.part[t.half][0], above);
  const R dot = group_sum(real(multiply(conjugate(v), u))); /* vᴴ·D·v is real */
  const T w = add(multiply(tau, u), scale(v, R(-0.5) * square(tau) * dot));
  const T finished = subtract(subtract_product(shared.first[t.half][0][slot], v, conjugate(of_lane(w, t.lead))), w);
  tg_put(boxes[hop].column + slot, finished, t.tag(), writes_of_warp());
  if (writes_of_warp()) shared.w[slot] = w;
}

template <class T>
__device__ static void run_turn_by_roles(const chased_band &p, int64_t hop, const hop_turn &t, hop_box<T> *boxes,
                                         hop_tiles<T> &s, hop_shared<T> &shared) {
  const int slot = row_of_thread(), part = part_of_thread();
  const bool last = slot == t.old;
  hop_column<T> column;
  T u, y;
  receive_by_roles(t, t.owns && t.r0 - 1 + band_width < p.n, boxes + hop + 1, s, shared, u, y, column);
  const T last_v = shared.v[t.half][t.old];
  const T in_d = last ? only_real(column.x[0]) : T{}, in_e = last ? column.x[1] : column.x[0];
  if (t.owns) u = multiply_add(in_d, last_v, u), y = multiply_add(in_e, last_v, y);
  shared.part[t.half][0][part][slot] = u, shared.part[t.half][1][part][slot] = y;
  __syncthreads();
  if (has_role(0, hop_threads<T>)) send_next(p, hop, t, boxes, shared);
  if (has_role(1, hop_threads<T>)) send_first_column(hop, t, boxes, shared);
  __syncthreads();
  place_column(t, last ? in_d : conjugate(shared.row[t.half][slot]), in_e, s);
  update_tiles(
      shared.v[t.half][slot], shared.w[slot], shared.y[slot], shared.next_v[slot], shared.left[slot],
      [&](int i) { return shared.w[i]; }, [&](int i) { return shared.v[t.half][i]; }, s);
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
    if constexpr (hop_has_roles<T>)
      run_turn_by_roles(p, hop, t, boxes, s, shared);
    else
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
