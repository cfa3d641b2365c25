# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from cuda.core import (
    CUDAError,
    LaunchConfig,
    Linker,
    LinkerOptions,
    NvJitLinkError,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)
from cuda.core.typing import CompilerBackendType
from cuda.core.utils import InMemoryProgramCache

pytestmark = pytest.mark.needs_nvrtc
BY_NVJITLINK = pytest.mark.needs_nvjitlink

MAIN = 'extern __device__ int twice(int); extern "C" __global__ void k(int *x) { *x = twice(*x); }'
PART = "__device__ int twice(int x) { return 2 * x; }"
LTO = {"link_time_optimization": True}


def compiled(source, target, arch):
    return Program(source, "c++", ProgramOptions(arch=arch, relocatable_device_code=True)).compile(target)


# Without nvJitLink, the driver links completely when it assembles a cubin.
KINDS = ["ptx", pytest.param("cubin", marks=BY_NVJITLINK)]


@pytest.mark.parametrize("kind", [*KINDS, "ltoir"])
def test_linked_code_runs(device, stream, upload, host, kind):
    arch = f"sm_{device.arch}"
    parts = [compiled(MAIN, kind, arch), compiled(PART, kind, arch)]
    options = LinkerOptions(arch=arch, name="both", **(LTO if kind == "ltoir" else {}))
    with Linker(*parts, options=options) as linker:
        assert int(linker.handle) or kind == "ltoir"  # clang's bitcode is linked first
        code = linker.link("cubin")
        assert linker.get_error_log() == ""
    assert (code.name, code.code_type) == ("both", "cubin")
    with upload(np.array([21], "i4")) as data:
        launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("k"), data)
        assert host(data, "i4")[0] == 42
        if kind != "ltoir":  # the types of the parameters are known for PTX, and for cubins compiled by NVRTC
            with pytest.raises(TypeError, match=r"argument 1 .* is a float"):
                launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("k"), 1.0)


def test_ltoir_to_ptx():
    parts = [compiled(MAIN, "ltoir", "sm_90"), compiled(PART, "ltoir", "sm_90")]
    with Linker(*parts, options=LinkerOptions(arch="sm_90", ptx=True, **LTO)) as linker:
        assert ".entry k" in linker.link("ptx").code.decode()


@pytest.mark.needs_nvjitlink
def test_unresolved_symbol():
    part = compiled(MAIN, "cubin", "sm_90")
    with (
        Linker(part, options=LinkerOptions(arch="sm_90")) as linker,
        pytest.raises(NvJitLinkError, match=r"nvJitLinkComplete\)\n.*twice") as caught,
    ):
        linker.link("cubin")
    assert "twice" in caught.value.log
    assert caught.value.call == "nvJitLinkComplete"


@pytest.mark.needs_nvjitlink
def test_the_error_names_the_wrong_option():
    with pytest.raises(NvJitLinkError, match=r"nvJitLinkCreate\)\n.*-arch=nothing"):
        Linker(compiled(PART, "cubin", "sm_90"), options=LinkerOptions(arch="nothing"))


@pytest.mark.needs_nvjitlink
def test_wrong_arguments():
    part = compiled(PART, "cubin", "sm_90")
    with pytest.raises(ValueError, match=r"^give one or more ObjectCodes to link$"):
        Linker(options=LinkerOptions(arch="sm_90"))
    with pytest.raises(TypeError, match=r"^what is linked must be an ObjectCode, not bytes$"):
        Linker(part.code)
    linker = Linker(part, options=LinkerOptions(arch="sm_90"))
    with pytest.raises(ValueError, match=r"^target_type must be 'cubin' or 'ptx', not 'fatbin'$"):
        linker.link("fatbin")
    with pytest.raises(ValueError, match=r"^target_type 'ptx' needs LinkerOptions\(link_time_optimization=True"):
        linker.link("ptx")
    linker.close()
    linker.close()
    assert linker.is_closed
    assert repr(linker) == "<Linker of 1 codes, closed>"
    assert int(linker.handle) == 0
    with pytest.raises(RuntimeError, match=r"^this Linker is closed$"):
        linker.get_info_log()
    with pytest.raises(ValueError, match=r"^this Linker is closed$"):
        linker.link("cubin")
    assert Linker.which_backend() == "nvJitLink"


