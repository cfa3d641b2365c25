# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""nvJitLink: PTX and LTO-IR linked to a cubin, options, logs, and the errors of wrong input."""

from common import outcome

from cuda.bindings import nvjitlink, nvrtc

PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 out) twice(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1; st.param.b32 [out], %r2; ret; }
"""


def compiled(source, *options):
    _, program = nvrtc.nvrtcCreateProgram(source, b"part.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, len(options), list(options))
    lto = any(b"dlto" in option for option in options)
    size_of, read = (
        (nvrtc.nvrtcGetLTOIRSize, nvrtc.nvrtcGetLTOIR) if lto else (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
    )
    _, size = size_of(program)
    data = b" " * size
    read(program, data)
    nvrtc.nvrtcDestroyProgram(program)
    return data


kinds = nvjitlink.InputType
print([kind.name for kind in kinds], nvjitlink.Result.SUCCESS.value)
print(len(nvjitlink.version()), nvjitlink.version()[0] >= 12)
caller = compiled(
    b'extern "C" __device__ int twice(int); extern "C" __global__ void k(int *x) { *x = twice(*x); }',
    b"-arch=compute_90",
    b"-rdc=true",
)
handle = nvjitlink.create(1, ["-arch=sm_90"])
print(type(handle).__name__)
nvjitlink.add_data(handle, kinds.PTX, PTX, len(PTX), "twice")
nvjitlink.add_data(handle, kinds.PTX, caller, len(caller), "caller")
nvjitlink.complete(handle)
size = nvjitlink.get_linked_cubin_size(handle)
cubin = bytearray(size)
nvjitlink.get_linked_cubin(handle, cubin)
print(bytes(cubin[:4]), size > 500)
print(nvjitlink.get_error_log_size(handle), nvjitlink.get_info_log_size(handle))
nvjitlink.destroy(handle)
handle = nvjitlink.create(1, ["-arch=sm_90"])
nvjitlink.add_data(handle, kinds.PTX, caller, len(caller), "caller")
print(outcome(nvjitlink.complete, handle))
log = bytearray(nvjitlink.get_error_log_size(handle))
nvjitlink.get_error_log(handle, log)
print(b"twice" in log)
nvjitlink.destroy(handle)
for options in (["--no-such-option"], [], ["-lto"]):
    print(options, outcome(nvjitlink.create, len(options), options))
lto = compiled(b'extern "C" __global__ void l(int *x) { *x = 3; }', b"-arch=compute_90", b"-dlto")
handle = nvjitlink.create(3, ["-arch=sm_90", "-lto", "-ptx"])
nvjitlink.add_data(handle, kinds.LTOIR, lto, len(lto), "lto")
nvjitlink.complete(handle)
text = bytearray(nvjitlink.get_linked_ptx_size(handle))
nvjitlink.get_linked_ptx(handle, text)
print(b".entry l" in text)
nvjitlink.destroy(handle)
print(outcome(nvjitlink.add_data, 0, kinds.PTX, PTX, len(PTX), "x"), outcome(nvjitlink.destroy, "x"))
