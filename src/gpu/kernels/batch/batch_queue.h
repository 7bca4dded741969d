/* batch_queue.h - the queue of a batch: lists of its matrices by their orders, in device memory, because only the
 * device knows the orders.
 *
 * The first launch of a call looks at all matrices, and puts each of them into the list of its bin. The next launches
 * have a few blocks for each multiprocessor, which take matrices from the lists, the largest first. So a launch that
 * finds no matrix takes little time, and all blocks of the others end together. The last launch empties the lists.
 *
 * The next launches may begin early (vendor/early.h), so they wait until the lists are complete.
 *
 * Several blocks may share a matrix that consists of tiles (batch_share.h). They take its tiles in turn, and count
 * those that are done. A very large matrix counts as several entries of its list (slots), so that several blocks begin
 * with it. A block that finds no entry any more helps with the first matrices of the lists.
 *
 * One block factors a matrix alone if the lists have more matrices behind it than blocks run at once: then all blocks
 * will find as much work there. How many blocks run at once is an estimate: the whole launch. No result depends on it.
 * Nobody helps with such a matrix, so that its tiles need no tickets. */
#ifndef TRIGON_BATCH_QUEUE_H
#define TRIGON_BATCH_QUEUE_H

#include "batch_bins.h"
#include "gpu/vendor/early.h"

/* The words are sizes of lists, and tickets of launches, each in a cache line of its own. Behind the lists each matrix
 * has two words: the tiles that are taken, and those that are done. */
struct batch_queue {
  enum { LAUNCHES = MOST_CLASSES, USED = BATCH_BINS + LAUNCHES + 1, APART = 32, WORDS = USED * APART };
  enum { WORDS_OF_MATRIX = BATCH_BINS + 2 };
  unsigned *words, *arrived, *lists;
  int64_t capacity; /* how many matrices a list can hold */
  unsigned sorters; /* blocks of the first launch */
  unsigned blocks;  /* how many blocks arrive: those of the next launches, or, if these begin early, of the last one */
  bool arrives;     /* whether the launch is among them */

  __device__ unsigned *size(int bin) const { return words + bin * APART; }
  __device__ unsigned *tickets(int launch) const { return words + (BATCH_BINS + launch) * APART; }
  /* How many blocks of the first launch have filled the lists. */
  __device__ unsigned *sorted() const { return words + (BATCH_BINS + LAUNCHES) * APART; }
  __device__ unsigned *taken(int64_t i) const { return lists + BATCH_BINS * capacity + 2 * i; }
  __device__ unsigned *done(int64_t i) const { return taken(i) + 1; }

  /* Puts matrix i into the list of a bin. One thread calls this. */
  __device__ void put(int64_t i, int bin) const {
    const unsigned at = tg_take_ticket_beside(size(bin));
    lists[bin * capacity + at] = static_cast<unsigned>(i);
  }
  /* Puts matrix i of order n into the list of its bin, and clears its counters if blocks may share it. One thread calls
   * this. */
  __device__ void append(int64_t i, int64_t n) const {
    int bin = 0;
#pragma unroll
    for (int b = 0; b < BATCH_BINS - 1; b++) bin += n > bin_end(b) ? 1 : 0;
    put(i, bin);
    if (n > ORDER_64) *taken(i) = 0, *done(i) = 0; /* smaller ones are never shared */
  }

  /* Publishes that this block of the first launch has put its matrices into the lists. All threads of the block call
   * this. If no launch follows, nobody would set the word back to zero. */
  __device__ void publish() const {
    if (blocks > 0) tg_count_early(sorted());
  }

  /* Begins a launch behind the first one. Returns whether the bins first .. end - 1 have matrices. All threads of the
   * block call this. */
  __device__ bool begin(int first, int end) const {
    tg_begin_next();
    tg_await_early(sorted(), sorters);
    return present(first, end) > 0;
  }

  /* How many matrices the bins first .. end - 1 have. */
  __device__ unsigned present(int first, int end) const {
    unsigned sum = 0;
#pragma unroll
    for (int bin = 0; bin < BATCH_BINS; bin++) sum += bin >= first && bin < end ? *size(bin) : 0;
    return sum;
  }

  /* How many blocks the bins have work for, by tiles of this order. A matrix up to ORDER_256 has work for a block in
   * each tile row at once; more blocks would wait there, and keep small matrices from running meanwhile. */
  __device__ unsigned useful(int first, int end, int order) const {
    unsigned sum = 0;
    for (int bin = first; bin < end; bin++)
      if (*size(bin) > 0)
        sum += bin_end(bin) > ORDER_256 ? gridDim.x : *size(bin) * static_cast<unsigned>(bin_end(bin) / order);
    return sum;
  }

