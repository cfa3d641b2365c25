/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   shell_call: takes the GIL, calls cuda.cpu.driver.<name>, and stores the results in the output pointers. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "interpreter.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifndef DRIVER_MODULE
#define DRIVER_MODULE "cuda.cpu.driver" /* overridden in runtime_api/interpreter.c and nvml/interpreter.c */
#endif
#define ERROR_MODULE "cuda.cpu.driver.base.error"
#define RUNTIME_MODULE "cuda.cpu.runtime._runtime"

#ifndef SHELL_PYTHON
#define SHELL_PYTHON (PY_VERSION_HEX >> 16) /* major and minor version of Python that this was built for */
#endif

#ifdef Py_GIL_DISABLED
#define FREE_THREADED 1
#else
#define FREE_THREADED 0
#endif

/* Weak, so that the library also opens in a process without Python, where each entry then returns NOT_INITIALIZED. */
#pragma weak Py_IsInitialized
#if PY_VERSION_HEX < 0x030D0000
#pragma weak _Py_IsFinalizing
#else
#pragma weak Py_IsFinalizing
#endif
#pragma weak PyBool_Type
#pragma weak PyBytes_FromString
#pragma weak PyBytes_FromStringAndSize
#pragma weak PyErr_Clear
#pragma weak PyErr_ExceptionMatches
#pragma weak PyErr_Fetch
#pragma weak PyErr_Format
#pragma weak PyErr_NormalizeException
#pragma weak PyErr_Occurred
#pragma weak PyErr_Restore
#pragma weak PyErr_SetInterrupt
#pragma weak PyErr_WriteUnraisable
#pragma weak PyExc_AttributeError
#pragma weak PyExc_ImportError
#pragma weak PyExc_KeyboardInterrupt
#pragma weak PyExc_MemoryError
#pragma weak PyExc_OverflowError
#pragma weak PyExc_TypeError
#pragma weak PyFloat_AsDouble
#pragma weak PyFloat_FromDouble
#pragma weak PyGC_Disable
#pragma weak PyGC_Enable
#pragma weak PyGILState_Check
#pragma weak PyGILState_Ensure
#pragma weak PyGILState_Release
#pragma weak PyImport_ImportModule
#pragma weak PyLong_AsLongLongAndOverflow
#pragma weak PyLong_AsUnsignedLongLong
#pragma weak PyLong_FromLongLong
#pragma weak PyLong_FromUnsignedLongLong
#pragma weak PyLong_Type
#pragma weak PyObject_GetAttrString
#pragma weak PyObject_Vectorcall
#pragma weak PyObject_IsTrue
#pragma weak PyTuple_Type
#pragma weak PyUnicode_FromFormat
#pragma weak PyUnicode_FromString
#pragma weak Py_AddPendingCall
#pragma weak Py_Version
#pragma weak _Py_Dealloc
#pragma weak _Py_NoneStruct
#pragma weak _Py_DecRefShared
#ifdef Py_GIL_DISABLED
#pragma weak _Py_MergeZeroLocalRefcount
#endif

#if PY_VERSION_HEX < 0x030D0000
#define Py_IsFinalizing _Py_IsFinalizing
#endif

struct output {
    char kind;
    void *address;
    union {
        uint64_t integer;
        float single;
        double real;
    } value;
};

static PyObject *error_type; /* cuda.cpu.driver.base.error.CudaError */
static PyObject *closed_type, *stopped_type; /* QueueClosed and DeviceStopped of cuda.cpu.runtime._runtime */
static PyObject *say_function, *unexpected_function; /* of cuda.cpu.driver.base.error */
static int was_initialized;   /* an initialised interpreter was seen */
static int in_forked_child;

/* Weak: only free-threaded interpreters define it. */
extern void _Py_DecRefShared(PyObject *);

/* Calls in progress that have disabled garbage collection. In a forked child they never end. */
static _Atomic int calls_without_collection;

static void mark_forked_child(void) {
    in_forked_child = 1;
    if (calls_without_collection && PyGILState_Check()) PyGC_Enable();
}

