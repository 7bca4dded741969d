/* batch_share.h - POTRF of a large matrix of a batch by tiles: one block of threads takes all of them, or several
 * blocks take them in turn.
 *
 * An item is what a block takes at once. The items have groups, one for each tile row g. The first item of group g
 * has the diagonal tile (g, g). Each of the others has up to TALL tiles of column g - EARLY, one below the other,
 * from tile row g + 1 on. If EARLY is 1, the first item also has the tile (g, g - 1). Then the path from one diagonal
 * tile to the next has one hand-over from block to block (potrf_tickets.h), not two.
 *
 *     EARLY = 0:   (0, 0), (1, 0), (2, 0), ...;   (1, 1), (2, 1), ...;   ...
 *     EARLY = 1:   (0, 0);   (1, 0) with (1, 1), (2, 0), (3, 0), ...;   (2, 1) with (2, 2), (3, 1), ...;   ...
 *
 * Each item waits for all groups before its own. So one counter for each matrix is enough: if the counter has reached
 * the number of items in the first g groups, these groups are done. If EARLY is 0, the other items also wait for the
 * first item of their group, which is the first one of the group to be done.
 *
 * A block waits only for items before its own. So one resident block is enough. */
#ifndef TRIGON_BATCH_SHARE_H
#define TRIGON_BATCH_SHARE_H

#include "batch_queue.h"

/* The order of the items. It goes on from group to group. */
template <unsigned TALL_, unsigned EARLY_> struct tile_order {
  static constexpr unsigned TALL = TALL_, EARLY = EARLY_;
  unsigned tiles;                /* tile rows, at least two */
  unsigned group = 0, first = 0; /* the number of the group's first item */

  __device__ explicit tile_order(unsigned rows) : tiles(rows) {}

  /* The number of the group behind. */
  __device__ unsigned next() const {
    const unsigned col = group - EARLY, below = col < tiles ? tiles - 1 - group : 0; /* group 0 may have no column */
    return first + 1 + (below + TALL - 1) / TALL;
  }
  /* Goes on to the group of an item, or to the first group that is not done if so many items are. */
  __device__ void go_to(unsigned item) {
    for (; group < tiles && item >= next(); group++) first = next();
  }
  /* The number of items: one for each group, and Σ ceil(rows / TALL) over the tile rows below the first items. */
  __device__ unsigned all() const {
    const unsigned rows = tiles - 1 - EARLY, whole = rows / TALL, rest = rows % TALL;
    return tiles + TALL * (whole * (whole + 1) / 2) + rest * (whole + 1);
  }
};

/* What a block takes of a matrix. All threads of the block call these functions. */
template <class Order> struct tile_share {
  const batch_queue &q;
  batch_queue::entry of;
  unsigned *word;       /* in shared memory */
  Order at, past;       /* the group of the item; the first group that is not known to be done */
  unsigned item, known; /* the number of the item; so many items are known to be done */

  __device__ tile_share(const batch_queue &lists, const batch_queue::entry &entry, unsigned tiles, unsigned *in_shared)
      : q(lists), of(entry), word(in_shared), at(tiles), past(tiles), item(~0u), known(0) {}

  /* Takes the next item. Returns whether there is one. */
  __device__ bool take() {
    item = of.alone ? item + 1 : tg_ticket(q.taken(of.i), word);
    at.go_to(item);
    return at.group < at.tiles;
  }

  /* The first tile of the item. */
  __device__ unsigned row() const {
    const unsigned number = item - at.first;
    return number == 0 ? at.group : at.group + 1 + (number - 1) * Order::TALL;
  }
  __device__ unsigned col() const { return item == at.first ? at.group : at.group - Order::EARLY; }

  __device__ void await(unsigned items) {
    if (known < items) known = tg_await_most(q.done(of.i), items, word);
  }
  /* Waits until `due` columns are final. Returns how many are. */
  __device__ unsigned await_columns(unsigned due) {
    while (past.group < due + Order::EARLY) {
      await(past.next());
      past.go_to(known);
    }
    return past.group - Order::EARLY;
  }
  /* Waits for the diagonal tile that the item is solved with. */
  __device__ void await_diagonal() { await(at.first + 1 - Order::EARLY); }

  /* Ends the item. Its tiles become visible to the blocks that await them. Begins with a barrier. */
  __device__ void finish() {
    if (of.alone)
      __syncthreads();
    else
      tg_count(q.done(of.i));
    if (known == item) known++; /* so a block that is alone never waits */
  }
};

#endif
