/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernels in the form that cuda.cpu.emit gives them, written by hand: one call runs one warp.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "exec/kernel_abi.h"
#include "kernel_helpers.h"

void empty(struct cpu_warp *warp)
{
    (void)warp;
}

struct pointer {
    uint64_t address;
    uint64_t number;
};

/* out[global thread] = its number + 1 */
void number_threads(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint32_t *out = (uint32_t *)params->address;
    LANES(lane) {
        uint64_t i = block_rank(warp) * block_size(warp) + thread_rank(warp, lane);
        out[i] = (uint32_t)i + 1;
    }
}

/* One record for each warp: the fields of struct cpu_warp that it sees. */
struct seen {
    uint32_t lanes, warp_id, shared_size, shared_static, grid_dim[3], block_idx[3], block_dim[3], cluster_dim[3];
    uint64_t grid_id, shared_aligned, local_aligned, symbol;
};

void describe(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint32_t warps = (block_size(warp) + 31) / 32;
    struct seen *seen = (struct seen *)params->address + block_rank(warp) * warps + warp->warp_id;
    seen->lanes = warp->lanes;
    seen->warp_id = warp->warp_id;
    seen->shared_size = warp->shared_size;
    seen->shared_static = warp->shared_static;
    memcpy(seen->grid_dim, warp->grid_dim, 12);
    memcpy(seen->block_idx, warp->block_idx, 12);
    memcpy(seen->block_dim, warp->block_dim, 12);
    memcpy(seen->cluster_dim, warp->cluster_dim, 12);
    seen->grid_id = warp->grid_id;
    seen->shared_aligned = (uintptr_t)warp->shared % 128 == 0;
    seen->local_aligned = (uintptr_t)warp->local % 16 == 0;
    seen->symbol = warp->symbols ? warp->symbols[0] : 0;
    memset(warp->shared, 0xab, warp->shared_size);
    LANES(lane) memset(warp->local + lane * warp->local_stride, lane, warp->local_stride);
}

struct saxpy {
    uint64_t x, y;
    float a;
    uint32_t n;
};

void saxpy(struct cpu_warp *warp)
{
    const struct saxpy *params = (const void *)warp->params;
    const float *x = (const float *)params->x;
    float *y = (float *)params->y;
    uint64_t base = (uint64_t)warp->block_idx[0] * warp->block_dim[0] + warp->thread_idx[0][0];
    if (warp->lanes == UINT32_MAX && base + 32 <= params->n) {
        for (int lane = 0; lane < 32; lane++)
            y[base + lane] = params->a * x[base + lane] + y[base + lane];
        return;
    }
    LANES(lane) if (base + lane < params->n)
        y[base + lane] = params->a * x[base + lane] + y[base + lane];
}

/* Uses libm, constants and a writable variable: relocations. */
double scale = 2.0;
static const double table[4] = {1, 10, 100, 1000};

void library(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    double *out = (double *)params->address;
    LANES(lane) out[lane] = pow(scale, lane) + table[lane % 4] + cos(0.0);
}

void store_at(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    if (block_rank(warp) == params->number)
        *(volatile uint32_t *)params->address = 1;
}

void spin(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    if (params->address)
        __atomic_store_n((uint32_t *)params->address, 1, __ATOMIC_RELEASE); /* signals that the kernel runs */
    for (;;)
        loop_step(warp);
}

/* Spin until the word is not 0. */
void await_word(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    while (!__atomic_load_n((uint32_t *)params->address, __ATOMIC_ACQUIRE))
        wait_step(warp);
}

long syscall(long number, ...); /* unistd.h has a pipe of its own */

static long this_thread(void)
{
    return syscall(SYS_gettid);
}

/* As `await_word`; stores in the following words the host threads on which it began and ended. */
void await_on_threads(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint32_t *words = (uint32_t *)params->address;
    words[1] = (uint32_t)this_thread();
    await_word(warp);
    words[2] = (uint32_t)this_thread();
    if (params->number)
        *(volatile uint32_t *)params->number = 1;
}

