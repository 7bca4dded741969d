/* batch_class.h - which kernel of a batched routine computes which matrices, by their orders. For C and C++.
 *
 * A kind of GPU has a table for each routine and type. The first row that fits a matrix counts. The names of kernels
 * are those of the routine's launcher (gpu_batch_kernels in kernels/launchers.h). */
#ifndef TRIGON_BATCH_CLASS_H
#define TRIGON_BATCH_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum batch_table { BATCH_POTRF, BATCH_POSV, BATCH_INVERSE, BATCH_TRSM, BATCH_TABLES } batch_table;

/* POTRF, POSV, TRTRI and POTRI have classes of orders. With `alone` the row is for batches that have no larger order:
 * it takes all matrices in one launch, which reads no lists. The other rows share the other batches.
 *
 * TRSM has classes of widths (numbers of columns), and `most` is a width. A row may have a largest order, too. */
typedef struct batch_class {
  const char *kernel; /* NULL: the table ends */
  int64_t most;
  int64_t most_order; /* TRSM; 0: any */
  bool alone;
} batch_class;

/* A kernel that a launcher has, and for which rows. */
typedef struct batch_kernel {
  const char *name;
  int64_t above;      /* only matrices of larger orders */
  int64_t most;       /* the largest order, or in TRSM the largest width */
  bool mma;           /* only GPUs with matrix units have the kernel */
  bool alone, shares; /* whether the kernel can take a whole batch, and a class of a batch */
} batch_kernel;

/* The queue of a batch has room for so many launches (kernels/batch/batch_queue.h), TRSM's for fewer classes. */
enum { MOST_CLASSES = 6, MOST_WIDTH_CLASSES = 4 };

/* The rows that compute a batch whose largest order is `largest`: one row with `alone`, or the others by order. Larger
 * orders than that of the last row have no row. Returns how many rows there are: no more than MOST_CLASSES, unless
 * gpu_check_rows would refuse the table. */
int gpu_choose_classes(const batch_class *table, int64_t largest, const batch_class *chosen[MOST_CLASSES]);

/* The most columns that the kernels for few columns take, those of POSV and of TRSM. On the simulated GPU they take
 * fewer columns, so that small tests have matrices with more. */
#if defined(TRIGON_VENDOR_SIM) && !defined(TRIGON_SIM_LARGE)
enum { posv_columns = 8 };
#else
enum { posv_columns = 16 };
#endif

#ifdef __cplusplus
}
#endif

#endif
