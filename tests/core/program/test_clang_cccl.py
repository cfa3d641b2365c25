# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CCCL (libcu++, CUB) in programs compiled by clang and by NVRTC, with the headers of nvidia-cuda-cccl."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch
from cuda.core._program._clang import _cccl, _find

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)
needs_cccl = pytest.mark.skipif(not _cccl.installed(), reason="CCCL is not installed: pip install nvidia-cuda-cccl")

SOURCE = """
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/tuple>

extern "C" __global__ void k(unsigned *keys, unsigned *sums, unsigned *total) {
    using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
    using Scan = cub::BlockScan<unsigned, 128>;
    using Reduce = cub::BlockReduce<unsigned, 128>;
    __shared__ typename Sort::TempStorage sort;
    __shared__ typename Scan::TempStorage scan;
    __shared__ typename Reduce::TempStorage reduce;
    unsigned own[4];
    for (int i = 0; i < 4; i++) own[i] = keys[threadIdx.x * 4 + i];
    Sort(sort).Sort(own);
    for (int i = 0; i < 4; i++) keys[threadIdx.x * 4 + i] = own[i];
    cuda::std::array<unsigned, 2> pair{own[0] % 7, own[3] % 5};
    auto [first, second] = cuda::std::make_tuple(pair[0], pair[1]);
    unsigned sum;
    Scan(scan).InclusiveSum(first + second, sum);
    sums[threadIdx.x] = sum;
    unsigned all = Reduce(reduce).Sum(first + second);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(*total);
    if (threadIdx.x == 0) counter.fetch_add(all, cuda::memory_order_relaxed);
}
"""


@needs_cccl
@pytest.mark.parametrize("compiler", [pytest.param("nvrtc", marks=pytest.mark.needs_nvrtc), "clang"])
def test_block_algorithms(compiler, device, stream):
    options = ProgramOptions(compiler=compiler, arch=f"sm_{device.arch}", std="c++17", use_bundled_headers=True)
    kernel = Program(SOURCE, "c++", options).compile("cubin").get_kernel("k")
    memory = LegacyPinnedMemoryResource()
    buffers = [memory.allocate(4 * count, stream=stream) for count in (512, 128, 1)]
    keys, sums, total = (np.frombuffer(memoryview(buffer), np.uint32) for buffer in buffers)
    keys[:], total[:] = np.random.default_rng(2).integers(0, 1 << 32, 512, np.uint32), 3
    wanted = np.sort(keys)
    launch(stream, LaunchConfig(grid=1, block=128), kernel, *buffers)
    stream.sync()
    terms = wanted[0::4] % 7 + wanted[3::4] % 5
    assert (keys == wanted).all()
    assert (sums == np.cumsum(terms)).all()
    assert total[0] == 3 + terms.sum()


@needs_cccl
@pytest.mark.parametrize("compiler", [pytest.param("nvrtc", marks=pytest.mark.needs_nvrtc), "clang"])
def test_complex_numbers(compiler, device, stream):
    source = """#include <cuda/std/complex>
        #include <cuda/std/chrono>
        extern "C" __global__ void k(float *x) {
            using namespace cuda::std::chrono_literals; cuda::std::complex<float> z(x[0], x[1]), w = z * z + 1.0f;
            cuda::std::complex<__half> h(x[0], x[1]); h = h + h; w += sin(z) * 0.0f;
            x[2] = w.real(); x[3] = w.imag(); x[4] = abs(z);
            x[5] = h.imag(); x[6] = cuda::std::chrono::milliseconds(2s).count(); }"""
    options = ProgramOptions(compiler=compiler, arch=f"sm_{device.arch}", std="c++17", use_bundled_headers=True)
    kernel = Program(source, "c++", options).compile("cubin").get_kernel("k")
    buffer = LegacyPinnedMemoryResource().allocate(28, stream=stream)
    x = np.frombuffer(memoryview(buffer), np.float32)
    x[:2] = 3, 4
    launch(stream, LaunchConfig(grid=1, block=1), kernel, buffer)
    stream.sync()
    assert x.tolist() == [3, 4, -6, 24, 5, 8, 2000]


def test_a_folder_with_cccl_is_recognised(tmp_path):
    assert _cccl.cccl_options([str(tmp_path)], bundled=False) == []
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda/__cccl_config").touch()
    options = _cccl.cccl_options([str(tmp_path)], bundled=True)
    assert options[0] == "-include"
    assert "-isystem" not in options


def test_headers_that_clang_refuses_are_changed(tmp_path, monkeypatch):
    """Copies with the changes come first; other lines of another version of CCCL stay."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cccl = tmp_path / "cccl"
    for name, text in {
        "cuda/__cccl_config": "",
        "cuda/pipeline": "a.~barrier();\nrest();\n",
        "cuda/__barrier/barrier.h": "other",
    }.items():
        (cccl / name).parent.mkdir(parents=True, exist_ok=True)
        (cccl / name).write_text(text)
    for _ in range(2):  # the second time they are there
        options = _cccl.cccl_options([str(cccl)], bundled=False)
        folder = pathlib.Path(options[options.index("-I") + 1])
        files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
        assert files == {
            "cuda/pipeline": "a.__open_cuda_invalidate();\nrest();\n",
            "cuda/__barrier/barrier.h": "other",
        }
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    assert _cccl.cccl_options([str(cccl)], bundled=False) == options[:2]


@needs_cccl
def test_the_changes_apply_to_the_installed_headers():
    for name, changes in _cccl._CHANGES.items():
        text = (pathlib.Path(_cccl.installed()) / name).read_text()
        assert [old for old, _ in changes if old not in text] == []


@needs_cccl
@pytest.mark.parametrize("compiler", [pytest.param("nvrtc", marks=pytest.mark.needs_nvrtc), "clang"])
def test_a_barrier_of_libcudacxx_in_shared_memory(compiler, device, stream):
    source = """#include <cuda/barrier>
        extern "C" __global__ void k(int *x) {
            __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
            __shared__ int own[64];
            if (threadIdx.x == 0) init(&arrived, blockDim.x);
            __syncthreads();
            for (int round = 0; round < 3; round++) {
                own[threadIdx.x] = x[threadIdx.x];
                arrived.arrive_and_wait();
                x[threadIdx.x] = own[(threadIdx.x + 1) % 64] + round;
                arrived.arrive_and_wait();
            }
        }"""
    options = ProgramOptions(compiler=compiler, arch=f"sm_{device.arch}", std="c++17", use_bundled_headers=True)
    kernel = Program(source, "c++", options).compile("cubin").get_kernel("k")
    buffer = LegacyPinnedMemoryResource().allocate(256, stream=stream)
    x = np.frombuffer(memoryview(buffer), np.int32)
    x[:] = np.arange(64)
    launch(stream, LaunchConfig(grid=1, block=64), kernel, buffer)
    stream.sync()
    assert x.tolist() == [(thread + 3) % 64 + 3 for thread in range(64)]
