/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Embeds a Python interpreter in programs that have none. libcuda.so.1, libcudart and libnvidia-ml load libpython and
   then this library when such a program first calls one of them (../entry/embedded.c). Since they were loaded without
   Python, the code that calls Python is in this library too, once for each of them: call.h. */
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

/* The exit handlers that Py_Finalize would run. Python is not finalised: other threads may be executing in it. */
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

/* The program keeps its own signal handlers, locale, standard streams and arguments. */
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
    thread = DETACHED; /* the first thread is Python's main thread: its state is never released */
    PyEval_SaveThread();
    return STARTED;
}

EXPORT int cuda_cpu_start_python(void) {
    pthread_mutex_lock(&lock);
    if (state == NONE) {
        state = STARTING; /* modules that Python imports may call this again */
        state = start();
    }
    int found = state;
    pthread_mutex_unlock(&lock);
    return found != FAILED;
}

/* C++ ABI function of the C library: registers a destructor that runs before thread-local storage is freed. */
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
    PyGILState_Ensure(); /* creates the thread state; not paired with a release */
    thread = ATTACHED;
    PyThreadState *own = PyEval_SaveThread();
    __cxa_thread_atexit_impl(leave_thread, own, &__dso_handle);
}

int python_is_over(void) { return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == ENDED; }
