/* arch.h - what Trigon knows of kinds of GPUs: which kernels they have, their rows of the tuning table, and times of
 * products.
 *
 * A kind is a file of this folder. Nothing else asks which GPU this is. A GPU that no file knows is served by the
 * nearest kind. */
#ifndef TRIGON_ARCH_H
#define TRIGON_ARCH_H

#include <stdbool.h>
#include <trigon.h>

#include "batch_class.h"
#include "fp64/int8/product_times.h"
#include "tile_choice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a context finds out about its device. */
typedef struct gpu_traits {
  int capability;        /* the compute capability times ten on NVIDIA's GPUs, 0 on others */
  bool mma;              /* the plugin has kernels for matrix units that run on the device (find_mma) */
  int floats_to_doubles; /* how many times faster the device computes with floats than with doubles; 0: not known */
  bool int8_mma;         /* the same as mma for kernels with products of bytes (find_int8_mma) */
} gpu_traits;

/* Kernels, and ways to launch them, that only some GPUs have. */
typedef struct gpu_features {
  bool fp64_mma;       /* kernels for matrix units (NEEDS_MMA in kernels/registry.h) */
  bool int8_wgmma;     /* kernels with code for one compute capability alone (NEEDS_HOPPER) */
  bool early_launches; /* a launch can begin before the launch ahead of it ends (vendor/early.h) */
  bool int8_mma;       /* kernels with products of bytes on matrix units (NEEDS_INT8_MMA) */
} gpu_features;

/* Sizes from which launchers do something else. */
typedef struct trmm_limits {
  int64_t high;                /* a tile with more rows is high */
  int64_t enough_high, enough; /* so many blocks of high tiles, and of others, keep the GPU busy */
  int64_t least_piece;         /* tiles of L in a piece of a long sum */
  int64_t most_slots;          /* for sums of pieces */
} trmm_limits;

/* Of products and updates with vectors. */
typedef struct vector_limits {
  int64_t blocks;       /* blocks share long sums until there are so many blocks */
  int64_t least_passes; /* a block that shares sums has at least so many passes */
  int64_t small_bytes;  /* a matrix up to this size has tiles with few sums, so that few blocks share sums */
  int64_t tiles;        /* triangles and updates have the largest tiles of which there are so many */
} vector_limits;

/* Of products of a symmetric matrix and a few columns. */
typedef struct symm_limits {
  int64_t blocks; /* the multiprocessors: bands are cut into pieces so that all of them have something to do */
  int64_t enough; /* so many of them take all that the L2 cache gives */
  /* Of doubles on matrix units: from these orders on bands are high, and higher still. */
  int64_t high_order, tall_order;
  int64_t strips_order; /* from this order on each tile is read once, in strips */
} symm_limits;

typedef struct gpu_limits {
  trmm_limits trmm;           /* how TRMM cuts long sums into pieces */
  vector_limits vectors;      /* how blocks share products and updates with vectors */
  int64_t gemm_large_tiles;   /* products on matrix units: so many large tiles keep all multiprocessors busy */
  int64_t masked_blocks;      /* a product of which a mask may leave out all tiles has at most so many blocks */
  int64_t trsm_deep_width;    /* TRSM without matrix units: up to this width all terms of a tile are fetched at once */
  int64_t trsm_sharing_slabs; /* from so many slabs on, the first blocks invert the diagonal tiles for all others */
  int64_t strip_orders[4];    /* of s, d, c, z: up to this order the vendor's TRMM takes strips of a copy of B */
  int64_t strip_lines;        /* a strip has at least so many lines, or all */
  int64_t trsm_batch_blocks;  /* TRSM of batches: several blocks share a matrix if the batch has fewer matrices */
  bool chase_together;        /* bulge chasing by hops that stay, if the device has room for all of them */
  bool chase_on_mma;          /* the product with the chase's reflectors on matrix units */
  bool panel_in_cluster;      /* a panel of the reduction to a band by one cluster of blocks, if the panel fits it */
  bool sweeps_together;       /* eigenproblems of a batch: QL sweeps follow each other at once (sweep_pipeline.h) */
  bool held_in_registers;     /* with these sweeps: reductions in registers, or by one pass a column (column_steps.h) */
  bool divided_in_block;      /* with both: vectors of real matrices in shared memory by divide and conquer */
  symm_limits symm;           /* how blocks share SYMM with a few columns */
} gpu_limits;

