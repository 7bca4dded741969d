/* clusters_cuda.h - clusters of blocks on NVIDIA's GPUs (see vendor.h). Code for compute capability 9.0 and later has
 * the instructions, also without the features of sm_90a. In other code the functions do nothing, and tg_most_clusters
 * finds room for no cluster. */
#ifndef TRIGON_CLUSTERS_CUDA_H
#define TRIGON_CLUSTERS_CUDA_H

#include <cuda_runtime.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TG_CLUSTERS
#endif

__device__ inline int tg_cluster_rank() {
  unsigned rank = 0;
#ifdef TG_CLUSTERS
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return static_cast<int>(rank);
}

__device__ inline void tg_cluster_sync() {
#ifdef TG_CLUSTERS
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" : : : "memory");
#endif
}

/* The place in another block is a generic address, too, so that plain loads and stores reach it. */
template <class T> __device__ inline T *tg_cluster_shared(T *p, int block) {
#ifdef TG_CLUSTERS
  T *there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(block));
  return there;
#else
  return (void)block, p;
#endif
}

/* The launch of clusters with this shape. `shape` is memory that the result points to. */
inline cudaLaunchConfig_t tg_cluster_config(cudaLaunchAttribute *shape, int64_t blocks, int threads, size_t shared,
                                            int cluster) {
  *shape = {};
  shape->id = cudaLaunchAttributeClusterDimension;
  shape->val.clusterDim.x = static_cast<unsigned>(cluster);
  shape->val.clusterDim.y = shape->val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared;
  config.attrs = shape;
  config.numAttrs = 1;
  return config;
}

template <class Task>
inline cudaError_t tg_launch_clusters(cudaStream_t stream, void (*kernel)(Task), int64_t blocks, int threads,
                                      size_t shared, Task task, int cluster) {
  void *arguments[] = {&task};
  cudaLaunchAttribute shape;
  cudaLaunchConfig_t config = tg_cluster_config(&shape, blocks, threads, shared, cluster);
  config.stream = stream;
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), arguments);
}

/* Every GPU with clusters has clusters of eight blocks. Larger ones must be allowed for each kernel. */
inline cudaError_t tg_most_clusters(const void *kernel, int threads, size_t shared, int cluster, int *clusters) {
  enum { portable = 8 };
  cudaFuncAttributes attributes;
  cudaLaunchAttribute shape;
  const cudaLaunchConfig_t config = tg_cluster_config(&shape, cluster, threads, shared, cluster);
  *clusters = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess || attributes.ptxVersion < 90) return error;
  if (cluster > portable) error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (error == cudaSuccess) error = cudaOccupancyMaxActiveClusters(clusters, kernel, &config);
  if (error != cudaErrorInvalidClusterSize) return error;
  (void)cudaGetLastError(); /* the device has smaller clusters: that is no error, so forget the error */
  return *clusters = 0, cudaSuccess;
}

#endif
