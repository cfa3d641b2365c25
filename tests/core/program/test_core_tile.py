# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tile kernels in C++ and Tile IR: compiled by NVRTC, assembled by tileiras or the driver."""

from __future__ import annotations

import io

import numpy as np
import pytest
from support.tileiras import add_to_path, bytecode, needs_tileiras

from cuda.core import LaunchConfig, Linker, NVRTCError, ObjectCode, Program, ProgramOptions, TileError, launch
from cuda.core._program import _image_size, _tile
from cuda.core.utils import InMemoryProgramCache, make_fatbin

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.needs_recent_nvrtc]

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
template <class T> __tile_global__ void twice(T *x) {
    auto i = int(ct::bid().x) * 64 + ct::iota<ct::tile<int, ct::shape<64>>>();
    ct::store(x + i, ct::load(x + i) + ct::load(x + i));
}
"""
NAMES = ["twice<float>"]
MACHINE = ProgramOptions(arch="sm_89", tile_only=True)


@pytest.fixture(scope="module")
def tile_ir():
    return Program(SOURCE, "c++", ProgramOptions(arch="sm_89")).compile("tile_ir", NAMES)


@pytest.fixture
def assembler(monkeypatch):
    add_to_path(monkeypatch)


def run(device, stream, code):
    """Run the kernel on 2 blocks, and compare."""
    array = device.to_device(np.arange(128, dtype=np.float32))
    launch(stream, LaunchConfig(grid=2, block=1), code.get_kernel(NAMES[0]), array)
    stream.sync()
    np.testing.assert_array_equal(array.to_host(), 2 * np.arange(128))


def test_tile_ir_of_cpp(tile_ir):
    assert tile_ir.code_type == "tile_ir"
    assert tile_ir.code.startswith(b"\x7fTileIR\0")
    assert tile_ir.symbol_mapping == {"twice<float>": "_Z5twiceIfEvPT_"}
    again = Program(SOURCE, "c++", ProgramOptions(arch="sm_89", enable_tile=True, std="c++20"))
    assert again.compile("tile_ir", NAMES).code == tile_ir.code


def test_options_that_tile_kernels_imply():
    assert ProgramOptions(arch="sm_89").as_bytes("NVRTC", "tile_ir") == [
        b"-arch=sm_89", b"--enable-tile", b"--std=c++20",
    ]  # fmt: skip
    assert b"--std=c++20" in ProgramOptions(enable_tile=True).as_bytes("NVRTC", "ptx")
    assert b"--std=c++23" in ProgramOptions(std="c++23").as_bytes("NVRTC", "tile_ir")
    assert b"--tile-only" in ProgramOptions(tile_only=True).as_bytes("NVRTC", "ptx")
    spelled = ProgramOptions(tile_as_default_execution_space=True).as_bytes("NVRTC", "tile_ir")
    assert b"--tile-as-default-execution-space" in spelled
    assert ProgramOptions(arch="sm_89").as_bytes("NVRTC", "ptx") == [b"-arch=sm_89"]


def test_both_kinds_of_kernels_in_one_program(stream, device):
    both = SOURCE + "__global__ void one(int *x) { *x = 1; }"
    program = Program(both, "c++", ProgramOptions(enable_tile=True))
    kernel = program.compile("ptx", ["one"]).get_kernel("one")
    array = device.to_device(np.zeros(1, np.int32))
    launch(stream, LaunchConfig(grid=1, block=1), kernel, array)
    stream.sync()
    assert array.to_host().tolist() == [1]
    assert program.compile("tile_ir", NAMES).code_type == "tile_ir"


@needs_tileiras
def test_the_driver_assembles_tile_ir(device, stream, tile_ir, assembler, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_TILE", "assembler")
    run(device, stream, tile_ir)
    run(device, stream, ObjectCode.from_tile_ir(tile_ir.code, symbol_mapping=tile_ir.symbol_mapping))
    if device.name.startswith("CPU device"):
        assert tile_ir.get_kernel(NAMES[0]).attributes.max_threads_per_block > 1


@pytest.mark.cpu_only
def test_the_cpu_device_needs_no_assembler(device, stream, tile_ir, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_TILE", "own")
    code = ObjectCode.from_tile_ir(tile_ir.code, symbol_mapping=tile_ir.symbol_mapping)
    run(device, stream, code)
    assert code.get_kernel(NAMES[0]).attributes.max_threads_per_block == 1


@pytest.mark.cpu_only
def test_without_the_assembler_the_error_names_its_package(device, tile_ir, monkeypatch):
    from cuda.cpu.compile import tile_assembler

    monkeypatch.setattr(tile_assembler, "find", lambda: None)
    monkeypatch.setenv("CUDA_CPU_TILE", "assembler")
    with pytest.raises(RuntimeError, match="pip install nvidia-cuda-tileiras") as caught:
        ObjectCode.from_tile_ir(tile_ir.code).get_kernel("twice")
    assert caught.value.name == "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"


def test_without_the_assembler_there_is_no_cubin(tile_ir, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.path", ["/nowhere"])
    with pytest.raises(TileError, match="pip install nvidia-cuda-tileiras") as caught:
        Program(tile_ir.code, "tile").compile("cubin")
    assert caught.value.name == "TILEIRAS_NOT_FOUND"


def test_the_assembler_is_not_taken_from_the_current_directory(tmp_path, monkeypatch):
    for folder in (tmp_path, tmp_path / "nvidia" / "cu13" / "bin"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tileiras").write_text("#!/bin/sh\n")
        (folder / "tileiras").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ":.")
    monkeypatch.setattr("sys.path", ["", "."])
    with pytest.raises(TileError):
        _tile.find()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _tile.find() == str(tmp_path / "tileiras")


@needs_tileiras
def test_cubins(device, tile_ir, assembler):
    assert Program(SOURCE, "c++", MACHINE).compile("cubin", NAMES).code_type == "cubin"
    with Program(tile_ir.code, "tile", ProgramOptions(arch="sm_90a")) as program:
        assert repr(program) == "<Program 'default_program': tile>"
        assert (program.backend, program.handle) == ("tileiras", None)
        assert program.compile("tile_ir").code == tile_ir.code
        cubin = program.compile("cubin")
        assert cubin.code[:4] == b"\x7fELF"
    if device.compute_capability == (9, 0):  # a kernel without tensor maps, which runs on the CPU device, too
        assert cubin.get_kernel("_Z5twiceIfEvPT_").num_arguments == 1


@needs_tileiras
def test_caches(tile_ir, assembler, monkeypatch):
    cache = InMemoryProgramCache()
    first = Program(tile_ir.code, "tile", ProgramOptions(arch="sm_89")).compile("cubin", cache=cache)
    monkeypatch.setattr("cuda.core._program._tile.assemble", None)
    assert Program(tile_ir.code, "tile", ProgramOptions(arch="sm_89")).compile("cubin", cache=cache).code == first.code


@needs_tileiras
def test_code_that_tileiras_rejects(tile_ir, assembler):
    log = io.StringIO()
    with pytest.raises(TileError, match="TILEIRAS_ERROR") as caught:
        Program(bytecode((1, b"abc")), "tile").compile("cubin", logs=log)
    assert "error" in caught.value.log
    with pytest.raises(TileError, match="sm_999"):
        Program(tile_ir.code, "tile", ProgramOptions(arch="sm_999")).compile("cubin")


def test_tile_ir_is_not_linked(tile_ir):
    with pytest.raises(ValueError, match="Tile IR is not linked: load it"):
        Linker(tile_ir)
    with pytest.raises(ValueError, match="not of tile_ir"):
        make_fatbin(tile_ir)


def test_invalid_programs(tile_ir):
    with pytest.raises(ValueError, match="not Tile IR bytecode: it begins with 61 62 63"):
        Program(b"abc", "tile")
    with pytest.raises(TypeError, match="code must be the tile source as"):
        Program("abc", "tile")
    with pytest.raises(ValueError, match="std is not for Tile IR programs"):
        Program(tile_ir.code, "tile", ProgramOptions(std="c++20"))
    with pytest.raises(ValueError, match="Tile IR has the names themselves"):
        Program(tile_ir.code, "tile").compile("tile_ir", ["f"])
    with pytest.raises(ValueError, match="must be one of 'cubin', 'tile_ir' for tile programs"):
        Program(tile_ir.code, "tile").compile("ptx")
    with pytest.raises(NVRTCError, match="identifier"):
        Program(SOURCE.replace("T *x", "T *y"), "c++", ProgramOptions(arch="sm_89")).compile("tile_ir", NAMES)


def test_damaged_bytecode_is_refused_before_it_is_loaded(tile_ir):
    _image_size.check_image(tile_ir.code)
    for size in (8, 12, 13, 14, 60, len(tile_ir.code) - 1):
        with pytest.raises(ValueError, match="damaged or cut off"):
            ObjectCode.from_tile_ir(tile_ir.code[:size]).get_kernel("twice")
    for count in (11, 1 << 20):
        with pytest.raises(ValueError, match="has more than 64 bits"):
            _image_size.check_image(bytecode()[:-1] + b"\1" + b"\xff" * count)
    with pytest.raises(ValueError, match="damaged or cut off"):
        _image_size.check_image(bytecode((1, b"a"), aligned=1).replace(b"\x81\1\1", b"\x81\1\0"))
