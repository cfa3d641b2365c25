# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Measure the way to the answers of typical questions on a built site: python docs/measure_answers.py FOLDER

Prints a table: the rank of the first right answer among the results of the search, the seconds until the result and
the page are there in Chromium, and the least clicks from the start page. They are times of a machine, without those
that a reader takes to type and to read.
"""

import html.parser
import pathlib
import posixpath
import sys

import browser

# What people type, and the pages with an answer.
QUESTIONS = {
    "copy a NumPy array to the device": ("questions", "guides/memory"),
    "why is my kernel slow": ("questions", "guides/performance"),
    "pass a struct": ("questions", "guides/structs_and_arrays"),
    "block size": ("questions",),
    "launch a kernel": ("questions", "first_kernel"),
    "out-of-bounds access": ("questions", "guides/checking"),
    "PyTorch tensor": ("guides/interop", "pytorch", "questions"),
    "without a GPU": ("questions", "guides/testing", "cpu"),
    "cudaMemcpy": ("coming_from/cuda_cpp",),
    "CUDA_ERROR_ILLEGAL_ADDRESS": ("errors",),
    "shared memory": ("questions",),
    "several GPUs": ("questions", "guides/multi_gpu_ipc"),
    "cupy.asarray": ("coming_from/cupy",),
    "drv.mem_alloc": ("coming_from/pycuda",),
}
SCRIPT = """
const frame = document.createElement("iframe");
frame.width = 1300;
frame.height = 900;
document.body.append(frame);
const load = page => new Promise(done => { frame.onload = done; frame.src = page; });
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
const answers = {};
for (const [query, pages] of Object.entries(QUESTIONS)) {
  const started = performance.now();
  await load("/search.html?q=" + encodeURIComponent(query));
  const inside = frame.contentDocument;
  let results = [];
  for (let round = 0; round < 400; ++round) {
    await wait(10);
    results = [...inside.querySelectorAll("#search-results ul.search > li > a")];
    const status = inside.querySelector("#search-results .search-summary");
    if (status && /finished|did not match/i.test(status.textContent)) break;
  }
  const paths = results.map(link => new URL(link.href).pathname.slice(1).replace(/\\.html$/, ""));
  const rank = paths.findIndex(path => pages.includes(path));
  const searched = performance.now();
  if (rank >= 0) await load(results[rank].href);
  answers[query] = {rank: rank + 1, count: results.length, first: paths.slice(0, 3), page: paths[rank] || "",
                    search: searched - started, load: performance.now() - searched};
}
return answers;
"""


class Links(html.parser.HTMLParser):
    """Collects the addresses of a page's links."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get("href") or ""
        if tag == "a" and "://" not in address and address.partition("#")[0].endswith(".html"):
            self.found.append(address.partition("#")[0])


def clicks(site: pathlib.Path) -> dict[str, int]:
    """Return the least number of clicks from the start page to each page."""
    distance, reached = {"index": 0}, ["index"]
    for page in reached:
        for address in Links(site / f"{page}.html").found:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), address)).removesuffix(".html")
            if target not in distance and (site / f"{target}.html").exists():
                distance[target] = distance[page] + 1
                reached.append(target)
    return distance


def main(folder: str) -> None:
    site = pathlib.Path(folder)
    distance = clicks(site)
    answers = browser.evaluate(site, SCRIPT, {"QUESTIONS": QUESTIONS}, seconds=300)
    print("| question | by search: result | seconds: results, page | by links: clicks |\n|---|---|---|---|")
    for query, pages in QUESTIONS.items():
        found = answers[query]
        by_search = f"{found['rank']} of {found['count']}: `{found['page']}`" if found["rank"] else "not found"
        seconds = f"{found['search'] / 1000:.1f}, {found['load'] / 1000:.1f}"
        near = min(pages, key=lambda page: distance.get(page, 99))
        print(f"| {query} | {by_search} | {seconds} | {distance[near]}: `{near}` |")
        if found["rank"] != 1:
            print(f"{query}: the first results are {', '.join(found['first'])}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
