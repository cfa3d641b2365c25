/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Signal handler: a fault in machine code ends the launch, not the process. It handles only synchronous signals of
 * threads that execute device work; all others are passed to the handler that was installed before.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch/arch.h"
#include "snapshot.h"
#include "worker.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#define SIGNALS (sizeof signals / sizeof *signals)

static struct sigaction before[SIGNALS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Initial-exec, since the handler may run on any thread: in other TLS models the first access could allocate memory. */
static _Thread_local struct cpu_worker *this_worker __attribute__((tls_model("initial-exec")));
static _Thread_local volatile int chaining __attribute__((tls_model("initial-exec")));

void cpu_fault_thread(struct cpu_worker *worker)
{
    this_worker = worker;
}

bool cpu_fault_free(void)
{
    return !this_worker;
}

static pthread_key_t signal_stack;
static _Thread_local bool has_signal_stack __attribute__((tls_model("initial-exec")));

static void drop_signal_stack(void *memory)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == memory)
        sigaltstack(&none, NULL);
    free(memory);
}

static void make_key(void)
{
    pthread_key_create(&signal_stack, drop_signal_stack);
}

bool cpu_fault_stack(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    stack_t now;
    if (has_signal_stack)
        return true;
    if (sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE))
        return has_signal_stack = true; /* set by another library */
    pthread_once(&once, make_key);
    now = (stack_t){.ss_size = 65536 + getauxval(AT_MINSIGSTKSZ)};
    now.ss_sp = malloc(now.ss_size);
    if (!now.ss_sp || pthread_setspecific(signal_stack, now.ss_sp)) {
        free(now.ss_sp);
        return false;
    }
    return has_signal_stack = sigaltstack(&now, NULL) == 0;
}

static uint32_t kind_of(int number, const siginfo_t *info, const ucontext_t *context, const struct cpu_worker *worker)
{
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (number != SIGSEGV && number != SIGBUS)
        return CPU_FAULT_TRAP;
    if (worker->stack && cpu_stack_guards(worker->stack, address))
        return CPU_FAULT_STACK;
    if (address == CPU_PROGRAM_COUNTER(context))
        return CPU_FAULT_INVALID_PC;
    if (number == SIGBUS && info->si_code == BUS_ADRALN)
        return CPU_FAULT_MISALIGNED;
    return CPU_FAULT_ILLEGAL_ADDRESS;
}

#define MAX_CODE ((uint64_t)16 << 20) /* bytes on both sides of a kernel's entry: addresses in them count as its code */
#define STACK 4096 /* bytes that are searched for return addresses */

static bool is_code(uint64_t address, uint64_t entry)
{
    return address - (entry - MAX_CODE) < 2 * MAX_CODE;
}

/* The fault may be in a function that a kernel calls at several sites: record possible return addresses. */
static void record_callers(struct cpu_fault_record *fault, uint64_t entry, uint64_t link, uint64_t stack)
{
    uint64_t words[64]; /* the handler's own stack may be small */
    unsigned count = 0;
    if (is_code(link, entry))
        fault->callers[count++] = link;
    for (uint64_t at = stack; at < stack + STACK; at += sizeof words) {
        struct iovec here = {words, sizeof words}, there = {(void *)(uintptr_t)at, sizeof words};
        /* Not a plain load: the stack may end before `there`. */
        ssize_t read = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        for (ssize_t i = 0; i < read / (ssize_t)sizeof *words && count < CPU_MAX_CALLERS; i++)
            if (is_code(words[i], entry))
                fault->callers[count++] = words[i];
    }
}

static void record_fault(struct cpu_worker *worker, uint32_t kind, uint64_t address, const ucontext_t *context)
{
    if (!cpu_job_fault(worker->job, worker->current, kind, 0, address, NULL))
        return;
    struct cpu_fault_record *fault = &worker->job->fault;
    fault->pc = CPU_PROGRAM_COUNTER(context);
    cpu_snapshot_take(worker->current, context);
    record_callers(fault, (uint64_t)(uintptr_t)worker->job->compiled->entry, CPU_LINK_REGISTER(context),
                   CPU_STACK_POINTER(context));
}

static void take(int number, const siginfo_t *info, const ucontext_t *context, struct cpu_worker *worker)
{
    uint32_t kind = kind_of(number, info, context, worker);
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (worker->job)
        record_fault(worker, kind, address, context);
    else if (worker->record)
        *worker->record = (struct cpu_fault_record){.kind = kind, .address = address};
    worker->guarded = false;
    cpu_worker_abort(worker);
}

/* End the process by the signal's default action. */
static void give_up(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void chain(int number, siginfo_t *info, void *context)
{
    struct sigaction *previous = NULL;
    for (unsigned i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            previous = &before[i];
    /* A previous handler may raise the signal again (faulthandler does): do not call it a second time. */
    if (chaining || previous->sa_handler == SIG_DFL || previous->sa_handler == SIG_IGN) {
        give_up(number);
        return;
    }
    chaining = 1;
    if (previous->sa_flags & SA_SIGINFO)
        previous->sa_sigaction(number, info, context);
    else
        previous->sa_handler(number);
    chaining = 0;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct cpu_worker *worker = this_worker;
    if (worker && worker->guarded && info->si_code > 0)
        take(number, info, context, worker);
    chain(number, info, context);
}

void cpu_fault_install(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER}, current;
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &current) == 0 && current.sa_sigaction != on_signal) {
            before[i] = current;
            sigaction(signals[i], &ours, NULL);
        }
    }
    pthread_mutex_unlock(&lock);
}

void cpu_fault_renew(void)
{
    struct sigaction current;
    if (sigaction(SIGSEGV, NULL, &current) == 0 && current.sa_sigaction != on_signal)
        cpu_fault_install();
}