/* Return whether the process runs an interpreter with another object layout; print a message the first time. */
static int is_other_python(void) {
    if (!_Py_DecRefShared == !FREE_THREADED && &Py_Version && Py_Version >> 16 == SHELL_PYTHON) return 0;
    static int said;
    if (!__atomic_fetch_add(&said, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "cuda.cpu: this libcuda.so.1 was built for Python %d.%d%s and cannot serve another interpreter\n",
                SHELL_PYTHON >> 8, SHELL_PYTHON & 0xff, FREE_THREADED ? "t" : "");
    return 1;
}

#ifndef SHELL_EMBEDDED
static int is_over(void) { return 0; } /* of the interpreter of programs/embed/python.c, which is never finalised */
#endif

/* Return the status to refuse a call with, before any other use of Python; 0 to proceed. */
static int refusal(void) {
    if (in_forked_child || !Py_IsInitialized) return SHELL_NOT_INITIALIZED;
    if (is_other_python()) return SHELL_SYSTEM_DRIVER_MISMATCH;
    if (!Py_IsInitialized()) return was_initialized ? SHELL_DEINITIALIZED : SHELL_NOT_INITIALIZED;
    if (!was_initialized) was_initialized = 1; /* written once: all threads read it */
    return Py_IsFinalizing() || is_over() ? SHELL_DEINITIALIZED : 0;
}

static int has_word(const char *name, const char *const *words) {
    while (*words && !strstr(name, *words)) words++;
    return *words != NULL;
}

/* Return whether a function succeeds without doing anything once Python has ended. Functions that release resources
   (cuMemFree, cuStreamDestroy, cuLibraryUnload) do, since the process is about to end. Those that synchronise or change
   the context or device do if all work was done. Late finalisers of other libraries then see no error; one that restores
   the current device afterwards (TVM) is told that it was device 0. */
static int is_done(const char *name) {
    static const char *const gives_back[] = {"Free", "Destroy", "Release", "Unload", "Unregister", "Detach", NULL};
    static const char *const waits[] = {"Synchronize", "SetCurrent", "PushCurrent", "PopCurrent", "GetCurrent",
                                        "SetDevice", NULL};
    if (has_word(name, gives_back)) return 1;
    return (has_word(name, waits) || !strcmp(name, "cudaGetDevice")) && shell_ended_idle && shell_ended_idle();
}

/* Read the outputs of a call; return how many, -1 if one that must not be NULL is. */
static int read_outputs(struct output *outputs, const char **signature, va_list *arguments) {
    int count = 0, optional = 0;
    const char *letter = *signature;
    for (; *letter != '>'; letter++) {
        if (*letter == '?') {
            optional = 1;
            continue;
        }
        outputs[count].kind = *letter;
        outputs[count].address = va_arg(*arguments, void *);
        if (!outputs[count].address && !optional) return -1;
        optional = 0;
        count++;
    }
    *signature = letter + 1;
    return count;
}

static PyObject *next_input(char kind, va_list *arguments) {
    switch (kind) {
    case 'i':
        return PyLong_FromLongLong(va_arg(*arguments, int64_t));
    case 'u':
        return PyLong_FromUnsignedLongLong(va_arg(*arguments, uint64_t));
    case 'd':
        return PyFloat_FromDouble(va_arg(*arguments, double));
    case 's': {
        const char *text = va_arg(*arguments, const char *);
        return text ? PyBytes_FromString(text) : Py_NewRef(Py_None);
    }
    default: {
        const char *bytes = va_arg(*arguments, const char *);
        return PyBytes_FromStringAndSize(bytes, (Py_ssize_t)va_arg(*arguments, size_t));
    }
    }
}

struct exception {
    PyObject *type, *value, *traceback;
};

static void drop(struct exception *given) {
    Py_XDECREF(given->type);
    Py_XDECREF(given->value);
    Py_XDECREF(given->traceback);
}

static int raise_later(void *given) {
    struct exception *saved = given;
    PyErr_Restore(saved->type, saved->value, saved->traceback);
    free(saved);
    return -1;
}

/* Schedule an exception of a signal handler to be raised in the main thread's Python code, once this call has returned
   to it. Return whether that is possible; if so, the references are stolen. */
static int hand_on(struct exception *given) {
    struct exception *saved = malloc(sizeof *saved);
    if (!saved) return 0;
    *saved = *given;
    if (!Py_AddPendingCall(raise_later, saved)) return 1;
    free(saved);
    return 0;
}

/* Report the message of a failing call, which says more than its status. Steals the reference to `text` (or NULL).
   Only a signal handler that runs meanwhile can raise something other than a MemoryError. */
static void say(PyObject *text) {
    PyErr_Clear();
    PyObject *none = say_function && text ? PyObject_Vectorcall(say_function, &text, 1, NULL) : NULL;
    Py_XDECREF(none);
    Py_XDECREF(text);
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return;
    }
    struct exception given;
    PyErr_Fetch(&given.type, &given.value, &given.traceback);
    if (!hand_on(&given)) drop(&given);
}

