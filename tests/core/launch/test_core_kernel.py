# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import ctypes

import pytest

from cuda.bindings import driver
from cuda.core import Kernel, LaunchConfig, Linker, LinkerOptions, Program, ProgramOptions, launch


def test_arguments(module, device):
    kernel = module.pad
    assert kernel.num_arguments == 4
    assert kernel.arguments_info == [(0, 1), (8, 8), (16, 2), (24, 8)]
    assert kernel.arguments_info[1].offset == kernel.arguments_info[1].size == 8
    assert module.empty.arguments_info == []


def test_attributes(module, device):
    attributes = module.reverse.attributes
    assert attributes.max_threads_per_block == 1024
    assert attributes.shared_size_bytes == 0
    assert attributes.num_regs > 0
    assert attributes.binary_version >= 50
    assert attributes.ptx_version >= 60
    assert attributes.cache_mode_ca is False
    assert attributes[device].max_threads_per_block == attributes[0].max_threads_per_block == 1024
    names = [name for name in dir(attributes) if not name.startswith("_")]
    assert len(names) == 16
    assert all(isinstance(getattr(attributes, name), int) for name in names)


def test_writable_attributes(module):
    attributes = module.shape.attributes
    attributes.max_dynamic_shared_size_bytes = 64 * 1024
    assert module.shape.attributes.max_dynamic_shared_size_bytes == 64 * 1024
    with pytest.raises(AttributeError):
        attributes.num_regs = 8
    with pytest.raises(AttributeError):
        attributes.nothing = 8


MANY = """extern "C" __global__ void many(float *p) {
    float a[40];
    for (int i = 0; i < 40; i++) a[i] = p[i] * p[threadIdx.x + i];
    __syncthreads();
    for (int i = 0; i < 40; i++) p[i + threadIdx.x * 40] = a[i] + a[(i * 7) % 40] * a[(i * 3 + 1) % 40];
}"""


@pytest.mark.needs_nvrtc
@pytest.mark.parametrize("limit", [24, 32])
def test_the_limit_of_registers(device, limit):
    """The limit holds whether it is given to the compiler, to the linker or in the source."""

    def compiled(source=MANY, kind="cubin", **options):
        return Program(source, "c++", ProgramOptions(arch=f"sm_{device.arch}", **options)).compile(kind)

    assert compiled().get_kernel("many").attributes.num_regs > limit
    linked = Linker(
        compiled(kind="ptx", relocatable_device_code=True),
        options=LinkerOptions(arch=f"sm_{device.arch}", max_register_count=limit),
    ).link("cubin")
    bound = MANY.replace("void many", f"void __maxnreg__({limit}) many")
    for code in (compiled(max_register_count=limit), linked, compiled(bound), compiled(bound, "ptx")):
        assert 0 < code.get_kernel("many").attributes.num_regs <= limit


def test_occupancy(module, device):
    occupancy = module.add_one.occupancy
    threads = device.properties.max_threads_per_multiprocessor
    assert 1 <= occupancy.max_active_blocks_per_multiprocessor(128, 0) <= threads // 128
    result = occupancy.max_potential_block_size(0, 0)
    assert result.max_block_size % 32 == 0
    assert result.min_grid_size >= 1
    assert occupancy.max_potential_block_size(0, 64).max_block_size <= 64
    assert occupancy.available_dynamic_shared_memory_per_block(1, 128) > 0
    with pytest.raises(TypeError, match=r"^dynamic_shared_memory_needed must be an int .* not function$"):
        occupancy.max_potential_block_size(lambda size: 0, 0)


def test_occupancy_with_shared_memory_that_depends_on_the_block(module, device):
    @ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)
    def needed(threads):
        asked.append(threads)
        return available if threads > 64 else 0  # only small blocks share a multiprocessor

    asked = []
    available = device.properties.max_shared_memory_per_block
    function = driver.CUoccupancyB2DSize(ctypes.cast(needed, ctypes.c_void_p).value)
    result = module.add_one.occupancy.max_potential_block_size(function, 128)
    assert result.max_block_size in asked
    assert max(asked) <= 128
    same = driver.cuOccupancyMaxPotentialBlockSize(
        driver.cuKernelGetFunction(module.add_one.handle)[1], function, 0, 128
    )
    assert same[1:] == (result.min_grid_size, result.max_block_size)


def test_cluster_occupancy(module, device, stream):
    if not device.properties.cluster_launch:
        pytest.skip("the device has no clusters")
    occupancy = module.add_one.occupancy
    config = LaunchConfig(grid=2, cluster=2, block=64)
    assert occupancy.max_active_clusters(config) >= 1
    assert occupancy.max_potential_cluster_size(config, stream) >= 1


def test_from_handle(module, stream):
    kernel = module.add_one
    for handle in (kernel.handle, int(kernel.handle)):
        same = Kernel.from_handle(handle, module.code)
        assert same == kernel
        assert hash(same) == hash(kernel)
        assert same.num_arguments == 2
    for handle in ("x", "123", b"1", None):
        with pytest.raises(TypeError, match=r"^handle must be a kernel's address as int, or a CUkernel, not "):
            Kernel.from_handle(handle)
    with pytest.raises(TypeError, match=r"^kernel 'add_one' takes 2 arguments"):
        launch(stream, LaunchConfig(grid=1, block=1), same)
    assert kernel != module.empty
    assert kernel != 1
    assert repr(kernel) == "<Kernel 'add_one'>"
    with pytest.raises(RuntimeError, match=r"use ObjectCode.get_kernel or Module.get_kernel"):
        Kernel()
