/* transfer.c - matrices where a context computes. */
#include "transfer.h"
#include "dense.h"

trigon_status placed_alloc(trigon_context *ctx, trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A) {
  *A = (trigon_matrix){NULL, type, rows, cols, rows > 1 ? rows : 1};
  double bytes = (double)A->ld * (double)cols * (double)type_size(type);
  /* What no number holds no memory does: the refusal comes from there. */
  return trigon_alloc(ctx, bytes < 0x1p62 ? A->ld * cols * (int64_t)type_size(type) : INT64_MAX, &A->data);
}

trigon_status place(trigon_context *ctx, const trigon_matrix *host, trigon_matrix *there) {
  *there = *host;
  if (trigon_on_host(ctx)) return TRIGON_OK;
  trigon_status status = placed_alloc(ctx, host->type, host->rows, host->cols, there);
  return status == TRIGON_OK ? trigon_upload(ctx, *host, *there) : status;
}

trigon_status fetch(trigon_context *ctx, const trigon_matrix *there, const trigon_matrix *host) {
  return trigon_on_host(ctx) ? TRIGON_OK : trigon_download(ctx, *there, *host);
}

trigon_status unplace(trigon_context *ctx, trigon_matrix *there) {
  trigon_status status = trigon_on_host(ctx) ? TRIGON_OK : trigon_free(ctx, there->data);
  there->data = NULL;
  return status;
}
