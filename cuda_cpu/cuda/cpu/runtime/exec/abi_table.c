/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Table of the constants and struct offsets that machine code and Python share with the runtime. Each number is defined
 * once, in a C header; runtime/abi.py gives them names in Python.
 */
#include "abi_table.h"

#include <stddef.h>

#include "check/check.h"
#include "device_runtime/device.h"
#include "counters/counters.h"
#include "queue/node.h"
#include "texture/tensor.h"
#include "texture/texture.h"
#include "worker.h"

/* Type code of a member, or of the elements of an array member, as in Python's struct module. */
#define TYPE(value)                                                                                                    \
    _Generic((value), uint8_t: 'B', uint8_t *: 'B', uint16_t: 'H', uint16_t *: 'H', uint32_t: 'I', uint32_t *: 'I',    \
             uint64_t: 'Q', uint64_t *: 'Q', int16_t: 'h', int16_t *: 'h', float: 'f', float *: 'f')
#define SIZE(value)                                                                                                    \
    _Generic((value), uint8_t *: 1, uint16_t *: 2, uint32_t *: 4, uint64_t *: 8, int16_t *: 2, float *: 4,             \
             default: sizeof(value))
#define FIELD(tag, type, member)                                                                                       \
    {tag "." #member, offsetof(struct type, member), TYPE(((struct type *)0)->member),                                 \
     sizeof(((struct type *)0)->member) / SIZE(((struct type *)0)->member)},
#define CONSTANT(name) {#name, name, 0, 0},
#define CALL(function, number) {"call." #function, number, 0, 0},
#define WARP(member) {"warp." #member, offsetof(struct cpu_warp, member), 0, 0},
#define SERVICE(member) {"service." #member, offsetof(struct cpu_runtime, member), 0, 0},
#define MAP(member) FIELD("map", cpu_tensor_map, member)
#define TEXTURE(member) FIELD("texture", cpu_texture, member)
#define LEVEL(member) FIELD("level", cpu_level, member)

