# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run every example as a reader would: a process of its own. Each one checks its own results against NumPy."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from cuda.core import Device

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.needs_nvrtc
LAST_LINE = {
    "graph_conditional.py": r"graph_conditional: \d+ rounds on .+ in one launch; the temperature is linear",
    "vector_add.py": r"vector_add: 50000 sums on .+ equal NumPy's; the last is 49999\.5",
    "saxpy.py": r"saxpy<double>: 1000000 elements on .+ match NumPy",
    "matmul.py": r"matmul: \(150x203\) @ \(203x170\) on .+ matches NumPy",
    "reduction.py": r"reduction: the sum of 1000003 integers on .+ is -?\d+, equal to NumPy's",
    "streams_and_events.py": r"streams_and_events: \d+\.\d{3} ms on .+, results as expected",
    "lto_link.py": r"lto_link: the integral of x \* x from 0 to 3 is 9\.000000",
    "awaitable_streams.py": r"awaitable_streams: on .+, 6171 takes 261 steps; the event loop ran meanwhile",
    "strided_view.py": r"strided_view: pinned, device and host memory were negated by a kernel, a kernel, NumPy",
    "solver_cub.py": r"solver_cub: 256 equations solved on .+ in \d+ iterations, equal to NumPy's",
    "two_devices.py": r"two_devices: 512 squares from 2 of .+",
    "share_memory.py": r"share_memory: another process doubled 128 numbers on .+",
    "show_device_properties.py": r"show_device_properties: \d+ device\(s\)",
    "memory_pools.py": r"memory_pools: device, pinned, managed, virtual and NumPy's memory on .+",
    "green_contexts.py": r"green_contexts: (two parts of .+ worked concurrently|.+ too few to divide)",
    "launch_from_kernels.py": r"launch_from_kernels: 4096 numbers sorted on .+ by one launch from the host",
    "small_compiler.py": r"small_compiler: two targets, vectors of 4 and 1, on .+: results equal NumPy's",
    "numpy_ufunc.py": r"numpy_ufunc: 1203 prices on .+; at 100, a call for 100 costs 6\.3710",
    "compile_error.py": r"compile_error: the corrected source compiles to \d+ bytes of PTX",
}

NEEDED = {"small_compiler.py": pytest.mark.needs_nvvm, "solver_cub.py": pytest.mark.needs_cccl}

OTHERS = {  # what else they need, and what they say at the end
    "torch_operator.py": ("torch", r"torch_operator: squared_relu on .+ has the gradient that PyTorch expects"),
    "dask_squares.py": ("distributed", r"dask_squares: 10 tasks on two workers found 333283335000"),
}


def pixels(path):
    with Image.open(path) as picture:
        return np.asarray(picture)


def run(name, *arguments, cwd):
    result = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=100,
        env=os.environ | {"CUDA_CPU_DEVICES": "2"},
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDED.get(name, ())) for name in LAST_LINE])
def test_says_what_it_did(name, tmp_path, on_gpu):
    if on_gpu and name == "two_devices.py" and len(Device.get_all_devices()) < 2:
        pytest.skip("there is one GPU")
    assert re.fullmatch(LAST_LINE[name], run(name, cwd=tmp_path)[-1])


@pytest.mark.parametrize("name", OTHERS)
def test_works_with_other_libraries(name, tmp_path):
    library, says = OTHERS[name]
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    assert re.fullmatch(says, run(name, cwd=tmp_path)[-1])


def test_compile_error_shows_the_line_and_the_name(tmp_path):
    shown = "\n".join(run("compile_error.py", cwd=tmp_path))
    assert 'identifier "facter" is undefined' in shown or "undeclared identifier 'facter'" in shown  # NVRTC, clang
    assert "scale.cu(6)" in shown


def test_texture_picture_draws_a_board(tmp_path):
    run("texture_picture.py", tmp_path / "t.png", cwd=tmp_path)
    picture = pixels(tmp_path / "t.png").astype(int)
    assert picture.shape == (256, 256, 4)
    colours = np.array([[255, 160, 40], [30, 60, 160]])
    near = np.abs(picture[:, :, None, :3] - colours).sum(axis=3).min(axis=2)
    assert (near < 12).mean() > 0.7  # the rest lies between fields, where the two are mixed
    assert 0.4 < (picture[..., 0] > 142).mean() < 0.6


