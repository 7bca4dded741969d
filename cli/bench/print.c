/* print.c - prints benchmark rows on standard output, as a table or as CSV. */
#include "print.h"
#include "../command.h"
#include "../matrix/element_type.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
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

void print_no_native(const char *why) {
  if (*why) print_safe(stdout, "%% without native: %s\n", why);
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
  printf("%s      error  ok\n", setup->ctx[TRIGON_IMPL] && setup->ctx[NATIVE_IMPL] ? "  ratio" : "");
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

void print_table_row(const bench_row *row) {
  for (const char *size = row->problem.routine->sizes; *size; size++)
    printf("%7" PRId64, problem_size(&row->problem, *size));
  for (int i = 0; i < IMPLS; i++)
    if (row->impl[i].measured) printf(" %10.2f (%9.4f)", row->impl[i].gflops, 1e3 * row->impl[i].seconds);
  if (!isnan(row->ratio)) printf("%7.2f", row->ratio);
  printf("  %9.2e  %s", row->impl[first_measured(row)].error, row_is_ok(row) ? "ok" : "FAILED");
  for (int i = 0; i < IMPLS; i++)
    if (row->impl[i].measured && !row->impl[i].ok) printf(" %s", impl_names[i]);
  putchar('\n');
  print_trace(&row->impl[TRIGON_IMPL]);
  fflush(stdout);
}

/* CSV also has m for SYRK and the like: C is n × n, so m is n. */
static bool csv_has(const routine *r, char size) {
  return routine_has(r, size) || (size == 'm' && routine_has(r, 'k'));
}

/* Prints text that may contain a comma as a field of CSV, safe for a terminal. */
static void print_field(const char *text) {
  bool quoted = strpbrk(text, ",\"") != NULL;
  if (quoted) putchar('"');
  while (*text) {
    if (*text == '"') putchar('"');
    text += print_character(stdout, text);
  }
  if (quoted) putchar('"');
}

/* Prints KEY=VALUE;KEY=VALUE...: what native called, if not the context; the time by the host's clock on a device;
 * for Trigon, the backend's options and what the trace counted, too. */
static void print_detail(const char *backend, int impl, const measurement *r, native_kind native) {
  const char *options = impl == TRIGON_IMPL ? strchr(backend, '?') : NULL, *between = "";
  if (impl == NATIVE_IMPL && native != NATIVE_CONTEXT) printf("call=%s", native_names[native]), between = ";";
  if (r->host_seconds > 0) printf("%shost_ms=%.6g", between, 1e3 * r->host_seconds), between = ";";
  if (options) fputs(between, stdout), between = ";";
  for (const char *at = options ? options + 1 : ""; *at; at++) putchar(*at == '&' ? ';' : *at);
  for (int i = 0; impl == TRIGON_IMPL && r->traced && i < TRACED_KINDS; i++) {
    const trigon_count *p = &r->counts[i];
    if (p->calls > 0)
      printf("%s%s_calls=%" PRId64 ";%s_blocks=%" PRId64 ";%s_flops=%.17g", between, traced_names[i], p->calls,
             traced_names[i], p->blocks, traced_names[i], p->flops);
  }
}

void print_csv_row(const bench_row *row, const char *backend, native_kind native) {
  const problem *p = &row->problem;
  const measurement *gemm = &row->impl[GEMM_IMPL];
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
    if (gemm->measured) printf("%.6g", 1e-6 * problem_flops(p) / gemm->gflops);
    putchar(',');
    print_detail(backend, i, r, native);
    putchar('\n');
  }
  fflush(stdout);
}
