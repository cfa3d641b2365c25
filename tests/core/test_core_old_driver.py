# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A driver without parameter queries (cuKernelGetParamInfo): arguments have the size of their own type."""

import pathlib
import shutil
import subprocess

import pytest
from support.scripts import run_checked

SCRIPT = """
import ctypes, os, struct
import numpy as np
from cuda.core import Buffer, Device, LaunchConfig, ObjectCode, Stream, launch

device = Device(0)
device.set_current()
kernel = ObjectCode.from_ptx(b'code').get_kernel('mine')
stream = Stream.from_handle(1)
one = LaunchConfig(grid=1, block=1)
noted = (ctypes.c_ubyte * 128).in_dll(ctypes.CDLL(os.environ['CUDA_PYTHON_DRIVER']), 'noted')

def passed(*arguments):
    launch(stream, one, kernel, *arguments, *[0] * (8 - len(arguments)))
    return [bytes(noted)[16 * i : 16 * i + 16] for i in range(len(arguments))]

"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = tmp_path_factory.mktemp("driver") / "libold.so"
    source = pathlib.Path(__file__).parent / "old_driver.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, source], check=True)
    return str(path)


def test_arguments_keep_their_natural_sizes(driver):
    said = run_checked(
        SCRIPT
        + """
class Pair(ctypes.Structure):
    _fields_ = [('a', ctypes.c_int), ('b', ctypes.c_int)]

values = passed(-5, 2.5, True, 1 + 2j, np.float32(1.5), Pair(3, 4), Buffer.from_handle(0x1234, 8), None)
print(struct.unpack('<q', values[0][:8]), struct.unpack('<d', values[1][:8]), values[2][0])
print(struct.unpack('<dd', values[3]), struct.unpack('<f', values[4][:4]), struct.unpack('<ii', values[5][:8]))
print(struct.unpack('<QQ', values[6][:8] + values[7][:8]))
""",
        CUDA_PYTHON_DRIVER=driver,
    )
    assert said.splitlines() == ["(-5,) (2.5,) 1", "(1.0, 2.0) (1.5,) (3, 4)", "(4660, 0)"]


def test_too_many_argument_bytes_are_refused(driver):
    said = run_checked(
        SCRIPT
        + """
try:
    launch(stream, one, kernel, *[(ctypes.c_ubyte * 4096)()] * 9)
except TypeError as error:
    print(error)
""",
        CUDA_PYTHON_DRIVER=driver,
    )
    assert said.startswith("the arguments up to argument 9 of kernel 'mine' have more bytes than a kernel can take")


def test_missing_driver_functions_are_reported(driver):
    said = run_checked(
        SCRIPT
        + """
for use in (lambda: kernel.num_arguments, lambda: device.name, lambda: type(kernel).from_handle(kernel.handle)):
    try:
        print(repr(use()).partition(' at ')[0])
    except (NotImplementedError, RuntimeError) as error:
        print(type(error).__name__, error)
""",
        CUDA_PYTHON_DRIVER=driver,
    )
    lines = said.splitlines()
    assert lines[0].startswith("NotImplementedError this driver does not tell a kernel's parameters: it takes one for")
    assert "the driver in use" in lines[1]
    assert "is for CUDA 12.2: update the driver" in lines[1]
    assert lines[2] == "<Kernel"


def test_a_driver_without_a_log(driver):
    said = run_checked(
        """
        import os
        from cuda.core.utils import driver_messages, log_driver_messages

        before = len(os.listdir("/proc/self/fd"))
        for use in (log_driver_messages, driver_messages):
            try:
                use()
            except RuntimeError as error:
                print(error)
        print(len(os.listdir("/proc/self/fd")) - before)
        """,
        CUDA_PYTHON_DRIVER=driver,
    )
    first, second, opened = said.splitlines()
    assert "cuLogsRegisterCallback" in first
    assert "cuLogsDumpToMemory" in second
    assert "12.9" in first
    assert opened == "0"
