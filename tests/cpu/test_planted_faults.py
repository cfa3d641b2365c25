# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels find faults that are planted in the compiler: a few of them here, all by `nox -s faults`."""

from __future__ import annotations

import pickle
from random import Random

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support import fault_hunt
from support.loaded import Loaded
from support.random_focus import focused

import cuda.cpu

pytestmark = pytest.mark.cpu_only
SAMPLE = [  # what faults put in place of what stands there: some that the first kernels find
    "return found[1] - found[0]",
    "return (other if within else 0), within",
    '"bfly": lane | index',
    "first, bit = divmod(8 * offset & -32, unit)",
    "Guard(guard.register, guard.negated)",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    cases = [focused(Random(seed)) for seed in range(12)]
    file = tmp_path_factory.mktemp("faults") / "corpus"
    file.write_bytes(pickle.dumps([(case, case.interpreted()) for case in cases]))
    return str(file)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("replacement", SAMPLE)
def test_a_fault_is_found(corpus, replacement):
    number = next(number for number, (_, fault) in enumerate(fault_hunt.EVERY) if fault[2].startswith(replacement))
    _, found, how, _ = fault_hunt.try_fault(number, corpus, 200)
    assert found
    assert "has no" not in how


def test_all_faults_can_be_planted():
    """Each text is there, another one takes its place, and the file still compiles."""
    assert len(fault_hunt.EVERY) >= 100
    root = fault_hunt.Path(cuda.cpu.__file__).parent
    for _, (file, text, replacement) in fault_hunt.EVERY:
        source = (root / file).read_text()
        assert text in source, (file, text)
        assert source.replace(text, replacement, 1) != source
        compile(source.replace(text, replacement, 1), file, "exec")


@pytest.mark.parametrize("seed", range(6))
def test_focused_kernels_give_the_interpreters_bits(seed, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "0")
    case = focused(Random(seed + 1000))
    case.check(Loaded(case.text.encode()), case.interpreted(), f"kernel {seed}")
