# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx. Each build writes the reference pages from the installed packages, by reference_pages.py."""

import importlib.util
import json
import os
import pathlib
import re
import sys

from sphinx.errors import ConfigError

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bindings_pages  # noqa: E402 - in this folder
import reference_pages  # noqa: E402

import build_hooks  # noqa: E402 - in the folder above

if build_hooks.missing_sources() or not importlib.util.find_spec("cuda.core._device._device"):
    raise ConfigError("the reference pages need the compiled packages: run `nox -s build` first")

project = "Open CUDA Python"
author = "Open CUDA Python developers"
project_copyright = f"2026 {author}"
release = version = "0.1.0"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "sphinx_design"]
extensions += ["equivalents"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_generated/*_table.md"]
nitpicky = False
suppress_warnings = ["ref.python"]  # words of types in docstrings, such as "value", are looked up among all members

napoleon_google_docstring = False
napoleon_custom_sections = [("Errors", "params_style")]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # compiled classes have their signatures in the docstrings
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries = False  # too many functions for a sidebar

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_sidebars = {"index": [], "changelog": []}
html_show_sourcelink = True
templates_path = ["_templates"]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 6,
    "navbar_end": ["versions", "theme-switcher"],
    "secondary_sidebar_items": ["page-toc", "page-source"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Addresses for the links: {page} is replaced by the path of the page's source below docs/.
EDIT_ADDRESS = "OPEN_CUDA_PYTHON_DOCS_EDIT"
html_context = {
    "versions": json.loads((HERE / "versions.json").read_text()),
    "edit_address": os.environ.get(EDIT_ADDRESS, ""),
}

reference_pages.write_all(HERE / "_generated")


def quote_links(app, what, name, value, options, lines):
    """Quote addresses in docstrings: `group__CUDART____DRIVER` would be read as markup."""
    lines[:] = [re.sub(r"(https?://\S+)", r"`\1 <\1>`__", line) for line in lines]


def quote_pointers(app, what, name, value, options, lines):
    """Quote the stars of pointers: `void *, in` would begin an emphasis."""
    for number, line in enumerate(lines):
        if match := re.fullmatch(r"(\S+ : .*?)(\*+), (in|out|in/out)", line):
            lines[number] = match[1] + match[2].replace("*", r"\*") + f", {match[3]}"


def complete_functions(app, what, name, value, options, lines):
    bindings_pages.add_cpu_support(name, lines)


def setup(app):
    app.connect("autodoc-process-docstring", quote_pointers, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", quote_links)
    app.connect("autodoc-process-docstring", complete_functions)
