# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The programs, by stack: where each is found, how it is run, and how its results are checked.

None of them is part of this project: they are in the stacks' own packages, or in a checkout of their repositories.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Stack(NamedTuple):
    """A package whose programs are run.

    `repository` and `commit` say which checkout has the programs ("": the installed package has them). `options` are
    those of `cuda.cpu run`. `own` are the variables with which the stack's own back-end for the CPU runs a program;
    `own_arguments` are those arguments.
    """

    repository: str
    commit: str
    options: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    own_arguments: tuple[str, ...] = ()


class Program(NamedTuple):
    """A program of a stack.

    `path` is in the checkout, or a module's name; a page of documentation is run cell by cell. `until`: a text with
    which the program says that its results are right; what follows are benchmarks, so it is ended there. `measured`: it
    says nothing, has assertions, and is ended where benchmarks of triton.testing begin. `compared`: its output and the
    variables of its main module are compared with those of the stack's own back-end; `frames`: when its window has
    shown so many. `pytest`: `path` has tests, of which `arguments` may select some.
    `runner`: it has tests for this module, which prints what unittest does.
    """

    path: str
    arguments: tuple[str, ...] = ()
    until: str = ""
    times: int = 1  # how often `until` must be found
    measured: bool = False
    compared: bool = False
    frames: int = 0
    pytest: bool = False
    runner: str = ""
    folder: str = ""  # in which it is started
    tolerance: float = 1e-4


_CHECK = ("--correctness-check",)
_PASSED = "Correctness check passed"


def _cutile(name: str, times: int = 1) -> Program:
    return Program(f"samples/{name}.py", _CHECK, _PASSED, times)


def _warp(name: str, *arguments: str, tolerance: float = 1e-3) -> Program:
    return Program(f"warp.examples.{name}", arguments, compared=True, tolerance=tolerance)


def _taichi(name: str, tolerance: float = 1e-4, frames: int = 0) -> Program:
    return Program(f"taichi.examples.{name}", compared=True, tolerance=tolerance, frames=frames)


def _tilegym(name: str) -> Program:
    return Program(f"skills/tilegym-cutile-python/examples/{name}.py", until="Test passed!")


def _cute(name: str, *arguments: str, until: str = "") -> Program:
    return Program(f"examples/python/CuTeDSL/{name}.py", arguments, until)


def _tutorial(name: str, **others: Any) -> Program:
    return Program(f"{name}.py", folder=_TUTORIALS, **others)


_CUTILE = ("--torch", "--capability", "8.9")
_TUTORIALS = "python/tutorials"

STACKS = {
    "cutile": Stack("NVIDIA/cutile-python", "9c3ee3c", _CUTILE),
    "tilegym": Stack("NVIDIA/TileGym", "75a1430", _CUTILE),
    "cute": Stack("NVIDIA/cutlass", "7107b05", ("--torch",), (("CUTE_DSL_LINEINFO", "1"),)),
    "triton": Stack("triton-lang/triton", "f4fca2c", ("--torch",), (("MPLBACKEND", "Agg"), ("CC", "gcc"))),
    "numba-cuda-mlir": Stack("NVIDIA/numba-cuda-mlir", "10ece76"),
    "numba-cuda": Stack("", ""),
    "tinygrad": Stack("", "", variables=(("DEV", "CUDA"),), own=(("DEV", "PYTHON"),)),
    "taichi": Stack("", "", variables=(("TI_ARCH", "cuda"), ("MPLBACKEND", "Agg")), own=(("TI_ARCH", "x64"),)),
    "jax": Stack("jax-ml/jax", "cec06d1", own=(("JAX_PLATFORMS", "cpu"),)),
    "warp": Stack("", "", variables=(("MPLBACKEND", "Agg"),), own_arguments=("--device", "cpu")),
}

_PAGES = ("automatic-differentiation", "automatic-vectorization", "jit-compilation", "control-flow", "random-numbers",
          "stateful-computations", "pytrees", "custom_pytrees", "higher-order", "jaxpr", "tracing")  # fmt: skip
_DOC_TESTS = ("vecadd", "laplace", "matmul", "montecarlo", "random", "reduction", "sessionize", "ufunc", "cg",
              "cpointer", "cpu_gpu_compat", "globals", "ffi")  # fmt: skip
_AMPERE = "cute/ampere/kernel"
_GLUON = ("01-intro", "02-layouts", "03-async-copy", "04-tma")
_TILEGYM = (
    "convolution/conv2d_with_bias_dilation_groups", "convolution/conv3d_with_bias_dilation_groups",
    "convolution/conv_transpose_2d", "convolution/conv_transpose_3d", "matmul/matmul_4d_tensors",
    "matmul/matrix_vector_multiplication", "matmul/split_k_gemm", "normalization/group_norm", "pooling/avgpool3d",
    "pooling/maxpool3d", "scan/cumsum_cumprod_blocking",
)  # fmt: skip
_DOCSTRINGS = ("tensor", "mixin.creation", "mixin.dtype", "mixin.elementwise", "mixin.movement", "mixin.op",
               "mixin.rand", "mixin.reduce", "nn", "nn.state")  # fmt: skip