/* Return an attribute of a module, or NULL; without an exception if the module does not have it. */
static PyObject *find(const char *module_name, const char *name) {
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *found = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    if (!found && (PyErr_ExceptionMatches(PyExc_ImportError) || PyErr_ExceptionMatches(PyExc_AttributeError)))
        PyErr_Clear();
    return found;
}

/* Import the driver, and look up what the shell needs of it; return 0, or -1 with an exception set. */
static int import_driver(void) {
    PyObject *driver = PyImport_ImportModule(DRIVER_MODULE);
    PyObject *errors = driver ? PyImport_ImportModule(ERROR_MODULE) : NULL;
    PyObject *error = errors ? PyObject_GetAttrString(errors, "CudaError") : NULL;
    PyObject *say = error ? find(ERROR_MODULE, "say") : NULL;
    PyObject *unexpected = error && !PyErr_Occurred() ? find(ERROR_MODULE, "unexpected") : NULL;
    PyObject *table = error && !PyErr_Occurred() ? find(RUNTIME_MODULE, "FAST_PATH") : NULL;
    PyObject *closed = error && !PyErr_Occurred() ? find(RUNTIME_MODULE, "QueueClosed") : NULL;
    PyObject *stopped = error && !PyErr_Occurred() ? find(RUNTIME_MODULE, "DeviceStopped") : NULL;
    int failed = !error || PyErr_Occurred();
    unsigned long long address = table && !failed ? PyLong_AsUnsignedLongLong(table) : 0;
    static pthread_mutex_t storing = PTHREAD_MUTEX_INITIALIZER; /* no Python runs while it is held */
    if (!failed) pthread_mutex_lock(&storing);
    if (!failed && !error_type) { /* another thread may have been faster */
        say_function = Py_XNewRef(say);
        unexpected_function = Py_XNewRef(unexpected);
        closed_type = Py_XNewRef(closed);
        stopped_type = Py_XNewRef(stopped);
        /* Without the table, which fast_path.c calls, every call goes through Python. */
        if (address && shell_ready) shell_ready(address);
        /* From now on there is state that a forked child cannot use. */
        pthread_atfork(NULL, NULL, mark_forked_child);
        __atomic_store_n(&error_type, Py_NewRef(error), __ATOMIC_RELEASE); /* last: `find_driver` reads it unlocked */
    }
    if (!failed) pthread_mutex_unlock(&storing);
    PyObject *all[] = {driver, errors, error, say, unexpected, table, closed, stopped};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) Py_XDECREF(all[i]);
    return -failed;
}

/* Import the driver at the first call of any entry. If a signal handler interrupted that, import it again: only then
   can status_of_exception tell the handler's exception, which remains set, from one of the driver's. */
static int find_driver(void) {
    if (__atomic_load_n(&error_type, __ATOMIC_ACQUIRE) || !import_driver()) return 0;
    struct exception given;
    PyErr_Fetch(&given.type, &given.value, &given.traceback);
    if (import_driver()) PyErr_Clear();
    PyErr_Restore(given.type, given.value, given.traceback);
    return -1;
}

/* Return a borrowed reference to the entry's function. */
static PyObject *function_of(struct shell_entry *entry) {
    PyObject *function = __atomic_load_n(&entry->function, __ATOMIC_ACQUIRE);
    if (function || find_driver()) return function;
    PyObject *module = PyImport_ImportModule(DRIVER_MODULE);
    if (!module) return NULL;
    function = PyObject_GetAttrString(module, entry->name);
    Py_DECREF(module);
    __atomic_store_n(&entry->function, function, __ATOMIC_RELEASE);
    return function;
}

