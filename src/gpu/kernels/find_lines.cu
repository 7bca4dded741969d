/* find_lines.cu - statistics of the lines of an emulated product: the largest element, and sums at its scale.
 *
 * Neighbouring threads have neighbouring terms of a line if these are neighbours in memory, otherwise neighbouring
 * lines. The second reading of a line is as far behind the first as the line is long, so both come from memory: 16
 * bytes an element. */
#include "launch.h"
#include "line_reader.h"
#include "residue_divisor.h"

/* A block has LINES lines, each for PARTS threads. */
namespace line_parts {
enum { LINES = TG_TILE(2, 16), PARTS = TG_TILE(4, 32), THREADS = LINES * PARTS };
struct part {
  double largest;
  bool finite;
};
struct workspace {
  part parts[THREADS];
  line_sample samples[THREADS];
  line_sums sums[THREADS];
  double largest[LINES];
  bool finite[LINES];
  int cut[LINES];
};
} // namespace line_parts

/* Thread (line, part) has the terms part, part + PARTS, ... */
struct line_place {
  int line, part;
  __device__ explicit line_place(bool along) {
    const int thread = static_cast<int>(threadIdx.x);
    line = along ? thread / line_parts::PARTS : thread % line_parts::LINES;
    part = along ? thread % line_parts::PARTS : thread / line_parts::LINES;
  }
  __device__ int thread_of(bool along, int other) const {
    return along ? line * line_parts::PARTS + other : other * line_parts::LINES + line;
  }
};

/* The largest finite magnitude, and whether all elements are finite. */
template <class Reader> __device__ static line_parts::part find_part(Reader read, int64_t k, const line_place &at) {
  line_parts::part mine = {0, true};
#pragma unroll 8
  for (int64_t l = at.part; l < k; l += line_parts::PARTS) {
    const double a = fabs(read(l));
    const bool finite = is_finite_number(a);
    mine.finite = mine.finite && finite;
    if (finite && a > mine.largest) mine.largest = a;
  }
  return mine;
}

template <class Reader>
__device__ static line_sample find_sample(Reader read, const emulation &e, const line_place &at, power_pair fine) {
  line_sample sample = {0, 0};
  const int64_t step = sample_step(&e);
  for (int64_t l = at.part * step; l < e.k; l += line_parts::PARTS * step) add_sample(&sample, read(l), fine);
  return sample;
}

template <class Reader>
__device__ static line_sums find_sums(Reader read, int64_t k, const line_place &at, const line_scale &scale,
                                      power_pair fine) {
  line_sums sums = no_line_sums();
#pragma unroll 8
  for (int64_t l = at.part; l < k; l += line_parts::PARTS) add_element(&sums, read(l), fine, &scale);
  return sums;
}

__device__ static void tell_largest(const line_set &x, const line_stats &a) {
  tg_atomic_max(reinterpret_cast<unsigned *>(x.largest), bits_of_float(a.norm));
  if (a.excess > 0) tg_atomic_max(reinterpret_cast<unsigned *>(x.largest + 1), bits_of_float(a.excess));
}

/* `read` reads the terms of line i, which is the line of the thread. */
template <class Reader>
__device__ static void find_block(Reader read, const emulation &e, const line_set &x, int64_t i, const line_place &at,
                                  line_parts::workspace &w) {
  const bool along = x.term_step == 1, exists = i < x.count;
  line_parts::part all = exists ? find_part(read, e.k, at) : line_parts::part{0, true};
  w.parts[threadIdx.x] = all;
  __syncthreads();
  if (at.part == 0) {
    for (int other = 1; other < line_parts::PARTS; other++) {
      const line_parts::part p = w.parts[at.thread_of(along, other)];
      all.largest = p.largest > all.largest ? p.largest : all.largest, all.finite = all.finite && p.finite;
    }
    w.largest[at.line] = all.largest, w.finite[at.line] = all.finite;
  }
  __syncthreads();
  line_scale scale = scale_of_line(&e, w.largest[at.line]);
  const power_pair fine = fine_power(&scale);
  if (e.grade == FP64_GUARANTEED) {
    w.samples[threadIdx.x] = exists ? find_sample(read, e, at, fine) : line_sample{0, 0};
    __syncthreads();
    if (at.part == 0) {
      line_sample sample = w.samples[threadIdx.x];
      for (int other = 1; other < line_parts::PARTS; other++) {
        const line_sample &more = w.samples[at.thread_of(along, other)];
        sample.logs += more.logs, sample.count += more.count;
      }
      w.cut[at.line] = cut_for(&sample, scale.bits);
    }
    __syncthreads();
    scale.cut = w.cut[at.line];
  }
  line_sums sums = exists ? find_sums(read, e.k, at, scale, fine) : no_line_sums();
  w.sums[threadIdx.x] = sums;
  __syncthreads();
  if (at.part == 0 && exists) {
    for (int other = 1; other < line_parts::PARTS; other++) add_sums(&sums, &w.sums[at.thread_of(along, other)]);
    x.stats[i] = stats_of(&sums, &scale, w.finite[at.line], e.k);
    tell_largest(x, x.stats[i]);
  }
  __syncthreads();
}

/* Blocks of lines of an operand. */
__host__ __device__ static int64_t line_blocks(const line_set &x) {
  return (x.count + line_parts::LINES - 1) / line_parts::LINES;
}

__global__ static void __launch_bounds__(line_parts::THREADS) find_lines_kernel(emulation e) {
  line_parts::workspace &w = *tg_shared<line_parts::workspace>();
  const int64_t rows = line_blocks(e.A), all = rows + line_blocks(e.B);
  for (int64_t at = blockIdx.x; at < all; at += gridDim.x) {
    const line_set &x = at < rows ? e.A : e.B;
    const line_place place(x.term_step == 1);
    const int64_t i = (at < rows ? at : at - rows) * line_parts::LINES + place.line;
    with_reader(x, i, [&](auto read) { find_block(read, e, x, i, place, w); });
  }
}

cudaError_t launch_find_lines(queue q, const emulation *e) {
  if (q.load) return tg_load(find_lines_kernel);
  return tg_launch(q.stream, find_lines_kernel, blocks_for(line_blocks(e->A) + line_blocks(e->B), line_parts::THREADS),
                   line_parts::THREADS, sizeof(line_parts::workspace), *e);
}