PROGRAMS: dict[str, tuple[Program, ...]] = {
    "cutile": (
        _cutile("VectorAddition", 4), _cutile("Transpose", 3), _cutile("MatMul", 3), _cutile("BatchMatMul"),
        _cutile("LayerNorm"), _cutile("FFT"), _cutile("AttentionFMHA"), _cutile("MoE"), _cutile("BlockScaledMatMul"),
        _cutile("AllGatherMatmul"),
    ),
    "triton": (
        _tutorial("01-vector-add", until="difference between torch and triton is 0.0"),
        _tutorial("02-fused-softmax", measured=True),
        _tutorial("03-matrix-multiplication", until="Triton and Torch match"),
        _tutorial("04-low-memory-dropout"),
        _tutorial("05-layer-norm", measured=True),
        _tutorial("06-fused-attention", pytest=True, arguments=("-k", "bwd-False and 64-128-2-1")),  # small
        _tutorial("07-extern-functions", until="0.0", times=2),
        _tutorial("08-grouped-gemm", measured=True),
        _tutorial("11-programmatic-dependent-launch", until="add: \u2705"),
        *(_tutorial(f"gluon/{name}", pytest=True) for name in _GLUON),
    ),
    "cute": (
        _cute("dsl_tutorials/smem_allocator"), _cute("dsl_tutorials/cooperative_launch"),
        _cute("dsl_tutorials/torch_fake_tensor"), _cute("dsl_tutorials/dynamic_smem_size", until="PASS"),
        _cute("dsl_tutorials/inline_ptx", until="Results verified successfully!"),
        _cute(f"{_AMPERE}/elementwise/elementwise_add", "--M", "128", "--N", "128", until="PASS"),
        _cute(f"{_AMPERE}/elementwise/elementwise_apply", "--M", "128", "--N", "512", "--op", "add", until="PASS"),
        _cute(f"{_AMPERE}/dense_gemm/sgemm", "--mnk", "128,128,64", until="PASS"),
        _cute(f"{_AMPERE}/dense_gemm/tensorop_gemm", "--mnkl", "128,128,64,1", until="PASS"),
        _cute(f"{_AMPERE}/attention/flash_attention_v2", "--batch_size", "1", "--seqlen_q", "128", "--seqlen_k", "128",
              "--num_head", "1", until="PASS"),
    ),
    "tilegym": tuple(map(_tilegym, _TILEGYM)),
    "numba-cuda": tuple(
        Program(f"numba.cuda.tests.doc_examples.test_{name}", runner="numba.runtests") for name in _DOC_TESTS
    ),
    "numba-cuda-mlir": tuple(Program(f"tests/doc_examples/test_{name}.py", pytest=True) for name in _DOC_TESTS),
    "tinygrad": tuple(Program(f"tinygrad.{name}", compared=True) for name in _DOCSTRINGS),
    "jax": tuple(Program(f"docs/{name}.md", compared=True, tolerance=5e-3) for name in _PAGES),
    "taichi": (
        _taichi("minimal"), _taichi("autodiff.jacobian"), _taichi("autodiff.minimization"),
        _taichi("autodiff.regression"), _taichi("autodiff.simple_derivative"), _taichi("algorithm.laplace"),
        _taichi("features.sparse.explicit_activation"), _taichi("features.sparse.taichi_dynamic"),
        _taichi("features.sparse.tutorial"), _taichi("simulation.fractal", frames=3),
        _taichi("rendering.taichi_logo", frames=3), _taichi("rendering.simple_uv", frames=3),
        _taichi("simulation.mandelbrot_zoom", frames=3), _taichi("simulation.fem99", 1e-3, frames=3),
        _taichi("simulation.fem128", 1e-3, frames=3),
    ),
    "warp": (
        _warp("core.example_dem", "--num-frames", "3", "--stage-path", "None"),
        _warp("core.example_wave", "--num-frames", "10", "--stage-path", "None"),
        _warp("core.example_raymarch", "--headless"),
        _warp("core.example_raycast", "--headless"),
        _warp("core.example_mesh", "--num-frames", "10", "--stage-path", "None"),
        _warp("core.example_mesh_intersect", "--num-frames", "2", "--stage-path", "None"),
        _warp("core.example_graph_capture", "--headless", "--num-frames", "20"),
        _warp("core.example_fluid", "--headless", "--num-frames", "5"),
        _warp("core.example_sph", "--num-frames", "2", "--stage-path", "None"),
        _warp("core.example_fft_poisson_navier_stokes_2d", "--headless", "--num-frames", "3"),
        _warp("optim.example_particle_repulsion", "--headless", "--num-frames", "2"),
    ),
}  # fmt: skip
