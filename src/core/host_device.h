/* host_device.h - marks functions of C that kernels call, too. */
#ifndef TRIGON_HOST_DEVICE_H
#define TRIGON_HOST_DEVICE_H

#if defined(__CUDACC__) || defined(__HIPCC__)
#define TRIGON_HOST_DEVICE __host__ __device__
#else
#define TRIGON_HOST_DEVICE
#endif

#endif
