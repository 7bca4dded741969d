/* tune.c - the command tune: searches rows as long as there is time, and writes the table. */
#include "../bench/picture/heading.h"
#include "../command.h"
#include "../command_line.h"
#include "../files/atomic_output.h"
#include "../files/path.h"
#include "duel.h"
#include "gpu_search.h"
#include "host_search.h"
#include "tune_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------------------------------------ the output -- */

/* Makes the folders of a path. Returns the exit status. */
static int make_folders(const char *path) {
  char folder[PATH_MAX];
  struct stat there;
  for (const char *slash = strchr(path + 1, '/'); slash && slash - path < PATH_MAX; slash = strchr(slash + 1, '/')) {
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (stat(folder, &there) == 0 || mkdir(folder, 0700) == 0 || errno == EEXIST) continue;
    return failed("tune", "%s: cannot make the folder %s: %s", path, folder, strerror(errno));
  }
  return EXIT_DONE;
}

static int write_table(const char *path, const table *t) {
  char why[WHY_SIZE];
  atomic_output out;
  const bool done =
      output_open(&out, path, false, why, sizeof why) && output_write(&out, t->text, t->length) && output_commit(&out);
  output_close(&out);
  return done ? EXIT_DONE : failed("tune", "%s", why);
}

/* ------------------------------------------------------------------------------------------------- the search -- */

static void write_heading(const tune_options *o, const char *described, table *t) {
  char processor[MOST_PROCESSOR], date[MOST_DATE];
  processor_name(processor);
  date_today(date);
  table_comment(t, "Tuning table of Trigon %s, written by trigon tune, %s, in %.0f s", trigon_version(), date,
                o->seconds);
  table_comment(t, "processor: %s", processor);
  table_comment(t, "backend: %s", o->backend);
  table_comment(t, "%s", described);
  table_add(t, "version 2\n"); /* of the words: docs/tuning.md */
  table_comment(t, "%s", "routine, type, shape, up to this order, leaf, the recursion stops at   # orders, speed");
}

/* How much of the time a row gets, relative to the others. */
static double weight(const tune_options *o, const subject *what) {
  static const double of_shape[] = {[W2048] = 4, [W512] = 3, [W64] = 2, [W16] = 1};
  const bool wanted = o->wanted[what->routine - tuned_routines] && (what->shape == W2048 || what->routine->has_shapes);
  return wanted ? of_shape[what->shape] * (what->type == 'd' ? 3 : 1) : 0;
}

/* The next subject: routines in the order of dependence, then the shapes, then the types. False behind the last one. */
static bool next_subject(const tune_options *o, int index, subject *what) {
  const int type = index / (TUNED * TUNED_SHAPES);
  if (type >= o->types) return false;
  *what = (subject){&tuned_routines[index % TUNED], o->type[type], (tuned_shape)(index / TUNED % TUNED_SHAPES)};
  return true;
}

/* A table of a GPU. Tables of tiles are for doubles. */
typedef struct gpu_subject {
  bool is_batch;
  int table;
  char type;
} gpu_subject;

/* First the tiles, then the batches, by types. False behind the last one. */
static bool next_gpu_subject(const tune_options *o, int index, gpu_subject *what) {
  const int batch = index - TUNED_TILES;
  if (batch >= TUNED_BATCHES * o->types) return false;
  *what = batch < 0 ? (gpu_subject){false, index, 'd'}
                    : (gpu_subject){true, batch % TUNED_BATCHES, o->type[batch / TUNED_BATCHES]};
  return true;
}

/* Of all rows of a GPU, these tables get about half of the time. */
static double gpu_weight(const tune_options *o, const search *s, const gpu_subject *what) {
  const double of_tiles = 40, of_batches = 15;
  if (what->is_batch)
    return o->wanted_batches[what->table] && search_has_classes(s, what->table, what->type) ? of_batches : 0;
  const bool has_d = memchr(o->type, 'd', (size_t)o->types) != NULL;
  return o->wanted_tiles[what->table] && has_d && search_has_tiles(s, what->table) ? of_tiles : 0;
}

/* `left`: the weights of all of them. */
static bool search_gpu(const tune_options *o, search *s, double end, double left) {
  gpu_subject what;
  for (int i = 0; next_gpu_subject(o, i, &what); i++) {
    const double own = gpu_weight(o, s, &what), now = seconds_now();
    const size_t from = s->found.length;
    if (own <= 0) continue;
    s->deadline = now + (end - now) * own / left;
    left -= own;
    if (!(what.is_batch ? search_classes(s, what.table, what.type) : search_tiles(s, what.table))) return false;
    search_show(s, from);
  }
  return true;
}

/* Of a context with its matrices in host memory nothing else is measured: its GPUs have tables of their own. */
static bool search_hosts(const tune_options *o, search *s) {
  const double end = seconds_now() + o->seconds;
  int left = 0;
  for (int i = 0; i < TUNED_HOSTS; i++) left += o->wanted_hosts[i];
  for (int i = 0; i < TUNED_HOSTS; i++) {
    const double now = seconds_now();
    const size_t from = s->found.length;
    if (!o->wanted_hosts[i]) continue;
    s->deadline = now + (end - now) / left--;
    if (!search_host(s, i)) return false;
    search_show(s, from);
  }
  return true;
}

