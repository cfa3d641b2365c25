/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The fast path's functions and their cache: a hash table for each thread, so that no lock is taken.
 */
#define _GNU_SOURCE
#include "fast_path_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "exec/printf.h"
#include "process.h"

#define SLOTS 256 /* of a thread's hash table; a power of two */
#define PROBES 8   /* slots that are searched for an entry */
#define SPIN_NS 100000 /* of a wait here; longer ones are left to Python, which also handles signals */

/* CUresult (cuda.h). */
enum { SUCCESS = 0, NOT_READY = 600 };

struct table {
    uint64_t epoch; /* of the entries in it */
    uint64_t context;
    struct cpu_fast_path_entry *slots[SLOTS];
};

static _Atomic uint64_t epoch = 1;
static _Atomic bool deferred_work;
static _Thread_local struct table *table __attribute__((tls_model("initial-exec")));
static pthread_key_t key;

static void release(struct cpu_fast_path_entry *entry)
{
    if (!entry)
        return;
    cpu_queue_release(entry->queue);
    for (int i = 0; i < CPU_MAX_AWAITED && entry->awaited[i]; i++)
        cpu_queue_release(entry->awaited[i]);
    if (entry->compiled)
        atomic_fetch_sub(&entry->compiled->in_flight, 1);
    free(entry);
}

static void clear(struct table *of)
{
    for (int i = 0; i < SLOTS; i++) {
        release(of->slots[i]);
        of->slots[i] = NULL;
    }
}

static void end_thread(void *of)
{
    table = NULL;
    if (cpu_process_state() != CPU_FORKED)
        clear(of);
    free(of);
}

static void make_key(void)
{
    pthread_key_create(&key, end_thread);
}

static struct table *thread_table(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (table)
        return table;
    pthread_once(&once, make_key);
    struct table *made = calloc(1, sizeof *made);
    if (made && pthread_setspecific(key, made)) {
        free(made);
        made = NULL;
    }
    return table = made;
}

/* Return the slot of an entry, or one to store it in: a free slot, or the first one if all PROBES slots are taken. */
static struct cpu_fast_path_entry **slot_of(struct table *of, uint64_t function, uint64_t stream)
{
    unsigned first = (unsigned)(((function ^ stream << 3) * 0x9e3779b97f4a7c15u) >> 56);
    for (unsigned i = 0; i < PROBES; i++) {
        struct cpu_fast_path_entry **slot = &of->slots[(first + i) % SLOTS];
        if (!*slot || ((*slot)->function == function && (*slot)->stream == stream))
            return slot;
    }
    return &of->slots[first];
}

static const struct cpu_fast_path_entry *find(uint64_t function, uint64_t stream)
{
    if (!table || table->epoch != atomic_load(&epoch) || cpu_process_state() != CPU_RUNNING)
        return NULL;
    const struct cpu_fast_path_entry *entry = *slot_of(table, function, stream);
    bool valid = entry && entry->function == function && entry->stream == stream && entry->context == table->context;
    return valid ? entry : NULL;
}

uint64_t cpu_fast_path_epoch(void)
{
    return atomic_load(&epoch);
}

void cpu_fast_path_invalidate(void)
{
    atomic_fetch_add(&epoch, 1);
}

void cpu_fast_path_set_deferred_work(bool some)
{
    atomic_store(&deferred_work, some);
}

void cpu_fast_path_set_context(uint64_t context)
{
    struct table *table = thread_table();
    if (table)
        table->context = context;
    else
        cpu_fast_path_invalidate();
}

void cpu_fast_path_add(const struct cpu_fast_path_entry *wanted, uint64_t epoch_before)
{
    struct table *table = thread_table();
    struct cpu_fast_path_entry *entry = table ? malloc(sizeof *entry) : NULL;
    if (!entry)
        return;
    if (table->epoch != epoch_before) {
        clear(table);
        table->epoch = epoch_before; /* if the epoch is over by now, the entry is never found */
    }
    *entry = *wanted;
    entry->context = table->context;
    cpu_queue_retain(entry->queue);
    for (int i = 0; i < CPU_MAX_AWAITED && entry->awaited[i]; i++)
        cpu_queue_retain(entry->awaited[i]);
    if (entry->compiled)
        atomic_fetch_add(&entry->compiled->in_flight, 1);
    struct cpu_fast_path_entry **slot = slot_of(table, entry->function, entry->stream);
    release(*slot);
    *slot = entry;
}