def test_mandelbrot_draws_the_set(tmp_path):
    run("mandelbrot.py", tmp_path / "m.png", cwd=tmp_path)
    picture = pixels(tmp_path / "m.png")
    assert picture.shape == (320, 480, 3)
    assert picture[160, 330].tolist() == [0, 0, 0]  # c = 0 is in the set
    assert picture[160, 180].tolist() == [0, 0, 0]  # so is c = -1
    assert picture[0, 0].any()  # c = -2.2 - 1.1i is not
    inside = (picture.sum(axis=2) == 0).mean()
    assert inside == pytest.approx(1.5066 / (3.2 * 2.2), abs=0.01)  # the known area of the set


def test_nbody_draws_two_galaxies(tmp_path):
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    run("nbody.py", tmp_path / "n.gif", 512, 3, cwd=tmp_path)
    with Image.open(tmp_path / "n.gif") as picture:
        assert (picture.n_frames, picture.size) == (3, (300, 300))
        first = np.asarray(picture.convert("L"))
    assert (first > 100).mean() > 0.02  # bright enough to see: a star is more than a pixel
    assert first[119:122, 90:94].max() > 100  # the middle of one: just off (-1.2, -0.6) in a square from -3 to 3
    assert first[179:182, 206:210].max() > 100  # of the other
    assert first[:50].max() == first[-50:].max() == 0  # nothing far from both


def test_image_filter_finds_the_edges_of_a_square(tmp_path):
    square = np.zeros((40, 60, 3), np.uint8)
    square[10:30, 20:40] = (200, 100, 0)
    Image.fromarray(square).save(tmp_path / "in.png")
    run("image_filter.py", tmp_path / "in.png", tmp_path / "out.png", cwd=tmp_path)
    edges = pixels(tmp_path / "out.png")
    assert edges.shape == square.shape
    assert edges[20, 30].tolist() == [0, 0, 0]  # flat inside
    assert edges[5, 5].tolist() == [0, 0, 0]  # flat outside
    assert edges[20, 20].tolist() == [255, 255, 0]  # 4 * 200 and 4 * 100, cut at 255; no blue
    assert edges[9, 19].tolist() == [255, 200, 0]  # a corner: 200 and 100, in both directions


def test_image_filter_reads_the_picture_that_ships(tmp_path):
    run("image_filter.py", EXAMPLES / "picture.png", tmp_path / "out.jpg", cwd=tmp_path)
    assert pixels(tmp_path / "out.jpg").shape == pixels(EXAMPLES / "picture.png").shape


def test_the_picture_is_what_its_script_draws(tmp_path):
    run("make_picture.py", tmp_path / "again.png", cwd=tmp_path)
    drawn, shipped = (pixels(path) for path in (tmp_path / "again.png", EXAMPLES / "picture.png"))
    np.testing.assert_array_equal(drawn, shipped)


def test_the_program_of_the_readme_prints_what_it_says(tmp_path):
    readme = (EXAMPLES.parent / "README.md").read_text()
    program = re.search(r"```python\n(.*?)```", readme, re.DOTALL).group(1)
    says = program.rstrip().rpartition("#")[2].strip()
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=100)
    assert result.stdout.strip().endswith(says), result.stdout + result.stderr


def test_mpi_sum_adds_over_the_ranks(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpiexec = shutil.which("mpiexec", path=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
    if mpiexec is None:
        pytest.skip("no mpiexec")
    command = [mpiexec, "-n", "3", sys.executable, EXAMPLES / "mpi_sum.py"]
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # as in a container
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=100, env=os.environ | as_root
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"mpi_sum: 3 ranks on .+ found 333283335000", result.stdout)


def test_every_example_is_run():
    tested = {*LAST_LINE, *OTHERS, "nbody.py", "mandelbrot.py", "image_filter.py", "make_picture.py", "mpi_sum.py"}
    tested |= {"texture_picture.py", "heat.py", "heat_mpi.py", "heat_dask.py", "heat_halo.py", "sweep_ray.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested
