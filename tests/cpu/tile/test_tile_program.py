# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loading: which compiler is chosen, what is cached, what faults say, and which calls of tileiras are forwarded."""

import ctypes
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from support.tile_writer import Kernel, evaluate, launch, loaded, pointer, store, tile

from cuda.cpu import driver
from cuda.cpu.compile import jit, tile_assembler, tile_program
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.programs import tileiras
from cuda.cpu.ptx.error import NoAssemblerError
from cuda.cpu.tile.error import TileError, UnsupportedTileError

pytestmark = [pytest.mark.cpu_only, pytest.mark.usefixtures("context")]

SAMPLES = pathlib.Path(__file__).with_name("samples")


def sevens(name="kernel"):
    kernel = Kernel(pointer("i32"), name=name)
    store(kernel, kernel.values[0], kernel.constant(np.full(8, 7, np.int32)))
    return kernel


def rounding():
    kernel = Kernel()
    one = kernel.constant(np.float32(1))
    kernel.op("addf", [one, one], [one.kind], rounding="zero")
    return kernel.bytecode()


@pytest.fixture
def no_assembler(monkeypatch):
    monkeypatch.setattr(tile_assembler, "find", lambda: None)


def test_what_is_not_supported_is_named(monkeypatch, no_assembler):
    message = r"Tile IR at byte \d+: addf: the rounding zero is not supported"
    with pytest.raises(UnsupportedTileError, match=message):
        tile_program.load(rounding(), 89)
    monkeypatch.setenv("CUDA_CPU_TILE", "auto")
    with pytest.raises(NoAssemblerError, match=f"{message}; NVIDIA's assembler tileiras is needed: pip install"):
        tile_program.load(rounding(), 89)
    monkeypatch.setattr(tile_assembler, "find", lambda: "/somewhere/tileiras")
    assert tile_program.load(rounding(), 89) is None


@pytest.mark.parametrize(
    ("element", "operation", "attributes", "says"),
    [
        ("f32", "addf", {"rounding": "zero"}, "addf: the rounding zero is not supported"),
        ("f64", "ftof", {"rounding": "positive_inf"}, "ftof: the rounding positive_inf is not supported"),
    ],
)
def test_attributes_that_are_not_supported_are_named(element, operation, attributes, says):
    def build(kernel, *values):
        return kernel.op(operation, values if operation == "addf" else values[:1], [tile("f32", 8)], **attributes)

    x = np.zeros(8, {"f32": np.float32, "f64": np.float64}[element])
    with pytest.raises(CudaError, match=says):
        evaluate(build, x, x, outputs=[np.zeros(8, np.float32)])


def test_damaged_bytecode_is_an_invalid_image(monkeypatch, no_assembler):
    data = sevens().bytecode()
    with pytest.raises(TileError):
        tile_program.load(data[:40] + b"\0", 89)
    for choice in ("own", "auto"):
        monkeypatch.setenv("CUDA_CPU_TILE", choice)
        damaged = ctypes.create_string_buffer(data[:70] + b"\xff" + data[71:])
        with pytest.raises(CudaError) as caught:
            driver.cuModuleLoadData(ctypes.addressof(damaged))
        assert caught.value.args[0] == 200  # CUDA_ERROR_INVALID_IMAGE
        assert "Tile IR at byte" in caught.value.args[1]


def test_the_setting_is_checked(monkeypatch):
    monkeypatch.setenv("CUDA_CPU_TILE", "ptx")
    with pytest.raises(ValueError, match="CUDA_CPU_TILE must be one of auto, own, assembler, not 'ptx'"):
        tile_program.load(sevens().bytecode(), 89)


@pytest.mark.parametrize(("variable", "value"), [("CUDA_CPU_CHECK", "memcheck"), ("CUDA_CPU_DEBUG", "1")])
def test_checks_and_debuggers_need_ptx(monkeypatch, variable, value):
    data = sevens().bytecode()
    monkeypatch.setenv("CUDA_CPU_TILE", "auto")
    assert tile_program.load(data, 89) is not None
    monkeypatch.setenv(variable, value)
    assert tile_program.load(data, 89) is None


