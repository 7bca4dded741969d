/* test_vectors.c - products and updates with vectors (src/gpu/kernels/vectors), on any GPU: every element against long
 * doubles, all memory that is not to be read holds NaNs, and memory that is not to be written stays. */
#include "launch_runs.h"

/* ------------------------------------------------------------------------------------------------ launches -- */

/* A launch without a space for its parts goes to the leaf `step`, which this test does not have. */
static int elsewhere;
cudaError_t launch_gemm(queue q, trigon_type type, const product *p) {
  (void)q, (void)type, (void)p;
  return elsewhere++, cudaErrorInvalidValue;
}
cudaError_t launch_trmm(queue q, trigon_type type, const triangular *t) {
  (void)q, (void)type, (void)t;
  return elsewhere++, cudaErrorInvalidValue;
}

static cudaError_t run_product(queue q, trigon_type type, const problem *p, const dataflow_setup *s) {
  return launch_product_vector(q, type, &p->p, s);
}
static cudaError_t run_triangular(queue q, trigon_type type, const problem *p, const dataflow_setup *s) {
  return launch_trmm_vector(q, type, &p->t, s);
}
static cudaError_t run_update(queue q, trigon_type type, const problem *p, const dataflow_setup *s) {
  return launch_update_vectors(q, type, &p->p, s);
}

/* ------------------------------------------------------------------------------------------------ products -- */

static void test_product(const device_setup *s, trigon_type type, structure is, int64_t m, int64_t k, layout l) {
  stored A = make(type, m, k, l, is != STRUCTURE_GENERAL), B = make_vector(type, k), C = make_vector(type, m), before;
  const trigon_scalar alpha = scalars[random_bool() * 2], beta = scalars[random_below(4)];
  problem p = {.type = type, .launch = run_product};
  int64_t wrong = 0;
  conjugate_stored(&A, random_bool()), conjugate_stored(&B, random_bool());
  if (random_below(8) == 0 && !is_complex(type)) put(&B, k / 2, 0, (number){INFINITY, 0});
  if (beta.re == 0)
    for (int64_t i = 0; i < m; i++) put(&C, i, 0, (number){NAN, NAN});
  send(&A), send(&B);
  snprintf(p.text, sizeof p.text,
           "%c product, structure %d, %d x %d, by rows %d, odd %d, apart %d, backward %d, rows %d", (int)type, (int)is,
           (int)m, (int)k, l.by_rows, l.odd, l.apart, l.backward, s->of.shape.rows);
  p.p = (product){.m = m,
                  .n = 1,
                  .k = k,
                  .count = 1,
                  .alpha = alpha,
                  .beta = beta,
                  .A_is = is,
                  .A = A.on_device,
                  .B = B.on_device,
                  .C = C.on_device};
  run(&p, s, &C, &before);
  for (int64_t i = 0; i < m; i++) {
    sum e = {{0, 0}, 0};
    for (int64_t j = 0; j < k; j++)
      add_product(&e, times(of_scalar(type, alpha), mirrored(&A, is, i, j)), element(&B, j, 0));
    if (beta.re != 0) add_product(&e, of_scalar(type, beta), get(&before, i, 0));
    wrong += !is_near(get(&C, i, 0), &e, type, k);
  }
  check_that(wrong == 0, "%s: %d wrong elements", p.text, (int)wrong);
  check_rest(&p, &C, &before, false);
  release(&A), release(&B), release(&C);
}

