/* transfer.c - allocates in a context's memory, copies there and back. */
#include "transfer.h"
#include "element_type.h"

trigon_status transfer_alloc(trigon_context *ctx, trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A) {
  *A = (trigon_matrix){NULL, type, rows, cols, rows > 1 ? rows : 1};
  double bytes = (double)A->ld * (double)cols * (double)type_bytes(type);
  /* On overflow, ask for INT64_MAX, so that trigon_alloc reports out of memory. */
  return trigon_alloc(ctx, bytes < 0x1p62 ? A->ld * cols * (int64_t)type_bytes(type) : INT64_MAX, &A->data);
}

trigon_status transfer_to(trigon_context *ctx, const trigon_matrix *host, trigon_matrix *copy) {
  *copy = *host;
  if (trigon_on_host(ctx)) return TRIGON_OK;
  trigon_status status = transfer_alloc(ctx, host->type, host->rows, host->cols, copy);
  return status == TRIGON_OK ? trigon_upload(ctx, *host, *copy) : status;
}

trigon_status transfer_from(trigon_context *ctx, const trigon_matrix *copy, const trigon_matrix *host) {
  return trigon_on_host(ctx) ? TRIGON_OK : trigon_download(ctx, *copy, *host);
}

trigon_status transfer_free(trigon_context *ctx, trigon_matrix *copy) {
  trigon_status status = trigon_on_host(ctx) ? TRIGON_OK : trigon_free(ctx, copy->data);
  copy->data = NULL;
  return status;
}
