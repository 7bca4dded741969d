/* bench_print.c - prints benchmark rows on standard output, as a table or as CSV. */
#include "bench_print.h"
#include "../command.h"
#include "../matrix/element_type.h"
#include "../report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const impl_names[IMPLS] = {"trigon", "native", "gemm"};

void print_begin(bool csv, const char *backend, const char *description) {
  if (csv) {
    puts("routine,type,backend,impl,variant,m,n,k,batch,ms,gflops,error,extra_bytes,floor_ms,detail");
    return;
  }
  print_safe(stdout, "%% trigon %s, backend %s: %s\n", trigon_version(), backend, description);
}

void print_remark(bool csv, const char *format, ...) {
  char text[WHY_SIZE];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (csv)
    note("bench", "%s", text);
  else
    print_safe(stdout, "%% %s\n", text);
}

/* The tuning table comes last in a description. Native calls do not read it. */
void print_library(bool csv, const char *impl, const native_library *library, const trigon_context *ctx) {
  if (!ctx || library->is_backends) return;
  const char *described = trigon_describe(ctx), *table = strstr(described, ", table: "), *advice = trigon_advice(ctx);
  const int length = table ? (int)(table - described) : (int)strlen(described);
  print_remark(csv, "%s: %s, %.*s", impl, library->name, length, described);
  if (*advice) print_remark(csv, "advice: %s", advice);
}

void print_group(const problem *p, const bench_setup *setup) {
  printf("%%\n%% %s %s, type %c (%s)\n%%", p->routine->name, p->variant, p->type, type_words(p->type));
  for (const char *size = p->routine->sizes; *size; size++)
    printf("%*c", size == p->routine->sizes ? 6 : 7, toupper((unsigned char)*size));
  for (int i = 0; i < IMPLS; i++) {
    char title[32];
    snprintf(title, sizeof title, "%s Gflop/s (ms)", i == TRIGON_IMPL ? "" : impl_names[i]);
    if (setup->ctx[i]) printf(" %22s", title);
  }
  printf("%s%s      error  ok\n", setup->ctx[TRIGON_IMPL] && setup->ctx[NATIVE_IMPL] ? "  ratio" : "",
         setup->copy ? "  floor (ms)  ms/floor" : "");
  fflush(stdout);
}

bool row_is_ok(const bench_row *row) {
  bool ok = true;
  for (int i = 0; i < IMPLS; i++) ok &= row->impl[i].ok || !row->impl[i].measured;
  return ok;
}

static const char *const traced_names[TRACED_KINDS] = {"gemm", "trmm",  "trsm",  "syrk", "syr2k",
                                                       "symm", "potrf", "trtri", "lauum"};

static double traced_flops(const measurement *r) {
  double sum = 0;
  for (int i = 0; i < TRACED_KINDS; i++) sum += r->counts[i].flops;
  return sum;
}

/* Prints what the recursion handed to the BLAS, a line for each routine. */
static void print_trace(const measurement *r) {
  for (int i = 0; r->traced && i < TRACED_KINDS; i++) {
    const trigon_count *p = &r->counts[i];
    if (p->calls == 0) continue;
    printf("%%      %-5s %5" PRId64 " calls %5" PRId64 " blocks %6.1f %% of the flops, %.4g to %.4g Mflop a block\n",
           traced_names[i], p->calls, p->blocks, 100 * p->flops / traced_flops(r), 1e-6 * p->least, 1e-6 * p->most);
  }
}

/* Trigon, unless --only chose another implementation. */
static int first_measured(const bench_row *row) {
  int impl = TRIGON_IMPL;
  while (!row->impl[impl].measured) impl++;
  return impl;
}

