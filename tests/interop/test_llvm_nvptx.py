# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PTX that LLVM's NVPTX back-end writes (llvmlite has it), launched by cuda.core and by the driver's C interface."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

llvm = pytest.importorskip("llvmlite.binding", reason="llvmlite is not installed: pip install llvmlite")

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, ObjectCode, launch  # noqa: E402

HEAD = """target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare float @llvm.sqrt.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.fshl.i64(i64, i64, i64)
"""
ARCHES = ["sm_70", "sm_80", "sm_90", "sm_100", "sm_120"]


@pytest.fixture(scope="module", autouse=True)
def _targets():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@pytest.fixture(autouse=True)
def _device_is_new_enough(request, device):
    arch = request.node.callspec.params.get("arch") if hasattr(request.node, "callspec") else None
    if arch and int(arch.removeprefix("sm_")) > int(device.arch):
        pytest.skip(f"the PTX is for {arch}, the device is an sm_{device.arch}")


def to_ptx(ir: str, arch: str, opt: int = 3) -> bytes:
    """Compile LLVM IR; a back-end that does not know an architecture skips the test."""
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    text = target.create_target_machine(cpu=arch, opt=opt).emit_assembly(llvm.parse_assembly(HEAD + ir))
    if f".target {arch}" not in text:
        pytest.skip(f"this LLVM has no {arch}")
    return text.encode()


def on_device(stream, array: np.ndarray) -> tuple[object, np.ndarray]:
    """Return memory that host and device reach, with a copy of an array."""
    buffer = LegacyPinnedMemoryResource().allocate(array.nbytes, stream=stream)
    seen = np.from_dlpack(buffer).view(array.dtype).reshape(array.shape)
    seen[...] = array
    return buffer, seen


SAXPY = """
define ptx_kernel void @saxpy(float %a, ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %b, %d
  %i = add i32 %first, %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %end
work:
  %from = getelementptr float, ptr addrspace(1) %x, i32 %i
  %to = getelementptr float, ptr addrspace(1) %y, i32 %i
  %value = load float, ptr addrspace(1) %from
  %old = load float, ptr addrspace(1) %to
  %new = call float @llvm.fma.f32(float %a, float %value, float %old)
  store float %new, ptr addrspace(1) %to
  br label %end
end:
  ret void
}
"""


@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("arch", ARCHES)
def test_saxpy(stream, arch, opt):
    (x, values), (y, result) = on_device(stream, np.arange(1000, dtype="f4")), on_device(stream, np.ones(1024, "f4"))
    kernel = ObjectCode.from_ptx(to_ptx(SAXPY, arch, opt)).get_kernel("saxpy")
    launch(stream, LaunchConfig(grid=4, block=256), kernel, 2.5, x, y, 1000)
    stream.sync()
    np.testing.assert_array_equal(result, [*(2.5 * values + 1), *[1] * 24])


@pytest.mark.cpu_only
def test_saxpy_by_the_c_interface():
    import cuda.cpu

    driver = ctypes.CDLL(cuda.cpu.library_path())

    def call(name, *args):
        assert getattr(driver, name)(*args) == 0, name

    context, module, function, x, y = (ctypes.c_void_p() for _ in range(5))
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxPushCurrent_v2", context)
    call("cuModuleLoadData", ctypes.byref(module), to_ptx(SAXPY, "sm_80") + b"\0")
    call("cuModuleGetFunction", ctypes.byref(function), module, b"saxpy")
    values = np.arange(1000, dtype=np.float32)
    for pointer in (x, y):
        call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(4000))
        call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(4000))
    numbers = ctypes.c_float(2), x, y, ctypes.c_int(1000)
    pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(number) for number in numbers))
    call("cuLaunchKernel", function, 4, 1, 1, 256, 1, 1, 0, None, pointers, None)
    call("cuMemcpyDtoH_v2", ctypes.c_void_p(values.ctypes.data), y, ctypes.c_size_t(4000))
    np.testing.assert_array_equal(values, np.arange(1000) * 3)
    for pointer in (x, y):
        call("cuMemFree_v2", pointer)
    call("cuModuleUnload", module)
    call("cuCtxPopCurrent_v2", None)
    call("cuDevicePrimaryCtxRelease_v2", 0)


@pytest.mark.parametrize("arch", ARCHES)
def test_a_reduction_in_shared_memory(stream, arch):
    ir = """
@room = internal addrspace(3) global [128 x float] undef, align 4
define ptx_kernel void @total(ptr addrspace(1) %x, ptr addrspace(1) %sum) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 128
  %i = add i32 %first, %t
  %from = getelementptr float, ptr addrspace(1) %x, i32 %i
  %value = load float, ptr addrspace(1) %from
  %mine = getelementptr [128 x float], ptr addrspace(3) @room, i32 0, i32 %t
  store float %value, ptr addrspace(3) %mine
  br label %loop
loop:
  %step = phi i32 [ 64, %entry ], [ %half, %next ]
  call void @llvm.nvvm.barrier0()
  %works = icmp ult i32 %t, %step
  br i1 %works, label %add, label %next
add:
  %other = add i32 %t, %step
  %address = getelementptr [128 x float], ptr addrspace(3) @room, i32 0, i32 %other
  %there = load float, ptr addrspace(3) %address
  %here = load float, ptr addrspace(3) %mine
  %both = fadd float %there, %here
  store float %both, ptr addrspace(3) %mine
  br label %next
next:
  %half = lshr i32 %step, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %end
end:
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %write, label %out
write:
  %result = load float, ptr addrspace(3) @room
  %old = atomicrmw fadd ptr addrspace(1) %sum, float %result seq_cst
  br label %out
out:
  ret void
}
"""
    (x, values), (total, seen) = on_device(stream, np.arange(512, dtype="f4")), on_device(stream, np.zeros(1, "f4"))
    launch(stream, LaunchConfig(grid=4, block=128), ObjectCode.from_ptx(to_ptx(ir, arch)).get_kernel("total"), x, total)
    stream.sync()
    assert seen[0] == values.sum()


