/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stress test of the native runtime without Python, under sanitizers: several threads, each with two queues, launch the
 * kernels of kernels.c, synchronise the queues by events, cancel, fault and free; and use common objects
 * (stress_shared.c). Then they count in common words, and launches invite helpers (stress_helpers.c). Takes the number
 * of rounds; prints "fine" at the end.
 */
#include "stress.h"

#include <pthread.h>
#include <unistd.h>

#include "queue/branches.h"
#include "queue/decompress.h"
#include "device_runtime/device.h"
#include "kernel_helpers.h"
#include "queue/process.h"

#define KERNEL(name) void name(struct cpu_warp *warp)
KERNEL(rotate);
KERNEL(grid_rounds);
KERNEL(spin);
KERNEL(store_at);
KERNEL(blocks_pass_backwards);
KERNEL(use_heap);

#define THREADS 3
#define NUMBERS (200 * 64)
#define COUNTED 16 /* words */

struct cpu_arena *arena;
static int round_count = 3;

static struct cpu_compiled_kernel *compile(void (*entry)(struct cpu_warp *), bool fibers)
{
    struct cpu_compiled_kernel *compiled = calloc(1, sizeof *compiled + 1);
    compiled->entry = entry;
    compiled->parameter_bytes = 16;
    compiled->path = fibers;
    return compiled;
}

/* Launch and drop the kernel, which is freed once the launch is done. */
struct wanted {
    struct cpu_compiled_kernel *compiled;
    uint32_t blocks, threads, shared;
    bool cooperative;
    void *address;
    uint64_t number;
};

static void start(struct cpu_queue *queue, struct wanted wanted)
{
    const uint64_t params[2] = {(uint64_t)(uintptr_t)wanted.address, wanted.number};
    struct cpu_command *command = cpu_command_make(queue, CPU_LAUNCH);
    command->launch = (struct cpu_launch){
        .compiled = wanted.compiled,
        .grid_dim = {wanted.blocks, 1, 1},
        .block_dim = {wanted.threads, 1, 1},
        .cluster_dim = {1, 1, 1},
        .shared_dynamic = wanted.shared,
        .cooperative = wanted.cooperative,
    };
    atomic_fetch_add(&wanted.compiled->in_flight, 1);
    CHECK(cpu_launch_params(command, params, sizeof params));
    CHECK(cpu_queue_submit(queue, command) == CPU_SUBMITTED);
}

static uint32_t finish(struct cpu_queue *queue, struct cpu_compiled_kernel *compiled)
{
    struct cpu_fault_record fault = {0};
    CHECK(cpu_queue_wait(queue, CPU_FOREVER));
    cpu_queue_take_fault(queue, &fault);
    CHECK(atomic_load(&compiled->in_flight) == 0);
    free(compiled);
    return fault.kind;
}

static uint32_t run(struct cpu_queue *queue, struct wanted wanted)
{
    start(queue, wanted);
    return finish(queue, wanted.compiled);
}

/* One queue numbers, the other waits for it, rotates the beginning and frees an allocation. */
static void tie_queues(struct cpu_queue *first, struct cpu_queue *second, uint32_t *out, bool fibers)
{
    struct cpu_event *event = cpu_event_make(-1);
    struct cpu_compiled_kernel *numbering = compile(number_threads, fibers), *rotating = compile(rotate, true);
    uint64_t address;
    CHECK(cpu_arena_allocate(arena, 1000, &address) == CPU_ARENA_DONE);
    start(first, (struct wanted){numbering, 200, 64, .address = out});
    struct cpu_command *command = cpu_command_make(first, CPU_RECORD);
    command->record = cpu_event_new_record(event);
    CHECK(cpu_queue_submit(first, command) == CPU_SUBMITTED);
    command = cpu_command_make(second, CPU_WAIT_EVENT);
    command->record = cpu_event_latest(event);
    CHECK(cpu_queue_submit(second, command) == CPU_SUBMITTED);
    start(second, (struct wanted){rotating, 5, 128, .shared = 512, .address = out, .number = 3});
    command = cpu_command_make(second, CPU_FREE);
    cpu_arena_retain(arena);
    command->deferred = (struct cpu_deferred_free){arena, address};
    CHECK(cpu_queue_submit(second, command) == CPU_SUBMITTED);
    CHECK(finish(second, rotating) == CPU_FAULT_NONE);
    CHECK(finish(first, numbering) == CPU_FAULT_NONE);
    cpu_event_free(event);
    for (uint32_t i = 0; i < NUMBERS; i++)
        CHECK(out[i] == (i < 640 ? (i + 3) % 128 : i + 1));
}

static uint32_t counted[COUNTED];
static _Atomic uint32_t counts;

/* Each warp adds 1 to all words again and again, as machine code does: without locks while its worker is the only one
 * that executes blocks. */
