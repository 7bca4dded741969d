/* tuning.h - a tuning table: which variant of a leaf runs, where the recursion stops, and how much work it takes that
 * several threads share a leaf; by routine, type, shape and order. */
#ifndef TRIGON_TUNING_H
#define TRIGON_TUNING_H

#include "core/error.h"
#include "core/operation.h"
#include "cut_rule.h"

/* The ways in which a leaf can be computed. */
typedef enum variant {
  VARIANT_VENDOR,   /* the vendor's routine: BLAS, LAPACK, cuBLAS, cuSOLVER */
  VARIANT_STEP,     /* our own leaf: takes any order, needs only the leaf buffer, runs if another variant cannot */
  VARIANT_PACKED,   /* CPU: register kernels of our own over packed operands */
  VARIANT_DATAFLOW, /* GPU: one launch in which blocks of threads wait for each other's tiles */
  VARIANTS
} variant;

extern const char *const variant_names[VARIANTS];

/* The shape of an operation, by its width: the columns of B that share a triangle (TRMM, TRSM, SYMM), the inner size
 * (SYRK, SYR2K), the smallest size (GEMM). Each class has the name of its largest width. */
typedef enum shape_class {
  SHAPE_W1,     /* vectors */
  SHAPE_W16,    /* a width up to 16 */
  SHAPE_W64,    /* up to 64 */
  SHAPE_W512,   /* up to 512 */
  SHAPE_W2048,  /* up to 2048, and factorizations */
  SHAPE_W_MORE, /* a larger width */
  SHAPES
} shape_class;

extern const char *const shape_names[SHAPES];

/* The version of the words in tables. It is raised once a word changes its meaning or gets another name. */
enum { tuning_version = 2 };

/* What happens to the orders of a range. An operation up to the order `stop` is one leaf. Above, the recursion cuts it.
 * The order of a GEMM is that of a cube of the same work. */
typedef struct tuning_range {
  int64_t last; /* the largest order of the range; the first range that reaches an order counts */
  variant leaf;
  int64_t stop;
} tuning_range;

/* The routines that have leaves come first in the list of routines. */
enum { TUNED_ROUTINES = ROUTINE_CHECK_DIAGONAL, TUNING_RANGES = 5 };

/* What is asked of calls on matrices in host memory that GPUs compute. */
typedef enum host_rule {
  HOST_ORDER,   /* calls of smaller orders are computed by the CPU */
  HOST_COLUMNS, /* so are solves and products with fewer right-hand sides */
  HOST_TILES,   /* the longest dimension is divided into so many tiles at least, if their size allows it */
  HOST_LINK,    /* the last rule, with a number for each link_rate */
  HOST_RULES
} host_rule;

/* How many GB a second the link between host and device copies beside work, by the length of the columns: the longer
 * they are, the faster. */
typedef enum link_rate {
  LINK_SHORT,  /* columns of 16 KB */
  LINK_MIDDLE, /* of 32 KB */
  LINK_LONG,   /* of 64 KB, and longer ones */
  LINK_RATES
} link_rate;

extern const char *const host_rule_names[HOST_RULES];
enum { most_host_tiles = 1024, most_link_rate = 100000, HOST_NUMBERS = HOST_LINK + LINK_RATES };

/* A rule has the number host[RULE] of a table, and the rule of the link also those behind it. */
static inline int numbers_of_rule(int rule) { return rule == HOST_LINK ? LINK_RATES : 1; }

/* The numbers of a table without advice. */
extern const int64_t reasoned_host[HOST_NUMBERS];

/* The last range of each row reaches every order. */
typedef struct tuning {
  tuning_range range[TUNED_ROUTINES][TYPES][SHAPES][TUNING_RANGES];
  double team_flops[TUNED_ROUTINES][TYPES]; /* from this work on, a leaf of our own is shared by threads */
  int64_t host[HOST_NUMBERS];
} tuning;

/* A table without advice: each routine is one leaf by the vendor, no leaf is shared, and for matrices in host memory
 * the numbers are `reasoned_host`. */
void tuning_clear(tuning *);

/* Changes the rows that a text names. A line of the text is one of (RULE is order, columns or tiles)
 *
 *     version N                               N is tuning_version
 *
 *     ROUTINE TYPES SHAPES ORDER LEAF STOP    one range: orders up to ORDER, or * for every order
 *
 *     team ROUTINE TYPES FLOPS                from how many flops on threads share a leaf
 *
 *     host RULE NUMBER                        a host_rule; * as an order or as columns: the CPU computes all
 *
 *     host link SHORT MIDDLE LONG             GB a second, for each link_rate
 *
 * TYPES are letters of sdcz, SHAPES is w1, w16, w64, w512, w2048, w* (above 2048), or * for all. A text that has a row
 * w2048 and no row w* gives both the same row, and so for w16 and w1. STOP is an order, or * if the recursion never
 * cuts. The ranges of a row follow each other by order, and the last one has the order *. A # begins a comment.
 * TRIGON_BAD_ARGUMENT if the text is broken: then `why` names the line, and the table is unchanged. */
trigon_status tuning_read(const char *text, tuning *, reason *why);

/* Reads the lines `tile` and `batch`, which only GPUs have. `line` gets the words of such a line. `end` is called
 * behind the last line, if no line is broken. A reason does not have the number of the line. */
typedef struct line_reader {
  trigon_status (*line)(void *to, char *const *word, int words, reason *why);
  trigon_status (*end)(void *to, reason *why);
  void *to;
} line_reader;

/* tuning_read, but the text may have lines `tile` and `batch`, and a row w16 says nothing about w1, for which GPUs have
 * kernels of their own. If there is no reader (NULL), this is tuning_read, and those lines are ignored. */
trigon_status tuning_read_with(const char *text, tuning *, const line_reader *, reason *why);

/* Writes the table as lines that tuning_read reads. Returns the length of the text, as snprintf does, also if the size
 * is too small, or 0. */
size_t tuning_write(const tuning *, char *text, size_t size);

/* Makes every row use this variant, as the option leaf= wants. A stop that was made for another variant does not hold
 * for this one. So the stop of a range comes, in this order, from the range itself, from the nearest range before it in
 * the row, from the nearest one behind it, and from the rows of the `count` older tables, the latest first: from the
 * first of these that has the variant. If none has it, the stop remains. */
void tuning_force(tuning *, variant, const tuning *const *older, int count);

/* The range that an operation falls into. Only for routines below TUNED_ROUTINES. */
const tuning_range *tuning_find(const tuning *, const operation *);

/* What an engine's `cut` returns by the table: see engine.h. */
int64_t tuning_cut(const tuning *, cut_rule, const operation *);

/* The variant of the operation's leaf. For routines without a row this is the vendor's. */
variant tuning_leaf(const tuning *, const operation *);

#endif
