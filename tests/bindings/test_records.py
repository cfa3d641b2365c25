# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Records, the structs of nvml and cufile: one or several, as attributes, as elements, as arrays of NumPy."""

import copy
import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from codegen import roles
from codegen.c_types import strip_typedefs
from codegen.model import Array, Pointer, Struct
from codegen.names import Names
from codegen.write_echo import field_offsets
from cuda.bindings import cufile, nvml

LIBRARIES = {module: roles.libraries()[name] for module, name in ((nvml, "nvml"), (cufile, "cufile"))}


@pytest.mark.parametrize("module", LIBRARIES, ids=lambda module: module.__name__)
def test_dtypes_have_the_offsets_of_c(module):
    library = LIBRARIES[module]
    names = Names(library)
    compared = 0
    for struct in library.structs.values():
        if struct.size:
            cls = getattr(module, names.struct(struct.name))
            dtype = getattr(module, names.dtype(cls.__name__))
            assert dtype.itemsize == struct.size == module.sizeof(cls) == np.asarray(cls()).nbytes
            expected = {names.field(path): offset for path, offset in field_offsets(library, struct)}
            assert {name: offset for name, (_, offset) in dtype.fields.items()} == expected
            compared += len(expected)
    assert compared > (800 if module is nvml else 100)


@pytest.mark.parametrize("module", LIBRARIES, ids=lambda module: module.__name__)
def test_attributes_and_columns_agree(module):
    """What is set by attribute is what NumPy sees, for every field that holds one number."""
    library = LIBRARIES[module]
    names = Names(library)
    for struct in library.structs.values():
        if not struct.size or struct.union:
            continue
        cls = getattr(module, names.struct(struct.name))
        for field in struct.fields:
            if field.name and not isinstance(strip_typedefs(library, field.type), Struct | Array | Pointer):
                made, name = cls(), names.field(field.name)
                setattr(made, name, 1)
                assert getattr(made, name) == 1
                assert np.asarray(made)[name][0] == 1, (cls.__name__, name)


def test_records_of_several_structs():
    many = nvml.ProcessInfo(3)
    many.pid = [1, 2, 3]
    assert len(many) == 3
    assert many.pid.tolist() == [1, 2, 3]
    assert [one.pid for one in many] == [1, 2, 3]
    assert many[1].pid == many[-2].pid == 2
    assert many[1:].pid.tolist() == [2, 3]
    many[0] = many[2]
    assert np.asarray(many)["pid"].tolist() == [3, 2, 3]
    many[0].used_gpu_memory = 5  # an element shares the memory
    assert many.used_gpu_memory.tolist() == [5, 0, 0]
    assert repr(many) == "<3 of ProcessInfo>"
    assert repr(nvml.Utilization(gpu=1)) == "Utilization(gpu=1, memory=0)"
    empty = nvml.ProcessInfo(0)
    assert len(empty) == 0
    assert empty.pid.tolist() == list(empty) == []
    assert bool(empty)


def test_elements_keep_the_memory_alive():
    element = nvml.ProcessInfo(1000)[999]
    column = nvml.ProcessInfo(1000).pid
    part = nvml.ExcludedDeviceInfo(uuid="abc").pci_info
    gc.collect()
    element.pid = 5
    column[999] = 7
    part.bus_id = "0000:01:00.0"
    assert (element.pid, column[999], part.bus_id) == (5, 7, "0000:01:00.0")


def test_from_data_buffer_and_pointer():
    data = np.zeros(2, nvml.process_info_dtype)
    shared = nvml.ProcessInfo.from_data(data)
    shared.pid = [4, 5]
    assert data["pid"].tolist() == [4, 5]
    memory = bytearray(2 * data.itemsize)
    nvml.ProcessInfo.from_buffer(memory)[1].pid = 6
    assert nvml.ProcessInfo.from_buffer(bytes(memory)).pid.tolist() == [0, 6]
    again = nvml.ProcessInfo.from_ptr(shared.ptr, 2, owner=shared)
    assert int(again) == again.ptr == shared.ptr == data.ctypes.data
    assert again == shared
    assert again.pid.tolist() == [4, 5]