/* Prints what was emulated, and how exact products are, under the row of a table. */
static void print_emulation(const bench_row *row, const fp64_mode *fp64) {
  if (fp64->given && row->impl[TRIGON_IMPL].measured)
    printf("%%      %s: %s\n", name_fp64_mode(fp64).text, fp64_report_words(&row->impl[TRIGON_IMPL].fp64).text);
  for (int i = 0; i < IMPLS; i++)
    if (row->impl[i].compared)
      printf("%%      %s: the largest error over |C| + |A||B| is %.2e\n", impl_names[i], row->impl[i].product_error);
}

void print_table_row(const bench_row *row, const fp64_mode *fp64) {
  for (const char *size = row->problem.routine->sizes; *size; size++)
    printf("%7" PRId64, problem_size(&row->problem, *size));
  for (int i = 0; i < IMPLS; i++)
    if (row->impl[i].measured) printf(" %10.2f (%9.4f)", row->impl[i].gflops, 1e3 * row->impl[i].seconds);
  if (!isnan(row->ratio)) printf("%7.2f", row->ratio);
  if (row->floor.seconds > 0)
    printf(" %11.4f %9.2f", 1e3 * row->floor.seconds, row->impl[first_measured(row)].seconds / row->floor.seconds);
  printf("  %9.2e  %s", row->impl[first_measured(row)].error, row_is_ok(row) ? "ok" : "FAILED");
  for (int i = 0; i < IMPLS; i++)
    if (row->impl[i].measured && !row->impl[i].ok) printf(" %s", impl_names[i]);
  putchar('\n');
  print_trace(&row->impl[TRIGON_IMPL]);
  print_emulation(row, fp64);
  if (row->inverses.refused > 0)
    printf("%%      %d of %d diagonal tiles of order %d have no usable inverse\n", row->inverses.refused,
           row->inverses.tiles, COUNTED_TILE);
  fflush(stdout);
}

/* CSV also has m for SYRK and the like: C is n × n, so m is n. */
static bool csv_has(const bench_routine *r, char size) {
  return routine_has(r, size) || (size == 'm' && routine_has(r, 'k') && !routine_is_part(r));
}

/* Prints text that may contain a comma as a field of CSV, safe for a terminal. */
static void print_field(const char *text) {
  bool in_quotes = strpbrk(text, ",\"") != NULL;
  if (in_quotes) putchar('"');
  while (*text) {
    if (*text == '"') putchar('"');
    text += print_character(stdout, text);
  }
  if (in_quotes) putchar('"');
}

/* Prints the separator between two pairs KEY=VALUE. */
static void print_separator(bool *first) {
  if (!*first) putchar(';');
  *first = false;
}

/* For GEMM, the rate of a copy and the time of a launch; for the others, how many times the floor they take, and what
 * limits the floor. */
static void print_floor(const bench_row *row, int impl, bool *first) {
  if (!(row->floor.seconds > 0)) return;
  if (impl != GEMM_IMPL) {
    print_separator(first);
    printf("floor_ratio=%.4g;floor_by=%s", row->impl[impl].seconds / row->floor.seconds,
           row->floor.by_bytes ? "bytes" : "flops");
    return;
  }
  if (row->copy.bytes_per_second > 0)
    print_separator(first), printf("copy_gbs=%.5g", 1e-9 * row->copy.bytes_per_second);
  if (row->copy.launch > 0) print_separator(first), printf("launch_ms=%.4g", 1e3 * row->copy.launch);
}

/* The backend's options, and what the trace counted. */
static void print_options(const char *backend, const measurement *r, bool *first) {
  const char *options = strchr(backend, '?');
  if (options) print_separator(first);
  for (const char *at = options ? options + 1 : ""; *at; at++) putchar(*at == '&' ? ';' : *at);
  for (int i = 0; r->traced && i < TRACED_KINDS; i++) {
    const trigon_count *p = &r->counts[i];
    if (p->calls == 0) continue;
    print_separator(first);
    printf("%s_calls=%" PRId64 ";%s_blocks=%" PRId64 ";%s_flops=%.17g", traced_names[i], p->calls, traced_names[i],
           p->blocks, traced_names[i], p->flops);
  }
}

