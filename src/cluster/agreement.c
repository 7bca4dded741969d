/* agreement.c - compares a call with those of the other processes, so that either all processes compute or none.
 *
 * Each process sends a number for each group of its arguments, and what this number lacks to INT_MAX. The largest of
 * both over all processes have the sum INT_MAX if, and only if, all processes have sent one number. (BLACS compares
 * absolute values. So negatives would not do.) */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cluster.h"

/* The groups of arguments, in the order in which messages name them. */
enum { GROUP_ROUTINE, GROUP_SCALARS, GROUP_SIZES, GROUP_A, GROUP_B, GROUP_C, GROUPS };
static const char *const group_names[GROUPS] = {
    "routines or flags",         "scalars", "sizes", "descriptors, ia or ja of A", "descriptors, ia or ja of B",
    "descriptors, ia or ja of C"};

typedef struct ballot {
  int refusal; /* 0, or the status and the process that refuses */
  int most[GROUPS], lacking[GROUPS];
} ballot;

enum { ballot_size = sizeof(ballot) / sizeof(int), status_step = 1 << 24 };

/* FNV-1a, by bytes. */
static uint32_t mix(uint32_t hash, const void *data, size_t bytes) {
  const unsigned char *at = data;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ at[i]) * 16777619u;
  return hash;
}

static uint32_t mix_integer(uint32_t hash, int64_t x) { return mix(hash, &x, sizeof x); }

static uint32_t mix_scalar(uint32_t hash, trigon_scalar x) {
  hash = mix(hash, &x.re, sizeof x.re);
  return mix(hash, &x.im, sizeof x.im);
}

/* What all processes have in common: not the BLACS context, which is a number of each process, nor the local part. */
static uint32_t hash_of_operand(uint32_t hash, view A) {
  if (A.m == 0 || A.n == 0) return hash;
  const trigon_cluster_view *v = A.base;
  if (v->tag != distributed_tag) return hash;
  hash = mix(hash, &v->descriptor[DESC_M], (DESC_LLD - DESC_M) * sizeof(int));
  hash = mix_integer(hash, v->ia);
  return mix_integer(hash, v->ja);
}

static uint32_t hash_of_group(const cluster *c, const operation *o, int group) {
  const view operands[] = {o->A, o->B, o->C};
  uint32_t hash = 2166136261u;
  switch (group) {
  case GROUP_ROUTINE: {
    const int flags[] = {o->routine, o->side, o->uplo, o->op, o->opB, o->adjoint, o->diag, (int)o->A.type, c->native};
    return mix(hash, flags, sizeof flags);
  }
  case GROUP_SCALARS: return mix_scalar(mix_scalar(hash, o->alpha), o->beta);
  case GROUP_SIZES:
    for (int i = 0; i < 3; i++) hash = mix_integer(mix_integer(hash, operands[i].m), operands[i].n);
    return hash;
  default: return hash_of_operand(hash, operands[group - GROUP_A]);
  }
}

/* 31 bits, so that nothing is negative. */
static void fill(const cluster *c, ballot *b, const operation *o) {
  for (int g = 0; g < GROUPS; g++) {
    b->most[g] = (int)(hash_of_group(c, o, g) >> 1);
    b->lacking[g] = INT_MAX - b->most[g];
  }
}

static int number_of(const cluster *c) { return c->grid.row * c->grid.cols + c->grid.col; }

static void vote(const cluster *c, ballot *b) {
  int numbers[ballot_size];
  memcpy(numbers, b, sizeof numbers);
  scalapack_maximum(&c->library, &c->grid, ballot_size, numbers);
  memcpy(b, numbers, sizeof numbers);
}

/* This process has nothing against the call, but another one has. */
static trigon_status told_refusal(const cluster *c, int refusal) {
  const int process = refusal % status_step;
  snprintf(c->machine.why->text, sizeof c->machine.why->text,
           "process (%d, %d) of the grid refuses this call: its trigon_message says why", process / c->grid.cols,
           process % c->grid.cols);
  return (trigon_status)(refusal / status_step);
}

trigon_status cluster_agree(cluster *c, const operation *o, trigon_status own) {
  ballot b = {.refusal = own == TRIGON_OK ? 0 : (int)own * status_step + number_of(c) % status_step};
  fill(c, &b, o);
  vote(c, &b);
  if (b.refusal != 0) return own != TRIGON_OK ? (trigon_status)(b.refusal / status_step) : told_refusal(c, b.refusal);
  for (int g = 0; g < GROUPS; g++)
    if (b.lacking[g] != INT_MAX - b.most[g]) {
      snprintf(c->machine.why->text, sizeof c->machine.why->text,
               "the processes of the grid give different %s: every process must make the same call", group_names[g]);
      return TRIGON_BAD_ARGUMENT;
    }
  return TRIGON_OK;
}

/* The caller's message is about a bad argument. */
trigon_status cluster_withdraw(machine *m) {
  const cluster *c = cluster_on(m);
  ballot b = {.refusal = TRIGON_BAD_ARGUMENT * status_step + number_of(c) % status_step};
  vote(c, &b);
  return (trigon_status)(b.refusal / status_step);
}
