/* async_copies.c - copies that a thread begins, and that land later: tg_copy_async and its kin, tg_commit_copies and
 * tg_await_copies.
 *
 * A GPU may read the source at any moment between the begin of a copy and its wait, and may write the destination at
 * any such moment. So the simulated GPU does what shows most mistakes. At the begin it keeps the source, and fills the
 * destination with NaNs: who reads the destination too early reads NaNs. The copy lands at the wait, not before. If the
 * source has changed since the begin, NaNs land: the source was copied before it was ready, or was overwritten too
 * early. To read the source only once would hide one of these two mistakes. What nobody waits for never lands.
 *
 * The race detector sees a read of the source and a write of the destination at both moments. */
#include "races.h"

#include <stdlib.h>
#include <string.h>

enum { most_copied = 16, first_capacity = 64 };

struct async_copy {
  unsigned char *to;
  const unsigned char *from;
  const void *site; /* the instruction behind the call */
  unsigned group;   /* how many groups the thread had ended before */
  unsigned char size, valid;
  unsigned char source[most_copied];
};

static void touch(const async_copy *c) {
  if (!sim_race_checked()) return;
  if (c->valid > 0) sim_race_plain(c->from, c->valid, false, c->site);
  sim_race_plain(c->to, c->size, true, c->site);
}

/* Returns memory for a copy behind the thread's unfinished copies, or NULL if there is no memory. */
static async_copy *new_copy(fiber *f) {
  if (f->copies_end == f->copies_capacity) {
    const int capacity = f->copies_capacity ? 2 * f->copies_capacity : first_capacity;
    async_copy *more = realloc(f->copies, (size_t)capacity * sizeof *more);
    if (!more) {
      sim_fail(simErrorLaunchFailure, "the simulated GPU has no memory for asynchronous copies");
      return NULL;
    }
    f->copies = more, f->copies_capacity = capacity;
  }
  return &f->copies[f->copies_end++];
}

void simCopyAsync(void *to, const void *from, size_t size, size_t valid) {
  fiber *f = sim_fiber_running();
  if ((uintptr_t)to % size != 0 || (valid > 0 && (uintptr_t)from % size != 0))
    sim_fail(simErrorMisalignedAddress, "an asynchronous copy of %zu bytes from %p to %p", size, from, to);
  async_copy *c = new_copy(f);
  if (!c) return;
  *c = (async_copy){to, from, __builtin_return_address(0), f->groups, (unsigned char)size, (unsigned char)valid, {0}};
  touch(c);
  memcpy(c->source, from, valid);
  memset(to, sim_unwritten, size);
}

void simCommitCopies(void) { sim_fiber_running()->groups++; }

static void land(const async_copy *c) {
  touch(c);
  const bool kept = memcmp(c->source, c->from, c->valid) == 0;
  if (kept)
    memcpy(c->to, c->source, c->size);
  else
    memset(c->to, sim_unwritten, c->size);
}

void simAwaitCopies(unsigned left) {
  fiber *f = sim_fiber_running();
  for (; f->copies_begin < f->copies_end; f->copies_begin++) {
    const async_copy *c = &f->copies[f->copies_begin];
    if (c->group + left >= f->groups) return; /* also copies of the group that has not ended */
    land(c);
  }
  f->copies_begin = f->copies_end = 0;
}

void sim_forget_copies(fiber *fibers, int count) {
  for (fiber *f = fibers; f < fibers + count; f++) {
    free(f->copies);
    f->copies = NULL;
    f->copies_capacity = 0;
  }
}