  /* How many matrices of a list, the first ones, are factored by one block each, if the lists behind have so many. */
  __device__ unsigned alone(int bin, unsigned behind) const {
    const unsigned here = *size(bin), most = gridDim.x;
    if (bin_slots(bin) > 1 || here + behind <= most) return 0;
    return behind > most ? here : here + behind - most;
  }

  struct entry {
    int64_t i; /* the matrix, or -1 */
    bool alone;
  };

  /* What entry_at counts: each slot, or each matrix that has helpers. */
  enum counted_as { SLOTS, HELPED };

  /* Entry `at` of the lists of the bins first .. end - 1. */
  __device__ entry entry_at(unsigned at, int first, int end, counted_as counted) const {
    unsigned behind = present(first, end);
    for (int bin = end - 1; bin >= first; bin--) {
      behind -= *size(bin);
      const unsigned single = alone(bin, behind), skipped = counted == HELPED ? single : 0;
      const unsigned per_matrix = counted == SLOTS ? bin_slots(bin) : 1;
      const unsigned entries = (*size(bin) - skipped) * per_matrix;
      if (at < entries) {
        const unsigned number = skipped + at / per_matrix;
        return {lists[bin * capacity + number], number < single};
      }
      at -= entries;
    }
    return {-1, false};
  }

  /* Matrix `at` of the lists of the bins first .. end - 1, or -1. */
  __device__ int64_t matrix_at(unsigned at, int first, int end) const {
    for (int bin = end - 1; bin >= first; bin--) {
      const unsigned here = *size(bin);
      if (at < here) return lists[bin * capacity + at];
      at -= here;
    }
    return -1;
  }

  /* The next slot. All threads of the block call this. */
  __device__ entry take_slot(int launch, int first, int end, unsigned *word) const {
    return entry_at(tg_ticket(tickets(launch), word), first, end, SLOTS);
  }

  /* How many matrices have helpers. */
  __device__ unsigned helped(int first, int end) const {
    constexpr unsigned MOST = 512;
    unsigned sum = 0, behind = 0;
    for (int bin = first; bin < end; bin++) {
      const unsigned here = *size(bin);
      sum += here - alone(bin, behind), behind += here;
    }
    return sum < MOST ? sum : MOST;
  }

  /* Each block ends with this. The last block empties the lists. A launch ends behind the launches ahead. */
  __device__ void finish(unsigned *word) const {
    const bool empties = arrives && tg_last_block(arrived, blocks, word);
    if (empties || blockIdx.x == 0) tg_await_launches();
    if (!empties) return;
    for (int at = static_cast<int>(threadIdx.x); at < USED; at += blockDim.x) words[at * APART] = 0;
  }
};

/* The matrices of a block that shares none, one after the other. The first index of a block is its number: a ticket
 * would take an access to memory. A later ticket is taken when the block is free, not ahead, so that blocks with small
 * matrices take more of them. */
struct batch_matrices {
  const batch_queue &q;
  int launch, first, end; /* the bins first .. end - 1 */
  unsigned index = blockIdx.x;

  /* The present matrix, or -1. */
  __device__ int64_t present() const { return q.matrix_at(index, first, end); }
  /* All threads of the block call this. */
  __device__ void advance(unsigned *word) { index = gridDim.x + tg_ticket(q.tickets(launch), word); }
};

/* The matrices of a block, one after the other: those that it takes from the lists, and then those that it helps with.
 * Each block begins to help with another one. */
struct batch_turns {
  const batch_queue &q;
  int launch, first, end; /* the bins first .. end - 1 */
  unsigned helped, at = 0;
  bool helps = false;

  __device__ batch_turns(const batch_queue &lists, int number, int first_bin, int end_bin)
      : q(lists), launch(number), first(first_bin), end(end_bin), helped(lists.helped(first_bin, end_bin)) {}

  /* Matrix `number` in the order in which the block helps. */
  __device__ int64_t to_help(unsigned number) const {
    return q.entry_at((number + blockIdx.x) % helped, first, end, batch_queue::HELPED).i;
  }

  /* all(i) is the number of items (batch_share.h) of matrix i. All threads of the block call this. */
  template <class All> __device__ batch_queue::entry next(All all, unsigned *word, unsigned long long *vote) {
    if (!helps) {
      const batch_queue::entry mine = q.take_slot(launch, first, end, word);
      if (mine.i >= 0) return mine;
      helps = true;
    }
    at = tg_first_below([&](unsigned number) { return q.done(to_help(number)); },
                        [&](unsigned number) { return all(to_help(number)); }, at, helped, vote);
    return {at < helped ? to_help(at++) : -1, false};
  }
};

#endif