/* Take the given nanoseconds, and store the thread for each block. */
void take_time(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    const uint64_t *nanoseconds = (const uint64_t *)params->address;
    uint64_t begin = warp->runtime->globaltimer(warp);
    ((volatile uint32_t *)params->number)[block_rank(warp)] = (uint32_t)this_thread();
    while (warp->runtime->globaltimer(warp) - begin < __atomic_load_n(nanoseconds, __ATOMIC_RELAXED))
        loop_step(warp);
}

/* ---- barriers ---- */

static void sync_all(struct cpu_warp *warp)
{
    warp->runtime->barrier_sync(warp, 0, 0, warp->lanes);
}

/* Each round, each thread takes its neighbour's number: after n rounds thread t holds t + n, modulo the block. */
void rotate(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint32_t *out = (uint32_t *)params->address + block_rank(warp) * block_size(warp);
    uint32_t *shared = (uint32_t *)warp->shared, threads = block_size(warp), mine[CPU_WARP_SIZE];
    LANES(lane) mine[lane] = thread_rank(warp, lane);
    for (uint64_t round = 0; round < params->number; round++) {
        LANES(lane) shared[thread_rank(warp, lane)] = mine[lane];
        sync_all(warp);
        LANES(lane) mine[lane] = shared[(thread_rank(warp, lane) + 1) % threads];
        sync_all(warp);
    }
    LANES(lane) out[thread_rank(warp, lane)] = mine[lane];
}

/* Threads from `number` on leave at once; the others wait for each other and count themselves. */
void leave_early(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint32_t *out = (uint32_t *)params->address, *shared = (uint32_t *)warp->shared;
    cpu_lanes leaving = 0;
    LANES(lane) if (thread_rank(warp, lane) >= params->number) leaving |= 1u << lane;
    warp->runtime->exit_lanes(warp, leaving);
    cpu_lanes staying = warp->lanes & ~leaving;
    if (!staying)
        return;
    if (warp->warp_id == 0)
        shared[0] = 0;
    warp->runtime->barrier_sync(warp, 0, 0, staying);
    shared[0] += count_lanes(staying);
    warp->runtime->barrier_sync(warp, 0, 0, staying);
    out[warp->warp_id] = shared[0];
}

/* A barrier inside a branch: half of the lanes of each warp wait there, the others go past it and end. */
void half_waits(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    warp->runtime->barrier_sync(warp, 0, 0, warp->lanes & 0xffff);
    ((uint32_t *)params->address)[warp->warp_id] = 1;
}

/* Warp 0 produces `number` items one by one, warp 1 consumes them: named barriers 1 (full) and 2 (empty). */
void pipe(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint64_t *out = (uint64_t *)params->address;
    volatile uint64_t *slot = (uint64_t *)warp->shared;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < params->number; i++) {
        if (warp->warp_id == 0) {
            *slot = i;
            warp->runtime->barrier_arrive(warp, 1, 64, warp->lanes);
            warp->runtime->barrier_sync(warp, 2, 64, warp->lanes);
        } else {
            warp->runtime->barrier_sync(warp, 1, 64, warp->lanes);
            sum += *slot;
            warp->runtime->barrier_arrive(warp, 2, 64, warp->lanes);
        }
    }
    if (warp->warp_id == 1)
        *out = sum;
}

/* The predicate is true for threads below `number`; out: popc, and, or, for each warp. */
void reduce(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint32_t *out = (uint32_t *)params->address + 3 * warp->warp_id;
    cpu_lanes below = 0;
    LANES(lane) if (thread_rank(warp, lane) < params->number) below |= 1u << lane;
    for (uint32_t op = 0; op < 3; op++)
        out[op] = warp->runtime->barrier_reduce(warp, op, 0, warp->lanes, op, below);
}

/* Warp 0 waits for 64 threads at barrier 3, where no other warp arrives. */
void wait_for_nobody(struct cpu_warp *warp)
{
    if (warp->warp_id == 0)
        warp->runtime->barrier_sync(warp, 3, 64, warp->lanes);
}

void barrier_number(struct cpu_warp *warp)
{
    warp->runtime->barrier_sync(warp, 16, 0, warp->lanes);
}

/* ---- waiting loops ---- */

