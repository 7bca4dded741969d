/* dataflow.c - tickets, flags, counts, arrivals and other atomics, by which blocks wait for other blocks of their
 * launch. A block gives way before and after each of these operations, so that other blocks can run in between.
 *
 * An await acquires the publication with the least value that satisfies the await, even if there are later publications
 * already. So a missing await of a later publication is found in every order of blocks. */
#include "races.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct publication {
  struct publication *next;
  const unsigned *flag;
  unsigned value;
  uint32_t block;
  const unsigned *counter; /* gave the publisher its ticket */
  unsigned ticket;
  uint32_t clock[]; /* what happened before the publication; empty if races are not checked */
} publication;

enum { buckets = 1024 };
static publication *publications[buckets];

static publication **bucket_of(const unsigned *flag) { return &publications[(uintptr_t)flag / sizeof *flag % buckets]; }

void sim_forget_publications(void) {
  for (int i = 0; i < buckets; i++)
    while (publications[i]) {
      publication *p = publications[i];
      publications[i] = p->next;
      free(p);
    }
}

/* Returns the publication with the least value that is at least `value`, or NULL if no publication has such a value. */
static publication *find_publication(const unsigned *flag, unsigned value) {
  publication *found = NULL;
  for (publication *p = *bucket_of(flag); p; p = p->next)
    if (p->flag == flag && p->value >= value && (!found || p->value < found->value)) found = p;
  return found;
}

static publication *add_publication(const unsigned *flag, unsigned value) {
  const block *b = sim_scheduler.running;
  const size_t clock = sim_race_checked() ? (size_t)sim_scheduler.launch->blocks : 0;
  publication *p = malloc(sizeof *p + clock * sizeof *p->clock);
  if (!p) {
    sim_fail(simErrorLaunchFailure, "the simulated GPU has no memory for a publication");
    return NULL;
  }
  *p = (publication){*bucket_of(flag), flag, value, b->index, b->counter, b->ticket};
  memset(p->clock, 0, clock * sizeof *p->clock);
  *bucket_of(flag) = p;
  return p;
}

static unsigned look(const unsigned *flag) { return *(const volatile unsigned *)flag; }

/* Lets other blocks run. Each atomic operation gives way before and after its access. */
static void give_way(void) { sim_fiber_suspend(YIELDED); }

void simAtomicMin(unsigned long long *p, unsigned long long x) {
  give_way();
  if (x < *p) *p = x;
  sim_race_atomic(p, sizeof *p, UPDATE);
  give_way();
}

void simAtomicMax(unsigned *p, unsigned x) {
  give_way();
  if (x > *p) *p = x;
  sim_race_atomic(p, sizeof *p, UPDATE);
  give_way();
}

void simAtomicMaxWide(unsigned long long *p, unsigned long long x) {
  give_way();
  if (x > *p) *p = x;
  sim_race_atomic(p, sizeof *p, UPDATE);
  give_way();
}

void simAtomicAdd(unsigned long long *p, unsigned long long x) {
  give_way();
  *p += x;
  sim_race_atomic(p, sizeof *p, UPDATE);
  give_way();
}

/* The last of `all` tickets leaves zero in the counter; `all` is 0 if there is no last one. */
static unsigned take_ticket(unsigned *counter, unsigned all) {
  give_way();
  block *b = sim_scheduler.running;
  const unsigned ticket = *counter;
  *counter = ticket + 1 == all ? 0 : ticket + 1;
  b->counter = counter, b->ticket = ticket;
  sim_race_atomic(counter, sizeof *counter, UPDATE);
  give_way();
  return ticket; /* meanwhile another thread may have taken one */
}
unsigned simTicket(unsigned *counter) { return take_ticket(counter, 0); }
unsigned simTicketOf(unsigned *counter, unsigned all) { return take_ticket(counter, all); }

/* The values of a flag ascend. Otherwise a block that awaits a value could come too late to find the value. */
void simPublish(unsigned *flag, unsigned value) {
  give_way();
  const block *b = sim_scheduler.running;
  if (look(flag) >= value)
    sim_fail(simErrorFalling, "block %u published %u in the flag at %p, which holds %u", b->index, value, (void *)flag,
             look(flag));
  publication *p = add_publication(flag, value);
  if (p) sim_race_release(b, p->clock);
  *flag = value;
  sim_race_atomic(flag, sizeof *flag, PUBLICATION);
  give_way();
}

/* What happened before a count happened before all later counts of the flag, too. The publication names the block with
 * the highest ticket, because an await waits for all of these blocks. */
void simCount(unsigned *flag) {
  give_way();
  const block *b = sim_scheduler.running;
  const publication *before = look(flag) > 0 ? find_publication(flag, look(flag)) : NULL;
  if (look(flag) > 0 && !before)
    sim_fail(simErrorUnpublished,
             "block %u counts in the flag at %p, which holds %u that no block of this launch counted", b->index,
             (void *)flag, look(flag));
  publication *p = add_publication(flag, look(flag) + 1);
  if (p && before) {
    if (before->ticket > p->ticket) p->block = before->block, p->ticket = before->ticket;
    if (sim_race_checked()) memcpy(p->clock, before->clock, (size_t)sim_scheduler.launch->blocks * sizeof *p->clock);
  }
  if (p) sim_race_release(b, p->clock);
  ++*flag;
  sim_race_atomic(flag, sizeof *flag, ARRIVAL);
  give_way();
}

