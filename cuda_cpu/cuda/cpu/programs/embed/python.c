/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   An interpreter for programs that are no Python programs. libcuda.so.1 and libcudart load this library, and before it
   Python's own, when such a program first calls one of them (../entry/embedded.c). They were loaded without Python, so
   the way there begins here as well, for each of them: call.h. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static enum { NONE, STARTING, STARTED, FAILED, ENDED } state;
static pid_t starter;
static __thread enum { UNKNOWN, ATTACHED, DETACHED } thread;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* What Python does when it ends by itself. It is not ended: other threads may be in the midst of it. */
static const char ENDING[] = "import atexit, sys\n"
                             "atexit._run_exitfuncs()\n"
                             "for each in sys.stdout, sys.stderr:\n"
                             "    each and each.flush()\n";

EXPORT void cuda_cpu_end_python(void) {
    if (state != STARTED || starter != getpid()) return;
    PyGILState_STATE before = PyGILState_Ensure();
    PyRun_SimpleStringFlags(ENDING, NULL);
    __atomic_store_n(&state, ENDED, __ATOMIC_RELEASE);
    PyGILState_Release(before);
}

/* The program keeps what is its own: signals, locale, standard streams, arguments. */
static PyStatus initialize(void) {
    PyPreConfig early;
    PyPreConfig_InitPythonConfig(&early);
    early.configure_locale = early.coerce_c_locale = early.parse_argv = 0;
    early.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&early);
    if (PyStatus_Exception(status)) return status;
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = config.parse_argv = config.configure_c_stdio = 0;
    const char *interpreter = getenv("CUDA_CPU_PYTHON");
    if (interpreter) status = PyConfig_SetBytesString(&config, &config.program_name, interpreter);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

static int start(void) {
    PyStatus status = initialize();
    if (PyStatus_Exception(status)) {
        fprintf(stderr, "cuda.cpu: Python cannot start in this program: %s\n",
                status.err_msg ? status.err_msg : "it exits");
        return FAILED;
    }
    starter = getpid();
    thread = DETACHED; /* the first one is Python's main thread, which stays */
    PyEval_SaveThread();
    return STARTED;
}

EXPORT int cuda_cpu_start_python(void) {
    pthread_mutex_lock(&lock);
    if (state == NONE) {
        state = STARTING; /* what Python imports may come here again */
        state = start();
    }
    int found = state;
    pthread_mutex_unlock(&lock);
    return found != FAILED;
}

/* Of C++'s runtime, in the C library: called for thread_local objects, while all that the thread has is still there. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle __attribute__((visibility("hidden"))); /* this library */

static void leave_thread(void *state_of_thread) {
    thread = DETACHED;
    if (state != STARTED || starter != getpid()) return;
    PyEval_RestoreThread(state_of_thread);
    PyThreadState_Clear(state_of_thread);
    PyThreadState_DeleteCurrent();
}

void python_keep_thread(void) {
    if (thread != UNKNOWN || state != STARTED || starter != getpid()) return;
    PyGILState_Ensure(); /* makes its state, which nobody releases */
    thread = ATTACHED;
    PyThreadState *own = PyEval_SaveThread();
    __cxa_thread_atexit_impl(leave_thread, own, &__dso_handle);
}

int python_is_over(void) { return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == ENDED; }
