/* kriging.c - draws a mountain from a fifth of its points, and says how far to trust the drawing.
 *
 *   kriging [DATA [OUTPUT_PREFIX]]
 *
 * Ordinary kriging, also known as Gaussian process regression. A height is trend + f + error: f is random with variance
 * `variance` and the Matérn correlation (1 + r) exp(-r), r = √3 distance / length; the error of a reading has the
 * variance nugget · variance. With R the correlation of the n sampled heights z, errors included, and 1 a column of
 * ones,
 *
 *   trend       1ᵀR⁻¹z / 1ᵀR⁻¹1                                  generalized least squares
 *   variance    (z - trend)ᵀR⁻¹(z - trend) / n                   the likeliest for a given length and nugget
 *   prediction  trend + cᵀR⁻¹(z - trend)                         c: correlation of the new point with the sample
 *   deviation²  variance (1 + nugget - cᵀR⁻¹c + (1 - 1ᵀR⁻¹c)² / 1ᵀR⁻¹1)
 *   likelihood  -(n log(2π variance) + n + log det R) / 2        its logarithm; chooses length and nugget
 *
 * Source: C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 and 5. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trigon.h>

#define SPACING 10.0     /* metres between neighbours in the grid */
#define SAMPLE 1000      /* points to predict the others from; at most half of all */
#define SEED 1           /* another one draws another sample */
#define QUANTILE_95 1.96 /* of the normal distribution, two-sided */

static const double LENGTHS[] = {100, 150, 200, 300, 400, 600}; /* metres */
static const double NUGGETS[] = {3e-5, 1e-4, 3e-4, 1e-3};       /* parts of the variance */
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define FAIL(...) (fprintf(stderr, "kriging: " __VA_ARGS__), fputc('\n', stderr), exit(EXIT_FAILURE))

struct point {
  double north, west, height, predicted, deviation; /* metres */
  bool sampled;
};
struct kriging {
  trigon_context *ctx;
  int64_t cols, count, n;                            /* columns and points of the map, points of the sample */
  struct point *map, *sample;                        /* the map row after row; copies of its sampled points */
  double *R;                                         /* n × n, lower triangle: R, then its factor, then R⁻¹ */
  double *weights;                                   /* n × 2: R⁻¹(z - trend) and R⁻¹1 */
  double length, nugget, trend, variance, precision; /* precision: 1ᵀR⁻¹1 */
};

static void *checked(void *memory) {
  if (!memory) FAIL("out of memory");
  return memory;
}

static double *matrix(int64_t rows, int64_t cols) { return checked(calloc((size_t)(rows * cols), sizeof(double))); }

/* Waits for a call that returned `status`, and ends the program if it could not run or its mathematics failed. */
static void finish(trigon_context *ctx, const char *call, trigon_status status) {
  int64_t info = 0;
  if (status == TRIGON_OK) status = trigon_finish(ctx, &info);
  if (status != TRIGON_OK) FAIL("%s: %s: %s", call, trigon_status_string(status), trigon_message(ctx));
  if (info) FAIL("%s: the matrix is not positive definite at pivot %" PRId64, call, info);
}

/* Reads rows of heights; lines that are empty or start with # do not count. */
static void read_map(struct kriging *k, const char *name) {
  char line[1 << 14];
  FILE *file = fopen(name, "r");
  if (!file) FAIL("%s: %s", name, strerror(errno));
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    int64_t col = 0, row = k->cols ? k->count / k->cols : 0;
    if (strlen(line) == sizeof line - 1) FAIL("%s:%d: longer than %zu bytes", name, number, sizeof line - 2);
    for (char *text = line, *end; *line != '#' && text[strspn(text, " \t\r\n")]; text = end, col++) {
      double height = strtod(text, &end);
      if (end == text || !isfinite(height)) FAIL("%s:%d: height %" PRId64 " is not a number", name, number, col + 1);
      k->map = checked(realloc(k->map, (size_t)(k->count + 1) * sizeof *k->map));
      k->map[k->count++] =
          (struct point){.north = SPACING * (double)row, .west = SPACING * (double)col, .height = height};
    }
    if (col && k->cols && col != k->cols)
      FAIL("%s:%d: %" PRId64 " heights; the rows before have %" PRId64, name, number, col, k->cols);
    if (col) k->cols = col;
  }
  if (ferror(file) || fclose(file)) FAIL("%s: cannot be read", name);
  if (k->count < 4) FAIL("%s: only %" PRId64 " heights", name, k->count);
}

