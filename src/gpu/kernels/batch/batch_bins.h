/* batch_bins.h - the numbers of batches that no row of a kind of GPU can change, because device code has them when it
 * is compiled: its loops over bins are unrolled, so that bins cost a few instructions.
 *
 * Rows choose which kernel takes which orders (gpu/arch/batch_class.h). A class consists of whole bins, so the largest
 * order of a class, if another class has larger ones, is the end of a bin. */
#ifndef TRIGON_BATCH_BINS_H
#define TRIGON_BATCH_BINS_H

#include "gpu/kernels/operand.h"

/* Bins of orders, up to these. If bins are narrow, the last matrices that a launch takes are small, so that its blocks
 * end together. On the simulated GPU small matrices are in the last bins. */
enum { ORDER_32 = 32, ORDER_64 = 64, ORDER_96 = 96, ORDER_128 = 128, ORDER_256 = 256, BATCH_BINS = 16 };
__host__ __device__ constexpr int64_t bin_end(int bin) {
  switch (bin) {
  case 0: return 16;
  case 1: return ORDER_32;
  case 2: return 48;
  case 3: return ORDER_64;
  case 4: return 80;
  case 5: return ORDER_96;
  case 6: return 112;
  case 7: return ORDER_128;
  case 8: return 192;
  case 9: return ORDER_256;
  case 10: return TG_TILE(260, 384);
  case 11: return TG_TILE(264, 512);
  case 12: return TG_TILE(272, 768);
  case 13: return TG_TILE(280, 1024);
  case 14: return TG_TILE(290, 2048);
  default: return INT64_MAX;
  }
}

/* How many blocks begin with a matrix of a bin. Only a matrix of very many tiles has work for several at once. */
__host__ __device__ constexpr unsigned bin_slots(int bin) {
  return bin < BATCH_BINS - 2 ? 1 : bin < BATCH_BINS - 1 ? 8 : 32;
}

/* In TRSM each class of widths has bins for its orders, so that the largest matrices are solved first. */
enum { WIDTH_BINS = BATCH_BINS / MOST_WIDTH_CLASSES };
__host__ __device__ constexpr int64_t width_bin_end(int bin) {
  switch (bin) {
  case 0: return ORDER_64;
  case 1: return ORDER_128;
  case 2: return TG_TILE(160, 192);
  default: return INT64_MAX;
  }
}

#endif
