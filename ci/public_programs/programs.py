# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The programs, by stack: where each is found, how it is run, and how its results are checked.

None of them is part of this project: they are in the stacks' own packages, or in a checkout of their repositories.
"""

from __future__ import annotations

from typing import NamedTuple


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

    `path` is in the checkout or, with `module`, a module's name. `until`: a text with which the program says that its
    results are right; what follows are benchmarks, so it is ended there. `compared`: its output and the variables of
    its main module are compared with those of the stack's own back-end.
    """

    path: str
    arguments: tuple[str, ...] = ()
    until: str = ""
    times: int = 1  # how often `until` must be found
    compared: bool = False
    pytest: bool = False
    folder: str = ""  # in which it is started
    tolerance: float = 1e-4


_CHECK = ("--correctness-check",)
_PASSED = "Correctness check passed"


def _cutile(name: str, times: int = 1) -> Program:
    return Program(f"samples/{name}.py", _CHECK, _PASSED, times)


def _warp(name: str, *arguments: str, tolerance: float = 1e-3) -> Program:
    return Program(f"warp.examples.{name}", arguments, compared=True, tolerance=tolerance)


def _taichi(name: str, tolerance: float = 1e-4) -> Program:
    return Program(f"taichi.examples.{name}", compared=True, tolerance=tolerance)


STACKS = {
    "cutile": Stack("NVIDIA/cutile-python", "9c3ee3c", ("--torch", "--capability", "8.9")),
    "triton": Stack("triton-lang/triton", "f4fca2c", ("--torch",), (("MPLBACKEND", "Agg"), ("CC", "gcc"))),
    "numba-cuda-mlir": Stack("NVIDIA/numba-cuda-mlir", "10ece76"),
    "tinygrad": Stack("", "", variables=(("DEV", "CUDA"),), own=(("DEV", "PYTHON"),)),
    "taichi": Stack("", "", variables=(("TI_ARCH", "cuda"), ("MPLBACKEND", "Agg")), own=(("TI_ARCH", "x64"),)),
    "warp": Stack("", "", variables=(("MPLBACKEND", "Agg"),), own_arguments=("--device", "cpu")),
}

_TUTORIALS = "python/tutorials"
_DOC_TESTS = ("vecadd", "laplace", "matmul", "montecarlo", "random", "reduction", "sessionize", "ufunc", "cg",
              "cpointer", "cpu_gpu_compat", "globals", "ffi")  # fmt: skip
_GLUON = ("01-intro", "02-layouts", "03-async-copy", "04-tma")
_DOCSTRINGS = ("tensor", "mixin.creation", "mixin.dtype", "mixin.elementwise", "mixin.movement", "mixin.op",
               "mixin.rand", "mixin.reduce", "nn", "nn.state")  # fmt: skip

PROGRAMS: dict[str, tuple[Program, ...]] = {
    "cutile": (
        _cutile("VectorAddition", 4), _cutile("Transpose", 3), _cutile("MatMul", 3), _cutile("BatchMatMul"),
        _cutile("LayerNorm"), _cutile("FFT"), _cutile("AttentionFMHA"), _cutile("MoE"), _cutile("BlockScaledMatMul"),
        _cutile("AllGatherMatmul"),
    ),
    "triton": (
        Program(f"{_TUTORIALS}/01-vector-add.py", until="difference between torch and triton is 0.0"),
        Program(f"{_TUTORIALS}/02-fused-softmax.py"),
        Program(f"{_TUTORIALS}/03-matrix-multiplication.py", until="Triton and Torch match"),
        Program(f"{_TUTORIALS}/04-low-memory-dropout.py"),
        Program(f"{_TUTORIALS}/05-layer-norm.py"),
        Program(f"{_TUTORIALS}/06-fused-attention.py", pytest=True),
        Program("07-extern-functions.py", until="0.0", times=2, folder=_TUTORIALS),
        Program(f"{_TUTORIALS}/08-grouped-gemm.py"),
        *(Program(f"{_TUTORIALS}/gluon/{name}.py", pytest=True) for name in _GLUON),
    ),
    "numba-cuda-mlir": tuple(Program(f"tests/doc_examples/test_{name}.py", pytest=True) for name in _DOC_TESTS),
    "tinygrad": tuple(Program(f"tinygrad.{name}", compared=True) for name in _DOCSTRINGS),
    "taichi": (
        _taichi("minimal"), _taichi("autodiff.jacobian"), _taichi("autodiff.minimization"),
        _taichi("autodiff.regression"), _taichi("autodiff.simple_derivative"), _taichi("algorithm.laplace"),
        _taichi("features.sparse.explicit_activation"), _taichi("features.sparse.taichi_dynamic"),
        _taichi("features.sparse.tutorial"), _taichi("machine_learning.differential_evolution"),
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