/* The last block to arrive acquires what all other blocks have released. The other blocks acquire nothing. */
bool simArrive(unsigned *counter, unsigned expected) {
  give_way();
  block *b = sim_scheduler.running;
  publication *all = find_publication(counter, 0);
  if (!all) all = add_publication(counter, 0);
  if (!all) return false;
  const bool last = ++*counter == expected;
  sim_race_release(b, all->clock);
  sim_race_atomic(counter, sizeof *counter, ARRIVAL);
  if (last) sim_race_acquire(b, all->clock);
  give_way();
  return last;
}

/* -------------------------------------------------------------------------------------------------- awaits -- */

bool sim_await_is_over(const fiber *f) { return look(f->flag) >= f->value; }

/* A block may wait for a block with a lower ticket of the same counter, because the block with the lower ticket has
 * begun already, in every order of blocks; and for any block if all of them have begun. */
static bool may_await(const publication *p, const block *b) {
  return sim_scheduler.launch->together || p->block == b->index ||
         (b->counter && p->counter == b->counter && p->ticket < b->ticket);
}

static void acquire(const unsigned *flag, unsigned value) {
  block *b = sim_scheduler.running;
  const publication *p = find_publication(flag, value);
  if (!p || !find_publication(flag, look(flag)))
    sim_fail(simErrorUnpublished,
             "block %u awaited %u in the flag at %p, which holds %u, and no block of this launch published this value",
             b->index, value, (const void *)flag, look(flag));
  else if (!may_await(p, b))
    sim_fail(simErrorTicket, "block %u awaited %u in the flag at %p from block %u, which holds no lower ticket",
             b->index, value, (const void *)flag, p->block);
  else
    sim_race_acquire(b, p->clock);
}

static void await(const unsigned *flag, unsigned value) {
  give_way();
  fiber *f = sim_fiber_running();
  f->flag = flag, f->value = value;
  while (!sim_await_is_over(f)) sim_fiber_suspend(AWAITING);
  sim_race_atomic(flag, sizeof *flag, LOAD);
  acquire(flag, value);
}

void simAwait(const unsigned *flag, unsigned value) {
  await(flag, value);
  give_way();
}

/* What the flag holds was published after `value`, and who published it has acquired `value`. */
unsigned simAwaitMost(const unsigned *flag, unsigned value) {
  await(flag, value);
  const publication *newest = find_publication(flag, look(flag));
  const bool more = newest && sim_scheduler.device->set.seed != 1;
  const unsigned found = more ? look(flag) : value;
  if (more) sim_race_acquire(sim_scheduler.running, newest->clock);
  give_way();
  return found;
}

/* What the flag holds, without waiting, and without seeing what its publishers did. */
unsigned simPeek(const unsigned *flag) {
  give_way();
  sim_race_atomic(flag, sizeof *flag, LOAD);
  return look(flag);
}

/* ------------------------------------------------------------------------------------------------ deadlock -- */

static const fiber *waiting_fiber(const block *b) {
  for (const fiber *f = b->fibers; f < b->fibers + sim_scheduler.launch->threads; f++)
    if (f->state == AWAITING) return f;
  return NULL;
}

/* Orders blocks by their tickets. Blocks without a ticket come first. */
static int64_t rank(const block *b) { return b->counter ? (int64_t)b->ticket : -1; }

/* Returns the waiting block with the least rank that is at least `least`, or NULL if no block has such a rank. */
static const block *next_waiting(int64_t least) {
  const block *next = NULL;
  for (int i = 0; i < sim_scheduler.live; i++) {
    const block *b = sim_scheduler.resident[i];
    if (rank(b) >= least && (!next || rank(b) < rank(next))) next = b;
  }
  return next;
}

static size_t describe_wait(const block *b, char *text, size_t size) {
  const fiber *f = waiting_fiber(b);
  char ticket[32] = "no ticket";
  if (b->counter) snprintf(ticket, sizeof ticket, "ticket %u", b->ticket);
  if (b->at_cluster || !f) {
    const int said = snprintf(text, size, "; block %u waits for its cluster", b->index);
    return said < 0 ? 0 : (size_t)said;
  }
  int length = snprintf(text, size, "; block %u (%s) awaits %u in the flag at %p, which holds %u", b->index, ticket,
                        f->value, (const void *)f->flag, look(f->flag));
  return length < 0 ? 0 : (size_t)length;
}

void sim_report_deadlock(void) {
  enum { named = 2 };
  char text[sizeof sim_scheduler.device->report] = "";
  size_t length = 0;
  int64_t least = -1;
  for (int i = 0; i < named && length < sizeof text; i++) {
    const block *b = next_waiting(least);
    if (!b) break;
    length += describe_wait(b, text + length, sizeof text - length);
    least = rank(b) + 1;
  }
  sim_fail(simErrorDeadlock, "all %d resident blocks wait%s%s", sim_scheduler.live, text,
           sim_scheduler.live > named ? "; ..." : "");
}
