# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: random kernels detect faults planted in the compiler, a few here, all with `nox -s faults`."""

from __future__ import annotations

import pathlib
import pickle
from random import Random

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support import fault_hunt
from support.lane_values import _fma
from support.loaded import Loaded
from support.random_focus import FAMILIES, TURNS, focused
from support.warps import HEAD

import cuda.cpu

pytestmark = pytest.mark.cpu_only
ROOT = pathlib.Path(__file__).parents[3]
SAMPLE = [  # replacements of some faults that the first kernels detect
    "return found[1] - found[0]",
    "return value if offset <= 4 else builder",
    "preserved = graph.live_in[first_of(blocks)]",
    'numbers = constant(0, "i64")',
    "Guard(guard.register, guard.negated)",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    kernels = [fault_hunt.prepared(focused(Random(seed), family)) for seed, family in enumerate(TURNS)]
    file = tmp_path_factory.mktemp("faults") / "corpus"
    file.write_bytes(pickle.dumps(kernels))
    return str(file)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("replacement", SAMPLE)
def test_a_planted_fault_is_detected(corpus, replacement):
    number = next(number for number, (_, fault) in enumerate(fault_hunt.EVERY) if fault[2].startswith(replacement))
    result = fault_hunt.try_fault(number, corpus, 200)
    assert result.found
    assert "has no" not in result.how


@pytest.mark.timeout(300)
def test_nothing_is_detected_without_a_fault(corpus):
    result = fault_hunt.try_fault(-1, corpus, 3)
    assert not result.found, result.how
    assert int(result.how.split()[0]) > 0


def test_the_interpreter_adds_infinities_to_large_products():
    large, infinity = 0x7F7FFFFF, 0x7F800000
    for sign in (0, 1 << 31):
        assert _fma(large, large, sign | infinity, "f32") == sign | infinity


def test_reach_lists_the_faults_in_called_functions():
    head = HEAD + ".visible .entry k() { .reg .b32 %r<3>; .reg .pred %p1; mov.u32 %r2, 3; setp.eq.u32 %p1, %r2, 0; "
    with fault_hunt.reach() as without:
        fault_hunt.hash_of(head + "ret; }", fault_hunt.WAYS[0])
    with fault_hunt.reach() as with_vote:
        fault_hunt.hash_of(head + "vote.sync.ballot.b32 %r1, %p1, -1; ret; }", fault_hunt.WAYS[0])
    vote = next(number for number, (_, fault) in enumerate(fault_hunt.EVERY) if fault[2] == "voted = holds")
    assert vote in with_vote
    assert vote not in without


def test_all_faults_can_be_planted():
    """Each quoted text exists, is replaced, and the file still compiles; the documentation has their number."""
    for name in ("CONTRIBUTING.md", "docs/design/how_a_launch_runs.md"):
        assert f"plants {len(fault_hunt.EVERY)} faults" in (ROOT / name).read_text()
    root = fault_hunt.Path(cuda.cpu.__file__).parent
    for _, (file, text, replacement) in fault_hunt.EVERY:
        source = (root / file).read_text()
        assert text in source, (file, text)
        assert source.replace(text, replacement, 1) != source
        compile(source.replace(text, replacement, 1), file, "exec")


@pytest.mark.parametrize("family", FAMILIES)
def test_focused_kernels_match_the_interpreter(family, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "0")
    case = focused(Random(1000), family)
    case.check(Loaded(case.text.encode()), case.interpreted(), family)
