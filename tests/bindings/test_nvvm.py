# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""libNVVM and nvFatbin: NVVM IR becomes PTX, PTX a fat binary, and failures raise."""

import pytest

from cuda.bindings import nvfatbin, nvvm

# The dialect of targets before compute_100, which has typed pointers.
IR = """
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @store_seven(i32* %p) {
  store i32 7, i32* %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @store_seven, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"""  # noqa: E501
OPTIONS = ["-arch=compute_90"]


@pytest.fixture
def program():
    made = nvvm.create_program()
    yield made
    nvvm.destroy_program(made)


def log_of(program):
    log = bytearray(nvvm.get_program_log_size(program))
    nvvm.get_program_log(program, log)
    return log.rstrip(b"\0").decode()


@pytest.fixture
def ptx():
    if not nvvm.version() >= (2, 0):
        pytest.skip(f"libNVVM {nvvm.version()} does not know compute_90")
    program = nvvm.create_program()
    nvvm.add_module_to_program(program, IR.encode(), len(IR), "store.ll")
    nvvm.verify_program(program, len(OPTIONS), OPTIONS)
    nvvm.compile_program(program, len(OPTIONS), OPTIONS)
    result = bytearray(nvvm.get_compiled_result_size(program))
    nvvm.get_compiled_result(program, result)
    nvvm.destroy_program(program)
    return bytes(result)


@pytest.mark.needs_nvvm
def test_nvvm_ir_becomes_ptx(ptx):
    assert b".visible .entry store_seven" in ptx
    assert b".target sm_90" in ptx


@pytest.mark.needs_nvvm
@pytest.mark.needs_nvfatbin
def test_versions_are_tuples():
    assert len(nvvm.version()) == 2
    assert len(nvvm.ir_version()) == 4


def test_version_of_llvm():
    try:
        nvvm.llvm_version("compute_90")
    except RuntimeError as error:
        pytest.skip(str(error))
    assert nvvm.llvm_version("compute_100") > nvvm.llvm_version("compute_90")


@pytest.mark.needs_nvvm
def test_compile_errors_raise_with_their_status(program):
    text = b"this is no IR"
    nvvm.add_module_to_program(program, text, len(text), None)
    with pytest.raises(nvvm.nvvmError, match=r"ERROR_INVALID_IR|ERROR_COMPILATION") as caught:
        nvvm.verify_program(program, len(OPTIONS), OPTIONS)
    assert nvvm.get_error_string(caught.value.status) == f"NVVM_{nvvm.Result(caught.value.status).name}"
    assert "<unnamed>" in log_of(program)
    with pytest.raises(ValueError, match="buffer has 13 bytes, but 14 are needed"):
        nvvm.add_module_to_program(program, text, len(text) + 1, None)


@pytest.mark.needs_nvvm
def test_a_smaller_size_takes_the_first_bytes(program):
    """NVIDIA's bindings raise a ValueError for that: see docs/coming_from/nvidia.md."""
    text = IR.encode() + b"no IR"
    nvvm.add_module_to_program(program, text, len(IR), "store.ll")
    nvvm.verify_program(program, len(OPTIONS), OPTIONS)


@pytest.mark.needs_nvvm
@pytest.mark.needs_nvfatbin
def test_ptx_becomes_a_fat_binary(ptx):
    handle = nvfatbin.create(["-64", "-host=linux"], 2)
    nvfatbin.add_ptx(handle, ptx, len(ptx), "90", "store", "")
    binary = bytearray(nvfatbin.size(handle))
    nvfatbin.get(handle, binary)
    nvfatbin.destroy(handle)
    assert binary[:4] == (0xBA55ED50).to_bytes(4, "little")  # the magic number of a fat binary


@pytest.mark.needs_nvfatbin
def test_a_wrong_option_of_nvfatbin_raises():
    with pytest.raises(nvfatbin.nvFatbinError, match="ERROR_UNRECOGNIZED_OPTION") as caught:
        nvfatbin.create(["-nonsense"], 1)
    assert isinstance(nvfatbin.get_error_string(caught.value.status), str)