/* Every warp waits until the next one has passed; the last one passes at once. */
void pass_backwards(struct cpu_warp *warp)
{
    volatile uint32_t *passed = (uint32_t *)warp->shared;
    uint32_t warps = block_size(warp) / 32;
    if (warp->warp_id == 0)
        memset(warp->shared, 0, 4 * warps);
    sync_all(warp);
    while (warp->warp_id + 1 < warps && !passed[warp->warp_id + 1])
        wait_step(warp);
    passed[warp->warp_id] = 1;
}

/* The same between blocks, through global memory: needs all blocks in flight, without a cooperative launch. */
void blocks_pass_backwards(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    void (*step)(struct cpu_warp *) = params->number ? loop_step : wait_step;
    uint32_t *passed = (uint32_t *)params->address;
    uint64_t block = block_rank(warp);
    while (block + 1 < warp->grid_dim[0] && !__atomic_load_n(passed + block + 1, __ATOMIC_ACQUIRE))
        step(warp);
    __atomic_store_n(passed + block, 1, __ATOMIC_RELEASE);
}

/* A barrier of the whole grid, as cooperative groups build it from the workspace. */
static void sync_grid(struct cpu_warp *warp)
{
    uint32_t *arrived = (uint32_t *)(warp->grid_workspace + 4);
    sync_all(warp);
    if (warp->warp_id == 0) {
        uint32_t blocks = warp->grid_dim[0] * warp->grid_dim[1] * warp->grid_dim[2];
        uint32_t add = block_rank(warp) == 0 ? 0x80000000u - (blocks - 1) : 1;
        uint32_t before = __atomic_fetch_add(arrived, add, __ATOMIC_SEQ_CST);
        while (!((before ^ __atomic_load_n(arrived, __ATOMIC_SEQ_CST)) & 0x80000000u))
            wait_step(warp);
    }
    sync_all(warp);
}

/* Each round every block adds what all blocks together wrote in the round before. */
void grid_rounds(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint64_t blocks = warp->grid_dim[0], *cells = (uint64_t *)params->address;
    for (uint64_t round = 0; round < params->number; round++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < blocks; i++)
            sum += cells[i];
        sync_grid(warp);
        if (warp->warp_id == 0)
            cells[block_rank(warp)] = sum;
        sync_grid(warp);
    }
}

void workspace(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    *(uint64_t *)params->address = warp->grid_workspace != 0;
}

void doze(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint64_t *out = (uint64_t *)params->address;
    uint64_t clock = warp->runtime->clock(warp), timer = warp->runtime->globaltimer(warp);
    *(volatile uint64_t *)&out[2 * warp->warp_id] = 1; /* for a host that waits until it has begun */
    warp->runtime->nanosleep(warp, (uint32_t)params->number);
    out[2 * warp->warp_id] = warp->runtime->clock(warp) - clock;
    out[2 * warp->warp_id + 1] = warp->runtime->globaltimer(warp) - timer;
}

/* ---- faults ---- */

void raise_fault(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    if (warp->block_idx[0] == 2 && warp->warp_id == 1)
        warp->runtime->fault(warp, (uint32_t)params->number, 77, params->address);
}

void trap(struct cpu_warp *warp)
{
    (void)warp;
    __builtin_trap();
}

void call_address(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    ((void (*)(void))params->address)();
}

static uint64_t recurse(volatile uint64_t *numbers, uint64_t depth)
{
    volatile uint64_t more[512];
    more[depth % 512] = numbers[depth % 512] + depth;
    return depth == 0 ? more[0] : recurse(more, depth - 1) + more[1];
}

void deep(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    volatile uint64_t numbers[512] = {0};
    uint64_t result = recurse(numbers, params->number);
    if (params->address)
        *(uint64_t *)params->address = result;
}

void stack_room(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    volatile char here = 0;
    *(uint64_t *)params->address = (uint64_t)&here - warp->stack_limit;
}

/* Print at the end of the stack, beyond stack_limit, which machine code does not exceed. */
void print_deep(struct cpu_warp *warp)
{
    uint64_t format[32], arguments[32];
    int32_t result[32];
    volatile char here = 0;
    volatile char fill[(uint64_t)&here - warp->stack_limit + (1 << 20) + 40000]; /* FRAMES of fiber.c */
    fill[0] = here;
    format[0] = arguments[0] = (uint64_t)"%f %f %f %f\n\0 and more than thirty-two bytes";
    warp->runtime->vprintf(warp, 1, format, arguments, result);
    here = fill[0];
}

