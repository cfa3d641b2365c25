# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import gc
import pickle

import numpy as np
import pytest

from cuda.bindings import nvjitlink
from cuda.core import CUDAError, LaunchConfig, Linker, LinkerOptions, Module, ObjectCode, Program, launch

pytestmark = pytest.mark.needs_nvrtc

ONE = LaunchConfig(grid=1, block=1)
SOURCE = 'extern "C" __global__ void k(int *x) { *x = 7; }  __global__ void mangled(float x) {}'
PTX = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 k_param_0) { ret; }
"""


@pytest.fixture(scope="module", params=["ptx", "cubin"])
def code(request):
    from cuda.core import Device

    Device(0).set_current()
    return Program(SOURCE, "c++").compile(request.param, ("mangled",))


def ran(code, device, stream, host):
    with device.allocate(4, stream=stream) as out:
        out.fill(0, stream=stream)
        launch(stream, ONE, code.get_kernel("k"), out)
        return host(out, "i4")[0]


def test_kernels_of_a_module_run(code, device, stream, host):
    assert ran(code, device, stream, host) == 7
    assert int(code.handle)
    assert int(code.get_module())
    assert code.code_type in repr(code)


def test_pickle(code, device, stream, host):
    again = pickle.loads(pickle.dumps(code))
    assert again != code  # two objects, each with its own library once loaded
    assert (again.code, again.code_type, again.name) == (code.code, code.code_type, code.name)
    assert again.symbol_mapping == {"mangled": "_Z7mangledf"}
    assert ran(again, device, stream, host) == 7
    with pytest.raises(TypeError, match=r"argument 1 of kernel 'mangled' is a numpy.int32"):
        launch(stream, ONE, again.get_kernel("mangled"), np.int32(1))


def test_code_from_bytes_and_files(code, device, stream, host, tmp_path):
    make = getattr(ObjectCode, f"from_{code.code_type}")
    path = tmp_path / "code"
    path.write_bytes(code.code)
    for given in (code.code, bytearray(code.code), path, str(path)):
        taken = make(given, name="mine", symbol_mapping={"other": "k"})
        assert (taken.name, taken.symbol_mapping) == ("mine", {"other": "k"})
        assert ran(taken, device, stream, host) == 7
        taken.get_kernel(b"other")
    assert taken.code == str(path)
    assert taken != code


def test_wrong_code():
    with pytest.raises(ValueError, match=r"^module as a str is the path of a file: pass the code itself as bytes"):
        ObjectCode.from_ptx(PTX.decode())
    with pytest.raises(ValueError, match=r"^module as a str is the path of a file"):
        ObjectCode.from_cubin("a\0b")
    with pytest.raises(TypeError, match=r"^module must be cubin code as bytes, or the path of a file, not int$"):
        ObjectCode.from_cubin(1)
    with pytest.raises(RuntimeError, match=r"use Program.compile or ObjectCode.from_ptx"):
        ObjectCode()
    for kind in ("ltoir", "object", "library"):
        code = getattr(ObjectCode, f"from_{kind}")(b"data")
        with pytest.raises(CUDAError, match=rf"^{kind} code cannot be loaded: link it to a cubin first") as caught:
            code.get_kernel("k")
        assert caught.value.name == "CUDA_ERROR_INVALID_IMAGE"


@pytest.mark.parametrize("kind", ["ptx", "cubin", "fatbin"])
def test_a_missing_file_is_noticed_when_it_is_loaded(device, kind):
    code = getattr(ObjectCode, f"from_{kind}")("nothing.x")
    with pytest.raises(CUDAError, match=r"^CUDA_ERROR_FILE_NOT_FOUND: .*cuLibraryLoadFromFile") as caught:
        code.get_kernel("k")
    assert caught.value.name == "CUDA_ERROR_FILE_NOT_FOUND"


@pytest.mark.needs_nvjitlink
@pytest.mark.parametrize("kind", ["ptx", "cubin", "object", "library"])
def test_a_missing_file_is_noticed_when_it_is_linked(kind):
    with pytest.raises(CUDAError, match=r"no such file: nothing.x") as caught:
        Linker(getattr(ObjectCode, f"from_{kind}")("nothing.x"), options=LinkerOptions(arch="sm_90"))
    assert isinstance(caught.value, nvjitlink.nvJitLinkError)


@pytest.mark.parametrize("kind", ["ptx", "cubin", "fatbin"])
def test_loading_invalid_code_fails(device, kind):
    code = getattr(ObjectCode, f"from_{kind}")(b"nonsense")
    with pytest.raises(CUDAError, match=r"\(cuLibrary(LoadData|GetKernel)\)"):
        code.get_kernel("k")


def test_ptx_that_does_not_compile_shows_why(device):
    with pytest.raises(CUDAError, match=r"CUDA_ERROR_INVALID_PTX.*\n(.*\n)*.*nonsense"):
        Module(ObjectCode.from_ptx(PTX.replace(b"ret;", b"nonsense.u32 %r1;"))).get_kernel("k")


@pytest.mark.of_nvrtc
@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
def test_a_cubin_without_ptx_is_refused_with_advice(device):
    import ctypes

    from cuda import pathfinder

    nvrtc = ctypes.CDLL(pathfinder.load_nvidia_dynamic_lib("nvrtc").abs_path)  # which does not add -lineinfo
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE.encode(), b"k.cu", 0, None, None) == 0
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=sm_90")
    assert nvrtc.nvrtcCompileProgram(program, 1, options) == 0
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    with pytest.raises(CUDAError, match=r"(?s)-lineinfo"):
        ObjectCode.from_cubin(cubin.raw).get_kernel("k")


def test_the_error_for_an_unknown_kernel_lists_the_kernels(code):
    with pytest.raises(CUDAError, match=r"There is no kernel 'nothing' in this code, but: _Z7mangledf, k\.$") as caught:
        code.get_kernel("nothing")
    assert caught.value.name == "CUDA_ERROR_NOT_FOUND"
    with pytest.raises(TypeError, match=r"^name must be a str, not int$"):
        code.get_kernel(1)
    for name in ("k\0", "k\0x", b"k\0x"):
        with pytest.raises(ValueError, match=r"^name must not contain a NUL character: 'k\\x00"):
            code.get_kernel(name)


def test_the_error_for_a_mangled_kernel_gives_advice(device):
    module = Module.from_source("__global__ void mangled(float x) {}")
    with pytest.raises(CUDAError, match=r"Declare it extern \"C\", or compile with name_expressions=\('mangled',\)"):
        module.get_kernel("mangled")


def test_module_attributes(module):
    assert module.add_one == module.get_kernel("add_one")
    assert {"add_one", "scale<float>"} <= set(dir(module))
    assert "_Z5scaleIfEvPT_S0_" in module.kernel_names
    assert not hasattr(module, "nothing")
    with pytest.raises(AttributeError, match=r"There is no kernel 'nothing' in this code, but: _Z5scaleIfEvPT_S0_"):
        module.nothing  # noqa: B018


def test_templates(module, stream, upload, host):
    with upload(np.arange(8, dtype="f4")) as data:
        launch(stream, LaunchConfig(grid=1, block=8), module.get_kernel("scale<float>"), data, 0.5)
        assert host(data, "f4").tolist() == (np.arange(8) / 2).tolist()


def test_globals(module, device, stream, host, upload):
    coefficients, counter = module.get_global("coefficients"), module.get_global("&counter")
    assert (coefficients.size, counter.size) == (16, 4)
    assert coefficients.owner is not None
    assert host(coefficients, "f4").tolist() == [1, 2, 3, 4]
    counter.fill(0, stream=stream)
    with device.allocate(4, stream=stream) as out, upload(np.arange(4, dtype="f4") + 10) as values:
        coefficients.copy_from(values, stream=stream)
        launch(stream, ONE, module.use_globals, out)
        assert host(out, "f4")[0] == 12
    assert host(counter, "i4")[0] == 1
    counter.close()
    assert host(module.get_global("counter"), "i4")[0] == 1
    with pytest.raises(CUDAError, match=r"There is no variable 'nothing' .* name_expressions=\('&nothing',\)"):
        module.get_global("nothing")
    with pytest.raises(ValueError, match=r"^name must not contain a NUL character: 'counter\\x00x'$"):
        module.get_global("counter\0x")


def test_module_from_ptx(device, stream):
    launch(stream, ONE, Module.from_source(PTX.decode(), "ptx").k, None)
    stream.sync()


def test_module_close(device, stream):
    module = Module.from_source('extern "C" __global__ void k() {}')
    kernel = module.k
    with module:
        pass
    module.close()
    assert repr(module) == "<Module closed>"
    for use in (lambda: module.code, lambda: module.get_kernel("k"), lambda: module.get_global("x")):
        with pytest.raises(ValueError, match=r"^this Module is closed$"):
            use()
    assert not hasattr(module, "k")
    module = None
    gc.collect()
    launch(stream, ONE, kernel)  # a kernel keeps its code loaded
    stream.sync()
    with pytest.raises(TypeError, match=r"^code must be an ObjectCode, not bytes; Module.from_source compiles text$"):
        Module(PTX)


HANDLES = {
    "library": lambda code, driver: driver.CUlibrary(int(code.handle)),
    "module": lambda code, driver: code.get_module(),
    "kernel": lambda code, driver: code.get_kernel("mangled").handle,
    "function": lambda code, driver: driver.cuKernelGetFunction(code.get_kernel("mangled").handle)[1],
}


@pytest.mark.parametrize("kind", HANDLES)
def test_code_stays_loaded_once_its_handle_was_read(code, device, stream, host, kind):
    """As in NVIDIA's package: a handle stays valid, and can be unloaded by its user, after our objects are gone."""
    from cuda.bindings import driver

    own = pickle.loads(pickle.dumps(code))
    library = driver.CUlibrary(int(own.handle)) if kind == "library" else None
    handle = HANDLES[kind](own, driver)
    del own
    gc.collect()
    if kind == "library":
        status, kernel = driver.cuLibraryGetKernel(library, b"_Z7mangledf")
        assert (status, driver.cuKernelGetFunction(kernel)[0]) == (0, 0)
        assert driver.cuLibraryUnload(library) == (0,)
    elif kind == "module":
        assert driver.cuModuleGetFunction(handle, b"_Z7mangledf")[0] == 0
    elif kind == "kernel":
        assert driver.cuKernelGetFunction(handle)[0] == 0
    else:
        assert driver.cuFuncGetAttribute(driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, handle)[0] == 0
