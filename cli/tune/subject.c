/* subject.c - the rows of a tuning table, and the sizes that stand for their shapes. */
#include "subject.h"

#include <math.h>
#include <string.h>

const tuned_routine tuned_routines[TUNED] = {
    {"gemm", "gemm", true, true, false},    {"syrk", "syrk", true, true, true},
    {"symm", "symm", true, true, true},     {"syr2k", "syr2k", true, true, true},
    {"trsm", "trsm", true, true, true},     {"trmm", "trmm", true, true, true},
    {"potrf", "potrf", false, false, true}, {"invert", "trtri", false, false, true},
    {"lauum", "lauum", false, false, true},
};

const tuned_table tuned_tiles[TUNED_TILES] = {{"vectors", "trsm_vectors", "trsm"},
                                              {"trsm", "trsm_tiles", "trsm"},
                                              {"trmm", "trmm_tiles", "trmm"},
                                              {"invert", "trtri_tiles", "trtri"},
                                              {"lauum", "lauum_tiles", "lauum"}};
/* POSV of large matrices is POTRF and TRSM. POTRS is two calls of TRSM. */
const tuned_table tuned_batches[TUNED_BATCHES] = {{"potrf", "potrf_batch", "potrf"},
                                                  {"trsm", "trsm_batch", "potrs"},
                                                  {"posv", "posv_batch", "posv"},
                                                  {"invert", "trtri_batch", "trtri"}};

const tuned_table tuned_hosts[TUNED_HOSTS] = {{"order", "host_order", "potrf"},
                                              {"columns", "host_columns", "trsm"},
                                              {"tiles", "host_tiles", "potrf"},
                                              {"link", "host_link", "gemm"}};

const char *const tuned_shapes[TUNED_SHAPES] = {[W2048] = "w2048", [W512] = "w512", [W64] = "w64", [W16] = "w16"};

/* The width that stands for a shape: about the geometric middle of its widths (1 to 16, 17 to 64, 65 to
 * 512). A problem of the widest shape is square, unless it is so small that the square would have another shape. */
static int64_t width_of(tuned_shape shape, int64_t order) {
  enum { least_w2048 = 640 };
  static const int64_t width[] = {[W512] = 192, [W64] = 32, [W16] = 4};
  if (shape != W2048) return width[shape];
  return order > least_w2048 ? order : least_w2048;
}

static void make(const subject *s, problem *p) {
  const char *name = s->routine->measured;
  *p = (problem){.routine = routine_find(name, strlen(name)), .type = (trigon_type)s->type};
  problem_set_variant(p, p->routine->default_variant);
}

void subject_square(const subject *s, int64_t order, problem *p) {
  make(s, p);
  for (int i = 0; i < SIZES; i++) p->size[i] = order;
}

bool subject_problem(const subject *s, int64_t order, problem *p) {
  const int64_t width = width_of(s->shape, order);
  subject_square(s, order, p);
  if (s->routine->is_cut) {
    p->size[routine_has(p->routine, 'k') ? K : N] = s->routine->has_shapes ? width : order;
    return true;
  }
  /* The order of a product is that of a cube of the same work, and its smallest size is the width. */
  if (order < width) return false;
  p->size[K] = width;
  p->size[M] = p->size[N] = (int64_t)sqrt((double)order * (double)order * (double)order / (double)width);
  return true;
}
