/* test_deflation.cc - which columns of a merge deflate (src/gpu/kernels/eigen/deflate_columns.cu): the kernel, whose
 * threads look at all columns at once, makes the choices of one that goes through them in turn, in every bit. C cannot
 * include the headers. */
#include "gpu/kernels/eigen/merge_arrays.h"
#include "gpu/kernels/eigen/secular_functions.h"
#include "gpu/kernels/registry.h"
#include "support/check.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

static uint64_t state = 88172645463325252u;
static int64_t random_below(int64_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return static_cast<int64_t>(state >> 33) % n;
}
/* Between `least` and 1, with a uniform logarithm. */
static double any_size(double least) { return pow(least, static_cast<double>(random_below(1000)) / 1000); }

static int64_t runs, longest; /* of rotations */

/* ------------------------------------------------------------------------------------------------ the judge -- */

template <class R> struct choice {
  std::vector<int64_t> kept, deflated, left, right;
  std::vector<R> kept_d, kept_z, cosine, sine;
};

/* The columns in turn. */
template <class R> static choice<R> choose(int64_t n, const R *d, const R *z, R rho) {
  choice<R> c;
  std::vector<typename secular<R>::pole> poles;
  std::vector<int64_t> order;
  R largest = 0;
  for (int64_t i = 0; i < n; i++) order.push_back(i), poles.push_back({d[i], z[i]});
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return d[i] < d[j]; });
  for (int64_t i = 0; i < n; i++) largest = std::max({largest, magnitude(d[i]), magnitude(z[i])});
  const R tolerance = secular<R>::tolerance(largest);
  int64_t before = -1, run = 0;
  auto keep = [&](int64_t i) { c.kept.push_back(i), c.kept_d.push_back(poles[i].d), c.kept_z.push_back(poles[i].z); };
  for (const int64_t i : order) {
    R cosine = 0, sine = 0;
    if (secular<R>::has_no_weight(z[i], rho, tolerance)) {
      c.deflated.push_back(i);
      continue;
    }
    const bool rotates = before >= 0 && secular<R>::rotates_away(&poles[before], &poles[i], tolerance, &cosine, &sine);
    run = rotates ? run + 1 : 0, runs += run == 1, longest = std::max(longest, run);
    if (rotates) {
      c.deflated.push_back(before), c.left.push_back(before), c.right.push_back(i);
      c.cosine.push_back(cosine), c.sine.push_back(sine);
    } else if (before >= 0)
      keep(before);
    before = i;
  }
  if (before >= 0) keep(before);
  return c;
}

/* Compares it with what the kernel has left. */
template <class R> static void judge(const choice<R> &c, const merge_arrays<R> &a) {
  const size_t kept = c.kept.size(), rotations = c.left.size();
  const bool same = *a.kept == static_cast<int64_t>(kept) && *a.rotations == static_cast<int64_t>(rotations);
  check_that(same, "%d columns: kept %d, not %d; %d rotations, not %d", static_cast<int>(a.n),
             static_cast<int>(*a.kept), static_cast<int>(kept), static_cast<int>(*a.rotations),
             static_cast<int>(rotations));
  if (!same) return;
  check(std::equal(c.kept.begin(), c.kept.end(), a.at), "the same columns are kept");
  check(std::is_permutation(c.deflated.begin(), c.deflated.end(), a.at + kept), "the same columns are deflated");
  check(std::equal(c.left.begin(), c.left.end(), a.left) && std::equal(c.right.begin(), c.right.end(), a.right),
        "the rotations have the same columns");
  check(std::equal(c.cosine.begin(), c.cosine.end(), a.cosine) && std::equal(c.sine.begin(), c.sine.end(), a.sine),
        "the rotations have the same angles");
  check(std::equal(c.kept_d.begin(), c.kept_d.end(), a.kept_d), "the kept columns have the same values");
  double length = 0;
  for (const R z : c.kept_z) length += static_cast<double>(z) * static_cast<double>(z);
  double off = 0;
  for (size_t i = 0; i < kept; i++)
    off = std::max(off, fabs(static_cast<double>(c.kept_z[i]) / sqrt(length) - static_cast<double>(a.kept_z[i])));
  check_that(off < (sizeof(R) == 4 ? 1e-5 : 1e-14), "z is off by %g", off);
}

/* ---------------------------------------------------------------------------------------------- the problems -- */

