/* races.c - the race detector: keeps the history of each word, and compares every access with the history (see
 * races.h). Time is counted in epochs. A block's next epoch begins when the block passes a barrier. Block, epoch and
 * thread identify an access. For each word of device and shared memory the detector keeps the accesses with which a
 * later access may conflict. */
#define _GNU_SOURCE /* dladdr */
#include "races.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { word_size = 4, page_words = 1024, pool_size = 1024 };
enum { many = -1 }; /* instead of a thread: several threads of the block did the same in this epoch */

/* Two accesses to one byte conflict if one of them writes and the sum of their kinds is PLAIN or more. So publications
 * of one flag, which must have an order, conflict with each other. Other atomic accesses conflict with plain ones
 * alone. */
typedef enum kind { ATOMIC, PUBLISHED, PLAIN } kind;

typedef struct access {
  const void *from; /* the instruction behind the access; NULL: the access is atomic */
  uint32_t block, epoch;
  uint32_t covered; /* a thread that has seen so many epochs of the block has seen the access */
  int thread;
  kind kind;
  bool writes;
  unsigned char bytes; /* of the word: a bit for each */
} access;

typedef struct entry {
  struct entry *next;
  access by;
} entry;

/* All accesses of a word that a later one may conflict with. */
typedef struct cell {
  entry *entries;
} cell;

/* Entries come from pools. The pools live as long as the launch. */
typedef struct pool {
  struct pool *next;
  int used;
  entry entries[pool_size];
} pool;

static struct {
  bool reported; /* kernels report their accesses */
  cell **pages;  /* of the device's arena; a page is NULL until the first access to it */
  size_t page_count;
  pool *pools;
  entry *unused; /* entries that pools gave away before */
} races;

bool sim_race_checked(void) { return races.reported; }

bool sim_race_begin(void) {
  if (!races.reported) return true;
  races.page_count = sim_scheduler.device->used / (word_size * page_words);
  races.pages = calloc(races.page_count + 1, sizeof *races.pages);
  return races.pages;
}

void sim_race_end(void) {
  for (size_t i = 0; races.pages && i < races.page_count; i++) free(races.pages[i]);
  free(races.pages);
  races.pages = NULL;
  races.unused = NULL;
  while (races.pools) {
    pool *p = races.pools;
    races.pools = p->next;
    free(p);
  }
}

static bool provided(const void *memory) {
  if (!memory) sim_fail(simErrorLaunchFailure, "the simulated GPU has no memory to look for races");
  return memory;
}

/* ------------------------------------------------------------------------------------------------- history -- */

static size_t words(size_t size) { return (size + word_size - 1) / word_size; }

/* Returns the history of the word at p, or NULL if p is neither in device memory nor in shared memory of the cluster,
 * or if memory for the history is missing. */
static cell *find_cell(uintptr_t p) {
  const scheduler *s = &sim_scheduler;
  const size_t offset = p - (uintptr_t)s->device->arena, in_shared = p - (uintptr_t)s->running->shared;
  if (in_shared < s->launch->shared) return s->running->shared_cells + in_shared / word_size;
  for (int i = 0; s->launch->cluster > 1 && i < s->live; i++) {
    const size_t there = p - (uintptr_t)s->resident[i]->shared;
    if (there < s->launch->shared && sim_is_mate(s->resident[i], s->running))
      return s->resident[i]->shared_cells + there / word_size;
  }
  if (offset >= s->device->used) return NULL;
  cell **page = &races.pages[offset / (word_size * page_words)];
  if (!*page && !provided(*page = calloc(page_words, sizeof **page))) return NULL;
  return &(*page)[offset / word_size % page_words];
}

static entry *new_entry(void) {
  entry *unused = races.unused;
  if (unused) {
    races.unused = unused->next;
    return unused;
  }
  if (!races.pools || races.pools->used == pool_size) {
    pool *p = malloc(sizeof *p);
    if (!provided(p)) return NULL;
    p->next = races.pools, p->used = 0;
    races.pools = p;
  }
  return &races.pools->entries[races.pools->used++];
}

