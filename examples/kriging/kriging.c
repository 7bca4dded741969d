/* kriging [DATA [OUTPUT_PREFIX]] - predicts a mountain from a fifth of its heights, and the error of each prediction.
 *
 * The method is ordinary kriging, also called Gaussian process regression (Rasmussen and Williams, Gaussian Processes
 * for Machine Learning, 2006, chapters 2 and 5). A height is trend + f + error. f is random, with variance `variance`
 * and Matérn correlation (1 + r) exp(-r), where r = √3 distance / length. The error has variance NUGGET · variance.
 * z are the N known heights. R is the correlation matrix of z, errors included. c is the correlation of a new point
 * with z. 1 is a column of ones.
 *
 *   trend       1ᵀR⁻¹z / 1ᵀR⁻¹1
 *   variance    (z - trend)ᵀR⁻¹(z - trend) / N = (zᵀR⁻¹z - trend 1ᵀR⁻¹z) / N
 *   likelihood  its logarithm is -(N log(2π variance) + N + log det R) / 2; the length with the largest one is chosen
 *   prediction  trend + cᵀR⁻¹(z - trend) = cᵀR⁻¹z + trend (1 - 1ᵀR⁻¹c)
 *   deviation²  variance (1 + NUGGET - cᵀR⁻¹c + (1 - 1ᵀR⁻¹c)² / 1ᵀR⁻¹1) */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trigon.h>

enum { ROWS = 87, COLS = 61, POINTS = ROWS * COLS, N = 1000 };  /* the map; N points of the map are known */
#define SPACING 10.0                                            /* metres between neighbours in the map */
#define NUGGET 3e-4                                             /* (variance of a reading's error) / (variance of f) */
static const double LENGTHS[] = {100, 150, 200, 300, 400, 600}; /* metres; the likeliest one is chosen */

static trigon_context *ctx;
static double height[POINTS], predicted[POINTS], deviation[POINTS]; /* metres; row after row */
static bool is_known[POINTS];
static int known[N];                               /* indices of the known points in the arrays above */
static double R[N * N];                            /* lower triangle: R, then R's factor, then R⁻¹ */
static double weights[2 * N], *ones = weights + N; /* R⁻¹z and R⁻¹1 */
static double trend, variance, precision;          /* precision: 1ᵀR⁻¹1 */
static double C[N * POINTS], RinvC[N * POINTS];    /* c and R⁻¹c of every point: 42 MB each */

/* Waits for a call that returned `status`, and ends the program if it could not run or its mathematics failed. */
static void finish(const char *call, trigon_status status) {
  int64_t info = 0;
  if (status == TRIGON_OK) status = trigon_finish(ctx, &info);
  if (status != TRIGON_OK) errx(1, "%s: %s: %s", call, trigon_status_string(status), trigon_message(ctx));
  if (info) errx(1, "%s: the matrix is not positive definite at pivot %" PRId64, call, info);
}

/* Reads the heights, one row of the map from each line. Empty lines and lines that start with # are skipped. */
static void read_map(const char *name) {
  char line[4096], *end;
  int count = 0;
  FILE *file = fopen(name, "r");
  if (!file) err(1, "%s", name);
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    if (*line == '#') continue;
    for (char *word = strtok(line, " \t\r\n"); word; word = strtok(NULL, " \t\r\n")) {
      if (count == POINTS) errx(1, "%s:%d: more than %d heights", name, number, POINTS);
      height[count] = strtod(word, &end);
      if (*end || !isfinite(height[count])) errx(1, "%s:%d: '%s' is not a height", name, number, word);
      count++;
    }
    if (count % COLS) errx(1, "%s:%d: not a row of %d heights", name, number, COLS);
  }
  if (ferror(file) || fclose(file)) err(1, "%s", name);
  if (count < POINTS) errx(1, "%s: only %d heights of %d", name, count, POINTS);
}

/* Chooses the known points. All subsets are equally likely. The generator is splitmix64, so that every machine chooses
 * the same points. */
static void draw_sample(void) {
  uint64_t state = 1; /* another seed chooses other points */
  for (int i = 0, taken = 0; i < POINTS; i++) {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    double uniform = (double)((x ^ x >> 31) >> 11) / 0x1p53; /* in [0, 1) */
    is_known[i] = uniform * (POINTS - i) < N - taken;
    if (is_known[i]) known[taken++] = i;
  }
}

static double correlation(int a, int b, double length) {
  double r = sqrt(3) * SPACING * hypot(a / COLS - b / COLS, a % COLS - b % COLS) / length;
  return (1 + r) * exp(-r);
}