def test_code_from_the_cache_is_neither_read_nor_compiled_again(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "cache"))
    first = np.zeros(8, np.int32)
    launch(sevens("cached"), first)
    tile_program._code_of.cache_clear()
    monkeypatch.setattr(jit, "assemble", None)
    monkeypatch.setattr("cuda.cpu.tile.bytecode.read", None)
    second = np.zeros(8, np.int32)
    launch(sevens("cached"), second)
    np.testing.assert_array_equal([first, second], np.full((2, 8), 7))


def test_attributes_of_a_kernel():
    kernel = Kernel(pointer("f32"), tile("i8"), tile("f64"), tile("i1"), tile("i32"))
    with loaded(kernel.bytecode()) as module:
        function = driver.cuModuleGetFunction(module, b"kernel")
        found = [driver.cuFuncGetParamInfo(function, index) for index in range(5)]
        with pytest.raises(CudaError):  # a block has one thread
            driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0)
    assert found == [(0, 8), (8, 1), (16, 8), (24, 1), (28, 4)]


FAULT = """
import ctypes, sys
import numpy as np
from cuda.cpu import driver
from cuda.cpu.tile import bytecode
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
data = open(sys.argv[1], "rb").read()
image = ctypes.create_string_buffer(data, len(data))
(name,) = bytecode.read(data).functions
function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), name.encode())
x = np.zeros(128, np.float32)
good, bad = ctypes.c_uint64(x.ctypes.data), ctypes.c_uint64(1 << 40)
size, one = ctypes.c_int32(128), ctypes.c_int32(1)
values = [good, size, one, good, size, one, bad, size, one]
params = (ctypes.c_uint64 * 9)(*map(ctypes.addressof, values))
driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(params), 0)
try:
    driver.cuCtxSynchronize()
except Exception as error:
    print(error)
"""


def test_a_fault_names_the_operation_and_its_line():
    command = [sys.executable, "-c", FAULT, str(SAMPLES / "add.tileirbc")]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout
    assert "`store_view_tko` (/example/cutile_kernels.py line 51): illegal memory access at 0x10000000" in said


def test_calls_of_the_assembler_are_forwarded(monkeypatch, tmp_path):
    source = tmp_path / "kernel.bytecode"
    source.write_bytes(sevens().bytecode())
    architecture = f"sm_{tileiras.capability()}"
    command = ["/some/bin/tileiras", str(source), "-o", "out", "--gpu-name", architecture, "-O3", "--lineinfo"]
    assert tileiras.forwarded(command) == ["/bin/cp", str(source), "out"]
    for other in (
        [*command[:5], "sm_120"],  # cuTile tries out versions of Tile IR so
        ["/some/bin/tileiras", "--version"],
        ["/some/bin/ptxas", *command[1:]],
        [*command[:1], str(tmp_path / "missing"), *command[2:]][:4],
        "tileiras kernel.bytecode -o out",
    ):
        assert tileiras.forwarded(other) is other
    source.write_bytes(rounding())
    assert tileiras.forwarded(command) == ["/bin/cp", str(source), "out"]  # the driver says what is not supported
    monkeypatch.setenv("CUDA_CPU_TILE", "auto")
    assert tileiras.forwarded(command) is command


def test_forwarding_has_a_cache_of_its_own(monkeypatch, tmp_path):
    """What real calls of tileiras would cache is not mixed with bytecode."""
    before = subprocess.Popen.__init__
    monkeypatch.setattr(subprocess.Popen, "__init__", before)
    monkeypatch.setenv("CUDA_TILE_CACHE_DIR", str(tmp_path))
    tileiras.install()
    assert subprocess.Popen.__init__ is not before
    assert tileiras.os.environ["CUDA_TILE_CACHE_DIR"] == str(tmp_path / "open-cuda-python")
    assert (
        subprocess.run(["/bin/echo", "as before"], capture_output=True, text=True, check=True).stdout == "as before\n"
    )
    monkeypatch.setattr(subprocess.Popen, "__init__", before)
    monkeypatch.setenv("CUDA_CPU_TILE", "assembler")
    monkeypatch.setenv("CUDA_TILE_CACHE_DIR", "given")
    tileiras.install()
    assert subprocess.Popen.__init__ is before
    assert tileiras.os.environ["CUDA_TILE_CACHE_DIR"] == "given"
