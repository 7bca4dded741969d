/* fp64_decorator.c - the decorator that emulates products: which products, in which memory, and the report about
 * them.
 *
 * Products are all that it replaces: GEMM, and by integers also SYRK and SYR2K, which are triangles of products, and
 * SYMM. So it cuts triangular operands that the engine inside would take whole, until the blocks are small. */
#include "fp64_decorator.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/decorator.h"
#include "core/tuning/tuning.h"
#include "fp64/double_float/double_float_lines.h"
#include "host_product.h"

enum {
  default_stop = 1024,
  table_bytes = (sizeof(crt[most_moduli + 1]) + 255) / 256 * 256, /* what follows is aligned, too */
  constant_bytes = table_bytes + sizeof(emulation_choice),
};

typedef struct fp64 {
  decorator decorator; /* first: an engine * is a fp64 * */
  small_ops small;     /* of the engine inside, without small calls */
  trigon_fp64 mode;
  fp64_settings settings;
  int64_t stop;
  char *constants;         /* the table of constants; on a device in memory that the machine keeps, before the choice */
  emulation_choice choice; /* on the host */
  /* the present call, or the last one */
  trigon_fp64 used; /* its mode */
  void *workspace;
  int64_t bytes;
  int64_t products, handed, tiles; /* handed to the steps, which may compute all tiles natively; their tiles */
  const char *why;                 /* why the last native product was not handed over */
} fp64;

static fp64 *of(engine *e) { return (fp64 *)e; }
static machine *machine_of(const fp64 *f) { return f->decorator.engine.machine; }

/* On the host the table of constants is part of the workspace: the cap holds for both. */
static bool on_host(const fp64 *f) { return machine_of(f)->ops->on_host; }

static fp64_memory memory_of(fp64 *f) {
  return (fp64_memory){(const crt *)(void *)f->constants,
                       on_host(f) ? &f->choice : (emulation_choice *)(void *)(f->constants + table_bytes)};
}

/* ------------------------------------------------------------------------------------------ which products -- */

/* Of the time of native arithmetic: what emulation may take. See `share_for`. */
static const double share_of_product = 0.96, share_of_leaf = 0.55;

static const emulation_support *support_of(const fp64 *f) { return fp64_support(machine_of(f)); }

/* The time of an emulated product divided by that of native arithmetic; infinite if emulation does not pay. A triangle
 * is half of a square, natively and emulated. Equal lines of both operands are prepared once. */
static double time_share(const fp64 *f, trigon_type type, const emulated_size *s) {
  const product_times *t = type_is_single(type) ? support_of(f)->floats : support_of(f)->doubles;
  if (!t || s->m < t->least_size || s->n < t->least_size || s->k < t->least_size) return INFINITY;
  const double elements = (double)s->m * (double)s->n * (s->triangle ? 0.5 : 1), k = (double)s->k;
  const double lines = (double)(s->same_lines ? s->n : s->m + s->n);
  const double emulated =
      2 * elements * k * t->integer_flop * t->moduli + t->operand * lines * k + t->result * elements + t->start;
  return emulated / (2 * elements * k * t->native_flop);
}

/* Whether a product of this size is to be emulated. */
static bool is_wanted(const fp64 *f, trigon_type type, emulated_size size, double share) {
  if (f->mode == TRIGON_FP64_DOUBLE_FLOAT) return !type_is_single(type);
  if (f->mode != TRIGON_FP64_AUTO) return f->mode == TRIGON_FP64_INT8;
  return time_share(f, type, &size) < share;
}

/* Whether the decorator emulates an operation as a whole. By pairs of floats it does so with GEMM alone. HER2K with a
 * complex alpha is no product, because its second half has conj(alpha). */
static bool is_product(const fp64 *f, const operation *o) {
  const bool by_integers = f->mode != TRIGON_FP64_DOUBLE_FLOAT, real = o->alpha.im == 0;
  switch (o->routine) {
  case ROUTINE_GEMM: return true;
  case ROUTINE_SYRK:
  case ROUTINE_SYMM: return by_integers;
  case ROUTINE_SYR2K: return by_integers && (real || o->adjoint == TRIGON_TRANS);
  default: return false;
  }
}

