# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What docs/guides/checking.md says that the checks find in the corpus of faulty kernels, and no false alarm."""

from __future__ import annotations

import pathlib
import re

import pytest
from support import check_corpus

from cuda.cpu import driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "guides" / "checking.md"
ROW = re.compile(r"^\| `\w+` \| ([\w ]+) \| (\d+) of (\d+) \| .*\|$", re.MULTILINE)


def test_the_guide_names_all_classes():
    assert [found[1] for found in ROW.finditer(GUIDE.read_text())] == list(check_corpus.CLASSES)
    assert sum(1 for _ in check_corpus.cases()) >= 240


@pytest.mark.parametrize("group", check_corpus.CLASSES)
def test_faulty_kernels_are_found_and_correct_ones_are_not(group, monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_CPU_CHECK", check_corpus.checks_of(group))
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path))
    driver.cuInit(0)
    found, faulty, missed, false = check_corpus.rates(group)
    documented = {row[1]: (int(row[2]), int(row[3])) for row in ROW.finditer(GUIDE.read_text())}
    assert false == []
    assert (found, faulty) == documented[group], missed
