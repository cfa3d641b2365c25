# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import shutil
import subprocess
import typing

import pytest
from support.scripts import run_checked

from cuda.core import CUDAError, checkpoint
from cuda.core.typing import ProcessStateType


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = tmp_path_factory.mktemp("driver") / "libcheckpoint.so"
    source = pathlib.Path(__file__).parent / "checkpoint_driver.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, source], check=True)
    return str(path)


def test_state_transitions(driver):
    said = run_checked(
        """
        import ctypes, os, uuid
        from cuda.core.checkpoint import Process

        library = ctypes.CDLL(os.environ["CUDA_PYTHON_DRIVER"])
        process = Process(7)
        print(process.pid, process.restore_thread_id, process)
        for step in (lambda: process.lock(1500), process.checkpoint, process.restore, process.unlock):
            step()
            print(process.state)
        print(ctypes.c_uint.in_dll(library, "timeout").value, ctypes.c_uint.in_dll(library, "pair_count").value)
        process.lock()
        process.checkpoint()
        old, new = uuid.UUID(int=1), uuid.UUID(int=2)
        process.restore({f"GPU-{old}": new})
        pairs = bytes((ctypes.c_ubyte * 64).in_dll(library, "pairs"))
        print(ctypes.c_uint.in_dll(library, "pair_count").value, pairs[15], pairs[31])
        try:
            process.checkpoint()
            process.checkpoint()
        except RuntimeError as error:
            print(error.call, error.status)
        """,
        CUDA_PYTHON_DRIVER=driver,
    )
    assert said.splitlines() == [
        "7 70 <Process 7>",
        "locked",
        "checkpointed",
        "locked",
        "running",
        "1500 0",
        "1 1 2",
        "cuCheckpointProcessCheckpoint 401",
    ]


def test_wrong_arguments(device):
    for pid, error, message in [
        ("7", TypeError, r"^pid must be an int, not str$"),
        (True, TypeError, r"^pid must be an int, not bool$"),
        (0, ValueError, r"^pid must be at least 1, not 0$"),
    ]:
        with pytest.raises(error, match=message):
            checkpoint.Process(pid)
    process = checkpoint.Process(os.getpid())
    with pytest.raises(TypeError, match=r"^timeout_ms must be an int, not float$"):
        process.lock(1.0)
    with pytest.raises(ValueError, match=r"^timeout_ms must be from 0 to 4294967295, not -1$"):
        process.lock(-1)
    with pytest.raises(TypeError, match=r"^gpu_mapping must be a mapping, not list$"):
        process.restore([])
    with pytest.raises(TypeError, match=r"^gpu_mapping: 5 must be a Device or a UUID$"):
        process.restore({device: 5})


@pytest.mark.cpu_only
def test_the_cpu_device_does_not_support_checkpoints(device):
    with pytest.raises(CUDAError, match=r"^CUDA_ERROR_NOT_SUPPORTED: .* \(cuCheckpointProcessGetState\)"):
        checkpoint.Process(os.getpid()).state  # noqa: B018


def test_state_type():
    assert typing.get_args(ProcessStateType) == ("running", "locked", "checkpointed", "failed")
