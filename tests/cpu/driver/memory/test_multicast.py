# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Multicast objects, and the multimem instructions of PTX on them."""

from __future__ import annotations

import contextlib
import ctypes

import kernels
import ml_dtypes
import numpy as np
import pytest
from graph_calls import at
from test_device import in_new_process
from test_virtual_memory import PAGE, access, mapped, properties, reserved

from cuda.cpu import abi, driver

OBJECT = abi.CUmulticastObjectProp


@pytest.fixture
def multicast(context):
    """An object of two granules for one device."""
    handle = driver.cuMulticastCreate(at(OBJECT(numDevices=1, size=2 * PAGE)))
    driver.cuMulticastAddDevice(handle, 0)
    yield handle
    driver.cuMemRelease(handle)


@contextlib.contextmanager
def memory(size: int = PAGE):
    handle = driver.cuMemCreate(size, properties(), 0)
    try:
        yield handle
    finally:
        driver.cuMemRelease(handle)


def run(code: str, *arguments: int) -> None:
    """Run PTX with 64-bit parameters %rd1, %rd2 ... by 32 threads; %t is the thread."""
    names = [f"p{pointer}" for pointer in range(len(arguments))]
    loads = " ".join(f"ld.param.u64 %rd{pointer}, [{name}];" for pointer, name in enumerate(names, 1))
    text = f"""
    .visible .entry k({", ".join(f".param .u64 {name}" for name in names)})
    {{
        .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b16 %h<20>; .reg .b32 %t; .reg .pred %p<3>;
        .shared .align 16 .b8 room[512];
        {loads} mov.u32 %t, %tid.x;
        {code}
        ret;
    }}"""
    with kernels.loaded(text) as module:
        kernels.run(module, "k", *map(ctypes.c_uint64, arguments), block=(32, 1, 1))
        driver.cuCtxSynchronize()


def test_accesses_reach_the_bound_memory(multicast):
    with memory() as first, memory() as second, reserved(4 * PAGE) as start:
        driver.cuMulticastBindMem(multicast, 0, first, 0, PAGE, 0)
        with mapped(start, multicast, 2 * PAGE), mapped(start + 2 * PAGE, first), mapped(start + 3 * PAGE, second):
            driver.cuMulticastBindAddr(multicast, PAGE, start + 3 * PAGE, PAGE, 0)
            code = "mad.wide.u32 %rd1, %t, 4, %rd1; multimem.st.global.u32 [%rd1], %t;"
            run(code, start + 64)
            run(code, start + PAGE + 128)
            assert kernels.read(start + 2 * PAGE + 64 + 4 * 5) == 5
            assert kernels.read(start + 3 * PAGE + 128 + 4 * 31) == 31
            driver.cuMulticastUnbind(multicast, 0, 0, PAGE)
            driver.cuMulticastUnbind(multicast, 0, PAGE, PAGE)


