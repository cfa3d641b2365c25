# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time kernels on the CPU device against plain C by gcc -O3 -march=native, in one process, on the cores it may use."""

import ctypes
import pathlib
import subprocess
import tempfile

import numpy as np
import pyperf

HERE = pathlib.Path(__file__).parent
SAXPY, STENCIL, REDUCTION, MATMUL = 1 << 24, 192, 1 << 24, 512
c_float, c_size_t, c_int = ctypes.c_float, ctypes.c_size_t, ctypes.c_int


def compiled_c():
    """Return the C peers as a library."""
    library = pathlib.Path(tempfile.mkdtemp()) / "kernels.so"
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", library, HERE / "kernels.c"], check=True)
    return ctypes.CDLL(library)


class Arrays:
    """Pinned arrays, seen by C as they are and by kernels as buffers."""

    def __init__(self, sizes, stream):
        from cuda.core import LegacyPinnedMemoryResource

        self.buffers = [LegacyPinnedMemoryResource().allocate(4 * size, stream=stream) for size in sizes]
        self.arrays = [np.from_dlpack(buffer).view(np.float32) for buffer in self.buffers]
        self.pointers = [ctypes.c_void_p(array.ctypes.data) for array in self.arrays]
        random = np.random.default_rng(seed=4)
        for array in self.arrays:
            array[:] = random.random(array.size, np.float32)


def cases(stream):
    """Yield name, arguments of LaunchConfig, of the kernel and of the C function, and the array that both write."""
    data = Arrays([SAXPY, SAXPY], stream)
    shape = {"grid": SAXPY // 256, "block": 256}
    kernel_arguments = (np.float32(2), *data.buffers, np.uint64(SAXPY))
    yield "saxpy", shape, kernel_arguments, (c_float(2), *data.pointers, c_size_t(SAXPY)), data.arrays[1]

    data = Arrays([STENCIL**3, STENCIL**3], stream)
    shape = {"grid": (STENCIL // 64, STENCIL // 4, STENCIL), "block": (64, 4)}
    kernel_arguments = (*data.buffers, np.int32(STENCIL))
    yield "stencil", shape, kernel_arguments, (*data.pointers, c_int(STENCIL)), data.arrays[1]

    data = Arrays([REDUCTION, 1], stream)
    shape = {"grid": 256, "block": 256}
    kernel_arguments = (*data.buffers, np.uint64(REDUCTION))
    yield "reduction", shape, kernel_arguments, (*data.pointers, c_size_t(REDUCTION)), data.arrays[1]

    data = Arrays([MATMUL**2] * 3, stream)
    shape = {"grid": (MATMUL // 16,) * 2, "block": (16, 16)}
    kernel_arguments = (*data.buffers, np.int32(MATMUL))
    yield "matmul", shape, kernel_arguments, (*data.pointers, c_int(MATMUL)), data.arrays[2]


def check_equal(result, on_device, on_host):
    """Run both on the same start and compare."""
    start = result.copy()
    on_device()
    found, result[:] = result.copy(), start
    on_host()
    np.testing.assert_allclose(found, result, rtol=1e-3)


def main():
    runner = pyperf.Runner(processes=3, values=3, warmups=1, loops=1)
    runner.parse_args()
    from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"sm_{device.arch}")
    module = Program((HERE / "kernels.cu").read_text(), code_type="c++", options=options).compile("cubin")
    peers = compiled_c()
    for name, shape, kernel_arguments, c_arguments, result in cases(stream):
        kernel, config = module.get_kernel(name), LaunchConfig(**shape)

        def on_device(kernel=kernel, config=config, arguments=kernel_arguments):
            launch(stream, config, kernel, *arguments)
            stream.sync()

        def on_host(name=name, arguments=c_arguments):
            getattr(peers, name)(*arguments)

        check_equal(result, on_device, on_host)
        runner.bench_func(f"{name}, CPU device", on_device)
        runner.bench_func(f"{name}, gcc", on_host)


if __name__ == "__main__":
    main()
