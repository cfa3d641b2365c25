# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the notebooks with Jupyter's kernel: no cell fails, and cells print what the comments beside `print` say."""

import pathlib
import re

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs nbclient and ipykernel")
nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
pytest.importorskip("ipykernel", reason="needs nbclient and ipykernel")

FOLDER = pathlib.Path(__file__).parents[2] / "examples/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
# What some cells display: the notebook, a text of the cell, and a text of its HTML or plain output.
DISPLAYED = [
    ("first_kernel", "device\n", "<table><caption>Device 0</caption>"),
    ("first_kernel", "saxpy", "<caption>kernel &#x27;saxpy&#x27;</caption>"),
    ("first_kernel", "y", "<th>dtype</th><td>float32</td>"),
    ("arrays_and_streams", "picture.to_host()\n", "array([[0, 1, 2, 3, 4, 0],"),
    ("check_and_explain", "message\n", "memcheck: kernel 'differences'"),
]


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_notebooks_are_stored_without_outputs():
    assert [path.stem for path in NOTEBOOKS] == ["arrays_and_streams", "check_and_explain", "first_kernel"]
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, 4)
        nbformat.validate(notebook)
        assert not any(cell.outputs or cell.execution_count for cell in code_cells(notebook))


def printed(cell):
    return "".join(out.text for out in cell.outputs if out.output_type == "stream" and out.name == "stdout")


def displayed(cell):
    return "".join(part for out in cell.outputs for part in dict(out.get("data", {})).values())


@pytest.mark.needs_nvrtc
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_does_what_it_says(path, tmp_path, on_gpu):
    if on_gpu and path.stem == "check_and_explain":
        pytest.skip("shows the CPU device")
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in code_cells(notebook):
        said = re.findall(r"^\s*print\(.*\)  # (.+)$", cell.source, re.MULTILINE)
        lines = printed(cell).splitlines()
        assert len(lines) == len(said), f"prints {lines}, says {said}"
        for line, text in zip(lines, said, strict=True):
            assert re.fullmatch(re.escape(text).replace(re.escape("..."), ".*"), line), (
                f"prints {line!r}, says {text!r}"
            )
    for stem, text, expected in DISPLAYED:
        if stem == path.stem:
            shown = [
                displayed(cell) for cell in code_cells(notebook) if f"{cell.source}\n".endswith(f"{text.strip()}\n")
            ]
            assert any(expected in each for each in shown), shown