/* Factors R, and computes the weights, the trend and the variance for a length. Returns the log-likelihood. */
static double fit(double length) {
  double sum = 0, square = 0, log_det = 0;
  for (int j = 0; j < N; j++) {
    for (int i = j; i < N; i++) R[i + j * N] = correlation(known[i], known[j], length);
    R[j + j * N] += NUGGET;
    weights[j] = height[known[j]];
    ones[j] = 1;
  }
  finish("dpotrf", trigon_dpotrf(ctx, TRIGON_LOWER, N, R, N, NULL));
  finish("dpotrs", trigon_dpotrs(ctx, TRIGON_LOWER, N, 2, R, N, weights, N));
  precision = 0;
  for (int i = 0; i < N; i++) {
    sum += weights[i];
    precision += ones[i];
    square += height[known[i]] * weights[i];
    log_det += 2 * log(R[i + i * N]);
  }
  trend = sum / precision;
  variance = (square - trend * sum) / N;
  return -(N * (log(8 * atan(1) * variance) + 1) + log_det) / 2;
}

/* Predicts every point of the map by the model that was fitted last. */
static void predict(double length) {
  for (int c = 0; c < N * POINTS; c++) C[c] = correlation(known[c % N], c / N, length);
  finish("dpotri", trigon_dpotri(ctx, TRIGON_LOWER, N, R, N, NULL));
  finish("dsymm", trigon_dsymm(ctx, TRIGON_LEFT, TRIGON_LOWER, N, POINTS, 1, R, N, C, N, 0, RinvC, N));
  for (int j = 0; j < POINTS; j++) {
    double mean = 0, explained = 0, rest = 1;
    for (int c = j * N; c < (j + 1) * N; c++) {
      mean += C[c] * weights[c % N];
      explained += C[c] * RinvC[c];
      rest -= RinvC[c];
    }
    predicted[j] = mean + trend * rest;
    deviation[j] = sqrt(variance * (1 + NUGGET - explained + rest * rest / precision));
  }
}

/* Writes the map for gnuplot, with a blank line after each row. Prints how far the predictions are from the truth. */
static void report(const char *name) {
  double square = 0, inside = 0;
  FILE *file = fopen(name, "w");
  if (!file) err(1, "%s", name);
  fputs("# north west height predicted deviation (all in metres) known\n", file);
  for (int i = 0; i < POINTS; i++) {
    double error = is_known[i] ? 0 : height[i] - predicted[i];
    square += error * error;
    inside += !is_known[i] && fabs(error) <= 1.96 * deviation[i];
    fprintf(file, "%g %g %g %.3f %.3f %d\n%s", SPACING * (i / COLS), SPACING * (i % COLS), height[i], predicted[i],
            deviation[i], is_known[i], i % COLS == COLS - 1 ? "\n" : "");
  }
  if (ferror(file) || fclose(file)) err(1, "%s", name);
  printf("%d points left out: error %.2f m (root mean square), %.1f %% of them within the 95 %% interval\n", POINTS - N,
         sqrt(square / (POINTS - N)), 100 * inside / (POINTS - N));
}

int main(int argc, char **argv) {
  char text[4096];
  const char *prefix = argc > 2 ? argv[2] : "kriging";
  double best = -INFINITY, length = 0;
  if (argc > 3) errx(1, "usage: kriging [DATA [OUTPUT_PREFIX]]");
  read_map(argc > 1 ? argv[1] : "examples/kriging/volcano.txt");
  draw_sample();
  if (trigon_create("cpu", &ctx, text, sizeof text) != TRIGON_OK) errx(1, "%s", text);
  printf("%d heights, of which %d are known; %s\n", POINTS, N, trigon_describe(ctx));

  for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
    double likelihood = fit(LENGTHS[i]);
    printf("length %g m: log-likelihood %.1f\n", LENGTHS[i], likelihood);
    if (likelihood > best) length = LENGTHS[i];
    best = fmax(best, likelihood);
  }
  if (!isfinite(best)) errx(1, "no model fits: are all known heights the same?");
  fit(length);
  printf("likeliest: length %g m; trend %.1f m, deviation of f %.1f m\n", length, trend, sqrt(variance));
  predict(length);
  trigon_destroy(ctx);
  if (snprintf(text, sizeof text, "%s.dat", prefix) >= (int)sizeof text) errx(1, "the output's name is too long");
  report(text);
  printf("wrote %s; `gnuplot -c examples/kriging/kriging.gp %s` draws %s.svg\n", text, prefix, prefix);
  return 0;
}
