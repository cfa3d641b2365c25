/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process-wide state: starts and counts the runtime's threads, so that shutdown can wait for them, and detects forks.
 */
#include "process.h"

#include <pthread.h>
#include <signal.h>

#include "wait.h"

static _Atomic int state = CPU_RUNNING;
static _Atomic uint32_t threads;
static struct cpu_eventcount ended;

enum cpu_process_state cpu_process_state(void)
{
    return (enum cpu_process_state)atomic_load_explicit(&state, memory_order_relaxed);
}

/* A forked child has none of our threads, but perhaps locks that they held: it must not use the runtime. */
static void mark_forked(void)
{
    atomic_store(&state, CPU_FORKED);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, mark_forked);
}

void cpu_process_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
}

void cpu_process_stop(void)
{
    int running = CPU_RUNNING;
    atomic_compare_exchange_strong(&state, &running, CPU_STOPPED);
}

bool cpu_thread_start(void *(*function)(void *), void *argument)
{
    sigset_t blocked, before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&blocked);
    const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    for (unsigned i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        sigdelset(&blocked, synchronous[i]);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    atomic_fetch_add(&threads, 1);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    bool started = pthread_create(&thread, &attributes, function, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!started)
        cpu_thread_ended();
    return started;
}

void cpu_thread_ended(void)
{
    atomic_fetch_sub(&threads, 1);
    cpu_eventcount_notify_all(&ended);
}

bool cpu_threads_await(int64_t deadline)
{
    for (;;) {
        uint32_t seen = atomic_load(&ended.count);
        if (!atomic_load(&threads))
            return true;
        if (!cpu_eventcount_wait(&ended, seen, deadline))
            return false;
    }
}
