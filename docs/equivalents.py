# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sphinx extension: the search finds rows of the tables of equivalents, questions, and status values with advice.

They get anchors and index entries. Sphinx's search looks up its queries in the index, too, and prefers entries that are
marked as main. For CuPy's row `cp.asnumpy(a)`, the entries are `cp.asnumpy`, `cupy.asnumpy` and `asnumpy`.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

# Folder of the pages with tables, and what people call the modules that the tables of a page abbreviate.
FOLDER = "coming_from/"
SPELLINGS = {
    "cupy": {"cp": ("cp", "cupy")},
    "pycuda": {"cuda": ("cuda", "drv", "pycuda.driver")},
    "numba": {"cuda": ("cuda", "numba.cuda")},
    "cuda_cpp": {},
    "nvidia": {},
}
NAME = re.compile(r"(?<![\w.\"'])([A-Za-z_]\w*(?:\.\w+)*)")
NO_NAMES = {"a", "b", "f", "n", "x", "s", "e", "dst", "src", "code", "import", "with", "on", "int", "float", "in"}


def names_in(code: str, page: str) -> list[str]:
    """Return the index entries for the code in a cell: the functions and attributes at its beginning.

    >>> names_in("cp.asnumpy(a)", "cupy")
    ['cp.asnumpy', 'cupy.asnumpy', 'asnumpy']
    """
    found = NAME.match(code.removeprefix("import ").removeprefix("@"))
    if found is None or found[1] in NO_NAMES:
        return []
    module, _, rest = found[1].partition(".")
    spellings = SPELLINGS[page].get(module, (module,)) if rest else ()
    return [*(f"{spelling}.{rest}" for spelling in spellings), *([found[1]] if not rest else [rest.rpartition(".")[2]])]


def phrases_in(question: str) -> list[str]:
    """Return the index entries for a question, without its first words: people leave them out.

    >>> phrases_in("How do I pass a struct to a kernel?")
    ['pass a struct to a kernel']
    """
    return [question.removeprefix("How do I ").rstrip("?").lower()]


def add_entries(element: nodes.Element, names: list[str], anchor: str) -> None:
    """Let the search find an element by names."""
    target = nodes.target("", "", ids=[anchor])
    index = addnodes.index(entries=[("single", name, anchor, "main", None) for name in names])
    element.insert(0, target)
    element.insert(0, index)


def add_all(app: Sphinx, doctree: nodes.document) -> None:
    """Add the entries of a page: rows of equivalents, questions, or the status values that have advice."""
    page = app.env.current_document.docname
    name = page.removeprefix(FOLDER)
    if page.startswith(FOLDER) and name in SPELLINGS:
        for number, row in enumerate(doctree.findall(nodes.row)):
            cell = row.children[0]
            literals = [literal.astext() for literal in cell.findall(nodes.literal)]
            if names := list(dict.fromkeys(entry for literal in literals for entry in names_in(literal, name))):
                add_entries(cell.children[0], names, f"row-{number}")
    elif page == "questions":
        for number, section in enumerate(doctree.children[0].findall(nodes.section, include_self=False)):
            add_entries(section.children[1], phrases_in(section.children[0].astext()), f"question-{number}")
    elif page == "errors":
        for term in doctree.findall(nodes.term):
            add_entries(term, [term.astext()], term.astext().lower().replace("_", "-"))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", add_all)
    return {"parallel_read_safe": True}
