/* call_plan.h - the plan of a call: all its steps, which are known before anything moves.
 *
 * The matrices of the call are divided into tiles of `block` × `block` elements. The recursion of algo/ runs once, with
 * an engine that records. Each operation that it records is divided into steps. If device memory holds all matrices
 * (`in_core`), a step may use many tiles, because neighbours lie side by side. Otherwise each operand of a step is one
 * tile. The steps depend on the shape of the call, on `block` and on the room in device memory, never on the number of
 * devices, and neither does the order of those that write a tile. So all numbers of devices compute the same bits. */
#ifndef TRIGON_CALL_PLAN_H
#define TRIGON_CALL_PLAN_H

#include "core/error.h"
#include "core/operation.h"
#include "core/sizes.h"
#include "core/tuning/tuning.h"

enum { OPERANDS = 3 };

/* A matrix of the caller. Slabs of `span` columns of tiles are dealt to the devices or, if `by_rows`, of rows. */
typedef struct host_matrix {
  view whole;
  int64_t down, across; /* tiles */
  int64_t first_tile;
  int64_t span;
  bool by_rows;
  const struct host_matrix *twin; /* NULL, or the matrix whose tiles are the first values of this one's tiles */
  int64_t offset, ld; /* in core: where the matrix begins in device memory, in bytes, and its leading dimension there */
} host_matrix;

typedef struct plan_tile {
  const host_matrix *of;
  int64_t i, j;
} plan_tile;

/* How a step uses a tile. A tile that is written and not read is overwritten as a whole. */
typedef struct tile_use {
  int64_t tile;
  bool read, written;
} tile_use;

/* The base of a view of `o` is the host_matrix that the view is part of. */
typedef struct plan_step {
  operation o;
  int64_t first_use[OPERANDS]; /* of the tiles of A, B, C; -1: there is no such operand */
  int64_t begin, end;          /* all uses of the step */
  int device;
} plan_step;

typedef struct plan {
  host_matrix matrix[OPERANDS];
  int64_t block, tile_count, step_count, step_room, use_count, use_room;
  int64_t link[LINK_RATES]; /* rates of the tuning table, by which tiles travel together and are dealt out of core */
  int devices;
  bool in_core; /* the memory of a device holds all matrices */
  bool
      twice; /* in core, TRMM: device memory also holds B as it was. So no block of B waits until others have read it */
  bool emulates; /* the devices emulate products, which is faster the larger they are */
  int64_t run;   /* so many tiles of a column of tiles travel together, see run_of_tile */
  int64_t room;  /* how many tiles the memory of a device holds: in core all, else a multiple of `run` */
  bool checks;   /* `check` comes before the steps: a zero on the diagonal ends the plan */
  operation check;
  plan_tile *tiles;
  plan_step *steps;
  tile_use *uses; /* of all steps */
  int64_t *info;  /* the caller's, or NULL */
} plan;

/* The fewest tiles with which every step runs while the next one is loaded. */
enum { least_room = 2 * OPERANDS };

/* Records the steps of a call. TRIGON_NO_MEMORY: the host has no memory; then `plan_clear` frees what was made. The
 * plan has `block`, `link`, `devices`, `in_core`, `twice`, `room`, and `run` or 0 for the best; all other members are
 * 0. A plan points into itself, and is not copied. */
trigon_status plan_record(plan *, const operation *);
void plan_clear(plan *);

/* Tiles of C that a product updates before it goes on to others: `rows` × `cols`. */
typedef struct window {
  int64_t rows, cols;
} window;

/* Out of core: the window that loads least, of whole runs of rows, for `room` slots. Its inner tiles take so many slots
 * for each row, of A, and for each column, of B. */
window window_for(int64_t room, int64_t run, int64_t a, int64_t b);

/* Out of core: the tiles of a side of a square window, whatever is transposed. */
int64_t plan_window_side(const plan *);

/* Divides the matrices of a call into tiles, and completes `run` and `room`: for plan_record. */
trigon_status plan_divide(plan *, const operation *);

static inline bool is_empty(view A) { return A.count == 0; }

/* How many tiles of `block` the operands of the operation have, and the bytes that the matrices take in core. `twice`
 * as in the plan. */
int64_t plan_tiles(const operation *, int64_t block, bool twice);
int64_t plan_bytes(const operation *, int64_t block, bool twice);

/* The number of the tile whose value is the first value of this one, or -1. */
static inline int64_t twin_of(const plan *p, int64_t number) {
  const host_matrix *M = p->tiles[number].of;
  return M->twin ? number - M->first_tile + M->twin->first_tile : -1;
}

/* Tiles below each other: their numbers follow each other. */
typedef struct tile_run {
  int64_t first, count;
} tile_run;

/* The tiles that may travel together with a tile, and this one. */
static inline tile_run run_of_tile(const plan *p, int64_t number) {
  const plan_tile *t = &p->tiles[number];
  const int64_t above = t->i % p->run;
  return (tile_run){number - above, least(p->run, t->of->down - t->i + above)};
}

/* The rows and columns of the caller's matrix that are the tiles. */
static inline view view_of_tiles(const plan *p, tile_run r) {
  const plan_tile *t = &p->tiles[r.first];
  const view whole = t->of->whole;
  const int64_t row = t->i * p->block, col = t->j * p->block;
  return block(whole, row, col, least(whole.m - row, r.count * p->block), least(whole.n - col, p->block));
}

static inline view view_of_tile(const plan *p, int64_t number) { return view_of_tiles(p, (tile_run){number, 1}); }

#endif
