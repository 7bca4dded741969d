/* wgmma_cuda.h - Hopper's products of a warpgroup, bulk copies, and barriers of shared memory. Only code for sm_90a has
 * these instructions; for other architectures the functions do nothing. */
#ifndef TRIGON_WGMMA_CUDA_H
#define TRIGON_WGMMA_CUDA_H

#include <stdint.h>

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define TG_WGMMA
#endif

__device__ inline unsigned tg_shared_address(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* ---------------------------------------------------------------------------------- barriers of shared memory -- */

__device__ inline void tg_barrier_open(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(arrivals) : "memory");
}

/* Arrives, and makes the phase wait for this many bytes of copies. */
__device__ inline void tg_barrier_expect(unsigned barrier, int bytes) {
#ifdef TG_WGMMA
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(barrier), "r"(bytes) : "memory");
#else
  (void)barrier, (void)bytes;
#endif
}

/* Arrives at the barrier of a block of the cluster that has the same address there. */
__device__ inline void tg_barrier_arrive(unsigned barrier, int block) {
#ifdef TG_WGMMA
  asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
               "mbarrier.arrive.shared::cluster.b64 _, [there];\n}"
               :
               : "r"(barrier), "r"(block)
               : "memory");
#else
  (void)barrier, (void)block;
#endif
}

/* Waits for the end of the phase with this parity. */
__device__ inline void tg_barrier_await(unsigned barrier, unsigned parity) {
#ifdef TG_WGMMA
  asm volatile("{\n.reg .pred done;\nagain:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@done bra ended;\nbra again;\nended:\n}"
               :
               : "r"(barrier), "r"(parity)
               : "memory");
#else
  (void)barrier, (void)parity;
#endif
}

/* ---------------------------------------------------------------------------------------------------- copies -- */

/* A barrier of the 128 threads of warpgroup 0 or 1. */
__device__ inline void tg_group_sync(int group) {
  if (group == 0)
    asm volatile("bar.sync 1, 128;" : : : "memory");
  else
    asm volatile("bar.sync 2, 128;" : : : "memory");
}

/* Makes opened barriers known to copies, and behind the next tg_cluster_sync to the cluster. */
__device__ inline void tg_barriers_opened() {
#ifdef TG_WGMMA
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
#endif
}

/* Begins to copy bytes to shared memory, to the same place in all blocks that `blocks` has a bit for, or, if that is 0,
 * in this block. The barriers at the same place count the bytes. Everything is at multiples of 16. */
__device__ inline void tg_bulk_copy(unsigned to, const void *from, int bytes, unsigned barrier, unsigned blocks) {
#ifdef TG_WGMMA
  if (blocks)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;"
                 :
                 : "r"(to), "l"(from), "r"(bytes), "r"(barrier), "h"(static_cast<unsigned short>(blocks))
                 : "memory");
  else
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(to), "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
#else
  (void)to, (void)from, (void)bytes, (void)barrier, (void)blocks;
#endif
}

/* -------------------------------------------------------------------------------------- products of a warpgroup -- */

template <int REGISTERS> __device__ inline void tg_more_registers() {
#ifdef TG_WGMMA
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(REGISTERS));
#endif
}
template <int REGISTERS> __device__ inline void tg_fewer_registers() {
#ifdef TG_WGMMA
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(REGISTERS));
#endif
}

/* An operand in shared memory: rows of 128 or 64 bytes along k, swizzled over the row. */
template <int ROW> __device__ inline uint64_t tg_warpgroup_operand(unsigned address) {
  static_assert(ROW == 128 || ROW == 64, "the swizzles in use");
  return (address & 0x3ffff) >> 4 | 1ull << 16 | static_cast<uint64_t>(8 * ROW >> 4) << 32 |
         (ROW == 128 ? 1ull : 2ull) << 62;
}

/* The operand this many bytes behind. The sum has no carry into the upper word. */
__device__ inline uint64_t tg_further(uint64_t operand, unsigned bytes) {
  return (operand >> 32) << 32 | (static_cast<unsigned>(operand) + bytes / 16);
}

__device__ inline void tg_warpgroup_begin() {
#ifdef TG_WGMMA
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#endif
}
__device__ inline void tg_warpgroup_commit() {
#ifdef TG_WGMMA
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
#endif
}
template <int LEFT> __device__ inline void tg_warpgroup_await() {
#ifdef TG_WGMMA
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(LEFT) : "memory");
#endif
}

/* d += a·bᵀ, or d = a·bᵀ, of 64 and 256 rows of 32 bytes. For the lane 4·g + t of warp w, d[4·j + 2·h + e] is element
 * (16·w + g + 8·h, 8·j + 2·t + e). Bytes are signed. */
__device__ inline void tg_wgmma(int (&d)[128], uint64_t a, uint64_t b, bool adds) {
#ifdef TG_WGMMA
  asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %130, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
               "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
               "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
               "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
               "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
               "%128, %129, adds;\n}"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]),
                 "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]),
                 "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]),
                 "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]),
                 "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39]),
                 "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]),
                 "+r"(d[48]), "+r"(d[49]), "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]),
                 "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59]), "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63]),
                 "+r"(d[64]), "+r"(d[65]), "+r"(d[66]), "+r"(d[67]), "+r"(d[68]), "+r"(d[69]), "+r"(d[70]), "+r"(d[71]),
                 "+r"(d[72]), "+r"(d[73]), "+r"(d[74]), "+r"(d[75]), "+r"(d[76]), "+r"(d[77]), "+r"(d[78]), "+r"(d[79]),
                 "+r"(d[80]), "+r"(d[81]), "+r"(d[82]), "+r"(d[83]), "+r"(d[84]), "+r"(d[85]), "+r"(d[86]), "+r"(d[87]),
                 "+r"(d[88]), "+r"(d[89]), "+r"(d[90]), "+r"(d[91]), "+r"(d[92]), "+r"(d[93]), "+r"(d[94]), "+r"(d[95]),
                 "+r"(d[96]), "+r"(d[97]), "+r"(d[98]), "+r"(d[99]), "+r"(d[100]), "+r"(d[101]), "+r"(d[102]),
                 "+r"(d[103]), "+r"(d[104]), "+r"(d[105]), "+r"(d[106]), "+r"(d[107]), "+r"(d[108]), "+r"(d[109]),
                 "+r"(d[110]), "+r"(d[111]), "+r"(d[112]), "+r"(d[113]), "+r"(d[114]), "+r"(d[115]), "+r"(d[116]),
                 "+r"(d[117]), "+r"(d[118]), "+r"(d[119]), "+r"(d[120]), "+r"(d[121]), "+r"(d[122]), "+r"(d[123]),
                 "+r"(d[124]), "+r"(d[125]), "+r"(d[126]), "+r"(d[127])
               : "l"(a), "l"(b), "r"(static_cast<int>(adds)));
#else
  (void)d, (void)a, (void)b, (void)adds;
#endif
}

#endif