def test_bound_memory_lives_as_long_as_the_object(context):
    handle = driver.cuMulticastCreate(at(OBJECT(numDevices=1, size=PAGE)))
    driver.cuMulticastAddDevice(handle, 0)
    free = driver.cuMemGetInfo()[0]
    with memory() as bound:
        driver.cuMulticastBindMem(handle, 0, bound, 0, PAGE, 0)
    assert driver.cuMemGetInfo()[0] == free - PAGE
    with reserved(PAGE) as start:
        driver.cuMemMap(start, PAGE, 0, handle, 0)
        driver.cuMemRelease(handle)
        access(start, PAGE, abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        run("mov.u32 %r1, 9; multimem.st.global.u32 [%rd1], %r1; multimem.ld_reduce.global.add.u32 %r2, [%rd1]; "
            "setp.ne.u32 %p1, %r2, 9; @%p1 trap;", start)  # fmt: skip
        assert driver.cuMemGetInfo()[0] == free - PAGE
        driver.cuMemUnmap(start, PAGE)
    assert driver.cuMemGetInfo()[0] == free


def test_ordinary_accesses_of_a_multicast_address_are_rejected(multicast, refused):
    with reserved(2 * PAGE) as start, mapped(start, multicast, 2 * PAGE):
        with refused("INVALID_VALUE"):
            driver.cuMemsetD32(start, 1, 1)
        with refused("INVALID_VALUE", "no live device pointer"):
            driver.cuMulticastBindAddr(multicast, 0, start, PAGE, 0)


def test_an_address_without_memory_is_a_fault():
    code = """
import ctypes, kernels
from cuda.cpu import abi
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
pointer = driver.cuMemAlloc(4 << 20)
text = '''.visible .entry k(.param .u64 p) { .reg .b64 %rd1; .reg .b32 %r1; ld.param.u64 %rd1, [p];
        multimem.ld_reduce.global.add.u32 %r1, [%rd1]; ret; }'''
try:
    with kernels.loaded(text) as module:
        kernels.run(module, "k", ctypes.c_uint64(pointer + (2 << 20)))
        driver.cuCtxSynchronize()
except CudaError as error:
    print(error.status == abi.CUDA_ERROR_ILLEGAL_ADDRESS)
"""
    assert in_new_process(code) == "True"


def test_devices_share_an_object():
    """Two devices bind memory; a kernel on the first one stores to both and reduces over both."""
    code = """
import ctypes, kernels
from graph_calls import at
from test_virtual_memory import PAGE, access, properties
from cuda.cpu import abi
driver.cuInit(0)
contexts = [driver.cuDevicePrimaryCtxRetain(number) for number in (0, 1)]
driver.cuCtxSetCurrent(contexts[0])
object_ = driver.cuMulticastCreate(at(abi.CUmulticastObjectProp(numDevices=2, size=PAGE)))
memories = []
for number in (0, 1):
    driver.cuMulticastAddDevice(object_, number)
    given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    given.location.type, given.location.id = abi.CU_MEM_LOCATION_TYPE_DEVICE, number
    memories.append(driver.cuMemCreate(PAGE, at(given), 0))
start = driver.cuMemAddressReserve(3 * PAGE, 0, 0, 0)
for number, handle in enumerate((object_, *memories)):
    driver.cuMemMap(start + number * PAGE, PAGE, 0, handle, 0)
access(start, 3 * PAGE, abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
driver.cuMulticastBindMem(object_, 0, memories[0], 0, PAGE, 0)
try:
    driver.cuMulticastBindMem_v2(object_, 0, 0, memories[1], 0, PAGE, 0)
except CudaError as error:
    print("of device 0" in str(error) or "bound in the range" in str(error))
driver.cuMulticastBindAddr(object_, 0, start + 2 * PAGE, PAGE, 0)
text = '''.visible .entry k(.param .u64 p, .param .u64 out) { .reg .b64 %rd<3>; .reg .b32 %r<3>; ld.param.u64 %rd1, [p];
        ld.param.u64 %rd2, [out]; mov.u32 %r1, 21; multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;
        multimem.ld_reduce.acquire.sys.global.add.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r2; ret; }'''
out = ctypes.c_uint32()
with kernels.loaded(text) as module:
    kernels.run(module, "k", ctypes.c_uint64(start), ctypes.c_uint64(ctypes.addressof(out)))
    driver.cuCtxSynchronize()
print(out.value, kernels.read(start + PAGE), kernels.read(start + 2 * PAGE))
"""
    assert in_new_process(code, CUDA_CPU_DEVICES="2").split() == ["True", "42", "21", "21"]


def test_wrong_calls(multicast, refused):
    with refused("INVALID_VALUE", "multiple of the granularity"):
        driver.cuMulticastCreate(at(OBJECT(numDevices=1, size=PAGE + 4096)))
    with refused("INVALID_VALUE", "numDevices is 0"):
        driver.cuMulticastCreate(at(OBJECT(numDevices=0, size=PAGE)))
    with refused("NOT_SUPPORTED", "handleTypes is 1"):
        driver.cuMulticastGetGranularity(at(OBJECT(numDevices=1, size=PAGE, handleTypes=1)), 0)
    with refused("INVALID_VALUE", "no CUmulticastGranularity_flags"):
        driver.cuMulticastGetGranularity(at(OBJECT(numDevices=1, size=PAGE)), 7)
    with refused("INVALID_VALUE", "is there already"):
        driver.cuMulticastAddDevice(multicast, 0)
    with refused("INVALID_DEVICE"):
        driver.cuMulticastAddDevice(multicast, 99)
    waiting = driver.cuMulticastCreate(at(OBJECT(numDevices=2, size=PAGE)))
    with memory() as given:
        with refused("INVALID_VALUE", "no multicast object"):
            driver.cuMulticastAddDevice(given, 0)
        with refused("INVALID_VALUE", "0 of 2 devices are added"):
            driver.cuMulticastBindMem(waiting, 0, given, 0, PAGE, 0)
        with refused("INVALID_VALUE", "are beyond"):
            driver.cuMulticastBindMem(multicast, 2 * PAGE, given, 0, PAGE, 0)
        with refused("INVALID_VALUE", "beyond the memory"):
            driver.cuMulticastBindMem(multicast, 0, given, PAGE, PAGE, 0)
        driver.cuMulticastBindMem(multicast, 0, given, 0, PAGE, 0)
        with refused("INVALID_VALUE", "has memory bound in the range already"):
            driver.cuMulticastBindMem(multicast, 0, given, 0, PAGE, 0)
    with refused("INVALID_VALUE", "has not bound"):
        driver.cuMulticastUnbind(multicast, 0, PAGE, PAGE)
    driver.cuMemRelease(waiting)
    assert driver.cuMulticastGetGranularity(at(OBJECT(numDevices=1, size=PAGE)), 1) == PAGE


# --- several copies: one device may bind what the tests of the instructions need in tables of their own ------


COPIES = 3


@pytest.fixture
def copies(context):
    """Yield an address of a multicast object, and NumPy arrays of the memory of each copy.

    One CPU device stands for three: the object is made to believe that it has them.
    """
    from cuda.cpu.driver.memory import multicast

    handle = driver.cuMulticastCreate(at(OBJECT(numDevices=COPIES, size=PAGE)))
    given = multicast._find(handle)
    arrays = [np.zeros(PAGE, np.uint8) for _ in range(COPIES)]
    for number, array in enumerate(arrays):
        given.devices.append(number)
        given.bindings[number] = [multicast.Binding(0, PAGE, array.ctypes.data, None)]
    given.write_tables(0, PAGE)
    with reserved(PAGE) as start, mapped(start, handle):
        yield start, arrays
    driver.cuMemRelease(handle)


KINDS = {
    "u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64, "b32": np.uint32, "b64": np.uint64,
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "f16x2": np.float16, "bf16": ml_dtypes.bfloat16,
    "bf16x2": ml_dtypes.bfloat16,
}  # fmt: skip
OPERATIONS = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}  # fmt: skip
random = np.random.default_rng(31)