/* An update of this order and depth, as far as it is emulated: by pairs of floats, a product in it. */
static emulated_size update_inside(const fp64 *f, trigon_type type, int64_t order) {
  emulated_size s = fp64_size(type, (sizes){order, order, order});
  s.triangle = f->mode != TRIGON_FP64_DOUBLE_FLOAT, s.same_lines = s.triangle && !type_is_complex(type);
  return s;
}

/* The largest product inside an operation that is cut in halves, or the product itself. No product for 0 rows. In POTRF
 * and LAUUM it is an update of the half order. */
static emulated_size largest_product(const fp64 *f, const operation *o) {
  const sizes s = sizes_of(o);
  const trigon_type type = o->A.type;
  const int64_t half = (s.n + 1) / 2;
  if (is_product(f, o)) return fp64_size_of(o);
  switch (o->routine) {
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: return fp64_size(type, (sizes){half, half, s.k});
  case ROUTINE_TRMM:
  case ROUTINE_TRSM:
  case ROUTINE_SYMM:
    if (o->side == TRIGON_LEFT) return fp64_size(type, (sizes){(s.m + 1) / 2, s.n, (s.m + 1) / 2});
    return fp64_size(type, (sizes){s.m, half, half});
  case ROUTINE_POTRF:
  case ROUTINE_LAUUM: return update_inside(f, type, half);
  case ROUTINE_INVERT:
  case ROUTINE_TRTRI:
  case ROUTINE_POTRI: return fp64_size(type, (sizes){half, half, half});
  case ROUTINE_POTRS:
  case ROUTINE_POSV: return fp64_size(type, (sizes){half, s.k > half ? s.k : half, half});
  default: return (emulated_size){0};
  }
}

/* In `auto`, the share of the native time that the largest product of an operation may take, so that the operation is
 * cut for it. Where the engine inside cuts into blocks of order n1, each product counts for itself. POTRF or LAUUM that
 * the engine inside takes whole is one dataflow, and a cut costs more than it seems: on an H200 POTRF of 8192 takes
 * 4.39 ms whole, but 4.9 ms as two of 4096 (1.07 each), TRSM (1.58) and SYRK (1.2 at 57 Tflop/s, not measured). So
 * this SYRK must save 0.5 of 1.2 ms (docs/performance.md). */
static double share_for(const operation *o, int64_t n1) {
  const bool is_leaf = n1 == 0 && (o->routine == ROUTINE_POTRF || o->routine == ROUTINE_LAUUM);
  return is_leaf ? share_of_leaf : share_of_product;
}

static int64_t inner_cut(const fp64 *f, const operation *o) { return f->decorator.work->cut(f->decorator.work, o); }

/* Whether the decorator has something to do in a call. */
static bool takes_part(const fp64 *f, const operation *o) {
  if (f->mode == TRIGON_FP64_NATIVE || o->batch || o->vectors || is_trivial(o)) return false;
  const emulated_size s = largest_product(f, o);
  if (s.m == 0 || (!is_product(f, o) && order_of(o) <= f->stop)) return false;
  return is_wanted(f, o->A.type, s, share_for(o, inner_cut(f, o)));
}

/* --------------------------------------------------------------------------------------------- the memory -- */

static int64_t larger(int64_t x, int64_t y) { return x > y ? x : y; }

static int64_t best_workspace(const fp64 *f, const emulated_size *s) {
  return f->mode == TRIGON_FP64_DOUBLE_FLOAT ? double_float_best_workspace(false, s->m, s->n, s->k)
                                             : fp64_best_workspace(&f->settings, s);
}

/* On the host, puts the table of constants before the workspace of products by integers. Another call, or the caller,
 * may have changed these bytes, so the table is made for each call (70 µs). */