static int status_of_error(struct exception *given) {
    PyObject *number = given->value ? PyObject_GetAttrString(given->value, "status") : NULL;
    int overflow = 0;
    long long status = number ? PyLong_AsLongLongAndOverflow(number, &overflow) : -1;
    Py_XDECREF(number);
    PyErr_Clear();
    PyObject *message = given->value ? PyObject_GetAttrString(given->value, "message") : NULL;
    if (message && PyObject_IsTrue(message) == 1)
        say(message);
    else
        Py_XDECREF(message); /* no message: frequent for queries */
    PyErr_Clear();
    return status > 0 && status <= INT32_MAX ? (int)status : SHELL_UNKNOWN;
}

/* Return whether an exception is the program's own: raised by a signal handler that ran inside of the driver. One that
   runs meanwhile raises its exception instead. */
static int is_of_program(struct exception *given) {
    if (!unexpected_function) return 0;
    PyObject *values[] = {given->value, given->traceback ? given->traceback : Py_None};
    PyObject *found = PyObject_Vectorcall(unexpected_function, values, 2, NULL);
    int own = !found || PyObject_IsTrue(found) == 1;
    Py_XDECREF(found);
    if (!found) {
        drop(given);
        PyErr_Fetch(&given->type, &given->value, &given->traceback);
    }
    return own;
}

/* Map the pending Python exception to a CUresult, and clear it. */
static int status_of_exception(PyObject *function) {
    int is_error = error_type && PyErr_ExceptionMatches(error_type);
    int is_closed = closed_type && PyErr_ExceptionMatches(closed_type);
    int is_stopped = stopped_type && PyErr_ExceptionMatches(stopped_type);
    int is_memory = PyErr_ExceptionMatches(PyExc_MemoryError);
    int is_interrupt = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    int status = is_memory ? SHELL_OUT_OF_MEMORY : SHELL_UNKNOWN;
    struct exception given;
    PyErr_Fetch(&given.type, &given.value, &given.traceback);
    PyErr_NormalizeException(&given.type, &given.value, &given.traceback);
    if (is_error) {
        status = status_of_error(&given);
    } else if (is_closed) {
        say(PyUnicode_FromString("another thread has destroyed the stream since the call began"));
        status = SHELL_INVALID_HANDLE;
    } else if (is_stopped) { /* since the call began: later calls fail by the context's error */
        say(PyUnicode_FromString("Python is exiting, the CPU device is shut down"));
        status = SHELL_DEINITIALIZED;
    } else if (is_of_program(&given) && hand_on(&given)) {
        return is_interrupt ? SHELL_LAUNCH_TIMEOUT : SHELL_NOT_READY;
    } else if (is_interrupt) {
        PyErr_SetInterrupt(); /* for the main thread */
        status = SHELL_LAUNCH_TIMEOUT;
    } else if (!is_memory) {
        PyErr_Restore(given.type, given.value, given.traceback);
        PyErr_WriteUnraisable(function);
        return status;
    }
    drop(&given);
    return status;
}

/* Convert a Python number to the output's C type; return 0, or -1 with an exception set. */
static int convert_output(struct output *output, PyObject *number) {
    if (output->kind == 'f' || output->kind == 'd') {
        double real = PyFloat_AsDouble(number);
        if (real == -1.0 && PyErr_Occurred()) return -1;
        if (output->kind == 'f')
            output->value.single = (float)real;
        else
            output->value.real = real;
        return 0;
    }
    int overflow, bits = 8 * (output->kind - '0');
    long long integer = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (integer == -1 && !overflow && PyErr_Occurred()) return -1;
    if (overflow > 0 && bits == 64) {
        output->value.integer = PyLong_AsUnsignedLongLong(number);
        return PyErr_Occurred() ? -1 : 0;
    }
    if (overflow || (bits < 64 && (integer >= 1LL << bits || integer < -(1LL << (bits - 1))))) {
        PyErr_Format(PyExc_OverflowError, "%R does not fit an output of %d bits", number, bits);
        return -1;
    }
    output->value.integer = (uint64_t)integer;
    return 0;
}

static size_t output_size(const struct output *output) {
    return output->kind == 'f' ? 4 : output->kind == 'd' ? 8 : (size_t)(output->kind - '0');
}

