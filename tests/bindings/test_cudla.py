# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuDLA, whose header is hand-written: layouts as in NVIDIA's CUDA Python, calls on a substitute library."""

import subprocess
import sys

import numpy as np
import pytest
from support.echo import compile_c

from cuda.bindings import _loader, cudla

# Bytes and fields of the structured dtypes that NVIDIA's CUDA Python 13.5 shows.
LAYOUTS = {
    "dev_attribute_dtype": (4, {"unified_addressing_supported": ("u1", 0), "device_version": ("u4", 0)}),
    "external_memory_handle_desc_dtype": (16, {"ext_buf_object": ("i8", 0), "size_": ("u8", 8)}),
    "external_semaphore_handle_desc_dtype": (8, {"ext_sync_object": ("i8", 0)}),
    "fence_dtype": (16, {"fence": ("i8", 0), "type": (("u4", "i4"), 8)}),
    "module_attribute_dtype": (
        8,
        {
            "num_input_tensors": ("u4", 0),
            "num_output_tensors": ("u4", 0),
            "input_tensor_desc": ("i8", 0),
            "output_tensor_desc": ("i8", 0),
        },
    ),
    "module_tensor_descriptor_dtype": (
        168,
        {"size_": ("u8", 88), "n": ("u8", 96), "c": ("u8", 104), "h": ("u8", 112), "w": ("u8", 120)}
        | {name: ("u1", 128 + i) for i, name in enumerate(["data_format", "data_type", "data_category"])}
        | {"pixel_format": ("u1", 131), "pixel_mapping": ("u1", 132)},
    ),
    "signal_events_dtype": (24, {"dev_ptrs": ("i8", 0), "eof_fences": ("i8", 8), "num_events": ("u4", 16)}),
    "task_dtype": (
        48,
        {
            "module_handle": ("i8", 0),
            "output_tensor": ("i8", 8),
            "num_output_tensors": ("u4", 16),
            "num_input_tensors": ("u4", 20),
            "input_tensor": ("i8", 24),
            "wait_events": ("i8", 32),
            "signal_events": ("i8", 40),
        },
    ),
    "wait_events_dtype": (16, {"pre_fences": ("i8", 0), "num_events": ("u4", 8)}),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name):
    size, fields = LAYOUTS[name]
    dtype = getattr(cudla, name)
    assert dtype.itemsize == size
    for field, (kinds, offset) in fields.items():
        assert dtype.fields[field][0] in [np.dtype(kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
        assert dtype.fields[field][1] == offset
    if name == "module_tensor_descriptor_dtype":
        assert (dtype.fields["name"][0].shape, dtype.fields["name"][1]) == ((81,), 0)
        assert (dtype.fields["stride"][0].shape, dtype.fields["stride"][1]) == ((8,), 136)


def test_a_task_with_its_events():
    fences = cudla.Fence(2)
    fences.type = [cudla.FenceType.NVSCISYNC_FENCE, cudla.FenceType.FENCE_SOF]
    wait = cudla.WaitEvents(pre_fences=fences)
    task = cudla.Task(module_handle=7, input_tensor=[16, 32], output_tensor=[64], wait_events=wait.ptr)
    assert (task.num_input_tensors, task.num_output_tensors, task.input_tensor) == (2, 1, [16, 32])
    assert (wait.num_events, wait.pre_fences[1].type) == (2, 2)


def test_failures():
    assert cudla.check_status(0) is None
    with pytest.raises(cudla.CudlaError, match=r"ERROR_CREATION_FAILED \(3\)") as caught:
        cudla.check_status(cudla.Status.ErrorCreationFailed)
    assert caught.value.status == 3


def test_missing_library_names_jetpack():
    script = "from cuda.bindings import cudla; cudla.get_version()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "libcudla.so.1 cannot be opened" in done.stderr
    assert (
        "It comes with the system of NVIDIA's Jetson and DRIVE boards (JetPack, DRIVE OS); no pip package"
        in done.stderr
    )


STAND_IN = """
#include <stdint.h>
int cudlaGetVersion(uint64_t *version) { *version = 1003000; return 0; }
int cudlaCreateDevice(uint64_t device, void **handle, uint32_t flags) { *handle = (void *)(device + 0x100); return 0; }
int cudlaDeviceGetAttribute(void *handle, int attribute, uint32_t *value) { *value = attribute ? 20 : 1; return 0; }
int cudlaGetLastError(void *handle) { return handle == (void *)0x101 ? 7 : 0; }
int cudlaMemRegister(void *handle, const void *p, uint64_t size, void **found, uint32_t flags) {
    *found = (char *)p + size;
    return flags;
}
int cudlaSubmitTask(void *handle, const void *tasks, uint32_t count, void *stream, uint32_t flags) {
    return (int)((const uint64_t *)tasks)[6 * (count - 1)];
}
"""


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    path = tmp_path_factory.mktemp("cudla") / "libcudla.so.1"
    compile_c(STAND_IN, path, "-fvisibility=default")
    _loader.use_library("cudla", path)


@pytest.mark.usefixtures("stand_in")
def test_calls():
    assert cudla.get_version() == 1003000
    device = cudla.create_device(1, cudla.Mode.CUDA_DLA)
    assert device == 0x101
    assert cudla.device_get_attribute(device, cudla.DevAttributeType.DEVICE_VERSION).device_version == 20
    assert cudla.get_last_error(device) == 7
    assert cudla.mem_register(device, 4096, 16, 0) == 4112
    with pytest.raises(cudla.CudlaError, match="ERROR_OS"):
        cudla.mem_register(device, 4096, 16, 5)
    tasks = cudla.Task(2)
    tasks.module_handle = [0, 12]
    with pytest.raises(cudla.CudlaError, match="ERROR_INVALID_MODULE"):
        cudla.submit_task(device, tasks, 2, 0, 0)
    with pytest.raises(ValueError, match="ptr_to_tasks has 96 bytes, but 144 are needed"):
        cudla.submit_task(device, tasks, 3, 0, 0)