static void put_table(fp64 *f) {
  const bool fits = f->bytes >= table_bytes;
  f->constants = f->workspace;
  if (fits) fp64_make_table(f->workspace);
  f->workspace = fits ? f->constants + table_bytes : NULL;
  f->bytes = fits ? f->bytes - table_bytes : 0;
}

static int64_t bytes_of_table(const fp64 *f) {
  return on_host(f) && f->mode != TRIGON_FP64_DOUBLE_FLOAT ? table_bytes : 0;
}

/* The workspace that a product of this size asks for. A tile is the least, because blocks are not cut below it, and
 * other products of the call may have other shapes, and two operands. */
static int64_t wanted_workspace(const fp64 *f, emulated_size s) {
  const emulated_size tile = {fp64_tile, fp64_tile, fp64_tile, false, false};
  s.m = larger(s.m, tile.m), s.n = larger(s.n, tile.n), s.k = larger(s.k, tile.k);
  return larger(best_workspace(f, &s), best_workspace(f, &tile)) + bytes_of_table(f);
}

static trigon_status lend(fp64 *f, int64_t wanted) {
  TRY(machine_of(f)->ops->lend(machine_of(f), wanted, &f->workspace, &f->bytes));
  if (bytes_of_table(f) > 0) put_table(f);
  return TRIGON_OK;
}

static int64_t least_workspace(const fp64 *f, const operation *o) {
  const emulated_size size = fp64_size_of(o);
  const sizes s = sizes_of(o);
  if (f->mode == TRIGON_FP64_DOUBLE_FLOAT)
    return double_float_least_workspace(type_is_complex(o->C.type), s.m, s.n, s.k);
  return fp64_least_workspace(&f->settings, &size) + bytes_of_table(f);
}

/* Whether a call that is one product is native for certain. Then no memory is taken for it. (Of a SYMM with too few
 * moduli for its order, parts may be emulated.) */
static bool is_in_vain(const fp64 *f, const operation *o) {
  const machine_ops *ops = machine_of(f)->ops;
  if (!is_product(f, o)) return false;
  if (f->mode != TRIGON_FP64_DOUBLE_FLOAT && o->routine == ROUTINE_GEMM && fp64_obstacle(o, &f->settings)) return true;
  return ops->most_lent && least_workspace(f, o) > ops->most_lent(machine_of(f));
}

/* The workspace for every routine over square operands of so many bytes. The largest product of integers is that of
 * SYR2K, which has twice as many terms as the others. By pairs of floats it is a GEMM. */
static int64_t workspace_for_operands(const fp64 *f, trigon_type type, int64_t bytes) {
  enum { most = 1 << 20 }; /* beyond all workspaces */
  const bool by_pairs = f->mode == TRIGON_FP64_DOUBLE_FLOAT;
  const double root = ceil(sqrt((double)bytes / (double)type_size(type)));
  const int64_t order = root < most ? (int64_t)root : most;
  if (order == 0 || (by_pairs && type_is_single(type))) return 0;
  return wanted_workspace(f, fp64_size(type, (sizes){order, order, by_pairs ? order : 2 * order}));
}

trigon_status fp64_reserve(engine *e, int64_t bytes) {
  fp64 *f = of(e);
  int64_t wanted = 0;
  if (f->mode == TRIGON_FP64_NATIVE) return TRIGON_OK;
  for (int t = 0; t < TYPES; t++) wanted = larger(wanted, workspace_for_operands(f, types_in_order[t], bytes));
  return wanted == 0 ? TRIGON_OK : lend(f, wanted);
}

/* A block of `bytes` bytes as a matrix for transfers. */
static view bytes_at(void *data, size_t bytes) {
  const int64_t reals = (int64_t)(bytes / 4);
  return (view){.base = data, .type = TRIGON_S, .m = reals, .n = 1, .ld = reals, .count = 1};
}

