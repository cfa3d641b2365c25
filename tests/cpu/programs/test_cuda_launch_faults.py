# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Faults and endless launches of kernels that kernels launch, and checks of such kernels."""

import pytest
from support.scripts import run_checked

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.cpu_only]  # a GPU needs NVIDIA's libcudadevrt for them

FAULT = """
    import sys, numpy as np
    from cuda.core import CUDAError, Device, LaunchConfig, Program, ProgramOptions, launch
    device = Device(); device.set_current(); stream = device.create_stream()
    source = r'''
    extern "C" __global__ void bad(int *p) { *p = 1; }
    extern "C" __global__ void parent(int *p) { bad<<<1, 1>>>(p); bad<<<1, 1, 0, cudaStreamTailLaunch>>>(p); }
    extern "C" __global__ void forever() { forever<<<1, 1, 0, cudaStreamTailLaunch>>>(); }
    '''
    options = ProgramOptions(arch=f"sm_{device.arch}", relocatable_device_code=True)
    code = Program(source, "c++", options).compile("ptx")
"""
PARENT = """
    launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("parent"), np.uint64(4096))
    try:
        stream.sync()
    except Exception as error:
        print(error)
"""


def test_a_fault_of_a_child_is_reported_by_the_stream():
    told = run_checked(FAULT + PARENT)
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in told
    assert "kernel 'bad'" in told
    assert "0x1000" in told


def test_kernels_that_launch_each_other_without_end_can_be_interrupted():
    told = run_checked(
        FAULT
        + """
    import signal
    launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("forever"))
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        stream.sync()
    except KeyboardInterrupt:
        print("interrupted")
    try:
        stream.sync()
    except CUDAError as error:
        print(error.name)
    stream.sync(); print("usable")
    """
    )
    assert told.split() == ["interrupted", "CUDA_ERROR_ILLEGAL_STATE", "usable"]


def test_cuda_cpu_check_covers_child_kernels():
    told = run_checked(FAULT + PARENT, CUDA_CPU_CHECK="memcheck")
    assert "kernel 'bad'" in told
    assert "write of 4 bytes at 0x1000, where nothing is allocated" in told


def test_cuda_cpu_check_accepts_correct_programs():
    told = run_checked(
        f"""
    import sys; sys.path.insert(0, {__file__.rsplit("/", 1)[0]!r})
    import test_cuda_launches as tests
    from cuda.core import Device
    device = Device(); device.set_current()
    program = tests.Launching(device, tests.QUESTIONS + tests.ORDER)
    print(program.run("order", 1, 1).max(), program.run("texts", 1, 1, tests.np.int32(1)).any())
    """,
        CUDA_CPU_CHECK="all",
    )
    assert told.split() == ["13", "True"]
