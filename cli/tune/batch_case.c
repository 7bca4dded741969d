/* batch_case.c - makes the batches by which classes of batches are measured. */
#include "batch_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many elements keep a GPU busy for long enough. More of them would only take longer to be made and checked. */
static const double most_elements = 0x1p24;
enum { LEAST_MATRICES = 4 };

static int64_t count_of(const batch_case *of) {
  const double order = (double)of->most, fit = most_elements / (order * order);
  return (int64_t)fmin(fmax(fit, LEAST_MATRICES), (double)of->count);
}

/* The first order is the largest one. The others follow each other by the golden ratio, so that any number of them is
 * evenly distributed, and large and small matrices are neighbours. */
static bool make_orders(const batch_case *of, batch_orders *o) {
  const double golden = 0.6180339887498949, span = (double)(of->most - of->above);
  o->count = count_of(of), o->largest = of->most;
  if (!(o->n = malloc((size_t)o->count * sizeof *o->n))) return false;
  for (int64_t i = 0; i < o->count; i++) o->n[i] = of->most - (int64_t)(span * fmod((double)i * golden, 1));
  return true;
}

bool batch_case_make(const batch_case *of, batch_operands *on, const verdict *to) {
  on->batch = batch_routine_find(of->routine, strlen(of->routine));
  on->routine = batch_routine_single(on->batch);
  on->type = (trigon_type)of->type;
  on->columns = of->columns;
  return make_orders(of, &on->orders) ? batch_operands_make(on, to) : no_memory(to);
}

void batch_case_free(batch_operands *on) {
  if (on->orders.n) batch_operands_free(on);
  free(on->orders.n);
}
