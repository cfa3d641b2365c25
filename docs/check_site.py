# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Check a built site: python docs/check_site.py FOLDER [PAGE...]

The index of the search must lead names of other packages to our tables. With Chromium, no page or text may be wider
than its window, and no table may hide columns, at the widths of a laptop and a phone; else this part is left out.
"""

import json
import pathlib
import re
import sys

import browser

WIDTHS = (1300, 390)
COLUMNS = 5  # tables with more may scroll
# Queries, and the page with the row that the search must find.
SEARCHES = {
    "cudaMemcpy": "coming_from/cuda_cpp",
    "cudaMalloc": "coming_from/cuda_cpp",
    "cupy.asarray": "coming_from/cupy",
    "cp.asnumpy": "coming_from/cupy",
    "cupy.RawKernel": "coming_from/cupy",
    "drv.mem_alloc": "coming_from/pycuda",
    "pycuda.driver.memcpy_htod": "coming_from/pycuda",
    "SourceModule": "coming_from/pycuda",
    "gpuarray.to_gpu": "coming_from/pycuda",
    "cuda.to_device": "coming_from/numba",
    "cuda.jit": "coming_from/numba",
    "copy a NumPy array to the device": "questions",
    "why is my kernel slow": "questions",
    "pass a struct": "questions",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "errors",
}
# Runs in the page: loads each page into a frame, and notes what is wider than the frame.
SCRIPT = """
const frame = document.createElement("iframe");
frame.height = 900;
document.body.append(frame);
const settled = () => new Promise(done => setTimeout(done, 30));
const wide = table => table.querySelectorAll("thead th").length > COLUMNS;
const start = element => element.textContent.trim().replace(/\\s+/g, " ").slice(0, 60);
const TEXT = ".bd-article :is(p, li, dt, dd, h1, h2, h3, :not(pre) > code)";
const found = [];
for (const page of PAGES) {
  frame.width = WIDTHS[0];
  await new Promise(done => { frame.onload = done; frame.src = "/" + page; });
  for (const width of WIDTHS) {
    frame.width = width;
    await settled();
    const inside = frame.contentDocument, root = inside.documentElement;
    if (root.scrollWidth > root.clientWidth)
      found.push(`${page}: ${root.scrollWidth} pixels wide in a window of ${width}`);
    for (const table of inside.querySelectorAll(".bd-article table, .pst-scrollable-table-container"))
      if (table.scrollWidth > table.clientWidth + 1 && !wide(table))
        found.push(`${page}: a table has ${table.clientWidth} of its ${table.scrollWidth} pixels at ${width}: ` +
                   start(table));
    for (const text of inside.querySelectorAll(TEXT))
      if (text.getBoundingClientRect().right > width && !text.closest("pre, .highlight, table"))
        found.push(`${page}: cut off at ${width}: ${start(text)}`);
  }
}
return found;
"""


def search_index(site: pathlib.Path) -> dict:
    """Return the index that the search of the site loads."""
    text = (site / "searchindex.js").read_text()
    return json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text.strip(), re.DOTALL)[1])


def check_searches(site: pathlib.Path) -> list[str]:
    """Return the queries that do not lead to the row of their page."""
    index = search_index(site)
    wrong = []
    for query, page in SEARCHES.items():
        entries = index["indexentries"].get(query.lower(), [])
        found = {index["docnames"][number] for number, anchor, main in entries if anchor and main}
        wrong += [] if page in found else [f"search: {query} does not lead to {page}"]
    return wrong


def check_widths(site: pathlib.Path, pages: list[str]) -> list[str]:
    """Return the pages and tables that are wider than their window."""
    pages = pages or sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    values = {"PAGES": pages, "WIDTHS": WIDTHS, "COLUMNS": COLUMNS}
    return browser.evaluate(site, SCRIPT, values, seconds=5 * len(pages))


def main(folder: str, *pages: str) -> int:
    site = pathlib.Path(folder)
    wrong = check_searches(site)
    if browser.find():
        wrong += check_widths(site, list(pages))
    else:
        print("Chromium is not installed: widths are not checked", file=sys.stderr)
    print("\n".join(wrong) or "all checks passed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
