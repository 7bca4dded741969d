/* npy_numbers.c - the table of NumPy's number types, and the conversions. */
#include "npy_numbers.h"

#include "../matrix/element_type.h"

#include <math.h>
#include <string.h>

static const npy_numbers known[] = {
    {"f4", 4, TRIGON_S, AS_IS},    {"f8", 8, TRIGON_D, AS_IS},    {"c8", 8, TRIGON_C, AS_IS},
    {"c16", 16, TRIGON_Z, AS_IS},  {"f2", 2, TRIGON_S, HALF},     {"b1", 1, TRIGON_D, BOOLEAN},
    {"i1", 1, TRIGON_D, SIGNED},   {"i2", 2, TRIGON_D, SIGNED},   {"i4", 4, TRIGON_D, SIGNED},
    {"i8", 8, TRIGON_D, SIGNED},   {"u1", 1, TRIGON_D, UNSIGNED}, {"u2", 2, TRIGON_D, UNSIGNED},
    {"u4", 4, TRIGON_D, UNSIGNED}, {"u8", 8, TRIGON_D, UNSIGNED},
};

const npy_numbers *npy_numbers_find(text code) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t length = strlen(known[i].code);
    if (text_length(code) == length && memcmp(code.at, known[i].code, length) == 0) return &known[i];
  }
  return NULL;
}

static void swap_bytes(char *data, size_t bytes, size_t unit) {
  for (char *number = data; number < data + bytes; number += unit) {
    for (size_t k = 0; k < unit / 2; k++) {
      char byte = number[k];
      number[k] = number[unit - 1 - k];
      number[unit - 1 - k] = byte;
    }
  }
}

/* IEEE 754's binary16: a sign, 5 bits of exponent, 10 of significand. */
static float half(uint16_t bits) {
  int exponent = bits >> 10 & 31, significand = bits & 1023;
  float size = exponent == 0    ? ldexpf((float)significand, -24)
               : exponent != 31 ? ldexpf((float)(1024 + significand), exponent - 25)
               : significand    ? NAN
                                : INFINITY;
  return bits >> 15 ? -size : size;
}

static uint64_t load_unsigned(const char *from, size_t bytes) {
  uint8_t one;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (bytes) {
  case 1: return memcpy(&one, from, 1), one;
  case 2: return memcpy(&two, from, 2), two;
  case 4: return memcpy(&four, from, 4), four;
  default: return memcpy(&eight, from, 8), eight;
  }
}

/* The size of an integer is exact in double precision if its bits from the first that is set to the last are 53. */
static bool is_exact(uint64_t size) { return size == 0 || size >> __builtin_ctzll(size) <= UINT64_C(1) << 53; }

static double integer(const npy_numbers *numbers, const char *from, int64_t *rounded) {
  uint64_t bits = load_unsigned(from, numbers->bytes), sign = UINT64_C(1) << (8 * numbers->bytes - 1);
  if (numbers->kind == BOOLEAN) return bits != 0;
  bool negative = numbers->kind == SIGNED && (bits & sign) != 0;
  uint64_t size = negative ? sign - (bits - sign) : bits; /* two's complement */
  *rounded += !is_exact(size);
  return negative ? -(double)size : (double)size;
}

void npy_numbers_convert(const npy_numbers *numbers, bool swapped, char *to, size_t count, int64_t *rounded) {
  size_t size = type_bytes(numbers->type), bytes = numbers->bytes;
  char *from = to + count * (size - bytes);
  if (swapped) swap_bytes(from, count * bytes, numbers->kind == AS_IS ? type_real_bytes(numbers->type) : bytes);
  /* Forwards: no element overwrites a number that has not been read yet. */
  for (size_t k = 0; k < count && numbers->kind != AS_IS; k++, from += bytes, to += size) {
    if (numbers->kind == HALF) {
      float value = half((uint16_t)load_unsigned(from, bytes));
      memcpy(to, &value, sizeof value);
    } else {
      double value = integer(numbers, from, rounded);
      memcpy(to, &value, sizeof value);
    }
  }
}