def test_read_only():
    for made in (
        nvml.ProcessInfo.from_buffer(bytes(nvml.process_info_dtype.itemsize)),
        nvml.ProcessInfo.from_ptr(nvml.ProcessInfo().ptr, readonly=True),
        nvml.ProcessInfo.from_ptr(nvml.ProcessInfo().ptr, True),
    ):
        with pytest.raises(ValueError, match="pid: this ProcessInfo is read-only"):
            made.pid = 1
        with pytest.raises(ValueError, match="read-only"):
            made[0] = nvml.ProcessInfo()
        assert not np.asarray(made).flags.writeable


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: nvml.ProcessInfo(-1), ValueError, "size must not be negative, but is -1"),
        (lambda: nvml.ProcessInfo(1 << 62), MemoryError, "structs of 24 bytes"),
        (lambda: nvml.ProcessInfo(1.5), TypeError, "float"),
        (lambda: nvml.ProcessInfo(nothing=1), TypeError, "has no field 'nothing'; its fields are pid"),
        (lambda: nvml.ProcessInfo(2)[2], IndexError, "index 2 is out of range: there are 2 of ProcessInfo"),
        (lambda: nvml.ProcessInfo(4)[::2], ValueError, "must have step 1, not 2"),
        (lambda: nvml.ProcessInfo.from_ptr(0), ValueError, "ptr must not be null"),
        (lambda: nvml.ProcessInfo.from_buffer(bytes(23)), ValueError, "structs of 24 bytes; it has 23"),
        (lambda: nvml.ProcessInfo.from_data(np.zeros(2)), ValueError, "dtype of ProcessInfo"),
        (lambda: nvml.ProcessInfo.from_data([1]), TypeError, "must be a numpy.ndarray, not list"),
        (lambda: nvml.ProcessInfo(pid=-1), OverflowError, "ProcessInfo.pid must be an int from 0 to 4294967295"),
        (lambda: nvml.PciInfo(bus_id="x" * 32), ValueError, "PciInfo.bus_id must have fewer than 32 bytes; it has 32"),
        (lambda: nvml.PciInfo(bus_id=3), TypeError, "PciInfo.bus_id must be str or bytes, not int"),
        (lambda: nvml.GpuFabricInfo_v3(cluster_uuid=bytes(15)), ValueError, "cluster_uuid takes 16 elements, not 15"),
        (lambda: nvml.ProcessDetailList_v1(proc_array=nvml.ProcessInfo(1)), TypeError, "must be ProcessDetail_v1"),
        (lambda: setattr(nvml.ProcessInfo(2), "pid", [1, 2, 3]), ValueError, "broadcast"),
    ],
)
def test_misuse_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_array_and_pointer_fields():
    chips = nvml.BridgeChipHierarchy(bridge_chip_info=nvml.BridgeChipInfo(2))
    assert (chips.bridge_count, len(chips.bridge_chip_info)) == (2, 2)
    chips.bridge_chip_info[1].fw_version = 9
    assert chips.bridge_chip_info.fw_version.tolist() == [0, 9]
    certificate = nvml.ConfComputeGpuCertificate(cert_chain=[1, 2, 3])
    assert (certificate.cert_chain.tolist(), certificate.cert_chain_size) == ([1, 2, 3], 3)
    fabric = nvml.GpuFabricInfo_v3(cluster_uuid=bytes(range(16)))
    assert fabric.cluster_uuid.tobytes() == bytes(range(16))
    fabric.cluster_uuid[0] = 200  # a view
    assert fabric.cluster_uuid[0] == 200
    processes = nvml.ProcessDetailList_v1(proc_array=nvml.ProcessDetail_v1(3))
    gc.collect()
    processes.proc_array.pid = [7, 8, 9]
    assert processes.num_proc_array_entries == 3
    assert [one.pid for one in processes.proc_array] == [7, 8, 9]
    ids = nvml.VgpuTypeIdInfo_v1(vgpu_type_ids=[4, 5])
    gc.collect()
    assert (ids.vgpu_count, ids.vgpu_type_ids) == (2, [4, 5])
    ids.vgpu_type_ids = None
    assert (ids.vgpu_count, ids.vgpu_type_ids) == (0, [])


def test_failed_assignment_changes_nothing():
    fabric = nvml.GpuFabricInfo_v3(cluster_uuid=bytes(range(16)))
    with pytest.raises(TypeError, match=r"GpuFabricInfo_v3\.cluster_uuid"):
        fabric.cluster_uuid = [*range(100, 115), "x"]
    assert fabric.cluster_uuid.tolist() == list(range(16))