/* On a device, constants lie in memory of the device, and a choice of zeros follows. */
static trigon_status upload_constants(fp64 *f) {
  const machine_ops *ops = machine_of(f)->ops;
  void *data = NULL;
  if (on_host(f)) return TRIGON_OK;
  crt *table = calloc(1, constant_bytes);
  if (!table) {
    snprintf(machine_of(f)->why->text, sizeof machine_of(f)->why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  fp64_make_table(table);
  trigon_status status = ops->keep(machine_of(f), constant_bytes, &data);
  if (status == TRIGON_OK)
    status = ops->upload(machine_of(f), bytes_at(table, constant_bytes), bytes_at(data, constant_bytes));
  free(table);
  if (status == TRIGON_OK) f->constants = data;
  return status;
}

/* -------------------------------------------------------------------------------------------- the entries -- */

/* What a call asks for in which the decorator takes part. */
static int64_t workspace_for_call(const fp64 *f, const operation *o) {
  return is_in_vain(f, o) ? 0 : wanted_workspace(f, largest_product(f, o));
}

static int64_t fp64_need(engine *e, const operation *o) {
  const fp64 *f = of(e);
  return takes_part(f, o) ? workspace_for_call(f, o) : f->decorator.work->need(f->decorator.work, o);
}

static trigon_status fp64_begin(engine *e, const operation *o, engine **work) {
  fp64 *f = of(e);
  TRY(decorator_begin(e, o, work));
  if (!o->continues) f->products = f->handed = f->tiles = 0, f->why = NULL, f->used = f->mode;
  if (!*work) return TRIGON_OK;
  if (!takes_part(f, o)) {
    *work = f->decorator.work;
    return TRIGON_OK;
  }
  f->workspace = NULL, f->bytes = 0;
  const int64_t wanted = workspace_for_call(f, o);
  const trigon_status status = wanted > 0 ? lend(f, wanted) : TRIGON_OK;
  if (status != TRIGON_OK) f->decorator.inner->end(f->decorator.inner, false);
  return status;
}

/* A product that is emulated stays whole, also where the engine inside would cut it. One that meets an obstacle is cut
 * as the engine inside asks: it may not be able to take the order. */
static int64_t fp64_cut(engine *e, const operation *o) {
  const fp64 *f = of(e);
  const int64_t n1 = inner_cut(f, o);
  const bool whole = is_product(f, o);
  const bool is_cut = n1 == 0 && (int)o->routine < TUNED_ROUTINES && order_of(o) > f->stop;
  if ((whole ? n1 == 0 : !is_cut) || !is_wanted(f, o->A.type, largest_product(f, o), share_for(o, n1))) return n1;
  if (!whole) return first_block(CUT_HALVES, f->stop, order_of(o));
  return fp64_obstacle(o, &f->settings) ? n1 : 0;
}

/* In `auto`, the share of tiles above which native arithmetic is faster for all of them, because those that fall back
 * cost their native time besides. In the mode int8 only a product is not emulated of which no tile, or none of those
 * looked at, can be proved. */
static double most_native(const fp64 *f, const operation *o) {
  const emulated_size size = largest_product(f, o);
  return f->mode == TRIGON_FP64_AUTO ? 1 - time_share(f, o->C.type, &size) : 1;
}

static trigon_status multiply_by_pairs(fp64 *f, const operation *o) {
  const sizes s = sizes_of(o);
  if (f->bytes < double_float_least_workspace(type_is_complex(o->C.type), s.m, s.n, s.k)) {
    f->why = fp64_no_room;
    return f->decorator.work->run(f->decorator.work, o);
  }
  TRY(support_of(f)->steps->multiply_double_float(f->decorator.work, o, f->workspace, f->bytes));
  f->handed++;
  return TRIGON_OK;
}

/* Emulates one rectangle of a product. */
static trigon_status emulate(fp64 *f, const operation *o) {
  if (f->mode == TRIGON_FP64_DOUBLE_FLOAT) return multiply_by_pairs(f, o);
  const fp64_memory memory = memory_of(f);
  fp64_settings settings = f->settings;
  settings.most_native = most_native(f, o);
  fp64_outcome outcome;
  const trigon_status status =
      fp64_multiply(f->decorator.work, o, &settings, &memory, f->workspace, f->bytes, f->handed == 0, &outcome);
  if (outcome.why)
    f->why = outcome.why;
  else if (status == TRIGON_OK)
    f->handed++, f->tiles += outcome.tiles;
  return status;
}

static trigon_status fp64_run(engine *e, const operation *o) {
  fp64 *f = of(e);
  if (!is_product(f, o) || is_trivial(o)) return f->decorator.work->run(f->decorator.work, o);
  f->products += o->C.count;
  if (!is_wanted(f, o->C.type, largest_product(f, o), share_of_product)) {
    f->why = "native arithmetic is faster";
    return f->decorator.work->run(f->decorator.work, o);
  }
  for (int64_t i = 0; i < o->C.count; i++) {
    const operation part = over(o, single(o->A, i), single(o->B, i), single(o->C, i));
    TRY(emulate(f, &part));
  }
  return TRIGON_OK;
}

static void fp64_destroy(engine *e) {
  fp64 *f = of(e);
  f->decorator.inner->destroy(f->decorator.inner);
  free(f);
}

/* ------------------------------------------------------------------------------------------------ settings -- */

trigon_status fp64_create(engine *inner, int64_t stop, engine **out) {
  fp64 *f = calloc(1, sizeof *f);
  if (!f) {
    snprintf(inner->machine->why->text, sizeof inner->machine->why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  decorate(&f->decorator, inner);
  f->decorator.engine.begin = fp64_begin, f->decorator.engine.cut = fp64_cut, f->decorator.engine.run = fp64_run;
  f->decorator.engine.need = fp64_need, f->decorator.engine.destroy = fp64_destroy;
  /* Small calls have no products that the decorator would see. Workers compute natively. */
  if (inner->small) f->small.workers = inner->small->workers, f->decorator.engine.small = &f->small;
  f->stop = stop > 0 ? stop : default_stop;
  const trigon_status status = upload_constants(f);
  if (status != TRIGON_OK) {
    free(f);
    return status;
  }
  *out = &f->decorator.engine;
  return TRIGON_OK;
}

void fp64_set(engine *e, trigon_fp64 mode, int accuracy) {
  fp64 *f = of(e);
  f->mode = mode;
  f->settings.grade = accuracy == TRIGON_FP64_GUARANTEED ? FP64_GUARANTEED
                      : accuracy == TRIGON_FP64_FAST     ? FP64_FAST
                                                         : FP64_FIXED;
  f->settings.moduli = f->settings.grade == FP64_FIXED ? accuracy : 0;
}

trigon_fp64 fp64_mode(engine *e) { return of(e)->mode; }

/* Why all tiles of a product fell back, in the order of native_reason. */
static const char *const native_words[] = {
    "all tiles have NaN or infinity in their rows and columns",
    "no tile can be proved with 20 moduli",
    "with so many tiles that cannot be proved, native arithmetic is faster",
};

trigon_status fp64_last_report(engine *e, trigon_fp64_report *report) {
  fp64 *f = of(e);
  *report = (trigon_fp64_report){.mode = f->mode, .products = f->products, .emulated = f->handed, .why = f->why};
  if (f->handed == 0) return TRIGON_OK;
  if (f->used == TRIGON_FP64_DOUBLE_FLOAT) {
    report->bits = double_float_bits;
    return TRIGON_OK;
  }
  emulation_choice choice;
  TRY(machine_of(f)->ops->download(machine_of(f), bytes_at(memory_of(f).choice, sizeof choice),
                                   bytes_at(&choice, sizeof choice)));
  report->emulated -= choice.native;
  if (choice.native > 0 && !report->why) report->why = native_words[choice.why];
  report->moduli = choice.most_moduli;
  report->bits = choice.least_headroom / 512.0;
  report->tiles = f->tiles, report->not_finite = choice.not_finite, report->unproved = choice.unproved;
  return TRIGON_OK;
}