static bool fits(const struct cpu_fast_path_entry *entry, const uint32_t shape[7])
{
    const uint32_t *block = shape + 3;
    static const uint32_t max[6] = {CPU_MAX_GRID_X, CPU_MAX_GRID_YZ, CPU_MAX_GRID_YZ,
                                    CPU_MAX_BLOCK_XY, CPU_MAX_BLOCK_XY, CPU_MAX_BLOCK_Z};
    for (int i = 0; i < 6; i++)
        if (!shape[i] || shape[i] > max[i])
            return false;
    const uint32_t threads = block[0] * block[1] * block[2];
    if (block[0] * block[1] > CPU_MAX_BLOCK_THREADS || threads > entry->max_threads)
        return false;
    if (entry->most_threads && (uint64_t)shape[0] * shape[1] * shape[2] > entry->most_threads / threads)
        return false;
    if (entry->lane_run != cpu_lane_run(block))
        return false;
    if (entry->required_block[0] && memcmp(block, entry->required_block, sizeof entry->required_block))
        return false;
    return shape[6] <= entry->max_shared;
}

static bool awaited_idle(const struct cpu_fast_path_entry *entry)
{
    for (int i = 0; i < CPU_MAX_AWAITED && entry->awaited[i]; i++)
        if (!cpu_queue_idle(entry->awaited[i]))
            return false;
    return true;
}

static int launch(uint64_t function, const uint32_t shape[7], uint64_t stream, void *const *params)
{
    const struct cpu_fast_path_entry *entry = find(function, stream);
    if (!entry || !fits(entry, shape) || !awaited_idle(entry))
        return CPU_FALLBACK;
    struct cpu_compiled_kernel *compiled = entry->compiled;
    for (uint32_t i = 0; i < compiled->parameters; i++)
        if (!params || !params[i])
            return CPU_FALLBACK;
    struct cpu_command *command = cpu_command_make(entry->queue, CPU_LAUNCH);
    if (!command)
        return CPU_FALLBACK;
    struct cpu_launch *launch = &command->launch;
    *launch = (struct cpu_launch){.compiled = compiled, .shared_dynamic = shape[6], .grid_id = cpu_grid_number()};
    memcpy(launch->grid_dim, shape, sizeof launch->grid_dim);
    memcpy(launch->block_dim, entry->tile_block[0] ? entry->tile_block : shape + 3, sizeof launch->block_dim);
    for (int i = 0; i < 3; i++)
        launch->cluster_dim[i] = 1;
    atomic_fetch_add(&compiled->in_flight, 1);
    if (!cpu_launch_gather(command, params)) {
        cpu_command_discard(command);
        return CPU_FALLBACK;
    }
    return cpu_queue_submit(entry->queue, command) == CPU_SUBMITTED ? SUCCESS : CPU_FALLBACK;
}

/* Return whether a queue's work completes by the deadline, without a fault or a cancellation. */
static bool is_well(struct cpu_queue *queue, int64_t deadline)
{
    return cpu_queue_wait(queue, deadline) && !cpu_queue_faulted(queue) && !cpu_queue_interrupted(queue);
}

static int synchronize(uint64_t stream)
{
    const struct cpu_fast_path_entry *entry = find(0, stream);
    if (!entry)
        return CPU_FALLBACK;
    bool spins = !(cpu_queue_idle(entry->queue) && awaited_idle(entry)) && !cpu_queue_is_long(entry->queue);
    int64_t deadline = spins ? cpu_now() + SPIN_NS : 0;
    if (!is_well(entry->queue, deadline))
        return CPU_FALLBACK;
    for (int i = 0; i < CPU_MAX_AWAITED && entry->awaited[i]; i++)
        if (!is_well(entry->awaited[i], deadline))
            return CPU_FALLBACK;
    /* Look up again: a context may have failed meanwhile, which invalidates the entry. */
    return find(0, stream) == entry && !atomic_load(&deferred_work) && !cpu_printf_pending() &&
                   !cpu_check_pending()
               ? SUCCESS : CPU_FALLBACK;
}

static int query(uint64_t stream)
{
    const struct cpu_fast_path_entry *entry = find(0, stream);
    if (!entry)
        return CPU_FALLBACK;
    if (!cpu_queue_idle(entry->queue) || !awaited_idle(entry))
        return NOT_READY;
    return synchronize(stream);
}

const struct cpu_fast_path cpu_fast_path = {launch, synchronize, query, cpu_attribute_get, cpu_queues_ended_idle};