def test_pickle_and_copy():
    many = nvml.ProcessInfo(2)
    many.pid = [1, 2]
    for again in (pickle.loads(pickle.dumps(many)), copy.copy(many), copy.deepcopy(many)):
        assert again == many
        again[0].pid = 5
        assert many[0].pid == 1
    assert many != nvml.ProcessInfo(2)
    assert many != many[:1]
    with pytest.raises(TypeError, match=r"ProcessDetailList_v1 holds addresses of this process \(proc_array\)"):
        pickle.dumps(nvml.ProcessDetailList_v1())
    for error in (nvml.NotFoundError(6), cufile.cuFileError(5011, 3)):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.status) == (type(error), str(error), error.status)


def test_exceptions():
    assert nvml.TimeoutError is nvml.NvmlTimeoutError
    assert issubclass(nvml.TimeoutError, nvml.NvmlError)
    with pytest.raises(nvml.NotFoundError, match=r"ERROR_NOT_FOUND \(6\)|NOT_FOUND \(6\)") as caught:
        nvml.check_status(nvml.Return.ERROR_NOT_FOUND)
    assert caught.value.status == 6
    assert nvml.check_status(0) == nvml.check_status_size(7) == 0
    with pytest.raises(nvml.NvmlError, match="12345"):
        nvml.check_status_size(12345)
    error = cufile.cuFileError(5011, 3)
    assert (error.status, error.cuda_error) == (5011, 3)
    assert "CUDA_DRIVER_ERROR (5011); CUDA status: CUDA_ERROR_NOT_INITIALIZED (3)" in str(error)
    assert cufile.op_status_error(5001) == "driver not initialized"
    assert cufile.op_status_error(7) == "unknown cufile error"


ASK_THE_CPU_DEVICE = """
from cuda.bindings import nvml
nvml.init_v2()
device = nvml.device_get_handle_by_index_v2(0)
assert nvml.device_get_count_v2() == 1
assert nvml.device_get_memory_info_v2(device).total > 0
try:
    nvml.device_get_handle_by_index_v2(99)
except nvml.InvalidArgumentError as error:
    print(nvml.device_get_uuid(device)[:4], error.status)
nvml.shutdown()
"""


def test_the_nvml_of_the_cpu_device():
    environment = os.environ | {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_DEVICES": "1"}
    done = subprocess.run(
        [sys.executable, "-c", ASK_THE_CPU_DEVICE], capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.stdout.split() == ["GPU-", "2"], done.stderr


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: nvml.device_get_handle_by_index_v2(-1), OverflowError, "device_get_handle_by_index_v2: index must be"),
        (lambda: nvml.device_get_name("gpu"), TypeError, "device_get_name: device must be an int"),
        (lambda: nvml.device_get_name(None), TypeError, "device_get_name: device must be an int"),
        (lambda: nvml.device_get_name(1.5), TypeError, "device_get_name: device must be an int"),
        (lambda: nvml.device_get_handle_by_uuid(3), TypeError, "device_get_handle_by_uuid: uuid must be str, bytes"),
        (lambda: nvml.device_get_handle_by_uuid("a\0b"), ValueError, "uuid must not contain a NUL"),
        (lambda: nvml.device_get_temperature_v(1, []), TypeError, "device_get_temperature_v: sensorType must be"),
        (lambda: nvml.device_set_clock_offsets(1, nvml.PciInfo()), TypeError, "info must be ClockOffset_v1, its"),
        (lambda: nvml.device_get_field_values(1, 3), TypeError, "values must be FieldValue or a list"),
        (lambda: nvml.device_get_field_values(1, [(1, 2) * 9]), ValueError, r"values\[0\] has 18 values"),
        (lambda: cufile.read(1, bytearray(4), 8, 0, 0), ValueError, "read: buf_ptr_base has 4 bytes, but 8 are needed"),
        (lambda: cufile.read(1, bytes(8), "8", 0, 0), TypeError, "read: size must be an int"),
        (lambda: cufile.get_stats_l1(None), TypeError, "get_stats_l1: stats must be StatsLevel1 or its address"),
        (lambda: cufile.batch_io_submit(1, 2, cufile.IOParams(1), 0), ValueError, "iocbp has 64 bytes, but 128 are"),
        (lambda: cufile.read_async(1, 2, object(), 0, 0, 0, 0), TypeError, "read_async: size_p must be an address"),
    ],
)
def test_bad_arguments_are_named(call, error, words):
    """The library is not even opened."""
    with pytest.raises(error, match=words):
        call()


def test_addresses_and_handles_by_int_protocol():
    """What converts by __int__ is a handle; a float is none."""

    class Handle:
        def __int__(self):
            return -1

    with pytest.raises(OverflowError, match="device_get_name: device must be an int from 0"):
        nvml.device_get_name(Handle())
