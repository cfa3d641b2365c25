// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Thread block clusters: CUDA C++ Programming Guide, "Thread Block Clusters" and "Distributed Shared Memory".
#pragma once
#include "memory.h"

#if __OPEN_CUDA_ARCH >= 900
#define __OPEN_CUDA_CLUSTER_INDEX(name, register)                                       \
    __OPEN_CUDA_FN dim3 name() {                                                        \
        unsigned x, y, z;                                                               \
        asm("mov.u32 %0, %%" #register ".x;" : "=r"(x));                                \
        asm("mov.u32 %0, %%" #register ".y;" : "=r"(y));                                \
        asm("mov.u32 %0, %%" #register ".z;" : "=r"(z));                                \
        return dim3(x, y, z);                                                           \
    }
__OPEN_CUDA_CLUSTER_INDEX(__clusterDim, cluster_nctaid)
__OPEN_CUDA_CLUSTER_INDEX(__clusterRelativeBlockIdx, cluster_ctaid)
__OPEN_CUDA_CLUSTER_INDEX(__clusterGridDimInClusters, nclusterid)
__OPEN_CUDA_CLUSTER_INDEX(__clusterIdx, clusterid)
#define __OPEN_CUDA_CLUSTER_NUMBER(name, type, register)                                \
    __OPEN_CUDA_FN type name() {                                                        \
        unsigned result;                                                                \
        asm(register : "=r"(result));                                                   \
        return (type)result;                                                            \
    }
__OPEN_CUDA_CLUSTER_NUMBER(__clusterRelativeBlockRank, unsigned, "mov.u32 %0, %%cluster_ctarank;")
__OPEN_CUDA_CLUSTER_NUMBER(__clusterSizeInBlocks, unsigned, "mov.u32 %0, %%cluster_nctarank;")
__OPEN_CUDA_CLUSTER_NUMBER(__clusterDimIsSpecified, bool,
                           "{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}")

__OPEN_CUDA_FN void __cluster_barrier_arrive() {
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__OPEN_CUDA_FN void __cluster_barrier_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__OPEN_CUDA_FN void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
__OPEN_CUDA_FN unsigned __cluster_query_shared_rank(const void *address) {
    unsigned rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
    return rank;
}
__OPEN_CUDA_FN void *__cluster_map_shared_rank(const void *address, unsigned rank) {
    void *there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
    return there;
}
#endif
