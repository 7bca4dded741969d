/* mistakes [CONTEXT] - makes five mistakes with device memory, and prints the library's answers
 * (docs/simulated-gpu.md). The default of CONTEXT is sim:0. */
#include <stdio.h>
#include <stdlib.h>

#include <trigon.h>

static trigon_context *ctx;

static void print_answer(const char *mistake, trigon_status status) {
  printf("%s:\n  %s: %s\n", mistake, trigon_status_string(status), trigon_message(ctx));
}

int main(int argc, char **argv) {
  double on_host[] = {4, 2, 2, 5};
  char why[256];
  int64_t info;
  trigon_matrix host = {on_host, TRIGON_D, 2, 2, 2}, device = host, long_one = host;
  if (trigon_create(argc > 1 ? argv[1] : "sim:0", &ctx, why, sizeof why) != TRIGON_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  if (trigon_alloc(ctx, sizeof on_host, &device.data) != TRIGON_OK) {
    fprintf(stderr, "%s\n", trigon_message(ctx));
    return 1;
  }

  print_answer("A matrix in host memory", trigon_potrf(ctx, TRIGON_LOWER, host, NULL));

  long_one.data = device.data;
  long_one.ld = 3;
  print_answer("A leading dimension beyond the allocation", trigon_potrf(ctx, TRIGON_LOWER, long_one, NULL));

  trigon_status status = trigon_potrf(ctx, TRIGON_LOWER, device, NULL);
  if (status == TRIGON_OK) status = trigon_finish(ctx, &info);
  if (status == TRIGON_OK) printf("No upload before the call:\n  info %d\n", (int)info);

  if (trigon_free(ctx, device.data) != TRIGON_OK) return 1;
  print_answer("Memory freed twice", trigon_free(ctx, device.data));
  print_answer("Memory used after it was freed", trigon_potrf(ctx, TRIGON_LOWER, device, NULL));
  trigon_destroy(ctx);
}
