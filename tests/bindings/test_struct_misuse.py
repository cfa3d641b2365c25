# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""No value assigned to a struct, and no bytes in it, crash the process; reprs show active union members."""

import ctypes
import gc
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from cuda.bindings import cufile, driver, nvml, runtime

HERE = pathlib.Path(__file__).parent


def test_every_field_of_every_struct(tmp_path):
    """Wrong types, lengths and dtypes, huge numbers, other structs, closed buffers, wild pointers."""
    program = [sys.executable, "-X", "faulthandler", str(HERE / "struct_misuse.py"), str(tmp_path / "tried")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, ((tmp_path / "tried").read_text().strip(), done.stderr[-2000:])
    number, *problems = done.stdout.splitlines()
    assert int(number) > 450
    assert [line for line in problems if line][:10] == []


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (
            lambda: setattr(cufile.Descr(), "handle", 5),
            TypeError,
            r"Descr\.handle must be anon_union\d+, not int \(5\)",
        ),
        (
            lambda: setattr(nvml.BridgeChipHierarchy(), "bridge_chip_info", [1, 2, 3]),
            TypeError,
            r"BridgeChipHierarchy\.bridge_chip_info must be BridgeChipInfo, not int",
        ),
        (
            lambda: setattr(nvml.BridgeChipHierarchy(), "bridge_chip_info", bytearray(8)),
            TypeError,
            r"BridgeChipHierarchy\.bridge_chip_info must be BridgeChipInfo, not int",
        ),
        (lambda: nvml.PciInfo(2).__setitem__(0, nvml.PciInfo(3)), ValueError, "takes one PciInfo, not a record of 3"),
        (lambda: nvml.PciInfo.from_ptr(5), ValueError, "PciInfo at an address: 68 bytes at 0x5 are not readable"),
        (lambda: nvml.PciInfo.from_ptr(id(gc), 1 << 50), ValueError, "are not readable memory"),
        (lambda: driver.CUuuid(5), ValueError, "CUuuid at an address: 16 bytes at 0x5 are not readable memory"),
        (lambda: driver.CUstream(0, 5), ValueError, "CUstream at an address: 8 bytes at 0x5 are not readable memory"),
        (lambda: nvml.device_set_clock_offsets(1, 5), ValueError, "info: 24 bytes at 0x5 are not readable memory"),
        (
            lambda: driver.CUdevResource(nextResource=5).nextResource,
            ValueError,
            r"CUdevResource\.nextResource: 144 bytes at 0x5 are not readable memory",
        ),
    ],
)
def test_errors_name_the_field(act, error, words):
    with pytest.raises(error, match=words):
        act()


def test_the_repr_of_a_conditional_node():
    """What its parameters have in common with those of other nodes are no pointers of theirs."""
    params = driver.CUgraphNodeParams(type=driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL)
    params.conditional.handle = 0x1234
    params.conditional.size = 1
    assert "conditional=CUDA_CONDITIONAL_NODE_PARAMS(handle=<CUgraphConditionalHandle 4660>" in repr(params)
    assert "memset" not in repr(params)
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_EMPTY
    assert "<union of 232 bytes: 3412" in repr(params)


def test_repr_shows_the_active_union_member():
    attribute = driver.CUlaunchAttribute(id=driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PRIORITY)
    attribute.value.priority = -3
    assert repr(attribute).endswith("(priority=-3))")
    location = runtime.cudaMemLocation(type=runtime.cudaMemLocationType.cudaMemLocationTypeDevice, id=2)
    assert repr(location).endswith("id=2)")
    assert repr(driver.CUlaunchAttributeValue(priority=5)) == "CUlaunchAttributeValue(<union of 64 bytes: 05>)"
    value = nvml.FieldValue(value_type=nvml.ValueType.DOUBLE)
    value.value.d_val = 2.5
    assert "value=Value(d_val=2.5)" in repr(value)


def test_repr_does_not_follow_foreign_pointers():
    resource = driver.CUdevResource()
    resource.nextResource = resource.getPtr()  # a circle
    assert f"nextResource={resource.getPtr():#x}" in repr(resource)


def test_elements_outlive_the_field():
    processes = nvml.ProcessDetailList_v1(proc_array=nvml.ProcessDetail_v1(3))
    old = processes.proc_array
    old.pid = [7, 8, 9]
    processes.proc_array = nvml.ProcessDetail_v1(1)
    gc.collect()
    assert [bytearray(1 << 16) for _ in range(50)]
    assert old.pid.tolist() == [7, 8, 9]


def test_too_large_counts_do_not_read_beyond_the_memory():
    ids = nvml.VgpuTypeIdInfo_v1(vgpu_type_ids=[4, 5])
    ids.vgpu_count = 1 << 30
    assert ids.vgpu_type_ids == [4, 5]


def test_an_empty_slice_has_memory_of_its_own():
    many = nvml.ProcessInfo(3)
    assert len(many[3:]) == 0
    assert many[3:].ptr not in range(many.ptr, many.ptr + 3 * nvml.process_info_dtype.itemsize + 1)
    assert (
        len(nvml.ProcessInfo.from_buffer(b""))
        == len(nvml.ProcessInfo.from_data(np.zeros(0, nvml.process_info_dtype)))
        == 0
    )


def test_large_records_are_allocated_lazily():
    """2**25 structs of 68 bytes are 2 GB, of which the test touches one page."""
    many = nvml.PciInfo(1 << 25)
    many[-1].bus_id = "end"
    assert many[-1].bus_id == "end"


def test_strings_without_a_nul_in_readable_memory():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, ctypes.c_size_t(8192), 3, 0x22, -1, ctypes.c_long(0))
    assert libc.mprotect(ctypes.c_void_p(page + 4096), ctypes.c_size_t(4096), 0) == 0
    ctypes.memset(page, ord("x"), 4096)
    info = cufile.RDMAInfo()
    ctypes.memmove(info.ptr + 8, page.to_bytes(8, "little"), 8)
    with pytest.raises(
        ValueError, match=r"RDMAInfo\.desc_str: the string at 0x\w+ runs into memory that is not readable"
    ):
        info.desc_str  # noqa: B018
    assert f"desc_str={page:#x}" in repr(info)
    ctypes.memset(page + 3, 0, 1)
    assert info.desc_str == "xxx"
    libc.munmap(ctypes.c_void_p(page), ctypes.c_size_t(8192))
