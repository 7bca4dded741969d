/* cluster_call.c - around a call on distributed matrices: `begin` makes all processes agree, `cut` says what the
 * library computes whole, `end` stores info. */
#include "cluster.h"

static trigon_status cluster_begin(engine *e, const operation *o, engine **work) {
  cluster *c = cluster_of(e);
  TRY(cluster_agree(c, o, cluster_check_operands(c, o)));
  c->failure = 0;
  c->info = o->info;
  *work = e;
  return TRIGON_OK;
}

static trigon_status cluster_end(engine *e, bool succeeded) {
  cluster *c = cluster_of(e);
  if (!succeeded) return TRIGON_OK;
  if (c->info)
    *c->info = c->failure;
  else if (c->kept == 0)
    c->kept = c->failure;
  return TRIGON_OK;
}

enum { most_steps = 256 }; /* of LAUUM, which are as many calls within each other: 2 KiB of stack each */

/* A grid of processes has no cache that a recursion could use: each level would send its operands again, 1.7 to 3.4
 * times the library's bytes. So the library gets whole what it has. Its TRTRI and LAUUM are products with thin panels.
 * Halves send fewer bytes for TRTRI. For LAUUM the last block goes first, which sends one row of blocks in each step
 * (docs/notebook/cluster.md), once halves have few enough blocks. */
static int64_t cluster_cut(engine *e, const operation *o) {
  const bool invert = o->routine == ROUTINE_INVERT;
  if (is_composite(o->routine)) return 1;
  if ((!invert && o->routine != ROUTINE_LAUUM) || o->A.n == 0 || cluster_of(e)->native) return 0;
  const int64_t block = piece_of(o->A).of->descriptor[DESC_NB], before_last = (o->A.n - 1) / block;
  return (invert || before_last > most_steps ? (before_last + 1) / 2 : before_last) * block;
}

static int64_t cluster_known_failure(engine *e) { return cluster_of(e)->failure; }

const engine cluster_engine = {.begin = cluster_begin,
                               .end = cluster_end,
                               .cut = cluster_cut,
                               .run = cluster_run,
                               .need = needs_nothing,
                               .known_failure = cluster_known_failure};
