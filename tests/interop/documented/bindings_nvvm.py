# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVVM IR to PTX to a launch; a fat binary of two versions."""

import numpy as np
from common import check, outcome
from driver_kernels import begin

from cuda.bindings import driver, nvvm

begin()
major, minor, *_ = nvvm.ir_version()
IR = f"""
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
define void @set(i32* %p) {{
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %x to i64
  %q = getelementptr i32, i32* %p, i64 %i
  store i32 %x, i32* %q
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{{!0}}
!0 = !{{void (i32*)* @set, !"kernel", i32 1}}
!nvvmir.version = !{{!1}}
!1 = !{{i32 {major}, i32 {minor}}}
"""
program = nvvm.create_program()
nvvm.add_module_to_program(program, IR.encode(), len(IR), "set.ll")
print(outcome(nvvm.verify_program, program, 0, []))
print(outcome(nvvm.compile_program, program, 1, ["-arch=compute_75"]))
text = bytearray(nvvm.get_compiled_result_size(program))
nvvm.get_compiled_result(program, text)
print(b".entry set" in bytes(text))
module = check(driver.cuModuleLoadData(bytes(text)))
kernel = check(driver.cuModuleGetFunction(module, b"set"))
memory = check(driver.cuMemAlloc(32))
check(driver.cuLaunchKernel(kernel, 1, 1, 1, 8, 1, 1, 0, 0, ((memory,), (None,)), 0))
host = np.zeros(8, np.int32)
check(driver.cuMemcpyDtoH(host.ctypes.data, memory, 32))
print(host)
nvvm.destroy_program(program)
print(outcome(nvvm.compile_program, 0, 0, []), nvvm.Result.SUCCESS, outcome(nvvm.create_program) != 0)