static void drop_entry(entry **link) {
  entry *e = *link;
  *link = e->next;
  e->next = races.unused;
  races.unused = e;
}

/* Returns whether the access `a` is ordered before the access `now`. */
static bool is_past(const access *a, const access *now) {
  const uint32_t *seen = sim_scheduler.running->seen;
  if (a->block == now->block) return a->epoch < now->epoch || a->thread == now->thread;
  return seen && a->covered <= seen[a->block];
}

/* Writes the place of an access in the program, as addr2line reads the place. */
static void describe(const access *a, char *text, size_t size) {
  Dl_info info = {0};
  if (!a->from || !dladdr(a->from, &info) || !info.dli_fname) {
    snprintf(text, size, "atomically");
    return;
  }
  const char *slash = strrchr(info.dli_fname, '/');
  snprintf(text, size, "at %.40s+0x%zx", slash ? slash + 1 : info.dli_fname,
           (size_t)((const char *)a->from - (const char *)info.dli_fbase) - 1);
}

static bool conflict(const access *a, const access *b) {
  return (a->bytes & b->bytes) && (a->writes || b->writes) && a->kind + b->kind >= PLAIN;
}

static void report(const access *before, const access *now) {
  char there[80], here[80];
  describe(before, there, sizeof there);
  describe(now, here, sizeof here);
  sim_fail(simErrorRace, "block %u %s a word %s, block %u %s the word %s, and nothing orders the two", before->block,
           before->writes ? "writes" : "reads", there, now->block, now->writes ? "writes" : "reads", here);
}

static bool same_moment(const access *a, const access *b) {
  return a->block == b->block && a->epoch == b->epoch && a->covered == b->covered && a->kind == b->kind &&
         a->writes == b->writes && a->bytes == b->bytes;
}

/* Whether whatever conflicts with one access conflicts with another, too. */
static bool hides(const access *a, const access *hidden) {
  return a->writes >= hidden->writes && a->kind >= hidden->kind && (hidden->bytes & ~a->bytes) == 0;
}

/* Adds an access to the history, and reports a race. An earlier access is dropped if it happened before the new one and
 * the new one hides it: an access that is ordered after the new one is ordered after both. */
static void add_to_cell(cell *c, const access *now) {
  const access *newest = c->entries ? &c->entries->by : NULL;
  /* The access is a repetition. What came before was compared with it, and it with what came later. */
  if (newest && same_moment(newest, now) && (newest->thread == now->thread || newest->thread == many)) return;
  entry **link = &c->entries, *same = NULL;
  while (*link) {
    const access *a = &(*link)->by;
    const bool past = is_past(a, now);
    if (!past && conflict(a, now)) report(a, now);
    if (!past && same_moment(a, now)) same = *link;
    if (past && hides(now, a))
      drop_entry(link);
    else
      link = &(*link)->next;
  }
  if (same) {
    same->by.thread = many;
  } else if ((same = new_entry())) {
    *same = (entry){c->entries, *now};
    c->entries = same;
  }
}

/* The bytes of a word that p .. p + size contains. */
static unsigned char bytes_of(uintptr_t word, uintptr_t p, size_t size) {
  unsigned char bytes = 0;
  for (int i = 0; i < word_size; i++)
    if (word + (unsigned)i - p < size) bytes |= (unsigned char)(1 << i);
  return bytes;
}

static void add_access(const void *p, size_t size, const access *now) {
  const uintptr_t begin = (uintptr_t)p / word_size * word_size;
  for (uintptr_t word = begin; word < (uintptr_t)p + size; word += word_size) {
    access part = *now;
    part.bytes = bytes_of(word, (uintptr_t)p, size);
    cell *c = find_cell(word);
    if (c) add_to_cell(c, &part);
  }
}

static access new_access(kind what, bool writes, const void *from) {
  const block *b = sim_scheduler.running;
  return (access){from, b->index, b->epoch, b->epoch + 1, sim_fiber_running()->thread, what, writes, 0};
}

