// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Blocks, clusters and grids: CUDA C++ Programming Guide, "Cooperative Groups", "Implicit Groups".
#pragma once
#include "common.h"

namespace cooperative_groups {
namespace __v1 {

// What tiles of several warps need on devices before compute capability 8.0 with NVIDIA's headers; unused here.
template <unsigned MaxBlockSize = 1024> struct __align__(16) block_tile_memory { unsigned char unused[16]; };

class thread_block : public thread_group {
  public:
    class arrival_token {};
    __OPEN_CUDA_STATIC void sync() { __syncthreads(); }
    // The barrier is not split: threads wait for each other in barrier_wait.
    __OPEN_CUDA_STATIC arrival_token barrier_arrive() { return arrival_token(); }
    __OPEN_CUDA_STATIC void barrier_wait(arrival_token &&) { __syncthreads(); }
    __OPEN_CUDA_STATIC unsigned thread_rank() { return __open::rank_in_block(); }
    __OPEN_CUDA_STATIC unsigned num_threads() { return __open::threads_of_block(); }
    __OPEN_CUDA_STATIC unsigned size() { return num_threads(); }
    __OPEN_CUDA_STATIC dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __OPEN_CUDA_STATIC dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __OPEN_CUDA_STATIC dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __OPEN_CUDA_STATIC dim3 group_dim() { return dim_threads(); }

  private:
    __OPEN_CUDA_METHOD thread_block() : thread_group(BLOCK, 0, 0, 0, 1) {}
    friend __device__ thread_block this_thread_block();
};
__device__ __inline__ __attribute__((always_inline)) thread_block this_thread_block() { return thread_block(); }
template <unsigned MaxBlockSize>
__OPEN_CUDA_STATIC thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) { return this_thread_block(); }

#if __OPEN_CUDA_ARCH >= 900
class cluster_group {
  public:
    class arrival_token {};
    __OPEN_CUDA_STATIC arrival_token barrier_arrive() {
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        return arrival_token();
    }
    __OPEN_CUDA_STATIC void barrier_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
    __OPEN_CUDA_STATIC void barrier_wait(arrival_token &&) { barrier_wait(); }
    __OPEN_CUDA_STATIC void sync() {
        barrier_arrive();
        barrier_wait();
    }
    __OPEN_CUDA_STATIC dim3 block_index() { return __clusterRelativeBlockIdx(); }
    __OPEN_CUDA_STATIC unsigned block_rank() { return __clusterRelativeBlockRank(); }
    __OPEN_CUDA_STATIC dim3 dim_blocks() { return __clusterDim(); }
    __OPEN_CUDA_STATIC unsigned num_blocks() { return __clusterSizeInBlocks(); }
    __OPEN_CUDA_STATIC dim3 dim_threads() {
        dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    __OPEN_CUDA_STATIC unsigned num_threads() { return num_blocks() * __open::threads_of_block(); }
    __OPEN_CUDA_STATIC unsigned size() { return num_threads(); }
    __OPEN_CUDA_STATIC dim3 thread_index() {
        dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    __OPEN_CUDA_STATIC unsigned thread_rank() {
        return block_rank() * __open::threads_of_block() + __open::rank_in_block();
    }
    __OPEN_CUDA_STATIC unsigned query_shared_rank(const void *address) { return __cluster_query_shared_rank(address); }
    template <class T> __OPEN_CUDA_STATIC T *map_shared_rank(T *address, int rank) {
        return (T *)__cluster_map_shared_rank((const void *)address, rank);
    }

  private:
    __OPEN_CUDA_METHOD cluster_group() {}
    friend __device__ cluster_group this_cluster();
};
__device__ __inline__ __attribute__((always_inline)) cluster_group this_cluster() { return cluster_group(); }
#endif

class grid_group {
  public:
    class arrival_token {
        unsigned before = 0;
        friend class grid_group;
    };
    // A grid that is not launched cooperatively has no workspace.
    __OPEN_CUDA_METHOD bool is_valid() const { return workspace != nullptr; }
    __OPEN_CUDA_METHOD arrival_token barrier_arrive() const {
        arrival_token token;
        if (!is_valid()) __trap();
        __syncthreads();
        if (__open::rank_in_block() == 0) token.before = __open::arrive_at(workspace + 1, block_rank() == 0, num_blocks());
        return token;
    }
    __OPEN_CUDA_METHOD void barrier_wait(arrival_token &&token) const {
        if (__open::rank_in_block() == 0) __open::wait_for(workspace + 1, token.before);
        __syncthreads();
    }
    __OPEN_CUDA_METHOD void sync() const { barrier_wait(barrier_arrive()); }
    __OPEN_CUDA_STATIC unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __OPEN_CUDA_STATIC unsigned long long num_threads() { return num_blocks() * __open::threads_of_block(); }
    __OPEN_CUDA_STATIC unsigned long long size() { return num_threads(); }
    __OPEN_CUDA_STATIC unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __OPEN_CUDA_STATIC unsigned long long thread_rank() {
        return block_rank() * __open::threads_of_block() + __open::rank_in_block();
    }
    __OPEN_CUDA_STATIC dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __OPEN_CUDA_STATIC dim3 group_dim() { return dim_blocks(); }
    __OPEN_CUDA_STATIC dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
#if __OPEN_CUDA_ARCH >= 900
    __OPEN_CUDA_STATIC dim3 dim_clusters() { return __clusterGridDimInClusters(); }
    __OPEN_CUDA_STATIC dim3 cluster_index() { return __clusterIdx(); }
    __OPEN_CUDA_STATIC unsigned long long num_clusters() {
        dim3 clusters = dim_clusters();
        return (unsigned long long)clusters.x * clusters.y * clusters.z;
    }
    __OPEN_CUDA_STATIC unsigned long long cluster_rank() {
        dim3 clusters = dim_clusters(), index = cluster_index();
        return ((unsigned long long)index.z * clusters.y + index.y) * clusters.x + index.x;
    }
#endif

  private:
    // The address of the workspace of a cooperative launch is in two driver-defined registers; its second word counts.
    __OPEN_CUDA_METHOD grid_group() {
        unsigned high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        workspace = (unsigned *)((unsigned long long)high << 32 | low);
    }
    unsigned *workspace;
    friend __device__ grid_group this_grid();
};
__device__ __inline__ __attribute__((always_inline)) grid_group this_grid() { return grid_group(); }

} // namespace __v1
} // namespace cooperative_groups
