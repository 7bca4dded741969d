/* delay.cu - the kernel that keeps the stream busy for a given time, for the timer. */
#include "gpu/kernels/launch.h"

__global__ static void delay_kernel(delay p) {
  const unsigned long long begun = tg_nanoseconds();
  while (tg_nanoseconds() - begun < p.nanoseconds) {
  }
}

cudaError_t launch_delay(queue q, const delay *p) {
  return q.load ? tg_load(delay_kernel) : tg_launch(q.stream, delay_kernel, 1, 1, 0, *p);
}