/* The bytes that crossed the link between host and devices, and between devices. */
static void print_traffic(const measurement *r, bool *first) {
  if (r->in_bytes == 0 && r->out_bytes == 0) return;
  print_separator(first);
  printf("in_bytes=%" PRId64 ";out_bytes=%" PRId64 ";between_bytes=%" PRId64, r->in_bytes, r->out_bytes,
         r->between_bytes);
}

/* What was asked, what was emulated, and the floor by the model. */
static void print_fp64(const bench_row *row, const fp64_mode *fp64, bool *first) {
  const measurement *r = &row->impl[TRIGON_IMPL];
  print_separator(first);
  printf("fp64=%s;moduli=%d;bits=%.1f;tiles=%" PRId64 ";fell_back=%" PRId64 ";products=%" PRId64 ";emulated=%" PRId64,
         name_fp64_mode(fp64).text, r->fp64.moduli, r->fp64.bits, r->fp64.tiles, fp64_fell_back(&r->fp64),
         r->fp64.products, r->fp64.emulated);
  if (row->int8_floor > 0)
    printf(";int8_floor_ms=%.6g;int8_floor_ratio=%.4g", 1e3 * row->int8_floor, r->seconds / row->int8_floor);
}

/* Prints KEY=VALUE;KEY=VALUE...: what native called, if not the context; the time by the host's clock on a device; the
 * floor; what was asked of the operands; the errors of products; what was emulated. */
static void print_detail(const bench_row *row, const char *backend, int impl, native_kind native, const fp64_mode *fp64,
                         const beside *others) {
  const measurement *r = &row->impl[impl];
  bool first = true;
  if (impl == NATIVE_IMPL && native != NATIVE_CONTEXT) print_separator(&first), printf("call=%s", native_names[native]);
  if (r->host_seconds > 0) print_separator(&first), printf("host_ms=%.6g", 1e3 * r->host_seconds);
  print_floor(row, impl, &first);
  if (others->count > 0)
    print_separator(&first),
        printf("beside=%d;nice=%d;p95_ms=%.6g", others->count, others->nice, 1e3 * r->late_seconds);
  if (row->problem.hard && impl != GEMM_IMPL) print_separator(&first), printf("hard=1");
  if (row->problem.spread > 0 && impl != GEMM_IMPL) print_separator(&first), printf("spread=%g", row->problem.spread);
  if (r->compared) print_separator(&first), printf("over=%.4g", r->product_error);
  if (impl != TRIGON_IMPL) return;
  print_traffic(r, &first);
  if (fp64->given) print_fp64(row, fp64, &first);
  if (row->inverses.tiles > 0 && r->host_seconds > 0)
    print_separator(&first), printf("refused_tiles=%d/%d", row->inverses.refused, row->inverses.tiles);
  print_options(backend, r, &first);
}

void print_csv_row(const bench_row *row, const char *backend, native_kind native, const fp64_mode *fp64,
                   const beside *others) {
  const problem *p = &row->problem;
  for (int i = 0; i < IMPLS; i++) {
    const measurement *r = &row->impl[i];
    if (!r->measured) continue;
    printf("%s,%c,", p->routine->name, p->type);
    print_field(backend);
    printf(",%s,%s", impl_names[i], p->variant);
    for (const char *size = size_letters; *size; size++) {
      putchar(',');
      if (csv_has(p->routine, *size)) printf("%" PRId64, problem_size(p, *size));
    }
    printf(",1,%.6g,%.6g,%.3e,", 1e3 * r->seconds, r->gflops, r->error);
    if (r->extra_bytes >= 0) printf("%" PRId64, r->extra_bytes);
    putchar(',');
    if (row->floor.seconds > 0) printf("%.6g", 1e3 * row->floor.seconds);
    putchar(',');
    print_detail(row, backend, i, native, fp64, others);
    putchar('\n');
  }
  fflush(stdout);
}