void sim_race_atomic(const void *p, size_t size, atomic what) {
  if (!races.reported) return;
  access now = new_access(what == PUBLICATION ? PUBLISHED : ATOMIC, what != LOAD, NULL);
  if (what == PUBLICATION || what == ARRIVAL) now.covered = now.epoch; /* the access belongs to what is released */
  add_access(p, size, &now);
}

void sim_race_plain(const void *p, size_t size, bool writes, const void *from) {
  if (!sim_fiber_running()) return; /* the host runs code from the source of a kernel */
  const access now = new_access(PLAIN, writes, from);
  add_access(p, size, &now);
}

/* --------------------------------------------------------------------------------------------------- order -- */

void sim_race_begin_block(block *b) {
  b->shared_cells = calloc(words(sim_scheduler.launch->shared) + 1, sizeof *b->shared_cells);
  (void)provided(b->shared_cells);
}

void sim_race_end_block(block *b) {
  for (size_t i = 0; b->shared_cells && i < words(sim_scheduler.launch->shared); i++)
    while (b->shared_cells[i].entries) drop_entry(&b->shared_cells[i].entries);
  free(b->shared_cells);
  free(b->seen);
  free(b->pending);
  b->shared_cells = NULL;
  b->seen = b->pending = NULL;
}

/* to[c] = max(to[c], from[c]) */
static void join(uint32_t *to, const uint32_t *from) {
  for (int64_t c = 0; c < sim_scheduler.launch->blocks; c++)
    if (from[c] > to[c]) to[c] = from[c];
}

/* Returns `clock`, or a new clock of zeros if `clock` is NULL. */
static uint32_t *need_clock(uint32_t *clock) {
  if (!clock) clock = calloc((size_t)sim_scheduler.launch->blocks, sizeof *clock);
  (void)provided(clock);
  return clock;
}

void sim_race_barrier(block *b) {
  if (!b->pending || !(b->seen = need_clock(b->seen))) return;
  join(b->seen, b->pending);
  free(b->pending);
  b->pending = NULL;
}

void sim_race_release(const block *b, uint32_t *clock) {
  if (!races.reported) return;
  if (b->seen) join(clock, b->seen);
  if (b->epoch > clock[b->index]) clock[b->index] = b->epoch;
}

void sim_race_acquire(block *b, const uint32_t *clock) {
  if (!races.reported || !(b->pending = need_clock(b->pending))) return;
  join(b->pending, clock);
}

/* --------------------------------------------------------------------------- functions that compilers call -- */

#define REPORT_OF(size)                                                                                                \
  void __tsan_read##size(void *p);                                                                                     \
  void __tsan_write##size(void *p);                                                                                    \
  void __tsan_unaligned_read##size(void *p);                                                                           \
  void __tsan_unaligned_write##size(void *p);                                                                          \
  void __tsan_read##size(void *p) { sim_race_plain(p, size, false, __builtin_return_address(0)); }                     \
  void __tsan_write##size(void *p) { sim_race_plain(p, size, true, __builtin_return_address(0)); }                     \
  void __tsan_unaligned_read##size(void *p) { sim_race_plain(p, size, false, __builtin_return_address(0)); }           \
  void __tsan_unaligned_write##size(void *p) { sim_race_plain(p, size, true, __builtin_return_address(0)); }
REPORT_OF(1)
REPORT_OF(2)
REPORT_OF(4)
REPORT_OF(8)
REPORT_OF(16)

void __tsan_init(void);
void __tsan_func_entry(void *from);
void __tsan_func_exit(void *unused);
void __tsan_read_range(void *p, long size);
void __tsan_write_range(void *p, long size);

/* Called before main, or when the library is loaded. */
void __tsan_init(void) { races.reported = true; }
void __tsan_func_entry(void *from) { (void)from; }
void __tsan_func_exit(void *unused) { (void)unused; }
void __tsan_read_range(void *p, long size) { sim_race_plain(p, (size_t)size, false, __builtin_return_address(0)); }
void __tsan_write_range(void *p, long size) { sim_race_plain(p, (size_t)size, true, __builtin_return_address(0)); }
