# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the code of the documentation as a reader would: each page one program, and what its comments say it prints.

A fence ```` ```python ```` runs, those of a page in order; ```` ```python norun ```` is shown only. Where a line
is `print(...)  # text`, the program must print that text then; `...` in it stands for anything.
"""

import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).parent.parent / "docs"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def program(page):
    return "\n".join(FENCE.findall(page.read_text()))


def expected(source):
    return re.findall(r"^\s*print\(.*\)  # (.+)$", source, re.MULTILINE)


def pattern(said):
    return re.escape(said).replace(re.escape("..."), ".*")


PAGES = {str(page.relative_to(DOCS)): page for page in sorted(DOCS.rglob("*.md")) if FENCE.search(page.read_text())}


# What pages need beside a compiler: cubins of relocatable code need nvJitLink; some are about the CPU device.
NEEDED = {
    "guides/checking.md": pytest.mark.cpu_only,
    "guides/compiling.md": pytest.mark.needs_nvjitlink,
    "guides/profiling.md": pytest.mark.cpu_only,
    "guides/tma.md": pytest.mark.needs_cccl,
    "jax.md": pytest.mark.cpu_only,
}


@pytest.mark.needs_nvrtc
@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDED.get(name, ())) for name in PAGES])
def test_page_does_what_it_says(name, tmp_path):
    source = program(PAGES[name])
    if re.search(r"^import thunder$", source, re.MULTILINE):
        reason = "the page is about Lightning Thunder, which is not installed, or not with a PyTorch that it works with"
        pytest.importorskip("cuda.interop.thunder", reason=reason, exc_type=ImportError)
    if re.search(r"^import torch$", source, re.MULTILINE):
        pytest.importorskip("torch", reason="the page is about PyTorch, which is not installed")
    if re.search(r"^import jax$", source, re.MULTILINE):
        pytest.importorskip("jax", reason="the page is about JAX, which is not installed")
    (tmp_path / "page.py").write_text(source)
    result = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "page.py"],
        capture_output=True, text=True, cwd=tmp_path, timeout=110,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    printed = result.stdout.splitlines()
    said = expected(source)
    assert len(printed) == len(said), f"prints {printed}, says {said}"
    for line, text in zip(printed, said, strict=True):
        assert re.fullmatch(pattern(text), line), f"prints {line!r}, says {text!r}"


def test_guides_hold_programs():
    guides = [page for page in PAGES if page.startswith(("guides/", "coming_from/"))]
    assert len(guides) >= 10
    assert all(expected(program(PAGES[page])) for page in guides)