static void count_words(struct cpu_warp *warp)
{
    uint32_t *words = *(uint32_t *const *)warp->params;
    uint64_t turns = *(const uint64_t *)(warp->params + 8);
    struct cpu_sole *sole = warp->sole;
    for (uint64_t turn = 0; turn < turns; turn++) {
        for (uint32_t word = 0; word < COUNTED; word++) {
            bool alone = false;
            if (sole) {
                atomic_store_explicit(&sole->busy, 1, memory_order_relaxed);
                atomic_signal_fence(memory_order_seq_cst);
                alone = atomic_load_explicit(&sole->valid, memory_order_relaxed);
                atomic_signal_fence(memory_order_seq_cst);
            }
            if (alone)
                words[word]++;
            else
                __atomic_fetch_add(&words[word], 1, __ATOMIC_RELAXED);
            if (sole)
                atomic_store_explicit(&sole->busy, 0, memory_order_release);
        }
        warp->scattered = 1;
        wait_step(warp); /* on a fiber, others run from time to time */
    }
}

/* Count in words that all threads count in, by launches that begin now and then: the only worker does so without locks,
 * until another one begins. */
static void *count(void *argument)
{
    struct cpu_queue *queue = cpu_queue_make(0);
    struct cpu_compiled_kernel *compiled = compile(count_words, (intptr_t)argument % 2);
    for (uint32_t launch = 1; launch <= 100; launch++) {
        start(queue, (struct wanted){compiled, 1, 64, .address = counted, .number = 300});
        atomic_fetch_add(&counts, 2 * 300); /* by two warps */
        CHECK(cpu_queue_wait(queue, CPU_FOREVER));
        usleep(launch * 97 % 2000);
    }
    CHECK(!finish(queue, compiled));
    cpu_queue_destroy(queue);
    return NULL;
}

static void cancel_a_spinning_kernel(struct cpu_queue *queue, bool fibers)
{
    struct cpu_compiled_kernel *compiled = compile(spin, fibers);
    start(queue, (struct wanted){compiled, 10, 64});
    cpu_queue_wait(queue, cpu_now() + 1000000);
    cpu_queue_cancel(queue);
    uint32_t kind = finish(queue, compiled);
    CHECK(kind == CPU_FAULT_CANCELLED || kind == CPU_FAULT_NONE); /* none: the launch had not begun */
}

/* Each lane increments `count`, and launches the kernel again with depth - 1: in its block's stream, in a stream of its
 * own, or as a tail launch. Launches beyond the limit are counted in `refused`. */
static void launch_tree(struct cpu_warp *warp)
{
    struct tree {
        _Atomic uint64_t count, refused;
        uint64_t kernel;
    } *tree = *(struct tree *const *)warp->params;
    uint64_t depth = *(const uint64_t *)(warp->params + 8), rows[12][CPU_WARP_SIZE], streams[CPU_WARP_SIZE];
    cpu_lanes lanes = warp->lanes;
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++)
        if (lanes >> lane & 1)
            atomic_fetch_add(&tree->count, 1);
    if (!depth)
        return;
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++) {
        const uint64_t wanted[8] = {tree->kernel, 1, 1, 1, warp->block_dim[0], 1, 1, 0};
        for (unsigned row = 0; row < 8; row++)
            rows[row][lane] = wanted[row];
    }
    warp->runtime->device_call(warp, lanes, CPU_GET_PARAMETER_BUFFER_V2, rows[0]);
    uint64_t buffers[CPU_WARP_SIZE];
    memcpy(buffers, rows[0], sizeof buffers);
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++) {
        rows[0][lane] = (uint64_t)(uintptr_t)&streams[lane];
        rows[1][lane] = 1; /* cudaStreamNonBlocking */
    }
    warp->runtime->device_call(warp, lanes, CPU_STREAM_CREATE_WITH_FLAGS, rows[0]);
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        if (!buffers[lane]) {
            atomic_fetch_add(&tree->refused, 1);
            lanes &= ~((cpu_lanes)1 << lane);
            continue;
        }
        memcpy((void *)(uintptr_t)buffers[lane], &tree, 8);
        *(uint64_t *)(uintptr_t)(buffers[lane] + 8) = depth - 1;
        rows[0][lane] = buffers[lane];
        rows[1][lane] = lane % 3 == 0 ? 0 : lane % 3 == 1 ? streams[lane] : CPU_STREAM_TAIL;
    }
    warp->runtime->device_call(warp, lanes, CPU_LAUNCH_DEVICE_V2, rows[0]);
}

/* Four threads, each of which launches as many, and so on; `most` may be pending at once. */
static void grow_a_tree(struct cpu_queue *queue, uint64_t most, bool fibers)
{
    struct cpu_device_runtime home = {.has_limit[CPU_LIMIT_PENDING] = true};
    struct cpu_compiled_kernel *compiled = compile(launch_tree, fibers), *again = compile(launch_tree, fibers);
    struct cpu_kernel kernel = {.kind = CPU_KERNEL_KIND, .max_threads = 1024, .cluster = {1, 1, 1}};
    struct {
        uint64_t count, refused, kernel;
    } tree = {.kernel = (uint64_t)(uintptr_t)&kernel};
    compiled->device_runtime = again->device_runtime = &home;
    atomic_store(&home.limits[CPU_LIMIT_PENDING], most);
    atomic_store(&kernel.full_run, again);
    CHECK(!run(queue, (struct wanted){compiled, 3, 4, .address = &tree, .number = 3}));
    CHECK(atomic_load(&again->in_flight) == 0);
    CHECK(atomic_load(&home.pending) == 0);
    CHECK(most < 1000 ? tree.refused > 0 : tree.count == 3 * (4 + 16 + 64 + 256) && !tree.refused);
    free(again);
}

