/* transfer.h - matrices in a context's memory: copies on a device, the matrices themselves on the host. */
#ifndef TRIGON_CLI_MATRIX_TRANSFER_H
#define TRIGON_CLI_MATRIX_TRANSFER_H

#include <trigon.h>

/* Allocates rows × cols elements in the context's memory, with ld = max(1, rows). trigon_free frees them, and so does
 * transfer_free on a device. If this fails, trigon_message says why, and A->data is NULL. */
trigon_status transfer_alloc(trigon_context *ctx, trigon_type type, int64_t rows, int64_t cols, trigon_matrix *A);

/* Stores in *copy the matrix with which ctx computes in place of *host: a copy on a device, *host itself on the
 * host. */
trigon_status transfer_to(trigon_context *ctx, const trigon_matrix *host, trigon_matrix *copy);

/* Copies *copy back to *host, if it is a copy. */
trigon_status transfer_from(trigon_context *ctx, const trigon_matrix *copy, const trigon_matrix *host);

/* Frees *copy, if it is a copy; *copy may be zeros. */
trigon_status transfer_free(trigon_context *ctx, trigon_matrix *copy);

#endif
