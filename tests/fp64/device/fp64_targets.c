/* fp64_targets.c - emulated products on the CPU and on a device, which must agree (fp64_product.h). */
#include "fp64_product.h"

two_targets targets_open(const device *d) {
  const device cpu = {.name = "cpu"};
  return (two_targets){{.ctx = device_open(&cpu, "")}, {.ctx = device_open(d, "")}};
}

void targets_close(two_targets *targets) {
  call_target_free(&targets->there), call_target_free(&targets->host);
  trigon_destroy(targets->there.ctx), trigon_destroy(targets->host.ctx);
}

void targets_compare(two_targets *targets, product *p, int accuracy, int64_t tiles) {
  char text[400];
  product q = product_copy(p);
  product_emulate(p, &targets->host, accuracy);
  product_emulate(&q, &targets->there, accuracy);
  const trigon_fp64_report *x = &p->report, *y = &q.report;
  product_text(p, text, sizeof text);
  check(x->products == 1 && x->tiles == tiles, "%s: %lld tiles are due", text, (long long)tiles);
  check(x->moduli == y->moduli && x->bits == y->bits && x->products == y->products && x->emulated == y->emulated &&
            x->tiles == y->tiles && x->not_finite == y->not_finite && x->unproved == y->unproved,
        "%s; the device has %d moduli, %.1f bits, %lld tiles, %lld + %lld fell back", text, y->moduli, y->bits,
        (long long)y->tiles, (long long)y->not_finite, (long long)y->unproved);
  const bool native = x->not_finite + x->unproved > 0;
  check(native || product_same(p, &q), "%s: other bits on the device", text);
  const double share = accuracy == TRIGON_FP64_GUARANTEED ? product_share(p) : 0;
  check(share <= 1, "%s: %.3g of the bound", text, share);
  if (native && accuracy == TRIGON_FP64_GUARANTEED)
    check(product_share(&q) <= 1, "%s: %.3g of the bound on the device", text, product_share(&q));
  product_free(&q);
}

int product_vary(product *p, uint64_t kind) {
  static const trigon_scalar scalars[][2] = {{{1, 0}, {0, 0}}, {{-1, 0}, {1, 0}}, {{0.7, -0.3}, {2, 0.5}}};
  static const double phis[] = {0, 1, 2, 0.5, 4};
  static const int accuracies[] = {TRIGON_FP64_GUARANTEED, TRIGON_FP64_GUARANTEED, TRIGON_FP64_FAST, 14};
  const bool real = !is_complex(p->call.type) || p->call.routine == HERK || p->call.routine == HER2K;
  entry_rule *const rule = kind % 4 == 1 ? entry_adversarial : entry_spread;
  p->call.alpha = scalars[kind % 3][0], p->call.beta = scalars[kind % 3][1];
  if (real) p->call.alpha.im = p->call.beta.im = 0;
  product_fill(p, rule, rule, phis[kind % 5], kind + 1);
  return accuracies[kind % 4];
}