def numbers(kind: type, count: int) -> np.ndarray:
    if np.dtype(kind).kind in "iu":
        info = np.iinfo(kind)
        return random.integers(info.min, info.max, count, dtype=kind, endpoint=True)
    return (random.standard_normal(count) * 8).astype(kind)


def shape(type_: str, vec: str) -> tuple[str, str, int, int]:
    """Return a lane's registers in braces, their declaration, the bytes of each, and the number of registers."""
    size = np.dtype(KINDS[type_]).itemsize * (2 if type_.endswith("x2") else 1)
    count = int(vec[2:] or 1) if vec else 1
    names = [f"%v{number}" for number in range(count)]
    return "{" + ", ".join(names) + "}" if vec else names[0], f".reg .b{8 * size} {', '.join(names)};", size, count


LOADS = [("", "u32"), ("", "s64"), ("", "b64"), ("", "f32"), ("", "f64"), ("", "f16x2"), ("", "bf16x2")]
LOADS += [(".v4", "f32"), (".v2", "f16"), (".v4", "bf16x2"), (".v8", "f16")]


def combined(values: list[np.ndarray], op: str, wide: bool = False) -> np.ndarray:
    found = values[0].astype(np.float32) if wide else values[0]
    for value in values[1:]:
        found = OPERATIONS[op](found, value.astype(found.dtype)).astype(found.dtype)
    return found.astype(values[0].dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("vec", "type_"), LOADS)
