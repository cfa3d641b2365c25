# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Try out an installed wheel of open-cuda-python or cuda-cpu on the CPU device, without a compiler or other programs.

Runs two PTX kernels through libcuda's C interface, provokes a fault, and imports every module. With NVRTC installed, it
also compiles CUDA C++. cibuildwheel and `python -m ci.wheels` run it.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import importlib.util
import os
import pathlib
import pkgutil
import platform
import shutil
import sys

os.environ["CUDA_PYTHON_DRIVER"] = "cpu"
N = 1000
OPTIONAL = {  # module or folder -> package without which it cannot be imported
    "cuda.core.ipython": "IPython",
    "cuda.cpu.debug.gdb_commands": "gdb",
    "cuda.cpu.programs.pytorch.": "torch",
    "cuda.cpu.pytest_plugin": "pytest",
    "cuda.interop.jax": "jax",
    "cuda.interop.torch": "torch",
    "cuda.interop.thunder": "thunder",
}
PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %d<6>;
    ld.param.f32 %f1, [a]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p ret;
    mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    ld.global.f32 %f2, [%d4]; ld.global.f32 %f3, [%d5];
    fma.rn.f32 %f3, %f1, %f2, %f3;
    st.global.f32 [%d5], %f3;
    ret;
}
// Reverses a block of 256 through shared memory; the threads wait for each other in a loop.
.visible .entry reverse(.param .u64 x)
{
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<4>;
    .shared .align 4 .b8 tile[1024];
    ld.param.u64 %d1, [x];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
    mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
    sub.u32 %r5, 1020, %r3; add.u32 %r5, %r2, %r5;
    mov.u32 %r6, 0;
again:
    ld.global.u32 %r7, [%d1];
    st.shared.u32 [%r4], %r7;
    bar.sync 0;
    ld.shared.u32 %r7, [%r5];
    st.global.u32 [%d1], %r7;
    bar.sync 0;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p, %r6, 3;
    @%p bra again;
    ret;
}
"""


class Driver:
    """libcuda of the CPU device; a status that is not 0 is an error."""

    def __init__(self) -> None:
        found = importlib.import_module("cuda.cpu").__file__ or ""
        self.library = ctypes.CDLL(str(pathlib.Path(found).parent / "entry/libcuda.so.1"))

    def __call__(self, name: str, *arguments: object) -> None:
        status = getattr(self.library, name)(*arguments)
        assert status == 0, f"{name} returned {status}"

    def get(self, kind: type, name: str, *arguments: object):
        value = kind()
        self(name, ctypes.byref(value), *arguments)
        return value


def launch(driver: Driver, function: ctypes.c_void_p, grid: int, block: int, *arguments: ctypes._SimpleCData) -> None:
    addresses = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(argument) for argument in arguments))
    driver("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, addresses, None)


def try_kernels() -> None:
    driver = Driver()
    driver("cuInit", 0)
    # The fault ends this context; cuda.core's is the primary one.
    context = driver.get(ctypes.c_void_p, "cuCtxCreate_v2", 0, 0)
    module = driver.get(ctypes.c_void_p, "cuModuleLoadData", PTX)
    x, y = (driver.get(ctypes.c_uint64, "cuMemAlloc_v2", ctypes.c_size_t(4 * N)) for _ in range(2))
    values = (ctypes.c_float * N)(*range(N))
    for address in (x, y):
        driver("cuMemcpyHtoD_v2", address, values, ctypes.c_size_t(4 * N))
    saxpy = driver.get(ctypes.c_void_p, "cuModuleGetFunction", module, b"saxpy")
    launch(driver, saxpy, 4, 256, ctypes.c_float(2), x, y, ctypes.c_uint32(N))
    driver("cuMemcpyDtoH_v2", values, y, ctypes.c_size_t(4 * N))
    assert list(values) == [3 * i for i in range(N)]
    reverse = driver.get(ctypes.c_void_p, "cuModuleGetFunction", module, b"reverse")
    launch(driver, reverse, 1, 256, y)
    driver("cuMemcpyDtoH_v2", values, y, ctypes.c_size_t(1024))
    assert list(values[:256]) == [3 * i for i in range(255, -1, -1)]
    launch(driver, saxpy, 1, 32, ctypes.c_float(2), ctypes.c_uint64(8), y, ctypes.c_uint32(N))
    assert driver.library.cuCtxSynchronize() == 700, "a fault is CUDA_ERROR_ILLEGAL_ADDRESS"
    driver("cuCtxDestroy_v2", context)


def try_compiler() -> None:
    """Compile CUDA C++ and launch it through cuda.core."""
    from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    source = 'extern "C" __global__ void square(unsigned *x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }'
    code = Program(source, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("cubin")
    buffer = LegacyPinnedMemoryResource().allocate(4 * 64, stream=stream)
    launch(stream, LaunchConfig(grid=1, block=64), code.get_kernel("square"), buffer)
    stream.sync()
    assert list((ctypes.c_uint32 * 64).from_address(int(buffer.handle))) == [i * i for i in range(64)]


def import_all(*names: str) -> int:
    """Import all modules of the packages and return their number."""
    count = 0
    for name in names:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            needed = [package for start, package in OPTIONAL.items() if module.name.startswith(start)]
            if not module.name.endswith("__main__") and all(map(importlib.util.find_spec, needed)):
                importlib.import_module(module.name)
                count += 1
    return count


def installed(distribution: str) -> bool:
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def main() -> None:
    compilers = [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
    whole = importlib.util.find_spec("cuda.core") is not None
    try_kernels()
    if whole and installed("nvidia-cuda-nvrtc"):
        try_compiler()
    packages = ["cuda.bindings", "cuda.core", "cuda.cpu", "cuda.interop"] if whole else ["cuda.cpu"]
    if whole and importlib.util.find_spec("scipy"):
        packages.append("cuda.perf")
    count = import_all(*packages)
    python = f"{platform.python_implementation()} {platform.python_version()} {platform.machine()}"
    print(f"{python}: {count} modules, kernels ran; compilers on PATH: {', '.join(compilers) or 'none'}")
    if sys.version_info >= (3, 13) and not sys._is_gil_enabled():
        print("the GIL is disabled")


if __name__ == "__main__":
    main()