/* Store a function's result in its outputs, all or none; return 0, or -1 with an exception set. */
static int store_outputs(struct output *outputs, int count, PyObject *result) {
    if (count == 0) {
        if (result == Py_None) return 0;
        PyErr_Format(PyExc_TypeError, "returned %R, not None", result);
        return -1;
    }
    if (count > 1 && (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) != count)) {
        PyErr_Format(PyExc_TypeError, "returned %R, not a tuple of %d values", result, count);
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (convert_output(&outputs[i], count == 1 ? result : PyTuple_GET_ITEM(result, i))) return -1;
    for (int i = 0; i < count; i++) {
        /* Little-endian: the low bytes come first (x86-64, aarch64). */
        if (outputs[i].address) memcpy(outputs[i].address, &outputs[i].value, output_size(&outputs[i]));
    }
    return 0;
}

/* Call the function with the inputs; return a CUresult. */
static int call_function(PyObject *function, const char *inputs, va_list *arguments, struct output *outputs, int count) {
    PyObject *values[1 + SHELL_MAX_INPUTS];
    size_t given = 0;
    int status = SHELL_SUCCESS;
    for (; inputs[given]; given++)
        if (!(values[1 + given] = next_input(inputs[given], arguments))) break;
    if (inputs[given]) {
        status = status_of_exception(function);
    } else {
        PyObject *result = PyObject_Vectorcall(function, values + 1, given | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        if (!result || store_outputs(outputs, count, result)) status = status_of_exception(function);
        Py_XDECREF(result);
    }
    while (given) Py_DECREF(values[given--]);
    return status;
}

/* Call the driver's function with cyclic garbage collection disabled: a collection could run finalisers of the program
   that call a library which is waiting for this very call, with its locks held. */
static int call_without_collection(PyObject *function, const char *inputs, va_list *arguments, struct output *outputs,
                                   int count) {
    int collects = PyGC_Disable();
    calls_without_collection += collects;
    int status = call_function(function, inputs, arguments, outputs, count);
    calls_without_collection -= collects;
    if (collects) PyGC_Enable();
    return status;
}

/* Refuse a call with a NULL pointer for an output that is not optional. */
static int refuse_outputs(struct shell_entry *entry) {
    if (refusal()) return SHELL_INVALID_VALUE;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    say(PyUnicode_FromFormat("%s: the address of an output is NULL", entry->name));
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
    return SHELL_INVALID_VALUE;
}

/* shell_call with the arguments behind a pointer. */
static int call_entry(struct shell_entry *entry, va_list *arguments) {
    struct output outputs[SHELL_MAX_OUTPUTS];
    const char *signature = entry->signature;
    int count = read_outputs(outputs, &signature, arguments);
    int status = count < 0 ? refuse_outputs(entry) : refusal();
    if (status == SHELL_DEINITIALIZED && is_done(entry->name)) {
        for (int i = 0; i < count; i++)
            if (outputs[i].address) memset(outputs[i].address, 0, output_size(&outputs[i]));
        status = SHELL_SUCCESS;
    }
    else if (!status) {
        PyGILState_STATE state = PyGILState_Ensure();
        /* The caller may be handling an exception, as a finaliser does: save it. */
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyObject *function = function_of(entry);
        if (function)
            status = call_without_collection(function, signature, arguments, outputs, count);
        else if (error_type && PyErr_ExceptionMatches(PyExc_AttributeError)) {
            say(PyUnicode_FromString("the CPU device has no such function")); /* the driver itself was imported */
            status = SHELL_NOT_SUPPORTED;
        } else
            status = status_of_exception(NULL);
        PyErr_Restore(type, value, traceback);
        PyGILState_Release(state);
    }
    return status;
}

#ifndef SHELL_EMBEDDED
int shell_call(struct shell_entry *entry, ...) {
    va_list arguments;
    va_start(arguments, entry);
    int64_t begin = shell_span_begin ? shell_span_begin() : 0;
    shell_embedded_call *embedded = Py_IsInitialized ? NULL : shell_find_embedded();
    int status = embedded ? embedded(entry, &arguments, shell_ready, shell_ended_idle) : call_entry(entry, &arguments);
    if (begin) shell_span_end(0, "", entry->name, shell_thread(), begin);
    va_end(arguments);
    return status;
}
#endif
