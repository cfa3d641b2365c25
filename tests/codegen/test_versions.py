# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen import versions


@pytest.mark.parametrize(
    ("symbol", "parts"),
    [
        ("cuInit", ("cuInit", 1, "")),
        ("cuMemAlloc_v2", ("cuMemAlloc", 2, "")),
        ("cuMemcpyHtoD_v2_ptds", ("cuMemcpyHtoD", 2, "_ptds")),
        ("cuStreamQuery_ptsz", ("cuStreamQuery", 1, "_ptsz")),
        ("cuMemsetD2D8", ("cuMemsetD2D8", 1, "")),
    ],
)
def test_split(symbol, parts):
    assert versions.split(symbol) == parts


@given(
    st.lists(st.integers(2, 1400).map(lambda number: 10 * number), min_size=1, max_size=5, unique=True), st.randoms()
)
def test_symbols_and_versions_are_matched_in_sorted_order(dates, random):
    dates = sorted(dates)
    symbols = [f"xyA_v{form}" if form > 1 else "xyA" for form in range(1, len(dates) + 1)]
    expected = dict(zip(symbols, dates, strict=True))
    typedefs = [f"PFN_xyA_v{date}" for date in dates]
    random.shuffle(symbols)
    random.shuffle(typedefs)
    assert versions.introduced(symbols, typedefs) == expected


def test_per_thread_variants_have_their_own_versions():
    symbols = ["xyA", "xyA_ptsz", "xyA_v2_ptsz", "xyA_v2"]
    typedefs = ["PFN_xyA_v2000", "PFN_xyA_v7000_ptsz", "PFN_xyA_v12000", "PFN_xyA_v12000_ptsz"]
    assert versions.introduced(symbols, typedefs) == {
        "xyA": 2000, "xyA_v2": 12000, "xyA_ptsz": 7000, "xyA_v2_ptsz": 12000,
    }  # fmt: skip


def test_symbols_without_a_version_are_an_error():
    message = r"xyA: the header declares xyA, xyA_v2, but .* PFN_xyA_v<version> .*\[2000\]"
    with pytest.raises(versions.VersionError, match=message):
        versions.introduced(["xyA", "xyA_v2"], ["PFN_xyA_v2000"])
