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


TEXTURE = """
import numpy as np, warp as wp
texture = wp.Texture2D(np.zeros((4, 4), np.float32), device="cuda:0")
"""


def test_what_needs_libcudart_raises(tmp_path):
    (tmp_path / "texture.py").write_text(TEXTURE)
    done = run(tmp_path / "texture.py", tmp_path)
    assert done.returncode == 1
    assert "needs NVIDIA's libcudart" in done.stderr
