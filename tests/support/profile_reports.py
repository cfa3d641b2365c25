# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""For tests of reports: programs to profile, and a check of HTML pages."""

import html.parser

from support.profile_cases import CASES

NAMES = {case.name: case for case in CASES}

SCRIPT = """
import ctypes, sys
from cuda.cpu import driver
driver.cuInit(0)
driver.cuCtxCreate_v2(0, 0)
memory = ctypes.c_uint64(driver.cuMemAlloc(1 << 20))
values = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
for text in TEXTS:
    image = ctypes.create_string_buffer(text.encode())
    function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), b"k")
    driver.cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, 0, ctypes.addressof(values), 0)
print(*sys.argv[1:])
"""


def script_of(folder, *names):
    path = folder / "script.py"
    path.write_text(f"TEXTS = {[NAMES[name].text for name in names]!r}\n{SCRIPT}")
    return path


class Balanced(html.parser.HTMLParser):
    """Checks that elements are closed in order."""

    VOID = ("meta", "br", "polyline", "line", "circle")

    def __init__(self):
        super().__init__()
        self.open, self.text, self.links = [], "", []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
