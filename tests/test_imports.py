# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Modules import from lower layers only, without cycles: see support/import_graph.py."""

import pytest
from support import import_graph

# From the lowest up: a module imports from its own layer and from those before it. The longest name that fits counts.
LAYERS = [
    "cuda.cpu.runtime",
    "cuda.cpu.ptx",
    "cuda.cpu.tile",
    "cuda.cpu.passes",
    "cuda.cpu.emit.llvm",
    "cuda.cpu.emit.access",
    "cuda.cpu.emit.simt",
    "cuda.cpu.emit.instructions",
    "cuda.cpu.emit",
    "cuda.cpu.check",
    "cuda.cpu.counters",
    "cuda.cpu.debug",
    "cuda.cpu.compile",
    "cuda.cpu.driver.base",
    "cuda.cpu.driver.device",
    "cuda.cpu.driver.stream",
    "cuda.cpu.driver.memory",
    "cuda.cpu.driver.array",
    "cuda.cpu.driver.code",
    "cuda.cpu.driver.graph",
    "cuda.cpu.driver",
    "cuda.cpu.runtime_api",
    "cuda.cpu.nvml",
    "cuda.cpu.profile",
    "cuda.cpu.programs",
    "cuda.cpu.debug.session",
    "cuda.cpu.__main__",
]
# cuda.cpu, which can be installed alone, imports none of them.
PACKAGES = ["cuda.bindings", "cuda.core", "cuda.interop", "cuda.perf"]


@pytest.fixture(scope="module")
def edges():
    return import_graph.graph()


def test_the_graph_is_that_of_our_modules(edges):
    assert "cuda.cpu.ptx.parser" in edges["cuda.cpu.ptx.program"]  # from cuda.cpu.ptx import parser, or from ...parser
    assert "cuda.core._stream._stream" in edges["cuda.core._launch._launch"]  # a cimport
    assert all(edges[module] for module in ("cuda.core._device._device", "cuda.bindings._args"))


def test_there_are_no_import_cycles(edges):
    assert import_graph.cycles(edges) == []


def test_modules_import_from_their_own_or_a_lower_layer(edges):
    assert import_graph.upward(edges, LAYERS) == []
    assert import_graph.upward(edges, PACKAGES) == []
    cpu = {target for module in edges if module.startswith("cuda.cpu") for target in edges[module]}
    assert not [target for target in cpu if target.startswith(tuple(PACKAGES))]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.py": "from cuda.cpu import b", "b.py": "def f():\n    import cuda.cpu.a"}, [["cuda.cpu.a", "cuda.cpu.b"]]),
        (
            {"a.pyx": "from .b cimport (  # text\n    X,\n)", "b.pxd": "from cuda.cpu.a cimport Y"},
            [["cuda.cpu.a", "cuda.cpu.b"]],
        ),
        (
            {"a.pyx": 'include "a_part.pxi"', "a_part.pxi": "from cuda.cpu import b", "b.py": "from . import a"},
            [["cuda.cpu.a", "cuda.cpu.b"]],
        ),
        (
            {
                "a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import b",
                "b.py": "from . import a",
            },
            [],
        ),
        ({"a.py": "from . import b, c", "b.py": "from . import c", "c.py": ""}, []),
    ],
)
def test_cycles_are_found(tmp_path, files, expected):
    for name, text in files.items():
        path = tmp_path / "cuda_cpu/cuda/cpu" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert import_graph.cycles(import_graph.graph(tmp_path)) == expected


def test_upward_imports_are_found():
    edges = {"a.x": {"b.y"}, "b.y": {"a.x"}, "c": {"a.x"}}
    assert import_graph.upward(edges, ["a", "b"]) == [("a.x", "b.y")]