/* Copies n points of the map and marks them there, each subset being equally likely. The generator is splitmix64: it
 * draws the same sample on every machine. */
static void draw_sample(struct kriging *k) {
  uint64_t state = SEED;
  k->n = k->count / 2 < SAMPLE ? k->count / 2 : SAMPLE;
  k->sample = checked(calloc((size_t)k->n, sizeof *k->sample));
  for (int64_t i = 0, taken = 0; i < k->count; i++) {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    double uniform = (double)((x ^ x >> 31) >> 11) / 0x1p53; /* in [0, 1) */
    k->map[i].sampled = uniform * (double)(k->count - i) < (double)(k->n - taken);
    if (k->map[i].sampled) k->sample[taken++] = k->map[i];
  }
}

static double correlation(const struct kriging *k, const struct point *a, const struct point *b) {
  double r = sqrt(3) * hypot(a->north - b->north, a->west - b->west) / k->length;
  return (1 + r) * exp(-r);
}

static void correlate(const struct kriging *k, double *R) {
  for (int64_t j = 0; j < k->n; j++) {
    for (int64_t i = 0; i < k->n; i++) R[i + j * k->n] = correlation(k, &k->sample[i], &k->sample[j]);
    R[j + j * k->n] += k->nugget;
  }
}

/* Factors R and finds the weights, the trend and the variance for a length and a nugget; returns the log-likelihood. */
static double fit(struct kriging *k, double length, double nugget) {
  int64_t n = k->n;
  double *weights = k->weights, *ones = weights + n, sum = 0, square = 0, log_det = 0;
  k->length = length;
  k->nugget = nugget;
  correlate(k, k->R);
  finish(k->ctx, "dpotrf", trigon_dpotrf(k->ctx, TRIGON_LOWER, n, k->R, n, NULL));
  for (int64_t i = 0; i < n; i++) weights[i] = k->sample[i].height, ones[i] = 1;
  finish(k->ctx, "dpotrs", trigon_dpotrs(k->ctx, TRIGON_LOWER, n, 2, k->R, n, weights, n));

  k->precision = 0;
  for (int64_t i = 0; i < n; i++) sum += weights[i], k->precision += ones[i];
  k->trend = sum / k->precision;
  for (int64_t i = 0; i < n; i++) {
    weights[i] -= k->trend * ones[i];
    square += (k->sample[i].height - k->trend) * weights[i];
    log_det += 2 * log(k->R[i + i * n]);
  }
  k->variance = square / (double)n;
  return -((double)n * (log(8 * atan(1) * k->variance) + 1) + log_det) / 2;
}

/* Prints the log-likelihood of every length with every nugget, and fits the likeliest. */
static void search(struct kriging *k) {
  double best = -INFINITY, length = 0, nugget = 0;
  printf("log-likelihood, by length (down, in metres) and nugget (across, in parts of the variance):\n%8s", "");
  for (size_t j = 0; j < COUNT(NUGGETS); j++) printf("%10g", NUGGETS[j]);
  for (size_t i = 0; i < COUNT(LENGTHS); i++) {
    printf("\n%8g", LENGTHS[i]);
    for (size_t j = 0; j < COUNT(NUGGETS); j++) {
      double likelihood = fit(k, LENGTHS[i], NUGGETS[j]);
      printf("%10.1f", likelihood);
      if (likelihood > best) best = likelihood, length = LENGTHS[i], nugget = NUGGETS[j];
    }
  }
  putchar('\n');
  if (!isfinite(best)) FAIL("no model fits: are all sampled heights the same?");
  fit(k, length, nugget);
  printf("likeliest: length %g m, nugget %g; trend %.1f m, deviation of f %.1f m, of a reading %.2f m\n", length,
         nugget, k->trend, sqrt(k->variance), sqrt(nugget * k->variance));
}

/* Turns the factor into R⁻¹ and prints the Frobenius norm of I - R·R⁻¹. */
static void invert(struct kriging *k) {
  int64_t n = k->n;
  double *R = matrix(n, n), *rest = matrix(n, n), square = 0;
  finish(k->ctx, "dpotri", trigon_dpotri(k->ctx, TRIGON_LOWER, n, k->R, n, NULL));
  correlate(k, R);
  for (int64_t i = 0; i < n; i++) rest[i + i * n] = 1;
  finish(k->ctx, "dsymm", trigon_dsymm(k->ctx, TRIGON_RIGHT, TRIGON_LOWER, n, n, -1, k->R, n, R, n, 1, rest, n));
  for (int64_t i = 0; i < n * n; i++) square += rest[i] * rest[i];
  printf("inverse: |I - R R^-1| = %.1e\n", sqrt(square));
  free(R);
  free(rest);
}