static void test_triangular(const device_setup *s, trigon_type type, int64_t n, layout l) {
  stored L = make(type, n, n, l, true), B = make_vector(type, n), before;
  const trigon_scalar alpha = scalars[random_bool() * 2];
  const bool unit = random_bool();
  problem p = {.type = type, .launch = run_triangular};
  int64_t wrong = 0;
  conjugate_stored(&L, random_bool());
  for (int64_t i = 0; unit && i < n; i++) put(&L, i, i, (number){NAN, NAN});
  if (random_below(4) == 0 && !is_complex(type)) put(&B, n / 2, 0, (number){INFINITY, 0});
  send(&L);
  snprintf(p.text, sizeof p.text, "%c triangular, %d, unit %d, by rows %d, odd %d, apart %d, backward %d, rows %d",
           (int)type, (int)n, unit, l.by_rows, l.odd, l.apart, l.backward, s->of.shape.rows);
  p.t = (triangular){.n = n, .width = 1, .count = 1, .unit = unit, .alpha = alpha, .L = L.on_device, .B = B.on_device};
  run(&p, s, &B, &before);
  for (int64_t i = 0; i < n; i++) {
    sum e = {{0, 0}, 0};
    for (int64_t j = 0; j <= i; j++)
      add_product(&e, times(of_scalar(type, alpha), i == j && unit ? (number){1, 0} : element(&L, i, j)),
                  get(&before, j, 0));
    wrong += !is_near(get(&B, i, 0), &e, type, n);
  }
  check_that(wrong == 0, "%s: %d wrong elements", p.text, (int)wrong);
  check_rest(&p, &B, &before, false);
  release(&L), release(&B);
}

/* ------------------------------------------------------------------------------------------------- updates -- */

static void test_update(const device_setup *s, trigon_type type, region computed, int64_t m, int64_t n, layout l) {
  const bool lower = computed != REGION_ALL, two = random_bool(), hermitian = computed == REGION_LOWER_HERMITIAN;
  const trigon_scalar alpha = scalars[random_bool() * 2], alpha2 = scalars[3], beta = scalars[random_below(4)];
  stored A = make_vector(type, m), B = make_vector(type, n), A2 = make_vector(type, m), B2 = make_vector(type, n);
  stored C = make(type, m, n, l, lower), before;
  problem p = {.type = type, .launch = run_update};
  int64_t wrong = 0;
  stored *const vectors[] = {&A, &B, &A2, &B2};
  for (int v = 0; v < 4; v++) conjugate_stored(vectors[v], random_bool()), send(vectors[v]);
  for (int64_t j = 0; beta.re == 0 && j < n; j++)
    for (int64_t i = lower ? j : 0; i < m; i++) put(&C, i, j, (number){NAN, NAN});
  snprintf(p.text, sizeof p.text,
           "%c update, region %d, %d x %d, two %d, by rows %d, odd %d, apart %d, backward %d, "
           "rows %d",
           (int)type, (int)computed, (int)m, (int)n, two, l.by_rows, l.odd, l.apart, l.backward, s->of.shape.rows);
  p.p = (product){.m = m,
                  .n = n,
                  .k = 1,
                  .count = 1,
                  .alpha = alpha,
                  .alpha2 = alpha2,
                  .beta = beta,
                  .A = A.on_device,
                  .B = transposed(B.on_device),
                  .C = C.on_device,
                  .computed = computed};
  if (two) p.p.A2 = A2.on_device, p.p.B2 = transposed(B2.on_device);
  run(&p, s, &C, &before);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = lower ? j : 0; i < m; i++) {
      const bool real = hermitian && i == j;
      sum e = {{0, 0}, 0};
      number old = get(&before, i, j), found = get(&C, i, j);
      if (real) old.im = 0;
      add_product(&e, times(of_scalar(type, alpha), element(&A, i, 0)), element(&B, j, 0));
      if (two) add_product(&e, times(of_scalar(type, alpha2), element(&A2, i, 0)), element(&B2, j, 0));
      if (beta.re != 0) add_product(&e, of_scalar(type, beta), old);
      if (real) e.value.im = 0;
      wrong += !is_near(found, &e, type, 3) || (real && found.im != 0);
    }
  check_that(wrong == 0, "%s: %d wrong elements", p.text, (int)wrong);
  check_rest(&p, &C, &before, lower);
  for (int v = 0; v < 4; v++) release(vectors[v]);
  release(&C);
}

/* -------------------------------------------------------------------------------------------------- sizes -- */

/* The rows of a tile whose columns have so many bytes on the simulated GPU, or on a real GPU. */
#define ROWS_OF(type, small, large) (TG_TILE(small, large) / element_size(type))

/* Sizes around the edges of a tile, and of several tiles. */
enum { SIZES = 6 };
static void sizes_around(int64_t rows, int64_t (*sizes)[SIZES]) {
  memcpy(*sizes, (int64_t[SIZES]){1, 2, rows - 1, rows, rows + 1, 3 * rows + 3}, sizeof *sizes);
}