static bool search_all(const tune_options *o, search *s) {
  const double end = seconds_now() + o->seconds, team_share = 0.2;
  double left = 0, gpu = 0;
  subject what;
  gpu_subject on_gpu;
  for (int i = 0; next_gpu_subject(o, i, &on_gpu); i++) gpu += gpu_weight(o, s, &on_gpu);
  left = gpu;
  for (int i = 0; next_subject(o, i, &what); i++) left += weight(o, &what);
  for (int i = 0; next_subject(o, i, &what); i++) {
    const double own = weight(o, &what), now = seconds_now();
    if (own <= 0) continue;
    const double seconds = (end - now) * own / left;
    left -= own;
    s->deadline = now + team_share * seconds;
    if (what.shape == W2048 && !search_team(s, &what)) return false;
    s->deadline = now + seconds;
    if (search_has_choice(s, &what) && !search_row(s, &what)) return false;
  }
  return search_gpu(o, s, end, gpu);
}

/* Stores the rows of a GPU without a table. */
static bool read_rows(search *s, char *why, size_t why_size) {
  trigon_context *ctx = NULL;
  if (s->on_host) return true;
  const bool made = duel_context(s->backend, &s->found, &ctx, why, why_size);
  if (made && !(s->rows = strdup(trigon_rows(ctx)))) snprintf(why, why_size, "out of memory");
  trigon_destroy(ctx);
  return s->rows != NULL;
}

/* The table that the file had before, as far as its rows are to be kept. */
typedef struct table_before {
  table text;
  bool exists;
} table_before;

/* Reads the table that the new one is to be merged with. Contexts ignore a bad table, so none of its rows is kept. */
static int read_before(const tune_options *o, const char *path, table_before *before) {
  char why[WHY_SIZE];
  trigon_context *ctx = NULL;
  if (is_standard(path)) return EXIT_DONE;
  if (!merge_read(path, &before->text, &before->exists, why, sizeof why)) return failed("tune", "%s", why);
  if (before->exists && !duel_context(o->backend, &before->text, &ctx, why, sizeof why)) {
    const char *line = strstr(why, ": line ");
    note("tune", "%s is no good table, and none of its rows is kept: %s", path, line ? line + 2 : why);
    before->text.length = 0;
  }
  trigon_destroy(ctx);
  return EXIT_DONE;
}

/* Adds the old rows that were not measured, and writes the table. */
static int finish_table(const char *path, const table_before *before, search *s) {
  int kept;
  if (!is_standard(path) && !measured_any(&s->done))
    return failed("tune", "%s: nothing was measured, and %s %s",
                  s->searched ? "too little time" : "there is nothing to choose", path,
                  before->exists ? "stays as it is" : "is not written");
  const size_t from = s->found.length;
  if (before->text.length > 0) table_comment(&s->found, "%s", "Not measured this time, from the table before:");
  if (!merge_lines(&before->text, &s->done, &s->found, &kept))
    return failed("tune", "%s: with the rows of the table before, the new table is too large: it stays as it is", path);
  if (kept == 0) s->found.text[s->found.length = from] = '\0';
  if (!s->quiet) fputs(s->found.text + from, s->report);
  return write_table(path, &s->found);
}

/* On the CPU the backend's name names the BLAS: cpu:LIBRARY or cpu64:LIBRARY. */
static bool has_blas(const char *backend, bool on_host) { return !on_host || backend[strcspn(backend, ":?")] == ':'; }

static int tune(const tune_options *o, trigon_context *ctx, const char *path, const table_before *before) {
  char why[WHY_SIZE];
  search *s = calloc(1, sizeof *s);
  if (!s) return failed("tune", "out of memory");
  s->backend = o->backend;
  s->on_host = trigon_on_host(ctx);
  s->has_blas = has_blas(o->backend, s->on_host);
  s->quiet = o->quiet;
  s->why = why;
  s->why_size = sizeof why;
  s->largest = o->largest, s->batch = o->batch;
  s->report = is_standard(path) ? stderr : stdout;
  write_heading(o, trigon_describe(ctx), &s->found);
  if (!s->quiet) fputs(s->found.text, s->report);
  s->is_hosted = s->on_host && strncmp(o->backend, "cpu", 3) != 0;
  const bool done = read_rows(s, why, sizeof why) && (s->is_hosted ? search_hosts : search_all)(o, s);
  int status = done ? EXIT_DONE : failed("tune", "%s", why);
  if (status == EXIT_DONE) status = finish_table(path, before, s);
  if (status == EXIT_DONE && !o->quiet) print_safe(s->report, "written to %s\n", output_name(path));
  free(s->rows);
  free(s);
  return status;
}

static int tune_file(const tune_options *o, trigon_context *ctx, const char *path) {
  table_before *before = calloc(1, sizeof *before);
  if (!before) return failed("tune", "out of memory");
  int status = read_before(o, path, before);
  if (status == EXIT_DONE) status = tune(o, ctx, path, before);
  free(before);
  return status;
}

int tune_command(int argc, char **argv) {
  char why[WHY_SIZE];
  tune_options o;
  trigon_context *ctx;
  int status = tune_parse(argc, argv, &o);
  if (status != PARSED) return status;
  if (trigon_create(o.backend, &ctx, why, sizeof why) != TRIGON_OK) return failed("tune", "%s", why);
  const char *path = o.output ? o.output : trigon_tuning_file(ctx);
  status = !o.output && *path ? make_folders(path) : EXIT_DONE;
  if (status == EXIT_DONE && !*path)
    status = failed("tune", "contexts look for no table (TRIGON_TUNING is none, or HOME is not set): use --output");
  else if (status == EXIT_DONE && !output_check(path, why, sizeof why))
    status = failed("tune", "%s", why);
  else if (status == EXIT_DONE)
    status = tune_file(&o, ctx, path);
  trigon_destroy(ctx);
  return status;
}