/* Predicts every point of the map, one row at a time, from R⁻¹ and the weights. */
static void predict(struct kriging *k) {
  int64_t n = k->n, cols = k->cols;
  double *C = matrix(n, cols), *RinvC = matrix(n, cols);
  for (struct point *row = k->map; row < k->map + k->count; row += cols) {
    for (int64_t c = 0; c < n * cols; c++) C[c] = correlation(k, &k->sample[c % n], &row[c / n]);
    finish(k->ctx, "dsymm", trigon_dsymm(k->ctx, TRIGON_LEFT, TRIGON_LOWER, n, cols, 1, k->R, n, C, n, 0, RinvC, n));
    for (int64_t j = 0; j < cols; j++) {
      double mean = k->trend, known = 0, rest = 1;
      for (int64_t i = 0, c = j * n; i < n; i++, c++) {
        mean += C[c] * k->weights[i];
        known += C[c] * RinvC[c];
        rest -= RinvC[c];
      }
      row[j].predicted = mean;
      row[j].deviation = sqrt(k->variance * (1 + k->nugget - known + rest * rest / k->precision));
    }
  }
  free(C);
  free(RinvC);
}

/* Prints how the predictions compare with the heights that were left out. */
static void judge(const struct kriging *k) {
  double square = 0, least = INFINITY, most = 0, count = 0, inside = 0;
  for (const struct point *p = k->map; p < k->map + k->count; p++) {
    double error = fabs(p->height - p->predicted);
    least = fmin(least, p->deviation);
    most = fmax(most, p->deviation);
    if (p->sampled) continue;
    count++;
    square += error * error;
    inside += error <= QUANTILE_95 * p->deviation;
  }
  printf("%.0f points left out: error %.2f m (root mean square), %.1f %% of them within the 95 %% interval\n", count,
         sqrt(square / count), 100 * inside / count);
  printf("variance: %.2f to %.2f m^2 (deviation: %.2f to %.2f m)\n", least * least, most * most, least, most);
}

/* Writes the map for gnuplot: a blank line follows each row. */
static void write_map(const struct kriging *k, const char *prefix) {
  char name[4096];
  if (snprintf(name, sizeof name, "%s.dat", prefix) >= (int)sizeof name) FAIL("the output's name is too long");
  FILE *file = fopen(name, "w");
  if (!file) FAIL("%s: %s", name, strerror(errno));
  fputs("# north west height predicted deviation (all in metres) sampled\n", file);
  for (const struct point *p = k->map; p < k->map + k->count; p++)
    fprintf(file, "%g %g %g %.3f %.3f %d\n%s", p->north, p->west, p->height, p->predicted, p->deviation, p->sampled,
            (p - k->map + 1) % k->cols ? "" : "\n");
  bool lost = ferror(file);
  if (fclose(file) || lost) FAIL("%s: cannot be written", name);
  printf("wrote %s; `gnuplot -c examples/kriging/kriging.gp %s` draws %s.svg\n", name, prefix, prefix);
}

int main(int argc, char **argv) {
  if (argc > 3) FAIL("usage: kriging [DATA [OUTPUT_PREFIX]]");
  struct kriging k = {0};
  char why[256];
  if (trigon_create("cpu", &k.ctx, why, sizeof why) != TRIGON_OK) FAIL("%s", why);
  read_map(&k, argc > 1 ? argv[1] : "examples/kriging/volcano.txt");
  draw_sample(&k);
  k.R = matrix(k.n, k.n);
  k.weights = matrix(k.n, 2);
  printf("%" PRId64 " heights, of which %" PRId64 " are known; %s\n", k.count, k.n, trigon_describe(k.ctx));

  search(&k);
  invert(&k);
  predict(&k);
  judge(&k);
  write_map(&k, argc > 2 ? argv[2] : "kriging");

  free(k.weights);
  free(k.R);
  free(k.sample);
  free(k.map);
  trigon_destroy(k.ctx);
  return EXIT_SUCCESS;
}