typedef struct gpu_arch {
  const char *name;     /* for the option arch= */
  const char *made_for; /* what trigon_describe calls the GPUs of this kind */
  int capability;       /* the least compute capability times ten; 0: any GPU */
  bool weak_doubles;    /* the kind serves only GPUs that are slow at doubles (gpu_weak_doubles) */
  gpu_features has;
  const char *rows; /* of the tuning table (core/tuning/tuning.h), read after those of gpu_arch_portable */
  const product_times *doubles, *floats;           /* with int8_wgmma; NULL: not known */
  const tile_choice *tiles[TILE_TABLES];           /* only TILES_TRSM_VECTORS, if the kind has no fp64_mma */
  const batch_class *const *batches[BATCH_TABLES]; /* for s, d, c, z */
  const gpu_limits *limits;
} gpu_arch;

/* Rows of the tuning table for all kinds, read after theirs. */
extern const char gpu_vector_rows[];

/* Tables and limits that several kinds share. */
extern const tile_choice gpu_trsm_vectors_portable[], gpu_trsm_vectors_mma[], gpu_trsm_tiles[], gpu_trmm_tiles[],
    gpu_trtri_tiles[], gpu_lauum_tiles[];
extern const batch_class *const gpu_potrf_classes[], *const gpu_posv_classes[], *const gpu_inverse_classes[],
                                                                                    *const gpu_trsm_classes[];
/* Classes without matrix units that other kinds have, too. */
extern const batch_class *const gpu_potrf_portable[], *const gpu_posv_portable[], *const gpu_inverse_portable[],
                                                                                      *const gpu_trsm_portable[];
extern const batch_class gpu_posv_strips[], gpu_trsm_real[], gpu_trsm_complex[];
extern const gpu_limits gpu_limits_measured, gpu_limits_of_sweeps,
    gpu_limits_plain; /* plain: with every faster form of eigen off */
extern const char hopper_rows[];

extern const gpu_arch gpu_arch_hopper, gpu_arch_simulated, gpu_arch_sweeps, gpu_arch_portable;
/* Not measured (unmeasured.c). */
extern const gpu_arch gpu_arch_ampere, gpu_arch_ampere_rtx, gpu_arch_ada, gpu_arch_blackwell, gpu_arch_blackwell_rtx;

/* All kinds of the build, and NULL. A kind with more features, or a higher compute capability, comes first. */
extern const gpu_arch *const gpu_archs[];

/* The kind of this name; if the name is "", the nearest kind: the first one whose compute capability is not above the
 * device's and whose kernels run there. NULL: no kind has this name. */
const gpu_arch *gpu_arch_find(const char *name, const gpu_traits *);

/* What both the kind and the device have. */
gpu_features gpu_features_of(const gpu_arch *, const gpu_traits *);

/* The classes of a batched routine for a type. A kind with kernels for matrix units has those of
 * gpu_arch_portable on a device that cannot run them. */
const batch_class *gpu_classes_of(const gpu_arch *, gpu_features, batch_table, trigon_type);

/* The times from which the mode `auto` of emulated products decides; NULL: not known, so that nothing is emulated. On
 * GPUs that are slow at doubles, gpu_weak_doubles. */
extern const product_times gpu_weak_doubles;
const product_times *gpu_double_times(const gpu_arch *, const gpu_traits *);
const product_times *gpu_float_times(const gpu_arch *, const gpu_traits *);

#ifdef __cplusplus
}
#endif

#endif
