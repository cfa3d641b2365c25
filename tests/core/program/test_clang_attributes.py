# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""__maxnreg__, __cluster_dims__, __block_size__ and __managed__ in programs compiled by clang."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cuda.core import (
    ClangError,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)
from cuda.core._program._clang import _find

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)

KERNELS = """
template <int N, class T> __global__ void __cluster_dims__(N, 2) __maxnreg__(8 * N) both(T *p) { *p = N; }
template __global__ void both<4, int>(int *);
namespace { template <int N> __global__ void __maxnreg__((N > 2) ? 24 : 16) hidden(int *p) { *p = N; } }
constexpr int size = 3;
extern "C" __global__ void declared(int *p, int3 q) __cluster_dims__(size > 2 ? 2 : 1);
extern "C" __global__ void declared(int *p, int3 q) { *p = q.z; }
extern "C" __global__ __cluster_dims__() void launched(int *p) { *p = 1; }
extern "C" __global__ void __launch_bounds__(64, 1, 8) __cluster_dims__(2, 2, 2) bounded(int *p) { *p = 1; }
extern "C" __global__ void plain(int *p) { *p = 1; }
"""
CLUSTER = ".explicitcluster\n.reqnctapercluster"


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "clang"))


def compiled(source: str, target: str = "ptx", names: tuple = (), arch: str = "sm_90", **options) -> ObjectCode:
    options = ProgramOptions(compiler="clang", arch=arch, **options)
    return Program(source, "c++", options).compile(target, name_expressions=names)


def directives(ptx: bytes) -> dict[str, str]:
    """Return what PTX has between the parameters and the body of each kernel."""
    entries = re.findall(r"^\.\w+ \.entry (\S+?)\([^)]*\)([^{;]*)\{", ptx.decode(), re.MULTILINE)
    return {name: re.sub(r" *//.*\n", "", text).strip() for name, text in entries}


def test_attributes_become_directives():
    code = compiled(KERNELS, names=("hidden<3>",), max_register_count=60)
    found = directives(bytes(code.code))
    assert found.pop(code.symbol_mapping["hidden<3>"]) == ".maxnreg 24"
    assert found == {
        "_Z4bothILi4EiEvPT0_": f"{CLUSTER} 4, 2, 1\n.maxnreg 32",
        "declared": f"{CLUSTER} 2, 1, 1\n.maxnreg 60",
        "launched": ".explicitcluster\n.maxnreg 60",
        "bounded": f".maxntid 64\n.minnctapersm 1\n{CLUSTER} 2, 2, 2",
        "plain": ".maxnreg 60",
    }
    assert b"__open_cuda" not in bytes(code.code)


BLOCKS = """
extern "C" __global__ void __block_size__((128, 2, 1)) alone(int *p) { *p = 1; }
template <int N> __global__ void __block_size__((N, 1, 1), (2, N / 32, 1)) __launch_bounds__(N, 2) sized(int *p) {
    *p = N;
}
template __global__ void sized<64>(int *);
extern "C" __global__ void __block_size__((8, 1, 1)) __cluster_dims__(3, 1) clusters(int *p) { *p = 1; }
"""


@pytest.mark.parametrize("compiler", [pytest.param("nvrtc", marks=pytest.mark.of_nvrtc), "clang"])
def test_block_sizes(compiler):
    options = ProgramOptions(compiler=compiler, arch="sm_90")
    found = directives(bytes(Program(BLOCKS, "c++", options).compile("ptx").code))
    expected = {
        "alone": [".blocksareclusters", ".reqntid 128, 2, 1", ".reqnctapercluster 1, 1, 1"],
        "_Z5sizedILi64EEvPi": [
            ".blocksareclusters", ".reqntid 64, 1, 1", ".reqnctapercluster 2, 2, 1", ".minnctapersm 2"
        ],
        "clusters": [".blocksareclusters", ".reqntid 8, 1, 1", ".reqnctapercluster 3, 1, 1"],
    }  # fmt: skip
    assert {name: sorted(re.findall(r"\.[a-z]+(?: [\d, ]*\d)?", text)) for name, text in found.items()} == {
        name: sorted(lines) for name, lines in expected.items()
    }