def test_loads_combine_all_copies(copies, vec, type_):
    start, arrays = copies
    kind = KINDS[type_]
    names, declared, size, count = shape(type_, vec)
    total = 32 * size * count
    values = [numbers(kind, total // np.dtype(kind).itemsize) for _ in arrays]
    for array, value in zip(arrays, values, strict=True):
        array[:total] = value.view(np.uint8)
    operations = ["and", "or", "xor"] if type_[0] == "b" and type_ in ("b32", "b64") else ["add", "min", "max"]
    if type_ in ("f32", "f64") or type_ == "s64":
        operations = operations[:1] if type_ != "s64" else operations[1:]
    for op in operations:
        for wide in [False, True] if "f16" in type_ else [False]:
            word = ".acc::f32" if wide else ""
            out = np.zeros(total, np.uint8)
            stores = " ".join(f"st.global.b{8 * size} [%rd2+{size * number}], %v{number};" for number in range(count))
            run(
                f"{declared} mad.wide.u32 %rd1, %t, {size * count}, %rd1; mad.wide.u32 %rd2, %t, {size * count}, %rd2;"
                f"multimem.ld_reduce.relaxed.sys.global.{op}{word}{vec}.{type_} {names}, [%rd1]; {stores}",
                start, out.ctypes.data,
            )  # fmt: skip
            np.testing.assert_array_equal(out, combined(values, op, wide).view(np.uint8))


STORES = [("", "u32"), ("", "b64"), (".v4", "f32"), ("", "f64"), (".v2", "bf16x2"), (".v8", "f16"), ("", "s64")]


@pytest.mark.parametrize(("vec", "type_"), STORES)
def test_stores_go_to_all_copies(copies, vec, type_):
    start, arrays = copies
    names, declared, size, count = shape(type_, vec)
    total = 32 * size * count
    values = random.integers(0, 256, total).astype(np.uint8)
    loads = " ".join(f"ld.global.b{8 * size} %v{number}, [%rd2+{size * number}];" for number in range(count))
    step = f"mad.wide.u32 %rd1, %t, {size * count}, %rd1; mad.wide.u32 %rd2, %t, {size * count}, %rd2;"
    run(
        f"{declared} {step} {loads} multimem.st.release.sys.global{vec}.{type_} [%rd1], {names};",
        start, values.ctypes.data,
    )  # fmt: skip
    for array in arrays:
        np.testing.assert_array_equal(array[:total], values)


REDUCTIONS = [("", "u32", op) for op in ("add", "min", "max")] + [("", "s64", "min"), ("", "s32", "max")]
REDUCTIONS += [("", "b32", "and"), ("", "b64", "xor"), ("", "b32", "or"), ("", "f32", "add"), ("", "f64", "add")]
REDUCTIONS += [(".v4", "f32", "add"), ("", "f16x2", "add"), (".v4", "bf16x2", "add"), (".v8", "f16", "add")]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("vec", "type_", "op"), REDUCTIONS)
def test_reductions_change_all_copies(copies, vec, type_, op):
    start, arrays = copies
    kind = KINDS[type_]
    names, declared, size, count = shape(type_, vec)
    total = 32 * size * count
    length = total // np.dtype(kind).itemsize
    values, operand = [numbers(kind, length) for _ in arrays], numbers(kind, length)
    for array, value in zip(arrays, values, strict=True):
        array[:total] = value.view(np.uint8)
    loads = " ".join(f"ld.global.b{8 * size} %v{number}, [%rd2+{size * number}];" for number in range(count))
    step = f"mad.wide.u32 %rd1, %t, {size * count}, %rd1; mad.wide.u32 %rd2, %t, {size * count}, %rd2;"
    run(
        f"{declared} {step} {loads} multimem.red.relaxed.gpu.global.{op}{vec}.{type_} [%rd1], {names};",
        start, operand.ctypes.data,
    )  # fmt: skip
    for array, value in zip(arrays, values, strict=True):
        np.testing.assert_array_equal(array[:total], combined([value, operand], op).view(np.uint8))


def test_copies_of_blocks_of_memory(copies):
    start, arrays = copies
    values = random.integers(0, 256, 512).astype(np.uint8)
    fill = "mad.wide.u32 %rd3, %t, 16, %rd2; ld.global.v2.b64 {%rd4, %rd5}, [%rd3]; mov.u32 %r1, room;"
    fill += "mad.lo.u32 %r2, %t, 16, %r1; st.shared.v2.b64 [%r2], {%rd4, %rd5}; bar.warp.sync -1;"
    only = "setp.eq.u32 %p1, %t, 0; mov.b16 %h1, 0x0F01;"
    run(f"{fill} {only} @%p1 multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 512;",
        start + 1024, values.ctypes.data)  # fmt: skip
    run(f"{fill} {only} @%p1 multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 512, %h1;",
        start + 2048, values.ctypes.data)  # fmt: skip
    masked = np.where(np.arange(512) % 16 == 0, values, 0) + np.where(np.arange(512) % 16 // 4 == 2, values, 0)
    for array in arrays:
        np.testing.assert_array_equal(array[1024:1536], values)
        np.testing.assert_array_equal(array[2048:2560], masked)


@pytest.mark.parametrize(
    ("op", "type_"),
    [("add", "f32"), ("add.noftz", "f16"), ("min", "s64"), ("xor", "b64"), ("inc", "u32"), ("max", "bf16")],
)
def test_bulk_reductions(copies, op, type_):
    start, arrays = copies
    kind = KINDS[type_]
    length = 512 // np.dtype(kind).itemsize
    operand, values = numbers(kind, length), [numbers(kind, length) for _ in arrays]
    for array, value in zip(arrays, values, strict=True):
        array[:512] = value.view(np.uint8)
    run(
        "mad.wide.u32 %rd3, %t, 16, %rd2; ld.global.v2.b64 {%rd4, %rd5}, [%rd3]; mov.u32 %r1, room;"
        "mad.lo.u32 %r2, %t, 16, %r1; st.shared.v2.b64 [%r2], {%rd4, %rd5}; bar.warp.sync -1; setp.eq.u32 %p1, %t, 0;"
        f"@%p1 multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{type_} [%rd1], [%r1], 512;",
        start, operand.ctypes.data,
    )  # fmt: skip
    for array, value in zip(arrays, values, strict=True):
        if op == "inc":
            wanted = np.where(value >= operand, 0, value + 1).astype(kind)
        else:
            wanted = combined([value, operand], op.partition(".")[0])
        np.testing.assert_array_equal(array[:512], wanted.view(np.uint8))
