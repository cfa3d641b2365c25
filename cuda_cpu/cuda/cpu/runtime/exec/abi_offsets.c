/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The offsets of kernel_abi.h as the C compiler sees them, for the test that compares them with emit/simt/frame.py.
 */
#include "abi_offsets.h"

#include <stddef.h>

#include "texture/tensor.h"
#include "texture/texture.h"

#define WARP(member) {"warp." #member, offsetof(struct cpu_warp, member)}
#define MAP(member) {"map." #member, offsetof(struct cpu_tensor_map, member)}
#define TEXTURE(member) {"texture." #member, offsetof(struct cpu_texture, member)}
#define LEVEL(member) {"level." #member, offsetof(struct cpu_level, member)}
#define RUNTIME(member) {"runtime." #member, offsetof(struct cpu_runtime, member)}

const struct cpu_offset cpu_offsets[] = {
    WARP(runtime), WARP(params), WARP(shared), WARP(local), WARP(symbols), WARP(local_stride), WARP(local_top),
    WARP(lanes), WARP(budget), WARP(warp_id), WARP(shared_size), WARP(shared_static), WARP(worker), WARP(grid_dim),
    WARP(block_idx), WARP(block_dim), WARP(cluster_dim), WARP(grid_id), WARP(grid_workspace), WARP(thread_idx),
    WARP(stack_limit), WARP(cluster_shared), WARP(graph_exec), WARP(rows), WARP(current), WARP(warp_count),
    WARP(warp_bytes), WARP(blocks), WARP(last_lanes),
    RUNTIME(barrier_sync), RUNTIME(barrier_arrive), RUNTIME(barrier_reduce), RUNTIME(poll), RUNTIME(fault),
    RUNTIME(vprintf), RUNTIME(malloc), RUNTIME(free), RUNTIME(assert_fail), RUNTIME(nanosleep), RUNTIME(clock),
    RUNTIME(globaltimer), RUNTIME(exit_lanes), RUNTIME(cluster_arrive), RUNTIME(cluster_wait),
    RUNTIME(graph_set_conditional), RUNTIME(graph_launch),
    RUNTIME(texture), RUNTIME(bulk), RUNTIME(graph_update), RUNTIME(check_access), RUNTIME(check_warp), RUNTIME(check_fence),
    RUNTIME(check_barrier), RUNTIME(device_call),
    MAP(address), MAP(stride), MAP(last), MAP(box), MAP(step), MAP(type), MAP(rank), MAP(swizzle), MAP(fill),
    MAP(im2col), MAP(lower), MAP(upper), MAP(channels), MAP(pixels), MAP(unit), MAP(unused), MAP(kind),
    TEXTURE(kind), TEXTURE(format), TEXTURE(channels), TEXTURE(flags), TEXTURE(address), TEXTURE(filter),
    TEXTURE(mip_filter), TEXTURE(levels), TEXTURE(bias), TEXTURE(least), TEXTURE(most), TEXTURE(element),
    TEXTURE(border), TEXTURE(level),
    LEVEL(base), LEVEL(pitch), LEVEL(slice), LEVEL(width), LEVEL(height), LEVEL(depth), LEVEL(unused),
    {NULL, 0},
};
