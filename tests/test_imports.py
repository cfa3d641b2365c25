# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Modules import downwards only, and never in a circle: see support/import_graph.py."""

import pytest
from support import import_graph

# From the lowest up: a module imports from its own layer and from those before it. What a longer name says goes first.
LAYERS = [
    "cuda.cpu.runtime",
    "cuda.cpu.ptx",
    "cuda.cpu.passes",
    "cuda.cpu.emit.llvm",
    "cuda.cpu.emit.access",
    "cuda.cpu.emit.simt",
    "cuda.cpu.emit.instructions",
    "cuda.cpu.emit",
    "cuda.cpu.check",
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
    "cuda.cpu.programs",
    "cuda.cpu.__main__",
]
PACKAGES = ["cuda.bindings", "cuda.core"]  # and cuda.cpu, which is installed alone, too, imports neither

# What is still to be undone; both may only become shorter.
KNOWN_CYCLES: list[set[str]] = []
KNOWN_UPWARD: set[tuple[str, str]] = set()


@pytest.fixture(scope="module")
def edges():
    return import_graph.graph()


def test_the_graph_is_that_of_our_modules(edges):
    assert "cuda.cpu.ptx.parser" in edges["cuda.cpu.ptx.program"]  # from cuda.cpu.ptx import parser, or from ...parser
    assert "cuda.core._stream._stream" in edges["cuda.core._launch._launch"]  # a cimport
    assert all(edges[module] for module in ("cuda.core._device._device", "cuda.bindings._args"))


def test_no_module_imports_itself_by_others(edges):
    found = [group for group in import_graph.cycles(edges) if not any(set(group) <= known for known in KNOWN_CYCLES)]
    assert found == []


def test_no_import_goes_up(edges):
    assert set(import_graph.upward(edges, LAYERS)) - KNOWN_UPWARD == set()
    assert import_graph.upward(edges, PACKAGES) == []
    cpu = {target for module in edges if module.startswith("cuda.cpu") for target in edges[module]}
    assert not [target for target in cpu if target.startswith(tuple(PACKAGES))]
    assert not [target for target in edges["cuda.core"] if target.startswith("cuda.cpu")]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.py": "from cuda.cpu import b", "b.py": "def f():\n    import cuda.cpu.a"}, [["cuda.cpu.a", "cuda.cpu.b"]]),
        (
            {"a.pyx": "from .b cimport (  # text\n    X,\n)", "b.pxd": "from cuda.cpu.a cimport Y"},
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