@pytest.fixture
def driver_backend(monkeypatch, device):
    """Let the driver link, as it does where nvJitLink is not installed."""
    from cuda.core._program import _linker

    monkeypatch.setattr(_linker, "_backend", lambda: CompilerBackendType.DRIVER)
    return f"sm_{device.arch}"


@pytest.mark.parametrize("kind", KINDS)
def test_driver_links(driver_backend, stream, upload, host, kind):
    parts = [compiled(MAIN, kind, driver_backend), compiled(PART, kind, driver_backend)]
    options = LinkerOptions(arch=driver_backend, name="both", lineinfo=True, optimization_level=3)
    with Linker(*parts, options=options) as linker:
        assert Linker.which_backend() == "driver"
        assert int(linker.handle)
        code = linker.link("cubin")
        assert linker.get_error_log() == ""
    assert int(linker.handle) == 0
    with pytest.raises(RuntimeError, match=r"^this Linker is closed$"):
        linker.get_info_log()
    assert (code.name, code.code_type) == ("both", "cubin")
    with upload(np.array([21], "i4")) as data:
        launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("k"), data)
        assert host(data, "i4")[0] == 42


def test_a_cache_needs_no_nvjitlink(driver_backend, monkeypatch):
    from cuda.bindings import nvjitlink

    def absent():
        raise RuntimeError("nvJitLink is not installed")

    monkeypatch.setattr(nvjitlink, "version", absent)
    ptx = Program(PART, "c++", ProgramOptions(arch=driver_backend)).compile("ptx").code
    cache = InMemoryProgramCache()
    program = Program(ptx.decode(), "ptx", ProgramOptions(arch=driver_backend))
    assert program.compile("cubin", cache=cache).code == program.compile("cubin", cache=cache).code
    assert len(cache) > 0


def test_links_not_supported_by_the_driver(driver_backend):
    part = compiled(MAIN, "ptx", driver_backend)
    with (
        Linker(part, options=LinkerOptions(arch=driver_backend)) as linker,
        pytest.raises(CUDAError, match=r"cuLinkComplete\)\n(.*\n)*.*twice"),
    ):
        linker.link("cubin")
    with pytest.raises(ValueError, match=r"^kernels_used, link_time_optimization: the driver links without"):
        Linker(part, options=LinkerOptions(arch=driver_backend, kernels_used="k", **LTO))
    with pytest.raises(ValueError, match=r"^arch 'sm_1' is none that the driver knows$"):
        Linker(part, options=LinkerOptions(arch="sm_1"))
    with pytest.raises(ValueError, match=r"^the driver does not link ltoir; install nvJitLink"):
        Linker(ObjectCode.from_ltoir(b"of NVRTC"), options=LinkerOptions(arch=driver_backend))


def test_backend_without_nvjitlink(monkeypatch):
    from cuda import pathfinder
    from cuda.core._program import _linker

    def absent(name):
        raise pathfinder.DynamicLibNotFoundError(name)

    monkeypatch.setattr(pathfinder, "load_nvidia_dynamic_lib", absent)
    _linker._backend.cache_clear()
    _linker._warn_of_driver.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match=r"^nvJitLink is not installed: the driver links"):
            assert Linker.which_backend() == "driver"
    finally:
        _linker._backend.cache_clear()


@pytest.mark.needs_nvjitlink
def test_linking_in_two_steps(device, stream, upload, host):
    """The output of `relocatable` is linked again, with the function that was missing."""
    arch = f"sm_{device.arch}"
    middle = "extern __device__ int twice(int); __device__ int four(int x) { return twice(twice(x)); }"
    main = 'extern __device__ int four(int); extern "C" __global__ void k(int *x) { *x = four(*x); }'
    partial = LinkerOptions(arch=arch, relocatable=True)
    half = Linker(compiled(main, "cubin", arch), compiled(middle, "cubin", arch), options=partial).link("cubin")
    with pytest.raises(CUDAError, match=r"twice"):
        half.get_kernel("k")
    code = Linker(half, compiled(PART, "ptx", arch), options=LinkerOptions(arch=arch)).link("cubin")
    with upload(np.array([5], "i4")) as data:
        launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("k"), data)
        assert host(data, "i4")[0] == 20
    assert LinkerOptions(relocatable=True).as_bytes() == [b"-r"]
