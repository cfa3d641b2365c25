# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sphinx extension: the search finds the rows of the tables of equivalents by the names in their first cells.

Each row gets an anchor and index entries; Sphinx's search looks up its queries in the index, too,
and prefers entries that are marked as main. For CuPy's row
`cp.asnumpy(a)`, the entries are `cp.asnumpy`, `cupy.asnumpy` and `asnumpy`.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

# Folder of the pages, and what people call the modules that the tables of a page abbreviate.
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


def index_rows(app: Sphinx, doctree: nodes.document) -> None:
    """Give each row of a page's tables an anchor and index entries."""
    page = app.env.current_document.docname
    name = page.removeprefix(FOLDER)
    if not page.startswith(FOLDER) or name not in SPELLINGS:
        return
    for number, row in enumerate(doctree.findall(nodes.row)):
        cell = row.children[0]
        literals = [literal.astext() for literal in cell.findall(nodes.literal)]
        names = dict.fromkeys(entry for literal in literals for entry in names_in(literal, name))
        if not names:
            continue
        anchor = f"row-{number}"
        index = addnodes.index(entries=[("single", entry, anchor, "main", None) for entry in names])
        target = nodes.target("", "", ids=[anchor])
        cell.children[0].insert(0, target)
        cell.children[0].insert(0, index)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", index_rows)
    return {"parallel_read_safe": True}