VALUES = """
%pair = type { i32, double }
@table = internal addrspace(4) constant [4 x i16] [i16 3, i16 -5, i16 7, i16 900]
define internal i64 @mix(i64 %a, i64 %b) noinline {
  %c = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 13)
  %d = mul i64 %c, 6364136223846793005
  %e = udiv i64 %d, 1000003
  ret i64 %e
}
define ptx_kernel void @values(ptr byval(%pair) %p, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %second = getelementptr %pair, ptr %p, i32 0, i32 1
  %n = load i32, ptr %p
  %x = load double, ptr %second
  %row = getelementptr [6 x i64], ptr addrspace(1) %out, i32 %t
  %wide = zext i32 %t to i64
  %mixed = call i64 @mix(i64 %wide, i64 -2)
  store i64 %mixed, ptr addrspace(1) %row, align 8
  %bits = call i32 @llvm.ctpop.i32(i32 %t)
  %flipped = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %bits, i32 5, i32 31)
  %sum = add i32 %flipped, %n
  %sum64 = sext i32 %sum to i64
  %p1 = getelementptr i64, ptr addrspace(1) %row, i32 1
  store i64 %sum64, ptr addrspace(1) %p1, align 8
  %low = and i32 %t, 3
  %entry = getelementptr [4 x i16], ptr addrspace(4) @table, i32 0, i32 %low
  %small = load i16, ptr addrspace(4) %entry
  %big = sext i16 %small to i64
  %p2 = getelementptr i64, ptr addrspace(1) %row, i32 2
  store i64 %big, ptr addrspace(1) %p2, align 8
  %f = uitofp i32 %t to float
  %root = call float @llvm.sqrt.f32(float %f)
  %h = fptrunc float %root to half
  %back = fpext half %h to double
  %scaled = fmul double %back, %x
  %as64 = bitcast double %scaled to i64
  %p3 = getelementptr i64, ptr addrspace(1) %row, i32 3
  store i64 %as64, ptr addrspace(1) %p3, align 8
  switch i32 %low, label %other [ i32 0, label %zero
                                  i32 3, label %three ]
zero:
  br label %join
three:
  br label %join
other:
  br label %join
join:
  %chosen = phi i64 [ 11, %zero ], [ 22, %three ], [ 33, %other ]
  %p4 = getelementptr i64, ptr addrspace(1) %row, i32 4
  store i64 %chosen, ptr addrspace(1) %p4, align 8
  %a128 = sext i64 %mixed to i128
  %square = mul i128 %a128, %a128
  %high = lshr i128 %square, 64
  %h64 = trunc i128 %high to i64
  %p5 = getelementptr i64, ptr addrspace(1) %row, i32 5
  store i64 %h64, ptr addrspace(1) %p5, align 8
  ret void
}
"""


@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("arch", ARCHES)
def test_what_all_integers_structs_and_calls_become(stream, arch, opt):
    kernel = ObjectCode.from_ptx(to_ptx(VALUES, arch, opt)).get_kernel("values")
    assert [tuple(parameter) for parameter in kernel.arguments_info] == [(0, 16), (16, 8)]
    buffer, seen = on_device(stream, np.zeros((32, 6), np.int64))
    pair = np.array((-7, 2.5), np.dtype([("n", "i4"), ("x", "f8")], align=True))
    launch(stream, LaunchConfig(grid=1, block=32), kernel, pair[()], buffer)
    stream.sync()
    for t, row in enumerate(seen.tolist()):
        shifted = (t << 13 | (2**64 - 2) >> 51) % 2**64
        mixed = shifted * 6364136223846793005 % 2**64 // 1000003
        root = float(np.float16(np.sqrt(np.float32(t))))
        expected = [mixed, (t ^ 5).bit_count() - 7, (3, -5, 7, 900)[t & 3]]
        expected += [int(np.float64(root * 2.5).view("i8")), (11, 33, 33, 22)[t & 3], mixed * mixed >> 64]
        assert row == expected


def test_ptx_for_later_devices(request):
    """The tests above that are skipped on the CPU device as it is by default run on one of compute capability 12.0."""
    if request.config.getoption("--driver") == "nvidia" or os.environ.get("CUDA_CPU_CAPABILITY"):
        pytest.skip("the device is what it is")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "sm_100 or sm_120"]
    done = subprocess.run(command, env=os.environ | {"CUDA_CPU_CAPABILITY": "12.0"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout
