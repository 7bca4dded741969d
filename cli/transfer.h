/* transfer.h - matrices where a context computes: the host's own on the CPU, copies in its memory on a device. */
#ifndef TRIGON_CLI_TRANSFER_H
#define TRIGON_CLI_TRANSFER_H

#include <trigon.h>

/* rows × cols elements in the context's memory, which `unplace` or trigon_free frees, ld = max(1, rows). Where that
 * fails, trigon_message says why, and data is NULL. */
trigon_status placed_alloc(trigon_context *ctx, trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A);

/* Stores in *there the matrix with which ctx computes in place of *host: the same one where its matrices live on the
 * host, else a copy. */
trigon_status place(trigon_context *ctx, const trigon_matrix *host, trigon_matrix *there);

/* Copies what is there back to *host, where it is not there already. */
trigon_status fetch(trigon_context *ctx, const trigon_matrix *there, const trigon_matrix *host);

/* Frees a copy; *there may be zeros. */
trigon_status unplace(trigon_context *ctx, trigon_matrix *there);

#endif
