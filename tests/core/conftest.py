# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

SOURCE = """
struct Mixed { float a; int n; double d; };

extern "C" {
__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter;

__global__ void empty() {}
__global__ void store_float(float *out, float value) { *out = value; }
__global__ void store_double(double *out, double value) { *out = value; }
__global__ void store_byte(signed char *out, signed char value) { *out = value; }
__global__ void store_short(short *out, short value) { *out = value; }
__global__ void store_int(int *out, int value) { *out = value; }
__global__ void store_long(long long *out, long long value) { *out = value; }
__global__ void store_bool(bool *out, bool value) { *out = value; }
__global__ void store_pair(float2 *out, float2 value) { *out = value; }
__global__ void store_mixed(Mixed *out, Mixed value) { *out = value; }
__global__ void store_address(unsigned long long *out, void *pointer) { *out = (unsigned long long)pointer; }
__global__ void pad(signed char a, double b, short c, int *out) { *out = a + c + (int)b; }
__global__ void add_one(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(x + i, 1);  // several branches of a graph may count at once
}
__global__ void write_at(int *x, long long index) { x[index] = 1; }
__global__ void reverse(int *x) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
__global__ void shape(unsigned *out) {
    if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z) return;
    out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
    out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
}
__global__ void use_globals(float *out) { *out = coefficients[2]; counter += 1; }
}

template <typename T> __global__ void scale(T *x, T factor) { x[threadIdx.x] *= factor; }
"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that use the kernels above: they compile CUDA C++."""
    for item in items:
        if item.path.parent.name == "core" and "module" in getattr(item, "fixturenames", ()):
            item.add_marker("needs_nvrtc")


@pytest.fixture(autouse=True)
def _no_current_device():
    """Start each test as a program starts: the current device of another test must not hide a forgotten set_current."""
    from cuda.bindings import driver
    from cuda.core import Device

    for device in Device.get_all_devices():
        device._is_set = False
    driver.cuCtxSetCurrent(0)


@pytest.fixture(scope="session")
def module():
    """Return the kernels above, loaded."""
    from cuda.core import Device, Module

    Device(0).set_current()
    return Module.from_source(SOURCE, name_expressions=("&coefficients", "&counter", "scale<float>", "scale<int>"))


@pytest.fixture
def host(stream):
    """Return a function that reads a Buffer as a NumPy array."""
    from cuda.core import LegacyPinnedMemoryResource

    resource = LegacyPinnedMemoryResource()

    def read(buffer, dtype):
        with resource.allocate(buffer.size, stream=stream) as pinned:
            buffer.copy_to(pinned, stream=stream)
            stream.sync()
            return np.frombuffer(bytes(pinned), dtype)

    return read


@pytest.fixture
def upload(device, stream):
    """Return a function that puts a NumPy array into a new Buffer."""
    from cuda.core import LegacyPinnedMemoryResource

    resource = LegacyPinnedMemoryResource()

    def write(array):
        array = np.ascontiguousarray(array)
        buffer = device.allocate(array.nbytes, stream=stream)
        with resource.allocate(array.nbytes, stream=stream) as pinned:
            memoryview(pinned)[:] = array.tobytes()
            buffer.copy_from(pinned, stream=stream)
        return buffer

    return write
