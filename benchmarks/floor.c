/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lower bounds of the time of calls: a C extension that takes ints and checks nothing, and the same calls in a C loop.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <time.h>

typedef unsigned long long u64;
#define INT(i) PyLong_AsUnsignedLongLong(arguments[i])
#define FUNCTIONS(X) \
    X(cuStreamQuery, (void *)) X(cuEventRecord, (void *, void *)) X(cuMemcpyAsync, (u64, u64, size_t, void *)) \
    X(cuPointerGetAttribute, (void *, int, u64)) X(cuDeviceGetAttribute, (int *, int, int)) \
    X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, \
                       void **)) \
    X(cuLaunchKernelEx, (void *, void *, void **, void **))
#define DECLARE(name, parameters) static int (*name) parameters;
FUNCTIONS(DECLARE)

#define TAKES(name, ...) \
    static PyObject *py_##name(PyObject *self, PyObject *const *arguments, Py_ssize_t count) \
    { \
        (void)self, (void)count; \
        return PyLong_FromLong(name(__VA_ARGS__)); \
    }
TAKES(cuStreamQuery, (void *)INT(0))
TAKES(cuEventRecord, (void *)INT(0), (void *)INT(1))
TAKES(cuMemcpyAsync, INT(0), INT(1), INT(2), (void *)INT(3))
TAKES(cuLaunchKernel, (void *)INT(0), INT(1), INT(2), INT(3), INT(4), INT(5), INT(6), INT(7), (void *)INT(8),
      (void **)INT(9), (void **)INT(10))
TAKES(cuLaunchKernelEx, (void *)INT(0), (void *)INT(1), (void **)INT(2), (void **)INT(3))

static PyObject *py_cuPointerGetAttribute(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    u64 value = 0;
    const int status = cuPointerGetAttribute(&value, (int)INT(0), INT(1));
    (void)self, (void)count;
    return Py_BuildValue("iK", status, value);
}

static PyObject *py_cuDeviceGetAttribute(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    int value = 0;
    const int status = cuDeviceGetAttribute(&value, (int)INT(0), (int)INT(1));
    (void)self, (void)count;
    return Py_BuildValue("ii", status, value);
}

/* Return the nanoseconds of a call from C. */
#define LOOP(call) \
    clock_gettime(CLOCK_MONOTONIC, &start); \
    for (long i = 0; i < 1000000; i++) \
        call; \
    clock_gettime(CLOCK_MONOTONIC, &end); \
    value = PyFloat_FromDouble((end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6); \
    if (!value || PyDict_SetItemString(found, name, value)) \
        return NULL; \
    Py_DECREF(value);

static PyObject *loops(PyObject *self, PyObject *nothing)
{
    struct timespec start, end;
    u64 result = 0;
    const char *name;
    PyObject *value, *found = PyDict_New();
    (void)self, (void)nothing;
    name = "cuStreamQuery"; LOOP(cuStreamQuery((void *)2))
    name = "cuEventRecord"; LOOP(cuEventRecord((void *)2, (void *)2))
    name = "cuMemcpyAsync"; LOOP(cuMemcpyAsync(2, 2, 64, (void *)2))
    name = "cuPointerGetAttribute"; LOOP(cuPointerGetAttribute(&result, 2, 2))
    name = "cuDeviceGetAttribute"; LOOP(cuDeviceGetAttribute((int *)&result, 10, 0))
    name = "cuLaunchKernel"; LOOP(cuLaunchKernel((void *)2, 1, 1, 1, 1, 1, 1, 0, (void *)2, NULL, NULL))
    name = "cuLaunchKernelEx"; LOOP(cuLaunchKernelEx(&result, (void *)2, NULL, NULL))
    return found;
}

#define METHOD(name, parameters) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, NULL},
static PyMethodDef methods[] = {FUNCTIONS(METHOD){"loops", loops, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "floor", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_floor(void)
{
    void *driver = dlopen(getenv("CUDA_PYTHON_DRIVER"), RTLD_NOW);
    if (!driver)
        return PyErr_Format(PyExc_ImportError, "%s", dlerror());
#define LOOK_UP(name, parameters) name = dlsym(driver, #name);
    FUNCTIONS(LOOK_UP)
    return PyModule_Create(&module);
}