/* Touch shared memory at an offset: 32 bits from its beginning. */
void touch_shared(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    *(volatile uint8_t *)(warp->shared + (uint32_t)params->number) = 1;
}

/* One warp faults, the others of the block wait for it at a barrier. */
void fault_beside_barrier(struct cpu_warp *warp)
{
    if (warp->warp_id == 0 && block_rank(warp) == 3)
        *(volatile uint32_t *)16 = 1;
    sync_all(warp);
}

/* ---- floating-point state ---- */

#if defined(__x86_64__)
static uint64_t floating_point_control(void) { return __builtin_ia32_stmxcsr() & 0xffc0; }
static void flush_to_zero(void) { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); }
#else
static uint64_t floating_point_control(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}
static void flush_to_zero(void) { __asm__ volatile("msr fpcr, %0" : : "r"(1ul << 24)); }
#endif

/* For the host: its own thread's control word. */
uint64_t get_control_word(void)
{
    return floating_point_control();
}

void set_flush_to_zero(void)
{
    flush_to_zero();
}

void clear_flush_to_zero(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x8040);
#else
    __asm__ volatile("msr fpcr, %0" : : "r"(0ul));
#endif
}

/* out[warp] = control word at entry; leaves flush-to-zero on, before and after a barrier. */
void control_word(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint64_t *out = (uint64_t *)params->address;
    out[warp->warp_id] = floating_point_control();
    if (params->number) {
        flush_to_zero();
        sync_all(warp);
    }
}

/* ---- services ---- */

struct text {
    uint64_t out, format, arguments, size;
};

/* Every lane prints with a copy of the arguments; its own number is put at byte 0 if `out` is not 0. */
void print(struct cpu_warp *warp)
{
    const struct text *params = (const void *)warp->params;
    uint64_t format[32], arguments[32];
    int32_t result[32];
    static const int most = 256;
    uint8_t copies[32][256];
    LANES(lane) {
        memcpy(copies[lane], (const void *)params->arguments, params->size < most ? params->size : most);
        if (params->out)
            memcpy(copies[lane], &lane, 4);
        format[lane] = params->format;
        arguments[lane] = (uint64_t)copies[lane];
    }
    warp->runtime->vprintf(warp, warp->lanes, format, arguments, result);
    LANES(lane) if (params->out)
        ((int32_t *)params->out)[lane] = result[lane];
}

/* Lane i asks for `number` * (i + 1) bytes, fills them, checks them, frees them; out[i] = address, 0 if refused. */
void use_heap(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    uint64_t *out = (uint64_t *)params->address + 32 * block_rank(warp);
    uint64_t size[32], address[32];
    LANES(lane) size[lane] = params->number * (lane + 1);
    warp->runtime->malloc(warp, warp->lanes, size, address);
    LANES(lane) if (address[lane]) memset((void *)address[lane], lane, size[lane]);
    LANES(lane) {
        for (uint64_t i = 0; i < size[lane] && address[lane]; i++)
            if (((uint8_t *)address[lane])[i] != lane)
                warp->runtime->fault(warp, CPU_FAULT_TRAP, lane, address[lane]);
        out[lane] = address[lane];
    }
    warp->runtime->free(warp, warp->lanes, address);
}

void free_address(struct cpu_warp *warp)
{
    const struct pointer *params = (const void *)warp->params;
    warp->runtime->free(warp, 1, &params->address);
}

void fail_assert(struct cpu_warp *warp)
{
    uint64_t message[32], file[32], function[32];
    uint32_t line[32];
    for (int lane = 0; lane < 32; lane++) {
        message[lane] = (uint64_t)"x > 0";
        file[lane] = (uint64_t)"kernel.cu";
        function[lane] = (uint64_t)"void f(int)";
        line[lane] = 12;
    }
    warp->runtime->assert_fail(warp, 0x6, message, file, line, function);
}