/* Invalid compressed data must not cause accesses outside of the buffers. */
static void decompress_noise(uint64_t seed)
{
    static const uint32_t algorithms[] = {CPU_DEFLATE, CPU_SNAPPY, CPU_LZ4};
    for (int i = 0; i < 3000; i++) {
        uint8_t *source = malloc(64), *target = malloc(256); /* separate, so that the sanitizer detects overruns */
        uint32_t written = 0;
        for (int at = 0; at < 64; at++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            source[at] = (uint8_t)(seed >> 56);
        }
        struct cpu_compressed given = {(uint64_t)(uintptr_t)source, 64, (uint64_t)(uintptr_t)target, 256,
                                       (uint64_t)(uintptr_t)&written, algorithms[i % 3]};
        cpu_decompress(&given);
        CHECK(written <= 256);
        free(source);
        free(target);
    }
}

static void *work(void *argument)
{
    struct cpu_queue *first = cpu_queue_make(0), *second = cpu_queue_make(0);
    uint32_t *out = malloc(NUMBERS * sizeof *out);
    uint64_t *cells = malloc(32 * 20 * sizeof *cells);
    for (int round = 0; round < round_count; round++) {
        bool fibers = ((intptr_t)argument + round) % 2;
        tie_queues(first, second, out, fibers);
        for (int i = 0; i < 16; i++)
            cells[i] = 1;
        struct wanted rounds = {compile(grid_rounds, true), 16, 64, .cooperative = true, .address = cells, .number = 2};
        CHECK(!run(first, rounds));
        CHECK(cells[5] == 256);
        memset(out, 0, 64);
        CHECK(!run(first, (struct wanted){compile(blocks_pass_backwards, true), 4, 32, .address = out}));
        CHECK(!run(second, (struct wanted){compile(use_heap, fibers), 20, 32, .address = cells, .number = 30}));
        CHECK(cells[0] && cells[639]);
        decompress_noise((uint64_t)(intptr_t)argument * (uint64_t)round_count + (uint64_t)round);
        grow_a_tree(first, 2048, fibers);
        grow_a_tree(second, 7, fibers);
        cancel_a_spinning_kernel(second, fibers);
        share(first);
#ifndef __SANITIZE_THREAD__ /* it defers signals, but faults must be handled at once */
        void *outside = (void *)(uintptr_t)(cpu_arena_base(arena) + (64 << 20) - 64);
        uint32_t kind = run(first, (struct wanted){compile(store_at, fibers), 10, 64, .address = outside, .number = 3});
        CHECK(kind == CPU_FAULT_ILLEGAL_ADDRESS);
#endif
    }
    cpu_queue_destroy(first);
    cpu_queue_destroy(second);
    free(out);
    free(cells);
    return NULL;
}

static void in_threads(void *(*function)(void *))
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, function, (void *)i));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        round_count = atoi(argv[1]);
    cpu_process_begin();
    cpu_pool_set_workers(3);
    arena = cpu_arena_make(64 << 20, -1);
    make_common();
    in_threads(work);
    end_common();
    in_threads(count);
    for (int word = 0; word < COUNTED; word++)
        CHECK(counted[word] == counts);
    invite_helpers();
    cpu_process_stop();
    cpu_queues_stop();
    cpu_branches_stop();
    cpu_pool_stop();
    CHECK(cpu_threads_await(cpu_now() + 10000000000));
    cpu_arena_release(arena);
    puts("fine");
    return 0;
}

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer must be notified of each context switch: the linker's --wrap lets these wrap the runtime's own. */
#include <sanitizer/tsan_interface.h>

struct context {
    void *own, *fiber;
};

void *__real_cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument);
void __real_cpu_fiber_switch(void **save, void *to);
void __real_cpu_fiber_jump(void *to);

void *__wrap_cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument)
{
    struct context *context = malloc(sizeof *context); /* leaked with its fiber */
    *context = (struct context){__real_cpu_fiber_prepare(stack, function, argument), __tsan_create_fiber(0)};
    return context;
}

__attribute__((no_sanitize_thread)) void __wrap_cpu_fiber_switch(void **save, void *to)
{
    struct context *here = malloc(sizeof *here), *there = to;
    here->fiber = __tsan_get_current_fiber();
    *save = here;
    __tsan_switch_to_fiber(there->fiber, 0);
    __real_cpu_fiber_switch(&here->own, there->own);
    free(here);
}

__attribute__((no_sanitize_thread)) void __wrap_cpu_fiber_jump(void *to)
{
    struct context *there = to;
    __tsan_switch_to_fiber(there->fiber, 0);
    __real_cpu_fiber_jump(there->own);
}
#endif