@pytest.mark.parametrize("target", ["ptx", "cubin"])
def test_launches_respect_the_cluster(target, device, stream):
    source = """extern "C" __global__ void __cluster_dims__(SIZE) ranks(int *p) {
        p[blockIdx.x] = 10 * __clusterSizeInBlocks() + __clusterRelativeBlockRank(); }"""
    code = compiled(source, target, arch=f"sm_{device.arch}", define_macro=("SIZE", "3"))
    buffer = LegacyPinnedMemoryResource().allocate(24, stream=stream)
    values = np.from_dlpack(buffer).view(np.int32)
    launch(stream, LaunchConfig(grid=6, block=32), code.get_kernel("ranks"), buffer)
    stream.sync()
    assert values.tolist() == [30, 31, 32] * 2


def test_the_limit_of_registers_holds(device):
    code = compiled(KERNELS, "cubin", arch=f"sm_{device.arch}", names=("hidden<1>",))
    assert code.get_kernel("hidden<1>").attributes.num_regs <= 16


def test_link_time_optimisation_keeps_the_attributes():
    more = """extern "C" __device__ int f(int x) { return 3 * x; }
        extern "C" __global__ void __maxnreg__(40) other(int *p) { *p = f(*p); }"""
    first = 'extern "C" __device__ int f(int x);\n' + KERNELS.replace("*p = N", "*p = f(N)")
    options = {"link_time_optimization": True}
    inputs = [compiled(source, "ltoir", **options) for source in (first, more)]
    linker = Linker(*inputs, options=LinkerOptions(arch="sm_90", link_time_optimization=True, ptx=True))
    text = bytes(linker.link("ptx").code)
    found = directives(text)
    assert found["other"] == ".maxnreg 40"
    assert found["_Z4bothILi4EiEvPT0_"] == f"{CLUSTER} 4, 2, 1\n.maxnreg 32"
    assert found["plain"] == ""
    assert b"__open_cuda" not in text


@pytest.mark.parametrize(
    ("attributes", "arch", "message"),
    [
        ("__maxnreg__(0)", "sm_90", r"line\.cu\(2\): error: __maxnreg__: the number of registers must be positive"),
        ("__cluster_dims__(2, -1)", "sm_90", r"\(2\): error: __cluster_dims__: the dimensions must be positive"),
        ("__block_size__((64, 0, 1))", "sm_90", r"\(2\): error: __block_size__: the dimensions must be positive"),
        ("__block_size__((64, 1, 1))", "sm_89", r"\(2\): error: __block_size__ needs the architecture sm_90 or newer"),
        ("__cluster_dims__(2)", "sm_89", r"\(2\): error: __cluster_dims__ needs the architecture sm_90 or newer"),
        ("__maxnreg__(8) __launch_bounds__(32)", "sm_90", "kernel k has __launch_bounds__ and __maxnreg__: remove one"),
        ("__maxnreg__(blockDim.x)", "sm_90", "constant"),
        ("__cluster_dims__(1, 2, 3, 4)", "sm_90", "no matching function"),
    ],
)
def test_wrong_attributes_are_refused(attributes, arch, message):
    source = f'extern "C" __global__ void\n{attributes} k(int *p) {{ *p = 1; }}'
    with pytest.raises(ClangError, match=message) as raised:
        compiled(source, arch=arch, name="line.cu")
    assert str(raised.value).count("error:") == 1


def test_managed_variables(device, stream):
    source = """__managed__ int counts[4] = {1, 2, 3, 4}; static __device__ __managed__ double sum;
        __device__ int plain = 7; namespace { __managed__ int hidden; } struct S { int a[3]; }; __managed__ S object;
        extern "C" __global__ void k(int *p) { *p = counts[1]++ + plain; sum += hidden++; object.a[1] = 5; }"""
    code = compiled(source, arch=f"sm_{device.arch}", names=("&counts", "&object"))
    text = bytes(code.code).decode()
    variables = re.findall(r"\.global (\.attribute\(\.managed\) )?\.align.*? ([\w$]+)(?:\[\d+\])?(?: = .*)?;", text)
    assert {name for _, name in variables} >= {"plain"}
    managed = {name for attribute, name in variables if attribute}
    assert managed == {"counts", "object", "_ZL3sum", "_ZN12_GLOBAL__N_16hiddenE"}
    assert "__open_cuda" not in text
    assembled = compiled(source, "cubin", arch=f"sm_{device.arch}")
    buffer = LegacyPinnedMemoryResource().allocate(4, stream=stream)
    for wanted in (9, 10):
        launch(stream, LaunchConfig(grid=1, block=1), assembled.get_kernel("k"), buffer)
        stream.sync()
        assert np.from_dlpack(buffer).view(np.int32)[0] == wanted