static void test_triangles(device_setup *s, trigon_type type, int64_t rows, int count) {
  int64_t sizes[SIZES];
  sizes_around(rows, &sizes);
  s->of.shape.rows = (int)rows;
  for (int l = 0; l < LAYOUTS; l++)
    for (int i = 0; i < count; i++) {
      test_product(s, type, STRUCTURE_SYMMETRIC, sizes[i], sizes[i], layouts[l]);
      test_product(s, type, STRUCTURE_HERMITIAN, sizes[i], sizes[i], layouts[l]);
      test_triangular(s, type, sizes[i], layouts[l]);
      test_update(s, type, l % 2 ? REGION_LOWER : REGION_LOWER_HERMITIAN, sizes[i], sizes[i], layouts[l]);
    }
}

static void test_rectangles(device_setup *s, trigon_type type, int64_t rows) {
  int64_t sizes[SIZES];
  sizes_around(rows, &sizes);
  s->of.shape.rows = (int)rows;
  for (int l = 0; l < LAYOUTS; l++)
    for (int i = 0; i < SIZES; i++) {
      const int64_t other = 1 + random_below(200);
      test_product(s, type, STRUCTURE_GENERAL, sizes[i], other, layouts[l]);
      test_product(s, type, STRUCTURE_GENERAL, other, sizes[i], layouts[l]);
      test_update(s, type, REGION_ALL, sizes[i], other, layouts[l]);
      test_update(s, type, REGION_ALL, other, sizes[i], layouts[l]);
    }
}

static void test_tiles(device_setup *s, trigon_type type) {
  const int64_t small = ROWS_OF(type, 256, type == TRIGON_Z ? 1024 : 512), middle = ROWS_OF(type, 512, 1024);
  test_triangles(s, type, small, SIZES);
  test_triangles(s, type, middle, SIZES);
  test_triangles(s, type, ROWS_OF(type, 1024, 2048), SIZES - 1); /* several of them would take long */
  test_rectangles(s, type, small);
  test_rectangles(s, type, middle);
  test_rectangles(s, type, ROWS_OF(type, 64, 128));    /* the tile for row sums of small matrices */
  test_rectangles(s, type, ROWS_OF(type, 1024, 4096)); /* for column sums */
}

/* The launcher chooses the tiles, and cuts sums and triangles so that their parts fit. */
static void test_spaces(trigon_type type, int64_t space) {
  device_setup s = make_setup(space);
  for (int l = 0; l < LAYOUTS; l++) {
    test_product(&s, type, STRUCTURE_GENERAL, 150, 90, layouts[l]);
    test_product(&s, type, STRUCTURE_GENERAL, 20, 400, layouts[l]);
    test_product(&s, type, STRUCTURE_HERMITIAN, 300, 300, layouts[l]);
    test_triangular(&s, type, 300, layouts[l]);
    test_update(&s, type, REGION_ALL, 150, 90, layouts[l]);
  }
  release_setup(&s);
}

/* Nothing fits, so that a triangle of several tiles is for another leaf. A general product needs no space. */
static void test_without_space(void) {
  device_setup s = make_setup(0);
  stored A = make(TRIGON_D, 300, 300, layouts[0], false), B = make_vector(TRIGON_D, 300);
  const queue q = {.arch = kind};
  const triangular t = {.n = 300, .width = 1, .count = 1, .alpha = {1, 0}, .L = A.on_device, .B = B.on_device};
  check(launch_trmm_vector(q, TRIGON_D, &t, &s.of) == cudaErrorInvalidValue && elsewhere == 1, "TRMV goes elsewhere");
  test_product(&s, TRIGON_D, STRUCTURE_GENERAL, 20, 400, layouts[0]);
  test_product(&s, TRIGON_D, STRUCTURE_SYMMETRIC, 9, 9, layouts[0]);
  release(&A), release(&B), release_setup(&s);
}

int main(void) {
  for (int i = 0; i < 4; i++) {
    const trigon_type type = (trigon_type) "sdcz"[i];
    device_setup s = make_setup(1 << 20);
    test_tiles(&s, type);
    release_setup(&s);
    test_spaces(type, 1 << 20);
    test_spaces(type, TG_TILE(20, 12) << 10);
  }
  test_without_space();
  return checked();
}
