# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The scripts that build and check the documentation's site, and the records that it shows."""

import importlib
import json
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
DOCS = ROOT / "docs"
RECORDS = DOCS / "_static/examples"
NOT_RECORDED = {"make_picture", "heat_halo", "torch_operator"}  # a tool; a module of others; needs PyTorch


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.setitem(sys.modules, "equivalents", None)
    monkeypatch.delitem(sys.modules, "equivalents")
    return importlib.import_module


@pytest.fixture
def equivalents(script):
    pytest.importorskip("docutils", reason="Sphinx is not installed")  # a folder `sphinx` may exist without it
    pytest.importorskip("sphinx.application", reason="Sphinx is not installed")
    return script("equivalents")


@pytest.mark.parametrize(
    ("code", "page", "names"),
    [
        ("cp.asnumpy(a)", "cupy", ["cp.asnumpy", "cupy.asnumpy", "asnumpy"]),
        ("cuda.mem_alloc(n)", "pycuda", ["cuda.mem_alloc", "drv.mem_alloc", "pycuda.driver.mem_alloc", "mem_alloc"]),
        ("@cuda.jit", "numba", ["cuda.jit", "numba.cuda.jit", "jit"]),
        ("cudaMemcpy(dst, src, n, kind)", "cuda_cpp", ["cudaMemcpy"]),
        ("import pycuda.autoinit", "pycuda", ["pycuda.autoinit", "autoinit"]),
        ("b - a", "numba", []),
        ('"name"', "cupy", []),
    ],
)
def test_the_search_knows_the_names_of_other_packages(equivalents, code, page, names):
    assert equivalents.names_in(code, page) == names


def test_the_search_knows_the_questions(equivalents):
    assert equivalents.phrases_in("How do I run without a GPU?") == ["run without a gpu"]
    assert equivalents.phrases_in("Why is my kernel slow?") == ["why is my kernel slow"]


def test_queries_that_lead_nowhere_are_reported(script, tmp_path):
    check_site = script("check_site")
    index = {"docnames": ["coming_from/cupy"], "indexentries": {"cupy.asarray": [[0, "row-13", True]]}}
    (tmp_path / "searchindex.js").write_text(f"Search.setIndex({json.dumps(index)})")
    reported = check_site.check_searches(tmp_path)
    assert len(reported) == len(check_site.SEARCHES) - 1
    assert not any("cupy.asarray" in line for line in reported)


def test_pages_and_tables_that_are_too_wide_are_reported(script, tmp_path):
    if script("browser").find() is None:
        pytest.skip("Chromium is not installed")
    head = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    table = '<div class="pst-scrollable-table-container" style="overflow: auto"><div style="width: 500px">t</div></div>'
    (tmp_path / "good.html").write_text(head + "<p>text</p>")
    (tmp_path / "wide.html").write_text(head + '<div style="width: 1000px">x</div>')
    (tmp_path / "table.html").write_text(head + table)
    code = '<div class="bd-article" style="overflow: hidden"><p><code style="white-space: nowrap">'
    (tmp_path / "text.html").write_text(f"{head}{code}{'CUDA_PYTHON_' * 9}</code></p></div>")
    reported = script("check_site").check_widths(tmp_path, [])
    assert [re.match(r"(\w+)\.html.* (390)", line).groups() for line in reported] == [
        ("table", "390"),
        ("text", "390"),
        ("wide", "390"),
    ], reported


def test_clicks_are_counted_along_links(script, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "index.html").write_text('<a href="deep/a.html#x">a</a> <a href="https://example.org/b.html">b</a>')
    (tmp_path / "deep/a.html").write_text('<a href="../c.html">c</a> <a href="missing.html">m</a>')
    (tmp_path / "c.html").write_text('<a href="index.html">home</a>')
    assert script("measure_answers").clicks(tmp_path) == {"index": 0, "deep/a": 1, "c": 2}


def test_the_list_of_versions_has_this_one():
    versions = json.loads((DOCS / "versions.json").read_text())
    release = re.search(r'release = version = "(.+)"', (DOCS / "conf.py").read_text())[1]
    assert [entry["name"] for entry in versions if entry["path"] == ""] == [release]


def test_each_example_has_a_record_of_what_it_prints():
    recorded = {path.stem for path in RECORDS.glob("*.txt")}
    assert recorded == {path.stem for path in (ROOT / "examples").glob("*.py")} - NOT_RECORDED
    page = (DOCS / "examples.md").read_text()
    for name in recorded:
        last = (RECORDS / f"{name}.txt").read_text().splitlines()[-1]
        assert re.match(name + r"(: |<\w+>: )", last), f"record again: python docs/record_examples.py {name}"
        assert f"_static/examples/{name}.txt" in page


def test_records_name_no_folder_and_no_processor_of_a_machine():
    for path in RECORDS.glob("*.txt"):
        assert not re.search(r"(?<!\w)/(home|tmp|work|root)/", path.read_text()), path.name
        assert "CPU device (" not in path.read_text(), path.name


def test_a_record_leaves_out_what_depends_on_the_machine(script):
    pytest.importorskip("PIL", reason="needs Pillow, as the examples that draw")
    neutral = script("record_examples").neutral
    said = f"{ROOT}/examples/a.py: on CPU device (Intel(R) Xeon(R) CPU @ 2.20GHz, 2 cores), done (quickly)"
    assert neutral(said) == "a.py: on CPU device, done (quickly)"
