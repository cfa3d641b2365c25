# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs in NVVM IR."""

import io

import numpy as np
import pytest

from cuda import pathfinder
from cuda.bindings import nvvm
from cuda.core import LaunchConfig, Linker, LinkerOptions, NVVMError, Program, ProgramOptions, launch
from cuda.core.utils import InMemoryProgramCache, make_program_cache_key

pytestmark = pytest.mark.needs_nvvm

# The dialect of targets before compute_100, which has typed pointers.
HEAD = """
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"""  # noqa: E501
# Link-time optimisation keeps what is in llvm.used.
KERNEL = """
@llvm.used = appending global [1 x i8*] [i8* bitcast (void (double*)* @work to i8*)], section "llvm.metadata"
define void @work(double* %p) {
  %x = load double, double* %p
  %y = call double @helper(double %x)
  store double %y, double* %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (double*)* @work, !"kernel", i32 1}
"""
DECLARED = "declare double @helper(double)"
TWICE = "define double @helper(double %x) {\n %y = fadd double %x, %x\n ret double %y\n}"
COSINE = """
declare double @__nv_cos(double)
define double @helper(double %x) {
  %y = call double @__nv_cos(double %x)
  ret double %y
}
"""
SM90 = ProgramOptions(arch="sm_90", name="mine.ll")


@pytest.fixture(scope="module", autouse=True)
def _knows_sm_90():
    if not nvvm.version() >= (2, 0):
        pytest.skip(f"libNVVM {nvvm.version()} does not know compute_90")


@pytest.fixture
def recent():
    """Skip the test if libNVVM is older than the feature under test."""
    try:
        nvvm.llvm_version("compute_90")
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.fixture
def libdevice():
    try:
        pathfinder.find_bitcode_lib("device")
    except RuntimeError as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.fixture
def run(device, stream, upload, host):
    """Return a function that runs the kernel on a number."""

    def run(code, value):
        with upload(np.array([value])) as data:
            launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("work"), data)
            return host(data, "f8")[0]

    return run


def options(device, **fields):
    return ProgramOptions(arch=f"sm_{device.arch}", **fields)


@pytest.mark.parametrize("target", ["ptx", pytest.param("cubin", marks=pytest.mark.needs_nvjitlink)])
def test_compiled_code_runs(device, run, target):
    with Program(HEAD + TWICE + KERNEL, "nvvm", options(device)) as program:
        assert program.backend == "NVVM"
        assert isinstance(program.handle, int)
        code = program.compile(target)
        assert (code.code_type, code.name) == (target, "default_program")
        again = program.compile("ptx")
    assert program.handle == 0
    assert run(code, 21.0) == 42.0
    assert run(again, 1.5) == 3.0


@pytest.mark.needs_nvjitlink
def test_ltoir_is_linked(device, run):
    parts = [Program(HEAD + text, "nvvm", options(device)).compile("ltoir") for text in (DECLARED + KERNEL, TWICE)]
    assert {part.code_type for part in parts} == {"ltoir"}
    with Linker(*parts, options=LinkerOptions(arch=f"sm_{device.arch}", link_time_optimization=True)) as linker:
        assert run(linker.link("cubin"), 4.0) == 8.0


def test_further_sources(device, run):
    for sources in ([("twice.ll", HEAD + TWICE)], (("twice.ll", (HEAD + TWICE).encode()),)):
        program = Program(HEAD + DECLARED + KERNEL, "nvvm", options(device, extra_sources=sources))
        assert run(program.compile("ptx"), 5.0) == 10.0


def test_libdevice(libdevice, device, run):
    program = Program(HEAD + COSINE + KERNEL, "nvvm", options(device, use_libdevice=True))
    assert run(program.compile("ptx"), 0.5) == pytest.approx(np.cos(0.5), rel=1e-15)


def test_options_reach_the_compiler():
    assert b".target sm_90a" in Program(HEAD + TWICE + KERNEL, "nvvm", {"arch": "sm_90a"}).compile("ptx").code
    slow = Program(HEAD + TWICE + KERNEL, "nvvm", {"arch": "sm_90", "device_code_optimize": False}).compile("ptx")
    fast = Program(HEAD + TWICE + KERNEL, "nvvm", SM90).compile("ptx")
    assert b"call.uni" in slow.code
    assert b"call.uni" not in fast.code


def test_error_shows_the_line():
    logs = io.StringIO()
    with pytest.raises(NVVMError, match=r"(?s)mine.ll.*use of undefined value '%z'") as caught:
        Program(HEAD + TWICE.replace("%x, %x", "%x, %z") + KERNEL, "nvvm", SM90).compile("ptx", logs=logs)
    assert caught.value.call in ("nvvmVerifyProgram", "nvvmCompileProgram", "nvvmAddModuleToProgram")
    assert "%z" in caught.value.log


def test_an_empty_module_is_refused(recent):
    with pytest.raises(NVVMError, match=r"ERROR_INVALID_INPUT"):
        Program("", "nvvm", SM90)


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ("text", r"^extra_sources must be a list of tuples \(name, source\), not str$"),
        (["text"], r"^extra_sources\[0\] must be a tuple \(name, source\), not 'text'$"),
        ([("name", 1)], r"^extra_sources\[0\]: the source must be str or bytes, not int$"),
    ],
)
def test_wrong_sources(sources, message):
    with pytest.raises(TypeError, match=message):
        Program(HEAD + TWICE, "nvvm", ProgramOptions(arch="sm_90", extra_sources=sources))


def test_wrong_use():
    program = Program(HEAD + TWICE + KERNEL, "nvvm", SM90)
    with pytest.raises(ValueError, match=r"^name_expressions are for C\+\+ programs: NVVM IR has the names"):
        program.compile("ptx", ("work",))
    assert repr(program) == "<Program 'mine.ll': nvvm>"
    program.close()
    program.close()
    assert repr(program) == "<Program 'mine.ll': nvvm, closed>"
    with pytest.raises(ValueError, match=r"^this Program is closed$"):
        program.compile("ptx")


def test_cache(libdevice):
    cache = InMemoryProgramCache()
    source = HEAD + TWICE + KERNEL
    first = Program(source, "nvvm", SM90).compile("ptx", cache=cache)
    assert len(cache) == 1
    assert Program(source, "nvvm", SM90).compile("ptx", cache=cache).code == first.code
    keys = {
        make_program_cache_key(
            code=source, code_type="nvvm", options=ProgramOptions(arch="sm_90", **fields), target_type=t
        )
        for t in ("ptx", "ltoir")
        for fields in ({}, {"ftz": True}, {"use_libdevice": True}, {"extra_sources": [("a", "b")]})
    }
    assert len(keys) == 8