/* Columns whose values are equal, or apart by some roundoffs, or far apart; weights of any size. */
template <class R> static void fill(std::vector<R> &d, std::vector<R> &z, int64_t n1, double epsilon, int kind) {
  const int64_t n = static_cast<int64_t>(d.size());
  double value = -0.9;
  for (int64_t i = 0; i < n; i++) {
    const double gap = kind == 0 ? 1 : kind == 1 ? 0 : kind == 2 ? 8 * epsilon : any_size(epsilon / 4);
    value += gap * static_cast<double>(random_below(3)) / static_cast<double>(n);
    d[i] = static_cast<R>(value);
    const double weight = kind == 3 ? 1 : any_size(kind == 4 ? epsilon / 8 : 1e-3);
    z[i] = static_cast<R>(random_below(2) ? weight : -weight);
  }
  for (int64_t i = n - 1; i > 0; i--) std::swap(d[i], d[random_below(i + 1)]);
  std::sort(d.begin(), d.begin() + n1), std::sort(d.begin() + n1, d.end());
}

static void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  printf("FAILED: %s\n", cudaGetErrorString(error));
  exit(1);
}
template <class T> static T *on_device(const std::vector<T> &host) {
  void *data = nullptr;
  must(cudaMalloc(&data, host.size() * sizeof(T)));
  must(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T *>(data);
}
template <class T> static void to_host(std::vector<T> &host, T *device) {
  must(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  must(cudaFree(device));
}

/* Two merges of one level. */
template <class R> static void solve(int64_t n, int kind, double epsilon) {
  enum { level = 1 };
  std::vector<R> d(n), e(n), Z(n * n), reals(8 * n);
  std::vector<int64_t> integers(6 * n);
  std::vector<choice<R>> expected;
  for (int64_t merge = 0; merge < 1 << level; merge++) {
    const int64_t first = block_begin(n, level, merge), rows = block_begin(n, level, merge + 1) - first;
    const int64_t n1 = block_begin(n, level + 1, 2 * merge + 1) - first;
    std::vector<R> values(rows), z(rows);
    fill(values, z, n1, epsilon, kind);
    const R coupling = static_cast<R>(random_below(2) ? 0.3 : -0.3);
    for (int64_t j = 0; j < rows; j++) {
      const bool top = j < n1;
      Z[first + (top ? n1 - 1 : n1) + (first + j) * n] = z[j];
      z[j] = (top || coupling > 0 ? R(1) : R(-1)) * static_cast<R>(0.70710678118654752440) * z[j];
      d[first + j] = values[j];
    }
    e[first + n1 - 1] = coupling;
    expected.push_back(choose(rows, values.data(), z.data(), 2 * magnitude(coupling)));
  }
  merged_level p = {};
  p.n = n, p.level = level, p.ldz = p.ld_distances = p.ld_small = n;
  R *device_d = on_device(d), *device_e = on_device(e), *device_Z = on_device(Z), *device_reals = on_device(reals);
  int64_t *device_integers = on_device(integers);
  p.d = device_d, p.e = device_e, p.Z = device_Z, p.reals = device_reals, p.integers = device_integers;
  const trigon_type type = sizeof(R) == sizeof(float) ? TRIGON_S : TRIGON_D;
  must(launch_deflate_columns(queue{}, type, &p));
  to_host(d, device_d), to_host(e, device_e), to_host(Z, device_Z), to_host(reals, device_reals);
  to_host(integers, device_integers);
  p.d = d.data(), p.e = e.data(), p.Z = Z.data(), p.reals = reals.data(), p.integers = integers.data();
  for (int64_t merge = 0; merge < 1 << level; merge++) judge(expected[merge], merge_arrays<R>(p, merge));
}

int main(void) {
  static const int64_t sizes[] = {12, 67, 130, TG_TILE(401, 1101)}; /* a thread has a few columns */
  static const char *const orders[] = {"seed=1", "seed=2", "seed=3", "seed=4&resident=1"};
  for (int i = 0; i < 4; i++) {
    char why[200] = "";
    check(tg_configure(0, orders[i], why, sizeof why) == 0, why);
    must(load_kernels(0));
    for (int kind = 0; kind < 6; kind++)
      for (int round = 0; round < 8; round++)
        solve<float>(sizes[i], kind, 0x1p-23), solve<double>(sizes[i], kind, 0x1p-52);
  }
  printf("%d runs of rotations, the longest of %d\n", static_cast<int>(runs), static_cast<int>(longest));
  return checked();
}