const struct cpu_abi_entry cpu_abi_table[] = {
    CONSTANT(CPU_KERNEL_ABI) CONSTANT(CPU_WARP_SIZE) CONSTANT(CPU_CLUSTER_STRIDE) CONSTANT(CPU_MAX_ALIGNMENT)
    CONSTANT(CPU_MAX_WORKERS) CONSTANT(CPU_MAX_GRID_X) CONSTANT(CPU_MAX_GRID_YZ) CONSTANT(CPU_MAX_BLOCK_XY)
    CONSTANT(CPU_MAX_BLOCK_Z) CONSTANT(CPU_MAX_BLOCK_THREADS) CONSTANT(CPU_FAULT_NONE)
    CONSTANT(CPU_FAULT_ILLEGAL_ADDRESS) CONSTANT(CPU_FAULT_MISALIGNED) CONSTANT(CPU_FAULT_TRAP)
    CONSTANT(CPU_FAULT_ASSERT) CONSTANT(CPU_FAULT_STACK) CONSTANT(CPU_FAULT_BARRIER) CONSTANT(CPU_FAULT_CANCELLED)
    CONSTANT(CPU_FAULT_INVALID_PC) CONSTANT(CPU_FAULT_UNSUPPORTED) CONSTANT(CPU_FAULT_CHECK) CONSTANT(CPU_MEMCHECK)
    CONSTANT(CPU_RACECHECK) CONSTANT(CPU_SYNCCHECK) CONSTANT(CPU_INITCHECK) CONSTANT(CPU_SPACE_GENERIC) CONSTANT(CPU_SPACE_GLOBAL)
    CONSTANT(CPU_SPACE_SHARED) CONSTANT(CPU_SPACE_LOCAL) CONSTANT(CPU_SPACE_CLUSTER) CONSTANT(CPU_SPACE_PARAM)
    CONSTANT(CPU_SPACE_CONST) CONSTANT(CPU_ACCESS_READ) CONSTANT(CPU_ACCESS_WRITE) CONSTANT(CPU_ACCESS_UNIFORM)
    CONSTANT(CPU_ACCESS_SIZED) CONSTANT(CPU_ACCESS_VALUES) CONSTANT(CPU_ACCESS_STRONG) CONSTANT(CPU_ACCESS_RELEASE)
    CONSTANT(CPU_ACCESS_STEP) CONSTANT(CPU_ACCESS_COPIED) CONSTANT(CPU_ACCESS_FRESH)
    CONSTANT(CPU_MEETING_ALIGNED) CONSTANT(CPU_MEETING_ALONE) CONSTANT(CPU_FOUND_OUTSIDE)
    CONSTANT(CPU_FOUND_FREED) CONSTANT(CPU_FOUND_HOST) CONSTANT(CPU_FOUND_MISALIGNED) CONSTANT(CPU_FOUND_SHARED)
    CONSTANT(CPU_FOUND_LOCAL) CONSTANT(CPU_FOUND_PARAM) CONSTANT(CPU_FOUND_WRITE_AFTER_WRITE)
    CONSTANT(CPU_FOUND_READ_AFTER_WRITE) CONSTANT(CPU_FOUND_WRITE_AFTER_READ) CONSTANT(CPU_FOUND_DIVERGENT)
    CONSTANT(CPU_FOUND_COUNT) CONSTANT(CPU_FOUND_COUNTS) CONSTANT(CPU_FOUND_UNNAMED) CONSTANT(CPU_FOUND_MASKS)
    CONSTANT(CPU_FOUND_ALONE) CONSTANT(CPU_FOUND_STUCK) CONSTANT(CPU_FOUND_UNWRITTEN) CONSTANT(CPU_TENSOR_LOAD) CONSTANT(CPU_TENSOR_STORE)
    CONSTANT(CPU_TENSOR_REDUCE) CONSTANT(CPU_BULK_COPY) CONSTANT(CPU_BULK_REDUCE) CONSTANT(CPU_BULK_MASKED)
    CONSTANT(CPU_TENSOR_REPLACE) CONSTANT(CPU_MULTIMEM_LOAD) CONSTANT(CPU_MULTIMEM_STORE) CONSTANT(CPU_MULTIMEM_REDUCE)
    CONSTANT(CPU_MULTIMEM_COPY) CONSTANT(CPU_MULTIMEM_REDUCE_BULK) CONSTANT(CPU_BULK_IM2COL_BIT) CONSTANT(CPU_BULK_MULTICAST_BIT)
    CONSTANT(CPU_BULK_MAP) CONSTANT(CPU_BULK_SOURCE)
    CONSTANT(CPU_BULK_BARRIER) CONSTANT(CPU_BULK_COORDINATE) CONSTANT(CPU_BULK_OFFSET) CONSTANT(CPU_BULK_MASK)
    CONSTANT(CPU_BULK_ROWS) CONSTANT(CPU_TEX_BASE) CONSTANT(CPU_TEX_LEVEL) CONSTANT(CPU_TEX_GRAD)
    CONSTANT(CPU_TEX_GATHER) CONSTANT(CPU_TEX_QUERY) CONSTANT(CPU_SURF_LOAD) CONSTANT(CPU_SURF_STORE)
    CONSTANT(CPU_SURF_STORE_FORMATTED) CONSTANT(CPU_SURF_REDUCE) CONSTANT(CPU_SURF_REDUCE_ELEMENT)
    CONSTANT(CPU_TEX_LAYERED) CONSTANT(CPU_TEX_CUBE) CONSTANT(CPU_TEX_INDEX) CONSTANT(CPU_ARG_LAYER) CONSTANT(CPU_ARG_X)
    CONSTANT(CPU_ARG_DX) CONSTANT(CPU_ARG_DY) CONSTANT(CPU_ARG_OFFSET) CONSTANT(CPU_ARGS) CONSTANT(CPU_TEXTURE_INTEGERS)
    CONSTANT(CPU_TEXTURE_NORMALIZED) CONSTANT(CPU_TEXTURE_SRGB) CONSTANT(CPU_TEXTURE_SEAMLESS)
    CONSTANT(CPU_TEXTURE_LINEAR) CONSTANT(CPU_MAX_LEVELS) CONSTANT(CPU_TEXTURE_KIND) CONSTANT(CPU_SURFACE_KIND)
    CONSTANT(CPU_TENSOR_MAP) CONSTANT(CPU_MULTIMEM) CONSTANT(CPU_NODE_PARAM) CONSTANT(CPU_NODE_ENABLED)
    CONSTANT(CPU_NODE_GRID) CONSTANT(CPU_NODE_SEVERAL) CONSTANT(CPU_COUNT_REQUESTS) CONSTANT(CPU_COUNT_THREADS)
    CONSTANT(CPU_COUNT_BYTES) CONSTANT(CPU_COUNT_SECTORS) CONSTANT(CPU_COUNT_WAVEFRONTS) CONSTANT(CPU_COUNT_CONFLICTS)
    CONSTANT(CPU_COUNT_EXCESS)
    CONSTANT(CPU_COUNT_STRIDED) CONSTANT(CPU_COUNT_STRIDES) CONSTANT(CPU_COUNT_COLLISIONS) CONSTANT(CPU_COUNTS) CONSTANT(CPU_GROUP_GLOBAL) CONSTANT(CPU_GROUP_SHARED)
    CONSTANT(CPU_GROUP_LOCAL) CONSTANT(CPU_GROUPS) CONSTANT(CPU_SECTOR) CONSTANT(CPU_BANKS)
    CALL(GetParameterBuffer, CPU_GET_PARAMETER_BUFFER) CALL(GetParameterBufferV2, CPU_GET_PARAMETER_BUFFER_V2)
    CALL(LaunchDevice, CPU_LAUNCH_DEVICE) CALL(LaunchDeviceV2, CPU_LAUNCH_DEVICE_V2)
    CALL(StreamCreateWithFlags, CPU_STREAM_CREATE_WITH_FLAGS) CALL(StreamDestroy, CPU_STREAM_DESTROY)
    CALL(StreamWaitEvent, CPU_STREAM_WAIT_EVENT) CALL(EventCreateWithFlags, CPU_EVENT_CREATE_WITH_FLAGS)
    CALL(EventRecord, CPU_EVENT_RECORD) CALL(EventRecordWithFlags, CPU_EVENT_RECORD_WITH_FLAGS)
    CALL(EventDestroy, CPU_EVENT_DESTROY) CALL(MemcpyAsync, CPU_MEMCPY_ASYNC) CALL(Memcpy2DAsync, CPU_MEMCPY_2D_ASYNC)
    CALL(Memcpy3DAsync, CPU_MEMCPY_3D_ASYNC) CALL(MemsetAsync, CPU_MEMSET_ASYNC)
    CALL(Memset2DAsync, CPU_MEMSET_2D_ASYNC) CALL(Memset3DAsync, CPU_MEMSET_3D_ASYNC) CALL(Malloc, CPU_MALLOC)
    CALL(Free, CPU_FREE_MEMORY) CALL(GetLastError, CPU_GET_LAST_ERROR) CALL(PeekAtLastError, CPU_PEEK_AT_LAST_ERROR)
    CALL(GetErrorString, CPU_GET_ERROR_STRING) CALL(GetErrorName, CPU_GET_ERROR_NAME)
    CALL(GetDeviceCount, CPU_GET_DEVICE_COUNT) CALL(GetDevice, CPU_GET_DEVICE)
    CALL(DeviceGetAttribute, CPU_DEVICE_GET_ATTRIBUTE) CALL(DeviceGetLimit, CPU_DEVICE_GET_LIMIT)
    CALL(DeviceGetCacheConfig, CPU_DEVICE_GET_CACHE_CONFIG)
    CALL(DeviceGetSharedMemConfig, CPU_DEVICE_GET_SHARED_MEM_CONFIG) CALL(RuntimeGetVersion, CPU_RUNTIME_GET_VERSION)
    CALL(FuncGetAttributes, CPU_FUNC_GET_ATTRIBUTES) CALL(OccupancyMaxActiveBlocksPerMultiprocessor, CPU_OCCUPANCY)
    CALL(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, CPU_OCCUPANCY_WITH_FLAGS)
    WARP(runtime) WARP(params) WARP(shared) WARP(local) WARP(symbols) WARP(local_stride) WARP(local_top) WARP(lanes)
    WARP(budget) WARP(warp_id) WARP(shared_size) WARP(shared_static) WARP(worker) WARP(grid_dim) WARP(block_idx)
    WARP(block_dim) WARP(cluster_dim) WARP(grid_id) WARP(grid_workspace) WARP(thread_idx) WARP(stack_limit)
    WARP(cluster_shared) WARP(graph_exec) WARP(rows) WARP(current) WARP(warp_count) WARP(warp_bytes) WARP(blocks)
    WARP(last_lanes) WARP(counters)
    SERVICE(barrier_sync) SERVICE(barrier_arrive) SERVICE(barrier_reduce) SERVICE(poll) SERVICE(fault) SERVICE(vprintf)
    SERVICE(malloc) SERVICE(free) SERVICE(assert_fail) SERVICE(nanosleep) SERVICE(clock) SERVICE(globaltimer)
    SERVICE(exit_lanes) SERVICE(cluster_arrive) SERVICE(cluster_wait) SERVICE(graph_set_conditional)
    SERVICE(graph_launch) SERVICE(texture) SERVICE(bulk) SERVICE(graph_update) SERVICE(check_access) SERVICE(check_warp)
    SERVICE(check_fence) SERVICE(check_barrier) SERVICE(device_call) SERVICE(profile_access)
    SERVICE(profile_bulk)
    MAP(address) MAP(stride) MAP(last) MAP(box) MAP(step) MAP(type) MAP(rank) MAP(swizzle) MAP(fill) MAP(im2col)
    MAP(lower) MAP(upper) MAP(channels) MAP(pixels) MAP(unit) MAP(unused) MAP(kind)
    TEXTURE(kind) TEXTURE(format) TEXTURE(channels) TEXTURE(flags) TEXTURE(address) TEXTURE(filter) TEXTURE(mip_filter)
    TEXTURE(levels) TEXTURE(bias) TEXTURE(least) TEXTURE(most) TEXTURE(element) TEXTURE(border)
    LEVEL(base) LEVEL(pitch) LEVEL(slice) LEVEL(width) LEVEL(height) LEVEL(depth) LEVEL(unused)
    {NULL, 0, 0, 0},
};
