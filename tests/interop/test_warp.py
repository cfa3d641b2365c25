# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's Warp on the CPU device: it contains libcudart, so `run` replaces some of its functions."""

import pytest
from support import programs

pytestmark = [pytest.mark.cpu_only, pytest.mark.timeout(600), programs.needs("warp", "warp-lang")]


def run(program, tmp_path):
    return programs.run(program, variables={"WARP_CACHE_PATH": str(tmp_path / "cache")})


def test_twelve_programs(tmp_path):
    done = run("warp_programs.py", tmp_path)
    assert programs.right(done) == [
        "arrays", "structs_and_atomics", "vectors_and_matrices", "gradients", "streams_and_events", "graphs",
        "random_numbers", "neighbours", "rays_on_a_mesh", "moving_mesh", "tiles", "sorts_and_scans",
    ]  # fmt: skip
    assert "on CPU device" in done.stdout


def test_loops_branches_and_allocations_in_graphs(tmp_path):
    done = run("warp_graphs.py", tmp_path)
    assert programs.right(done) == [
        "loops", "branches", "nested", "graphs_in_graphs", "allocations", "functions_of_the_host", "failed_captures",
    ]  # fmt: skip


TEXTURE = """
import numpy as np, warp as wp
texture = wp.Texture2D(np.zeros((4, 4), np.float32), device="cuda:0")
"""


def test_what_needs_libcudart_raises(tmp_path):
    (tmp_path / "texture.py").write_text(TEXTURE)
    done = run(tmp_path / "texture.py", tmp_path)
    assert done.returncode == 1
    assert "needs NVIDIA's libcudart" in done.stderr


FILLS = """
import numpy as np, warp as wp
pinned = wp.full(3, 2, dtype=float, device="cpu", pinned=True)  # before a context is current
assert pinned.numpy().tolist() == [2, 2, 2]
kinds = [(wp.float32, 3.5), (wp.vec3, wp.vec3(1.0, 2.0, 3.0)), (wp.vec3h, wp.vec3h(1.0, 2.0, 3.0)), (wp.uint8, 7),
         (wp.mat22d, wp.mat22d(1.0, 2.0, 3.0, 4.0)), (wp.vec3ub, wp.vec3ub(1, 2, 3))]
arrays = [wp.zeros(5, dtype=kind, device="cuda:0") for kind, _ in kinds]
with wp.ScopedCapture("cuda:0") as capture:
    for array, (_, value) in zip(arrays, kinds):
        array.fill_(value)
assert not any(array.numpy().any() for array in arrays)
wp.capture_launch(capture.graph)
for array, (kind, value) in zip(arrays, kinds):
    assert np.array_equal(array.numpy(), wp.full(5, value, dtype=kind, device="cpu").numpy()), kind
print("fills is right")
"""


def test_fills_in_a_graph_and_pinned_memory_at_first(tmp_path):
    (tmp_path / "fills.py").write_text(FILLS)
    assert programs.right(run(tmp_path / "fills.py", tmp_path)) == ["fills"]
